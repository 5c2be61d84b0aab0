"""Slices of users whose mean is below that of all others: found on one half of the users, tested on the other half.

A slice is a group of users, or the users who are in one group of each of several groupings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..exact_sums.exact import ExactSums, round_fraction
from ..support.errors import ConfigError
from .confidence import StudentT, two_sided
from .estimates import skewness_of_mean, standard_deviation
from .paired import TOLERANCE, Floats
from .units import SPARSE_BELOW

Codes = NDArray[np.int64]
Condition = tuple[int, int]
"""The index of a grouping and the code of one of its groups."""

LEAST_APART: Final = 10
"""A slice is not confirmed if fewer of its users than this differ from the median of all users."""
_EXACT: Final = 2.0**52
"""Floats are exact sums of integers up to this size."""


class SliceSettings(Struct, frozen=True):
    """Settings of a search for slices.

    At most `depth` conditions make a slice. `most` slices of each direction are tested on the other half; a slice has at least
    `least_users` users, and at least the share `least_share` of all, in each half. `alpha` is the error rate over all tested slices, `seed`
    chooses the halves.

    `ConfigError` if a setting is impossible.
    """

    depth: int = 2
    most: int = 5
    least_users: int = 50
    least_share: float = 0.01
    alpha: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        if self.depth not in (1, 2):
            raise ConfigError(f"depth must be 1 (single groups) or 2 (also pairs of them), not {self.depth}")
        if self.least_users < 2:
            raise ConfigError(f"a slice needs at least 2 users in each half, not {self.least_users}")

    def least(self, n_users: int) -> int:
        """Return the least number of users of a slice in a half with `n_users`."""
        return max(self.least_users, math.ceil(self.least_share * n_users))


class Groups(NamedTuple):
    """One grouping: the code of each user's group, from 0, the number of codes, and that of users without a value (-1: none)."""

    codes: Codes
    n_codes: int
    missing: int = -1

    def subset(self, users: NDArray[np.bool_] | Codes) -> Groups:
        """Return the groups of some users, given by their positions or by a mask."""
        return self._replace(codes=self.codes[users])


class Candidate(NamedTuple):
    """A slice found on the first half: its conditions, its score, and whether its mean is `lower` than that of all users."""

    conditions: tuple[Condition, ...]
    score: float
    lower: bool

    def members(self, groupings: Sequence[Groups]) -> NDArray[np.bool_]:
        """Return a mask of the users in the slice."""
        return _members(self.conditions, groupings)


def _members(conditions: tuple[Condition, ...], groupings: Sequence[Groups]) -> NDArray[np.bool_]:
    (first, code), *more = conditions
    mask = np.asarray(groupings[first].codes == code)
    for index, other in more:
        mask &= groupings[index].codes == other
    return mask


class Search(NamedTuple):
    """The best slices of both directions, those with a low mean first, and the number of slices whose score was computed."""

    candidates: tuple[Candidate, ...]
    n_scored: int


def find(values: Floats, groupings: Sequence[Groups], settings: SliceSettings) -> Search:
    """Find the slices with the highest scores among some users, in which the mean of `values` is lower, or higher, than over all.

    The score is that of SliceLine (Sagadeeva and Boehm, SIGMOD 2021), with the distance of a mean from that of all users in units of the
    mean absolute deviation, because differences of models have both signs:

        score(S) = α · (mean - mean_S) / MAD - (1 - α) · (n / |S| - 1), α = 1 - 2 / √n

    SliceLine leaves α to its user. Here it grows with the number of users, as do the differences that can be told from noise: 0.94 with
    1,000 users, 0.98 with 10,000.

    Slices of the same users count once, under the simplest name: with the fewest groups, and if possible none of users without a value.

    A pair of groups is not looked at if one of its two groups is too small, or if no subset of this group can have a score above 0 and
    above the `most`-th best one so far. A pair counts if its score is above those of both its groups. Sums are over integers, so that
    the order of users changes nothing.

    Edge cases: no slices if all values are equal, or without users.
    """
    if not len(values) or not (deviations := _as_integers(values)).any():
        return Search((), 0)
    lower, n_lower = _find(-deviations, groupings, settings)
    higher, n_higher = _find(deviations, groupings, settings)
    found = [Candidate(conditions, score, lower=True) for conditions, score in lower]
    # If a grouping has two groups, one of them is lower if and only if the other is higher.
    halves = {((index, 1 - code),) for ((index, code), *more), _ in lower if groupings[index].n_codes == 2 and not more}
    higher = [candidate for candidate in higher if candidate[0] not in halves]
    return Search((*found, *(Candidate(conditions, score, lower=False) for conditions, score in higher)), max(n_lower, n_higher))


