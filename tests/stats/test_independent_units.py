"""Guards against rare and skewed changes count independent units: clusters, folded users and weights, not users."""

from __future__ import annotations

import math

import numpy as np
import pytest
from receval.stats.concluding import judge_family
from receval.stats.difference import Settings, Subject
from receval.stats.estimates import SKEWED, RatioTerms, interval_of_mean, paired_estimate, pooled_estimate, weighted_estimate
from receval.stats.gates import estimate_test
from receval.stats.paired import PairedSums, alike, units_of_weights
from receval.stats.rare_changes import MissingSides, ValueRange, detectable_if_rare, sides_of_missing
from receval.stats.samples import runs_estimate
from receval.stats.two_models import compare_paired, difference_of, estimate_folds, p_of_other_users
from receval.stats.units import Units
from scipy import stats

from tests.stats.compares import compare_ratios

SUBJECT, SETTINGS, SHARES = Subject("Recall@6", "main", "today"), Settings(), ValueRange(0.0, 1.0)


def judged(difference):
    return judge_family([difference], SETTINGS)[0]


def rare_losses(n_units):
    """Return the changes of units of whom six lose 1/6 and nobody gains."""
    return np.append(np.full(6, -1 / 6), np.zeros(n_units - 6))


def test_units_of_different_weight_count_like_fewer_of_equal_weight():
    # (2 + 1 + 1)² / (4 + 1 + 1) = 16/6 of the changed units, which have 4 of 10 of the weight.
    weights, changed = np.array([2.0, 1, 1, 3, 3]), np.array([True, True, True, False, False])
    assert units_of_weights(4, weights, changed) == Units(4, 16 / 6, 0.4, are_users=False)
    assert (alike(np.ones(7)), alike(np.zeros(0))) == (7, 0)


@pytest.mark.parametrize(
    ("changed", "share", "are_users", "few"),
    [(9, 0.01, True, True), (9, 0.9, True, True), (9, 0.4, False, True), (9, 0.6, False, False), (10, 0.1, False, False)],
)
def test_few_changed_units_have_no_verdict_unless_they_are_most_of_some_groups(changed, share, are_users, few):
    assert Units(50, changed, share, are_users).are_few is few


def test_six_changed_clusters_are_too_few_for_a_verdict_although_120_users_changed():
    d, clusters = np.repeat(rare_losses(200), 20), np.repeat(np.arange(200), 20)
    found = judged(compare_paired(SUBJECT, np.full(4000, 0.5), 0.5 + d, SETTINGS, clusters=clusters, values=SHARES))
    assert (found.verdict, found.n_changed) == ("inconclusive", 120)
    assert found.sentence == (
        "No clear difference between main and today in Recall@6: 120 of 4,000 users changed, all for the worse, which count like 6 "
        "independent ones: too few for a verdict."
    )


def test_the_same_users_in_five_folds_are_judged_like_these_users():
    base, folds = np.full(1000, 0.5), np.repeat(np.arange(5), 1000)
    change = np.append(np.full(60, -0.1), np.zeros(940))
    plain = paired_estimate(PairedSums.from_values(base, base + change), None)
    folded = estimate_folds(np.tile(base, 5), np.tile(base + change, 5), folds, SETTINGS, clusters=np.tile(np.arange(1000), 5))
    assert (folded.units.n, folded.units.changed, folded.units.share) == pytest.approx((1000, 60, 0.06))
    assert sides_of_missing(folded, SHARES) == sides_of_missing(plain, SHARES) == MissingSides()
    ends = [difference_of(SUBJECT, sample, SETTINGS, None, SHARES).interval for sample in (folded, plain)]
    assert ends[0] == pytest.approx(ends[1], rel=0.01)


def test_runs_with_the_same_values_have_the_interval_of_these_users():
    random = np.random.default_rng(1)
    base = np.full(800, 0.2)
    model = base + random.choice([0, 0.8, -0.1], 800, p=[0.75, 0.03, 0.22])
    plain = compare_paired(SUBJECT, base, model, SETTINGS, values=SHARES)
    runs = difference_of(SUBJECT, runs_estimate([base] * 3, [model] * 3), SETTINGS, None, SHARES)
    assert (runs.p, *runs.interval) == pytest.approx((plain.p, *plain.interval))


def test_the_skewness_of_clusters_of_one_user_is_that_of_their_changes():
    d = np.random.default_rng(2).exponential(1, 400) - 1
    found = compare_paired(SUBJECT, np.zeros(400), d, SETTINGS, clusters=np.arange(400))
    plain = compare_paired(SUBJECT, np.zeros(400), d, SETTINGS)
    assert found.interval == pytest.approx(plain.interval, rel=1e-6)


def test_skewed_differences_claim_only_what_t_supports_with_and_without_the_correction():
    d = np.append(np.full(20, 1.0), np.full(200, -0.05))
    found = compare_paired(SUBJECT, np.zeros(220), d, SETTINGS)
    assert found.p == pytest.approx(stats.ttest_1samp(d, 0).pvalue)  # the correction alone would make it smaller
    assert SKEWED in found.notes


