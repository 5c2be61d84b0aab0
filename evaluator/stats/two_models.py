"""Compare one measure of two models: from per-user values, or from sums, to a `Difference`."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from ..syntax.short_names import SMALLEST_FACTOR
from .concluding import sentence_of
from .confidence import Replicates, ScaledConfidence, ScaledLogarithm, StudentT, is_skewed, not_within, probability_within, two_sided
from .difference import PLAIN, PLAIN_IN_FOLDS, Difference, Settings, Subject
from .distributions import below_t
from .estimates import (
    SKEWED,
    Estimate,
    Relative,
    paired_estimate,
    relative_difference,
)
from .paired import Floats, PairedSums, both_finite, counts_on_both, differences_of
from .rare_changes import ValueRange, guard, guard_if_rare, reach_of, sides_of_missing
from .samples import fold_estimate, with_clusters, with_fold_clusters
from .units import Units

WHOLE: Final = "No value per user: no interval."
PLAIN_FAILS: Final = (
    "Student's plain t test finds differences that are not there more often than its level if few users changed or if their differences "
    "are skewed; the test t corrects for that."
)


def compare_paired(
    subject: Subject,
    base: ArrayLike,
    model: ArrayLike,
    settings: Settings,
    margin: float | None = None,
    clusters: NDArray[np.integer] | None = None,
    values: ValueRange | None = None,
) -> Difference:
    """Compare users with a value for both models, in the same order; NaN for a user without a value.

    `subject.aggregate` is the aggregate to compare: the mean, the `sum`, the `geometric` mean (t on logarithms), the `median` or a
    percentile (`p90`; both by the bootstrap). `clusters` has a number per user: users with the same number are in one cluster. `values` is
    as in `difference_of`.
    """
    return difference_of(subject, estimate_paired(base, model, settings, subject.aggregate, clusters), settings, margin, values)


def estimate_paired(
    base: ArrayLike,
    model: ArrayLike,
    settings: Settings,
    aggregate: str = "mean",
    clusters: NDArray[np.integer] | None = None,
    relative: bool = True,
    sums: PairedSums | None = None,
) -> Estimate:
    """Return the estimate that `compare_paired` records and that gates judge too.

    Without `relative` a difference of means as a share of the base value has no interval, because that takes longer than the rest. `sums`
    are those of the values if they are known.
    """
    left, right = np.asarray(base, dtype=np.float64), np.asarray(model, dtype=np.float64)
    a, b, n_unpaired = both_finite(left, right)
    members = None if clusters is None else clusters[counts_on_both(left, right)]
    if (percentage := _percentage(aggregate)) is not None:
        estimate = _percentile_estimate(a, b, percentage, settings)
        if members is not None:
            estimate = replace(
                estimate, notes=(*estimate.notes, f"The interval of the {aggregate} ignores clusters: it resamples single users.")
            )
    elif aggregate == "geometric":
        estimate = _geometric_estimate(a, b, settings, members)
    else:
        sums = PairedSums.from_values(a, b) if sums is None else sums
        estimate = _tested(paired_estimate(sums, settings.alpha if relative else None), a, b, settings, members)
        is_alone = members is None and settings.test == "t"
        if estimate.test == PLAIN and relative:
            estimate = replace(estimate, relative=relative_difference(sums, settings.alpha, plain=True))
        estimate = _total_estimate(estimate) if aggregate == "sum" else replace(estimate, sums=sums if is_alone else None)
    return replace(estimate, n_unpaired=n_unpaired)


def estimate_folds(
    base: Floats,
    model: Floats,
    folds: NDArray[np.integer],
    settings: Settings,
    aggregate: str = "mean",
    clusters: NDArray[np.integer] | None = None,
) -> Estimate:
    """Return the mean over folds of the difference of means, or of sums (`aggregate`): one value per user and fold, NaN if missing."""
    both = counts_on_both(base, model)
    a, b, n_unpaired = both_finite(base, model)
    estimate, terms = fold_estimate(a, b, folds[both], "sum" if aggregate == "sum" else "mean")
    if estimate.confidence is None:
        return replace(estimate, n_unpaired=n_unpaired)
    if clusters is not None:
        estimate = with_fold_clusters(estimate, terms, clusters[both])
    elif settings.test == PLAIN:
        estimate = _plain(estimate, PLAIN_IN_FOLDS)
    elif settings.test != "t" or _has_few_changes(estimate):
        estimate = _by_test(estimate, terms.weights * terms.differences, settings, terms.influences)
    return replace(estimate, n_unpaired=n_unpaired)


def whole_estimate(base_value: float | None, value: float | None, untested: str = "", n_users: int = 0) -> Estimate:
    """Return the difference of two values whose error is unknown: model-level values, or those of users that are `untested`, as it says."""
    difference = value - base_value if base_value is not None and value is not None else None
    relative = None if difference is None or base_value is None else Relative.from_difference(difference, base_value)
    note = f"{untested[0].upper()}{untested[1:]}." if untested else WHOLE
    return Estimate(n_users, base_value, value, difference, relative=relative, test="", untested=untested, notes=(note,))


def difference_of(
    subject: Subject, estimate: Estimate, settings: Settings, margin: float | None, values: ValueRange | None = None
) -> Difference:
    """Return the record of an estimate, before its family is corrected.

    `values` is the range of the values of a user. With it, claims hold even if few users changed: one-sided bounds and the p value of
    equivalence count large changes that are missing from the sample; if changes are rare or small, the interval and the p value do too
    (see `rare_changes`). If all changes are the same, p is that of the exact test of signs.
    """
    about_interval = about_interval_of(estimate)
    careful, units = guard(estimate, values), estimate.independent
    reach = reach_of(estimate, values) if values is not None and any(sides_of_missing(estimate, values)) else 0.0
    estimate = guard_if_rare(estimate, values)
    up, down = (estimate.down, estimate.up) if subject.higher_is_better is False else (estimate.up, estimate.down)
    confidence, relative, alpha = estimate.confidence, estimate.relative, settings.alpha
    difference = Difference(
        subject,
        estimate.n,
        estimate.base_value,
        estimate.value,
        estimate.difference,
        level=settings.level,
        relative=relative.value if relative else None,
        relative_low=relative.low if relative else None,
        relative_high=relative.high if relative else None,
        sd=estimate.sd,
        n_changed=estimate.n_changed,
        up=up,
        same=None if estimate.n_changed is None else estimate.n - estimate.n_changed,
        down=down,
        n_unpaired=estimate.n_unpaired,
        margin=margin if estimate.test else None,
        units=estimate.units,
        reach=reach,
        notes=(*estimate.notes, *about_interval, *_left_out(estimate.n_unpaired)),
    )
    if confidence is not None and estimate.difference is not None:
        careful = careful or confidence
        p = two_sided(confidence) if estimate.p is None else estimate.p
        difference = replace(
            difference,
            low=confidence.at(alpha / 2),
            high=confidence.at(1 - alpha / 2),
            one_sided_low=careful.at(alpha),
            one_sided_high=careful.at(1 - alpha),
            se=estimate.se,
            statistic=estimate.statistic,
            df=estimate.df,
            p=_p_of_signs(units) if estimate.se == 0 and units is not None and units.changed else p,
            test=estimate.test,
            **_plain_t(estimate),
            effect_size=estimate.difference / estimate.sd if estimate.sd else None,
            p_equivalent=None if margin is None else not_within(careful, margin),
            probability_equivalent=None if margin is None else probability_within(careful, margin),
        )
    return replace(difference, sentence=sentence_of(difference))


def p_of_other_users(of_all: Difference, of_group: Difference) -> float | None:
    """Return the p value of a group of users having the same mean difference as all others, by Welch's t test; `None` without errors.

    The sums of the others are those of all users without those of the group.
    """
    n, m = of_all.n_users, of_group.n_users
    if not of_all.se or not of_group.se or of_all.difference is None or of_group.difference is None or not 1 < m < n - 1:
        return None
    mean = (n * of_all.difference - m * of_group.difference) / (n - m)
    squares = n * (n - 1) * of_all.se**2 - m * (m - 1) * of_group.se**2
    squares -= m * (of_group.difference - of_all.difference) ** 2 + (n - m) * (mean - of_all.difference) ** 2
    terms = of_group.se**2, max(0.0, squares) / (n - m) / (n - m - 1)
    df = sum(terms) ** 2 / (terms[0] ** 2 / (m - 1) + terms[1] ** 2 / (n - m - 1))
    return 2 * below_t(-abs(of_group.difference - mean) / math.sqrt(sum(terms)), df)


def _plain_t(estimate: Estimate) -> dict[str, float]:
    """Return the difference divided by its standard error, and the p value of Student's t; empty if there is none."""
    if not estimate.se or not estimate.df or estimate.difference is None:
        return {}
    t = estimate.difference / estimate.se
    return {"t_plain": t, "p_plain": min(1.0, 2 * below_t(-abs(t), estimate.df))}


