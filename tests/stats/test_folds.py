"""The mean over folds: its error is that of users within folds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from receval.stats.difference import TESTS, Settings, Subject
from receval.stats.samples import ONE_USER, fold_estimate, with_fold_clusters
from receval.stats.two_models import difference_of, estimate_folds, estimate_paired

from tests.sizes import some
from tests.stats.draws import draw_pair

SETTINGS = Settings()


def test_two_folds_of_two_and_three_users():
    # Differences 0, 2 | 1, 2, 3: means 1 and 2, variances 2 and 1; SE² = (2/2 + 1/3) / 4 = 1/3; df = (1 + 1/3)² / (1/1 + 1/9/2).
    d = np.array([1.0, 0.0, 2.0, 2.0, 3.0])
    found, _ = fold_estimate(np.zeros(5), d, np.array([1, 0, 1, 0, 1]))
    assert (found.difference, found.value, found.se, found.df) == pytest.approx((1.5, 1.5, 3**-0.5, (16 / 9) / (19 / 18)))
    assert (found.n, found.up, found.down) == (5, 4, 0)


def test_a_sum_is_the_mean_over_folds_of_the_sums():
    # Differences 0, 2 | 1, 2, 3: sums 2 and 6; SE² = (2 · 2 + 3 · 1) / 4.
    found, _ = fold_estimate(np.zeros(5), np.array([0.0, 2.0, 1.0, 2.0, 3.0]), np.array([0, 0, 1, 1, 1]), "sum")
    assert (found.difference, found.se) == pytest.approx((4.0, 1.75**0.5))


@pytest.mark.parametrize("test", TESTS)
def test_one_fold_gives_the_result_without_folds(test):
    base, model = draw_pair(3, 80)
    chosen = Settings(test=test, resamples=199)
    alone, plain = estimate_folds(base, model, np.zeros(80, dtype=int), chosen), estimate_paired(base, model, chosen)
    found, expected = (difference_of(Subject("nDCG@10", "a", "b"), sample, chosen, 0.01) for sample in (alone, plain))
    for name in ("difference", *(() if "boot" in test else ("se", "df", "statistic", "low", "high", "p", "p_equivalent"))):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9)
    assert found.interval == pytest.approx(expected.interval, abs=0.5 * found.se)  # the bootstrap draws other numbers


def test_one_fold_with_clusters_gives_the_result_without_folds():
    base, model = draw_pair(4, 80)
    clusters = np.random.default_rng(0).integers(0, 12, 80)
    found = estimate_folds(base, model, np.zeros(80, dtype=int), SETTINGS, clusters=clusters)
    expected = estimate_paired(base, model, SETTINGS, clusters=clusters)
    assert (found.se, found.df) == pytest.approx((expected.se, expected.df), rel=1e-9)


def literal(d, folds, clusters):
    """Return standard error and degrees of freedom by the matrices of Bell and McCaffrey (2002) for CR3, of a regression on folds."""
    columns = (folds[:, np.newaxis] == np.unique(folds)).astype(float)
    sizes, n = columns.sum(axis=0), len(d)
    hat, of_mean = columns @ np.diag(1 / sizes) @ columns.T, columns @ (1 / sizes / len(sizes))
    residuals, meat, of_clusters = d - hat @ d, 0.0, []
    for cluster in np.unique(clusters):
        of_one = clusters == cluster
        adjustment = np.linalg.inv(np.eye(of_one.sum()) - hat[np.ix_(of_one, of_one)])
        meat += float(of_mean[of_one] @ adjustment @ residuals[of_one]) ** 2
        of_clusters.append((np.eye(n) - hat)[:, of_one] @ adjustment @ of_mean[of_one])
    squares = np.linalg.eigvalsh(np.array(of_clusters) @ np.array(of_clusters).T)
    share = 1 - 1 / len(np.unique(clusters))
    return (share * meat) ** 0.5, squares.sum() ** 2 / (squares**2).sum()


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(3, 12))
def test_users_of_several_folds_are_clusters_as_in_the_matrices(seed, n_folds, n_users):
    random = np.random.default_rng(seed)
    rows = random.permutation(n_folds * n_users)[: max(4, n_folds * n_users * 3 // 4)]
    folds, clusters = rows % n_folds, rows // n_folds // random.integers(1, 3)
    shares = [np.bincount(clusters[folds == fold]).max() / np.sum(folds == fold) for fold in np.unique(folds)]
    assume(max(shares) < 1)
    d = random.normal(0.1, 1, len(rows)) + folds
    found = with_fold_clusters(*fold_estimate(np.zeros(len(d)), d, folds), clusters)
    assert (found.se, found.df) == pytest.approx(literal(d, folds, clusters), rel=1e-7)


@pytest.mark.parametrize("test", TESTS)
def test_the_order_of_users_changes_no_bit(test):
    base, model = draw_pair(5, 90)
    folds, order, chosen = np.arange(90) % 4 // 2, np.random.default_rng(0).permutation(90), Settings(test=test, resamples=199)
    one, other = estimate_folds(base, model, folds, chosen), estimate_folds(base[order], model[order], folds[order], chosen)
    one, other = (difference_of(Subject("nDCG@10", "a", "b"), each, chosen, 0.01) for each in (one, other))
    assert one == other


def test_swapped_models_have_the_mirror_image():
    base, model = draw_pair(6, 90)
    folds = np.minimum(np.arange(90) // 10, 3)
    estimates = estimate_folds(base, model, folds, SETTINGS), estimate_folds(model, base, folds, SETTINGS)
    there, back = (difference_of(Subject("x", "a", "b"), estimate, SETTINGS, None) for estimate in estimates)
    assert (there.difference, there.low, there.p) == (-back.difference, -back.high, back.p)


def test_a_fold_of_one_user_leaves_no_interval():
    found = estimate_folds(np.zeros(9), np.arange(9.0), np.minimum(np.arange(9), 1), SETTINGS)
    assert (found.difference, found.confidence, found.notes) == (2.25, None, (ONE_USER,))


@pytest.mark.release
@pytest.mark.parametrize("sizes", some([(50, 500, 5_000), (200, 200), (30, 60, 90, 120)], 2))
def test_the_interval_covers_as_promised_for_folds_of_different_size_and_mean(sizes):
    # Three folds whose means are 0, 1 and 2; around the overall mean the interval covered 99.1 %.
    random, draws = np.random.default_rng(0), 400
    folds = np.repeat(np.arange(len(sizes)), sizes)
    truth, covered = np.mean(np.arange(len(sizes))), 0
    for _ in range(draws):
        d = random.normal(0, 1, len(folds)) + folds
        confidence = fold_estimate(np.zeros(len(d)), d, folds)[0].confidence
        covered += confidence.at(0.025) <= truth <= confidence.at(0.975)
    assert 0.92 <= covered / draws <= 0.98  # 95 % and three standard errors


def test_different_means_of_folds_do_not_widen_the_interval():
    random, n = np.random.default_rng(1), 400
    folds = np.minimum(np.arange(n) // 40, 1)
    d = random.normal(0, 0.1, n)
    apart = estimate_folds(np.zeros(n), d + 3.0 * folds, folds, SETTINGS)
    assert apart.se == pytest.approx(estimate_folds(np.zeros(n), d, folds, SETTINGS).se)
