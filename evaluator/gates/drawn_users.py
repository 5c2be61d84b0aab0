"""Users drawn from a stored pair of models, as samplers that yield estimates: by sums where these are enough, else row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..comparison.model_pair import ModelPair
from ..results.result import Row
from ..stats.estimates import Estimate
from ..stats.paired import Floats
from ..stats.planting import Population
from ..stats.samples import training_variance

Estimates = Callable[[int], Estimate]
"""The estimate of each measure, by its number, over users that were drawn."""
_POOLED = ("micro", "weighted")


class SumSampler(Struct, frozen=True, eq=False):
    """Draws the sums over users of measures whose estimates follow from them."""

    population: Population

    @classmethod
    def of_pair(cls, pair: ModelPair, rows: Sequence[Row], *, bounded: bool) -> SumSampler:
        """Return the sampler of some measures of a pair."""
        a, b, sizes, _ = (np.array(side) for side in zip(*(_terms(pair, row) for row in rows), strict=True))
        base, model = (np.where(sizes > 0, side, np.nan) for side in (a, b))
        return cls(Population.from_values(base, model, normal=bounded))

    def both_ways(self) -> SumSampler:
        """Return the sampler of users in both directions."""
        return SumSampler(self.population.both_ways())

    def units_per_user(self, shares: Floats, index: int) -> float:
        """Return how many users are drawn for each who counts for a measure."""
        return 1 / float(shares @ np.isfinite(self.population.base[index]))

    def samples(self, shares: Floats, n: int, draws: int, random: np.random.Generator) -> Iterator[Estimates]:
        """Yield the estimates over `n` users, as often as there are `draws`."""

        def estimates(drawn: Floats) -> Estimates:
            def estimate(index: int) -> Estimate:
                sums = self.population.sums(drawn, index)
                return Estimate(sums.n, None, None, None, up=sums.up, down=sums.down, sums=sums)

            return estimate

        return map(estimates, self.population.drawn(shares, n, draws, random))


class RowSampler(Struct, frozen=True, eq=False):
    """Draws whole users, or clusters, with all their rows; runs differ by as much as the stored ones do, by chance."""

    pair: ModelPair
    rows: tuple[Row, ...]
    units: NDArray[np.integer]
    population: Population
    swaps: bool = False

    @classmethod
    def of_pair(cls, pair: ModelPair, rows: Sequence[Row]) -> RowSampler:
        """Return the sampler of some measures of a pair."""
        assert pair.pairing is not None
        n = len(pair.pairing.keys)
        _, units = np.unique(np.arange(n) if pair.clusters is None else pair.clusters, return_inverse=True)
        n_units = int(units.max(initial=-1)) + 1
        terms = [[np.bincount(units, side, minlength=n_units) for side in _terms(pair, row)] for row in rows]
        a, b, size_a, size_b = (np.array(side) for side in zip(*terms, strict=True))
        population = Population(
            np.where(size_a > 0, a, np.nan), np.where(size_a > 0, b, np.nan), np.full(n_units, 1 / n_units), sizes=(size_a, size_b)
        )
        return cls(pair, tuple(rows), units, population)

    def both_ways(self) -> RowSampler | None:
        """Return the sampler of users in both directions; `None` if the models have different numbers of runs."""
        assert self.pair.pairing is not None
        if len(self.pair.pairing.base.runs) != len(self.pair.pairing.model.runs):
            return None
        return replace(self, population=self.population.both_ways(), swaps=True)

    def units_per_user(self, shares: Floats, index: int) -> float:
        """Return how many units are drawn for each user who counts for a measure."""
        users = np.bincount(self.units, counted(self.pair, self.rows[index]))
        return 1 / float(shares @ np.tile(users, len(shares) // len(users)))

    def samples(self, shares: Floats, n: int, draws: int, random: np.random.Generator) -> Iterator[Estimates]:
        """Yield the estimates over `n` units, as often as there are `draws`."""
        order = np.argsort(self.units, kind="stable")
        sizes = np.bincount(self.units)
        starts, n_units = np.cumsum(sizes) - sizes, len(sizes)
        is_clustered = len(self.units) > n_units
        noise = self._noise()
        for _ in range(draws):
            drawn = random.choice(len(shares), n, p=shares)
            units, swapped = drawn % n_units, drawn >= n_units
            lengths = sizes[units]
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            rows = order[np.repeat(starts[units], lengths) + within]
            factors = tuple(centre * (1 + spread * random.standard_normal(len(centre))) for centre, spread in noise)
            clusters = np.repeat(np.arange(n), lengths) if is_clustered else None
            pair = self.pair.drawn(rows, np.repeat(swapped, lengths), clusters, (factors[0], factors[1]))
            yield lambda index, pair=pair: pair.estimate(self.rows[index].label, self.rows[index].by, self.rows[index].group)  # type: ignore[misc]

    def _noise(self) -> list[tuple[Floats, float]]:
        """Return factors that give all runs of a model the same mean, and the share by which a run differs, as a standard deviation.

        They are those of the first measure. Factors keep values of 0, and the noise of users in runs is that of the stored runs.
        """
        pairing = self.pair.pairing
        assert pairing is not None
        noise = []
        for side in (pairing.base, pairing.model):
            runs = side.values(self.pair.row(self.pair.base, self.rows[0].label).measure)
            counted = np.isfinite(runs).all(axis=0)
            means = np.array([run[counted].mean() for run in runs])
            spread = np.sqrt(training_variance([run[counted] for run in runs]))
            known = len(runs) > 1 and bool((means > 0).all())
            noise.append((means.mean() / means, float(spread / means.mean())) if known else (np.ones(len(runs)), 0.0))
        return noise


def counted(pair: ModelPair, row: Row) -> NDArray[np.bool_]:
    """Return a mask of the paired users who count for a measure on both sides."""
    assert pair.pairing is not None
    measure, users = pair.members(row.label, row.by, row.group)
    columns = _columns(measure, row)
    values = [run for side in (pair.pairing.base, pair.pairing.model) for column in columns for run in side.values(column)]
    return np.asarray(users & np.isfinite(values).all(axis=0))


def _columns(measure: str, row: Row) -> list[str]:
    return [f"{measure} numerator", f"{measure} denominator"] if row.aggregate in _POOLED else [measure]


def _terms(pair: ModelPair, row: Row) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the values of each paired user on both sides, and what these are divided by; 0 if the user is not counted."""
    assert pair.pairing is not None
    counts, columns = counted(pair, row), _columns(pair.members(row.label, row.by, row.group)[0], row)
    sides = [
        [np.where(counts, np.mean(side.values(column), axis=0), 0.0) for column in columns]
        for side in (pair.pairing.base, pair.pairing.model)
    ]
    if row.aggregate in _POOLED:
        (a, size_a), (b, size_b) = sides
        return a, b, size_a, size_b
    weights = counts * _fold_weights(pair, counts)
    return sides[0][0] * weights, sides[1][0] * weights, weights, weights


def _fold_weights(pair: ModelPair, counted: NDArray[np.bool_]) -> Floats:
    """Return weights with which a mean over users is the mean over folds; 1 without folds."""
    assert pair.pairing is not None
    folds = pair.pairing.folds
    if folds is None:
        return np.ones(len(counted))
    sizes = np.bincount(folds[counted], minlength=int(folds.max()) + 1)
    return np.asarray(counted.sum() / np.maximum(sizes, 1)[folds] / max(1, (sizes > 0).sum()))
