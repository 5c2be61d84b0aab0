"""Samples with more structure than one value per independent user: users in clusters, several folds, several training runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..exact_sums.exact import ExactSums, round_fraction
from ..exact_sums.group_sums import exact_group_sums
from .confidence import StudentT
from .estimates import (
    CONSTANT,
    Estimate,
    RatioTerms,
    Relative,
    changes_without,
    mean_and_deviation,
    pooled_estimate,
    skewness_of_mean,
    standard_deviation,
    units_changed,
)
from .paired import Floats, PairedSums, UserGroups, both_finite, counts_on_both, differences_of, units_of_weights
from .units import Units

FEW_CLUSTERS: Final = "Fewer than 30 clusters, or a few large ones: the interval is approximate."
ALL_OF_ONE: Final = "All users are in one cluster: there is no interval."
FEW_DEGREES: Final = 29
"""Degrees of freedom of 30 clusters of equal size."""


def with_clusters(estimate: Estimate, differences: Floats, clusters: NDArray[np.integer]) -> Estimate:
    """Return the estimate with the standard error of clusters of unequal size (jackknife, CV3: MacKinnon, Nielsen and Webb, 2023).

    With h_g the share of users in cluster g and R_g = Σ_{u in g} (d_u - mean d): SE² = (G - 1)/G · Σ_g R_g² / (1 - h_g)² / n². Its degrees
    of freedom are those of Satterthwaite if users were independent (Bell and McCaffrey, 2002): with r_g = h_g / (1 - h_g), (Σ r_g)² / (Σ
    r_g² + (Σ r_g²)² - Σ r_g⁴). With G clusters of equal size these are G/(G - 1) · Σ R_g² / n² and G - 1 (Liang and Zeger, 1986). Over
    sizes of Zipf it covers 95 %, but CR2, which divides by 1 - h_g, only 93 to 94 %.

    Edge cases: one cluster alone has no interval.
    """
    assert estimate.difference is not None
    _, codes = np.unique(clusters, return_inverse=True)
    n, n_clusters = len(differences), int(codes.max(initial=-1)) + 1
    if n_clusters < 2:
        return replace(estimate, confidence=None, se=None, df=None, statistic=None, p=None, relative=None, notes=(ALL_OF_ONE,))
    sizes = np.bincount(codes)
    rests = (exact_group_sums(differences, codes, n_clusters) - sizes * estimate.difference) / (1 - sizes / n)
    df = degrees_of_freedom(sizes)
    relative = replace(estimate.relative, low=None, high=None) if estimate.relative else None
    notes = (*estimate.notes, FEW_CLUSTERS) if df < FEW_DEGREES else estimate.notes
    changed = np.bincount(codes, differences != 0) > 0
    units = units_of_weights(max(2, round(df) + 1), sizes, changed)
    return replace(estimate.with_jackknife(rests, df, units, n), relative=relative, notes=notes)


def pooled_with_clusters(base: RatioTerms, model: RatioTerms, clusters: NDArray[np.integer]) -> Estimate:
    """Return the difference of two pooled ratios R = Σx/Σy of users in clusters, by the jackknife over clusters.

    A cluster changes a ratio by j = (x - R·y)/(Σy - y) if left out, with its sums x and y, and SE² = (G - 1)/G · Σ (j of the model - j of
    the base)². Degrees of freedom are those of `with_clusters`, with the y of the base as sizes.

    Edge cases: as for `pooled_estimate`. One cluster alone, or one with all of Σy, has no interval.
    """
    estimate = pooled_estimate(base, model)
    if estimate.base_value is None or estimate.value is None:
        return estimate
    among = np.all([np.isfinite(terms) for side in (base, model) for terms in side], axis=0)
    _, codes = np.unique(clusters[among], return_inverse=True)
    n_clusters = int(codes.max(initial=-1)) + 1
    changed = np.bincount(codes, units_changed([RatioTerms(*(terms[among] for terms in side)) for side in (base, model)])) > 0
    sides = [RatioTerms(*(exact_group_sums(terms[among], codes, n_clusters) for terms in side)) for side in (base, model)]
    if any((side.denominators >= side.denominators.sum()).any() for side in sides):
        return replace(estimate, confidence=None, sd=None, se=None, df=None, statistic=None, p=None, notes=(ALL_OF_ONE,))
    changes = changes_without(sides[1], estimate.value) - changes_without(sides[0], estimate.base_value)
    df = degrees_of_freedom(sides[0].denominators)
    notes = (*estimate.notes, FEW_CLUSTERS) if df < FEW_DEGREES else estimate.notes
    units = units_of_weights(max(2, round(df) + 1), sides[0].denominators, changed)
    return replace(estimate.with_jackknife(changes, df, units), notes=notes)


def degrees_of_freedom(sizes: NDArray[np.integer] | Floats) -> float:
    """Return the degrees of freedom of the standard error of a mean over clusters of these sizes: see `with_clusters`."""
    if (sizes == sizes[0]).all():
        return len(sizes) - 1
    ratios = sizes / (sizes.sum() - sizes)
    squares = math.fsum(ratios**2)
    return math.fsum(ratios) ** 2 / (squares + squares**2 - math.fsum(ratios**4))


ONE_USER: Final = "A fold has only one user: there is no interval."
Integers = NDArray[np.integer]


class FoldTerms(Struct, frozen=True, eq=False):
    """Contributions of users to the difference: `weights` times `differences`; `rests` are differences from the mean of the user's fold."""

    folds: Integers
    weights: Floats
    differences: Floats
    rests: Floats

    @property
    def influences(self) -> Floats:
        """Numbers whose mean is the difference, and whose spread is that of users within their folds."""
        n = len(self.weights)
        return n * self.weights * self.rests + float(ExactSums.from_values((self.weights * self.differences)[np.newaxis]).values()[0])