def find_below(values: Floats, groupings: Sequence[Groups], settings: SliceSettings) -> Search:
    """Find the slices with the highest scores among some users, in which the mean of `values` is below 0.

    The score is that of `find`, with distances from 0 instead of the mean of all users: if all users have values below 0, so has every
    slice. `n_scored` is 0 if no group has enough users.
    """
    largest = float(np.abs(values).max()) if len(values) else 0.0
    if largest <= TOLERANCE:
        least = settings.least(len(values))
        return Search((), sum(int((np.bincount(groups.codes, minlength=groups.n_codes) >= least).sum()) for groups in groupings))
    unit = 2.0 ** math.floor(math.log2(_EXACT / (4 * len(values) * largest)))
    found, n_scored = _find(-np.rint(values * unit), groupings, settings)
    return Search(tuple(Candidate(conditions, score, lower=True) for conditions, score in found), n_scored)


def _as_integers(values: Floats) -> Floats:
    """Return the deviations of values from their mean as whole numbers whose sums are exact; all 0 if values differ only by rounding."""
    spread = float(values.max() - values.min())
    largest = max(abs(float(values.max())), abs(float(values.min())))
    if spread <= TOLERANCE * max(1.0, largest):
        return np.zeros(len(values))
    unit = 2.0 ** math.floor(math.log2(_EXACT / (4 * len(values) * spread)))
    whole = np.rint((values - values.min()) * unit)
    return np.asarray(whole - round(float(whole.sum()) / len(values)))


class _Sums(NamedTuple):
    """Of each code of a grouping: the number of users, the sum of their errors, and that of errors above 0."""

    sizes: Codes
    errors: Floats
    above: Floats


class _Scorer(NamedTuple):
    """Sizes that the scores of all slices share."""

    n: int
    deviation: float
    largest: float
    least: int
    weight: float

    def scores(self, sums: _Sums) -> Floats:
        """Return the score of each code; -∞ for a slice that is too small."""
        sizes = np.maximum(sums.sizes, 1)
        scores = self.weight * sums.errors / (sizes * self.deviation) - (1 - self.weight) * (self.n / sizes - 1)
        return np.where(sums.sizes >= self.least, scores, -np.inf)

    def bounds(self, sums: _Sums) -> Floats:
        """Return the highest score that any part of each slice can have: -∞ for a slice that is too small.

        The errors of s users of a slice are at most min(those above 0, s · the largest). As a function of s the score has its maximum at
        the least size, at the size of the slice, or where the two are equal.
        """
        sizes = np.maximum(sums.sizes, self.least).astype(np.float64)
        turn = np.clip(sums.above / self.largest, self.least, sizes)
        bounds = np.full(len(sizes), -np.inf)
        for size in (np.full(len(sizes), float(self.least)), turn, sizes):
            errors = np.minimum(sums.above, size * self.largest)
            bounds = np.maximum(bounds, self.weight * errors / (size * self.deviation) - (1 - self.weight) * (self.n / size - 1))
        return np.where(sums.sizes >= self.least, bounds, -np.inf)


def _sums(codes: Codes, n_codes: int, errors: Floats, above: Floats) -> _Sums:
    counts = np.bincount(codes, minlength=n_codes)
    return _Sums(counts, *(np.bincount(codes, terms, n_codes).astype(np.float64) for terms in (errors, above)))


