"""Delta tables: the newest version is read; a table is recognised by its log folder or declared."""

from __future__ import annotations

import sys

import polars as pl
import pytest
import yaml
from blake3 import blake3
from deltalake import DeltaTable
from receval import load_config, run
from receval.support.errors import DataError, MissingExtraError
from receval.support.extras import install_command

from tests.load.conftest import EXPECTED, LISTS, TEST

FRAME = pl.DataFrame(LISTS, schema=["user", "item", "score"], orient="row")


@pytest.mark.parametrize("given", ["table", "table/", {"path": "table", "format": "delta"}, ["table"]])
def test_a_delta_table_is_recognised_by_its_log(given, evaluate_lists, tmp_path):
    FRAME.write_delta(tmp_path / "table")
    assert evaluate_lists(given) == EXPECTED


def test_the_newest_version_is_read_and_its_files_are_in_the_manifest(write, tmp_path):
    more = pl.concat([FRAME, pl.DataFrame({"user": [1], "item": [97], "score": [5.0]})])
    more[:2].write_delta(tmp_path / "table")
    more[2:].write_delta(tmp_path / "table", mode="append")
    DeltaTable(str(tmp_path / "table")).delete("item = 97")
    write("test.csv", TEST)
    config = {"data": {"test": "test.csv", "recommendations": "table"}, "evaluation": {"metrics": ["MRR", "Recall"]}}
    write("config.yaml", yaml.safe_dump(config))
    result = run(load_config(tmp_path / "config.yaml"))
    assert [(row.model, row.label, row.value) for row in result.rows] == [("table", label, value) for label, value in EXPECTED.items()]
    files = DeltaTable(str(tmp_path / "table")).file_uris()
    assert sorted(file.path for file in result.inputs[1].files) == sorted(file.removeprefix(f"{tmp_path}/") for file in files)
    assert all(file.hash == f"blake3:{blake3((tmp_path / file.path).read_bytes()).hexdigest()}" for file in result.inputs[1].files)


def test_columns_of_partitions_and_lists_are_read(evaluate_lists, tmp_path):
    FRAME.write_delta(tmp_path / "by_user", delta_write_options={"partition_by": ["user"]})
    FRAME.group_by("user").agg("item", "score").write_delta(tmp_path / "lists")
    assert evaluate_lists("by_user") == evaluate_lists("lists") == EXPECTED


def test_lists_of_structs_are_read(evaluate_lists, tmp_path):
    structs = FRAME.group_by("user").agg(recommendations=pl.struct("item", "score"))
    structs[:1].write_delta(tmp_path / "structs")
    structs[1:].write_delta(tmp_path / "structs", mode="append")
    assert evaluate_lists("structs") == EXPECTED


@pytest.mark.parametrize("given", ["tables/*/*.parquet", "tables/**/*.parquet", "tables", "tables/recs/by_day/*/*.parquet"])
def test_data_files_of_a_delta_table_are_refused_without_its_log(given, evaluate_lists, tmp_path):
    (tmp_path / "tables").mkdir()
    FRAME.write_delta(tmp_path / "tables" / "recs")
    FRAME.with_columns(item=pl.lit(1)).write_delta(tmp_path / "tables" / "recs", mode="overwrite")
    (tmp_path / "tables" / "recs" / "by_day" / "d=1").mkdir(parents=True)
    FRAME.write_parquet(tmp_path / "tables" / "recs" / "by_day" / "d=1" / "l.parquet")
    with pytest.raises(DataError, match=r"is part of the Delta table .*recs, whose log decides which of its files count"):
        evaluate_lists(given)


def test_an_invalid_delta_table_is_refused(evaluate_lists, tmp_path):
    FRAME.drop("score").write_delta(tmp_path / "unordered")
    with pytest.raises(DataError, match="the rows of a Delta table have no order, and there is neither a rank nor a score column"):
        evaluate_lists("unordered")
    (tmp_path / "broken" / "_delta_log").mkdir(parents=True)
    with pytest.raises(DataError, match=r"broken: not a readable Delta table \("):
        evaluate_lists("broken")
    FRAME.write_parquet(tmp_path / "l.parquet")
    with pytest.raises(DataError, match=r"l.parquet: not a readable Delta table \("):
        evaluate_lists({"path": "l.parquet", "format": "delta"})
    with pytest.raises(DataError, match=r"l.parquet: not a readable Delta table \("):
        evaluate_lists(["unordered", "l.parquet"])
    FRAME.write_delta(tmp_path / "a table")
    with pytest.raises(DataError, match="whose path contains spaces"):
        evaluate_lists("a table")
    FRAME.write_delta(tmp_path / "lost")
    next((tmp_path / "lost").glob("*.parquet")).unlink()
    with pytest.raises(DataError, match="lost"):
        evaluate_lists("lost")


def test_a_fault_in_a_delta_table_is_reported_with_its_row(evaluate_lists, tmp_path):
    FRAME.with_columns(score=pl.Series([0.9, 0.8, None, 0.6])).write_delta(tmp_path / "table")
    with pytest.raises(DataError, match=r"table, row 3: no value for score \(in 1 of 4 rows\)"):
        evaluate_lists("table")


def test_without_deltalake_the_extra_is_named(evaluate_lists, tmp_path, monkeypatch):
    FRAME.write_delta(tmp_path / "table")
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(MissingExtraError, match="reading Delta tables needs deltalake") as caught:
        evaluate_lists("table")
    assert caught.value.hint == install_command("delta")


@pytest.mark.spark
def test_spark_reads_the_rows_of_a_delta_table(spark, evaluate_lists, tmp_path):
    FRAME.write_delta(tmp_path / "table")
    assert evaluate_lists("table", engine=spark) == EXPECTED
