"""Least and greatest values over the whole catalogue that agree with ranks among sampled candidates: a linear program.

A user has one relevant item, with rank R among the N items of the catalogue. Of the other N - 1 items, S are drawn; of these, R - 1 rank
above it, so its rank among candidates is hypergeometric (binomial if items are drawn with replacement). The distribution of R is unknown.
Its image, the distribution of sampled ranks, is within a band around the observed one (Dvoretzky-Kiefer-Wolfowitz, Massart 1990), so a mean
over users is between its least and greatest value over all distributions whose image is in the band.

The program is solved by column generation, and each bound is the value of a feasible dual solution, checked at every rank: it is valid
whatever the solver's tolerance. In large catalogues, high ranks are on a grid, and the band is widened by what this can change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..support.extras import missing_extra

Floats = NDArray[np.float64]
MOST_SAMPLED: Final = 1000
"""Most items that are sampled for a user."""
_EXACT: Final = 1000
_GRID: Final = 15_000
"""Every rank up to the first is in the program; about as many ranks as the second in all."""
_THRESHOLDS: Final = 120
"""Most ranks among candidates at which the band limits the image: any choice of them gives valid bounds."""
_CHUNK: Final = 1 << 21
_PENALTY: Final = 1e5
_ACCURACY: Final = 1e-6
_ROUNDS: Final = 60
_START: Final = 100
_NEW: Final = 40
"""Columns at the start besides those of the first ranks, and columns that are added in a round."""
_BETWEEN: Final = 1e-8
"""By how much a mean over the first M ranks can be below a line between two M of the grid, for each unit of worth: step² / (4 M³)."""


def solver() -> Any:
    """Return `scipy`; raise `MissingExtraError` without it."""
    try:
        import scipy.optimize  # only here: few runs ask for bounds
        import scipy.special
    except ImportError:
        raise missing_extra("bounds", "bounding values over the whole catalogue", "scipy") from None
    return scipy


def half_width(n: int, level: float) -> float:
    """Return the half-width of the band around the distribution function of `n` users that holds with probability `level`."""
    return math.sqrt(math.log(2 / (1 - level)) / (2 * n))


class Band(Struct, frozen=True, eq=False):
    """Least and greatest shares of users whose rank among `sampled` + 1 candidates is at most 1, 2, …, `sampled`."""

    low: Floats
    high: Floats

    @classmethod
    def around(cls, least: Floats, most: Floats, level: float) -> Band:
        """Return the band of users whose ranks are counted from 1 to S + 1: each in its `least` rank, and in its `most` one."""
        n = float(least.sum())
        width = half_width(round(n), level)
        shares = (np.cumsum(counts)[:-1] / n for counts in (most, least))
        low, high = next(shares) - width, next(shares) + width
        return cls(np.maximum(low, 0.0), np.minimum(high, 1.0))


class Images(Struct, frozen=True, eq=False, dict=True):
    """The distributions of ranks among `sampled` candidates of an item at each rank of a `catalogue`.

    If `falling`, the share of users at a rank is assumed never to rise with the rank: a mixture of uniform distributions on the first M.
    """

    sampled: int
    catalogue: int
    replacement: bool = False
    falling: bool = False

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Ranks in the program, ascending: all up to `_EXACT`, then with steps of at most 1/200 of the rank."""

        def steps() -> Iterator[int]:
            rank, widest = 1, max(1, math.ceil(self.catalogue / _GRID))
            while rank < self.catalogue:
                yield rank
                rank += 1 if rank <= _EXACT else max(1, min(widest, rank // 200))
            yield self.catalogue

        return np.fromiter(steps(), dtype=np.int64)

    @cached_property
    def thresholds(self) -> NDArray[np.int64]:
        """The ranks among candidates at which the band limits the image."""
        if self.sampled <= _THRESHOLDS:
            return np.arange(1, self.sampled + 1)
        rest = np.geomspace(_THRESHOLDS // 2, self.sampled, _THRESHOLDS // 2).round().astype(np.int64)
        return np.unique(np.concatenate([np.arange(1, _THRESHOLDS // 2), rest]))

    @cached_property
    def slack(self) -> float:
        """What ranks between those of the grid can change in an image: that of a chord between two of its points."""
        step, first = np.diff(self.ranks).astype(float), self.ranks[:-1].astype(float)
        wide, scale = step > 1, self.sampled / max(self.catalogue - 1, 1)
        if not wide.any():
            return 0.0
        chord = float((step[wide] ** 2).max()) * scale**2 / 8  # no second difference of the image is larger than scale²
        if not self.falling:
            return chord
        return chord + float((step[wide] ** 2 * (first[wide] ** -2.0 + scale / (2 * first[wide])) / 4).max())

    @cached_property
    def columns(self) -> Floats:
        """The image of each rank, or of the uniform distribution on the ranks up to it: the share at or above each threshold."""
        size = max(1, _CHUNK // (self.sampled + 1))
        parts = [self._at_most(self.ranks[start : start + size]) for start in range(0, len(self.ranks), size)]
        return self._averaged(np.concatenate(parts)) if self.falling else np.concatenate(parts)

    def _at_most(self, ranks: NDArray[np.int64]) -> Floats:
        """Return the probability of a rank among candidates up to each threshold, for items of these ranks."""
        gammaln = solver().special.gammaln
        above, others = (ranks - 1)[:, np.newaxis].astype(float), float(self.catalogue - 1)
        drawn, n = np.arange(self.sampled + 1, dtype=float), float(self.sampled)

        def choose(total: Any, some: Any) -> Floats:
            with np.errstate(invalid="ignore", divide="ignore"):
                logarithm = gammaln(total + 1) - gammaln(some + 1) - gammaln(total - some + 1)
            return np.where((some <= total), logarithm, -np.inf)

        if self.replacement:
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = (drawn * np.log(above / others), (n - drawn) * np.log1p(-above / others))
            logarithms = choose(n, drawn) + np.where(np.isnan(terms[0]), 0.0, terms[0]) + np.where(np.isnan(terms[1]), 0.0, terms[1])
        else:
            logarithms = choose(above, drawn) + choose(others - above, n - drawn) - choose(others, n)
        shares = np.cumsum(np.exp(logarithms), axis=1)
        at_most: Floats = np.minimum(shares, 1.0)[:, self.thresholds - 1]
        return at_most

    def _averaged(self, values: Floats) -> Floats:
        """Return for each rank of the grid the mean over all ranks up to it; between ranks of the grid values are on a line."""
        step = np.diff(self.ranks, prepend=0).astype(float).reshape(-1, *[1] * (values.ndim - 1))
        before = np.concatenate([values[:1], values[:-1]])
        totals = np.cumsum(step * before + (values - before) * (step + 1) / 2, axis=0)
        means: Floats = totals / self.ranks.reshape(step.shape)
        return means

    def worths(self, worth: Floats) -> Floats:
        """Return the value of each column if an item at rank r counts `worth[r - 1]`, and 0 beyond the last."""
        known = worth[: self.catalogue]
        if self.falling:
            sums = np.cumsum(known)
            means: Floats = sums[np.minimum(self.ranks, len(known)) - 1] / self.ranks
            return means
        inside = np.zeros(len(self.ranks))
        inside[: len(known)] = known
        return inside

    def bounds(self, band: Band, worth: Floats) -> tuple[float, float] | None:
        """Return the least and greatest mean value; `None` if no distribution of ranks has an image in the band.

        Ranks with a `worth` are at most `_EXACT`.
        """
        low, high = band.low[self.thresholds - 1] - self.slack, band.high[self.thresholds - 1] + self.slack
        n = len(self.ranks)
        start = np.union1d(np.arange(min(2 * len(worth), n)), np.linspace(0, n - 1, _START).round().astype(np.int64))
        distance, used = self._least(np.zeros(n), low, high, start, 1.0)
        if distance > _ACCURACY:
            return None
        values = self.worths(worth)
        least, used = self._least(values, low, high, used, _PENALTY)
        most, _ = self._least(-values, low, high, used, _PENALTY)
        least -= _BETWEEN * float(worth.sum()) if self.slack and self.falling else 0.0
        greatest = float(worth.max())
        return min(max(least, 0.0), greatest), min(max(-most, 0.0), greatest)

    def _least(self, costs: Floats, low: Floats, high: Floats, used: NDArray[np.int64], penalty: float) -> tuple[float, NDArray[np.int64]]:
        """Return a lower bound of Σ p·cost plus the penalty for leaving the band, over all p, and the indexes of the columns it took.

        With duals y ≤ 0 of the band and z of Σ p = 1, the bound is z + y·(limits) + the least reduced cost, which makes them feasible.
        """
        linprog, n_rows, best = solver().optimize.linprog, len(low), -math.inf
        limits, elastic = np.concatenate([high, -low]), np.eye(2 * n_rows)
        for _ in range(_ROUNDS):
            some = self.columns[used].T
            found = linprog(
                np.concatenate([costs[used], np.full(2 * n_rows, penalty)]),
                A_ub=np.concatenate([np.concatenate([some, -some]), -elastic], axis=1),
                b_ub=limits,
                A_eq=np.concatenate([np.ones(len(used)), np.zeros(2 * n_rows)])[np.newaxis],
                b_eq=[1.0],
                method="highs",
            )
            if found.status != 0:
                return (best if math.isfinite(best) else float(costs.min())), used
            duals = np.clip(found.ineqlin.marginals, -penalty, 0.0)
            reduced = costs - self.columns @ (duals[:n_rows] - duals[n_rows:])
            bound = float(duals @ limits + reduced.min())
            best = max(best, bound)
            if found.fun - best < _ACCURACY / 4:
                break
            used = np.union1d(used, self._lowest(reduced, float(reduced[used].min())))
        return best, used

    def _lowest(self, reduced: Floats, level: float) -> NDArray[np.int64]:
        """Return the indexes of local minima of the reduced costs that are below those of the columns in use, the lowest first."""
        padded = np.concatenate([[np.inf], reduced, [np.inf]])
        lows = np.flatnonzero((reduced <= padded[:-2]) & (reduced <= padded[2:]) & (reduced < level))
        lowest: NDArray[np.int64] = lows[np.argsort(reduced[lows], kind="stable")][:_NEW]
        return lowest


def worth_of(metric: str, k: int) -> Floats:
    """Return the value of a relevant item at each rank up to `k`, if it is the only one."""
    ranks = np.arange(1, k + 1, dtype=float)
    worth: Floats = 1 / ranks if metric == "MRR" else 1 / np.log2(ranks + 1) if metric == "nDCG" else np.ones(k)
    return worth
