"""A difference as a share of the base value, with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Final

from msgspec import Struct

from ..sums.exact import rounded
from .confidence import claimed_t
from .paired import PairedSums
from .special import t_at

_MOST_STEPS: Final = 100
_SPREADLESS: Final = 1e-200
"""Smaller sums of squares, in units of the squared mean of the base, come from rounding."""


class Relative(Struct, frozen=True):
    """The difference as a share of the base value; the ends of its interval are `None` if the base value may be 0."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, difference: float, base_value: float) -> Relative | None:
        """The share alone; `None` unless the base value is above 0."""
        return cls(difference / base_value) if base_value > 0 else None


def relative_difference(sums: PairedSums, alpha: float) -> Relative | None:
    """The difference of means as a share of the mean of the base, with its interval (Fieller, 1954), corrected for skewness.

    θ is in the interval if the mean of d - θ·a does not differ from 0 at level `alpha`, by the test that the difference itself has.

    Edge cases: `None` unless the base value is above 0. No ends where the base value itself does not differ from 0, nor for one user.
    """
    if sums.n == 0 or sums.base <= 0:
        return None
    share = sums.difference() / sums.base
    if sums.n == 1:
        return Relative(rounded(share))
    quantile, shares = t_at(1 - alpha / 2, sums.n - 1), _Shares.of(sums, share)
    step = shares.step(quantile)
    low, high = (_crossing(partial(shares.t, sign), quantile, step) for sign in (-1, 1))
    if low is None or high is None:
        return Relative(rounded(share))
    return Relative(rounded(share), rounded(share) - low, rounded(share) + high)


class _Shares(Struct, frozen=True):
    """Sums around their means of powers of a and of e = d - θ·a, where θ is the relative difference, so that the mean of e is 0."""

    n: int
    is_sparse: bool
    mean: float
    ee: float
    ea: float
    aa: float
    eee: float
    eea: float
    eaa: float
    aaa: float

    @classmethod
    def of(cls, sums: PairedSums, share: Fraction) -> _Shares:
        """The sums for θ = `share`, in units of about the mean of a."""
        mean, factor = sums.base / sums.n, 1 + share
        unit = Fraction(2) ** -math.frexp(rounded(mean))[1]
        aaa, daa, dda = sums.base_cubes, sums.difference_base_squares, sums.difference_squares_base
        ee = sums.difference_squares(factor)
        ea = (sums.model_squares - sums.base_squares - sums.difference_squares()) / 2 - share * sums.base_squares
        if ee <= sums.rounding(factor):
            ee = Fraction(0)
        eaa, eea = daa - share * aaa, dda - 2 * share * daa + share * share * aaa
        squares = (ee, ea, sums.base_squares - sums.n * mean**2)
        third = aaa - 3 * mean * sums.base_squares + 2 * sums.n * mean**3
        cubes = (sums.difference_cubes(factor), eea - mean * ee, eaa - 2 * mean * ea, third)
        in_units = (mean * unit, *(square * unit**2 for square in squares), *(cube * unit**3 for cube in cubes))
        return cls(sums.n, sums.is_sparse, *map(rounded, in_units))

    def t(self, sign: int, size: float) -> float:
        """How far, in t, the mean of e - `sign`·`size`·a is from 0 on the side of minus the `sign`."""
        beyond = sign * size
        squares = self.ee - 2 * beyond * self.ea + beyond**2 * self.aa
        if squares <= _SPREADLESS:
            return math.inf
        cubes = self.eee - 3 * beyond * self.eea + 3 * beyond**2 * self.eaa - beyond**3 * self.aaa
        skewness = max(-1.0, min(1.0, cubes / squares**1.5))
        t = size * self.mean / math.sqrt(squares / (self.n * (self.n - 1)))
        return claimed_t(t, -sign * skewness, cautious=self.is_sparse)

    def step(self, quantile: float) -> float:
        """About how far the ends of the interval are from the relative difference."""
        return quantile * math.sqrt(self.ee / (self.n * (self.n - 1))) / self.mean


def _crossing(increasing: Callable[[float], float], level: float, step: float) -> float | None:
    """Where a function of numbers above 0 reaches a `level`, looked for from `step` on; `None` if it never does. 0 without any step."""
    if step == 0:
        return 0.0
    low, high, steps = 0.0, step, 0
    while not increasing(high) > level:
        low, high, steps = high, 2 * high, steps + 1
        if steps > _MOST_STEPS:
            return None
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if increasing(middle) > level else (middle, high)
    return high
