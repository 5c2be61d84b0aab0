"""Ranks of models over data sets: Friedman's test, Wilcoxon's of each pair, and groups of models that are not shown to differ."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from .concluding import adjust
from .paired import TOLERANCE, Floats

_BATCHES, _BATCH = 10, 1000
"""Permutations of ranks are drawn in this many batches of this size."""
_STEPS: Final = 400
_WIDTH: Final = 9.0
"""A standard normal deviate is never larger."""


class Friedman(Struct, frozen=True):
    """Friedman's statistic of mean ranks, that of Iman and Davenport (1980), and the p value of both."""

    chi_square: float
    f: float
    p: float


class RankedPair(Struct, frozen=True):
    """Wilcoxon's signed-rank test of two models over data sets, and its p value corrected by Holm."""

    models: tuple[str, str]
    p: float
    p_adjusted: float


class Ranks(Struct, frozen=True):
    """The mean ranks of models in a measure over `n` data sets, best first; 1 is the best rank.

    `pairs`, and the `groups` of models with neighbouring ranks of which no two are shown to differ, are empty if there are fewer data sets
    than the `least` with which Wilcoxon's test, corrected by Holm, can reject anything; `friedman` is `None` then, and for two models,
    because its p value is wrong there. `critical_difference` is that of Nemenyi, for comparison with papers.
    """

    measure: str
    n: int
    least: int
    mean_ranks: Mapping[str, float]
    friedman: Friedman | None
    quantile: float
    critical_difference: float
    alpha: float = 0.05
    pairs: tuple[RankedPair, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()

    @property
    def can_reject(self) -> bool:
        """True if there are enough data sets for a verdict on a pair."""
        return self.n >= self.least


def rank_models(measure: str, values: Mapping[str, Sequence[float]], *, higher_is_better: bool, alpha: float = 0.05) -> Ranks:
    """Rank models by their values on the same data sets; tied values have the mean of their ranks."""
    models, sign = list(values), -1.0 if higher_is_better else 1.0
    table = np.array([[sign * value for value in values[model]] for model in models]).T
    ranks = np.array([_ranks(row) for row in table])
    means = dict(sorted(zip(models, ranks.mean(axis=0).tolist(), strict=True), key=lambda item: item[1]))
    n, k = ranks.shape
    quantile = critical_quantile(k, alpha)
    made = Ranks(measure, n, least_data_sets(k, alpha), means, None, quantile, quantile * math.sqrt(k * (k + 1) / (6 * n)), alpha)
    if not made.can_reject:
        return made
    tested = list(combinations(means, 2))
    p_values = [wilcoxon([sign * (b - a) for a, b in zip(values[one], values[two], strict=True)]) for one, two in tested]
    pairs = tuple(map(RankedPair, tested, p_values, adjust(p_values, "holm")))
    different = {frozenset(pair.models) for pair in pairs if pair.p_adjusted <= alpha}
    return replace(made, friedman=friedman(ranks) if k > 2 else None, pairs=pairs, groups=neighbours_alike(list(means), different))


def neighbours_alike(models: Sequence[str], different: Collection[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the longest runs of models in the order of their ranks of which no two are `different`: a bar has no other models below it."""
    runs: list[tuple[str, ...]] = []
    for start in range(len(models)):
        ends = range(start + 2, len(models) + 1)
        alike = [end for end in ends if not any(frozenset(pair) in different for pair in combinations(models[start:end], 2))]
        if alike and (not runs or models[alike[-1] - 1] not in runs[-1]):
            runs.append(tuple(models[start : alike[-1]]))
    return tuple(runs)


def least_data_sets(n_models: int, alpha: float = 0.05) -> int:
    """Return the number of data sets from which the smallest p value of Wilcoxon's test, 2/2ⁿ, is below α divided by the pairs (Holm)."""
    n_pairs = math.comb(n_models, 2)
    return next(n for n in range(1, 1000) if 2.0 ** (1 - n) * n_pairs <= alpha)


def friedman(ranks: Floats) -> Friedman:
    """Return Friedman's test of the ranks of k models (columns) on N data sets (rows), corrected for ties; p is that of permutations.

    With 12 data sets and 3 equal models, the χ² and F distributions would find a difference in 6 % of draws instead of 5 %.
    """
    n, k = ranks.shape
    tied = sum(int(count) ** 3 - int(count) for row in ranks for count in np.unique(row, return_counts=True)[1])
    chi_square, f = friedman_statistics(ranks.mean(axis=0).tolist(), n, 1 - tied / (n * (k**3 - k)))
    random, at_least = np.random.RandomState(0), 0
    observed = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
    for _ in range(_BATCHES):
        orders = random.random_sample((_BATCH, n, k)).argsort(axis=2)
        sums = np.take_along_axis(ranks[np.newaxis], orders, axis=2).sum(axis=1)
        at_least += int((((sums - n * (k + 1) / 2) ** 2).sum(axis=1) >= observed - TOLERANCE).sum())
    return Friedman(chi_square, f, (1 + at_least) / (1 + _BATCHES * _BATCH))


def friedman_statistics(mean_ranks: Sequence[float], n: int, untied: float = 1.0) -> tuple[float, float]:
    """Return χ² = 12·N/(k·(k + 1))·Σ (R - (k + 1)/2)² / `untied` of mean ranks R, and F = (N - 1)·χ²/(N·(k - 1) - χ²).

    `untied` is 1 - Σ (t³ - t)/(N·(k³ - k)) over ties of t models; F is infinite if all data sets have the same ranks.
    """
    k = len(mean_ranks)
    apart = math.fsum((rank - (k + 1) / 2) ** 2 for rank in mean_ranks)
    chi_square = 12 * n / (k * (k + 1)) * apart / untied if untied > 0 else 0.0
    rest = n * (k - 1) - chi_square
    return chi_square, (n - 1) * chi_square / rest if rest > TOLERANCE else math.inf


def wilcoxon(differences: Sequence[float]) -> float:
    """Return the exact p value of Wilcoxon's signed-rank test; differences of 0 are left out, tied ones have the mean of their ranks."""
    known = np.array([d for d in differences if abs(d) > TOLERANCE])
    if not len(known):
        return 1.0
    doubled = np.rint(2 * _ranks(np.abs(known))).astype(np.int64)  # means of ranks are halves
    counts = np.zeros(int(doubled.sum()) + 1)
    counts[0] = 1.0
    for rank in doubled.tolist():
        counts[rank:] = (counts[rank:] + counts[: len(counts) - rank]) / 2
        counts[:rank] /= 2
    positive = int(doubled[known > 0].sum())
    return min(1.0, 2 * float(min(counts[: positive + 1].sum(), counts[positive:].sum())))


def critical_quantile(k: int, alpha: float = 0.05) -> float:
    """Return the quantile of the range of k standard normal deviates, divided by √2: 2.569 for 4 models (Demšar, 2006, table 5)."""
    z = np.linspace(-_WIDTH, _WIDTH, _STEPS + 1)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (2 * _WIDTH / _STEPS)
    share = np.array([*map(NormalDist().cdf, z.tolist())])

    def above(width: float) -> float:
        return 1 - k * float(density @ (share - np.array([*map(NormalDist().cdf, (z - width).tolist())])) ** (k - 1))

    low, high = 0.0, 2 * _WIDTH
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) > alpha else (low, middle)
    return high / math.sqrt(2)


def _ranks(values: Floats) -> Floats:
    """Return the ranks of values in ascending order from 1; values that differ only by rounding are tied."""
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    tied = np.cumsum(np.diff(ascending, prepend=ascending[0]) > TOLERANCE * np.maximum(1.0, np.abs(ascending)))
    means = np.bincount(tied, np.arange(1, len(values) + 1)) / np.bincount(tied)
    ranks = np.empty(len(values))
    ranks[order] = means[tied]
    return ranks
