"""The look of charts: colours and shapes that everybody can tell apart, on white and on black."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...quoting import visible
from ...stats.difference import VERDICTS

Spec = dict[str, Any]
"""A Vega-Lite spec."""

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"

BLUE: Final = "#0072b2"
ORANGE: Final = "#d55e00"
GREY: Final = "#767676"
COLOURS: Final = (BLUE, ORANGE, "#009068", "#b8578f", "#8a6a1c", "#3a8bbf", "#7661b3", "#6b7a14")
"""After Okabe and Ito, darkened so that each has a contrast of 3 on white and on black."""
SHAPES: Final = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down", "triangle-right")
VERDICT_COLOURS: Final = {"better": BLUE, "worse": ORANGE}
VERDICT_SHAPES: Final = {"better": "circle", "worse": "triangle-down", "inconclusive": "diamond"}
"""Of other verdicts the shape is a square, the colour grey."""
NO_VERDICT: Final = "no verdict"

_LINE_ENDS: Final = {0x2028: "⏎", 0x2029: "⏎"}
"""What Vega writes into its expressions as it is, and then cannot read."""
_FONT: Final = "Helvetica, Arial, sans-serif"
_CHARACTER: Final = 6.4
"""About how wide a character of a label is, in pixels."""
_WIDEST: Final = 260

_CONFIG: Final[Mapping[str, Any]] = {
    "font": _FONT,
    "background": None,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "#333333",
        "titleColor": "#333333",
        "titleFontWeight": "normal",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "gridColor": GREY,
        "gridOpacity": 0.2,
        "domain": False,
        "tickColor": GREY,
        "labelLimit": _WIDEST,
        "titleLimit": 2 * _WIDEST,
        "labelOverlap": "greedy",
        "labelSeparation": 6,
    },
    "header": {"labelColor": "#333333", "labelFontSize": 12, "labelFontWeight": "bold", "labelLimit": 2 * _WIDEST, "title": None},
    "legend": {
        "labelColor": "#333333",
        "labelFontSize": 11,
        "title": None,
        "labelLimit": _WIDEST,
        "orient": "bottom",
        "columns": 4,
        "symbolOpacity": 1,
    },
    "title": {"color": "#333333", "fontSize": 12, "anchor": "start", "limit": 2 * _WIDEST},
}


def finished(spec: Spec, description: str) -> Spec:
    """Return the spec with what all charts share; `description` says in a sentence what it shows."""
    return {"$schema": SCHEMA, **_visible({"description": description, **spec}), "config": dict(_CONFIG)}


def _visible(content: Any) -> Any:
    """A spec whose texts, such as names of models, have no control characters, which no picture may hold, nor ends of lines of Unicode."""
    if isinstance(content, str):
        return visible(content).translate(_LINE_ENDS)
    if isinstance(content, dict):
        return {name: _visible(value) for name, value in content.items()}
    return [_visible(value) for value in content] if isinstance(content, list) else content


def room_for(labels: Sequence[str], most: float | None = None) -> float:
    """Return the room that labels beside an axis take, at most so much, so that panels above each other begin at the same place."""
    return min(most or _WIDEST, max((_CHARACTER * len(label) for label in labels), default=0.0)) + 8


def by_model(names: Sequence[str]) -> Spec:
    """Colour and shape by model, in a fixed order, so that a model looks the same in every chart."""
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(names))]
    shapes = [SHAPES[number % len(SHAPES)] for number in range(len(names))]
    return _looks("model", names, colours, shapes, {})


def by_verdict() -> Spec:
    """Colour and shape by verdict."""
    verdicts = (*VERDICTS, NO_VERDICT)
    colours = [VERDICT_COLOURS.get(verdict, GREY) for verdict in verdicts]
    shapes = [VERDICT_SHAPES.get(verdict, "square") for verdict in verdicts]
    return _looks("verdict", verdicts, colours, shapes, {"legend": None})


def _looks(field: str, domain: Sequence[str], colours: Sequence[str], shapes: Sequence[str], legend: Spec) -> Spec:
    ranges = {"color": list(colours), "shape": list(shapes)}
    return {
        name: {"field": field, "type": "nominal", "scale": {"domain": list(domain), "range": of}, **legend} for name, of in ranges.items()
    }
