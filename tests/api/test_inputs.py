"""Every kind of table gives the same bytes as Parquet files with the same data."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import receval
import scipy.sparse
from hypothesis import given, settings
from receval.render.forms import as_csv, as_json
from receval.render.result_data import result_cells, values_table
from receval.support.errors import DataError

from tests.sizes import draws, each_once
from tests.worlds import World, worlds

METRICS = [
    "nDCG@3",
    "Recall",
    "MAP(denominator=k)@2",
    "EPC@3",
    "ILD@3",
    "RMSE",
    "NCISRecall@3",
    "Unexpectedness@3",
    "UserMADRanking(by=group)@3",
]


def as_pandas(frame: pl.DataFrame) -> Any:
    return frame.to_pandas()


def by_user(frame: pl.DataFrame) -> dict[Any, Any]:
    """Return `{user: [(item, number)]}`, or `{user: [item]}` of a table without numbers."""
    held: dict[Any, list[Any]] = {}
    for user, *rest in frame.rows():
        held.setdefault(user, []).append(tuple(rest) if len(rest) > 1 else rest[0])
    return held


def categorical(frame: pl.DataFrame) -> Any:
    return as_pandas(frame).astype({name: "category" for name, dtype in frame.schema.items() if dtype == pl.String})


def indexed(frame: pl.DataFrame) -> Any:
    return as_pandas(frame).set_index("user") if "user" in frame.columns else as_pandas(frame)


def relation(frame: pl.DataFrame) -> Any:
    import duckdb

    return duckdb.from_arrow(frame.to_arrow())


KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": as_pandas,
    "pandas, nullable": lambda frame: as_pandas(frame).convert_dtypes(),
    "pandas, Arrow": lambda frame: as_pandas(frame).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, categories": categorical,
    "pandas, index": indexed,
    "pandas, objects": lambda frame: as_pandas(frame).astype(object),
    "pyarrow": lambda frame: frame.to_arrow(),
    "DuckDB": relation,
    "records": lambda frame: frame.to_dicts(),
    "columns": lambda frame: frame.to_dict(as_series=False),
    "arrays": lambda frame: (
        {name: frame[name].to_numpy() for name in frame.columns} if not frame.null_count().sum_horizontal()[0] else frame
    ),
    "by user": lambda frame: by_user(frame) if {"user", "item"} <= set(frame.columns) else frame,
}


def result_of(data: World | dict[str, Any], **more: Any) -> receval.EvaluationResult:
    sides = {name: table for name, table in data.items() if name not in ("test", "lists")}
    return receval.evaluate(
        test=data["test"],
        recommendations={"model": data["lists"]},
        metrics=METRICS,
        relevance={"threshold": 2, "graded": True},
        categories="categories",
        split="|",
        aggregates=["mean", "std"],
        **sides,
        **more,
    )


def without_sources(result: receval.Result) -> dict[str, Any]:
    """Return everything in a result except where its data come from."""
    said = json.loads(as_json(result_cells(result)))
    said["inputs"] = [(source["role"], source["rows"]) for source in said["inputs"]]
    del said["config"], said["run_id"]
    said["ledger"] = [{**row, "run_id": ""} for row in said["ledger"]]
    users = {model: frame.to_dict(as_series=False) for model, frame in result.per_user.items()}
    return {**said, "csv": as_csv(values_table(result).drop("run_id")), "users": str(users)}


def with_ids(world: World, ids: str) -> World:
    """Return the world with other ids: text everywhere, or text in the lists only."""

    def as_text(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(pl.col(name).cast(pl.String) for name in ("user", "item", "other") if name in frame.columns)

    return {name: as_text(frame) if ids == "text" or (ids == "mixed" and name == "lists") else frame for name, frame in world.items()}


OF_FILES: dict[tuple[str, ...], dict[str, Any]] = {}


@pytest.mark.parametrize(("kind", "ids"), each_once(KINDS, ["integer", "text", "mixed"]))
@settings(max_examples=draws(1, 3))
@given(world=worlds())
def test_a_table_of_any_kind_gives_the_bytes_of_its_parquet_file(tmp_path: Path, kind: str, ids: str, world: World):
    world = with_ids(world, ids)
    for name, frame in world.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
    key = (ids, *(frame.write_json() for frame in world.values()))
    if key not in OF_FILES:
        OF_FILES[key] = without_sources(result_of({name: tmp_path / f"{name}.parquet" for name in world}))
    assert without_sources(result_of({name: KINDS[kind](frame) for name, frame in world.items()})) == OF_FILES[key]


def test_some_tables_may_be_files_and_others_in_memory(tmp_path: Path):
    test = pl.DataFrame({"user": [1, 2], "item": [5, 6]})
    test.write_csv(tmp_path / "test.csv")
    result = receval.evaluate(test=tmp_path / "test.csv", recommendations={"a": {1: [5], 2: [7]}, "b": test}, metrics="HitRate@1")
    assert result.to_dict() == {"a": {"HitRate@1": 0.5}, "b": {"HitRate@1": 1.0}}


@pytest.mark.parametrize("user", [int, "u{}".format])
@pytest.mark.parametrize("item", [int, "i{}".format])
def test_a_dict_of_one_item_for_each_user_is_read_with_ids_of_any_type(user: Any, item: Any):
    held_out = {user(n): item(n) for n in range(6)}
    lists = {key: [held_out[key] if key != user(0) else item(1)] for key in held_out}
    assert receval.evaluate(test=held_out, train=held_out, recommendations=lists, metrics="HitRate@1")["HitRate@1"].value == 5 / 6


def test_a_column_of_integers_and_text_is_read_as_text():
    objects = as_pandas(pl.DataFrame({"user": [1, 1, 2]})).assign(item=[7, "b", 7])
    result = receval.evaluate(test={1: ["7"], 2: ["7"]}, recommendations=objects, metrics="Recall@2")
    assert result["Recall@2"].value == 1.0


def test_nulls_of_every_library_are_missing_values():
    import pandas as pd

    base = pd.DataFrame({"user": [1, 2], "item": [3, 4]})
    for missing in ([0.5, np.nan], pd.array([0.5, None], dtype="Float64"), pd.array([0.5, None], dtype="double[pyarrow]"), [0.5, None]):
        with pytest.raises(receval.DataError, match=r"pandas.DataFrame, row 2: no value for score \(in 1 of 2 rows\)"):
            receval.evaluate(test={1: [3], 2: [4]}, recommendations=base.assign(score=missing), metrics="HitRate@1")


def test_pandas_is_read_without_pyarrow(monkeypatch: pytest.MonkeyPatch):
    import sys

    frame = as_pandas(pl.DataFrame({"user": ["a", "b", "b"], "item": ["x", "y", "z"], "score": [0.1, 0.2, 0.3]}))
    frame["item"] = frame["item"].astype("category")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert receval.evaluate(test={"a": ["x"], "b": ["z"]}, recommendations=frame, metrics="MRR@2")["MRR@2"].value == 1.0


def test_the_hash_of_a_table_depends_only_on_its_rows():
    frame = pl.DataFrame({"user": ["ä", "b", "b"], "item": [1, 2, 3], "score": [0.5, 0.25, 1.0]})
    kinds = [frame, frame.lazy(), as_pandas(frame), frame.to_arrow(), frame.to_dicts(), by_user(frame), frame.cast({"score": pl.Float32})]
    hashes = set()
    for lists in kinds:
        (_, source) = receval.evaluate(test={"b": [2]}, recommendations=lists, metrics="HitRate@1").inputs
        hashes.add(source.files[0].hash)
    assert len(hashes) == 1
    other = receval.evaluate(test={"b": [2]}, recommendations=frame.reverse(), metrics="HitRate@1").inputs[1].files[0].hash
    assert other not in hashes


def test_columns_are_named_for_all_tables_or_for_one():
    test, lists = pl.DataFrame({"who": [1], "what": [2]}), pl.DataFrame({"who": [1], "thing": [2]})
    shared = receval.evaluate(
        test=test,
        recommendations=lists,
        metrics="HitRate@1",
        columns={"user": "who", "test": {"item": "what"}, "recommendations": {"item": "thing"}},
    )
    assert shared["HitRate@1"].value == 1.0


def test_several_runs_of_a_model_may_be_tables():
    result = receval.evaluate(
        test={1: [2], 2: [3]}, recommendations={"m": {"runs": [{1: [2], 2: [3]}, {1: [2], 2: [9]}]}}, metrics="HitRate@1"
    )
    assert (result["m", "HitRate@1"].value, result["m", "HitRate@1"].repeats) == (0.75, 2)


def test_sparse_matrices_and_arrays_have_interactions_at_their_indexes():
    held = np.zeros((3, 5))
    held[0, 1], held[2, 3] = 4, 2
    for truth in (held, scipy.sparse.csr_matrix(held), scipy.sparse.coo_array(held), receval.Matrix(held)):
        result = receval.evaluate(test=truth, recommendations={0: [1], 2: [0, 3]}, metrics=["HitRate@1", "HitRate@2"])
        assert result.to_dict() == {"model": {"HitRate@1": 0.5, "HitRate@2": 1.0}}


@pytest.mark.spark
def test_dataframes_of_spark_are_evaluated_on_spark(spark_session: Any):
    session = spark_session.native
    test = pl.DataFrame({"user": ["1", "1", "2"], "item": [1, 2, 3], "rating": [5, 4, 3]})
    lists = pl.DataFrame({"user": ["1", "1", "2", "2"], "item": [1, 3, 3, 5], "score": [0.9, 0.8, 0.7, 0.6]})
    here = receval.evaluate(test=test, recommendations=lists, metrics=["nDCG@2", "Recall@2"])
    there = receval.evaluate(test=test, recommendations=session.createDataFrame(lists.to_arrow()), metrics=["nDCG@2", "Recall@2"])
    assert there.config["engine"]["name"] == "spark"
    assert (there.rows, there.findings) == (here.rows, here.findings)
    assert not [table.name for table in session.catalog.listTables() if table.name.startswith("receval")]
    empty = session.createDataFrame(lists.with_columns(item=pl.lit(None, dtype=pl.Int64)).to_arrow())
    with pytest.raises(receval.DataError, match=r"pyspark.DataFrame: no value for item \(in 4 of 4 rows\)"):
        receval.evaluate(test=test, recommendations=empty, metrics="nDCG@2")
    with pytest.raises(receval.ConfigError, match="Spark DataFrames need Spark: add engine='spark'"):
        receval.evaluate(test=test, recommendations=empty, metrics="nDCG@2", engine="polars")


@pytest.mark.parametrize("convention", ["receval", "relison", "rs_metrics", "lenskit", "ranksys", "clayrs"])
def test_items_with_scores_are_ranked_by_score_under_every_convention(convention, tmp_path):
    # item 5 has the largest score and is relevant; a dict and a JSON object have no order, pairs have the order in which they are written
    held = {4: 0.1, 7: np.float32(0.5), 5: 0.9, 6: 0.1}
    path = tmp_path / "lists.json"
    path.write_text('{"1": {"4": 0.1, "7": 0.5, "5": 0.9, "6": 0.1}}')
    for lists in ({1: held}, str(path)):
        result = receval.evaluate(test={1: [5]}, recommendations={"m": lists}, metrics=["MRR@1"], convention=convention, health=False)
        assert [row.value for row in result.rows] == [1.0]


def test_scores_of_unsigned_integers_and_missing_scores_are_sorted_as_numbers():
    test, policy = {1: [5]}, {"missing_values": "drop"}
    for held in ({4: np.uint8(0), 5: np.uint8(200)}, {4: None, 6: math.nan, 5: -1.0}):
        result = receval.evaluate(test=test, recommendations={"m": {1: held}}, metrics=["MRR@1"], convention="relison", policy=policy)
        assert [row.value for row in result.rows] == [1.0]


@pytest.mark.parametrize(
    ("convention", "value", "counted", "note"),
    [
        # users 1 (a hit), 2 (an empty list in the test set), 3 (a relevant item and no list)
        ("receval", 1 / 2, 2, "2 of 3 test users have a relevant item; the other one is left out (evaluation.policy.no_relevant)."),
        ("rs_metrics", 1 / 3, 3, "m: 1 test user has an empty list of items and counts 0 (empty_truth)."),
        ("ir_measures", 1 / 3, 3, "2 of 3 test users have a relevant item; the other one counts 0 (evaluation.policy.no_relevant)."),
    ],
)
def test_a_test_user_with_an_empty_list_has_no_relevant_item(convention, value, counted, note):
    test, lists = {1: [1], 2: [], 3: [4]}, {"m": {1: [1], 2: [3]}}
    result = receval.evaluate(test=test, recommendations=lists, metrics=["HitRate@1"], convention=convention)
    (row,) = result.rows
    assert (row.value, row.n_users) == (pytest.approx(value), counted)
    assert note in result.notes()
    ledger = row.ledger
    left_out = sum(number for name, number in ledger.cells().items() if name.startswith("left_out"))
    assert (ledger.in_truth, ledger.in_truth + ledger.in_lists - ledger.in_both) == (3, ledger.counted + left_out)
    assert "X02" not in {finding.check for finding in result.findings}, "a user with an empty list is in the test set"
    assert {entry.role: entry.rows for entry in result.inputs}["data.test (empty lists)"] == 1


def test_empty_test_lists_give_no_value_and_the_reason():
    result = receval.evaluate(test={1: [1], 2: []}, recommendations={"m": {1: [1], 2: [3]}}, metrics=["Recall@1"], convention="rs_metrics")
    assert result.rows[0].value is None
    assert any("a user with an empty list of test items has none" in note for note in result.notes())
    again = receval.evaluate(
        test={1: [1], 2: []}, recommendations={"m": {1: [1], 2: [3]}}, metrics=["Recall(empty_truth=zero)@1"], convention="rs_metrics"
    )
    assert again.rows[0].value == 0.5


def test_missing_columns_are_named_as_arguments():
    lists = pl.DataFrame({"kunde": [1], "artikel": [2]})
    with pytest.raises(DataError) as raised:
        receval.evaluate(test=lists, recommendations={"m": lists}, metrics=["Recall@1"])
    assert raised.value.hint == "give the arguments of the right reading"
    assert "test={'frame': TABLE, 'columns': {'user': 'kunde', 'item': 'artikel'}}" in raised.value.message
    assert "no user and no item column" in raised.value.message


@pytest.mark.parametrize("columns", [None, {"user": "user_id"}, {"user": "user_id:token", "item": "item_id:token"}])
def test_frames_with_names_of_recbole_are_read_as_its_files(columns, tmp_path):
    (tmp_path / "x.inter").write_text("user_id:token\titem_id:token\trating:float\n1\t10\t5\n1\t11\t2\n2\t10\t4\n")
    (tmp_path / "x.item").write_text("item_id:token\tclass:token_seq\n10\tDrama War\n11\tWar\n12\tComedy\n")
    frames = {name: pl.read_csv(tmp_path / f"x.{name}", separator="\t") for name in ("inter", "item")}
    given = {"recommendations": {1: [10, 12], 2: [11, 10]}, "metrics": ["nDCG@2", "ILD@2"], "split": " ", "health": False}
    of_files = receval.evaluate(test=tmp_path / "x.inter", items=tmp_path / "x.item", categories="class", **given).to_dict()
    for name in ("class", "class:token_seq"):
        scored = frames["inter"].with_columns(score=1.0)  # other columns may be added
        assert receval.evaluate(test=scored, items=frames["item"], categories=name, columns=columns, **given).to_dict() == of_files
