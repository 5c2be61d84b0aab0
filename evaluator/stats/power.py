"""Power: the differences that a number of users can show, and the users that a difference needs."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final, NamedTuple

from .distributions import below_noncentral_t, t_at
from .estimates import Estimate

POWER: Final = 0.8
"""Probability of detecting a true difference: 4 times out of 5."""
_FEW: Final = 30
"""With fewer degrees of freedom than this the normal formula is too optimistic, and the power of the t test is solved numerically."""


def detectable_difference(se: float, alpha: float = 0.05, df: float = math.inf, comparisons: int = 1, power: float = POWER) -> float:
    """Return the difference that would be detected with probability `power` (Cohen, 1988): (z at 1 - α/2 + z at power) · `se`.

    α is divided by the number of `comparisons` (Bonferroni). With fewer than 30 degrees of freedom it is solved for the t test itself.
    """
    alpha /= comparisons
    return se * (_noncentrality(alpha, df, power) if df < _FEW else _normal(1 - alpha / 2) + _normal(power))


def users_needed(sd: float, difference: float, alpha: float = 0.05, comparisons: int = 1, power: float = POWER) -> int:
    """Return the users needed to detect a `difference` with probability `power`, if per-user differences have the deviation `sd`."""
    quantiles = _normal(1 - alpha / comparisons / 2) + _normal(power)
    return max(2, math.ceil((quantiles * sd / difference) ** 2))


def provable_margin(se: float, alpha: float = 0.05, power: float = POWER) -> float:
    """Return the smallest loss that can be ruled out with probability `power` if the true loss is 0: (z at 1 - α + z at power) · `se`."""
    return (_normal(1 - alpha) + _normal(power)) * se


def users_for_margin(n: int, provable: float, margin: float) -> int:
    """Return the users needed to rule out losses beyond `margin`, if `n` users can rule out those beyond `provable`."""
    return max(2, math.ceil(n * (provable / margin) ** 2))


class Needs(NamedTuple):
    """Users needed with the present number of runs, or runs of each model needed with the present users; `None` if no number suffices."""

    users: int | None
    runs: int | None


def needs_for_margin(estimate: Estimate, margin: float, alpha: float = 0.05, power: float = POWER) -> Needs | None:
    """Return the users or runs needed to rule out losses beyond `margin`, with probability `power` if the true loss is 0.

    The squared standard error is U/n of users plus T/K of training again. More users do not change T/K: if it is larger than (margin /
    quantiles)², no number of users suffices, but K·(T/K) / ((margin / quantiles)² - U/n) runs of each model do.

    Edge cases: `None` without a standard error.
    """
    if estimate.se is None:
        return None
    largest = (margin / provable_margin(1.0, alpha, power)) ** 2
    of_users, of_runs = max(0.0, estimate.se**2 - estimate.training), estimate.training
    users = max(2, math.ceil(estimate.n * of_users / (largest - of_runs))) if of_runs < largest else None
    runs = None if estimate.runs is None or of_users >= largest else max(2, math.ceil(estimate.runs * of_runs / (largest - of_users)))
    return Needs(users, runs)


def needs_text(needs: Needs) -> str:
    """Describe `needs`: `904 users`, or `more users are not enough, but 7 runs …` if no number of users suffices."""
    if needs.users is not None:
        return f"{needs.users:,} users"
    if needs.runs is not None:
        return f"more users are not enough, but {needs.runs:,} runs of each model are"
    return "more users alone or more runs alone are not enough; both are needed"


def _normal(share: float) -> float:
    return NormalDist().inv_cdf(share)


@lru_cache(4096)  # sixty steps of a slow function, the same for every pair of models with this number of users
def _noncentrality(alpha: float, df: float, power: float) -> float:
    """Return the difference, in standard errors, that a two-sided t test detects, with the right sign, with probability `power`."""
    critical = t_at(1 - alpha / 2, df)
    low, high = 0.0, 2 * critical
    while below_noncentral_t(critical, df, high) > 1 - power:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below_noncentral_t(critical, df, middle) > 1 - power else (low, middle)
    return high
