"""A run on Spark writes the same bytes as a run on one machine."""

from __future__ import annotations

import json
import sys

import polars as pl
import pytest

from tests.evaluation.on_spark import contents, write_config, write_world
from tests.variants import COLUMN, FORMULAS

pytestmark = [pytest.mark.release, pytest.mark.spark, pytest.mark.slow]
SPARK = ("--set", "engine.name=spark", "--set", "engine.master=local[2]")
METRICS = list({formula.partition("(")[0]: formula for formula in FORMULAS}.values())
"""Every metric of the registry once."""
AGGREGATES = ["mean", "median", "std", "ci95", "bootstrap95", "sum", "p25"]


def test_a_run_with_every_input_writes_the_same_bytes(receval, spark, tmp_path):
    write_world(tmp_path)
    by = [f"users.{COLUMN}", "items.categories", {"train_count": [1, 4]}, "cold"]
    config = write_config(tmp_path, METRICS, top_k=[3], by=by)
    printed = {}
    for name, engine in (("local", ()), ("spark", SPARK)):
        printed[name] = receval("run", config, "-v", *engine, "-o", f"{tmp_path / name}/", "--store-failures", tmp_path / f"{name} rows")
    assert printed["spark"][0] in (0, 1), printed["spark"][2]
    assert printed["spark"][:2] == printed["local"][:2]
    written = contents(tmp_path / "local")
    assert {"results.csv", "results_wide.csv", "results.parquet", "results.md", "per_user.parquet", "results.json"} <= written.keys()
    assert contents(tmp_path / "spark") == written
    compared = receval("compare", f"here={tmp_path / 'local'}", f"there={tmp_path / 'spark'}", "--format", "json")
    assert {comparison["difference"] for comparison in json.loads(compared[1])["comparisons"]} <= {0.0, None}
    assert {comparison["verdict"] for comparison in json.loads(compared[1])["comparisons"]} <= {"identical", None}
    stored = contents(tmp_path / "local rows")
    assert len(stored) > 5
    assert contents(tmp_path / "spark rows") == stored


def test_targets_are_the_same_rows(receval, spark, spark_session, tmp_path):
    test = write_world(tmp_path)["test"]
    spark_session.native.createDataFrame(test.to_arrow()).createOrReplaceGlobalTempView("test")
    for target, tables in (("last", []), ("random", ["test"])):
        for name, engine in (("local", ()), ("spark", SPARK)):
            config = write_config(tmp_path, ["nDCG", "MRR", "ItemCoverage"], top_k=[3], tables=tables if engine else ())
            code, _, err = receval("run", config, *engine, "--target", target, "-o", f"{tmp_path / target / name}/")
            assert code in (0, 1), err
        assert "is the target (data.test.target): 40 of" in (tmp_path / target / "local" / "results.json").read_text()
        assert contents(tmp_path / target / "spark", ["inputs"]) == contents(tmp_path / target / "local", ["inputs"])


def test_tables_of_the_catalog_give_the_same_bytes_as_files(receval, spark, spark_session, tmp_path):
    frames = write_world(tmp_path)
    for name, frame in frames.items():
        spark_session.native.createDataFrame(frame.to_arrow()).createOrReplaceGlobalTempView(name)
    metrics = ["nDCG", "MRR", "ItemCoverage", "ILD", "RMSE", "Intersection", "ARP"]
    options = {"aggregates": AGGREGATES, "top_k": [1, 3, "none"]}
    here = receval("run", write_config(tmp_path, metrics, **options), "-o", f"{tmp_path / 'local'}/")
    there = receval("run", write_config(tmp_path, metrics, tables=list(frames), **options), *SPARK, "-o", f"{tmp_path / 'spark'}/")
    assert there[0] in (0, 1), there[2]
    assert there[1].splitlines() == here[1].splitlines()
    assert there[:2] == here[:2]
    assert contents(tmp_path / "spark", ["inputs"]) == contents(tmp_path / "local", ["inputs"])


_WITHOUT_RECEVAL = """
import sys

class Without:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "receval":
            raise ModuleNotFoundError("No module named 'receval'", name="receval")

sys.meta_path.insert(0, Without)
"""


