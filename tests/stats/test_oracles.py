"""The same numbers as scipy and statsmodels, on random per-user values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from receval.stats.concluding import adjust
from receval.stats.difference import Settings, Subject
from receval.stats.estimates import Summary, paired_estimate, unpaired_estimate
from receval.stats.paired import PairedSums
from receval.stats.power import detectable_difference, users_needed
from receval.stats.two_models import compare_paired, difference_of
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from tests.sizes import draws
from tests.stats.draws import cautious, changing_pairs, draw_pair, skewed_t

SUBJECT = Subject("nDCG@10", "base", "model")
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def sides(differences, n_changed):
    """Return, for the lower and the higher end of an interval, which `cautious` correction applies, if any."""
    return (1, -1) if cautious(differences, n_changed) else (0, 0)


def close(expected):
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(changing_pairs, st.sampled_from([0.01, 0.05, 0.1]))
def test_the_paired_t_test_of_symmetric_differences_equals_scipy(pair, alpha):
    base, model = (np.append(left, other) for left, other in (pair, pair[::-1]))
    model = model + 2.0**-7  # so that differences around it are symmetric
    found, oracle = compare_paired(SUBJECT, base, model, Settings(alpha=alpha)), stats.ttest_rel(model, base)
    assert (found.statistic, found.p, found.df) == close((oracle.statistic, oracle.pvalue, oracle.df))
    assert found.interval == close(tuple(oracle.confidence_interval(1 - alpha)))
    assert found.bounds == close(tuple(oracle.confidence_interval(1 - 2 * alpha)))


@given(changing_pairs, st.sampled_from([0.01, 0.05, 0.1]))
def test_the_paired_t_test_is_corrected_for_skewness(pair, alpha):
    base, model = pair
    sums = PairedSums.from_values(base, model)
    found, d, df = difference_of(SUBJECT, paired_estimate(sums, alpha), Settings(alpha=alpha)), model - base, len(base) - 1
    lower, higher = (skewed_t(d, 0.0, side) for side in sides(d, sums.n_changed))
    assert found.p == close(min(1.0, 2 * min(stats.t.sf(lower, df), stats.t.cdf(higher, df))))
    assert found.statistic == close(lower if found.difference >= 0 else higher)
    at_ends = [skewed_t(d, end, side) for end, side in zip((*found.interval, *found.bounds), 2 * sides(d, sums.n_changed), strict=True)]
    assert at_ends == close([sign * stats.t.isf(share, df) for share in (alpha / 2, alpha) for sign in (1, -1)])


@given(changing_pairs)
def test_the_relative_interval_ends_where_the_test_of_the_share_changes(pair):
    base, model = pair
    sums, critical = PairedSums.from_values(base, model), stats.t.isf(0.025, len(base) - 1)
    found = difference_of(SUBJECT, paired_estimate(sums, 0.05), Settings())
    of_sides = sides(model - (1 + found.relative) * base, sums.n_changed)
    assert (found.relative_low is None) == (skewed_t(base, 0.0, of_sides[0]) <= critical)
    if found.relative_low is not None:
        ends = zip((found.relative_low, found.relative_high), of_sides, strict=True)
        at_ends = [skewed_t(model - (1 + end) * base, 0.0, side) for end, side in ends]
        assert at_ends == pytest.approx([critical, -critical], rel=1e-6)
        assert (found.relative_low > 0) == (found.low > 0)


@given(changing_pairs, st.floats(0.001, 0.3))
def test_the_equivalence_test_of_symmetric_differences_equals_statsmodels(pair, margin):
    base, model = (np.append(left, other) for left, other in (pair, pair[::-1]))
    assert compare_paired(SUBJECT, base, model, Settings(), margin).p_equivalent == close(ttost_paired(model, base, -margin, margin)[0])


@given(changing_pairs, st.integers(2, 9))
def test_the_interval_of_clusters_of_equal_size_equals_statsmodels(pair, n_clusters):
    base, model = (side[: len(side) // n_clusters * n_clusters] for side in pair)
    assume(np.unique(model - base).size > 1)
    clusters = np.arange(len(base)) % n_clusters
    found = compare_paired(SUBJECT, base, model, Settings(), clusters=clusters)
    oracle = OLS(model - base, np.ones(len(base))).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    assert (found.se, found.p) == close((float(oracle.bse[0]), float(oracle.pvalues[0])))
    assert found.interval == close(tuple(oracle.conf_int()[0]))
    assert found.df == n_clusters - 1


@given(changing_pairs, changing_pairs)
def test_the_unpaired_test_equals_scipy(left, right):
    base, model = left[0], right[1]
    sides = [Summary(float(values.mean()), float(values.std(ddof=1)), len(values)) for values in (base, model)]
    found, oracle = difference_of(SUBJECT, unpaired_estimate(*sides), Settings()), stats.ttest_ind(model, base, equal_var=False)
    assert (found.statistic, found.p, found.df) == close((oracle.statistic, oracle.pvalue, oracle.df))
    assert found.interval == close(tuple(oracle.confidence_interval()))


@given(changing_pairs)
def test_the_rank_test_equals_scipy(pair):
    base, model = pair
    base, model = np.tile(base, 10), np.tile(model, 10)  # so that at least ten users change
    d = np.round(model - base, 12)
    found = compare_paired(SUBJECT, base, model, Settings(test="wilcoxon"))
    oracle = stats.wilcoxon(d[d != 0], method="asymptotic", correction=False)
    assert (found.statistic, found.p) == close((oracle.statistic, oracle.pvalue))


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_the_exact_test_of_signs_of_few_users_equals_scipy(seed):
    base, model = draw_pair(seed, 9)
    oracle = stats.permutation_test((model - base,), np.mean, permutation_type="samples", n_resamples=math.inf, vectorized=True)
    assert compare_paired(SUBJECT, base, model, Settings(test="permutation")).p == close(oracle.pvalue)


@settings(max_examples=draws(5, 25))
@given(P_VALUES, st.sampled_from([("holm", "holm"), ("bh", "fdr_bh"), ("by", "fdr_by")]))
def test_corrections_equal_statsmodels(p_values, methods):
    ours, theirs = methods
    assert adjust(p_values, ours) == close(multipletests(p_values, method=theirs)[1].tolist())


@settings(max_examples=20)
@given(st.integers(6, 29), st.sampled_from([0.01, 0.05]))
def test_the_detectable_difference_of_few_users_has_the_power_that_statsmodels_computes(n, alpha):
    effect = detectable_difference(1 / math.sqrt(n), alpha, n - 1)
    assert TTestPower().power(effect, n, alpha) == pytest.approx(0.8, abs=1e-6)


def test_the_normal_formula_is_near_the_power_of_the_t_test_for_many_users():
    assert TTestPower().power(detectable_difference(1 / math.sqrt(400)), 400, 0.05) == pytest.approx(0.8, abs=2e-3)
    assert users_needed(1.0, 0.1) == pytest.approx(TTestPower().solve_power(0.1, alpha=0.05, power=0.8), rel=5e-3)


def test_t_and_mcnemar_agree_for_many_users_with_hits_and_misses():
    random = np.random.default_rng(4)
    for n, p_up, p_down in ((250, 0.2, 0.1), (600, 0.12, 0.1), (2_000, 0.05, 0.04), (5_000, 0.3, 0.28)):
        base = (random.random(n) < 0.5).astype(np.float64)
        chance = random.random(n)
        model = np.where(base == 0, chance < p_up, chance >= p_down).astype(np.float64)
        found = compare_paired(SUBJECT, base, model, Settings())
        oracle = mcnemar([[0, found.up], [found.down, 0]], exact=False, correction=False)
        assert found.p == pytest.approx(oracle.pvalue, abs=0.005)


def test_bootstrap_intervals_are_near_those_of_scipy():
    base, model = draw_pair(5, 200, 0.02)
    for test, method in (("bootstrap", "percentile"), ("bootstrap-t", None)):
        found = compare_paired(SUBJECT, base, model, Settings(test=test))
        student = compare_paired(SUBJECT, base, model, Settings())
        assert found.interval == pytest.approx(student.interval, abs=0.2 * student.se)
        assert found.p == pytest.approx(student.p, abs=0.01)
        if method:
            oracle = stats.bootstrap((model - base,), np.mean, method=method, random_state=0).confidence_interval
            assert found.interval == pytest.approx(tuple(oracle), abs=0.2 * student.se)


def test_random_signs_are_near_the_t_test():
    base, model = draw_pair(6, 400, 0.03)
    assert compare_paired(SUBJECT, base, model, Settings(test="permutation")).p == pytest.approx(
        compare_paired(SUBJECT, base, model, Settings()).p, abs=0.015
    )


def test_the_bootstrap_of_the_median_is_near_that_of_scipy():
    random = np.random.default_rng(7)
    base = random.random(300)
    model = base + random.normal(0.1, 0.2, 300)
    found = compare_paired(Subject("nDCG@10 (median)", "base", "model", aggregate="median"), base, model, Settings(resamples=2_000))
    oracle = stats.bootstrap(
        (model, base), lambda b, a, axis: np.median(b, axis) - np.median(a, axis), paired=True, method="percentile", random_state=0
    ).confidence_interval
    assert found.difference == close(float(np.median(model) - np.median(base)))
    assert found.interval == pytest.approx(tuple(oracle), abs=0.02)
    assert found.test == "bootstrap"


@given(changing_pairs)
def test_the_geometric_mean_equals_scipy_and_its_test_is_that_of_logarithms(pair):
    base, model = (np.maximum(side, 0.01) for side in pair)
    found = compare_paired(Subject("nDCG@10 (geometric)", "base", "model", aggregate="geometric"), base, model, Settings())
    d, df = np.log(model) - np.log(base), len(base) - 1
    assert (found.base_value, found.value) == close((stats.gmean(base), stats.gmean(model)))
    of_sides = sides(d, PairedSums.from_values(np.log(base), np.log(model)).n_changed)
    at_ends = [skewed_t(d, math.log1p(end), side) for end, side in zip((found.relative_low, found.relative_high), of_sides, strict=True)]
    assert at_ends == close([stats.t.isf(0.025, df), -stats.t.isf(0.025, df)])
