"""Differences of weighted means: the jackknife over users, whose intervals hold under heavy weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from receval.stats.difference import Settings, Subject
from receval.stats.estimates import FEW_ALIKE, ONE_HEAVY, RatioTerms, paired_estimate, pooled_estimate, weighted_estimate
from receval.stats.paired import PairedSums
from receval.stats.samples import ALL_OF_ONE, pooled_with_clusters, with_clusters
from receval.stats.two_models import compare_paired

from tests.sizes import draws

SUBJECT = Subject("nDCG@10", "base", "model")


def terms(weights, values):
    return RatioTerms(weights * values, weights)


def test_equal_weights_have_the_error_of_paired_differences_and_the_same_up_and_down():
    random = np.random.default_rng(1)
    a, b = random.random((2, 50))
    found = weighted_estimate(*(terms(np.full(50, 0.3), values) for values in (a, b)))
    plain = compare_paired(SUBJECT, a, b, Settings())
    assert (found.difference, found.se, found.df) == pytest.approx((plain.difference, plain.se, plain.df))
    assert (found.units.n, found.notes) == (50, ())


def test_the_order_of_users_changes_nothing_and_neither_does_the_unit_of_weights():
    random = np.random.default_rng(2)
    weights, (a, b) = random.pareto(1, 200) + 1, random.random((2, 200))
    order = random.permutation(200)
    one = weighted_estimate(terms(weights, a), terms(weights, b))
    other = weighted_estimate(terms(8 * weights[order], a[order]), terms(8 * weights[order], b[order]))
    assert (one.difference, one.se) == (other.difference, pytest.approx(other.se, rel=1e-12))


def test_users_without_a_value_on_a_side_are_left_out():
    random = np.random.default_rng(3)
    weights, (a, b) = random.random(30), random.random((2, 30))
    base, model = terms(weights, a), terms(weights, b)
    cut = weighted_estimate(*(RatioTerms(*(column[1:] for column in side)) for side in (base, model)))
    base.numerators[0] = np.nan
    left = weighted_estimate(base, model)
    assert (left.n, left.n_unpaired, left.se) == (29, 1, cut.se)


@pytest.mark.parametrize(
    ("weights", "note", "has_interval"),
    [([1.0, 0, 0, 0], ONE_HEAVY, False), ([1.0, 2, 3, 4], FEW_ALIKE, True), ([0.0, 0, 0, 0], None, False)],
)
def test_few_heavy_users_have_a_note_and_one_alone_no_interval(weights, note, has_interval):
    values = np.array([[0.1, 0.4, 0.2, 0.9], [0.3, 0.4, 0.8, 0.1]])
    found = weighted_estimate(*(terms(np.array(weights), value) for value in values))
    assert (found.confidence is not None) is has_interval
    assert found.notes == ((note,) if note else ())


def test_users_of_one_cluster_count_together():
    random = np.random.default_rng(4)
    weights, (a, b) = random.random(40) + 0.5, random.random((2, 40))
    twice = [terms(np.tile(weights, 2), np.tile(values, 2)) for values in (a, b)]
    single = weighted_estimate(terms(weights, a), terms(weights, b))
    together = weighted_estimate(*twice, np.tile(np.arange(40), 2))
    assert (together.n, together.df) == (80, 39)
    assert together.se == pytest.approx(single.se)


def test_pooled_ratios_of_users_with_equal_denominators_in_clusters_have_the_error_of_their_means():
    random = np.random.default_rng(8)
    a, b, clusters = random.random(60), random.random(60), np.repeat(np.arange(12), 5)
    ones = np.ones(60)
    found = pooled_with_clusters(RatioTerms(a, ones), RatioTerms(b, ones), clusters)
    means = paired_estimate(PairedSums.from_values(a, b), None)
    assert means.difference is not None
    beside = with_clusters(means, b - a, clusters)
    assert (found.difference, found.se, found.df) == pytest.approx((beside.difference, beside.se, beside.df))


def test_pooled_ratios_of_doubled_users_in_clusters_have_the_error_of_single_users():
    random = np.random.default_rng(9)
    below = random.integers(1, 9, 40).astype(float)
    sides = [random.random(40) * below for _ in range(2)]
    twice = [RatioTerms(np.tile(above, 2), np.tile(below, 2)) for above in sides]
    found = pooled_with_clusters(*twice, np.tile(np.arange(40), 2))
    rest = [[(side.sum() - side[user]) / (below.sum() - below[user]) for user in range(40)] for side in sides]  # without one user
    changes = np.subtract(rest[1], rest[0]) - found.difference
    assert found.se == pytest.approx(math.sqrt(39 / 40 * (changes**2).sum()))
    assert (found.notes, found.n) == ((), 80)
    alone = pooled_with_clusters(*twice, np.zeros(80, dtype=np.int64))
    assert (alone.se, alone.notes) == (None, (ALL_OF_ONE,))


@pytest.mark.release
@pytest.mark.slow
def test_intervals_of_equally_good_models_cover_0_in_95_percent_of_draws_under_heavy_weights():
    random = np.random.default_rng(5)
    inside, by_delta, n_draws, n = 0, 0, draws(500, 1500), 200
    for _ in range(n_draws):
        weights, chance = random.pareto(1.1, n) + 1, random.beta(1, 3, n)
        sides = [terms(weights, random.binomial(10, chance) / 10) for _ in range(2)]
        for place, made in enumerate((weighted_estimate(*sides), pooled_estimate(*sides))):
            hit = made.confidence.at(0.025) <= 0 <= made.confidence.at(0.975)
            inside, by_delta = inside + hit * (place == 0), by_delta + hit * (place == 1)
    assert inside / n_draws == pytest.approx(0.95, abs=0.02)
    assert by_delta / n_draws < 0.90  # the delta method of pooled measures is too narrow here
