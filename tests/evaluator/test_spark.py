"""Both engines give the same values, for every metric and every value of every axis."""

from __future__ import annotations

import gzip
import random

import pytest
from receval.conventions import AXES
from receval.metrics import METRICS
from receval.names.measure_strings import parse

from tests.conftest import per_user, table, values, wholes
from tests.variants import FORMULAS, NUMBERS, PROTOCOLS
from tests.worlds import World, assert_same, measured, sides

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FAMILIES = sorted({entry.family for entry in METRICS.values()})
"""A run for each, so that none plans too much at once: Spark's time grows faster than the number of tables."""
SHARED = [label for label in PROTOCOLS if label.startswith("nDCG") and AXES[label[5:].partition("=")[0]].part != "value"]
"""Every value of the axes that all metrics have, on one metric: each makes tables of its own, which Spark plans slowly."""


def of_family(family: str) -> list[str]:
    """Every metric and axis value of a family; numbers make no other tables, and each place of a greedy list takes Spark 25 seconds."""
    of = [text for text in FORMULAS if METRICS[parse(text).name].family == family and text not in NUMBERS]
    return [f"{text}@1" if text.startswith("AlphaNDCG") and "@" not in text else text for text in of]


RUNS = {
    **{family: of_family(family) for family in FAMILIES},
    **{f"protocol-{part}": SHARED[part::3] for part in range(3)},
}


def world() -> World:
    """Few users and items, with all that is missing or stands twice in real files."""
    chance = random.Random(7)
    rows = [(u, i, float(chance.randint(0, 5))) for u in range(12) for i in chance.sample(range(20), 9)]
    lists = [(u, i, float(chance.randint(0, 9))) for u in range(2, 14) for i in chance.sample(range(25), 8)]
    return {
        "test": table(["user", "item", "rating"], [(u, i, r) for u, i, r in rows if chance.random() < 0.6]),
        "lists": table(["user", "item", "score"], lists + [(u, i, 1.0) for u, i, _ in lists[::9]]),
        **sides(chance, range(12), range(20)),
    }


@pytest.mark.parametrize("labels", RUNS.values(), ids=RUNS)
def test_spark_and_polars_give_the_same_values(labels, spark, evaluate):
    here = measured(evaluate, world(), labels, top_k=[3])
    there = measured(evaluate, world(), labels, top_k=[3], engine=spark)
    assert len(next(iter(per_user(here).values()))) + len(wholes(here)) > len(labels)
    assert_same(here, there)
    assert [(row["user"], row["n_recommended"]) for row in per_user(here).values()] == [
        (row["user"], row["n_recommended"]) for row in per_user(there).values()
    ]


def test_every_metric_and_every_axis_of_the_formulas_runs_on_spark():
    assert {text.removesuffix("@1") for labels in RUNS.values() for text in labels} >= set(FORMULAS) - set(NUMBERS)


def test_spark_reads_what_polars_reads(spark, write, tmp_path):
    import polars as pl
    import yaml
    import zstandard
    from receval import load_config, run

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
