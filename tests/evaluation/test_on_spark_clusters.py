"""A run by Spark Connect, and on a cluster of two workers, writes the same bytes as a run on one machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from receval.cli.main import main

from benchmarks.cluster import HOST, free_port, standalone_cluster
from tests.conftest import QUICK_JAVA, ROOT
from tests.evaluation.on_spark import contents, write_config, write_world

pytestmark = [pytest.mark.spark, pytest.mark.slow]
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


@contextmanager
def connect_server(folder: Path) -> Iterator[str]:
    """Start a Spark Connect server of this machine and yield its address."""
    import pyspark

    port = free_port()
    settings = {"spark.connect.grpc.binding.port": port, "spark.ui.enabled": "false", "spark.driver.defaultJavaOptions": QUICK_JAVA}
    settings |= {"spark.sql.shuffle.partitions": 2, "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]"]
    command += [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    with open(folder / "server.log", "w") as log:
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)
        try:
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:
                with socket.socket() as door:
                    if door.connect_ex((HOST, port)) == 0:
                        break
                time.sleep(0.2)
            yield f"sc://{HOST}:{port}"
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(scope="module")
def server(config: Path) -> Iterator[str]:
    """Yield the address of a Spark Connect server."""
    with connect_server(config.parent) as address:
        yield address


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


def test_spark_connect_writes_the_same_bytes(config, server):
    code, said = run_elsewhere(config, "connect", "engine.name=spark", f"engine.remote={server}")
    assert code in (0, 1), said
    assert contents(config.parent / "connect") == contents(config.parent / "local")


FRAMES = """
import sys
import polars as pl
import receval
from pyspark.sql import SparkSession

session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
test = pl.DataFrame({"who": ["1", "1", "2"], "item": [1, 2, 3], "rating": [5, 4, 3]})
lists = pl.DataFrame({"who": ["1", "1", "2", "2"], "item": [1, 3, 3, 5], "score": [0.9, 0.8, 0.7, 0.6]})
asked = {"metrics": ["nDCG@2", "Recall@2", "EPC@2"], "columns": {"user": "who"}}
here = receval.evaluate(test=test, train=test, recommendations=lists, **asked)
away = [session.createDataFrame(frame.to_arrow()) for frame in (test, lists)]
there = receval.evaluate(test=test, train=away[0], recommendations=away[1], **asked)
assert (there.rows, there.findings, there.config["engine"]["name"]) == (here.rows, here.findings, "spark")
assert receval.describe(test=away[0], recommendations=away[1], columns={"user": "who"}).table("test").rows == 3
assert not [table.name for table in session.catalog.listTables() if table.name.startswith("receval")]
for wrong in (lambda: receval.Evaluator(test=test.rename({"who": "user"}), metrics="nDCG@2")(away[1]),
              lambda: receval.evaluate(test=away[0], recommendations=away[1], metrics="nDCG@2")):
    try:
        wrong()
    except receval.DataError as error:
        print(error.message)
assert session.range(1).count() == 1  # the session of the frames goes on
"""


def test_dataframes_of_spark_connect_are_evaluated_in_their_session(server):
    command = [sys.executable, "-c", FRAMES, server]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "recommendations.model: pyspark.DataFrame: Spark DataFrames work only with receval.evaluate",
        "test: pyspark.DataFrame: no user column; the columns are 'who', 'item', 'rating'",
        "recommendations.model: pyspark.DataFrame: no user column; the columns are 'who', 'item', 'score'",
    ]


def test_a_cluster_of_two_workers_writes_the_same_bytes_with_a_packed_environment(config):
    archive = pack(config.parent, "whole", f'exec {sys.executable} "$@"')
    with standalone_cluster(2, memory="1g", environment={"JAVA_TOOL_OPTIONS": QUICK_JAVA}) as address:
        engine = ("engine.name=spark", f"engine.master={address}", f"engine.archives=[{archive}]")
        code, said = run_elsewhere(config, "cluster", *engine)
    assert code in (0, 1), said
    assert contents(config.parent / "cluster") == contents(config.parent / "local")