def test_a_pooled_gate_counts_users_of_equal_size_and_does_not_pass_because_the_largest_user_kept_all():
    # 3 of 100 users hold 3 of 5 hits: (500)² / (3·100² + 97·2.06²) = 8 users of equal size, none of whom changed.
    sizes = np.append(np.full(3, 100.0), np.full(97, 200 / 97))
    model = sizes.copy()
    model[-1] = 0.0
    estimate = weighted_estimate(RatioTerms(sizes, sizes), RatioTerms(model, sizes))
    assert estimate.units.n == 8
    assert estimate_test(estimate, True, "max_loss", 0.05, relative=True, values=SHARES).outcome == "inconclusive"
    assert estimate_test(pooled_estimate(RatioTerms(sizes, sizes), RatioTerms(model, sizes)), True, "max_loss", 0.05).outcome == "pass"
    assert compare_ratios(SUBJECT, RatioTerms(sizes, sizes), RatioTerms(model, sizes), SETTINGS).se == estimate.se


def test_folds_of_different_sizes_count_like_users_of_the_smallest_fold():
    # 50 of 2,050 users have half of the weight; each has 1/100: a fold that loses 3.0 · 2/50 of all hits loses them in 5 % of samples.
    folds, ones = np.repeat([0, 1], [50, 2000]), np.ones(2050)
    estimate = estimate_folds(ones, ones, folds, SETTINGS)
    assert estimate.units.n == 100
    outcomes = [estimate_test(estimate, True, "max_loss", limit, values=SHARES).outcome for limit in (0.0296, 0.0298)]
    assert outcomes == ["inconclusive", "pass"]  # -ln(0.05)/101 = 0.02966
    even = estimate_folds(ones[:200], ones[:200], np.repeat([0, 1], 100), SETTINGS)
    assert (even.units.n, even.units.are_users) == (200, True)


def test_many_small_losses_without_a_gain_are_not_worse_if_one_large_gain_may_be_missing():
    d = np.append(np.full(100, -0.01), np.zeros(100))
    base = np.full(200, 0.5)
    bounded, free = (judged(compare_paired(SUBJECT, base, base + d, SETTINGS, values=values)) for values in (SHARES, None))
    assert (bounded.verdict, free.verdict) == ("inconclusive", "worse")
    assert bounded.low == free.low  # losses were observed, and large ones beside them are not the claim
    d[100:110] = 0.01
    gains = compare_paired(SUBJECT, base, base + d, SETTINGS, values=SHARES)
    assert sides_of_missing(paired_estimate(PairedSums.from_values(base, base + d), None), SHARES) == MissingSides(
        losses=False, gains=False
    )
    assert gains.high < 0


def test_the_detectable_difference_is_that_of_the_guard_if_changes_are_rare():
    d = np.concatenate([np.ones(12), -np.ones(12), np.zeros(376)])
    found = judged(compare_paired(SUBJECT, (d < 0) * 1.0, (d > 0) * 1.0, SETTINGS, values=SHARES))
    assert found.detectable == detectable_if_rare(found.se, 400, 1.0) > 2.8 * found.se


def test_the_same_change_of_every_user_has_the_exact_p_of_signs_and_a_bound():
    found = judged(compare_paired(SUBJECT, np.zeros(12), np.ones(12), SETTINGS, values=SHARES))
    assert (found.verdict, found.p) == ("better", 2 / 2**12)
    assert found.low < 0.5
    assert found.high == 1.0


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_the_smallest_p_values_agree_with_scipy_to_ten_digits(test):
    size = np.linspace(0.1, 1, 200)
    d = np.concatenate([size, size, [-0.001, -0.002]])
    d = np.concatenate([d, d.mean() * 2 - d]) if test == "t" else d  # symmetric, so that t is not corrected
    found = compare_paired(SUBJECT, np.zeros(len(d)), d, Settings(test=test))
    oracle = stats.ttest_1samp(d, 0).pvalue if test == "t" else stats.wilcoxon(d, method="asymptotic", correction=False).pvalue
    assert 0 < found.p < 1e-50
    assert found.p == pytest.approx(oracle, rel=1e-10)


def test_the_interval_of_a_share_is_that_of_wilson_and_of_other_values_that_of_t():
    hits = np.append(np.ones(2), np.zeros(98))
    ends = interval_of_mean(0.02, float(hits.std(ddof=1)), 100, 0.05, are_shares=True)
    assert ends == pytest.approx(tuple(stats.binomtest(2, 100).proportion_ci(method="wilson")))
    assert interval_of_mean(0.0, 0.0, 100, 0.05, are_shares=True) == pytest.approx((0.0, 1.959964**2 / (100 + 1.959964**2)))
    values = np.random.default_rng(0).random(50)
    student = stats.t.interval(0.95, 49, values.mean(), stats.sem(values))
    for shares in (True, False):
        assert interval_of_mean(float(values.mean()), float(values.std(ddof=1)), 50, 0.05, are_shares=shares) == pytest.approx(student)


def test_a_group_is_compared_with_the_other_users_from_sums_alone():
    random = np.random.default_rng(4)
    d = random.normal(0, 1, 300)
    whole, group = (compare_paired(SUBJECT, np.zeros(len(part)), part, SETTINGS) for part in (d, d[:80]))
    assert p_of_other_users(whole, group) == pytest.approx(stats.ttest_ind(d[:80], d[80:], equal_var=False).pvalue)
    assert p_of_other_users(whole, whole) is None
    assert math.isfinite(p_of_other_users(whole, group))
