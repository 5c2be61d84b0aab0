"""Two measures against each other: a point per model."""

from __future__ import annotations

from collections.abc import Sequence

from ...metrics import find
from ...names.formula import is_formula
from ..points import ValuePoint, by_label
from .style import Spec, by_model, finished

_BEYOND = ("coverage", "diversity", "fairness", "novelty", "popularity", "serendipity")
"""The families of metrics that look beyond accuracy."""


def measures_to_trade(points: Sequence[ValuePoint]) -> tuple[str, str] | None:
    """Return the first measure, and the first one that looks at something else; `None` if there are no two, or fewer than two models.

    Something else is something beyond accuracy if the first measure is one of accuracy, and the other way round; else another metric.
    """
    table = {label: of_models for label, of_models in by_label(points).items() if sum(one.is_drawn for one in of_models.values()) > 1}
    rows = {label: next(iter(of_models.values())).row for label, of_models in table.items()}
    if not rows:
        return None
    first, *others = rows
    family = {label: "" if is_formula(row.metric) else find(row.metric.partition("(")[0]).family for label, row in rows.items()}
    elsewhere = [label for label in others if (family[label] in _BEYOND) != (family[first] in _BEYOND)]
    others = elsewhere or [label for label in others if rows[label].metric != rows[first].metric]
    return (first, others[0]) if others else None


def trade_off(points: Sequence[ValuePoint], x: str, y: str) -> Spec:
    """Return the models by two measures, with 95 % intervals in both directions; further up and to the right is more."""
    table = by_label(points)
    both = [name for name, one in table[x].items() if one.is_drawn and name in table[y] and table[y][name].is_drawn]
    rows = []
    for name in both:
        one, other = table[x][name], table[y][name]
        ends = {"x_low": one.low, "x_high": one.high, "y_low": other.low, "y_high": other.high}
        rows.append({"model": name, "x": one.value, "y": other.value, **ends})
    at_x, at_y = (
        {
            "field": field,
            "type": "quantitative",
            "title": _directed(label, points),
            "scale": {"zero": False, "nice": True},
            "axis": {"tickCount": 6},
        }
        for field, label in (("x", x), ("y", y))
    )
    looks = by_model(both)
    thin = {"type": "rule", "strokeWidth": 1, "opacity": 0.7}
    across = {
        "mark": thin,
        "transform": [{"filter": "datum.x_low != null"}],
        "encoding": {"x": {**at_x, "field": "x_low"}, "x2": {"field": "x_high"}, "y": at_y, "color": looks["color"]},
    }
    up = {
        "mark": thin,
        "transform": [{"filter": "datum.y_low != null"}],
        "encoding": {"x": at_x, "y": {**at_y, "field": "y_low"}, "y2": {"field": "y_high"}, "color": looks["color"]},
    }
    dots = {"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1}, "encoding": {"x": at_x, "y": at_y, **looks}}
    whiskers = ((across, "x_low"), (up, "y_low"))
    layers = [*(layer for layer, end in whiskers if any(row[end] is not None for row in rows)), dots]
    spec = {"width": 420, "height": 320, "data": {"values": rows}, "layer": layers}
    return finished(spec, f"{y} against {x} of {len(both)} models")


def _directed(label: str, points: Sequence[ValuePoint]) -> str:
    better = next(one.row.higher_is_better for one in points if one.label == label)
    return f"{label}{ {True: ' (higher is better)', False: ' (lower is better)', None: ''}[better] }"
