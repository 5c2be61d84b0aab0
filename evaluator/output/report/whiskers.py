"""Dots with whiskers, small enough for a cell of a table: SVG with presentation attributes, readable without styles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..charts.style import BLUE, GREY, VERDICT_COLOURS

_WIDTH: Final = 96
_HEIGHT: Final = 12
_EDGE: Final = 4
_MIDDLE: Final = _HEIGHT // 2


@dataclass(frozen=True)
class CellScale:
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
    return _picture(_whisker(scale, low, high, GREY), _circle(scale.at(value), BLUE, hollow))


def forest(scale: CellScale, value: float | None, low: float | None, high: float | None, margin: float | None, verdict: str) -> str:
    """A difference with its interval, the margin as a band and a line at 0; its shape and colour say the verdict."""
    if value is None:
        return ""
    band = ""
    if margin is not None:
        left, right = scale.at(-margin), scale.at(margin)
        band = f'<path d="M{left} 0h{right - left}v{_HEIGHT}h{left - right}z" fill="{GREY}" fill-opacity=".25"/>'
    zero = f'<path d="M{scale.at(0.0)} 0v{_HEIGHT}" stroke="{GREY}" stroke-dasharray="2"/>'
    colour, x = VERDICT_COLOURS.get(verdict, GREY), scale.at(value)
    return _picture(band, zero, _whisker(scale, low, high, colour), _shape(x, colour, verdict))


def _picture(*parts: str) -> str:
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}">{"".join(parts)}</svg>'


def _whisker(scale: CellScale, low: float | None, high: float | None, colour: str) -> str:
    if low is None or high is None:
        return ""
    left, right = scale.at(low), scale.at(high)
    return f'<path d="M{left} {_MIDDLE}h{right - left}" stroke="{colour}" stroke-width="2"/>' if right > left else ""


def _circle(x: int, colour: str, hollow: bool) -> str:
    return f'<circle cx="{x}" cy="{_MIDDLE}" r="3.5" {_filled(colour, hollow)}/>'


def _shape(x: int, colour: str, verdict: str) -> str:
    """A circle for better, a triangle that points down for worse, a hollow diamond for what cannot be told, a square for the others."""
    if verdict == "better":
        return _circle(x, colour, hollow=False)
    drawn = {"worse": f"M{x - 4} 3h8l-4 7z", "unknown": f"M{x} 2l4 4l-4 4l-4-4z"}.get(verdict, f"M{x - 3} 3h6v6h-6z")
    return f'<path d="{drawn}" {_filled(colour, verdict == "unknown")}/>'


def _filled(colour: str, hollow: bool) -> str:
    return f'fill="#fff" stroke="{colour}" stroke-width="1.5"' if hollow else f'fill="{colour}"'
