"""Exact sums by group equal those of `fractions`, rounded once, for any order of rows, parts and merging."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.exact_sums import group_sums
from receval.exact_sums.exact import round_fraction
from receval.exact_sums.group_sums import GroupLimbs, exact_group_sums

N_GROUPS = 4
any_rows = st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, N_GROUPS - 1)), max_size=40)


def limbs(rows) -> GroupLimbs:
    values, groups = [value for value, _ in rows], [group for _, group in rows]
    return GroupLimbs.from_values(np.array(values, dtype=np.float64), np.array(groups, dtype=np.int64), N_GROUPS)


@given(any_rows)
def test_a_sum_is_the_exact_one_rounded_once(rows):
    expected = [round_fraction(sum((Fraction(value) for value, g in rows if g == group), Fraction(0))) for group in range(N_GROUPS)]
    assert limbs(rows).values().tolist() == expected


@given(any_rows, st.randoms(use_true_random=False))
def test_order_parts_and_merging_change_no_bit(rows, random):
    whole = limbs(rows)
    shuffled = random.sample(rows, len(rows))
    borders = [0, *sorted(random.randint(0, len(rows)) for _ in range(random.randint(0, 6))), len(rows)]
    parts = [limbs(shuffled[start:stop]) for start, stop in pairwise(borders)]
    while len(parts) > 1:
        right, left = (parts.pop(random.randrange(len(parts))) for _ in range(2))
        parts.append(left + right)
    assert parts[0].exponent == whole.exponent
    assert parts[0].limbs.tobytes() == whole.limbs.tobytes()
    assert parts[0].values().tobytes() == whole.values().tobytes()


def test_blocks_of_rows_add_up(monkeypatch):
    random = np.random.default_rng(0)
    values, groups = random.normal(size=1000), random.integers(0, 7, 1000)
    expected = [math.fsum(values[groups == group]) for group in range(7)]
    assert exact_group_sums(values, groups, 7).tolist() == expected
    monkeypatch.setattr(group_sums, "_BLOCK", 64)
    assert exact_group_sums(values, groups, 7).tolist() == expected


def test_limbs_do_not_overflow_however_often_they_merge():
    sums = GroupLimbs.from_values(np.array([-1.0, 2.0**40 + 0.5]), np.array([0, 1]), 2)
    for _ in range(80):
        sums += sums
    assert sums.values().tolist() == [-(2.0**80), 2.0**80 * (2.0**40 + 0.5)]


def test_a_group_that_only_one_part_has_is_zero_in_the_other():
    merged = GroupLimbs.from_values(np.array([0.5]), np.array([0]), 1) + GroupLimbs.from_values(np.array([0.25, 4.0]), np.array([0, 2]), 3)
    assert merged.values().tolist() == [0.75, 0.0, 4.0]


def test_groups_without_rows_are_zero():
    assert exact_group_sums(np.array([]), np.array([], dtype=np.int64), 3).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("values", "groups", "message"),
    [([math.nan], [0], "finite"), ([1.0], [2], "from 0 to 1"), ([1.0], [-1], "from 0 to 1"), ([1.0, 2.0], [0], "2 values have 1")],
)
def test_wrong_rows_are_refused(values, groups, message):
    with pytest.raises(ValueError, match=message):
        GroupLimbs.from_values(np.array(values), np.array(groups), 2)