def test_workers_without_receval_end_the_run_in_one_sentence(receval, spark, spark_session, sample, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(_WITHOUT_RECEVAL)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path}:"$PYTHONPATH" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    setting = "spark.sql.execution.pyspark.python"
    spark_session.native.conf.set(setting, str(python))
    try:
        code, out, err = receval("run", sample / "quickstart.yaml", *SPARK, "-o", f"{tmp_path}/out/")
    finally:
        spark_session.native.conf.unset(setting)
    assert (code, out) == (4, "")
    message, hint = err.strip().splitlines()
    assert message == "receval: the Python of the Spark workers lacks receval"
    assert "engine.archives" in hint
    assert not list(tmp_path.glob("out/*"))


def test_groups_of_test_rows_and_weights_of_users_give_the_same_bytes(receval, spark, tmp_path):
    frames = write_world(tmp_path)
    frames["test"].with_columns(event=pl.Series(["view", "buy", None][row % 3] for row in range(len(frames["test"])))).write_parquet(
        tmp_path / "test.parquet"
    )
    frames["users"].with_columns(revenue=pl.Series([None, 2.5, 0.0, 7.0][row % 4] for row in range(len(frames["users"])))).write_parquet(
        tmp_path / "users.parquet"
    )
    by = [
        "rows.event",
        "rows.repeat",
        "rows.new_item",
        "rows.popularity:3",
        "rows.timestamp:1d",
        "rows.rating",
        f"users.{COLUMN}*rows.event",
    ]
    metrics = ["nDCG", "Recall", "F1", "ILD", "Recall(rows.event=buy,average=micro)", "0.5*MRR(rows.repeat=explore)@3 + 0.5*MRR@3"]
    for folder, more in (("groups", {}), ("weights", {"weights": {"users": "users.revenue"}})):
        config = write_config(tmp_path, metrics, top_k=[3], by=by, **more)
        for name, engine in (("local", ()), ("spark", SPARK)):
            compared = ("--set", "compare.by=rows.event", "--set", "compare.cluster=users.revenue", "--target", "all")
            code, _, err = receval("run", config, *engine, *compared, "-o", f"{tmp_path / folder / name}/")
            assert code in (0, 1), err
        written = contents(tmp_path / folder / "local")
        assert len(json.loads((tmp_path / folder / "local" / "results.json").read_text())["results"]) > 100
        assert contents(tmp_path / folder / "spark") == written


def test_a_user_is_the_same_and_two_models_are_refused_in_one_sentence(receval, spark, tmp_path):
    test = write_world(tmp_path)["test"]
    config = write_config(tmp_path, ["nDCG", "Recall"], top_k=[3])
    user = str(test["user"][0] if "user" in test.columns else test[test.columns[0]][0])
    here, there = (receval("user", user, config, *engine, "--format", "json") for engine in ((), SPARK))
    assert here[0] == 0, here[2]
    assert there[:2] == here[:2]
    code, printed, err = receval("diff", config, *SPARK)
    assert (code, printed) == (2, "")
    assert "lists are compared user by user on this machine only" in err
    assert "set engine.name: polars" in err


def test_spark_reads_the_tables_of_a_result_with_their_types(receval, spark, spark_session, tmp_path):
    write_world(tmp_path)
    assert receval("run", write_config(tmp_path, ["nDCG"], top_k=[3]), "-q", "-o", f"{tmp_path / 'out'}/")[0] in (0, 1)
    read = spark_session.native.read
    values = read.parquet(str(tmp_path / "out" / "results.parquet"))
    stored = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert values.columns == stored.columns
    assert {name: kind for name, kind in values.dtypes if name in ("run_id", "k", "value", "n_users", "higher_is_better")} == {
        "run_id": "string", "k": "bigint", "value": "double", "n_users": "bigint", "higher_is_better": "boolean",
    }  # fmt: skip
    assert [row.value for row in values.collect()] == stored["value"].to_list()
    ledger = read.csv(str(tmp_path / "out" / "ledger.csv"), header=True)
    assert {row.run_id for row in ledger.collect()} == {stored["run_id"][0]}
    assert read.parquet(str(tmp_path / "out" / "per_user.parquet")).count() == pl.read_parquet(tmp_path / "out" / "per_user.parquet").height
