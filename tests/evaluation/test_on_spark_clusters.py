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
from tests.conftest import ROOT
from tests.evaluation.on_spark import contents, write_config, write_world

pytestmark = [pytest.mark.spark, pytest.mark.slow]
METRICS = ["nDCG", "MAP", "Recall", "F1", "MRR", "ItemCoverage", "Gini", "ILD", "ARP", "RMSE"]
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A config, beside which `local` holds what a run on one machine writes."""
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
    settings = {"spark.connect.grpc.binding.port": port, "spark.ui.enabled": "false", "spark.driver.defaultJavaOptions": QUICK}
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


def run_elsewhere(config: Path, folder: str, *options: str) -> tuple[int, str]:
    """Run a config in another process, as one process has one session; return the exit code and the last lines of stderr."""
    command = [sys.executable, "-m", "receval", "run", str(config), "-q", "-o", f"{config.parent / folder}/"]
    command += [part for option in options for part in ("--set", option)]
    environment = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    return done.returncode, done.stderr[done.stderr.find("receval:") :]


def packed(folder: Path, name: str, python: str) -> str:
    """An archive of an environment whose Python is a script."""
    script = folder / name / "bin" / "python"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\n{python}\n")
    script.chmod(0o755)
    return shutil.make_archive(str(folder / name), "gztar", folder / name) + f"#{name}"


def test_spark_connect_writes_the_same_bytes(config):
    with connect_server(config.parent) as address:
        code, said = run_elsewhere(config, "connect", "engine.name=spark", f"engine.remote={address}")
    assert code in (0, 1), said
    assert contents(config.parent / "connect") == contents(config.parent / "local")


def test_a_cluster_of_two_workers_writes_the_same_bytes_with_a_packed_environment(config):
    archive = packed(config.parent, "whole", f'exec {sys.executable} "$@"')
    with standalone_cluster(2, memory="1g", environment={"JAVA_TOOL_OPTIONS": QUICK}) as address:
        engine = ("engine.name=spark", f"engine.master={address}", f"engine.archives=[{archive}]")
        code, said = run_elsewhere(config, "cluster", *engine)
    assert code in (0, 1), said
    assert contents(config.parent / "cluster") == contents(config.parent / "local")