def cut_to_bounds(difference: Difference, bounds: tuple[float, float]) -> Difference:
    """Return the difference with its intervals cut: at most as far from 0 as the `bounds` of the measure are from each other."""
    reach = bounds[1] - bounds[0]
    names = ("low", "high", "one_sided_low", "one_sided_high")
    ends = {name: end for name in names if (end := getattr(difference, name)) is not None and abs(end) > reach}
    if not ends:
        return difference
    difference = replace(difference, **{name: math.copysign(reach, end) for name, end in ends.items()})
    return replace(difference, sentence=sentence_of(difference))


def _tested(estimate: Estimate, base: Floats, model: Floats, settings: Settings, clusters: NDArray[np.integer] | None) -> Estimate:
    """Return the estimate with the test of the settings, or that of clusters."""
    if estimate.confidence is None:
        return estimate
    if clusters is not None:
        return with_clusters(estimate, differences_of(base, model), clusters)
    if settings.test == PLAIN:
        return _plain(estimate, PLAIN)
    if settings.test == "t" and not _has_few_changes(estimate):
        return estimate
    return _by_test(estimate, differences_of(base, model), settings)


def _p_of_signs(units: Units) -> float:
    """Return the p value of changes of the same size and direction: all signs are alike by chance twice in 2ⁿ."""
    return 2.0 ** (1 - units.changed) if units.changed >= 1 else 1.0


