"""Summaries of columns: numbers of rows per user or item, and ranges of numbers. The order of rows does not change a bit of them."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Final

import numpy as np

from ..exact_sums.exact import ExactSums, round_fraction
from ..results.description import CountSummary, HistogramBin, NumberSummary
from ..tables.array import Array

_QUANTILES: Final = (25, 50, 75, 90, 99)
_FEW: Final = 12
"""Maximal number of distinct values that have a bin each."""
_BINS: Final = 10


def count_summary(counts: Array) -> CountSummary | None:
    """Summarise how many rows each user, or each item, has; `None` if there are none. See `CountSummary` for the formulas."""
    if not len(counts):
        return None
    ascending = np.sort(counts.astype(np.int64))
    n, total = len(ascending), int(ascending.sum())
    weighted = int((ascending * (2 * np.arange(1, n + 1) - n - 1)).sum())
    return CountSummary(
        least=int(ascending[0]),
        quantiles={str(percent): float(np.percentile(ascending, percent)) for percent in _QUANTILES},
        most=int(ascending[-1]),
        mean=total / n,
        gini=weighted / (n * total),
        top_1=int(ascending[-ceil(n / 100) :].sum()) / total,
        top_20=int(ascending[-ceil(n / 5) :].sum()) / total,
    )


def number_summary(column: str, batches: Iterable[Array], least: float, most: float) -> NumberSummary | None:
    """Summarise finite numbers between `least` and `most` that come in batches; `None` if there are none.

    The mean is rounded once from an exact sum. Up to 12 distinct values have a bin each; more are counted in 10 bins of equal width.
    """
    n, total = 0, ExactSums.zeros(1)
    values: dict[float, int] | None = {}
    bins = np.zeros(_BINS, dtype=np.int64)
    for batch in batches:
        n, batch = n + len(batch), batch + 0.0  # -0.0 is 0.0
        total += ExactSums.from_values(batch[np.newaxis])
        if values is not None:
            distinct, counts = np.unique(batch, return_counts=True)
            for value, count in zip(distinct[: _FEW + 1].tolist(), counts.tolist(), strict=False):
                values[value] = values.get(value, 0) + count
            values = values if len(values) <= _FEW else None
        if most > least:
            with np.errstate(over="ignore"):
                half = 1.0 if np.isfinite(most - least) else 0.5  # the width may be too large for a float
            place = (batch * half - least * half) / (most * half - least * half) * _BINS
            bins += np.bincount(np.minimum(place.astype(np.int64), _BINS - 1), minlength=_BINS)
    if not n:
        return None
    if values is not None:
        histogram = [HistogramBin(value, value, count) for value, count in sorted(values.items())]
    else:
        edges = [least * (1 - number / _BINS) + most * (number / _BINS) for number in range(_BINS)] + [most]
        histogram = [HistogramBin(low, high, int(count)) for low, high, count in zip(edges, edges[1:], bins, strict=False)]
    return NumberSummary(column, least + 0.0, round_fraction(total.fraction(0) / n), most + 0.0, tuple(histogram))
