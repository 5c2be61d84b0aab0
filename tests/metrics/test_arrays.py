"""Arithmetic on arrays: the same bits for one number and for the same number among many."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
import receval
from receval.metrics import arrays
from receval.metrics.arrays import begins, discounts, n_counted_powers, powers

from tests.sizes import draws, each_once, half


@pytest.mark.parametrize("shape", [(1,), (1, 1), (7,), (1, 7), (7, 1), (3, 2)])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_a_power_has_the_same_bits_in_every_shape(shape, kind):
    exponents = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    assert powers(0.8, exponents).tolist() == np.reshape([0.8 ** int(n) for n in exponents.flat], shape).tolist()
    assert powers(0.8, np.full((1, 1), 2, dtype=kind)).item() == 0.8**2


def test_powers_of_nothing_are_nothing_and_zero_to_the_power_of_zero_is_one():
    assert powers(0.5, np.empty((1, 0))).shape == (1, 0)
    assert powers(0.0, np.asarray([0, 1])).tolist() == [1.0, 0.0]


def test_a_user_alone_has_the_bits_that_it_has_among_others():
    test = {user: ["a", "b", "c"] for user in "uvwxyz"}
    lists = {"m": {user: ["x", "a", "b"][: 2 + at % 2] for at, user in enumerate("uvwxyz")}}
    metrics = "RBP(norm=ideal)@3,RBP@3,RBP(norm=ideal)@2"
    everyone = receval.evaluate(test=test, recommendations=lists, metrics=metrics, health=False)
    for user in test:
        alone = receval.evaluate(test={user: test[user]}, recommendations={"m": {user: lists["m"][user]}}, metrics=metrics, health=False)
        (of_alone,) = alone.per_user["m"].rows(named=True)
        (among,) = [row for row in everyone.per_user["m"].rows(named=True) if row["user"] == user]
        assert of_alone == among


@pytest.mark.parametrize(("base", "shifted"), half(each_once([2.0, math.e, 10.0], [True, False])))
def test_discounts_down_to_any_cutoff_are_the_sum_term_by_term(base, shifted):
    few, many = (1, 2, 10, 1000, 1 << 20), ((1 << 20) + 1, 1_300_000)
    terms = [1.0 / math.log(rank + 1 if shifted else max(rank, 2), base) for rank in range(1, many[-1] + 1)]
    assert discounts(few, base, shifted)[:, 0].tolist() == [math.fsum(terms[:k]) for k in few]
    assert discounts(many, base, shifted)[:, 0].tolist() == pytest.approx([math.fsum(terms[:k]) for k in many], rel=1e-14)


def test_powers_that_are_left_out_change_no_sum():
    for base in (0.1, 0.5, 0.9, 0.99):
        n = n_counted_powers(base)
        sums = np.cumsum(powers(base, np.arange(n + 500)))
        assert set(sums[n - 1 :]) == {sums[n - 1]}


TEST, LISTS = {"1": ["a", "b"], "2": ["c"]}, {"m": {"1": ["a", "x", "b"], "2": ["y", "c"]}}


def test_a_cutoff_of_a_thousand_million_takes_no_memory(monkeypatch):
    monkeypatch.setattr(arrays, "_TERMS", draws(1 << 14, 1 << 20))  # memory is traced, which is slow
    metrics = ["nDCG", "nDCG(convention=rectools)", "SDCG", "EPC(convention=warprec)", "RBO(form=down_to_k)"]
    tracemalloc.start()
    result = receval.evaluate(test=TEST, recommendations=LISTS, train=TEST, baseline=LISTS["m"], metrics=metrics, top_k=10**9, health=False)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(result.rows) == len(metrics)
    assert all(0 <= row.value <= 1 for row in result.rows)
    assert most < 200e6


def test_a_run_of_equal_rows_begins_where_any_column_changes():
    assert begins(np.asarray([1, 1, 1, 2]), np.asarray([5, 5, 6, 6])).tolist() == [True, False, True, True]
    assert begins(np.empty(0), np.empty(0)).tolist() == []
