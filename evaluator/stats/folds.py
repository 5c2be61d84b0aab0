"""Several folds: the mean over folds of the mean of each, in which a user of a small fold counts for more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..sums.exact import ExactSums, rounded
from ..sums.group_sums import exact_group_sums
from .clusters import ALL_OF_ONE, FEW_CLUSTERS, FEW_DEGREES
from .estimates import CONSTANT, Estimate, skewness_of_mean, standard_deviation
from .paired import Floats, PairedSums, UserGroups, differences_of
from .relative import Relative

ONE_USER: Final = "A fold has one user only: there is no interval."
Integers = NDArray[np.integer]


class FoldTerms(Struct, frozen=True, eq=False):
    """What each user adds to the difference: `weights` times `differences`; `rests` are differences from the mean of the user's fold."""

    folds: Integers
    weights: Floats
    differences: Floats
    rests: Floats

    @property
    def influences(self) -> Floats:
        """Numbers of which the mean is the difference, and the spread that of users within their folds."""
        n = len(self.weights)
        return n * self.weights * self.rests + float(ExactSums.of((self.weights * self.differences)[np.newaxis]).values()[0])


def fold_estimate(base: Floats, model: Floats, folds: Integers, aggregate: Literal["mean", "sum"] = "mean") -> tuple[Estimate, FoldTerms]:
    """The mean over F folds of the difference of means, or of sums; users have finite values, and a fold from 0.

    A fold is a group of its own, whose mean is not that of the others: SE² = Σ_f s²_f / n_f / F², where s²_f is the variance of the
    differences of the n_f users of a fold around their mean. Degrees of freedom are those of Satterthwaite (1946), and the t test is
    corrected for the skewness of the mean.

    Edge cases: folds without users do not count. No interval if a fold has one user.
    """
    by_fold = [sums for sums in UserGroups.of(folds, int(folds.max(initial=-1)) + 1).sums(base, model) if sums.n]
    total = sum(by_fold, PairedSums.zeros())
    if not by_fold:
        return Estimate(0, None, None, None), FoldTerms(folds, base, base, base)
    of_folds = [Fraction(1, len(by_fold) * (sums.n if aggregate == "mean" else 1)) for sums in by_fold]
    base_value, value, difference = (
        rounded(sum((weight * part for weight, part in zip(of_folds, parts, strict=True)), Fraction(0)))
        for parts in zip(*((sums.base, sums.model, sums.difference()) for sums in by_fold), strict=True)
    )
    relative = Relative.of(difference, base_value)
    estimate = Estimate(total.n, base_value, value, difference, up=total.up, down=total.down, relative=relative)
    estimate = _with_spread(estimate, by_fold, list(map(rounded, of_folds)))
    _, codes = np.unique(folds, return_inverse=True)
    differences = differences_of(base, model)
    means = np.array([rounded(sums.difference() / sums.n) for sums in by_fold])
    return estimate, FoldTerms(codes, np.array(list(map(rounded, of_folds)))[codes], differences, differences - means[codes])


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
    """The same estimate where users of one cluster belong together, such as the rows of one user in several folds.

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
    total = float(ExactSums.of_squares(rests[np.newaxis]).values()[0])
    se = math.sqrt((n_clusters - 1) / n_clusters * total) if estimate.sd else 0.0
    by_cluster = np.zeros((n_clusters, n_folds))
    by_cluster[cells // n_folds, cells % n_folds] = factors * members / np.sqrt(sizes)
    own = np.bincount(cells // n_folds, factors**2 * rest * members, minlength=n_clusters)
    trace = math.fsum(own)
    products = by_cluster.T @ by_cluster
    squares = math.fsum(own**2) + float((products**2).sum()) - math.fsum((by_cluster**2).sum(axis=1) ** 2)
    df = trace**2 / squares
    notes = (*estimate.notes, FEW_CLUSTERS) if df < FEW_DEGREES else estimate.notes
    return replace(estimate.with_t(se, df), notes=notes)
