"""Two models of which only the mean, the deviation and the number of users are known."""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct

from .estimates import Estimate
from .relative import Relative

UNPAIRED: Final = "Not paired by user: the interval is wider than that of the same users would be."


class Summary(Struct, frozen=True):
    """The mean of a measure over `n` users, and the standard deviation of their values (divided by n - 1); `None` if that is not known."""

    mean: float
    std: float | None
    n: int


def unpaired_estimate(base: Summary, model: Summary) -> Estimate:
    """The difference of two means over different users, or over users whose values were not kept (Welch, 1947).

    SE² = s²_a/n_a + s²_b/n_b; degrees of freedom by Satterthwaite. The number of users is the smaller of the two.

    Edge cases: no interval for one user, or without a deviation.
    """
    difference = model.mean - base.mean
    relative, n = Relative.of(difference, base.mean), min(base.n, model.n)
    estimate = Estimate(n, base.mean, model.mean, difference, relative=relative, test="welch", notes=(UNPAIRED,))
    if base.std is None or model.std is None or n < 2:
        return estimate
    terms = [(side.std**2 / side.n, side.n - 1) for side in (base, model) if side.std is not None]
    variance = sum(term for term, _ in terms)
    df = variance**2 / sum(term**2 / of_term for term, of_term in terms) if variance else sum(of_term for _, of_term in terms)
    return estimate.with_t(math.sqrt(variance), df)
