"""Merged sums and per-user values → one number per measure and aggregate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Final

from ..exact_sums.exact import round_fraction
from ..support.lazy import np, pl
from ..syntax.short_names import SMALLEST_FACTOR, interval_level
from .partial import Moments


def percentile(values: Sequence[float], q: float) -> float:
    """Return the value below which q % of `values` lie.

    Sort the n values in ascending order and take the one at position (n - 1)·q/100, counted from 0; between two positions interpolate
    linearly, as numpy does (type 7 of Hyndman & Fan, 1996).

    Edge cases: a single value is returned as it is. `ValueError` if there are no values, or if q is not between 0 and 100.
    """
    import numpy as np

    if len(values) == 0:
        raise ValueError("no percentile is defined for zero values")
    if not 0 <= q <= 100:
        raise ValueError(f"a percentile must be between 0 and 100, not {q}")
    return float(np.percentile(np.asarray(values, dtype=np.float64), q))


def bootstrap(values: Sequence[float], resamples: int = 1000, level: float = 0.95, seed: int = 0) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean (Efron, 1979).

    A resample draws n of the n values with replacement; the interval goes from the 50·(1 - level) to the 50·(1 + level) percentile of the
    means of all resamples. The draws depend on `seed` and n only, by a generator whose numbers numpy promises never to change
    (`RandomState`), and the values are sorted first: the same values in any order give the same interval on every machine. Time is
    proportional to n·resamples, memory to n.

    Edge cases: if all values are equal, or there is only one, both ends are that value. `ValueError` if there are no values, fewer than one
    resample, or a level that is not between 0 and 1.
    """
    import numpy as np

    if len(values) == 0:
        raise ValueError("no interval is defined for zero values")
    if resamples < 1:
        raise ValueError(f"a bootstrap needs at least one resample, not {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval must be between 0 and 1, not {level}")
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if ordered[0] == ordered[-1]:
        return float(ordered[0]), float(ordered[0])
    random = np.random.RandomState(seed)
    means = [ordered[random.randint(n, size=n, dtype=np.int32)].sum() / n for _ in range(resamples)]
    low, high = np.percentile(means, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def needs_values(aggregate: str) -> bool:
    """Return whether an aggregate needs the values of all users: median, percentiles (`p90`) and bootstrap do; others need sums only."""
    return aggregate in ("median", "bootstrap95") or (aggregate.startswith("p") and aggregate[1:2].isdigit())


def compute_aggregate(
    aggregate: str, moments: Moments, *, divisor: int | None = None, ddof: int = 0, values: np.typing.NDArray[np.float64] | None = None
) -> dict[str, float | None]:
    """Compute an aggregate of one measure: its printed name and number; for `bootstrap95` two, the ends of the interval.

    - `mean`: Σv / `divisor`, by default the number of users that count; `sum`: Σv
    - `std`: √((Σv² - (Σv)²/n) / (n - `ddof`)); `ci95`, `ci99`, `ci(0.9)`: the half-width of the normal interval of the mean at that level
      L, z·std/√n with `ddof` 1 and z the (1 + L)/2 quantile of N(0, 1): 1.96 for `ci95`
    - `geometric`: exp(Σ ln max(v, 0.00001) / n)
    - `median`, `pN` and `bootstrap95`: from the `values` of the users that count, in any order

    Sums are exact and rounded once, so the numbers depend on the values only, not on how users were split or ordered.

    Edge cases: `None` if no user counts, if the value of a user is undefined (NaN), or if the result is undefined: the mean of infinite
    values of both signs, `std` of no more users than `ddof`, an interval of one user. `ValueError` if the aggregate is unknown or its input
    is missing.
    """
    names = ("bootstrap95 low", "bootstrap95 high") if aggregate == "bootstrap95" else (aggregate,)
    level = interval_level(aggregate)
    if aggregate not in _OF_MOMENTS and level is None and not needs_values(aggregate):
        raise ValueError(f"{aggregate} is not an aggregate of per-user values")
    if moments.n == 0 or moments.n_undefined:
        return dict.fromkeys(names)
    if needs_values(aggregate):
        numbers = _value_aggregates(aggregate, values)
    elif level is not None:
        numbers = (_half_width(moments, float((1 + level) / 2)),)
    else:
        numbers = (_OF_MOMENTS[aggregate](moments, moments.n if divisor is None else divisor, ddof),)
    return {name: None if math.isnan(number) else number for name, number in zip(names, numbers, strict=True)}


def micro(
    numerators: Sequence[float], denominators: Sequence[float], n_users: int, combine: Callable[[Sequence[float]], float]
) -> dict[str, float | None]:
    """Pool a measure over users: the ratio of sums, not the mean of ratios.

    `numerators` and `denominators` are sums over users, one for each ratio in the measure; `combine` computes the measure from the pooled
    ratios (if the measure is a single ratio, it returns that ratio).

    Edge cases: a ratio whose denominator is not above 0 is 0. `None` if `n_users` is 0 or the result is undefined (NaN).
    """
    ratios = [above / below if below > 0 else 0.0 for above, below in zip(numerators, denominators, strict=True)]
    number = combine(ratios) if n_users else math.nan
    return {"micro": None if math.isnan(number) else number}


def weighted_mean(above: float, below: float, moments: Moments) -> dict[str, float | None]:
    """Return the mean weighted by user: `above` is the sum of weights times values, `below` that of weights.

    Edge cases: `None` if no user counts, if the value of a user is undefined, or if all weights are 0.
    """
    return {"weighted": above / below if moments.n and not moments.n_undefined and below > 0 else None}


def _value_aggregates(aggregate: str, values: np.typing.NDArray[np.float64] | None) -> tuple[float, ...]:
    if values is None:
        raise ValueError(f"{aggregate} needs per-user values")
    if aggregate == "bootstrap95":
        return bootstrap(values.tolist())
    if aggregate == "median":
        median = pl.Series(values).median()
        assert isinstance(median, float)
        return (median,)
    return (percentile(values.tolist(), float(aggregate[1:])),)


def _mean(moments: Moments, divisor: int, ddof: int) -> float:
    return _infinity(moments) + round_fraction(moments.total, divisor)


def _sum(moments: Moments, divisor: int, ddof: int) -> float:
    return _infinity(moments) + round_fraction(moments.total)


def _std(moments: Moments, divisor: int, ddof: int) -> float:
    if moments.squares is None:
        raise ValueError("a standard deviation needs the sum of squares")
    if moments.n <= ddof or _infinity(moments) != 0:
        return math.nan
    return _root((moments.squares - moments.total**2 / moments.n) / (moments.n - ddof))


def _root(number: Fraction) -> float:
    """Return the square root of a number, also of a number above the largest float."""
    square = round_fraction(number)
    return math.sqrt(square) if math.isfinite(square) else math.sqrt(round_fraction(number / _SCALE**2)) * _SCALE


def _half_width(moments: Moments, quantile: float) -> float:
    return NormalDist().inv_cdf(quantile) * _std(moments, moments.n, ddof=1) / math.sqrt(moments.n)


def _geometric(moments: Moments, divisor: int, ddof: int) -> float:
    if moments.logarithms is None:
        raise ValueError("a geometric mean needs the sum of logarithms")
    if moments.n_positive_infinite:
        return math.inf
    total = round_fraction(moments.logarithms) + moments.n_negative_infinite * math.log(SMALLEST_FACTOR)
    return math.exp(total / moments.n)


def _infinity(moments: Moments) -> float:
    """Return what infinite values add to a sum: 0 if there are none, ±infinity, or NaN if there are some of both signs."""
    positive = math.inf if moments.n_positive_infinite else 0.0
    return positive - (math.inf if moments.n_negative_infinite else 0.0)


_SCALE: Final = 2**520
_OF_MOMENTS: Final[Mapping[str, Callable[[Moments, int, int], float]]] = {
    "mean": _mean,
    "sum": _sum,
    "std": _std,
    "geometric": _geometric,
}
