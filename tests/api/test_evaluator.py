"""`Evaluator` gives the values of `evaluate`, call after call."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
import receval
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.support.errors import DataError

from tests.sizes import draws
from tests.worlds import World, worlds

METRICS = ["nDCG", "MAP", "EPC", "Unexpectedness", "Gini", "0.5*nDCG@2 + 0.5*EPC@2"]


@pytest.mark.filterwarnings("ignore:.*have no list:UserWarning", "ignore:.*has no list:UserWarning")
@pytest.mark.filterwarnings("ignore:.*no (user|recommended item).* is in the test set", "ignore:.*test users have no list")
@settings(max_examples=draws(2, 8))
@given(world=worlds(), convention=st.sampled_from(["receval", "rectools", "rs_metrics", "recbole"]))
def test_every_call_gives_the_values_of_evaluate(world: World, convention: str):
    sides: dict[str, Any] = {name: world[name] for name in ("test", "train", "items", "baseline")}
    sides |= {"metrics": METRICS, "top_k": [2, 5], "convention": convention, "policy": {"duplicates": "keep_best_rank"}}
    evaluator = receval.Evaluator(**sides)
    text = world["lists"].with_columns(pl.col("user", "item").cast(pl.String))
    for lists in (world["lists"], world["lists"].sample(fraction=1, shuffle=True, seed=1), world["lists"].head(1), text):
        result = receval.evaluate(recommendations=lists, health=False, **sides)
        assert evaluator(lists) == result.to_dict()["model"]


def test_parts_measured_in_parallel_give_the_same_bits(monkeypatch: pytest.MonkeyPatch):
    from receval.evaluation import repeating

    chance = np.random.default_rng(1)
    lists = np.argsort(chance.random((200, 30)), axis=1)
    evaluator = receval.Evaluator(test={user: chance.integers(0, 30, 3).tolist() for user in range(150)}, metrics=["nDCG@10", "MAP@10"])
    once = evaluator(lists)
    monkeypatch.setattr(repeating, "_ROWS_PER_PART", 100)
    assert evaluator(lists) == once


def test_a_matrix_of_scores_is_cut_and_masked():
    evaluator = receval.Evaluator(test={0: [1], 1: [0]}, train={0: [2]}, metrics="HitRate@1", mask_seen=True)
    assert evaluator(np.array([[0.1, 0.5, 0.9], [0.2, 0.1, 0.0]])) == {"HitRate@1": 1.0}


def test_values_are_found_under_every_name_of_a_measure():
    values = receval.Evaluator(test={1: [5]}, metrics="HitRate@1")({1: [5]})
    assert (values["HR@1"], values["hit_rate@1"], list(values)) == (1.0, 1.0, ["HitRate@1"])
    rows = receval.evaluate(test={1: [5]}, recommendations={"a": {1: [5]}}, metrics="HR@1")["a"]
    assert rows["HR@1"].value == 1.0
    assert ("HR@1" in values, values.get("HR@1"), "HR@2" in values, values.get("HR@2", 7), 1 in values) == (True, 1.0, False, 7, False)
    with pytest.raises(KeyError, match=r"there is no value of 'HitRate@2': did you mean 'HitRate@1'\?"):
        values["HitRate@2"]


@pytest.mark.filterwarnings("ignore:.*have no list:UserWarning", "ignore:.*has no list:UserWarning")
def test_users_without_a_list_are_counted():
    evaluator = receval.Evaluator(test={1: [5], 2: [6]}, metrics="HitRate@1")
    assert evaluator({1: [5]}) == {"HitRate@1": 0.5}


def test_columns_of_lists_and_test_are_named_in_one_argument():
    frame = pl.DataFrame({"who": [1], "what": [5]})
    evaluator = receval.Evaluator(test=frame, metrics="HitRate@1", columns={"user": "who", "item": "what"})
    assert evaluator(frame) == {"HitRate@1": 1.0}


def test_lists_of_other_users_than_the_test_set_are_warned_about():
    evaluator = receval.Evaluator(test={11: [5], 12: [6]}, metrics="HitRate@1")
    sentence = r"^recommendations.model: dict: no user of these lists is in the test set: the lists have 0, 1, the test set 11, 12\. If"
    with pytest.warns(UserWarning, match=sentence):
        assert evaluator({0: [5], 1: [6]}) == {"HitRate@1": 0.0}
    assert evaluator(receval.Matrix(np.array([[5], [6]]), users=[11, 12])) == {"HitRate@1": 1.0}


@pytest.mark.parametrize("test", [{0: [10], 1: [11]}, {0: ["i10"], 1: ["i11"]}])
def test_lists_of_other_items_than_the_test_set_are_warned_about_once(test: Any):
    evaluator = receval.Evaluator(test=test, metrics=["HitRate@2", "EFD@2"], train=test)
    sentence = (
        r"^recommendations.model: dict: no recommended item is in the test set: the lists have items '?0'?, '?1'?, '?2'?, the test set"
    )
    with pytest.warns(UserWarning, match=sentence) as issued:
        assert evaluator({0: [0, 1], 1: [1, 2]})["HitRate@2"] == 0.0
    assert (len(issued), issued[0].filename) == (1, __file__)
    assert evaluator({0: [0, 1], 1: [1, 2]})["HitRate@2"] == 0.0


def test_a_batch_of_users_is_warned_about_once():
    evaluator = receval.Evaluator(test={user: [5] for user in range(5)}, metrics="HitRate@1")
    sentence = (
        r": 3 of 5 test users have no list, such as 2, 3, 4: the lists have 0, 1\. A user without a list counts as 0\. "
        r"If .*the Evaluator only the test rows of its users\.$"
    )
    with pytest.warns(UserWarning, match=sentence):
        assert evaluator(np.array([[5], [5]])) == {"HitRate@1": 0.4}
    assert evaluator(np.array([[5], [5]])) == {"HitRate@1": 0.4}


@pytest.mark.parametrize("test", [{0: [2], 1: [7], 2: [8]}, {0: ["a"], 1: ["b"], 2: ["0"]}])
def test_scores_of_candidates_without_their_ids_are_refused(test: Any):
    scores = np.array([[0.5, 0.25, 0.125]] * 3)
    sentence = r"2 of 3 test rows have an item that this matrix of scores does not have: its columns .* items 0 to 2\n  give the ids of"
    with pytest.raises(receval.DataError, match=f"^recommendations.model: numpy.ndarray: {sentence}"):
        receval.Evaluator(test=test, metrics="HitRate@1")(scores)
    with pytest.raises(receval.DataError, match=f"^recommendations.a: Matrix: {sentence}"):
        receval.evaluate(test=test, recommendations={"a": receval.Matrix(scores)}, metrics="HitRate@1")
    named = receval.Matrix(scores, items=["a", "b", "0"])
    assert receval.evaluate(test=test, recommendations=named, metrics="HitRate@1")["HitRate@1"].n_users == 3


def test_a_path_instead_of_lists_is_refused_with_what_to_do():
    evaluator = receval.Evaluator(test={1: [5]}, metrics="HitRate@1")
    with pytest.raises(receval.DataError, match=r"^recommendations.model: an Evaluator reads no files\n  read it first"):
        evaluator("epochs/1.parquet")


@pytest.mark.filterwarnings("ignore:.*have no list:UserWarning", "ignore:.*has no list:UserWarning")
def test_after_an_error_the_next_lists_are_evaluated():
    evaluator = receval.Evaluator(test={1: [5], 2: [6]}, metrics="HitRate@1")
    with pytest.raises(receval.DataError, match=r"^recommendations.model: dict, row 1: score is not a finite number"):
        evaluator({1: {5: float("nan")}})
    with pytest.raises(receval.DataError, match=r"^recommendations.model: dict: there are no rows"):
        evaluator({})
    assert evaluator({1: {5: 1.0}}) == {"HitRate@1": 0.5}


def test_options_that_make_no_sense_in_training_are_refused():
    with pytest.raises(receval.ConfigError, match=r"^yardsticks does not work with an Evaluator"):
        receval.Evaluator(test={1: [5]}, metrics="HitRate@1", yardsticks=True)
    with pytest.raises(receval.ConfigError, match=r"^metrics: EPC@1 needs .*: give train"):
        receval.Evaluator(test={1: [5]}, metrics="EPC@1")


def test_a_cutoff_by_default_is_a_warning_of_the_evaluator_with_the_way_to_whole_lists():
    said = "^The cut-off of MRR@10 is the default: top_k is not given; MRR@none reads the whole list.$"
    with pytest.warns(UserWarning, match=said) as caught:
        assert receval.Evaluator(test={1: [1]}, metrics=["HR@10", "MRR"])({1: [2, 1]}) == {"HitRate@10": 1, "MRR@10": 0.5}
    assert [warning.filename for warning in caught] == [__file__]
    receval.Evaluator(test={1: [1]}, metrics=["HR@10", "MRR@none"])
    receval.Evaluator(test={1: [1]}, metrics=["HR", "MRR"], top_k=10)


def test_checks_that_are_off_need_no_other_function():
    assert receval.Evaluator(test={1: [1]}, metrics="HR@1", health=False)({1: [1]}) == {"HitRate@1": 1.0}
    with pytest.raises(receval.ConfigError, match="health does not work with an Evaluator"):
        receval.Evaluator(test={1: [1]}, metrics="HR@1", health={"R04": "error"})


def test_per_user_values_are_those_of_evaluate_and_only_kept_if_asked_for():
    sides: dict[str, Any] = {"test": {1: [5], 2: [6], 3: [7]}, "metrics": ["nDCG@2", "0.5*nDCG@2 + 0.5*HR@1"]}
    lists = {1: [5, 6], 2: [5, 6], 3: [1, 2]}
    values = receval.Evaluator(keep_users=True, **sides)(lists)
    assert values.per_user is not None
    assert values.per_user.equals(receval.evaluate(recommendations={"a": lists}, health=False, **sides).per_user["a"])
    assert (values.rows["NDCG@2"].n_users, receval.Evaluator(**sides)(lists).per_user) == (3, None)
    assert pickle.loads(pickle.dumps(values)).per_user.equals(values.per_user)


USERS = list(range(100))
TRUTH = {user: [user % 7] for user in USERS}
ITEMS = np.array([[(user + rank) % 9 for rank in range(5)] for user in USERS])
ALL = np.random.default_rng(0).random((100, 30))


@pytest.mark.parametrize("lists", [ITEMS, ALL, (ITEMS, ALL[:, :5])], ids=["item ids", "scores of all items", "item ids and scores"])
@pytest.mark.parametrize("masked", [False, True])
def test_batches_give_the_values_of_all_lists_together_and_are_forgotten(lists, masked):
    if masked and lists is not ALL:
        pytest.skip("only scores are masked")
    more = {"train": {user: [8] for user in USERS}, "mask_seen": True} if masked else {}
    evaluator = receval.Evaluator(test=TRUTH, metrics=["nDCG@5", "Recall@5"], **more)
    for _ in range(2):
        for start in range(0, 100, 32):
            of_batch = tuple(frame[start : start + 32] for frame in lists) if isinstance(lists, tuple) else lists[start : start + 32]
            evaluator.update(USERS[start : start + 32], of_batch)
        assert evaluator.compute() == evaluator(lists)
    with pytest.raises(DataError, match="there are no lists"):
        evaluator.compute()


def test_scores_of_candidates_without_their_ids_are_refused_in_batches_too():
    evaluator = receval.Evaluator(test={user: [100 + user] for user in USERS}, metrics="nDCG@5")
    with pytest.raises(DataError, match=r"100 of 100 test rows have an item that this matrix of scores does not have"):
        evaluator.update(USERS[:50], ALL[:50])
    one_based = receval.Evaluator(test={user: [user % 30 + 1] for user in USERS}, metrics="nDCG@5")
    with pytest.raises(DataError, match="the column numbers 0 to 29 are taken as item ids, but the 30 item ids of test run from 1 to 30"):
        one_based.update(USERS[:50], ALL[:50])


def test_a_batch_is_also_a_matrix_with_ids_of_items_or_ids_and_scores_as_two_arguments():
    named = receval.Evaluator(test={user: [100 + user % 30] for user in USERS}, metrics="nDCG@5")
    matrix = receval.Matrix(ALL, items=range(100, 130))
    named.update(USERS, matrix)
    assert named.compute() == named(receval.Matrix(ALL, users=USERS, items=range(100, 130)))
    evaluator = receval.Evaluator(test=TRUTH, metrics="nDCG@5")
    evaluator.update(USERS, ITEMS, ALL[:, :5])
    assert evaluator.compute() == evaluator((ITEMS, ALL[:, :5]))


def test_a_batch_of_other_users_or_by_user_is_refused_with_what_to_give():
    evaluator = receval.Evaluator(test=TRUTH, metrics="nDCG@5")
    with pytest.raises(
        DataError, match=r"^update: the users of this Matrix are not the given users\n  give \(ids, scores\) without Matrix"
    ):
        evaluator.update([1, 2], receval.Matrix(ITEMS[1:3], users=[2, 1]))
    with pytest.raises(DataError, match=r"^update: dict has no row for each of the users\n  give \(ids, scores\), or only ids, with a row"):
        evaluator.update([1, 2], {1: [3], 2: [4]})


def test_a_single_test_user_without_a_list_is_warned_about_once_with_what_is_done():
    evaluator = receval.Evaluator(test=TRUTH, metrics="HitRate@5")
    sentence = (
        r"^recommendations.model: polars.DataFrame: 1 of 100 test users has no list, such as 99: the lists have 0, 1, 2\. A user without "
    )
    evaluator.update(USERS[:99], ITEMS[:99])
    with pytest.warns(UserWarning, match=sentence + r"a list counts as 0\."):
        evaluator.compute()
    evaluator(receval.Matrix(ITEMS[:99], users=USERS[:99]))


def test_a_user_in_two_batches_is_refused():
    evaluator = receval.Evaluator(test=TRUTH, metrics="nDCG@5")
    evaluator.update([1, 2], ITEMS[1:3])
    evaluator.update([2, 3], ITEMS[2:4])
    with pytest.raises(DataError, match="user 2 is in several batches"):
        evaluator.compute()


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda original: pickle.loads(pickle.dumps(original))], ids=["copy", "deepcopy", "pickle"]
)
def test_an_evaluator_can_be_copied_and_pickled_with_its_batches(copied):
    evaluator = receval.Evaluator(test=TRUTH, metrics="nDCG@5", keep_users=True)
    evaluator.update(USERS[:50], ITEMS[:50])
    other = copied(evaluator)
    assert other.keeps_users
    for clone in (evaluator, other):
        clone.update(USERS[50:], ITEMS[50:])
    assert other.compute() == other(ITEMS) == evaluator(ITEMS)


def test_batches_may_differ_in_the_type_of_their_ids_and_scores():
    evaluator = receval.Evaluator(test={1: [5], 2: [5], 3: [5]}, metrics="HitRate@1")
    evaluator.update(np.array([1, 2], dtype=np.int32), (np.array([[5], [6]]), np.array([[0.5], [0.5]])))
    evaluator.update(["3"], (np.array([[5]]), np.array([[1]], dtype=np.float32)))
    assert evaluator.compute() == {"HitRate@1": 2 / 3}


def test_scores_in_some_batches_only_are_refused_with_what_to_give():
    evaluator = receval.Evaluator(test={1: [5], 2: [5]}, metrics="HitRate@1")
    evaluator.update([1], (np.array([[5]]), np.array([[0.5]])))
    evaluator.update([2], np.array([[5]]))
    message = "some batches have scores, others have not\n  give scores with all batches, or with none"
    with pytest.raises(DataError, match=message):
        evaluator.compute()


RAGGED_TEST = {1: [5], 2: [6], 3: [7]}
RAGGED = {
    "lists": ([[5, 6, 8], [9], []], None),
    "arrays": ([np.array([5, 6, 8]), np.array([9]), np.array([], dtype=int)], None),
    "an array of lists": (np.array([[5, 6, 8], [9], []], dtype=object), None),
    "lists with scores": ([[6, 5, 8], [9], []], [[2.0, 1.5, 1.0], [3.0], []]),
    "tuples": ([(5, 6, 8), (9,), ()], None),
}


@pytest.mark.filterwarnings("ignore:.*has no list")
@pytest.mark.parametrize("kind", RAGGED)
def test_lists_of_different_lengths_give_the_values_of_the_same_frame(kind):
    lists, scores = RAGGED[kind]
    evaluator = receval.Evaluator(test=RAGGED_TEST, metrics=["MRR@2", "Recall@3", "Precision@3"])
    evaluator.update([1, 2, 3], lists, scores)
    rows = [(user, item, rank) for user, own in zip((1, 2, 3), lists, strict=True) for rank, item in enumerate(own, 1)]
    frame = pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row")
    assert evaluator.compute() == evaluator(frame)
    evaluator.update([1, 2], lists[:2], None if scores is None else scores[:2])
    evaluator.update([3], [[7]], None if scores is None else [[1.0]])
    more = pl.DataFrame([*rows, (3, 7, 1)], schema=["user", "item", "rank"], orient="row")
    assert evaluator.compute() == evaluator(more)


def test_lists_of_different_lengths_that_do_not_fit_are_refused_in_a_sentence():
    evaluator = receval.Evaluator(test=RAGGED_TEST, metrics=["MRR@2"])
    with pytest.raises(DataError, match="the scores do not have the lengths of the lists"):
        evaluator.update([1, 2], ([[5, 6], [6]], [[1.0], [2.0, 1.0]]))
    with pytest.raises(DataError, match="lists of item ids, which are integers here"):
        evaluator.update([1, 2], [["a", "b"], ["c"]])
    with pytest.raises(DataError, match="lists of item ids, which are integers here, not float64"):
        evaluator.update([1, 2], [[0.5, 0.25], [0.5]])
