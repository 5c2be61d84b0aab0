"""Values as text for people, and lines of values as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..results.result import Row
from .blocks import Grid

_BESIDE: Final = 4
"""How many measures stand beside each other, so that a table fits a screen."""


def number(value: float | None) -> str:
    """A value for the eye: four decimals, or four significant digits where that would show nothing."""
    if value is None:
        return ""
    return f"{value:.4g}" if value != 0 and (abs(value) < 0.001 or abs(value) >= 10_000) else f"{value:.4f}"


def shown(row: Row | None) -> str:
    """The value of a row; a mean over folds or runs with its standard deviation."""
    if row is None:
        return ""
    std = row.repeats_std
    return number(row.value) + ("" if std is None else f" ± {std:.4f}" if std == 0 or std >= 0.00005 else f" ± {std:.0e}")


def grids(heads: tuple[str, ...], lines: Mapping[tuple[str, ...], Mapping[str, str]]) -> Iterator[Grid]:
    """Tables of `lines`, whose first cells, under `heads`, are their keys, and of whose values by label four stand beside each other."""
    labels = tuple(dict.fromkeys(label for values in lines.values() for label in values))
    for start in range(0, len(labels), _BESIDE):
        some = labels[start : start + _BESIDE]
        yield Grid((*heads, *some), tuple((*key, *(values.get(label, "") for label in some)) for key, values in lines.items()))
