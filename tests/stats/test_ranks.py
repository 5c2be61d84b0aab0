"""Ranks over data sets beside the example of Demšar (2006): mean ranks, Friedman's test, and the critical difference with its √2."""

from __future__ import annotations

import numpy as np
import pytest
from receval.stats.ranks import critical_quantile, friedman, friedman_statistics, least_data_sets, neighbours_alike, rank_models, wilcoxon

DEMSAR = {
    "C4.5": (4, 1, 4, 4, 4, 1, 3, 2.5, 4, 2.5, 4, 3, 4, 3),
    "C4.5+m": (3, 2, 1, 1, 2, 2.5, 2, 2.5, 3, 2.5, 2.5, 2, 1, 1),
    "C4.5+cf": (2, 3, 2, 3, 3, 4, 4, 4, 2, 2.5, 1, 4, 2, 4),
    "C4.5+m+cf": (1, 4, 3, 2, 1, 2.5, 1, 1, 1, 2.5, 2.5, 1, 3, 2),
}
"""The ranks of table 6 on 14 data sets."""


def test_friedman_and_the_critical_difference_are_those_of_demsar():
    assert [round(number, 3) for number in friedman_statistics((3.143, 2.000, 2.893, 1.964), 14)] == [9.284, 3.689]
    ranks = rank_models("AUC", DEMSAR, higher_is_better=False)
    assert {model: round(rank, 3) for model, rank in ranks.mean_ranks.items()} == {
        "C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143,
    }  # fmt: skip
    assert (round(ranks.quantile, 4), round(ranks.critical_difference, 4)) == (2.5690, 1.2536)


@pytest.mark.parametrize(
    ("k", "alpha", "quantile"),
    # Demšar's table 5: the quantiles of the studentised range, divided by √2.
    [(2, 0.05, 1.960), (3, 0.05, 2.343), (5, 0.05, 2.728), (10, 0.05, 3.164), (2, 0.10, 1.645), (10, 0.10, 2.920)],
)
def test_quantiles_are_divided_by_the_root_of_two(k, alpha, quantile):
    assert critical_quantile(k, alpha) == pytest.approx(quantile, abs=1e-3)


def test_friedman_is_corrected_for_ties():
    # scipy.stats.friedmanchisquare of the columns
    ranks = np.array([[1, 2, 3], [1.5, 1.5, 3], [1, 2.5, 2.5], [2, 1, 3], [1, 2, 3]])
    assert friedman(ranks).chi_square == pytest.approx(7.444444444444444)


@pytest.mark.parametrize(
    ("differences", "p"),
    # scipy.stats.wilcoxon, exact: by enumeration of the signs where values are tied
    [([1, 2, 3, 4, 5, -6], 0.4375), ([1, 1, 2, -3, 0, 4], 0.375), ([1, 2, 3, 4, 5, 6], 2 / 64), ([0, 0], 1.0), ([], 1.0)],
)
def test_wilcoxon_is_exact(differences, p):
    assert wilcoxon(differences) == pytest.approx(p, rel=1e-12)


def test_with_fewer_than_seven_data_sets_for_three_models_no_pair_is_judged():
    assert [least_data_sets(k) for k in (3, 5, 10)] == [7, 9, 11]
    values = {"a": [3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.7], "b": [2.0, 2.1, 2.3, 2.2, 2.5, 2.6, 2.9], "c": [1.0, 1.2, 1.1, 1.5, 1.3, 1.9, 1.7]}
    six = rank_models("m", {name: some[:6] for name, some in values.items()}, higher_is_better=True)
    assert (six.can_reject, six.friedman, six.pairs, six.groups) == (False, None, (), ())
    seven = rank_models("m", values, higher_is_better=True)
    assert seven.can_reject
    assert seven.groups == ()
    assert [pair.p_adjusted for pair in seven.pairs] == pytest.approx([3 * 2 / 2**7] * 3)


def test_models_that_are_not_shown_to_differ_share_a_group():
    random = np.random.default_rng(1)
    base = random.uniform(1, 2, 12)
    values = {"low": base, "mid": base + random.normal(1.0, 0.1, 12), "top": base + random.normal(1.0, 0.1, 12)}
    ranks = rank_models("m", {name: some.tolist() for name, some in values.items()}, higher_is_better=True)
    assert [set(group) for group in ranks.groups] == [{"mid", "top"}]
    assert list(ranks.mean_ranks)[-1] == "low"


@pytest.mark.parametrize(
    ("different", "groups"),
    [
        ([], [("a", "b", "c", "d")]),
        ([("a", "d")], [("a", "b", "c"), ("b", "c", "d")]),
        ([("a", "b")], [("b", "c", "d")]),  # a and c are alike, but a bar over them would include b
        ([("a", "b"), ("b", "c"), ("c", "d")], []),
        ([("b", "c")], [("a", "b"), ("c", "d")]),
    ],
)
def test_a_bar_joins_neighbours_that_are_all_alike(different, groups):
    assert list(neighbours_alike("abcd", {frozenset(pair) for pair in different})) == groups


def test_the_p_value_of_friedman_is_that_of_all_permutations():
    # 4 data sets and 3 models with the rank sums 4, 8, 12: all 6**4 ways to order the ranks give this in 6 cases.
    found = friedman(np.array([[1.0, 2.0, 3.0]] * 4))
    assert found.p == pytest.approx(6 / 6**4, abs=0.002)
    assert (found.chi_square, found.f) == (8.0, float("inf"))


def test_two_models_have_no_friedman_test():
    # It is the sign test, and the F distribution would call six wins of six sure, where p is 2/64.
    ranks = rank_models("m", {"a": [2.0] * 6, "b": [1.0] * 6}, higher_is_better=True)
    assert (ranks.friedman, ranks.pairs[0].p) == (None, pytest.approx(2 / 64))
