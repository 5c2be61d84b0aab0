"""Choose the values that share a scale: a distant value would squeeze the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

_EMPTY: Final = 2 / 3
"""The largest share of a scale that may be an empty gap between models."""
_SPACE: Final = 0.05
"""The space on each side of a value that is alone on its scale, as a share of the value."""


def ends_of(*numbers: float | None) -> tuple[float, float]:
    """Return the smallest and the largest of the known numbers."""
    known = [number for number in numbers if number is not None]
    return min(known), max(known)


def scale_of(rows: Sequence[Mapping[str, Any]], fields: Sequence[str], nice: bool | int = True) -> dict[str, Any]:
    """Return a scale of fields that need not start at 0; a single value has space on both sides, so that its axis has several ticks."""
    low, high = ends_of(*(row[field] for row in rows for field in fields))
    space = _SPACE * (abs(low) or 1.0)
    around = {"domain": [low - space, high + space]} if low == high else {}
    return {"zero": False, "nice": nice, **around}


def nearby(ranges: Sequence[tuple[float, float]], around: tuple[float, float] | None = None) -> frozenset[int]:
    """Return the positions of the ranges that share a scale: all, unless an empty gap would take more than two thirds of it.

    Then they are those on the side of the gap with more of them (the upper side if equal), or on the side of `around`. A single range is
    never apart without `around`, because there is nothing to compare it with.
    """
    everything = frozenset(range(len(ranges)))
    ends = sorted((*ranges, *([around] if around is not None else [])))
    gap, lower, reached = 0.0, 0.0, -math.inf
    for low, high in ends:
        if low - reached > gap and math.isfinite(reached):
            gap, lower = low - reached, reached
        reached = max(reached, high)
    if not ends or gap <= _EMPTY * (reached - ends[0][0]):
        return everything
    below = frozenset(place for place, (_, high) in enumerate(ranges) if high <= lower)
    above = everything - below
    if around is not None:
        return (below if around[1] <= lower else above) or everything
    near = below if len(below) > len(above) else above
    return near if len(near) > 1 else everything
