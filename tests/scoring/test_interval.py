"""Percentiles and bootstrap intervals: worked by hand, the same on every machine, and in agreement with the theory."""

from __future__ import annotations

import random
from statistics import NormalDist, fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.scoring.aggregate import bootstrap, percentile

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("values", "q", "expected"),
    [([3, 1, 2], 0, 1), ([3, 1, 2], 50, 2), ([3, 1, 2], 100, 3), ([3, 1, 2], 25, 1.5), ([0, 10], 95, 9.5), ([7], 13, 7)],
)
def test_a_percentile_is_interpolated_linearly(values, q, expected):
    assert percentile(values, q) == pytest.approx(expected)


@given(values=numbers, q=st.floats(0, 100))
def test_a_percentile_follows_its_definition(values, q):
    ordered = sorted(values)
    position = (len(values) - 1) * q / 100
    low = min(int(position), len(values) - 1)
    high = min(low + 1, len(values) - 1)
    assert percentile(values, q) == pytest.approx(ordered[low] + (ordered[high] - ordered[low]) * (position - low), abs=1e-6)


def test_an_interval_is_the_same_on_every_machine():
    assert bootstrap([0.0, 0.25, 0.5, 1.0]) == (0.125, 0.8125)
    assert bootstrap([i / 64 for i in range(64)], resamples=200, level=0.9, seed=7) == (0.43157958984375, 0.55203857421875)


@given(values=numbers, seed=st.integers(0, 2**32 - 1))
def test_an_interval_does_not_depend_on_the_order_of_the_values_and_lies_within_them(values, seed):
    low, high = bootstrap(values, resamples=20, seed=seed)
    assert bootstrap(random.Random(seed).sample(values, len(values)), resamples=20, seed=seed) == (low, high)
    assert min(values) - 1e-6 <= low <= high <= max(values) + 1e-6


def test_another_seed_draws_other_values():
    values = [i**0.5 for i in range(100)]
    assert bootstrap(values, seed=1) != bootstrap(values, seed=2)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_of_many_values_is_that_of_the_normal_distribution(level):
    values = [(i / 2000) ** 2 for i in range(2000)]
    half = NormalDist().inv_cdf((1 + level) / 2) * stdev(values) / len(values) ** 0.5
    assert bootstrap(values, resamples=4000, level=level) == pytest.approx((fmean(values) - half, fmean(values) + half), abs=half / 10)


@pytest.mark.parametrize("values", [[0.1], [0.1] * 3, [-2.0] * 50])
def test_the_interval_of_equal_values_is_this_value(values):
    assert bootstrap(values) == (values[0], values[0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: percentile([], 50), "zero values"),
        (lambda: percentile([1], 101), "between 0 and 100, not 101"),
        (lambda: percentile([1], float("nan")), "between 0 and 100"),
        (lambda: bootstrap([]), "zero values"),
        (lambda: bootstrap([1, 2], resamples=0), "at least one resample, not 0"),
        (lambda: bootstrap([1, 2], level=1), "between 0 and 1, not 1"),
    ],
)
def test_impossible_percentiles_and_intervals_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
