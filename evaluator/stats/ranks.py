"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np
from msgspec.structs import replace

from .estimates import Estimate
from .paired import Floats

_DECIMALS: Final = 12
"""Sizes of differences are compared to so many decimals, so that rounding breaks no ties."""
_MANY_USERS: Final = 1_000

WARNING: Final = (
    "Wilcoxon's test asks about ranks, not about the mean: above 1,000 users it calls far too many differences real whose mean is 0."
)


def with_ranks(estimate: Estimate, differences: Floats) -> Estimate:
    """The same estimate with the p value of the signed-rank test (Wilcoxon, 1945), by its normal approximation.

    Users without a difference are left out, tied sizes share their mean rank, and the variance is corrected for ties. The interval stays
    that of t, since ranks say nothing of the mean.

    Edge cases: p is 1 if nobody changed.
    """
    changed = np.round(differences[differences != 0], _DECIMALS)
    sizes, inverse, counts = np.unique(np.abs(changed), return_inverse=True, return_counts=True)
    n = len(changed)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[inverse]
    positive, negative = float(ranks[changed > 0].sum()), float(ranks[changed < 0].sum())
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts.astype(np.float64) ** 3 - counts).sum()) / 48
    notes = (*estimate.notes, WARNING) if estimate.n > _MANY_USERS else estimate.notes
    statistic = min(positive, negative)
    p = 2 * NormalDist().cdf(-abs(positive - negative) / 2 / math.sqrt(variance)) if len(sizes) and variance > 0 else 1.0
    return replace(estimate, test="wilcoxon", statistic=statistic, p=p, notes=notes)
