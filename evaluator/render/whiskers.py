"""Intervals drawn by hand as SVG: in the cells of tables, and as the basic charts of pages without the extra for charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from markupsafe import escape
from msgspec import Struct

from ..documents import document as doc
from ..documents.chart_parts import BLUE, GREY
from ..documents.figures import VERDICT_COLOURS, VERDICT_SHAPES
from ..documents.scales import nearby
from ..support.quoting import visible

_WIDTH, _HEIGHT, _EDGE = 96, 12, 4
"""The size of the picture of a cell, and its left and right margin."""
_MIDDLE: Final = _HEIGHT // 2
_HOLLOW: Final = f'fill="#fff" stroke="{GREY}" stroke-width="1.5"'
SHAPES: Final = {
    "dot": f'<circle cy="{_MIDDLE}" r="3.5" fill="{BLUE}"/>',
    "yardstick": f'<circle cy="{_MIDDLE}" r="3.5" {_HOLLOW}/>',
    "better": f'<circle cy="{_MIDDLE}" r="3.5"/>',
    "worse": '<path d="M-4 3h8l-4 7z"/>',
    "inconclusive": f'<path d="M0 2l4 4l-4 4l-4-4z" {_HOLLOW}/>',
    "other": '<path d="M-3 3h6v6h-6z"/>',
    "left": f'<path d="M0 {_MIDDLE}l7-4v8z"/>',
    "right": f'<path d="M{_WIDTH} {_MIDDLE}l-7-4v8z"/>',
    "zero": f'<path d="M0 0v{_HEIGHT}" stroke="{GREY}" stroke-dasharray="2"/>',
}
"""The marks to which the cells of a page refer; they are drawn once, in a picture of size 0."""


class Scale(Struct, frozen=True):
    """The numbers at the left and the right end of the picture of a cell."""

    low: float
    high: float

    @classmethod
    def near(cls, drawn: Iterable[doc.Interval | None]) -> Scale:
        """Return the scale of some intervals, without those so far away that the others would look alike."""
        known = [interval for interval in drawn if interval is not None and interval.value is not None]
        ends = [(min(interval.ends), max(interval.ends)) for interval in known]
        close = nearby(ends)
        return cls.over(interval for place, interval in enumerate(known) if place in close)

    @classmethod
    def over(cls, drawn: Iterable[doc.Interval | None], *more: float) -> Scale:
        """Return the scale from the smallest to the largest number of some intervals and of `more` numbers."""
        known = ((interval.value, interval.low, interval.high) for interval in drawn if interval is not None)
        numbers = [*more, *(number for ends in known for number in ends if number is not None)]
        return cls(min(numbers), max(numbers)) if numbers else cls(0.0, 0.0)

    def has(self, drawn: doc.Interval) -> bool:
        """Return whether the value of an interval is on the scale."""
        return drawn.value is not None and self.low <= drawn.value <= self.high

    def at(self, number: float, width: int = _WIDTH) -> int:
        """Return the distance of a number from the left of a picture; the middle if the scale has no extent."""
        share = 0.5 if self.high <= self.low else (number - self.low) / (self.high - self.low)
        return round(_EDGE + min(max(share, 0.0), 1.0) * (width - 2 * _EDGE))


def picture(drawn: doc.Interval, scale: Scale, is_difference: bool) -> str:
    """Return a value with its interval in SVG with presentation attributes; hollow for a reference list.

    A difference has a separate scale, the margin as a band and a line at 0; its shape and colour show the verdict.
    """
    if drawn.value is None:
        return ""
    parts = []
    if is_difference:
        scale = Scale.over([drawn], 0.0, *_margins(drawn))
        parts = [f'<use href="#m-zero" x="{scale.at(0.0)}"/>']
    colour, marks = _marks(drawn, scale, is_difference, _WIDTH)
    band, others = (marks[:1], marks[1:]) if is_difference and drawn.margin is not None else ([], marks)
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" fill="{colour}">{"".join((*band, *parts, *others))}</svg>'


def _margins(drawn: doc.Interval) -> tuple[float, ...]:
    return () if drawn.margin is None else (-drawn.margin, drawn.margin)


def _marks(drawn: doc.Interval, scale: Scale, is_difference: bool, width: int) -> tuple[str, list[str]]:
    """Return the colour and the parts of an interval: its margin as a band, its extent, and the mark of its value."""
    value = 0.0 if drawn.value is None else drawn.value
    if not is_difference and not scale.has(drawn):
        at = f' x="{width - _WIDTH}"' if value > scale.high and width > _WIDTH else ""
        return GREY, [f'<use href="#m-{"left" if value < scale.low else "right"}"{at}/>']
    mark, colour, parts = "yardstick" if drawn.hollow else "dot", GREY, []
    if is_difference:
        mark, colour = drawn.mark if drawn.mark in VERDICT_SHAPES else "other", VERDICT_COLOURS.get(drawn.mark, GREY)
        if drawn.margin is not None:
            left, right = (scale.at(end, width) for end in _margins(drawn))
            parts.append(f'<path d="M{left} 0h{right - left}v{_HEIGHT}h{left - right}z" fill="{GREY}" opacity=".25"/>')
    if drawn.low is not None and drawn.high is not None:
        left, right = scale.at(drawn.low, width), scale.at(drawn.high, width)
        parts += [f'<path d="M{left} {_MIDDLE - 1}h{right - left}v2h{left - right}z"/>'] if right > left else []
    return colour, [*parts, f'<use href="#m-{mark}" x="{scale.at(value, width)}"/>']


class _Size(Struct, frozen=True):
    """The size of a chart in pixels, of its letters, and the number of panels side by side."""

    width: int
    letters: int
    columns: int

    def room(self, texts: Iterable[str]) -> int:
        """Return the width of the longest text with a gap."""
        return round(0.6 * self.letters * max(map(len, texts), default=0)) + 10


_SIZES: Final = {"broad": _Size(1000, 13, 2), "slim": _Size(400, 12, 1)}
_ROW, _TITLE, _AXIS, _BETWEEN = 22, 24, 22, 36
"""The height of a row, of a title and of the ends of a scale, and the gap between panels."""


def chart(panels: Sequence[doc.Panel], title: str, size: str) -> str:
    """Return panels as SVG, with the numbers as its description; `size` is broad or slim."""
    of = _SIZES[size]
    columns = min(of.columns, len(panels))
    width = (of.width - (of.columns - 1) * _BETWEEN) // of.columns
    rows = [row for panel in panels for row in panel.rows]
    names = min(of.room(name for name, _ in rows), 2 * width // 5)
    texts = of.room(_number(cell) for _, cell in rows)
    drawn, top = [], 0
    for start in range(0, len(panels), columns):
        beside = panels[start : start + columns]
        for place, panel in enumerate(beside):
            drawn.append(f'<g transform="translate({place * (width + _BETWEEN)},{top})">{_panel(panel, names, width, texts, of)}</g>')
        top += _TITLE + _AXIS + _ROW * max(len(panel.rows) for panel in beside)
    said = " ".join(f"{panel.title}: {'; '.join(_said(name, cell) for name, cell in panel.rows)}." for panel in panels)
    about = f"<title>{safe(title)}</title><desc>{safe(said)}</desc>"
    return f'<svg role="img" viewBox="0 0 {of.width} {top}" font-size="{of.letters}">{about}{"".join(drawn)}</svg>'


def _panel(panel: doc.Panel, names: int, width: int, texts: int, size: _Size) -> str:
    """Return a title, and below it rows with their name, interval and number, and the ends of their scale."""
    intervals = [cell.drawn for _, cell in panel.rows if cell.drawn is not None]
    around = (0.0, *(end for interval in intervals for end in _margins(interval))) if panel.with_zero else ()
    scale = Scale.over(intervals, *around) if panel.with_zero else Scale.near(intervals)
    room, below = width - names - texts, _TITLE + _ROW * len(panel.rows)
    parts = [f'<text y="15" font-weight="bold">{safe(panel.title)}</text>']
    if panel.with_zero:
        zero = names + scale.at(0.0, room)
        parts.append(f'<path d="M{zero} {_TITLE}V{below}" stroke="{GREY}" stroke-dasharray="3"/>')
    for number, (name, cell) in enumerate(panel.rows):
        base = _TITLE + _ROW * number + 15
        most = int((names - 8) / (0.6 * size.letters))
        parts.append(f'<text y="{base}">{safe(name if len(name) <= most else f"{name[: most - 1]}…")}</text>')
        parts.append(f'<text x="{width}" y="{base}" text-anchor="end">{safe(_number(cell))}</text>')
        if cell.drawn is not None and cell.drawn.value is not None:
            colour, marks = _marks(cell.drawn, scale, panel.with_zero, room)
            parts.append(f'<g transform="translate({names},{base - 5 - _MIDDLE})" fill="{colour}">{"".join(marks)}</g>')
    line = f'<path d="M{names + _EDGE} {below + 2}h{room - 2 * _EDGE}" stroke="{GREY}"/>'
    ends = (
        f'<text x="{names + scale.at(end, room)}" y="{below + 15}" font-size="{size.letters - 2}" text-anchor="{anchor}">{_end(end)}</text>'
        for end, anchor in ((scale.low, "start"), (scale.high, "end"))
    )
    return "".join((*parts, line, *(ends if scale.low < scale.high else ())))


def _number(cell: doc.Cell) -> str:
    return f"{cell.text} ± {cell.spread}" if cell.spread else cell.text


def _said(name: str, cell: doc.Cell) -> str:
    return f"{name} {_number(cell)}{f' ({cell.note})' if cell.note else ''}"


def _end(number: float) -> str:
    """Return the end of a scale in three digits."""
    return f"{number:#.3g}".replace("-", "−") if number else "0"


def safe(text: str) -> str:
    """Return text as HTML: it contains no elements, and control characters are visible."""
    return str(escape(visible(text)))
