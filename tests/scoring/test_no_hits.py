"""Users without a hit who are left out of the mean, and what the mean is if there is nobody else."""

from __future__ import annotations

import pytest
import receval

TEST = {"user": ["a", "b"], "item": ["x", "y"]}
MISSES = {"user": ["a", "b"], "item": ["p", "q"]}


@pytest.mark.parametrize(("rule", "value"), [("zero", 0.0), ("drop", None), ("drop_or_zero", 0.0)])
def test_the_mean_if_no_user_has_a_hit(rule, value):
    result = receval.evaluate(test=TEST, recommendations=MISSES, metrics=[f"MRR(no_hits={rule})@2"], health=False)
    (row,) = result.rows
    assert (row.value, row.n_users) == (value, 2 if rule == "zero" else 0)


def test_a_note_says_why_the_value_is_0():
    result = receval.evaluate(test=TEST, recommendations=MISSES, metrics=["MRR(no_hits=drop_or_zero)@2"], health=False)
    assert "MRR(no_hits=drop_or_zero)@2 is 0: no user counts (2 users have no data for this measure)." in str(result)


@pytest.mark.parametrize("rule", ["drop", "drop_or_zero"])
def test_users_without_a_hit_are_left_out_if_others_have_one(rule):
    lists = {"user": ["a", "a", "b"], "item": ["p", "x", "q"]}
    result = receval.evaluate(test=TEST, recommendations=lists, metrics=[f"MRR(no_hits={rule})@2"], health=False)
    (row,) = result.rows
    assert (row.value, row.n_users) == (0.5, 1)
