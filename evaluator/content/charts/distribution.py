"""Values of users, or their differences: a histogram with counts on a logarithmic scale, zero apart."""

from __future__ import annotations

from collections.abc import Sequence

from ...results.description import Spread
from .style import BLUE, GREY, ORANGE, Spec, finished


def distribution(spreads: Sequence[Spread]) -> Spec:
    """A panel per spread; users whose value is 0, or did not change, are one grey bar at 0 with their number."""
    panels = [_panel(one) for one in spreads]
    of = ", ".join(dict.fromkeys(one.measure for one in spreads))
    what = "per-user differences" if spreads[0].base is not None else "per-user values"
    spec = {"concat": panels, "columns": min(2, len(panels)), "spacing": 24}
    return finished(spec if len(panels) > 1 else panels[0], f"histogram of {what} in {of}")


def _panel(spread: Spread) -> Spec:
    rows = [
        {
            "low": one.low,
            "high": one.high,
            "users": one.rows,
            "side": "better" if (one.low + one.high > 0) == spread.higher_is_better else "worse",
        }
        for one in spread.bins
        if one.rows
    ]
    most = max([spread.zero, *(one.rows for one in spread.bins)])
    differs = spread.base is not None and spread.higher_is_better is not None
    title = (
        f"{spread.measure}: {spread.model} minus {spread.base}, per user"
        if spread.base is not None
        else f"{spread.measure} of {spread.model}, per user"
    )
    x = {"field": "low", "type": "quantitative", "title": title, "axis": {"tickCount": 6, "titleLimit": 340}}
    y = {
        "field": "users",
        "type": "quantitative",
        "title": "users",
        "scale": {"type": "symlog", "domainMin": 0},
        "axis": {"values": [0, *(10**power for power in range(len(str(most))))]},
    }
    colour = {"field": "side", "type": "nominal", "scale": {"domain": ["better", "worse"], "range": [BLUE, ORANGE]}, "legend": None}
    bars = {
        "mark": {"type": "bar", "color": BLUE, "opacity": 0.9},
        "data": {"values": rows},
        "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "y2": {"datum": 0}, **({"color": colour} if differs else {})},
    }
    at_zero = {
        "data": {
            "values": [{"low": 0, "users": spread.zero, "text": f"{spread.zero:,} {'the same' if spread.base is not None else 'at 0'}"}]
        }
    }
    zero = {**at_zero, "mark": {"type": "bar", "color": GREY, "width": 7}, "encoding": {"x": x, "y": y, "y2": {"datum": 0}}}
    text = {**at_zero, "mark": {"type": "text", "dy": -7, "color": "#333333"}, "encoding": {"x": x, "y": y, "text": {"field": "text"}}}
    return {"width": 330, "height": 180, "layer": [*([bars] if rows else []), *([zero, text] if spread.zero else [])]}
