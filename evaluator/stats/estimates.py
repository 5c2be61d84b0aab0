"""A difference with what is known of its error, whatever it was computed from."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..sums.exact import ExactSums, rounded
from .confidence import Confidence, StudentT
from .paired import Floats, PairedSums
from .special import t_at

_SPREADLESS: Final = 1e-24
"""A variance that is a smaller share of the mean square comes from rounding."""

CONSTANT: Final = "The difference is the same for every user: there is no spread to judge it by."


class Estimate(Struct, frozen=True, eq=False):
    """The difference model - base of a measure; `confidence` is `None` where nothing is known of its error.

    `up` users have a higher value with the model, `down` a lower one. `p` and `statistic` are those of a test that does not follow from the
    confidence, such as that of ranks. `relative` is the difference as a share of the base value, with its interval. `sums` are those over
    paired users, where nothing else went into it. `units` are the independent units, such as clusters, where they are not the users.
    """

    n: int
    base_value: float | None
    value: float | None
    difference: float | None
    confidence: Confidence | None = None
    sd: float | None = None
    se: float | None = None
    df: float | None = None
    up: int | None = None
    down: int | None = None
    n_unpaired: int = 0
    statistic: float | None = None
    p: float | None = None
    relative: Relative | None = None
    test: str = "t"
    sums: PairedSums | None = None
    units: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_changed(self) -> int | None:
        """How many users have another value; `None` where users are not paired."""
        return None if self.up is None or self.down is None else self.up + self.down

    def with_t(self, se: float, df: float) -> Estimate:
        """The estimate with a standard error, judged by Student's t."""
        assert self.difference is not None
        statistic = self.difference / se if se else None
        return replace(self, se=se, df=df, statistic=statistic, confidence=StudentT(self.difference, se, df))


class Relative(Struct, frozen=True):
    """The difference as a share of the base value; the ends of its interval are `None` if the base value may be 0."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, difference: float, base_value: float) -> Relative | None:
        """The share alone; `None` unless the base value is above 0."""
        return cls(difference / base_value) if base_value > 0 else None


def paired_estimate(sums: PairedSums, alpha: float) -> Estimate:
    """The mean difference of paired users and Student's t (Student, 1908).

    Edge cases: of no users there is no difference, of one user no interval.
    """
    n, difference = sums.n, sums.difference()
    if n == 0:
        return Estimate(0, None, None, None, n_unpaired=sums.n_unpaired)
    a, b, d = rounded(sums.base / n), rounded(sums.model / n), rounded(difference / n)
    estimate = Estimate(n, a, b, d, up=sums.up, down=sums.down, n_unpaired=sums.n_unpaired)
    if n == 1:
        return replace(estimate, relative=Relative.of(d, a))
    sd = standard_deviation(difference, sums.difference_squares(), n)
    notes = (CONSTANT,) if sd == 0 and sums.n_changed else ()
    return replace(estimate.with_t(sd / math.sqrt(n), n - 1), sd=sd, relative=relative_difference(sums, alpha), notes=notes)


def relative_difference(sums: PairedSums, alpha: float) -> Relative | None:
    """The difference of means as a share of the mean of the base, with its interval (Fieller, 1954).

    θ is in the interval if the mean of d - θ·a does not differ from 0 at level `alpha`: the roots of a quadratic.

    Edge cases: `None` unless the base value is above 0. No ends where the base value itself does not differ from 0, nor for one user.
    """
    n, base = sums.n, sums.base
    if n == 0 or base <= 0:
        return None
    a, d = base / n, sums.difference() / n
    relative = Relative(rounded(d / a))
    if n == 1:
        return relative
    a_squares, d_squares = sums.base_squares, sums.difference_squares()
    products = (sums.model_squares - a_squares - d_squares) / 2
    t = Fraction(t_at(1 - alpha / 2, n - 1) ** 2 / (n * (n - 1)))
    aa = _beyond_error(a * a, a_squares, t, n)
    ad = _beyond_error(a * d, products, t, n)
    dd = _beyond_error(d * d, d_squares, t, n)
    if aa <= 0:
        return relative
    root = math.sqrt(max(0.0, ad**2 - aa * dd))
    return Relative(relative.value, (ad - root) / aa, (ad + root) / aa)


def _beyond_error(product: Fraction, sum_of_products: Fraction, t: Fraction, n: int) -> float:
    """The product of two means less `t` times the sum of products around them."""
    return float(product - t * (sum_of_products - n * product))


def standard_deviation(total: Fraction, squares: Fraction, n: int, rounding: Fraction = Fraction(0)) -> float:
    """√((Σd² - (Σd)²/n) / (n - 1)) of sums; 0 where what is left is rounding of the terms."""
    centred = squares - total * total / n
    return math.sqrt(rounded(centred / (n - 1))) if centred > max(rounding, Fraction(_SPREADLESS) * squares) else 0.0


def mean_and_deviation(values: Floats) -> tuple[float, float]:
    """The mean and the standard deviation of finite values, whatever their order; that of one value is 0."""
    row = values[np.newaxis]
    total, squares, n = ExactSums.of(row).fraction(0), ExactSums.of_squares(row).fraction(0), len(values)
    return rounded(total / n), standard_deviation(total, squares, n) if n > 1 else 0.0
