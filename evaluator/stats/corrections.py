"""Several comparisons at once: p values corrected for how many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import assert_never

from .records import CorrectionName


def adjust(p_values: Sequence[float], method: CorrectionName, family: int | None = None) -> list[float]:
    """Correct the p values of a family, in the same order; none is below its own p value or above 1.

    - `holm`: no false alarm at all with probability 1 - α, whatever the dependence (Holm, 1979)
    - `bh`: the expected share of false alarms among the findings is at most α (Benjamini and Hochberg, 1995)
    - `by`: the same whatever the dependence (Benjamini and Yekutieli, 2001)
    - `none`: as they are

    `family` is how many hypotheses there are, if more than p values: the others count as not shown.

    Edge cases: `ValueError` if a p value is not within 0 and 1; what has none is left out before.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p values are within 0 and 1: {list(p_values)}")
    m = max(len(p_values), family or 0)
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    if method == "none":
        return list(p_values)
    if method == "holm":
        highest = 0.0
        for rank, i in enumerate(order):
            highest = adjusted[i] = max(highest, min(1.0, (m - rank) * p_values[i]))
        return adjusted
    if method == "bh" or method == "by":
        factor = math.fsum(1 / i for i in range(1, m + 1)) if method == "by" else 1.0
        lowest = 1.0
        for rank, i in reversed(list(enumerate(order, 1))):
            lowest = min(lowest, max(p_values[i], p_values[i] * m / rank * factor))
            adjusted[i] = lowest
        return adjusted
    assert_never(method)
