"""Objects of a wrong type, instead of a config, a path, a result or an option: a `TypeError` or `RecevalError` of one line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
import receval

TEST = pl.DataFrame({"user": [1, 2], "item": [3, 4], "rating": [5, 2]})
LISTS = pl.DataFrame({"user": [1, 2], "item": [3, 5], "score": [0.5, 0.25]})
RESULT = receval.evaluate(test=TEST, recommendations={"a": LISTS, "b": LISTS}, metrics="nDCG@2", health=False)
EVALUATOR = receval.Evaluator(test=TEST, metrics="nDCG@2")
BY_NAME = "give tables by name to receval.evaluate, test=…, recommendations=…"


def evaluated(**given: Any) -> Any:
    return receval.evaluate(**{"test": TEST, "recommendations": LISTS, "metrics": "nDCG@2", "health": False, **given})


def test_functional_and_testing_are_there_after_import_receval():
    assert receval.functional.ndcg(TEST, LISTS, k=2) == 0.5
    assert callable(receval.testing.check_metric)
    assert {"functional", "testing"} <= {*dir(receval)}


def test_a_result_yields_its_rows():
    assert [row.model for row in RESULT] == ["a", "b"]


@pytest.mark.parametrize("name", ["evaluate", "check", "describe", "explain", "audit", "enriched", "evaluate_config"])
@pytest.mark.parametrize("table", [TEST, TEST.to_pandas(), np.eye(3), [(1, 2)], {1: [2]}, 5], ids=lambda frame: type(frame).__name__)
def test_a_table_instead_of_a_config_is_refused_with_the_arguments_for_tables(name: str, table: Any):
    with pytest.raises(TypeError, match=f"^the first argument must be a config, not [a-zA-Z.]+: {BY_NAME}$"):
        getattr(receval, name)(table)


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "a table with arguments": (lambda: receval.evaluate(TEST, recommendations=LISTS, metrics="nDCG"), BY_NAME),
    "load_config": (lambda: receval.load_config(TEST), "config must be a path or a mapping, not polars.DataFrame"),  # type: ignore[arg-type]
    "run": (lambda: receval.run(TEST), "loaded must be the result of receval.load_config, not polars.DataFrame"),  # type: ignore[arg-type]
    "load_results": (lambda: receval.load_results(5), "folder must be a path, not int"),  # type: ignore[arg-type]
    "save": (lambda: RESULT.save(5), "folder must be a path, not int"),  # type: ignore[arg-type]
    "report": (lambda: RESULT.report(5), "path must be a path, not int"),  # type: ignore[arg-type]
    "compare": (
        lambda: receval.compare({"a": RESULT, "b": TEST}),  # type: ignore[dict-item]
        "the result 'b' must be what receval.evaluate returns, or the path of its folder, not polars.DataFrame",
    ),
    "a baseline": (lambda: RESULT.compare(TEST), "baseline must be a result, its folder, or the name of a result or a model, not polars"),
    "gate": (lambda: receval.gate(TEST, ["nDCG@2 >= 0"]), "result must be what receval.evaluate returns, or the path of its folder, not"),
    "rules": (lambda: RESULT.gate(5), "rules must be a rule such as 'nDCG@10 >= 0.2', or a list of rules, not int"),
    "an index": (lambda: RESULT[0], "the index of a result must be a model, a measure, or both: result['als', 'nDCG@10'], not int"),
    "a score of tables": (
        lambda: receval.score(TEST, TEST, "nDCG@2"),
        "recommended must be the items of one user, not polars.DataFrame: use receval.evaluate for tables of many users",
    ),
    "a score of numbers": (lambda: receval.score([1], 2, "nDCG@2"), "relevant must be the items of one user, not int"),  # type: ignore[arg-type]
    "the cut-off of score": (lambda: receval.score([1], [1], "nDCG", k=5), "score has no argument 'k': use metrics='nDCG@5'"),  # type: ignore[call-overload]
    "the cut-off of a call": (lambda: EVALUATOR(LISTS, k=5), "Evaluator has no argument 'k': use receval.Evaluator(…, top_k=…)"),
    "the lists of a call": (lambda: EVALUATOR(recs=LISTS), "Evaluator has no argument 'recs': use lists"),
    "the lists of a batch": (lambda: EVALUATOR.update([1], preds=[[3]]), "Evaluator.update has no argument 'preds': use lists"),
    "the users of a batch": (lambda: EVALUATOR.update(TEST, LISTS), "users must be the ids of the batch, one for each row of lists, not"),
    "no arguments": (lambda: receval.functional.ndcg(), "ndcg: missing a required argument: 'true': write ndcg(true, pred, k, …)"),
    "metrics": (lambda: evaluated(metrics=TEST), "metrics must not be a table, and is polars.DataFrame: tables are test, train, items"),
    "groups": (lambda: evaluated(by=TEST.to_pandas()), "by must not be a table, and is pandas.DataFrame: tables are test"),
    "a matrix as cut-offs": (lambda: evaluated(top_k=np.eye(2)), "top_k must not be a table, and is numpy.ndarray: tables are test"),
    "columns": (lambda: evaluated(columns=["user", "item"]), "columns must be a mapping such as {'user': 'NAME'}, not list"),
    "groups of Polars": (lambda: evaluated(test=TEST.group_by("user")), "test: polars.GroupBy: groups are not a table"),
    "groups of pandas": (
        lambda: evaluated(recommendations={"m": LISTS.to_pandas().groupby("user")}),
        "recommendations.m: pandas.DataFrameGroupBy: groups are not a table",
    ),
    "a group of a user": (
        lambda: evaluated(recommendations={1: LISTS.to_pandas().groupby("user")}),
        "is neither an item nor a pair of an item and a number as others",
    ),
    "a result as lists": (lambda: evaluated(recommendations=RESULT), "model: EvaluationResult is not a table that receval can read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_object_of_a_wrong_type_is_refused_in_one_line(name: str):
    call, sentence = WRONG[name]
    with pytest.raises((TypeError, receval.RecevalError), match=re.escape(sentence)) as raised:
        call()
    assert "\n" not in getattr(raised.value, "message", str(raised.value))


def test_options_may_be_arrays_and_columns():
    expected = evaluated(metrics=["nDCG", "Recall"], top_k=[1, 2]).to_dict()
    for metrics, top_k in ((np.array(["nDCG", "Recall"]), np.array([1, 2])), (pl.Series(["nDCG", "Recall"]), pl.Series([1, 2]))):
        assert evaluated(metrics=metrics, top_k=top_k).to_dict() == expected
