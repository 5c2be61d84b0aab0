"""Worlds for `claims.py` of several data sets: the mean of their true changes is known, and each of them has its own.

A data set has a true change, ln(b/a), and is measured with the error of its users. Sizes are alike, spread over three orders of magnitude,
or those of one large data set among small ones, where weights by size would claim too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np
from claims_of_units import Row
from numpy.typing import NDArray
from receval.stats.concluding import adjust
from receval.stats.meta_analysis import MeanEffect, mean_effect
from receval.stats.ranks import wilcoxon

Random = np.random.Generator

SIZES: Final[Mapping[str, Callable[[int], NDArray[np.float64]]]] = {
    "equal sizes": lambda m: np.full(m, 1000.0),
    "200 to 100,000 users": lambda m: np.geomspace(200, 100_000, m),
    "one of 100,000, others of 500": lambda m: np.array([100_000.0, *[500.0] * (m - 1)]),
}
"""Numbers of users, of whom each has an error of 1 in ln(b/a)."""
CHANGE: Final = 0.1


def combined(m: int, tau: float, sizes: str, random: Random, change: float = CHANGE) -> MeanEffect:
    """Draw m data sets whose true changes have this mean and the standard deviation `tau`, and combine what is measured."""
    errors = 1 / np.sqrt(SIZES[sizes](m))
    effects = random.normal(change, tau, m) + random.normal(0, errors)
    return mean_effect(effects.tolist(), (errors**2).tolist())


def mean_missed(m: int, tau: float, sizes: str, random: Random) -> bool:
    """Return whether the interval misses the mean of true changes."""
    found = combined(m, tau, sizes, random)
    assert found.low is not None
    assert found.high is not None
    return not found.low <= CHANGE <= found.high


def further_missed(m: int, tau: float, sizes: str, random: Random) -> bool:
    """Return whether the range misses the true change on a further data set."""
    found = combined(m, tau, sizes, random)
    assert found.further is not None
    return not found.further[0] <= random.normal(CHANGE, tau) <= found.further[1]


def is_shown(m: int, tau: float, sizes: str, change: float, random: Random) -> bool:
    """Return whether a mean change is shown."""
    p = combined(m, tau, sizes, random, change).p
    return p is not None and p <= 0.05


def ranks_differ(m: int, n_models: int, lead: float, random: Random) -> bool:
    """Return whether ranks show a difference between models, of which the first leads by this number of standard deviations."""
    values = random.normal(0, 1, (n_models, m))
    values[0] += lead
    p_values = [wilcoxon((one - other).tolist()) for one, other in combinations(values, 2)]
    return min(adjust(p_values, "holm")) <= 0.05


def rows() -> Iterator[Row]:
    """Yield the rows."""
    for m in (3, 5, 10):
        for sizes in SIZES:
            for tau in (0.0, 0.02, 0.1, 0.3):
                world = f"{m}, {sizes}, spread {tau:g}"
                yield Row("data sets: interval", world, 0.05, partial(mean_missed, m, tau, sizes))
            shown = partial(is_shown, m, 0.1, sizes)
            yield Row("data sets: shown", f"{m}, {sizes}", 0.05, partial(shown, 0.0), partial(shown, 0.2))
            # With a spread below the errors of data sets it is often estimated as 0; texts call the range approximate.
            for tau, promised in ((0.02, None), (0.3, 0.05)):
                yield Row("data sets: further one", f"{m}, {sizes}, spread {tau:g}", promised, partial(further_missed, m, tau, sizes))
    for m, n_models in ((7, 3), (12, 3), (12, 5)):
        same, better = partial(ranks_differ, m, n_models, 0.0), partial(ranks_differ, m, n_models, 2.0)
        world = f"{m}, {n_models} equal models"
        yield Row("data sets: ranks differ", world, 0.05, same, better)
