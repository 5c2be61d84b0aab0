"""Measures over their cut-offs: a panel per metric, a line per model."""

from __future__ import annotations

from collections.abc import Sequence

from ..points import ValuePoint
from .style import Spec, by_model, finished

MOST_PANELS = 6
_MOST_BANDS = 4
"""With more models bands would hide each other."""


def metrics_over_k(points: Sequence[ValuePoint]) -> tuple[str, ...]:
    """Return the metrics that have values at several cut-offs, in the order of the results."""
    cutoffs: dict[str, set[int | None]] = {}
    for one in points:
        if one.row.aggregate in ("mean", "system", ""):
            cutoffs.setdefault(one.row.metric, set()).add(one.row.k)
    return tuple(metric for metric, several in cutoffs.items() if len(several) > 1)


def over_k(points: Sequence[ValuePoint], metrics: Sequence[str]) -> Spec:
    """Return the values of some metrics at each of their cut-offs, with 95 % intervals where there are few models."""
    shown = [one for one in points if one.row.metric in metrics and one.row.aggregate in ("mean", "system", "") and one.is_drawn]
    names = tuple(dict.fromkeys(one.name for one in shown))
    cutoffs = [_shown(k) for k in sorted({one.row.k for one in shown}, key=lambda k: (k is None, k or 0))]
    rows = [
        {"model": one.name, "metric": one.row.metric, "k": _shown(one.row.k), "value": one.value, "low": one.low, "high": one.high}
        for one in shown
    ]
    looks = by_model(names)
    panels = [
        _panel([row for row in rows if row["metric"] == metric], metric, cutoffs, looks, bands=len(names) <= _MOST_BANDS)
        for metric in metrics
    ]
    spec = {
        "concat": panels,
        "columns": 3,
        "bounds": "flush",  # panels of one row stand at one height, whatever their labels take
        "spacing": {"row": 75, "column": 55},
        "resolve": {"scale": {"color": "shared", "shape": "shared"}},
    }
    return finished(spec, f"{', '.join(metrics)} of {len(names)} models at the cut-offs {', '.join(cutoffs)}")


def _panel(rows: Sequence[Spec], metric: str, cutoffs: Sequence[str], looks: Spec, *, bands: bool) -> Spec:
    """Return one metric: bands of intervals, where wanted, below lines with a mark at each cut-off."""
    x = {"field": "k", "type": "ordinal", "sort": cutoffs, "title": "k", "axis": {"labelAngle": 0}}
    y = {"field": "value", "type": "quantitative", "title": None, "scale": {"zero": False}, "axis": {"tickCount": 5}}
    band = {
        "mark": {"type": "area", "opacity": 0.15},
        "transform": [{"filter": "datum.low != null"}],
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": looks["color"]},
    }
    line = {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"y": y, "color": looks["color"]}}
    dots = {"mark": {"type": "point", "filled": True, "size": 45, "opacity": 1}, "encoding": {"y": y, **looks}}
    layers = [*([band] if bands and any(row["low"] is not None for row in rows) else []), line, dots]
    return {"title": metric, "width": 215, "height": 150, "data": {"values": list(rows)}, "encoding": {"x": x}, "layer": layers}


def _shown(k: int | None) -> str:
    return "all" if k is None else str(k)
