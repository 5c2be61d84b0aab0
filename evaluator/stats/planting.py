"""Evaluations that did not happen: the users of a stored one are drawn again, so that a model loses, or gains, a planned part.

A loss is planted by chance, not by arithmetic: users who lose are drawn more often, users who gain less often. So values stay in their
range, a value of 0 loses nothing, and few users change where few changed; a loss taken off everybody would change every user a little.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..exact_sums.exact import ExactSums
from .paired import TOLERANCE, Floats, PairedSums, counts_on_both, differences_of

_MANY: Final = 2_000
"""Sums of more users, of as many different ones, are drawn from a normal distribution: they are sums of thousands of bounded terms."""
_ENOUGH: Final = 30_000
"""Number of users who changed, and of those who did not, from which others are drawn."""
_N_TERMS: Final = 13
_MOST_CELLS: Final = 4_000_000
_STEPS: Final = 200
_PRECISION: Final = 1e-9


class Population(Struct, frozen=True, eq=False, dict=True):
    """Different users of one pair of models, each with its `share` of all: rows of `base` and `model` are measures, NaN for not counted.

    `sizes` are what the values of the two sides are divided by: 1 for each user who is counted, or denominators. With `normal` the sums of
    many different users who changed may be drawn from a normal distribution; it is for bounded values.
    """

    base: Floats
    model: Floats
    shares: Floats
    normal: bool = True
    sizes: tuple[Floats, Floats] | None = None

    @classmethod
    def from_values(cls, base: Floats, model: Floats, *, normal: bool = True) -> Population:
        """Return the different users among all; of very many, some of those who changed and some of the others stand for all."""
        sides = np.array([base, model])
        counted = np.array([counts_on_both(*pair) for pair in zip(*sides, strict=True)])
        cells = np.where(counted, sides, np.inf)
        changed = (cells[0] != cells[1]).any(axis=0)
        random, chosen, weights = np.random.default_rng(0), [], []
        for kind in (np.flatnonzero(changed), np.flatnonzero(~changed)):
            some = kind if len(kind) <= _ENOUGH else np.sort(random.choice(kind, _ENOUGH, replace=False))
            chosen.append(some)
            weights.append(np.full(len(some), len(kind) / max(1, len(some))))
        taken, weight = np.concatenate(chosen), np.concatenate(weights)
        users, codes = np.unique(cells[:, :, taken].reshape(-1, len(taken)), axis=1, return_inverse=True)
        one, other = np.where(np.isinf(users), np.nan, users).reshape(2, -1, users.shape[1])
        return cls(one, other, np.bincount(codes.ravel(), weight) / weight.sum(), normal)

    def both_ways(self) -> Population:
        """Return as many users again with the roles of the two models exchanged."""

        def twice(one: Floats, other: Floats) -> tuple[Floats, Floats]:
            return np.hstack([one, other]), np.hstack([other, one])

        sizes = None if self.sizes is None else twice(*self.sizes)
        return Population(*twice(self.base, self.model), np.tile(self.shares, 2) / 2, self.normal, sizes)

    @cached_property
    def differences(self) -> Floats:
        """The differences of each measure, 0 for a user who is not counted."""
        pairs = zip(self.base, self.model, strict=True)
        return np.array([differences_of(np.nan_to_num(a), np.nan_to_num(b)) for a, b in pairs])

    @cached_property
    def terms(self) -> Floats:
        """What each user adds to the sums of each measure: those of `PairedSums`, and the numbers of users, of gains and of losses."""
        rows = []
        for a, b, d in zip(self.base, self.model, self.differences, strict=True):
            counted = np.isfinite(a)
            a, b = np.nan_to_num(a), np.nan_to_num(b)
            s = a + b
            rows += [a, b, a * a, b * b, s**3, s * s * d, s * d * d, d, d * d, d**3, counted, d > 0, d < 0]
        return np.array(rows, dtype=np.float64)

    def planted(self, measure: int, change: float, value: float) -> Floats | None:
        """Return shares of users by which a measure changes by `change` on average, and has the base `value`; `None` if there are none.

        They are proportional to exp(x·a + y·sign d) times the present shares (exponential tilting: Efron, 1981), where x keeps the mean of
        the base and y moves gains and losses.
        """
        a, b = np.nan_to_num(self.base[measure]), np.nan_to_num(self.model[measure])
        counted = np.isfinite(self.base[measure]) * 1.0
        size_a, size_b = (counted, counted) if self.sizes is None else (side[measure] for side in self.sizes)
        of_users = self.shares / (self.shares @ size_a)
        wanted = np.array([a - value * size_a, b - (value + change) * size_b])
        apart = b * size_a - a * size_b
        apart[np.abs(apart) <= TOLERANCE * np.maximum(size_a * size_b, 1e-300)] = 0.0
        spread = math.sqrt(float(of_users @ wanted[0] ** 2)) or 1.0
        features = np.array([np.clip(wanted[0] / spread, -5, 5), np.sign(apart)])
        scale = np.array([spread, float(of_users @ np.abs(b - a)) or 1.0])
        tilt = np.zeros(2)
        for _ in range(_STEPS):
            exponents = tilt @ features
            weights = of_users * np.exp(exponents - exponents.max())
            weights /= weights @ size_a
            misses = wanted @ weights
            if (np.abs(misses) <= _PRECISION * scale).all():
                return np.asarray(weights / weights.sum())
            slopes = (wanted * weights) @ features.T - np.outer(misses, features @ (weights * size_a))
            step = np.linalg.lstsq(slopes / scale[:, np.newaxis], -misses / scale, rcond=1e-12)[0]
            tilt = tilt + step / max(1.0, float(np.abs(step).max()))
            if np.abs(tilt).max() > _STEPS / 4:
                break
        return None

    def drawn(self, shares: Floats, n: int, draws: int, random: np.random.Generator) -> Floats:
        """Return the sums of the terms over `n` users, drawn by their shares, in a row for each of the `draws`."""
        changed = (self.differences != 0).any(axis=0)
        parts = [mask for mask in (changed, ~changed) if mask.any()]
        numbers = random.binomial(n, min(1.0, float(shares[changed].sum())), draws) if len(parts) > 1 else np.full(draws, n)
        total = np.zeros((draws, len(self.terms)))
        for mask, of_part in zip(parts, (numbers, n - numbers), strict=False):
            part, terms = shares[mask] / shares[mask].sum(), self.terms[:, mask]
            fewest, most = int(of_part.min()), int(of_part.max())
            if min(len(part), fewest) > _MANY and (self.normal or mask is not changed):
                total += _normal_sums(terms, part, of_part, random)
            elif most < len(part):
                ends = np.cumsum(part)[:-1]
                total += [terms[:, np.searchsorted(ends, random.random(number), "right")].sum(axis=1) for number in of_part]
            else:
                step = max(1, _MOST_CELLS // len(part))
                for start in range(0, draws, step):
                    total[start : start + step] += random.multinomial(of_part[start : start + step], part) @ terms.T
        return total

    def sums(self, drawn: Floats, measure: int) -> PairedSums:
        """Return the sums of one measure from a row of `drawn`."""
        *of_sides, d, dd, ddd, n, up, down = drawn[_N_TERMS * measure : _N_TERMS * (measure + 1)].tolist()
        sums = np.array([d, dd, ddd, *of_sides])
        return PairedSums(max(0, round(n)), max(0, round(up)), max(0, round(down)), 0, ExactSums.from_values(sums[:, np.newaxis]))


def _normal_sums(terms: Floats, shares: Floats, numbers: NDArray[np.integer], random: np.random.Generator) -> Floats:
    """Draw the sums over some numbers of users from the normal distribution of their mean and covariance."""
    means = terms @ shares
    centred = terms - means[:, np.newaxis]
    covariance = (centred * shares) @ centred.T
    spreads = np.sqrt(np.diag(covariance))
    scale = np.where(spreads > 0, spreads, 1.0)
    root = np.linalg.cholesky(covariance / np.outer(scale, scale) + 1e-10 * np.eye(len(means)))
    noise = (random.standard_normal((len(numbers), len(means))) @ root.T) * spreads
    return np.asarray(numbers[:, np.newaxis] * means + np.sqrt(numbers)[:, np.newaxis] * noise)
