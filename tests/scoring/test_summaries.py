"""Summaries of rows per user and item, and of numbers over their range, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.results.description import CountSummary, HistogramBin, NumberSummary
from receval.scoring.summaries import count_summary, number_summary


def summary(values, *cuts):
    """Return the summary of values that come in batches, divided at `cuts`."""
    array = np.array(values, dtype=np.float64)
    return number_summary("rating", np.split(array, cuts), min(values), max(values))


def test_four_users_with_1_1_2_and_4_rows():
    # quantiles at positions 0.75, 1.5, 2.25, 2.7 and 2.97 of (1, 1, 2, 4); Gini (-3·1 - 1·1 + 1·2 + 3·4) / (4·8);
    # the top 1 % and 20 % of four users are one user
    assert count_summary(np.array([2, 1, 4, 1])) == CountSummary(
        least=1,
        quantiles={"25": 1.0, "50": 1.5, "75": 2.5, "90": pytest.approx(3.4), "99": pytest.approx(3.94)},
        most=4,
        mean=2.0,
        gini=0.3125,
        top_1=0.5,
        top_20=0.5,
    )


def test_one_of_a_hundred_users_has_half_of_the_rows():
    # 99 users with one row and one with 101: Gini (Σ_{i≤99} (2i - 101) + 99·101) / (100·200) = (-99 + 9999) / 20000
    counts = count_summary(np.array([1] * 99 + [101]))
    assert (counts.top_1, counts.top_20, counts.gini) == (101 / 200, 120 / 200, 0.495)


def test_users_with_the_same_number_of_rows_have_a_gini_of_0():
    counts = count_summary(np.array([7] * 50))
    assert (counts.gini, counts.top_1, counts.top_20) == (0.0, 1 / 50, 10 / 50)


def test_a_single_user_has_all_rows():
    counts = count_summary(np.array([3]))
    assert (counts.gini, counts.top_1, counts.top_20, counts.quantiles["99"]) == (0.0, 1.0, 1.0, 3.0)


def test_no_users_have_no_counts():
    assert count_summary(np.array([], dtype=np.int64)) is None


def test_few_different_numbers_have_a_bin_each():
    assert summary([5, 1, 4, 4]) == NumberSummary(
        "rating", 1, 3.5, 5, (HistogramBin(1, 1, 1), HistogramBin(4, 4, 2), HistogramBin(5, 5, 1))
    )


def test_up_to_twelve_different_numbers_have_a_bin_each():
    assert [bar.low == bar.high for bar in summary(list(range(12)), 5).histogram] == [True] * 12
    assert [bar.low == bar.high for bar in summary(list(range(13)), 5).histogram] == [False] * 10


def test_many_different_numbers_have_ten_bins_of_one_width():
    # 0, 1, …, 19 in bins of 1.9: two numbers in each; the last bin includes its upper end
    histogram = summary(list(range(20))).histogram
    assert [bar.rows for bar in histogram] == [2] * 10
    assert [bar.low for bar in histogram] == pytest.approx([1.9 * number for number in range(10)])
    assert [bar.high for bar in histogram][:-1] == [bar.low for bar in histogram][1:]
    assert histogram[-1].high == 19


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=40), st.randoms(use_true_random=False))
def test_order_and_batches_change_no_bit(values, random):
    shuffled = random.sample(values, len(values))
    assert repr(summary(shuffled, random.randint(0, len(values)))) == repr(summary(values))
    assert sum(bar.rows for bar in summary(values).histogram) == len(values)


def test_negative_zero_equals_zero():
    assert repr(summary([-0.0, 0.0])) == repr(summary([0.0, -0.0])) == repr(summary([0.0, 0.0]))


def test_a_range_wider_than_the_largest_float_has_bins():
    values = [number * 1.7e307 for number in range(-10, 11)]
    assert sum(bar.rows for bar in summary(values).histogram) == 21


def test_no_numbers_have_no_summary():
    assert number_summary("rating", [], 0.0, 0.0) is None


def test_a_range_as_small_as_the_smallest_float_has_a_histogram():
    least, most = 0.0, 5e-324
    found = number_summary("score", [np.array([least, most, most])], least, most)
    assert [(bar.low, bar.rows) for bar in found.histogram] == [(0.0, 1), (5e-324, 2)]
