"""Arithmetic on arrays of values that may be missing.

A missing value is NaN: such a user, or model, does not count. An undefined value is infinite (`UNDEFINED`), and so is a mean over it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from ..support.lazy import np
from ..tables.array import Array

NO_VALUE: Final = math.nan
UNDEFINED: Final = math.inf
_SHIFT: Final = 12
_TERMS: Final = 1 << 20
"""Most terms of a sum over ranks that are added one by one: lists are shorter, and a cut-off may be any number."""
_SERIES: Final = 200
"""Terms of a series in the logarithm of a cut-off of 64 bits, after which nothing changes."""
_EULER: Final = 0.577215664901532860606512090082


def where(condition: Any, then: Any, otherwise: Any) -> Array:
    """Return `then` where the condition is true, else `otherwise`."""
    return np.asarray(np.where(condition, then, otherwise))


def divide(numerator: Any, denominator: Any) -> Array:
    """Return `numerator / denominator`, and 0 where the denominator is 0."""
    return quotient(numerator, denominator, 0.0)


def divide_or_missing(numerator: Any, denominator: Any) -> Array:
    """Return `numerator / denominator`, and no value where the denominator is 0."""
    return quotient(numerator, denominator, NO_VALUE)


def quotient(numerator: Any, denominator: Any, otherwise: Any) -> Array:
    """Return `numerator / denominator`, and `otherwise` where the denominator is not above 0."""
    below = np.asarray(denominator, dtype=np.float64)
    positive = below > 0
    if positive.all():
        return np.asarray(numerator / below)
    return np.asarray(np.where(positive, numerator / np.where(positive, below, 1.0), otherwise))


def is_missing(value: Any) -> Array:
    """Return for each value whether it is missing."""
    return np.asarray(np.isnan(value))


def begins(*columns: Array) -> Array:
    """Return for each row whether it differs from the row before it in one of the columns; the first row does."""
    mask = np.ones(len(columns[0]), dtype=np.bool_)
    mask[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return mask


def fill(value: Any, otherwise: float) -> Array:
    """Return `value`, with `otherwise` in place of missing values."""
    return np.where(np.isnan(value), otherwise, value)


def add(*terms: Any) -> Array:
    """Return Σ `terms` in their order; missing values add nothing."""
    total: Any = 0.0
    for term in terms:
        total = total + fill(term, 0.0)
    return np.asarray(total, dtype=np.float64)


def powers(base: float, exponent: Any) -> Array:
    """Return `base` to the power of whole numbers from 0, the same bits in arrays of every shape; 0 to the power of 0 is 1.

    numpy rounds the power of a single number otherwise than that of the same number among many, so each is computed once, alone.
    """
    whole = np.asarray(exponent).astype(np.int64)
    n_different = int(whole.max(initial=0)) + 1
    return np.fromiter((base**n for n in range(n_different)), np.float64, n_different)[whole]


def n_counted_powers(base: float) -> int:
    """Return how many powers of a base below 1 change a sum that begins with 1: later ones are below half of its last digit."""
    return math.ceil(54 * math.log(2) / -math.log(base)) + 1 if 0 < base < 1 else 1


def discounts(cutoffs: Sequence[int], base: float = 2.0, shifted: bool = True) -> Array:
    """Return Σ_{r≤k} 1/log_b(r + 1) for every cut-off k, as a column: the DCG of k hits of gain 1. Without `shifted`: log_b(max(r, 2))."""
    by = [1.0 / math.log(rank + 1 if shifted else max(rank, 2), base) for rank in range(1, min(max(cutoffs), _TERMS) + 1)]
    totals = [
        math.fsum(by[:k]) + (math.log(base) * _inverse_logarithms(_TERMS + shifted, k + shifted) if k > _TERMS else 0) for k in cutoffs
    ]
    return np.asarray(totals)[:, None]


def _inverse_logarithms(first: int, last: int) -> float:
    """Return Σ 1/ln(n) over the whole numbers above `first`, at least a million, up to `last`, by the formula of Euler and Maclaurin.

    The integral of 1/ln is the logarithmic integral; the terms that are left out are below 1e-20.
    """

    def integral(x: float) -> float:
        """Return the logarithmic integral of x by its series: Abramowitz and Stegun, 5.1.3 and 5.1.10."""
        logarithm, term, terms = math.log(x), 1.0, [_EULER, math.log(math.log(x))]
        for n in range(1, _SERIES):
            term *= logarithm / n
            terms.append(term / n)
        return math.fsum(terms)

    def at(x: float) -> float:
        """Return the terms at one end: half the value, and a twelfth of the derivative."""
        return 0.5 / math.log(x) - 1.0 / (12.0 * x * math.log(x) ** 2)

    return integral(last) - integral(first) + at(last) - at(first)


def discounts_of_length(length: Array) -> Array:
    """Return Σ_{r≤l} 1/log2(r + 1) for each length l of a list."""
    ranks = np.arange(1, int(np.max(length, initial=0)) + 1)
    totals = np.concatenate([[0.0], np.cumsum(1.0 / np.log2(ranks + 1))])
    of_length: Array = totals[np.asarray(length, dtype=np.int64)]
    return of_length


def harmonic(n: Any) -> Array:
    """Return H_n = Σ_{i≤n} 1/i, exact to 1e-14: the asymptotic series at n + 12, minus its last twelve terms.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.18.
    """
    shifted = np.asarray(n, dtype=np.float64) + float(_SHIFT)
    series = np.log(shifted) + _EULER + 0.5 / shifted
    for power, coefficient in enumerate((-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132), 1):
        series = series + coefficient / shifted ** (2 * power)
    for term in range(1, _SHIFT + 1):
        series = series - 1.0 / (n + float(term))
    return np.asarray(series)