def _find(errors: Floats, groupings: Sequence[Groups], settings: SliceSettings) -> tuple[list[tuple[tuple[Condition, ...], float]], int]:
    """Return the best slices with their scores, best first, and the number of slices scored."""
    above = np.maximum(errors, 0.0)
    n = len(errors)
    largest = float(above.max()) or 1.0  # without errors above 0 all scores are below 0
    scorer = _Scorer(n, float(np.abs(errors).sum()) / n, largest, settings.least(n), max(0.5, 1 - 2 / math.sqrt(n)))
    best: list[_Found] = []
    n_scored = 0
    singles, kept = list[Floats](), list[Floats]()

    def keep(scores: Floats, conditions: Sequence[tuple[Condition, ...]]) -> None:
        worst = best[-1].turned if len(best) == settings.most else 0.0
        for score, of_slice in zip(scores.tolist(), conditions, strict=True):
            if score > 0 and -score <= worst:
                n_missing = sum(code == groupings[index].missing for index, code in of_slice)
                best.append(_Found(-score, len(of_slice), n_missing, of_slice))
        best[:] = _distinct(sorted(best), groupings, settings.most)

    for index, groups in enumerate(groupings):
        sums = _sums(groups.codes, groups.n_codes, errors, above)
        scores = scorer.scores(sums)
        n_scored += int(np.isfinite(scores).sum())
        singles.append(scores)
        kept.append(scorer.bounds(sums))
        keep(scores, [((index, code),) for code in range(groups.n_codes)])
    for first_index, other in combinations(range(len(groupings)), 2) if settings.depth > 1 else ():
        threshold = -best[-1].turned if len(best) == settings.most else 0.0
        rows, columns = (np.flatnonzero(kept[index] >= max(threshold, np.nextafter(0, 1))) for index in (first_index, other))
        if not len(rows) or not len(columns):
            continue
        cells = _positions(groupings[first_index], rows)[groupings[first_index].codes] * (len(columns) + 1)
        cells += _positions(groupings[other], columns)[groupings[other].codes]
        sums = _sums(cells, (len(rows) + 1) * (len(columns) + 1), errors, above)
        inner = np.arange(len(sums.sizes)).reshape(len(rows) + 1, -1)[1:, 1:].reshape(-1)  # the first are users in no kept group
        scores = scorer.scores(_Sums(sums.sizes[inner], sums.errors[inner], sums.above[inner]))
        n_scored += int(np.isfinite(scores).sum())
        parts = np.maximum.outer(singles[first_index][rows], singles[other][columns]).reshape(-1)
        conditions = [((first_index, row), (other, column)) for row in rows.tolist() for column in columns.tolist()]
        keep(np.where(scores > parts, scores, -np.inf), conditions)
    return [(candidate.conditions, -candidate.turned) for candidate in best], n_scored


class _Found(NamedTuple):
    """A slice in the order of results: by its score with the other sign, then by the simplicity of its name."""

    turned: float
    n_conditions: int
    n_missing: int
    conditions: tuple[Condition, ...]


def _distinct(found: list[_Found], groupings: Sequence[Groups], most: int) -> list[_Found]:
    """Return the first `most` slices, of those with the same users the first; these have the same score."""
    kept: list[_Found] = []
    for candidate in found:
        alike = (other for other in kept if other.turned == candidate.turned)
        if not any((_members(candidate.conditions, groupings) == _members(other.conditions, groupings)).all() for other in alike):
            kept.append(candidate)
        if len(kept) == most:
            break
    return kept


def _positions(groups: Groups, kept: Codes) -> Codes:
    """Return for each code its position among those that are kept, from 1; 0 for others."""
    positions = np.zeros(groups.n_codes, dtype=np.int64)
    positions[kept] = np.arange(1, len(kept) + 1)
    return positions


