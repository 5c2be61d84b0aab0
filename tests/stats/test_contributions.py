"""Contributions of items: their exact sum is the difference of the two values, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from receval.stats.contributions import contributions


@pytest.mark.parametrize("seed", range(30))
def test_the_exact_sum_of_a_user_is_the_difference_of_the_values(seed):
    random = np.random.default_rng(seed)
    user = np.repeat(np.arange(300), random.integers(1, 8, 300))
    gain = random.choice([1.0, 2.0, 3.0, 1e-3, 7.5], len(user))
    terms = []
    for _ in range(2):
        rank = random.integers(0, 12, len(user))
        terms.append(np.where(rank > 0, gain / np.log2(1 + np.maximum(rank, 1)), 0.0))
    best = random.random(300) * 10 ** random.integers(-3, 3, 300).astype(float) + 1e-9
    values = [np.bincount(user, of_list, 300) / best for of_list in terms]
    made = contributions((terms[0], terms[1]), (values[0], values[1]), user)
    for index in range(300):
        assert math.fsum(made[user == index]) == values[1][index] - values[0][index]
    expected = (terms[1] - terms[0]) / best[user]
    assert (np.abs(made - expected) <= 1e-13 * np.maximum(*values)[user]).all()


def test_an_item_that_neither_list_counts_adds_nothing():
    made = contributions(
        (np.asarray([1.0, 0.0, 0.0]), np.asarray([0.0, 0.0, 0.5])), (np.asarray([0.1]), np.asarray([0.3])), np.zeros(3, int)
    )
    assert made[1] == 0.0
    assert math.fsum(made) == 0.3 - 0.1


def test_no_items_have_no_contributions():
    assert not len(contributions((np.empty(0), np.empty(0)), (np.empty(0), np.empty(0)), np.empty(0, int)))


def test_a_user_without_a_counted_item_has_only_zeros():
    terms = np.asarray([0.0, 0.0, 1.0, 0.0]), np.asarray([0.0, 0.0, 0.5, 0.0])
    values = np.asarray([0.0, 0.4, 0.0]), np.asarray([0.0, 0.1, 0.0])
    made = contributions(terms, values, np.asarray([0, 0, 1, 2]))
    assert made.tolist() == [0.0, 0.0, 0.1 - 0.4, 0.0]
