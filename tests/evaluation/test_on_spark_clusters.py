"""A run by Spark Connect, and on a cluster of two executors, writes the same bytes as a run on one machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from receval.cli.main import main

from benchmarks.cluster import standalone_cluster
from tests.conftest import QUICK_JAVA, ROOT
from tests.evaluation.on_spark import contents, write_config, write_world

pytestmark = [pytest.mark.release, pytest.mark.spark, pytest.mark.slow]
METRICS = ["nDCG", "MAP", "Recall", "F1", "MRR", "ItemCoverage", "Gini", "ILD", "ARP", "RMSE"]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a config, with the files of a run on one machine in `local` beside it."""
    pytest.importorskip("pyspark", reason="the spark extra is not installed")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java on this machine")
    folder = tmp_path_factory.mktemp("clusters")
    write_world(folder)
    config = write_config(folder, METRICS, top_k=[3])
    assert main(["run", str(config), "-q", "-o", f"{folder / 'local'}/"]) in (0, 1)
    return config


def run_elsewhere(config: Path, folder: str, *options: str) -> tuple[int, str]:
    """Run a config in another process, because a process has only one session; return the exit code and the error message."""
    command = [sys.executable, "-m", "receval", "run", str(config), "-q", "-o", f"{config.parent / folder}/"]
    command += [part for option in options for part in ("--set", option)]
    environment = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"} | {"JAVA_TOOL_OPTIONS": QUICK_JAVA}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    return done.returncode, done.stderr[done.stderr.find("receval:") :]


def pack(folder: Path, name: str, python: str) -> str:
    """Pack an environment whose Python is a script; return its archive."""
    script = folder / name / "bin" / "python"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\n{python}\n")
    script.chmod(0o755)
    return shutil.make_archive(str(folder / name), "gztar", folder / name) + f"#{name}"


def test_spark_connect_writes_the_same_bytes(config, connect_server):
    code, said = run_elsewhere(config, "connect", "engine.name=spark", f"engine.remote={connect_server}")
    assert code in (0, 1), said
    assert contents(config.parent / "connect") == contents(config.parent / "local")


FRAMES = """
import sys
import pandas as pd
import polars as pl
import receval
from pyspark import SparkContext
from pyspark.sql import SparkSession

session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
test = pl.DataFrame({"user": ["1", "1", "2"], "item": [1, 2, 3], "rating": [5, 4, 3]})
lists = pl.DataFrame({"user": ["1", "1", "2", "2"], "item": [1, 3, 3, 5], "score": [0.9, 0.8, 0.7, 0.6]})
sides = {
    "train": test,
    "items": pl.DataFrame({"item": [1, 2, 3, 5], "genres": ["a", "b", "a", "c"]}),
    "users": pl.DataFrame({"user": ["1", "2"], "age": [30, 40]}),
    "baseline": lists,
    "predictions": test.rename({"rating": "prediction"}),
    "distances": pl.DataFrame({"item": [1, 1, 3], "other": [3, 5, 5], "distance": [0.1, 0.2, 0.3]}),
}
metrics = ["nDCG@2", "EPC@2", "RMSE", "ILD@2", "ILD(distance=file)@2", "Intersection@2"]
options = {"metrics": metrics, "categories": "genres", "by": "users.age"}
away = lambda frame: session.createDataFrame(frame.to_arrow())

here = receval.evaluate(test=test, recommendations={"m": lists}, **sides, **options)
far = {name: away(frame) for name, frame in sides.items()}
there = receval.evaluate(test=away(test), recommendations={"m": away(lists)}, **far, **options)
assert (there.rows, there.by_group, there.findings, there.config["engine"]["name"]) == (here.rows, here.by_group, here.findings, "spark")
mixed = receval.evaluate(test=test.to_pandas(), recommendations={"m": away(lists)}, **{**sides, "items": far["items"]}, **options)
assert mixed.rows == here.rows
only = receval.evaluate(test=away(test), predictions=far["predictions"], metrics="RMSE", health=False)
assert only["RMSE"].value == here["RMSE"].value
assert receval.describe(test=away(test), recommendations=away(lists)).table("test").rows == 3
assert receval.explain(test=away(test), recommendations=away(lists), measure="nDCG@2", user="2").value == 1.0
assert receval.Evaluator(test=away(test), train=far["train"], metrics="nDCG@2")({"m": away(lists)}) == {"nDCG@2": here["nDCG@2"].value}

away(lists).createOrReplaceTempView("their_lists")
session.sql(f"create schema by_connect location '{sys.argv[2]}'")
table = "by_connect.per_user"
named = receval.evaluate(test=test, recommendations={"m": {"table": "their_lists"}}, metrics="nDCG@2", health=False, per_user_table=table)
assert (named.rows[0].value, named.per_user) == (here["nDCG@2"].value, {})
written = pl.from_arrow(session.table(table).toArrow()).sort("user")
assert written.equals(pl.from_arrow(here.to_spark(session, per_user=True).where("measure = 'nDCG@2'").toArrow()).sort("user"))
session.sql("drop schema by_connect cascade")
assert here.to_spark(session).count() == len(here.values)
assert SparkContext._active_spark_context is None  # no other session was started
assert not [view.name for view in session.catalog.listTables() if view.name.startswith("receval")]

users = away(test).withColumnRenamed("user", "who")
for wrong in (users, away(test)["user"], session, session.table("nowhere"), away(test).selectExpr("user", "int(user || 'x') as item")):
    try:
        receval.evaluate(test=wrong, recommendations=away(lists), metrics="nDCG@2")
    except receval.DataError as error:
        print(error.message.partition(". ")[0])
assert session.range(1).count() == 1  # the session of the frames goes on
other = SparkSession.builder.remote(sys.argv[1]).create()
try:
    receval.evaluate(test=other.range(3).selectExpr("id as user", "id as item"), recommendations=away(lists), metrics="nDCG@2")
except receval.DataError as error:
    print(error.message)
other.stop()  # else its channel waits at the end of the process
"""


def test_dataframes_of_spark_connect_are_evaluated_in_their_session(connect_server, tmp_path):
    command = [sys.executable, "-c", FRAMES, connect_server, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "test: pyspark.DataFrame: no user column; the columns are 'who', 'item', 'rating'",
        "test: pyspark.Column is not a table that receval can read",
        "test: pyspark.SparkSession is not a table that receval can read",
        "test: pyspark.DataFrame cannot be read: [TABLE_OR_VIEW_NOT_FOUND] The table or view `nowhere` cannot be found",
        'test: pyspark.DataFrame cannot be read: [CAST_INVALID_INPUT] The value \'1x\' of the type "STRING" cannot be cast to "INT" '
        "because it is malformed",
        "the DataFrames belong to 2 sessions of Spark, and none can read those of another",
    ]
    assert done.stderr == ""


def test_a_cluster_of_two_executors_writes_the_same_bytes_with_a_packed_environment(config, monkeypatch):
    archive = pack(config.parent, "whole", f'exec {sys.executable} "$@"')
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.executor.cores=1 pyspark-shell")
    with standalone_cluster(1, cores=2, memory="2g", environment={"JAVA_TOOL_OPTIONS": QUICK_JAVA}) as address:
        engine = ("engine.name=spark", f"engine.master={address}", f"engine.archives=[{archive}]")
        code, said = run_elsewhere(config, "cluster", *engine)
    assert code in (0, 1), said
    assert contents(config.parent / "cluster") == contents(config.parent / "local")