def _plain(estimate: Estimate, test: str) -> Estimate:
    """Return the estimate with Student's t, without a correction."""
    assert estimate.se is not None
    assert estimate.df is not None
    return replace(estimate.with_t(estimate.se, estimate.df), test=test, notes=(*estimate.notes, PLAIN_FAILS))


def _has_few_changes(estimate: Estimate) -> bool:
    units = estimate.independent
    return units is not None and units.changed > 0 and units.are_few


def _by_test(estimate: Estimate, differences: Floats, settings: Settings, drawn: Floats | None = None) -> Estimate:
    """Return the estimate with the test of the settings; if few users changed, with the exact test of signs, whatever is set.

    The bootstrap draws from `drawn` instead of `differences`, if the estimate is not the mean of the differences.
    """
    from .resampling import with_bootstrap, with_ranks, with_sign_flips

    if _has_few_changes(estimate) or settings.test == "permutation":
        return with_sign_flips(estimate, differences, settings)
    if settings.test in ("bootstrap", "bootstrap-t"):
        return with_bootstrap(estimate, differences if drawn is None else drawn, settings)
    return with_ranks(estimate, differences) if settings.test == "wilcoxon" else estimate


def few_changed(n_changed: int, n: int) -> str:
    """Return the note on the test for a few changed users."""
    return f"Only {n_changed} of {n:,} users changed: p is exact (all combinations of signs), the interval is approximate."


