"""InvalidShare and DuplicateShare count what was delivered: no policy, and no convention, hides what a model made up or repeated."""

from __future__ import annotations

from itertools import product

import pytest
import receval
from receval.conventions import AXES, builtin_names

from tests.sizes import half

TEST = {"ann": ["a"], "bob": ["b"], "eve": ["a"]}
TRAIN = {"ann": ["c"], "bob": ["a", "c"], "eve": ["b"]}
LISTS = {"ann": ["a", "x", "a", "y", "x"], "bob": ["a", "b", "c"], "eve": ["x", "x", "x"]}
EXPECTED = {
    "InvalidShare@3": pytest.approx((1 / 3 + 0 + 1) / 3),
    "InvalidShare@none": pytest.approx((3 / 5 + 0 + 1) / 3),
    "DuplicateShare@3": pytest.approx((1 / 3 + 0 + 2 / 3) / 3),
    "DuplicateShare@none": pytest.approx((2 / 5 + 0 + 2 / 3) / 3),
}


def shares(**settings):
    measured = {"metrics": ["InvalidShare", "DuplicateShare", "Recall"], "top_k": [3, None]}
    result = receval.evaluate(test=TEST, recommendations={"m": LISTS}, train=TRAIN, health=False, **measured, **settings)
    return {row.measure: row.value for row in result.rows if row.measure in EXPECTED}


@pytest.mark.parametrize("axis", ["duplicates", "seen_items", "unknown_items"])
def test_no_policy_changes_what_was_delivered(axis):
    for value in AXES[axis].values:
        assert shares(policy={axis: value}) == EXPECTED, value


def test_all_policies_together_that_leave_no_item_of_a_user_still_count_the_user():
    choices = product(("keep_best_rank", "keep_last_row"), ("drop", "drop_and_refill"), ("drop", "drop_and_refill"))
    for duplicates, seen, unknown in choices:
        assert shares(policy={"duplicates": duplicates, "seen_items": seen, "unknown_items": unknown}) == EXPECTED


@pytest.mark.parametrize("name", half(builtin_names()))
def test_no_convention_changes_what_was_delivered(name):
    assert shares(convention=name) == EXPECTED


def test_an_item_of_train_is_valid_although_the_items_file_lacks_it():
    result = receval.evaluate(
        test=TEST, recommendations={"m": {"ann": ["c", "z"]}}, train=TRAIN, items=["z"], metrics="InvalidShare@2", health=False
    )
    assert result["m", "InvalidShare@2"].value == 0
    assert not any("InvalidShare take" in note for note in result.notes())


def test_a_gate_counts_duplicates_that_a_policy_removes():
    metrics, policy = "Recall@3,DuplicateShare@3,InvalidShare@3", {"duplicates": "keep_best_rank"}
    result = receval.evaluate(test=TEST, recommendations={"m": LISTS}, train=TRAIN, metrics=metrics, policy=policy, health=False)
    verdicts = receval.gate(result, ["DuplicateShare@3 <= 0.1", "InvalidShare@3 <= 0.5"])
    assert [gate.outcome for gate in verdicts.gates] == ["fail", "pass"]
