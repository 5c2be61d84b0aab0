"""Random populations whose values are all known, so that the verdict on a sample can be compared with the truth."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from receval.exact_sums.exact import ExactSums
from receval.stats.paired import PairedSums

Random = np.random.Generator


class Population(Struct, frozen=True, eq=False):
    """Kinds of users: the value of each with the base and the model, and their share of all users."""

    base: np.ndarray
    model: np.ndarray
    shares: np.ndarray

    @property
    def loss(self) -> float:
        """Mean loss."""
        return float(self.shares @ (self.base - self.model))

    @property
    def base_value(self) -> float:
        """Mean of the base."""
        return float(self.shares @ self.base)

    def draws(self, random: Random, n: int, times: int) -> list[PairedSums]:
        """Return the sums over `n` drawn users, `times` times; computed from the sums of each kind, so any `n` takes the same time."""
        kinds = [PairedSums.from_values([a], [b]) for a, b in zip(self.base, self.model, strict=True)]
        counts = random.multinomial(n, self.shares, times).tolist()
        return [reduce(add, (_multiplied(kind, count) for kind, count in zip(kinds, row, strict=True) if count)) for row in counts]

    def turned(self) -> Population:
        """Return the population of 1 - value, for which lower is better."""
        return replace(self, base=1 - self.base, model=1 - self.model)


def draw_population(random: Random, margin: float, relative: bool) -> Population | None:
    """Draw a population that loses exactly the margin; return `None` if that is impossible.

    Values have two to five levels between 0 and 1. Some users gain; just so many others lose that the mean loss is the margin: rare
    losses of a whole hit beside frequent small gains, and the other way round.
    """
    levels = np.unique(np.round(np.append(random.random(random.integers(0, 4)), [0.0, 1.0]), 3))
    weights = random.dirichlet(np.full(len(levels), 0.5)) * 10 ** random.uniform(-2, 0)
    weights[0] += 1 - weights.sum()
    highest, lowest = random.choice(np.arange(1, len(levels))), random.choice(np.arange(len(levels) - 1))
    fall = levels[highest] - (levels[random.integers(0, highest)] if random.random() < 0.7 else levels[highest] * random.random())
    rise = (levels[random.integers(lowest + 1, len(levels))] - levels[lowest]) * (1.0 if random.random() < 0.5 else random.random())
    gainers = 10 ** random.uniform(-5, 0) if random.random() < 0.7 else 0.0
    wanted = margin * (weights @ levels if relative else 1.0) + weights[lowest] * gainers * rise
    losers = wanted / (weights[highest] * fall) if weights[highest] * fall > 0 else np.inf
    if losers > 1 or (highest == lowest and losers + gainers > 1):
        return None
    kept = weights.copy()
    kept[highest] -= weights[highest] * losers
    kept[lowest] -= weights[lowest] * gainers
    base = np.append(levels, [levels[highest], levels[lowest]])
    model = np.append(levels, [levels[highest] - fall, levels[lowest] + rise])
    shares = np.clip(np.append(kept, [weights[highest] * losers, weights[lowest] * gainers]), 0, 1)
    return Population(base, model, shares / shares.sum())


def _multiplied(sums: PairedSums, count: int) -> PairedSums:
    """Return the sums over `count` users of one kind."""
    integers = tuple(count * integer for integer in sums.sums.integers)
    return PairedSums(count * sums.n, count * sums.up, count * sums.down, 0, ExactSums(integers, sums.sums.exponent))
