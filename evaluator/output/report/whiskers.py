"""Dots with whiskers, small enough for a cell of a table: SVG with presentation attributes, readable without styles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ...content.charts.style import BLUE, GREY, VERDICT_COLOURS, VERDICT_SHAPES

_WIDTH: Final = 96
_HEIGHT: Final = 12
_EDGE: Final = 4
_ID: Final = "m-"
_MIDDLE: Final = _HEIGHT // 2


class CellScale(Struct, frozen=True):
    """The numbers at the left and the right end of a cell."""

    low: float
    high: float

    @classmethod
    def over(cls, numbers: Iterable[float | None]) -> CellScale:
        """The scale from the least to the greatest of some numbers."""
        known = [number for number in numbers if number is not None]
        return cls(min(known), max(known)) if known else cls(0.0, 0.0)

    def at(self, number: float) -> int:
        """How far from the left a number stands; in the middle if the scale has no extent."""
        share = 0.5 if self.high <= self.low else (number - self.low) / (self.high - self.low)
        return round(_EDGE + min(max(share, 0.0), 1.0) * (_WIDTH - 2 * _EDGE))


def dot(scale: CellScale, value: float | None, low: float | None, high: float | None, *, hollow: bool = False) -> str:
    """A value with its interval; hollow for a yardstick."""
    if value is None:
        return ""
    return _picture(_whisker(scale, low, high), _mark("yardstick" if hollow else "dot", scale.at(value)))


def forest(scale: CellScale, value: float | None, low: float | None, high: float | None, margin: float | None, verdict: str | None) -> str:
    """A difference with its interval, the margin as a band and a line at 0; its shape and colour say the verdict."""
    if value is None:
        return ""
    band = ""
    if margin is not None:
        left, right = scale.at(-margin), scale.at(margin)
        band = f'<path d="M{left} 0h{right - left}v{_HEIGHT}h{left - right}z" fill="{GREY}" opacity=".25"/>'
    mark = verdict if verdict in VERDICT_SHAPES else "other"
    colour = VERDICT_COLOURS.get(verdict or "", GREY)
    return _picture(band, _mark("zero", scale.at(0.0)), _whisker(scale, low, high), _mark(mark, scale.at(value)), colour=colour)


def marks() -> str:
    """The marks that the cells of a page refer to, drawn once: a picture of no size."""
    hollow = f'fill="#fff" stroke="{GREY}" stroke-width="1.5"'
    shapes = {
        "dot": f'<circle cy="{_MIDDLE}" r="3.5" fill="{BLUE}"/>',
        "yardstick": f'<circle cy="{_MIDDLE}" r="3.5" {hollow}/>',
        "better": f'<circle cy="{_MIDDLE}" r="3.5"/>',
        "worse": '<path d="M-4 3h8l-4 7z"/>',
        "inconclusive": f'<path d="M0 2l4 4l-4 4l-4-4z" {hollow}/>',
        "other": '<path d="M-3 3h6v6h-6z"/>',
        "zero": f'<path d="M0 0v{_HEIGHT}" stroke="{GREY}" stroke-dasharray="2"/>',
    }
    drawn = "".join(f'<g id="{_ID}{name}">{shape}</g>' for name, shape in shapes.items())
    return f'<svg width="0" height="0" aria-hidden="true"><defs>{drawn}</defs></svg>'


def _picture(*parts: str, colour: str = GREY) -> str:
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" fill="{colour}">{"".join(parts)}</svg>'


def _whisker(scale: CellScale, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    left, right = scale.at(low), scale.at(high)
    return f'<path d="M{left} {_MIDDLE - 1}h{right - left}v2h{left - right}z"/>' if right > left else ""


def _mark(name: str, x: int) -> str:
    return f'<use href="#{_ID}{name}" x="{x}"/>'
