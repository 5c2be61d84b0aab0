"""Matrices of scores: only the best items of each user are read, with the values of the whole matrix as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
import receval
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.load.in_memory.frames import frame_of

from tests.sizes import draws

METRICS = ["nDCG", "Recall", "MAP", "Precision(tie_order=item_desc)"]


@st.composite
def scored(draw: Any) -> tuple[Any, pl.DataFrame, pl.DataFrame]:
    """Draw scores of few different values, so that many tie, with test and train over some of the pairs."""
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_users, n_items = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    scores = chance.integers(0, 4, (n_users, n_items)).astype(chance.choice([np.float32, np.float64]))
    scores[chance.random(scores.shape) < 0.1] = -np.inf
    scores[0, 0] = 3

    def pairs(share: float) -> pl.DataFrame:
        users, items = np.nonzero(chance.random(scores.shape) < share)
        return pl.DataFrame({"user": np.append(users, 0), "item": np.append(items, 0)}).unique(maintain_order=True)

    train = pairs(0.3).filter((pl.col("user") != 0) | (pl.col("item") != 0))
    return scores, pairs(0.4), pl.concat([train, pl.DataFrame({"user": [99], "item": [99]})])


def whole(scores: Any) -> pl.DataFrame:
    """Return the whole matrix as a table."""
    users, items = np.nonzero(np.isfinite(scores))
    return pl.DataFrame({"user": users, "item": items, "score": scores[users, items]})


def values(test: pl.DataFrame, lists: Any, **given: Any) -> Any:
    return receval.evaluate(test=test, recommendations={"m": lists}, metrics=METRICS, health=False, **given).to_dict()


@settings(max_examples=draws(4, 12))
@given(world=scored(), k=st.integers(1, 4), convention=st.sampled_from(["receval", "rectools", "trec_eval"]))
def test_the_best_items_of_a_matrix_give_the_values_of_the_whole_matrix_under_every_tie_rule(world: Any, k: int, convention: str):
    scores, test, _ = world
    there = np.isfinite(scores)
    sparse = scipy.sparse.coo_array((scores[there], np.nonzero(there)), shape=scores.shape)  # a score of 0 is stored
    expected = values(test, whole(scores), top_k=k, convention=convention)
    for lists in (receval.Matrix(scores), sparse):  # of few values: an array of whole numbers alone might be item ids
        assert values(test, lists, top_k=k, convention=convention) == expected


@settings(max_examples=draws(4, 10))
@given(world=scored())
def test_masked_seen_items_are_not_candidates(world: Any):
    scores, test, train = world
    unseen = whole(scores).join(train, on=["user", "item"], how="anti")
    expected = values(test, unseen, top_k=2)
    assert values(test, scores, top_k=2, train=train, mask_seen=True) == expected  # only a matrix of scores can be masked
    assert (
        values(test, scipy.sparse.csr_matrix(np.where(np.isfinite(scores), scores + 1, 0)), top_k=2, train=train, mask_seen=True)
        == expected
    )


def test_only_items_that_the_cut_off_can_reach_become_rows():
    scores = np.array([[0.1, 0.9, 0.5, 0.5, 0.2]])
    assert frame_of("m", "lists", scores, depth=2)["item"].to_list() == [1, 2, 3]  # the last two tie
    assert frame_of("m", "lists", scores, depth=None).height == 5
    assert receval.evaluate(test={0: [1]}, recommendations=scores, metrics="nDCG@2").inputs[1].rows == 3
    assert receval.evaluate(test={0: [1]}, recommendations=scores, metrics="nDCG@none").inputs[1].rows == 5


def test_lists_are_not_cut_before_a_policy_drops_items():
    scores = np.array([[0.9, 0.8, 0.7]])
    given: dict[str, Any] = {"train": {0: [0]}, "policy": {"seen_items": "drop_and_refill"}, "top_k": 1}
    assert values(pl.DataFrame({"user": [0], "item": [1]}), scores, **given)["m"]["Recall@1"] == 1.0


def test_an_explanation_and_an_audit_read_the_whole_matrix():
    scores = np.array([[0.9, 0.8, 0.7]])
    given: dict[str, Any] = {"test": {0: [2]}, "recommendations": scores, "metrics": "Recall@1"}
    assert receval.explain(measure="Recall@3", user=0, **given).value == 1.0
    (measure,) = receval.audit(conventions=["trec_eval"], **given).measures
    assert measure.values("model") == {"receval": 0.0, "trec_eval": 0.0}


def test_rows_and_columns_can_be_named():
    matrix = receval.Matrix(np.array([[0.1, 0.9], [0.8, 0.3]]), users=["a", "b"], items=np.array(["x", "y"]))
    assert receval.evaluate(test={"a": ["y"], "b": ["x"]}, recommendations=matrix, metrics="HitRate@1")["HitRate@1"].value == 1.0


def test_arrays_of_ids_with_or_without_scores_are_lists():
    ids, scores = np.array([[3, 1, -1], [2, 0, 1]]), np.array([[0.9, 0.5, 0.0], [0.1, 0.2, 0.9]])
    test = {0: [3], 1: [1]}
    assert receval.evaluate(test=test, recommendations=ids, metrics="HitRate@1")["HitRate@1"].value == 0.5
    assert receval.evaluate(test=test, recommendations=(ids, scores), metrics="HitRate@1")["HitRate@1"].value == 1.0
    named = receval.Matrix(ids, users=["a", "b"], items=list("wxyz"))
    assert receval.evaluate(test={"a": ["z"], "b": ["y"]}, recommendations=named, metrics="HitRate@1")["HitRate@1"].value == 1.0
    with pytest.raises(receval.DataError, match="the item 3 has no id: ids of 2 items are given"):
        receval.evaluate(test=test, recommendations=receval.Matrix(ids, items=["w", "x"]), metrics="HitRate@1")


@pytest.mark.parametrize("test", [{1: [3], 2: [1], 3: [2]}, {7: [3], 90: [1], 8: [2]}])
def test_row_numbers_that_cannot_be_the_user_ids_are_refused(test: Any):
    asked: dict[str, Any] = {"test": test, "metrics": "HitRate@1", "health": False}
    ids = np.array([[3, 1, 2, 4], [1, 0, 2, 4], [2, 0, 1, 4]])
    for lists in (ids, receval.Matrix(ids), (ids, -ids * 0.5)):
        with pytest.raises(receval.DataError, match="row numbers 0 to 2 are taken as user ids, but the 3 user ids of test run") as raised:
            receval.evaluate(recommendations=lists, **asked)
        assert raised.value.hint == "give the ids as receval.Matrix(array, users=ids); users=range(3) keeps the numbers"
        with pytest.raises(receval.DataError, match="row numbers 0 to 2 are taken as user ids"):
            receval.Evaluator(test=test, metrics="HitRate@1")(lists)
    assert receval.evaluate(recommendations=receval.Matrix(ids, users=list(test)), **asked)["HitRate@1"].value == 1.0
    assert receval.evaluate(recommendations=receval.Matrix(ids, users=range(3)), **asked)["HitRate@1"].value is not None


def test_column_numbers_that_cannot_be_the_item_ids_are_refused():
    scores = np.array([[0.1, 0.9, 0.5], [0.8, 0.2, 0.7]])
    asked: dict[str, Any] = {"test": {0: [3], 1: [1]}, "train": {0: [2]}, "metrics": "HitRate@1"}
    with pytest.raises(receval.DataError, match="column numbers 0 to 2 are taken as item ids, but the 3 item ids of test and train"):
        receval.evaluate(recommendations=scores, **asked)
    padded = np.c_[[0.0, 0.0], scores]  # libraries with ids from 1 have a column 0 that is no item
    assert receval.evaluate(recommendations=padded, **asked)["HitRate@1"].value == 0.5


def test_the_remark_on_the_order_of_an_array_mentions_no_file():
    (remark,) = receval.evaluate(test={0: [1]}, recommendations=np.array([[1, 0, 2, 3]]), metrics="HitRate@1").remarks
    assert remark == "model: there is no recognised rank or score column; the given order is the rank."
