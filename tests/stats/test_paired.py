"""Paired sums: exact, mergeable, the same for any order and any parts."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.stats.estimates import skewness_of_mean, standard_deviation
from receval.stats.paired import PairedSums, UserGroups

from tests.stats.draws import draw_pair, pairs


def literal(base, model):
    """Return n, up, down, Σa, Σb, Σd, Σd², Σd³ in plain Python, with fractions."""
    ds = [b - a if abs(b - a) > 1e-12 * max(abs(a), abs(b), 1) else 0.0 for a, b in zip(base, model, strict=True)]
    sums = [sum(map(Fraction, terms), Fraction(0)) for terms in (base, model, ds)]
    powers = [sum((Fraction(d) ** power for d in ds), Fraction(0)) for power in (2, 3)]
    return [len(ds), sum(d > 0 for d in ds), sum(d < 0 for d in ds), *sums, *powers]


@given(pairs)
def test_the_sums_are_exact(pair):
    base, model = pair
    sums = PairedSums.from_values(base, model)
    found = [sums.n, sums.up, sums.down, sums.base, sums.model, sums.difference(), sums.difference_squares(), sums.difference_cubes()]
    assert found == literal(base.tolist(), model.tolist())
    assert float(sums.base_squares) == pytest.approx(float((base**2).sum()), rel=1e-14)


@given(pairs, st.floats(0.5, 1.5))
def test_the_cubes_of_any_weighted_difference_follow_from_the_sums(pair, factor):
    base, model = pair
    sums, d = PairedSums.from_values(base, model), model - base
    found = [sums.difference_cubes(Fraction(factor)), sums.base_cubes, sums.difference_base_squares, sums.difference_squares_base]
    expected = [((model - factor * base) ** 3).sum(), (base**3).sum(), (d * base**2).sum(), (d**2 * base).sum()]
    assert list(map(float, found)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [0, 1, 300, 40_000])
def test_measures_that_are_added_up_together_have_the_sums_of_each_alone(n):
    random = np.random.default_rng(n)
    base, model = (np.round(random.random((5, n)), 3) for _ in range(2))
    model[:, ::3], base[1, ::7], model[2, ::5], base[3, ::11] = base[:, ::3], np.nan, np.inf, base[3, ::11] * 1e-9
    rows = list(base), list(model)
    each = [PairedSums.from_values(*pair) for pair in zip(*rows, strict=True)]
    assert PairedSums.from_rows(*rows) == each
    few = PairedSums.from_rows(*rows, shares=False)
    assert [(sums.n, sums.up, sums.down, sums.n_unpaired, sums.difference_cubes()) for sums in few] == [
        (sums.n, sums.up, sums.down, sums.n_unpaired, sums.difference_cubes()) for sums in each
    ]
    assert [(sums.base, sums.model) for sums in few] == [(sums.base, sums.model) for sums in each]


def test_sums_that_were_left_out_cannot_be_read_as_others():
    (few,) = PairedSums.from_rows([np.array([0.1, 0.2])], [np.array([0.3, 0.1])], shares=False)
    for name in ("base_squares", "model_squares", "base_cubes"):
        with pytest.raises(IndexError):
            getattr(few, name)


@given(pairs, st.integers(-40, 40))
def test_deviation_and_skewness_are_rounded_once_from_exact_fractions(pair, exponent):
    values = [Fraction(value) * Fraction(2) ** exponent for value in (pair[1] - pair[0]).tolist()]
    n, total, squares, cubes = len(values), *(sum((value**power for value in values), Fraction(0)) for power in (1, 2, 3))
    second, third = squares - total**2 / n, cubes - 3 * total / n * squares + 2 * total**3 / n**2
    if second > Fraction(1e-24) * squares:
        assert standard_deviation(total, squares, n) == float(second / (n - 1)) ** 0.5
        assert abs(skewness_of_mean(total, squares, cubes, n)) == min(1.0, float(third**2 / second**3) ** 0.5)
    else:
        assert standard_deviation(total, squares, n) == 0


def test_values_whose_cubes_overflow_are_summed():
    assert PairedSums.from_values([0.0, -9e99], [8e99, 9e99]).difference_cubes() == Fraction(8e99) ** 3 + Fraction(1.8e100) ** 3


@given(pairs, st.randoms(use_true_random=False))
def test_order_and_parts_change_no_byte_of_paired_sums(pair, random):
    base, model = pair
    order = random.sample(range(len(base)), len(base))
    borders = sorted(random.randint(0, len(base)) for _ in range(random.randint(0, 5)))
    parts = [PairedSums.from_values(base[users], model[users]) for users in np.split(np.array(order), borders)]
    random.shuffle(parts)
    merged = PairedSums.zeros()
    for part in parts:
        merged += part
    whole = PairedSums.from_values(base, model)
    assert merged == whole
    assert pickle.dumps(merged) == pickle.dumps(whole)


def test_sums_over_several_blocks_of_users_equal_the_sums_of_parts():
    base, model = draw_pair(0, 70_000)
    assert PairedSums.from_values(base, model) == PairedSums.from_values(base[:9], model[:9]) + PairedSums.from_values(base[9:], model[9:])


@given(pairs)
def test_swapped_sums_equal_the_sums_of_swapped_models(pair):
    base, model = pair
    assert PairedSums.from_values(base, model).swapped() == PairedSums.from_values(model, base)


def test_differences_that_come_from_rounding_count_as_0():
    sums = PairedSums.from_values([0.1 + 0.2, 1e9, 0.0], [0.3, 1e9 + 1e-6, 1e-13])
    assert (sums.same, sums.n_changed, sums.difference()) == (3, 0, 0)


def test_a_small_difference_that_is_more_than_rounding_counts():
    assert (PairedSums.from_values([0.0, 1.0], [1e-11, 1.0]).up, PairedSums.from_values([1.0], [1 - 1e-11]).down) == (1, 1)


def test_a_user_without_a_value_on_one_side_is_left_out_and_counted():
    nan = float("nan")
    sums = PairedSums.from_values([0.5, nan, nan, 0.25, float("inf"), 1.0], [0.75, 1.0, nan, 0.25, 1.0, float("-inf")])
    assert (sums.n, sums.up, sums.same, sums.n_unpaired) == (2, 1, 1, 3)


def test_arrays_of_different_lengths_are_not_paired():
    with pytest.raises(ValueError, match="paired by position"):
        PairedSums.from_values([1.0, 2.0], [1.0])


@given(pairs, st.integers(1, 5))
def test_sums_by_group_equal_the_sums_over_its_users(pair, n_groups):
    base, model = pair
    codes = np.arange(len(base)) * 31 % (n_groups + 1) - 1  # -1: in no group
    found = list(UserGroups.from_codes(codes, n_groups).sums(base, model))
    assert found == [PairedSums.from_values(base[codes == code], model[codes == code]) for code in range(n_groups)]
