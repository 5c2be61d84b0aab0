"""How much a repeated test does: little each time, all of it before a release (`RECEVAL_FULL=1 pytest`, which `.ci/release` calls).

Draws, products of kinds and inputs, and worlds are chosen in the same way each time. Tests with the mark `release` are left out; CI
runs them by `pytest -m release`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
from typing import Any, Final

import pytest

FULL: Final = bool(os.environ.get("RECEVAL_FULL"))


def draws(few: int, many: int) -> int:
    """Return how many random worlds, draws or steps a test tries."""
    return many if FULL else few


def some(values: Iterable[Any], n: int) -> list[Any]:
    """Return `n` of the values, spread over their order with the first and the last; before a release all."""
    every = list(values)
    if FULL or n >= len(every):
        return every
    return [every[round(place * (len(every) - 1) / max(1, n - 1))] for place in range(n)]


def half(values: Iterable[Any], first: int = 0) -> list[Any]:
    """Return the values as rows of a test, of which every second one, from the other than `first` on, is left to a release."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=[pytest.mark.release] * (place % 2 != first)) for place, row in enumerate(rows)]


def each_once(*kinds: Iterable[Any], turned: int = 0) -> list[tuple[Any, ...]]:
    """Return combinations with every value of each kind, as many as the longest kind has; before a release their product.

    Kinds of the same values meet in different ones. `turned` moves each kind after the first by so many places, so that others meet.
    """
    lists = [list(kind) for kind in kinds]
    if FULL:
        return list(product(*lists))

    def value(values: list[Any], row: int, place: int) -> Any:
        return values[(row + place * (1 + turned + row // len(values))) % len(values)]

    return [tuple(value(values, row, place) for place, values in enumerate(lists)) for row in range(max(map(len, lists)))]
