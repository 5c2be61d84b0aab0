"""Exact sums equal those of `fractions`, rounded once, for any order, parts and merging."""

from __future__ import annotations

import math
import pickle
import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.exact_sums.exact import ExactSums, round_fraction

from tests.sizes import draws

any_floats = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40)
values_of_users = st.lists(st.floats(0, 1), max_size=40)


def total(terms) -> float:
    return round_fraction(sum(map(Fraction, terms), Fraction(0)))


def merged(parts: list[ExactSums], random: random.Random) -> ExactSums:
    """Return all parts, added in a random tree."""
    while len(parts) > 1:
        right, left = (parts.pop(random.randrange(len(parts))) for _ in range(2))
        parts.append(left + right)
    return parts[0]


@given(any_floats)
def test_a_sum_is_the_exact_one_rounded_once(terms):
    sums = ExactSums.from_values(np.array([terms], dtype=np.float64))
    assert sums.fraction(0) == sum(map(Fraction, terms))
    assert sums.values().tolist() == [total(terms)]


@given(any_floats)
def test_a_sum_of_squares_is_exact(terms):
    assert ExactSums.with_squares(np.array([terms], dtype=np.float64))[1].fraction(0) == sum(Fraction(term) ** 2 for term in terms)


@given(any_floats)
def test_a_sum_of_cubes_is_exact_even_beyond_the_largest_float(terms):
    assert ExactSums.from_cubes(np.array([terms], dtype=np.float64)).fraction(0) == sum(Fraction(term) ** 3 for term in terms)


@given(any_floats | values_of_users, st.randoms(use_true_random=False))
def test_order_parts_and_merging_change_no_bit(terms, random):
    whole = ExactSums.from_values(np.array([terms, terms[::-1]], dtype=np.float64))
    shuffled = random.sample(terms, len(terms))
    borders = [0, *sorted(random.randint(0, len(terms)) for _ in range(random.randint(0, 6))), len(terms)]
    parts = [np.array(shuffled[start:stop], dtype=np.float64) for start, stop in pairwise(borders)]
    again = merged([ExactSums.from_values(np.stack([part, part[::-1]])) for part in parts], random)
    assert again == whole
    assert pickle.dumps(again) == pickle.dumps(whole)
    assert again.values().tobytes() == whole.values().tobytes()


def test_sums_of_many_terms_of_many_measures_equal_fsum():
    values = np.random.default_rng(0).normal(size=(5, 30_000)) * np.array([[1e-9], [1], [1e9], [1e-300], [1e290]])
    assert ExactSums.from_values(values).values().tolist() == [math.fsum(row) for row in values]


def test_many_measures_of_few_users_are_summed_separately():
    values = np.random.default_rng(0).random((9_000, 3))
    assert ExactSums.from_values(values).values().tolist() == [math.fsum(row) for row in values]


def test_ones_cancel_terms_that_a_float_sum_would_lose():
    assert ExactSums.from_values(np.array([[1e300, 1.0, 1e-300, -1e300, -1.0]])).values().tolist() == [1e-300]


def test_the_smallest_and_the_largest_floats_are_summed():
    sums = ExactSums.from_values(np.array([[5e-324, 5e-324], [1.7e308, -1.7e308], [1.7e308, 1.7e308], [-1.7e308, -1.7e308]]))
    assert sums.values().tolist() == [1e-323, 0.0, math.inf, -math.inf]


def test_masked_terms_do_not_count_and_may_be_undefined():
    values = np.array([[1.0, math.nan, 2.0], [math.inf, 4.0, 8.0]])
    assert ExactSums.from_values(values, np.isfinite(values)).values().tolist() == [3.0, 12.0]
    assert ExactSums.from_values(values, [False, False, True]).values().tolist() == [2.0, 8.0]


@pytest.mark.parametrize("term", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("add", [ExactSums.from_values, lambda *of: ExactSums.with_squares(*of)[1], ExactSums.from_cubes])
def test_an_undefined_term_is_refused(add, term):
    with pytest.raises(ValueError, match="finite"):
        add(np.array([[0.5, term]]))


def test_sums_of_no_terms_are_zero_and_change_nothing():
    sums = ExactSums.from_values(np.array([[0.1], [0.2]]))
    assert ExactSums.zeros(2) + sums == sums
    assert ExactSums.from_values(np.empty((2, 0))) == ExactSums.zeros(2)
    assert ExactSums.zeros(2).values().tolist() == [0.0, 0.0]


def test_sums_of_other_measures_do_not_merge():
    with pytest.raises(ValueError, match="2 and of 3 measures"):
        ExactSums.zeros(2) + ExactSums.zeros(3)


def test_sums_are_small_when_pickled():
    sums = ExactSums.from_values(np.random.default_rng(0).random((60, 10_000)))
    assert len(pickle.dumps(sums)) < 60 * 20
    assert pickle.loads(pickle.dumps(sums)) == sums


@settings(max_examples=draws(7, 20))
@given(values=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30), seed=st.integers(0, 99))
def test_sums_of_ranges_are_those_of_their_terms_as_often_as_each_counts(values, seed):
    chance = random.Random(seed)
    values = (values * 9000)[:9000]  # more than one block
    starts = sorted({0, *(chance.randrange(len(values)) for _ in range(3))})
    times = [chance.choice((0, 1, 1, 5000)) for _ in values]
    where = [chance.random() < 0.8 for _ in values]
    found = ExactSums.from_ranges(np.array([values, values[::-1]]), starts, np.array(times), np.array(where))
    for sums, (start, end) in zip(found, pairwise([*starts, len(values)]), strict=True):
        for index, row in enumerate((values, values[::-1])):
            terms = zip(row[start:end], times[start:end], where[start:end], strict=True)
            assert sums.fraction(index) == sum((Fraction(value) * n for value, n, counts in terms if counts), Fraction())


@given(any_floats, any_floats)
def test_sums_that_are_split_are_those_of_their_rows(left, right):
    sums = [ExactSums.from_values(np.array([terms, terms], dtype=np.float64)) for terms in (left, right)]
    assert ExactSums.join(*sums).split(2) == tuple(sums)


@given(any_floats | values_of_users | st.lists(st.floats(1e-9, 1e9), max_size=40), st.lists(st.booleans(), min_size=40, max_size=40))
def test_sums_and_squares_from_the_same_slices_are_the_exact_ones(terms, counts):
    values, mask = np.array([terms, terms[::-1]], dtype=np.float64), np.array([counts, [True] * 40])[:, : len(terms)]
    sums, squares = ExactSums.with_squares(values, mask)
    for row in (0, 1):
        counted = [Fraction(term) for term, counted in zip(values[row].tolist(), mask[row].tolist(), strict=True) if counted]
        assert sums.fraction(row) == sum(counted)
        assert squares.fraction(row) == sum(term**2 for term in counted)


def test_the_squares_of_many_thousand_terms_add_up_exactly():
    values = np.random.default_rng(7).random((9, 10_000)) + np.array([[10.0**power] for power in range(-4, 5)])
    sums, squares = ExactSums.with_squares(values)
    assert [sums.fraction(row) for row in range(9)] == [sum(map(Fraction, row)) for row in values.tolist()]
    assert [squares.fraction(row) for row in range(9)] == [sum(Fraction(term) ** 2 for term in row) for row in values.tolist()]
