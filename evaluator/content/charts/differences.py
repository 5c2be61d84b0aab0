"""Differences from the base with their intervals: a forest plot, with the margin as a band."""

from __future__ import annotations

from collections.abc import Sequence

from ...stats.difference import Difference
from .style import GREY, NO_VERDICT, Spec, by_verdict, finished, room_for

MOST_ROWS = 60
_MOST_SCALES = 4
_ALIKE = 8.0
"""Measures whose differences are of sizes within this factor share a scale."""
_STEP = 20
_WIDTH = 360
_NARROW = 150
"""How wide names are where two panels stand beside each other."""


def differences(shown: Sequence[Difference], base: str | None) -> Spec:
    """Differences of one model, a row per measure; of several, a panel per measure with a row per model.

    Measures of one model share a scale where their differences are of like size, and stand in panels of their own where they are not.
    """
    known = [one for one in shown if one.difference is not None][:MOST_ROWS]
    pairs = list(dict.fromkeys((one.subject.base, one.subject.model) for one in known))
    several = len(pairs) > 1
    names = [_pair(one, base) if several else one.subject.measure for one in known]
    measures = dict.fromkeys(one.subject.measure for one in known)
    by_measure = [[one for one in known if one.subject.measure == measure] for measure in measures]
    panels = by_measure if several else _by_size(known)
    room = room_for(names, _NARROW if several else None)
    plots = [_panel(panel, base, room, several) for panel in panels]
    description = f"differences of {len(known)} values from {base or 'each other'} with their intervals"
    spec = {
        "concat": plots,
        "columns": 2 if several else 1,
        "spacing": 18,
        "resolve": {"scale": {"x": "independent", "color": "shared", "shape": "shared"}},
    }
    return finished(spec if len(plots) > 1 else plots[0], description)


def _panel(of_panel: Sequence[Difference], base: str | None, room: float, several: bool) -> Spec:
    """Some differences on one scale."""
    rows = [
        {
            "row": _pair(one, base) if several else one.subject.measure,
            "difference": one.difference,
            "low": one.low,
            "high": one.high,
            "margin": one.margin,
            "verdict": one.verdict or NO_VERDICT,
        }
        for one in of_panel
    ]
    y = {
        "field": "row",
        "type": "nominal",
        "sort": [row["row"] for row in rows],
        "title": None,
        "axis": {"minExtent": room, "labelLimit": room, "ticks": False, "grid": False},
    }
    x = {"field": "difference", "type": "quantitative", "title": None if several else "model minus baseline", "axis": {"tickCount": 5}}
    looks = by_verdict()
    band = {
        "mark": {"type": "bar", "color": GREY, "opacity": 0.18, "height": _STEP},
        "transform": [{"filter": "datum.margin != null"}, {"calculate": "-datum.margin", "as": "below"}],
        "encoding": {"x": {**x, "field": "below"}, "x2": {"field": "margin"}},
    }
    zero = {"mark": {"type": "rule", "color": GREY, "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}, "y": None}}
    line = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "transform": [{"filter": "datum.low != null"}],
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": looks["color"]},
    }
    dots = {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": {"x": x, **looks}}
    layers = [
        *([band] if any(one.margin is not None for one in of_panel) else []),
        zero,
        *([line] if any(one.low is not None for one in of_panel) else []),
        dots,
    ]
    title = {"title": of_panel[0].subject.measure} if several else {}
    return {**title, "width": _WIDTH, "height": {"step": _STEP}, "data": {"values": rows}, "encoding": {"y": y}, "layer": layers}


def _pair(one: Difference, base: str | None) -> str:
    return one.subject.model if base is not None else f"{one.subject.model} against {one.subject.base}"


def _by_size(known: Sequence[Difference]) -> list[list[Difference]]:
    """Differences in panels, those of like size together, the panels and their rows in the order of the first."""
    panels: list[list[Difference]] = []
    order = {id(one): number for number, one in enumerate(known)}
    for one in sorted(known, key=_size):
        if panels and (_size(one) <= _ALIKE * _size(panels[-1][0]) or len(panels) == _MOST_SCALES):
            panels[-1].append(one)
        else:
            panels.append([one])
    in_order = [sorted(panel, key=lambda one: order[id(one)]) for panel in panels]
    return sorted(in_order, key=lambda panel: order[id(panel[0])])


def _size(one: Difference) -> float:
    """Return how far a difference and its interval reach from 0."""
    return max(abs(number) for number in (one.difference, one.low, one.high, 1e-300) if number is not None)
