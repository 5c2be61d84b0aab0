"""Wrong arguments and tables: each gets one sentence, in the words of the Python call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import receval
import scipy.sparse
from receval.api.arguments import Arguments
from receval.functional import ndcg
from receval.support.synonyms import SYNONYMS

TEST = pl.DataFrame({"user": [1, 2], "item": [3, 4], "rating": [5, 2]})
LISTS = pl.DataFrame({"user": [1, 2], "item": [3, 5], "score": [0.5, 0.25]})
NO_SCORE = LISTS.with_columns(score=pl.Series([0.5, None]))
NAN = np.array([[0.1, 0.2], [np.nan, 0.1]])

WRONG_DATA: dict[str, tuple[dict[str, Any], str, str]] = {
    "a column is missing": (
        {"test": TEST.drop("item")},
        "test: polars.DataFrame: no item column; the columns are 'user', 'rating'",
        "set it",
    ),
    "no rows": ({"recommendations": LISTS.clear()}, "recommendations.model: polars.DataFrame: there are no rows", ""),
    "no rows in a dict": ({"test": {}}, "test: dict: there are no rows", ""),
    "no rows in a list": ({"recommendations": {"als": []}}, "recommendations.als: list: there are no rows", ""),
    "only empty lists": ({"recommendations": {1: [], 2: []}}, "recommendations.model: dict: there are no rows", ""),
    "null": (
        {"recommendations": NO_SCORE},
        "polars.DataFrame, row 2: no value for score (in 1 of 2 rows)",
        "remove or fill these rows, or set policy={'missing_values': 'drop'};",
    ),
    "NaN": (
        {"recommendations": LISTS.with_columns(score=float("nan"))},
        "row 1: score is not a finite number (in 2 of 2",
        "NaN and infinity",
    ),
    "infinity": ({"recommendations": {1: {3: float("inf")}}}, "model: dict, row 1: score is not a finite number", "NaN and infinity"),
    "float ids with a fraction": (
        {"test": TEST.with_columns(item=pl.Series([3.0, 4.5]))},
        "test: polars.DataFrame: 4.5 in column 'item' cannot be an id",
        "cast whole numbers with .cast(pl.Int64) in Polars or .astype('int64') in pandas, others with",
    ),
    "NaN as an id": ({"test": TEST.with_columns(item=pl.Series([3.0, float("nan")]))}, "nan in column 'item' cannot be an id", "cast"),
    "float ids that may be two": (
        {"test": TEST.with_columns(item=pl.Series([3.0, 2.0**53]))},
        "stores ids as Float64, which cannot hold all integers from 2^53 on: it has 9007199254740992",
        "read the ids as integers or text from the start",
    ),
    "short float ids that may be two": (
        {"test": TEST.with_columns(item=pl.Series([3, 2**24 + 1], dtype=pl.Float32))},
        "stores ids as Float32, which cannot hold all integers from 2^24 on: it has 16777216",
        "",
    ),
    "bytes as ids": (
        {"recommendations": LISTS.with_columns(item=pl.Series([b"a", b"b"]))},
        "recommendations.model: polars.DataFrame: column 'item' holds bytes, and ids are integers or text",
        "decode the column: .cast(pl.String) in Polars",
    ),
    "decimals with a fraction as ids": (
        {"test": TEST.with_columns(item=pl.Series(["1.50", "2.00"]).cast(pl.Decimal(10, 2)))},
        "column 'item' is of type Decimal(precision=10, scale=2) and cannot be an id",
        "cast whole numbers with .cast(pl.Int64)",
    ),
    "a set": ({"recommendations": {1: {3, 4}}}, "recommendations.model: dict, user 1: a set has no order", "in the order of the ranks"),
    "a set among lists": ({"recommendations": {"a": {1: [3], 2: {4}}}}, "recommendations.a: dict, user 2: a set has no order", ""),
    "no list of a user": ({"test": {"u": "abc", "v": ["a"]}}, "test: dict, user 'u': 'abc' is not a list of items", "{user: [item, …]}"),
    "numbers of NumPy": ({"test": {np.int64(1): np.float64(5)}}, "test: dict, user 1: 5.0 is not a list of items", "{user: [item, …]}"),
    "pairs among items": (
        {"recommendations": {1: [3, (4, 0.5)]}},
        "user 1: (4, 0.5) is neither an item nor a pair of an item and a number as",
        "",
    ),
    "a record among tuples": (
        {"test": [(1, 2), {"user": 1}]},
        "test: list, row 2: {'user': 1} does not have 2 values like the first row",
        "",
    ),
    "rows of one value": ({"test": [(1,), (2,)]}, "test: list: rows of 1 values, where user, item or", "give records"),
    "items without users": (
        {"test": [3, 4]},
        "test: list: a list of int is not a table",
        "give {user: item}; for users 0, 1, … it is dict",
    ),
    "lists without users": (
        {"recommendations": [[1, 2, 3, 4, 5], [2, 3, 4, 5, 6]]},
        "recommendations.model: list: 2 lists of items do not name their users",
        "give {user: [item, …]}; for users 0, 1, … it is dict(enumerate(lists))",
    ),
    "scores before ids": (
        {"recommendations": (np.array([[0.5, 0.25]]), np.array([[1, 2]]))},
        "recommendations.model: tuple: the scores are before the item ids",
        "swap them: (ids, scores)",
    ),
    "odd ids": ({"test": {1: [b"a"], 2: [3.5]}}, "test: dict: column 'item' holds values of type bytes and float", "convert them"),
    "columns of two lengths": ({"test": {"user": [1, 2], "item": [3]}}, "column 'item' has 1 values, where 'user' has 2", ""),
    "two columns of a name": (
        {"test": pd.DataFrame([[1, 2, 3]], columns=["user", "item", "item"])},
        "test: pandas.DataFrame: two columns are named 'item'",
        "rename one",
    ),
    "levels of columns": (
        {"test": pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "user"), ("a", "item")]))},
        "test: pandas.DataFrame: the column names have several levels",
        "reset_index",
    ),
    "no table": ({"test": 5}, "test: int is not a table that receval can read", "give a path, a frame"),
    "no file": ({"test": "nowhere.csv"}, "test: there is no file nowhere.csv", "paths start from the folder that Python runs in"),
    "a lazy frame that fails": ({"test": TEST.lazy().select("x")}, "test: polars.LazyFrame: cannot be collected", "collect it yourself"),
    "one dimension": ({"recommendations": {"a": np.zeros((2, 2, 2))}}, "an array of 3 dimensions", "users × items"),
    "NaN in a matrix": ({"recommendations": NAN}, "numpy.ndarray: nan at row 1, column 0 (from 0) is not a finite number", "write -inf"),
    "NaN in a sparse matrix": ({"test": scipy.sparse.csr_matrix(NAN)}, "scipy.csr_matrix: nan at row 1, column 0 (from 0)", ""),
    "too few names": (
        {"recommendations": receval.Matrix(NAN, items=["a"])},
        "1 item ids are given, but the matrix has 2",
        "an id for each",
    ),
    "a name twice": ({"recommendations": receval.Matrix(NAN, items=["a", "a"])}, "Matrix: the item 'a' is given twice", ""),
    "no ratings": (
        {"test": TEST.drop("rating"), "relevance": 4},
        "test: polars.DataFrame has no rating column, which relevance.threshold",
        "",
    ),
    "a column that is nowhere": ({"columns": {"user": "uid"}}, "columns: no file or table has a column 'uid' for the user", "choose"),
}
WRONG_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "no test": ({"test": None}, "test is missing"),
    "no metrics": ({"metrics": None}, "evaluation: there are no metrics: list some under metrics"),
    "a metric that is not there": ({"metrics": ["nDCG", "nDCGG"]}, "metrics[1]: unknown metric 'nDCGG' — did you mean 'nDCG'?"),
    "a cut-off of 0": ({"top_k": 0}, "top_k: a cut-off must be at least 1, not 0"),
    "a convention that is not there": ({"convention": "elliott"}, "convention: unknown convention 'elliott'"),
    "an input that is missing": ({"metrics": "EPC@10"}, "metrics: EPC@10 needs the train interactions: give train"),
    "columns of what is not given": ({"columns": {"train": {"user": "uid"}}}, "columns: train is not given"),
    "no models": ({"recommendations": {"als": None}}, "recommendations.als: "),
    "a policy that is not there": ({"policy": {"ties": "drop"}}, "policy.ties: unknown key 'ties'"),
    "a group that is not there": ({"by": "users.plan"}, "by[0]: users.plan comes from users: give users"),
    "health": ({"health": "on"}, "health: health must be off, or a mapping of checks to severities and limits"),
    "nothing to mask": (
        {"recommendations": NAN, "mask_seen": True},
        "recommendations.model: Matrix: seen items are not known",
    ),
}


def evaluated(**given: Any) -> receval.EvaluationResult:
    return receval.evaluate(**{"test": TEST, "recommendations": LISTS, "metrics": "nDCG@2", **given})


@pytest.mark.parametrize("name", WRONG_DATA)
def test_wrong_data_are_refused_in_one_sentence(name: str):
    given, sentence, hint = WRONG_DATA[name]
    with pytest.raises(receval.DataError) as raised:
        evaluated(**given)
    assert sentence in raised.value.message
    assert hint in (raised.value.hint or "")
    assert "data." not in str(raised.value)


@pytest.mark.parametrize("name", WRONG_ARGUMENTS)
def test_wrong_arguments_are_refused_in_one_sentence(name: str):
    given, sentence = WRONG_ARGUMENTS[name]
    with pytest.raises(receval.ConfigError) as raised:
        evaluated(**given)
    assert str(raised.value).startswith(sentence), str(raised.value)


def test_all_mistakes_are_reported_at_once():
    with pytest.raises(receval.ConfigError) as raised:
        evaluated(metrics=["nDCGG"], top_k=-1, engine="sparc")
    assert len(raised.value.problems) == 3


RESULT = receval.evaluate(test=TEST, recommendations={"a": LISTS, "b": LISTS}, metrics="nDCG@2", health=False)
COMPARE = "compare has no argument"
GUESSED: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "threshold": (receval.evaluate, {"threshold": 4}, "evaluate has no argument 'threshold': use relevance=4"),
    "k": (receval.evaluate, {"k": 10}, "evaluate has no argument 'k': use top_k=10"),
    "ks": (receval.check, {"ks": [5, 10]}, "check has no argument 'ks': use top_k=[5, 10]"),
    "cutoffs": (receval.Evaluator, {"cutoffs": (5,)}, "Evaluator has no argument 'cutoffs': use top_k=(5,)"),
    "metric": (receval.audit, {"metric": "nDCG@5"}, "audit has no argument 'metric': use metrics='nDCG@5'"),
    "a table": (receval.describe, {"ground_truth": TEST}, "describe has no argument 'ground_truth': use test"),
    "a column": (receval.evaluate, {"user_col": "uid"}, "evaluate has no argument 'user_col': use columns={'user': 'uid'}"),
    "a policy": (receval.evaluate, {"dropna": True}, "evaluate has no argument 'dropna': use policy={'missing_values': 'drop'}"),
    "folds": (
        receval.evaluate,
        {"folds": [TEST]},
        "evaluate has no argument 'folds': use a config, which has the folds: receval.evaluate({'data': {'folds': [{'test': table, ",
    ),
    "a typo": (receval.check, {"tests": TEST}, "check has no argument 'tests' — did you mean 'test'?"),
    "anything": (RESULT.save, {"xyzzy": 1}, "EvaluationResult.save has no argument 'xyzzy'; its arguments are folder"),
    "the measure of explain": (receval.explain, {"metric": "nDCG@5"}, "explain has no argument 'metric': use measure='nDCG@5'"),
    "metrics of compare": (
        RESULT.compare,
        {"metrics": "nDCG@2"},
        f"{COMPARE} 'metrics': use measures='nDCG@2'",
    ),
    "the test of compare": (
        RESULT.compare,
        {"ground_truth": 1},
        f"{COMPARE} 'ground_truth'; its arguments are results, base",
    ),
    "users of compare": (RESULT.compare, {"users": "common"}, f"{COMPARE} 'users': use common=True"),
    "common users": (receval.gate, {"common_users": True}, "gate has no argument 'common_users': use common=True"),
    "rule": (RESULT.gate, {"rule": "nDCG@2 >= 0"}, "gate has no argument 'rule': use rules='nDCG@2 >= 0'"),
    "cut-offs of functional": (ndcg, {"top_k": 5}, "ndcg has no argument 'top_k': use k=5"),
    "a key of a config": (
        receval.evaluate_config,
        {"k": 5},
        "evaluate_config has no argument 'k': use receval.load_config(CONFIG, overrides=['evaluation.top_k=5']) instead of the config",
    ),
}


@pytest.mark.parametrize("name", GUESSED)
def test_a_type_error_names_the_argument_that_a_guessed_one_means(name: str):
    function, given, sentence = GUESSED[name]
    with pytest.raises(TypeError) as raised:
        function(**given)
    assert str(raised.value).startswith(sentence)


def test_tables_without_their_names_get_a_type_error_with_the_names():
    with pytest.raises(TypeError, match="evaluate takes 1 argument without a name, not 2: write test=…, recommendations=…, metrics=…"):
        receval.evaluate(TEST, LISTS, metrics="nDCG")  # type: ignore[misc]


def test_an_evaluator_names_only_what_it_has():
    with pytest.raises(TypeError, match=r"Evaluator takes 0 arguments without a name, not 2: write test=…, metrics=…, top_k=…$"):
        receval.Evaluator(TEST, ["nDCG@2"])  # type: ignore[call-arg]
    for given, sentence in (
        ({"recs": LISTS}, "Evaluator has no argument 'recs': use receval.evaluate, or evaluator\\(lists\\)"),
        ({"segment": "users.plan"}, "Evaluator has no argument 'segment': use receval.evaluate"),
        ({"metrics": "nDCG"}, "test is missing\n  give test and metrics"),
        ({"recommendations": LISTS}, "recommendations does not work with an Evaluator, .*\n  use receval.evaluate, or evaluator"),
    ):
        with pytest.raises((TypeError, receval.ConfigError), match=f"^{sentence}"):
            receval.Evaluator(**given)  # type: ignore[arg-type]


FUNCTIONS: dict[str, tuple[Callable[..., Any], Collection[str]]] = {
    **{name: (getattr(receval, name), Arguments.__annotations__) for name in ("check", "describe", "explain", "audit")},
    "Evaluator": (receval.Evaluator, set(Arguments.__annotations__) - {"recommendations", "predictions", "by", "health", "engine"}),
    **{name: (getattr(receval, name), ()) for name in ("evaluate", "compare", "gate", "score")},
    **{f"result.{name}": (getattr(RESULT, name), ()) for name in ("compare", "gate", "report", "chart")},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_hint_on_a_guessed_argument_names_one_that_the_function_has(name: str):
    function, more = FUNCTIONS[name]
    known = {*inspect.signature(function).parameters, *more}
    for guessed in {guess for meaning, guesses in SYNONYMS.items() for guess in (meaning, *guesses)} - known:
        with pytest.raises((TypeError, receval.ConfigError)) as raised:
            function(**{guessed: [TEST]})
        hint = re.search(r"(?:: use |did you mean )([a-z_]+)(?=[=?]|$)", str(raised.value))
        assert hint is None or hint[1] in known, str(raised.value)


def test_a_function_that_names_guessed_arguments_keeps_its_signature():
    assert list(inspect.signature(receval.gate).parameters)[:3] == ["result", "rules", "baseline"]
    assert (
        str(inspect.signature(receval.check))
        == "(config: 'ConfigLike | None' = None, /, **arguments: 'Unpack[Arguments]') -> 'EvaluationResult'"
    )


def test_a_config_together_with_arguments_is_refused_with_the_call_that_changes_the_config(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("data: {test: {1: [3]}, recommendations: {a: a.csv}}\nevaluation: {metrics: [nDCG]}\n")
    for given, way in [
        ({"metrics": "Recall@5"}, "overrides=['evaluation.metrics=Recall@5']"),
        ({"relevance": {"threshold": 4}}, "overrides=['evaluation.relevance={\"threshold\": 4}']"),
        ({"test": TEST}, "overrides=['data.test=FILE']"),
        ({"recommendations": LISTS}, "recommendations=['NAME=FILE']"),
    ]:
        with pytest.raises(receval.ConfigError, match=f"{next(iter(given))} comes from the config: give either a config or") as raised:
            receval.evaluate(path, **given)
        assert raised.value.hint == f"use receval.load_config(CONFIG, {way}) instead of the config"
    path.write_text(path.read_text().replace("{1: [3]}", "t.csv"))
    assert receval.load_config(path, overrides=["evaluation.metrics=Recall@5"]).config.evaluation.labels == ["Recall@5"]


def test_a_missing_config_file_is_refused():
    for call in (receval.load_config, receval.evaluate):
        with pytest.raises(receval.ConfigError, match="a file name cannot contain a NUL character"):
            call("a\0b.yaml")


WARNED: dict[str, Callable[..., Any]] = {
    "evaluate": lambda **given: receval.evaluate(recommendations={"a": LISTS}, **given),
    "check": lambda **given: receval.check(recommendations={"a": LISTS}, **given),
    "user": lambda **given: receval.user(1, recommendations={"a": LISTS}, **given),
    "diff": lambda **given: receval.diff("a", "b", recommendations={"a": LISTS, "b": LISTS}, **given),
}


@pytest.mark.parametrize("name", WARNED)
def test_a_setting_without_effect_is_a_python_warning_at_the_line_of_the_call(name: str):
    with pytest.warns(UserWarning, match="^relevance.threshold: has no effect") as issued, suppress(receval.RecevalError):
        WARNED[name](test=TEST, metrics="ItemCoverage(form=count)@1", relevance=4, items=[3, 4, 5])
    assert (issued[0].filename, issued[0].lineno) == (__file__, WARNED[name].__code__.co_firstlineno)


def test_the_signature_of_evaluate_names_each_argument():
    own = ("config", "keep_users", "per_user_table")
    assert [name for name in inspect.signature(receval.evaluate).parameters if name not in own] == [*Arguments.__annotations__]


def test_messages_about_rows_in_memory_do_not_mention_config_files(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("data: {test: {frame: x}, recommendations: {a: a.csv}}\nevaluation: {metrics: [nDCG]}\n")
    with pytest.raises(receval.ConfigError, match=r"data.test.frame: rows in memory can only be given in Python: receval.load_config"):
        receval.load_config(path)


def test_missing_categories_are_named_as_arguments():
    with pytest.raises(receval.ConfigError, match=r"set categories to their column, .*: categories='genres', split='\|'$"):
        receval.evaluate(test=TEST, recommendations=LISTS, items=pl.DataFrame({"item": [3], "genres": ["a|b"]}), metrics="ILD@2")


@pytest.mark.parametrize("kind", ["frame", "file"])
def test_missing_categories_come_with_the_word_for_none(kind, tmp_path):
    items = pl.DataFrame({"item": [1, 2, 3], "genres": ["a|b", "a", "(no genres listed)"]})
    items.write_csv(tmp_path / "items.csv")
    with pytest.raises(receval.ConfigError, match=r"split='\|', items=\{'(frame|path)': .*, 'null_values': '\(no genres listed\)'\}$"):
        receval.evaluate(test=TEST, recommendations=LISTS, items=items if kind == "frame" else tmp_path / "items.csv", metrics="ILD@2")


ITEMS_WITH_GENRES = pl.DataFrame({"item": [2, 3], "genres": ["a|b", "b"]})
IN_MAPPING: dict[str, Any] = {"test": TEST, "recommendations": {"a": LISTS}, "items": ITEMS_WITH_GENRES}


def test_missing_categories_of_a_config_are_named_as_what_to_write_into_it():
    config = {"data": IN_MAPPING, "evaluation": {"metrics": ["ILD@2"]}}
    written = r'in the section data: "items": {"frame": table, "categories": "genres", "split": "\|"}$'
    with pytest.raises(receval.ConfigError, match=written):
        receval.evaluate(config)
    whole = {**config, "data": {**IN_MAPPING, "items": {"frame": ITEMS_WITH_GENRES, "categories": "genres", "split": "|"}}}
    changed = receval.load_config(config, overrides=["data.items.categories=genres", "data.items.split=|"])
    assert receval.evaluate(changed).to_dict() == receval.evaluate(whole).to_dict()


def test_missing_categories_of_a_config_file_are_named_as_what_to_write_into_it(tmp_path):
    (tmp_path / "c.yaml").write_text("data: {test: t.csv, items: i.csv, recommendations: {a: a.csv}}\nevaluation: {metrics: [ILD@2]}\n")
    with pytest.raises(receval.ConfigError, match=r"in the section data: items: {path: FILE, categories: genres, split: '\|'}$"):
        receval.evaluate(tmp_path / "c.yaml")


def test_several_test_sets_get_a_hint_on_folds():
    with pytest.raises(receval.DataError, match="a list of DataFrame is not a table") as raised:
        receval.evaluate(test=[TEST, TEST], recommendations=LISTS, metrics="nDCG@2")
    folds = "for folds call receval.evaluate({'data': {'folds': [{'test': table, 'recommendations': {'als': table}}, …]}"
    assert (raised.value.hint or "").startswith(f"join them into one table; {folds}")


def test_a_list_of_tables_gets_a_hint_on_folds_and_runs():
    with pytest.raises(receval.ConfigError, match="recommendations: 'als' has a list of 2 tables") as raised:
        receval.evaluate(test=TEST, recommendations={"als": [LISTS, LISTS]}, metrics="nDCG@10")
    assert "{'runs': [table, …]} for several runs" in (raised.value.hint or "")
    assert "for folds call receval.evaluate({'data': {'folds': " in (raised.value.hint or "")


def test_duplicates_are_found_as_in_files():
    result = evaluated(recommendations=pl.concat([LISTS, LISTS]))
    assert "R01" in {finding.check for finding in result.findings}
    with pytest.raises(receval.DataError, match="duplicates"):
        evaluated(recommendations=pl.concat([LISTS, LISTS]), policy={"duplicates": "error"})


def test_a_missing_column_is_reported_without_options_of_the_command_line(tmp_path):
    (tmp_path / "odd.csv").write_text("price,item\n1.5,1\n")
    with pytest.raises(receval.DataError) as caught:
        receval.evaluate(test=tmp_path / "odd.csv", recommendations={1: [1]}, metrics="nDCG@1")
    assert str(caught.value.hint).startswith("set it, test={'path': FILE, 'columns': {'user': 'NAME'}}, or set header")


def test_a_question_about_one_source_has_its_argument(tmp_path):
    rows = "".join(f"{user},{item},{item % 2}\n" for user in range(9) for item in range(4))
    (tmp_path / "judged.csv").write_text(f"user,item,foo\n{rows}")
    with pytest.raises(receval.DataError, match="can be read in several ways") as caught:
        receval.evaluate(test=tmp_path / "judged.csv", recommendations={"old": {1: [1]}}, metrics="nDCG@1")
    assert "test={'path': FILE, 'columns': {'rating': 'foo'}}" in caught.value.message
    test = {"path": tmp_path / "judged.csv", "columns": {"rating": "foo"}}
    assert receval.evaluate(test=test, recommendations={"old": {1: [1]}}, metrics="nDCG@1").rows[0].value == 1 / 9


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"split": ","}, "split has no effect without items"),
        ({"split": ",", "items": {"path": "items.csv"}}, "split has no effect without categories"),
        ({"categories": "genres"}, "categories has no effect without items"),
    ],
)
def test_an_argument_on_categories_without_them_is_refused(given, sentence):
    with pytest.raises(receval.ConfigError, match=sentence) as caught:
        evaluated(**given)
    assert ("{'path': FILE, 'split': ','}" in str(caught.value.hint)) == ("split" in given)


def test_two_groupings_by_train_count_are_refused_with_both_forms():
    with pytest.raises(receval.ConfigError) as failure:
        receval.evaluate(test={1: [1]}, train={1: [2]}, recommendations={1: [1]}, metrics="nDCG", by=["train_count:4", "train_count:5,20"])
    said = "by lists train_count twice: keep one, a number of groups (train_count:4) or their borders (train_count:5,20)"
    assert said in str(failure.value)


def test_several_missing_files_are_a_line_each(tmp_path):
    with pytest.raises(receval.DataError) as caught:
        receval.evaluate(test=tmp_path / "a.csv", recommendations={"m": tmp_path / "b.csv"}, metrics="nDCG@1")
    assert [line.partition(":")[0] for line in caught.value.message.splitlines()] == ["test", "recommendations.m"]
