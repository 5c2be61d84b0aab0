"""Arithmetic on arrays: the same bits for one number and for the same number among many."""

from __future__ import annotations

import numpy as np
import pytest
import receval
from receval.metrics.arrays import powers


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
