"""`receval.functional` and `receval.score`: one function per metric, with the numbers of rs_metrics under its convention."""

from __future__ import annotations

import ast
import inspect
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import receval
from receval import functional
from receval.api import functions, stubs
from receval.metrics import METRICS
from receval.metrics.catalogue import documented
from receval.support.errors import DataError

from tests.conftest import ROOT

TRUE, PRED = {1: [1, 2], 2: [3]}, {1: [1]}


@pytest.mark.parametrize(
    ("name", "value"),
    [("hitrate", 0.5), ("precision", math.nan), ("recall", 0.25), ("ndcg", 0.306574), ("mapr", 0.25), ("mrr", 0.5)],
)
def test_functions_give_the_numbers_of_rs_metrics(name: str, value: float):
    """Compare with rs_metrics 0.6.0; user 2 has no list."""
    assert getattr(functional, name)(TRUE, PRED, k=3) == pytest.approx(value, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("name", ["hitrate", "precision", "mapr", "recall", "mar", "ndcg", "mrr"])
def test_functions_of_rs_metrics_take_two_dictionaries_and_k_10_by_default(name: str):
    function, true = getattr(functional, name), {1: [11]}
    assert list(inspect.signature(function).parameters)[:3] == ["true", "pred", "k"]
    assert function(true, {1: list(range(1, 11))}) == function(true, {1: list(range(1, 12))}) == 0.0
    assert function(true, {1: list(range(1, 12))}, k=11) > 0.0


def test_coverage_takes_k_and_reads_whole_lists_without_it():
    items, recs = [1, 2, 3, 4], {1: [1, 2], 2: [1, 3]}
    assert functional.coverage(items, recs) == 0.75
    assert functional.coverage(items, recs, k=1) == functional.coverage(items, recs, 1) == 0.25


def test_metrics_that_rs_metrics_lacks_use_the_receval_convention():
    # precision of the one listed item: 1/1 under rs_metrics, 1/2 under receval; rs_metrics has no MAP: (1/1)/min(2, 2)
    assert functional.precision({1: [1, 2]}, {1: [1]}, k=2) == 1.0
    assert functional.precision({1: [1, 2]}, {1: [1]}, k=2, convention="receval") == 0.5
    assert functional.map({1: [1, 2, 3]}, {1: [1]}, k=2) == 0.5
    assert functional.mapr({1: [1, 2, 3]}, {1: [1]}, k=2) == pytest.approx(1 / 3)
    defaults = {name: inspect.signature(getattr(functional, name)).parameters["convention"].default for name in functions.names()}
    assert {name for name, default in defaults.items() if default == "rs_metrics"} == functions.OF_RS_METRICS
    assert set(defaults.values()) == {"rs_metrics", "receval"}


@pytest.mark.parametrize(
    ("name", "listed", "unlisted"),
    [
        ("hitrate", 0.5, 0.5),
        ("precision", 0.5, math.nan),
        ("recall", math.nan, math.nan),
        ("mapr", 0.5, 0.5),
        ("mrr", 0.5, 0.5),
        ("ndcg", math.nan, math.nan),
    ],
)
def test_a_user_with_an_empty_test_list_counts_as_in_rs_metrics(name, listed, unlisted):
    """Compare with rs_metrics 0.6.0; user 2 has no relevant item, and a list or none."""
    function, true = getattr(functional, name), {2: [], 1: [1]}
    assert function(true, {1: [1], 2: [3]}, 1) == pytest.approx(listed, nan_ok=True)
    assert function(true, {1: [1]}, 1) == pytest.approx(unlisted, nan_ok=True)
    of_users = [math.nan if math.isnan(listed) else 0.0, 1.0]
    assert function(true, {1: [1], 2: [3]}, 1, apply_mean=False) == pytest.approx(of_users, nan_ok=True)
    assert function({"b": [], "a": ["x"]}, {"a": ["x"], "b": ["y"]}, 1) == pytest.approx(listed, nan_ok=True)
    assert function(true, {1: [1], 2: [3]}, 1, convention="receval") == 1.0


def test_several_cut_offs_give_one_value_each():
    # user 1: 1 hit of R = 2 at rank 1: 1 and 1/(1 + .6309); user 2 has none
    both = {1: 0.5, 2: pytest.approx(0.306574, abs=1e-6)}
    true, pred = {1: [1, 2], 2: [3]}, {1: [1, 7], 2: [5]}
    assert functional.ndcg(true, pred, [1, 2]) == both
    assert functional.ndcg(true, pred, (1, 2)) == functional.ndcg(true, pred, range(1, 3)) == both
    assert functional.ndcg(true, pred, [2]) == {2: functional.ndcg(true, pred, 2)}
    assert functional.mrr(true, pred, [1, None], apply_mean=False) == {1: [1.0, 0.0], None: [1.0, 0.0]}
    assert functional.num_relevant(true, pred, [1, 2]) == {1: 1.5, 2: 1.5}


@pytest.mark.parametrize(
    ("k", "message"), [([], "k: the list of cut-offs is empty"), ([0], "at least 1, not 0"), ([True], "not True"), (1.5, "not 1.5")]
)
def test_an_invalid_cut_off_is_refused(k, message):
    with pytest.raises(receval.ConfigError, match=message):
        functional.ndcg(TRUE, PRED, k)


def test_duplicates_in_lists_count_as_in_rs_metrics():
    true, pred = {1: [1, 1, 2]}, {1: [1, 5]}
    values = [getattr(functional, name)(true, pred, 3) for name in ("recall", "mapr", "ndcg")]
    assert values == pytest.approx([0.6667, 0.3333, 0.6131], abs=1e-4)


def test_popularity_comes_from_a_log_and_coverage_from_items():
    log = pd.DataFrame({"user_id": [1, 1, 2, 3], "item_id": [1, 2, 2, 2]})
    assert functional.popularity(log, {1: [2, 99]}) == 0.5
    assert functional.surprisal(log, {1: [2, 99]}, k=2) == pytest.approx(math.log2(3) / 2)
    assert functional.surprisal(log, {1: [1, 99]}) == pytest.approx(1.58496, abs=1e-5)
    assert functional.coverage([1, 2, 3, 4], {1: [1, 2], 2: [2, 9]}) == 0.5


def test_per_user_values_have_the_order_of_the_first_argument():
    true, pred = {"b": [1], "a": [2], "c": [3]}, {"a": [2], "b": [5, 1]}
    assert functional.mrr(true, pred, apply_mean=False) == [0.5, 1.0, 0.0]
    frame = pd.DataFrame({"who": ["b", "a"], "what": [1, 2]})
    lists = pd.DataFrame({"who": ["a", "b", "b"], "what": [2, 5, 1]})
    assert functional.mrr(frame, lists, apply_mean=False, user_col="who", item_col="what") == [0.5, 1.0]


def test_a_metric_takes_its_own_parameters_and_its_inputs():
    assert functional.f1({1: [1]}, {1: [1, 2]}, k=2, beta=2) == pytest.approx(5 / 6)
    assert functional.ndcg(
        {1: {1: 3, 2: 1}}, {1: [2, 1]}, k=2, gain="linear", relevance={"graded": True}, convention="receval"
    ) == pytest.approx(0.7967, abs=1e-4)
    assert functional.epc({1: [1]}, {1: [1]}, k=1, train={5: [1], 6: [2]}) == 0.5
    with pytest.raises(receval.ConfigError, match="EPC@1 needs the train interactions: give train"):
        functional.epc({1: [1]}, {1: [1]}, k=1)


def test_metrics_of_a_whole_model_have_no_per_user_values():
    with pytest.raises(receval.ConfigError, match="gini is one value per model"):
        functional.gini({1: [1]}, {1: [1]}, apply_mean=False)


def test_every_metric_has_a_function_with_its_docstring():
    assert set(functions.names().values()) == METRICS.keys()
    for name, metric in functions.names().items():
        function = getattr(functional, name)
        assert (function.__name__, function.__doc__) == (name, documented(METRICS[metric]))
        assert list(inspect.signature(function).parameters)[2:7] == ["k", "num_workers", "apply_mean", "user_col", "item_col"]
    assert functional.__all__ == sorted(functions.names()) == dir(functional)
    with pytest.raises(AttributeError, match="has no attribute 'precison'"):
        functional.precison({}, {})  # type: ignore[attr-defined]


def test_the_types_of_the_functions_are_written_from_the_metrics():
    tree = ast.parse(stubs.text())
    typed = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    keywords = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert typed.keys() == set(functions.names())
    for name, node in typed.items():
        own = keywords[ast.unparse(node.args.kwarg.annotation).removeprefix("Unpack[").removesuffix("]")]
        inherited = [keywords[base.id] for base in own.bases if base.id in keywords]
        fields = {field.target.id for kind in (own, *inherited) for field in kind.body}
        written = {arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)} | fields
        assert written == set(inspect.signature(functions.function(name)).parameters), name