def fold_estimate(base: Floats, model: Floats, folds: Integers, aggregate: Literal["mean", "sum"] = "mean") -> tuple[Estimate, FoldTerms]:
    """Return the mean over F folds of the difference of means, or of sums; users have finite values, and a fold from 0.

    A fold is a group of its own, whose mean differs from that of the others: SE² = Σ_f s²_f / n_f / F², where s²_f is the variance of the
    differences of the n_f users of a fold around their mean. Degrees of freedom are those of Satterthwaite (1946), and the t test is
    corrected for the skewness of the mean.

    Edge cases: folds without users do not count. No interval if a fold has one user.
    """
    by_fold = [sums for sums in UserGroups.from_codes(folds, int(folds.max(initial=-1)) + 1).sums(base, model) if sums.n]
    total = sum(by_fold, PairedSums.zeros())
    if not by_fold:
        return Estimate(0, None, None, None), FoldTerms(folds, base, base, base)
    of_folds = [Fraction(1, len(by_fold) * (sums.n if aggregate == "mean" else 1)) for sums in by_fold]
    base_value, value, difference = (
        round_fraction(sum((weight * part for weight, part in zip(of_folds, parts, strict=True)), Fraction(0)))
        for parts in zip(*((sums.base, sums.model, sums.difference()) for sums in by_fold), strict=True)
    )
    relative = Relative.from_difference(difference, base_value)
    estimate = Estimate(total.n, base_value, value, difference, up=total.up, down=total.down, relative=relative)
    estimate = _with_spread(estimate, by_fold, list(map(round_fraction, of_folds)))
    _, codes = np.unique(folds, return_inverse=True)
    differences = differences_of(base, model)
    weights = np.array(list(map(round_fraction, of_folds)))[codes]
    means = np.array([round_fraction(sums.difference() / sums.n) for sums in by_fold])
    estimate = replace(estimate, units=_units_of_folds(weights, differences != 0))
    return estimate, FoldTerms(codes, weights, differences, differences - means[codes])


