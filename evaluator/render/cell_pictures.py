"""Dots with whiskers, small enough for a cell of a page: SVG with presentation attributes, readable without styles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ..content.figures import BLUE, GREY, VERDICT_COLOURS, VERDICT_SHAPES
from ..document import Interval

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
    def over(cls, drawn: Iterable[Interval], *more: float) -> CellScale:
        """Return the scale from the least to the greatest number of some intervals, and of `more` numbers."""
        numbers = [*more, *(number for one in drawn for number in (one.value, one.low, one.high) if number is not None)]
        return cls(min(numbers), max(numbers)) if numbers else cls(0.0, 0.0)

    def at(self, number: float) -> int:
        """Return how far from the left a number stands; in the middle if the scale has no extent."""
        share = 0.5 if self.high <= self.low else (number - self.low) / (self.high - self.low)
        return round(_EDGE + min(max(share, 0.0), 1.0) * (_WIDTH - 2 * _EDGE))


def dot(drawn: Interval, scale: CellScale) -> str:
    """Return a value with its interval; hollow for a reference list."""
    if drawn.value is None:
        return ""
    return _picture(_whisker(scale, drawn), _mark("yardstick" if drawn.hollow else "dot", scale.at(drawn.value)))


def forest(drawn: Interval) -> str:
    """Return a difference with its interval, the margin as a band and a line at 0; its shape and colour say the verdict."""
    if drawn.value is None:
        return ""
    margin = drawn.margin
    scale = CellScale.over([drawn], 0.0, *(() if margin is None else (margin, -margin)))
    mark = drawn.mark if drawn.mark in VERDICT_SHAPES else "other"
    parts = (_band(scale, margin), _mark("zero", scale.at(0.0)), _whisker(scale, drawn), _mark(mark, scale.at(drawn.value)))
    return _picture(*parts, colour=VERDICT_COLOURS.get(drawn.mark, GREY))


def marks() -> str:
    """Return the marks that the cells of a page refer to, drawn once: a picture of no size."""
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


def _band(scale: CellScale, margin: float | None) -> str:
    if margin is None:
        return ""
    left, right = scale.at(-margin), scale.at(margin)
    return f'<path d="M{left} 0h{right - left}v{_HEIGHT}h{left - right}z" fill="{GREY}" opacity=".25"/>'


def _whisker(scale: CellScale, drawn: Interval) -> str:
    if drawn.low is None or drawn.high is None:
        return ""
    left, right = scale.at(drawn.low), scale.at(drawn.high)
    return f'<path d="M{left} {_MIDDLE - 1}h{right - left}v2h{left - right}z"/>' if right > left else ""


def _mark(name: str, x: int) -> str:
    return f'<use href="#{_ID}{name}" x="{x}"/>'
