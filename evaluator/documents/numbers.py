"""Format numbers for people, with as many decimals as the values of one measure need."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, isfinite, log10
from typing import Final

from ..stats.concluding import users_text

_USUAL, _MOST = 4, 8
"""Usual number of decimals, and the largest one, for small values."""
_LARGE: Final = 1e15
_DIGITS: Final = 5
"""Number of digits of a value with several digits before the point: 170.23."""
_SMALL: Final = 0.01
"""If all values are below, they have enough decimals that different ones look different."""


def decimals(values: Iterable[float | None], whole: bool = False) -> int:
    """Return the number of decimals of the values of one measure.

    Four, or fewer for large numbers (five digits in all), and none for counts that are all `whole`. More if the largest value would have
    one digit, or the smallest would look like 0 (up to five digits of the largest), and, if all are below 0.01, if different values
    would look alike (up to four digits).
    """
    sizes = {float(abs(value)) for value in values if value and isfinite(value)}
    if whole and all(size.is_integer() for size in sizes):
        return 0
    if not sizes:
        return _USUAL
    first, last = (floor(log10(size)) for size in (max(sizes), min(sizes)))  # the powers of ten: 0 for 1 to 9.99, -3 for 0.0016
    needed = max(min(max(_DIGITS - 1 - first, 0), _USUAL), 1 - first, -last if last - first > -_DIGITS else 0)
    if max(sizes) < _SMALL:
        while needed < 3 - first and len({f"{size:.{needed}f}" for size in sizes}) < len(sizes):
            needed += 1
    return min(needed, _MOST)


def number(value: float | None, places: int, rounded: bool = False) -> str:
    """Return a value with `places` decimals and thousands separators.

    Values that are too large, or that would look like 0 (unless they may be `rounded`), are written with a power of ten.
    """
    if value is None:
        return ""
    shown = f"{value:,.{places}f}"
    is_zero = not shown.strip("-0.,")
    if abs(value) >= _LARGE:
        return f"{value:.3e}"
    if value and is_zero and not rounded:
        return f"{value:.0e}"
    return shown.removeprefix("-") if is_zero else shown


def users_of_folds(distinct: Iterable[int], n_folds: int, counts: Iterable[int]) -> str:
    """Return the numbers of users in folds, each once, and as `counts` added up over folds: `900 users in 5 folds (1,000 over all folds)`.

    If the number of distinct users is not known: `1,000 users over 5 folds`.
    """
    once, added = users_range(distinct), users_range(counts)
    if not once:
        return f"{added} over {n_folds} folds" if added else ""
    again = f" ({added.removesuffix(' users')} over all folds)" if added not in ("", once) else ""
    return f"{once} in {n_folds} folds{again}"


def users_range(counts: Iterable[int]) -> str:
    """Return the range of numbers of users: `350 users`, `340 to 350 users`; empty without any."""
    ends = sorted(set(counts))
    return f"{ends[0]:,} to {ends[-1]:,} users" if len(ends) > 1 else users_text(ends[0]) if ends else ""
