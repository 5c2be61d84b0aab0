"""Clusters of users: the jackknife over clusters with the degrees of freedom of Bell and McCaffrey."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.stats.difference import Settings, Subject
from receval.stats.samples import FEW_CLUSTERS, degrees_of_freedom
from receval.stats.two_models import compare_paired
from scipy import stats

SUBJECT = Subject("nDCG@10", "base", "model")
SETTINGS = Settings()


def literal(d, clusters):
    """Return standard error and degrees of freedom by the matrices of Bell and McCaffrey (2002) for CR3, of a regression on a constant."""
    n, one = len(d), np.ones((len(d), 1))
    hat = one @ one.T / n
    residuals, columns, meat = d - hat @ d, [], 0.0
    for cluster in np.unique(clusters):
        of_one = clusters == cluster
        adjustment = np.linalg.inv(np.eye(of_one.sum()) - hat[np.ix_(of_one, of_one)])
        meat += float((adjustment @ residuals[of_one]).sum()) ** 2
        columns.append((np.eye(n) - hat)[:, of_one] @ adjustment @ one[of_one] / n)
    eigenvalues = np.linalg.eigvalsh(np.hstack(columns).T @ np.hstack(columns))
    share = 1 - 1 / len(np.unique(clusters))
    return (share * meat) ** 0.5 / n, eigenvalues.sum() ** 2 / (eigenvalues**2).sum()


@given(st.lists(st.integers(1, 7), min_size=2, max_size=8), st.integers(0, 10**6))
def test_standard_error_and_degrees_of_freedom_equal_those_of_the_matrices(sizes, seed):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    d = np.random.default_rng(seed).normal(0.1, 1, len(clusters))
    found = compare_paired(SUBJECT, np.zeros(len(d)), d, SETTINGS, clusters=clusters)
    se, df = literal(d, clusters)
    assert (found.se, found.df) == pytest.approx((se, df), rel=1e-9)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.difference) / se, df), rel=1e-9)


def test_two_users_alone_and_two_together():
    # Shares 1/4, 1/4, 1/2; mean 1/2; rests 1/2, -1/2, 0: SE² = 2/3 · (1/4 / 9/16 + 1/4 / 9/16) / 16 = 1/27.
    # r = 1/3, 1/3, 1; Σr = 5/3, Σr² = 11/9, Σr⁴ = 83/81: 25/9 / (11/9 + 121/81 - 83/81) = 225/137 degrees of freedom.
    found = compare_paired(SUBJECT, np.zeros(4), np.array([1.0, 0.0, 0.0, 1.0]), SETTINGS, clusters=np.array([7, 3, 5, 5]))
    assert (found.difference, found.se, found.df) == pytest.approx((0.5, 27**-0.5, 225 / 137))
    assert FEW_CLUSTERS in found.notes


def test_thirty_clusters_are_not_few_unless_one_is_large():
    d = np.random.default_rng(0).normal(0, 1, 600)
    equal, large = np.repeat(np.arange(30), 20), np.maximum(np.arange(600) - 570, 0)
    assert [FEW_CLUSTERS in compare_paired(SUBJECT, d * 0, d, SETTINGS, clusters=clusters).notes for clusters in (equal, large)] == [
        False,
        True,
    ]


def test_the_order_of_users_and_the_names_of_clusters_change_no_bit():
    random = np.random.default_rng(1)
    d, clusters, order = random.normal(0, 1, 200), random.integers(0, 40, 200), random.permutation(200)
    one = compare_paired(SUBJECT, d * 0, d, SETTINGS, clusters=clusters)
    assert one == compare_paired(SUBJECT, d * 0, d[order], SETTINGS, clusters=40 - clusters[order])


@pytest.mark.parametrize("n_clusters", [10, 30, 100])
def test_the_interval_covers_for_cluster_sizes_of_zipf(n_clusters):
    # Users of a cluster share a third of their variance. With G - 1 degrees of freedom and no correction coverage was 89 %, by CR2 93.5 %.
    draws, random = 4_000, np.random.default_rng(n_clusters)
    harmonic = 1 / np.arange(1, n_clusters + 1)
    sizes = np.maximum(1, np.round(20 * n_clusters * harmonic / harmonic.sum())).astype(int)
    totals = random.normal(0, (sizes**2 * 0.3 + sizes * 0.7) ** 0.5, (draws, n_clusters))
    means = totals.sum(axis=1) / sizes.sum()
    rests = (totals - sizes * means[:, np.newaxis]) / (1 - sizes / sizes.sum())
    se = np.sqrt((1 - 1 / n_clusters) * (rests**2).sum(axis=1)) / sizes.sum()
    covered = np.mean(np.abs(means) <= stats.t.ppf(0.975, degrees_of_freedom(sizes)) * se)
    assert 0.94 <= covered <= 0.975
