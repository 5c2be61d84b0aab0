"""Sorting lists as lines of matrices gives the order of sorting by columns."""

import numpy as np
import polars as pl
import pytest
from receval.tables.array import in_single_precision
from receval.tables.rows import in_order
from receval.tables.sorting import sorted_within_users

RANDOM = np.random.default_rng(1)
N = 500
KEYS = {
    "few integers": RANDOM.integers(-3, 3, N),
    "large integers": RANDOM.integers(-(2**62), 2**62, N),
    "single precision": RANDOM.standard_normal(N).astype(np.float32).round(1),
    "doubles that single precision cannot tell apart": 1 + RANDOM.random(N) * 1e-9,
    "zeros of both signs": np.where(RANDOM.random(N) < 0.3, -0.0, 0.0),
    "doubles beyond single precision": RANDOM.random(N) * 1e300 * RANDOM.choice([-1, 1], N),
    "infinite ones": np.where(RANDOM.random(N) < 0.3, np.inf, -1.0),
}


USERS = {
    "lists of different lengths": np.sort(RANDOM.integers(0, 20, N)),
    "lists of one length": np.repeat(np.arange(0, 50, 2), N // 25),
    "one long list and short ones": np.sort(np.where(RANDOM.random(N) < 0.8, 3, RANDOM.integers(0, 90, N))),
    "one list": np.zeros(N, np.int64),
}


@pytest.mark.each_once
@pytest.mark.parametrize("falls", [True, False])
@pytest.mark.parametrize("user", USERS.values(), ids=USERS.keys())
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_the_order_is_that_of_the_columns(key, user, falls):
    item = RANDOM.integers(0, 5, N)
    for ties in (item, pl.Series(item).cast(pl.String)):
        keys = [(key, falls), (ties, False)]
        assert sorted_within_users(user, keys).tolist() == in_order(user, keys).tolist()


def test_no_rows_can_be_sorted():
    assert not len(sorted_within_users(np.empty(0, np.int64), [(np.empty(0), True)]))


def test_scores_too_large_for_single_precision_are_the_largest_without_a_warning():
    assert in_single_precision(np.array([1e39, 1.0, -1e300])).tolist() == [np.inf, 1.0, -np.inf]