def _with_spread(estimate: Estimate, by_fold: Sequence[PairedSums], weights: Sequence[float]) -> Estimate:
    if min(sums.n for sums in by_fold) < 2:
        return replace(estimate, notes=(ONE_USER,))
    moments = [(sums.difference(), sums.difference_squares(), sums.difference_cubes(), sums.n) for sums in by_fold]
    deviations = [standard_deviation(total, squares, n) for total, squares, _, n in moments]
    terms = [n * (weight * sd) ** 2 for weight, sd, (*_, n) in zip(weights, deviations, moments, strict=True)]
    variance = math.fsum(terms)
    if variance == 0:
        return replace(estimate.with_t(0.0, estimate.n - len(by_fold)), sd=0.0, notes=(CONSTANT,) if estimate.n_changed else ())
    df = variance**2 / math.fsum(term**2 / (sums.n - 1) for term, sums in zip(terms, by_fold, strict=True))
    skewness = math.fsum(
        skewness_of_mean(*of_fold) * (term / variance) ** 1.5 for of_fold, term in zip(moments, terms, strict=True) if term
    )
    pooled = math.sqrt(math.fsum((sums.n - 1) * sd**2 for sums, sd in zip(by_fold, deviations, strict=True)) / (estimate.n - len(by_fold)))
    estimate = estimate.with_t(math.sqrt(variance), df, skewness, cautious=any(sums.is_sparse for sums in by_fold))
    return replace(estimate, sd=pooled)