class SliceTest(Struct, frozen=True):
    """The test of one slice on the second half: the mean of its `n` users minus that of all others.

    `low` and `high` are the interval of this difference, and `p_adjusted` its p value, both corrected for all tested slices (Bonferroni):
    all intervals hold together with probability 1 - α. `n_apart` users differ from the median. Fields are `None` if there are too few
    users. `confirmed` if the difference is shown, in the direction in which the slice was found.
    """

    n: int
    n_apart: int
    mean: float | None = None
    others: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    confirmed: bool = False


class _Moments(NamedTuple):
    """The number of some values and the sums of their powers."""

    n: int
    sums: tuple[Fraction, Fraction, Fraction]

    @classmethod
    def from_values(cls, values: Floats) -> _Moments:
        row = values[np.newaxis]
        powers = (*ExactSums.with_squares(row), ExactSums.from_cubes(row))
        first, second, third = (power.fraction(0) for power in powers)
        return cls(len(values), (first, second, third))

    def without(self, other: _Moments) -> _Moments:
        first, second, third = (mine - theirs for mine, theirs in zip(self.sums, other.sums, strict=True))
        return _Moments(self.n - other.n, (first, second, third))

    @property
    def mean(self) -> Fraction:
        return self.sums[0] / self.n

    @property
    def sd(self) -> float:
        return standard_deviation(self.sums[0], self.sums[1], self.n)

    @property
    def skewness(self) -> float:
        """The skewness of the mean."""
        return skewness_of_mean(*self.sums, self.n) if self.sd else 0.0


def confirm(
    values: Floats, groupings: Sequence[Groups], candidates: Sequence[Candidate], settings: SliceSettings, family: int | None = None
) -> list[SliceTest]:
    """Test slices on users who took no part in finding them, corrected for all of `candidates`, or for a larger `family`.

    The difference of the two means has the standard error of Welch, or that of a common variance if this is larger: with few changed users
    a slice may have less spread in the sample than in truth. It is corrected for skewness (Johnson, 1978).
    """
    whole = _Moments.from_values(values)
    is_apart = np.abs(values - np.median(values)) > TOLERANCE if len(values) else np.zeros(0, dtype=np.bool_)
    tests = []
    for candidate in candidates:
        members = candidate.members(groupings)
        inside = _Moments.from_values(values[members])
        tests.append(_test(inside, whole.without(inside), int(is_apart[members].sum()), candidate, settings, family or len(candidates)))
    return tests


def _test(inside: _Moments, others: _Moments, n_apart: int, candidate: Candidate, settings: SliceSettings, family: int) -> SliceTest:
    if min(inside.n, others.n) < 2:
        return SliceTest(inside.n, n_apart)
    mean, rest = round_fraction(inside.mean), round_fraction(others.mean)
    difference = round_fraction(inside.mean - others.mean)
    terms = inside.sd**2 / inside.n, others.sd**2 / others.n
    welch, n = sum(terms), inside.n + others.n
    common = ((inside.n - 1) * inside.sd**2 + (others.n - 1) * others.sd**2) / (n - 2) * (1 / inside.n + 1 / others.n)
    if not welch:
        return SliceTest(inside.n, n_apart, mean, rest, difference)
    df = welch**2 / (terms[0] ** 2 / (inside.n - 1) + terms[1] ** 2 / (others.n - 1)) if welch >= common else n - 2
    skewness = inside.skewness * (terms[0] / welch) ** 1.5 - others.skewness * (terms[1] / welch) ** 1.5
    confidence = StudentT(difference, math.sqrt(max(welch, common)), df, skewness, cautious=n_apart < SPARSE_BELOW)
    p = two_sided(confidence)
    p_adjusted = min(1.0, p * family)
    tail = settings.alpha / (2 * family)
    shown = p_adjusted <= settings.alpha and n_apart >= LEAST_APART and (difference < 0) == candidate.lower
    low, high = confidence.at(tail), confidence.at(1 - tail)
    return SliceTest(inside.n, n_apart, mean, rest, difference, low, high, p, p_adjusted, shown)