def test_the_stub_of_the_package_lists_the_public_names():
    tree = ast.parse(Path(ROOT / "evaluator" / "__init__.pyi").read_text("utf-8"))
    named = {alias.name: f".{node.module or ''}" for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named == {**dict.fromkeys(receval._MODULES, "."), **receval._HOMES}


def test_public_modules_are_attributes_of_the_package_and_imported_at_first_use():
    names = "receval.functional.ndcg.__name__, receval.testing.check_metric.__name__"
    script = f"import sys, receval; print('receval.testing' in sys.modules, {names})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "ndcg", "check_metric"]


def test_one_list_is_scored_by_itself():
    assert receval.score([1, 2, 3], relevant={2, 5}, metrics="nDCG@3") == pytest.approx(0.386853, abs=1e-6)
    both: Any = receval.score(["a", "b"], {"b": 3, "c": 1}, ["nDCG@2", "Recall@2"])
    assert both == pytest.approx({"nDCG@2": 7 / math.log2(3) / (7 + 1 / math.log2(3)), "Recall@2": 0.5})
    assert receval.score([1], [2], "MRR@1", convention="trec_eval") == 0.0
    with pytest.raises(receval.DataError, match="relevant: there is no item"):
        receval.score([1], [], "MRR@1")


@pytest.mark.parametrize("items", [["a", "b"], ("a", "b"), {"a", "b"}, pl.Series(["a", "b"]), [1, 2]])
def test_several_texts_are_ids_of_items_and_not_paths(items):
    lists = {7: [1]} if 1 in list(items) else {7: ["a"]}
    assert functional.coverage(items, lists) == 0.5
    assert receval.evaluate(test=lists, recommendations=lists, items=items, metrics=["ItemCoverage@1"]).rows[0].value == 0.5


def test_a_text_alone_is_a_path(tmp_path):
    (tmp_path / "items.csv").write_text("item\na\nb\n")
    assert functional.coverage(str(tmp_path / "items.csv"), {7: ["a"]}) == 0.5
    with pytest.raises(DataError, match="there is no file"):
        functional.coverage("a", {7: ["a"]})


def test_several_texts_are_ids_of_users():
    test, lists = {"u": ["a"], "v": ["b"]}, {"u": ["a"], "v": ["a"]}
    assert receval.evaluate(test=test, recommendations=lists, users=["u", "v"], metrics=["Recall@1"]).rows[0].value == 0.5


def test_ndcg_takes_grades():
    true, pred = {1: {"a": 2, "b": 1}, 2: {"c": 1}}, {1: ["b", "a"], 2: ["x", "c"]}
    first = (1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3))
    assert functional.ndcg(true, pred, k=2, apply_mean=False) == pytest.approx([first, 1 / np.log2(3)])
    rows = pl.DataFrame({"user_id": [1, 1, 2], "item_id": ["a", "b", "c"], "rating": [2, 1, 1]})
    assert functional.ndcg(rows, pred, k=2, relevance={"graded": True}) == pytest.approx((first + 1 / np.log2(3)) / 2)
    assert functional.ndcg(rows, pred, k=2) == pytest.approx((1 + 1 / np.log2(3)) / 2), "as rs_metrics, which reads no further column"
