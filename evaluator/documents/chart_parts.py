"""Parts of the charts of a report: sizes, colours and shapes that everybody can distinguish, axes and layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from ..support.quoting import visible
from .document import Figure
from .scales import scale_of

Spec = dict[str, Any]
"""A Vega-Lite spec."""

BLUE: Final = "#0072b2"
ORANGE: Final = "#d55e00"
GREY: Final = "#767676"
COLOURS: Final = (BLUE, ORANGE, "#009068", "#b8578f", "#8a6a1c", "#3a8bbf", "#7661b3", "#6b7a14")
"""Colours after Okabe and Ito, darkened so that each has a contrast of 3 on white and on black."""
SHAPES: Final = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down", "triangle-right")

_LINE_ENDS: Final = {0x2028: "⏎", 0x2029: "⏎"}
"""Characters that Vega writes into its expressions without escaping, and then cannot read."""
WIDEST_LABEL: Final = 260
DARK: Final = "#333333"


class ChartSize(Struct, frozen=True):
    """The size of a chart of about `width` pixels: the size of letters, and the number of panels of each kind side by side."""

    width: int
    letters: int
    forests: int
    lines: int
    histograms: int

    @property
    def character(self) -> float:
        """The approximate width of a character of a label, in pixels."""
        return 0.58 * self.letters

    def panel(self, beside: int, labels: float, gap: int = 24) -> int:
        """Return the width of a panel if `beside` panels are side by side, each with `labels` of this width, all in pixels."""
        return int((self.width - (beside - 1) * gap) / beside - labels)

    @property
    def config(self) -> Spec:
        """The fonts and colours of the chart."""
        dark, letters, longest = {"labelColor": DARK}, {"labelFontSize": self.letters}, int(0.5 * self.width)
        axis = {**dark, **letters, "titleColor": DARK, "titleFontWeight": "normal", "titleFontSize": self.letters, "gridColor": GREY}
        labels = {"labelLimit": WIDEST_LABEL, "labelOverlap": "greedy", "labelSeparation": 6, "labelFlush": False}
        titles = {"titleLimit": longest, "titlePadding": 8}
        columns = 2 if self.width < _BROAD_WIDTH else 4
        legend = {"title": None, "orient": "bottom", "columns": columns, "symbolOpacity": 1, "columnPadding": 30}
        legend["labelLimit"] = self.width // columns - 50
        return {
            "font": "Helvetica, Arial, sans-serif",
            "background": None,
            "aria": False,
            "view": {"stroke": None},
            "axis": {**axis, **labels, **titles, "gridOpacity": 0.2, "domain": False, "tickColor": GREY},
            "header": {**dark, "labelFontSize": self.letters + 1, "labelFontWeight": "bold", "labelLimit": longest, "title": None},
            "legend": {**dark, **letters, **legend},
            "title": {"color": DARK, "fontSize": self.letters + 1, "anchor": "start", "limit": longest},
        }


_BROAD_WIDTH: Final = 1000
BROAD: Final = ChartSize(_BROAD_WIDTH, letters=13, forests=2, lines=3, histograms=2)
SLIM: Final = ChartSize(400, letters=12, forests=1, lines=1, histograms=1)
"""The sizes of a chart: on a page of usual width and in a file, and on a phone."""


def figure_of(name: str, caption: str, description: str, make: Callable[[ChartSize], Spec]) -> Figure:
    """Return a chart in both sizes with the common settings; `description` is a sentence on its content."""

    def sized(size: ChartSize) -> Spec:
        whole = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **_visible({"description": description, **make(size)})}
        return {**whole, "config": size.config}

    return Figure(f"{name}-chart", caption, sized(BROAD), sized(SLIM))


def _visible(content: Any) -> Any:
    """Return a spec without control characters and Unicode line ends in its texts, which pictures cannot contain."""
    if isinstance(content, str):
        return visible(content).translate(_LINE_ENDS)
    if isinstance(content, dict):
        return {name: _visible(value) for name, value in content.items()}
    return [_visible(value) for value in content] if isinstance(content, list) else content


def numbers_axis(field: str, title: str | None, **more: Any) -> Spec:
    """Return an axis of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def dots(size: int, encoding: Spec) -> Spec:
    """Return a layer of filled marks."""
    return {"mark": {"type": "point", "filled": True, "size": size, "opacity": 1}, "encoding": encoding}


def where_known(rows: Sequence[Spec], field: str, mark: Spec, encoding: Spec, *transforms: Spec) -> list[Spec]:
    """Return a layer of the rows that have a field; empty if no row has it."""
    layer = {"mark": mark, "transform": [{"filter": f"datum.{field} != null"}, *transforms], "encoding": encoding}
    return [layer] if any(row[field] is not None for row in rows) else []


def looks_by(field: str, domain: Sequence[str], colours: Sequence[str], shapes: Sequence[str], **more: Any) -> Spec:
    """Return colour and shape by a field: those at the position of each value, repeated from the first if they run out."""
    ranges = {name: [of[number % len(of)] for number in range(len(domain))] for name, of in (("color", colours), ("shape", shapes))}
    scales = {name: {"domain": list(domain), "range": of} for name, of in ranges.items()}
    return {name: {"field": field, "type": "nominal", "scale": scale, **more} for name, scale in scales.items()}


def left_text(number: int, rest: str) -> str:
    """Return a sentence on what a chart leaves out; empty if nothing."""
    return f" {number} more {rest}." if number > 0 else ""


LINES_HEIGHT: Final = 190
NUMBERS_SPACE, BETWEEN_PANELS = 50, 24
"""The space for the numbers of an axis, and the gap between panels, in pixels."""
MOST_BANDS: Final = 4
"""With more models, bands would hide each other."""


def lines_panel(
    rows: Sequence[Spec],
    x: Spec,
    looks: Spec,
    bands: bool,
    width: int,
    height: int,
    scale: Spec | None = None,
    room: float = 0,
    title: str | None = None,
) -> Spec:
    """Return a line for each model with a mark at each value, above bands of intervals if wanted; `scale` is one for several panels.

    The numbers of the axis have `room` in pixels, so that panels are aligned with others. `title` is that of the vertical axis.
    """
    n_ticks = 5 if height > 60 else 2
    y = numbers_axis(
        "value",
        title,
        scale=scale or scale_of(rows, ("value", "low", "high"), n_ticks),
        axis={"tickCount": n_ticks, **({"minExtent": room} if room else {})},
    )
    area = {"y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": looks["color"]}
    layers = [
        *(where_known(rows, "low", {"type": "area", "opacity": 0.15}, area) if bands else []),
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"y": y, "color": looks["color"]}},
        dots(45, {"y": y, **looks}),
    ]
    return {"width": width, "height": height, "data": {"values": list(rows)}, "encoding": {"x": x}, "layer": layers}