def with_fold_clusters(estimate: Estimate, terms: FoldTerms, clusters: Integers) -> Estimate:
    """Return the estimate with users of one cluster treated as dependent, such as the rows of one user in several folds.

    SE² = (G - 1)/G · Σ_g R_g², where R_g is the sum over folds of weight / (1 - h) times the rests of the users of cluster g, h being their
    share of the fold; see `with_clusters`. Degrees of freedom are those of Bell and McCaffrey (2002) for a regression on folds.

    Edge cases: one cluster alone has no interval.
    """
    _, codes = np.unique(clusters, return_inverse=True)
    n_clusters, n_folds = int(codes.max(initial=-1)) + 1, int(terms.folds.max(initial=-1)) + 1
    if n_clusters < 2 or estimate.confidence is None:
        notes = (ALL_OF_ONE,) if n_clusters < 2 else estimate.notes
        return replace(estimate, confidence=None, se=None, df=None, statistic=None, p=None, relative=None, notes=notes)
    cells, of_rows, members = np.unique(codes * n_folds + terms.folds, return_inverse=True, return_counts=True)
    sizes = np.bincount(terms.folds, minlength=n_folds)[cells % n_folds]
    weights = np.zeros(len(cells))
    weights[of_rows] = terms.weights
    rest = 1 - members / sizes
    factors = np.divide(weights, rest, out=np.zeros(len(cells)), where=rest > 0)
    rests = exact_group_sums(factors[of_rows] * terms.rests, codes, n_clusters)
    by_cluster = np.zeros((n_clusters, n_folds))
    by_cluster[cells // n_folds, cells % n_folds] = factors * members / np.sqrt(sizes)
    own = np.bincount(cells // n_folds, factors**2 * rest * members, minlength=n_clusters)
    trace = math.fsum(own)
    products = by_cluster.T @ by_cluster
    squares = math.fsum(own**2) + float((products**2).sum()) - math.fsum((by_cluster**2).sum(axis=1) ** 2)
    df = trace**2 / squares
    notes = (*estimate.notes, FEW_CLUSTERS) if df < FEW_DEGREES else estimate.notes
    units = _units_of_folds(exact_group_sums(terms.weights, codes, n_clusters), np.bincount(codes, terms.differences != 0) > 0)
    return replace(estimate.with_jackknife(rests, df, units), notes=notes)


def _units_of_folds(weights: Floats, changed: NDArray[np.bool_]) -> Units:
    """Count users of folds, or clusters of them, by their weight in the mean over folds.

    They are as many as units of the largest weight: if changes are rare, all of them may be those of the smallest fold.
    """
    total = math.fsum(np.sort(weights))
    units = units_of_weights(max(2, round(total / float(weights.max()))), weights, changed)
    return replace(units, are_users=units.n == len(weights))


ONE_RUN: Final = "One run per model: the interval does not include the variation between trainings."
_ENOUGH: Final = 5


def runs_estimate(base: Sequence[Floats], model: Sequence[Floats]) -> Estimate:
    """Return the difference of two models over users and training runs (Bouthillier et al., 2021), each run with one value per user.

    The value of a user is the mean over the runs of a model. Users and runs are crossed: the variance s²_users of users' differences, and
    that of the means of the K runs of a model, s²_a, both contain the noise e²_a of a user in a run, which the mean contains only once:

        SE² = s²_users/n + max(0, s²_a/K_a - e²_a/(n·K_a)) + max(0, s²_b/K_b - e²_b/(n·K_b))

    e² is the mean square of the residuals of the values after users and runs. Degrees of freedom by Satterthwaite (1946), in which a model
    has no term if its runs differ no more than that noise.

    Edge cases: a model of one run has no term of its own, and a note says so. A user without a value in one of the runs of a model has none
    for that model. `ValueError` if a model has no run.
    """
    if not base or not model:
        raise ValueError("a comparison needs at least one run per model")
    a, b, n_unpaired = both_finite(_means(base), _means(model))
    paired = PairedSums.from_values(a, b)
    n = paired.n
    if n == 0:
        return Estimate(0, None, None, None, n_unpaired=n_unpaired)
    difference, sd = mean_and_deviation(differences_of(a, b))
    value, base_value = mean_and_deviation(b)[0], mean_and_deviation(a)[0]
    estimate = Estimate(
        n,
        base_value,
        value,
        difference,
        up=paired.up,
        down=paired.down,
        n_unpaired=n_unpaired,
        relative=Relative.from_difference(difference, base_value),
        notes=_notes(base, model),
    )
    if n == 1:
        return estimate
    among = np.isfinite(_means(base)) & np.isfinite(_means(model))
    of_users, of_runs = sd**2 / n, [_training([run[among] for run in runs]) for runs in (base, model) if len(runs) > 1]
    training = math.fsum(run.beyond_noise for run in of_runs)
    variance = of_users + training
    squares = of_users**2 / (n - 1) + math.fsum(run.variance**2 / run.df for run in of_runs if run.beyond_noise)
    df = variance**2 / squares if variance else n - 1
    notes = estimate.notes if variance or not paired.n_changed else (*estimate.notes, CONSTANT)
    estimate = replace(estimate, training=training, runs=min(len(base), len(model)))
    skewness = 0.0
    if of_users:
        skewness = skewness_of_mean(paired.difference(), paired.difference_squares(), paired.difference_cubes(), n)
    estimate = estimate.with_t(math.sqrt(of_users), df, skewness, cautious=paired.is_sparse)
    return replace(_with_training(estimate, variance, df), sd=sd, notes=notes)


def _with_training(estimate: Estimate, variance: float, df: float) -> Estimate:
    """Return the estimate with a larger `variance`, which includes a part without skewness, of training again."""
    users = estimate.confidence
    assert isinstance(users, StudentT)
    skewness = users.skewness * (users.se**2 / variance) ** 1.5 if variance else 0.0
    return estimate.with_t(math.sqrt(variance), df, skewness, cautious=users.cautious)


def fold_runs_estimate(
    base: Sequence[Floats],
    model: Sequence[Floats],
    folds: Integers,
    aggregate: Literal["mean", "sum"] = "mean",
    clusters: Integers | None = None,
) -> Estimate:
    """Return the mean over folds of the difference of two models over users and training runs; see `fold_estimate` and `runs_estimate`.

    Run k over all folds is one replicate of the cross-validation. To the variance of users, s²_u, which is that of `fold_estimate` (of
    `with_fold_clusters` with `clusters`) for the means of users over runs, each model adds a part for its K replicates M_k:

        SE² = s²_u + Σ max(0, s²(M_1 … M_K)/K - Σ_f n_f w_f² e²_f / K)

    where w_f is the weight of a user of fold f, and e²_f the mean square of the residuals in this fold after users and runs. Degrees of
    freedom by Satterthwaite (1946), with K - 1 for each such part.

    Edge cases: those of both functions. A fold with one user has no interval.
    """
    a, b = _means(base), _means(model)
    both = counts_on_both(a, b)
    left, right, n_unpaired = both_finite(a, b)
    estimate, terms = fold_estimate(left, right, folds[both], aggregate)
    if clusters is not None and estimate.confidence is not None:
        estimate = with_fold_clusters(estimate, terms, clusters[both])
    estimate = replace(estimate, n_unpaired=n_unpaired, notes=(*estimate.notes, *_notes(base, model)))
    se, df = estimate.se, estimate.df
    if se is None or df is None:
        return estimate
    of_runs = [_training_over_folds([run[both] for run in runs], terms) for runs in (base, model) if len(runs) > 1]
    training = math.fsum(run.beyond_noise for run in of_runs)
    estimate = replace(estimate, training=training, runs=min(len(base), len(model)))
    if not training:
        return estimate
    variance = se**2 + training
    squares = se**4 / df + math.fsum(run.variance**2 / run.df for run in of_runs if run.beyond_noise)
    return _with_training(estimate, variance, variance**2 / squares)


def _training_over_folds(runs: Sequence[Floats], terms: FoldTerms) -> _Training:
    """Return the effect of training again on the mean over folds, from the values of the users in all runs."""
    n_runs, sizes = len(runs), np.bincount(terms.folds)
    replicates = ExactSums.from_values(np.stack([terms.weights * run for run in runs])).values()
    variance = mean_and_deviation(replicates)[1] ** 2 / n_runs
    rests = np.stack(runs) - _means(runs)
    within = exact_group_sums((rests**2).reshape(-1), np.tile(terms.folds, n_runs), len(sizes))
    of_runs = np.stack([exact_group_sums(rest, terms.folds, len(sizes)) for rest in rests])
    between = np.sort(of_runs**2, axis=0).sum(axis=0) / sizes
    noise = np.maximum(0.0, within - between) / ((n_runs - 1) * (sizes - 1))
    weights = np.zeros(len(sizes))
    weights[terms.folds] = terms.weights
    return _Training.beyond(math.fsum(sizes * weights**2 * noise) / n_runs, variance, n_runs - 1)


class _Training(NamedTuple):
    """Variance of the mean of a model's runs, its part beyond the noise of users in runs, and its degrees of freedom."""

    variance: float
    beyond_noise: float
    df: int

    @classmethod
    def beyond(cls, noise: float, variance: float, df: int) -> _Training:
        """Return the effect with its part beyond `noise`: none where only rounding is left, which has almost 0 degrees of freedom."""
        rest = variance - noise
        return cls(variance, rest if rest > 1e-12 * variance else 0.0, df)


def _training(runs: Sequence[Floats]) -> _Training:
    """Return the effect of training again on the mean over runs, from the values of the users in all runs."""
    n, n_runs = len(runs[0]), len(runs)
    variance = mean_and_deviation(np.array([mean_and_deviation(run)[0] for run in runs]))[1] ** 2 / n_runs
    rests = np.stack(runs) - _means(runs)
    within = float(ExactSums.with_squares(rests.reshape(1, -1))[1].values()[0])  # of runs around the mean of each user
    noise = max(0.0, within - n * n_runs * (n_runs - 1) * variance) / ((n_runs - 1) * (n - 1))
    return _Training.beyond(noise / (n * n_runs), variance, n_runs - 1)


def training_variance(runs: Sequence[Floats]) -> float:
    """Return the variance of a run's mean beyond the noise of users in runs; 0 for one run, of which it is not known."""
    return _training(runs).beyond_noise * len(runs) if len(runs) > 1 else 0.0


def _means(runs: Sequence[Floats]) -> Floats:
    """Return the mean of each user; the order of runs does not change it."""
    return np.asarray(np.sort(np.stack(runs), axis=0).sum(axis=0) / len(runs), dtype=np.float64)


def _notes(base: Sequence[Floats], model: Sequence[Floats]) -> tuple[str, ...]:
    fewest = min(len(base), len(model))
    if max(len(base), len(model)) == 1:
        return (ONE_RUN,)
    if fewest == 1:
        return ("One of the models has only one run: the variation between trainings is known only for the other model.",)
    return (f"{fewest} runs per model: the variation between trainings is known only roughly; use 5 or more.",) if fewest < _ENOUGH else ()