def _total_estimate(estimate: Estimate) -> Estimate:
    """Return the estimate of a sum over users from that of their mean."""
    n = estimate.n
    if estimate.difference is None or estimate.base_value is None or estimate.value is None:
        return estimate
    total = replace(estimate, difference=estimate.difference * n, base_value=estimate.base_value * n, value=estimate.value * n)
    if estimate.confidence is None or estimate.se is None:
        return total
    return replace(total, confidence=ScaledConfidence(n, estimate.confidence), se=estimate.se * n, sd=None)


def _geometric_estimate(base: Floats, model: Floats, settings: Settings, clusters: NDArray[np.integer] | None) -> Estimate:
    """Return the ratio of two geometric means by t on logarithms, as a difference; the base value counts as exact in its interval."""
    a, b = (np.log(np.maximum(side, SMALLEST_FACTOR)) for side in (base, model))
    logarithms = _tested(paired_estimate(PairedSums.from_values(a, b), settings.alpha), a, b, settings, clusters)
    if logarithms.base_value is None or logarithms.difference is None:
        return logarithms
    base_value, growth = float(np.exp(logarithms.base_value)), float(np.expm1(logarithms.difference))
    estimate = replace(
        logarithms, base_value=base_value, value=base_value * (1 + growth), difference=base_value * growth, relative=Relative(growth)
    )
    if logarithms.confidence is None:
        return estimate
    confidence, alpha = ScaledLogarithm(base_value, logarithms.confidence), settings.alpha
    ends = (confidence.at(alpha / 2) / base_value, confidence.at(1 - alpha / 2) / base_value)
    return replace(estimate, confidence=confidence, sd=None, se=None, relative=Relative(growth, *ends))


def _percentile_estimate(base: Floats, model: Floats, percentage: float, settings: Settings) -> Estimate:
    d = differences_of(base, model)
    n, up, down = len(d), int(np.count_nonzero(d > 0)), int(np.count_nonzero(d < 0))
    if n == 0:
        return Estimate(0, None, None, None)
    base_value, value = (float(np.percentile(values, percentage)) for values in (base, model))
    difference = value - base_value
    estimate = Estimate(
        n, base_value, value, difference, up=up, down=down, relative=Relative.from_difference(difference, base_value), test="bootstrap"
    )
    if n == 1:
        return estimate
    if up + down == 0:
        return replace(estimate.with_t(0.0, n - 1), df=None)
    from .resampling import fewer_resamples, percentile_replicates

    replicates = percentile_replicates(base, model, percentage, settings)
    notes = fewer_resamples(n, settings)
    return replace(estimate, confidence=Replicates(replicates), se=float(replicates.std(ddof=1)), notes=notes)


def _percentage(aggregate: str) -> float | None:
    if aggregate == "median":
        return 50.0
    return float(aggregate[1:]) if aggregate[:1] == "p" and aggregate[1:2].isdigit() else None


def about_interval_of(estimate: Estimate) -> tuple[str, ...]:
    """Return a note on an interval of t if few users changed, or if there are too few users for the skewness of their differences."""
    confidence, changed = estimate.confidence, estimate.n_changed or 0
    if _has_few_changes(estimate) and estimate.test == "permutation":
        return (few_changed(changed, estimate.n),)
    inner = confidence.inner if isinstance(confidence, ScaledConfidence) else confidence
    return (SKEWED,) if isinstance(inner, StudentT) and is_skewed(inner.skewness) else ()


def _left_out(n_unpaired: int) -> tuple[str, ...]:
    if not n_unpaired:
        return ()
    users = "1 user has" if n_unpaired == 1 else f"{n_unpaired:,} users have"
    return (f"{users} a value for only one of the two and {'is' if n_unpaired == 1 else 'are'} left out.",)
