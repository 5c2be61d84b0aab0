"""Both engines give the same values, for every metric and every value of every axis."""

from __future__ import annotations

import gzip

import pytest
from receval.evaluator.conventions import AXES

from tests.conftest import per_user, values
from tests.evaluator.test_properties import FORMULAS, PROTOCOLS, assert_same, measured

pytestmark = [pytest.mark.spark, pytest.mark.slow]


SHARED = [label for label in PROTOCOLS if label.startswith("nDCG") and AXES[label[5:].partition("=")[0]].part != "value"]
"""Every value of the axes that all metrics have, on one metric: each makes tables of its own, which Spark plans slowly."""


@pytest.mark.parametrize(
    "labels", [FORMULAS, SHARED[::3], SHARED[1::3], SHARED[2::3]], ids=["formulas", "protocol", "protocol-2", "protocol-3"]
)
def test_spark_and_polars_give_the_same_per_user_values(labels, spark, evaluate):
    import random

    from tests.conftest import table

    chance = random.Random(7)
    rows = [(u, i, float(chance.randint(0, 5))) for u in range(40) for i in chance.sample(range(60), 20)]
    lists = [(u, i, float(chance.randint(0, 9))) for u in range(2, 45) for i in chance.sample(range(80), 15)]
    world = {
        "test": table(["user", "item", "rating"], [(u, i, r) for u, i, r in rows if chance.random() < 0.5]),
        "lists": table(["user", "item", "score"], lists + [(u, i, 1.0) for u, i, _ in lists[::9]]),
        "train": table(["user", "item"], [(u, i) for u in range(40) for i in chance.sample(range(60), 8)]),
    }
    here = measured(evaluate, world, labels, top_k=[3])
    there = measured(evaluate, world, labels, top_k=[3], engine=spark)
    assert here.keys() == there.keys()
    assert len(next(iter(here.values()))) > len(labels)
    assert_same(here, there)
    assert {user: row["n_recommended"] for user, row in here.items()} == {user: row["n_recommended"] for user, row in there.items()}


def test_spark_reads_what_polars_reads(spark, write, tmp_path):
    import polars as pl
    import yaml
    import zstandard
    from receval.evaluator import load_config, run

    test = "user,item\nu1,01\nu1,2\nu2,3\n"
    lists = "user,item\nu1,2\nu2,9\nu1,01\nu2,3\n"  # neither score nor rank: the order of the file
    write("test.csv", test)
    write("plain.csv", lists)
    write("packed.csv.gz", gzip.compress(lists.encode()))
    write("packed.csv.zst", zstandard.compress(lists.encode()))
    write("lines.ndjson", "".join(f'{{"user": "{u}", "item": "{i}"}}\n' for u, i in (line.split(",") for line in lists.split()[1:])))
    (tmp_path / "d=1 [x]").mkdir()
    write("d=1 [x]/l b.csv", lists)
    head, *rest = lists.splitlines(keepends=True)
    write("part-1.csv", head + "".join(rest[:1]))
    write("part-2.csv", head + "".join(rest[1:]))
    write("quoted.csv", '"user","item"\n"u1","2"\n\n"u2","9"\n"u1","01"\n"u2","3"\n')
    frame = pl.read_csv(lists.encode(), infer_schema=False)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "a.feather")
    names = {
        "csv": "plain.csv",
        "gz": "packed.csv.gz",
        "zst": "packed.csv.zst",
        "json": "lines.ndjson",
        "odd path": "d=1 [x]/l b.csv",
        "parts": ["part-1.csv", "part-2.csv"],
        "quoted": "quoted.csv",
        "parquet": "a.parquet",
        "ipc": "a.feather",
    }
    config = {
        "data": {"test": "test.csv", "recommendations": names},
        "evaluation": {"metrics": ["MRR", "MAP"], "top_k": ["none"]},
        "engine": dict(spark),
    }
    write("config.yaml", yaml.safe_dump(config))
    result = run(load_config(tmp_path / "config.yaml"))
    for model in names:
        assert values(result, model) == {"MRR@none": pytest.approx(0.75), "MAP@none": pytest.approx(0.75)}, model
        assert per_user(result, model).keys() == {"u1", "u2"}


@pytest.fixture
def connect_server(spark, tmp_path):
    """The address of a Spark Connect server of this machine, as long as the test lasts."""
    import os
    import socket
    import subprocess
    import time

    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-submit")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]"]
    settings = {"spark.connect.grpc.binding.port": port, "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": 2}
    command += [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    with open(tmp_path / "server.log", "w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path)
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            with socket.socket() as door:
                if door.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.5)
        yield f"sc://127.0.0.1:{port}"
        server.terminate()
        server.wait(30)


def test_a_spark_connect_server_gives_what_polars_gives(connect_server, sample):
    import json
    import subprocess
    import sys

    def run(config: str, *options: str) -> dict[str, float]:
        command = [sys.executable, "-m", "receval.cli", "run", str(sample / config), "--format", "jsonl", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        rows = map(json.loads, done.stdout.splitlines())
        return {f"{row['model']} {row['metric']} {row['k']}": row["value"] for row in rows}

    there = run("spark.yaml", "--set", f"engine={{name: spark, remote: '{connect_server}'}}")
    assert there == pytest.approx(run("quickstart.yaml"), abs=1e-12)
