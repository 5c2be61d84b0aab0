"""Rows of the table on Spark: the quickstart on local[2], and 20 million rows on a standalone cluster beside RePlay's Spark metrics.

    python benchmarks/run.py spark-quickstart spark-cluster

The cluster has two workers of one core each. RePlay has its own environment below benchmarks/data/peers, and a cluster of the
same size started from the Spark of this environment.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

import cluster
import data
import table

QUICKSTART: Final = Path(__file__).parent.parent / "configs" / "quickstart.yaml"
ENVIRONMENT: Final = data.DATA / "peers" / "replay-spark"
PACKAGES: Final = ("replay-rec[spark]", "setuptools<81")
CUTOFFS: Final = (5, 10, 20, 50, 100)
METRICS: Final = {"Precision": "Precision", "Recall": "Recall", "nDCG": "NDCG", "MAP": "MAP", "MRR": "MRR", "HitRate": "HitRate"}
"""Names of the same metrics: receval's → RePlay's."""
MEMORY: Final = "3g"
HOME_OF_SPARK: Final = "import pathlib, pyspark; print(pathlib.Path(pyspark.__file__).parent)"
REPLAY: Final = f"""
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
from replay.metrics import {", ".join(METRICS.values())}, OfflineMetrics
address, lists, test = sys.argv[1:]
spark = SparkSession.builder.master(address).config("spark.executor.memory", "{MEMORY}").config("spark.ui.enabled", "false").getOrCreate()
metrics = [metric({list(CUTOFFS)}) for metric in ({", ".join(METRICS.values())})]
columns = {{"query_column": "user_id", "item_column": "item_id", "rating_column": "score"}}
print(OfflineMetrics(metrics, **columns)(spark.read.parquet(lists), spark.read.parquet(test)))
"""


def quickstart(repeats: int, folder: Path) -> str:
    """Return the line of the quickstart on Spark; its floor is the quickstart on one machine."""
    command = table.receval("run", str(QUICKSTART))
    on_spark = [*command, "--set", "engine.name=spark", "--set", "engine.master=local[2]"]
    title = "quickstart on Spark local[2], session start included (floor: on one machine)"
    return table.line(title, "30 s", *table.in_turn(command, on_spark, repeats))


def on_cluster(repeats: int, folder: Path) -> str:
    """Return the line of 20 million rows on a cluster; its floor is RePlay with the same metrics."""
    files = [str(data.file(name)) for name in ("sorted.parquet", "test.parquet")]
    config = folder / "spark.yaml"
    evaluation = f"{{metrics: [{', '.join(METRICS)}], top_k: {list(CUTOFFS)}}}"
    config.write_text(f"data: {{test: {files[1]}, recommendations: {{model: {files[0]}}}}}\nevaluation: {evaluation}\n")
    with cluster.standalone_cluster(2, memory=MEMORY) as address:
        command = [*table.receval("run", str(config)), "--set", "engine.name=spark", "--set", f"engine.master={address}"]
        ours = table.median(command, repeats)
    title = "20 M rows on a standalone cluster of two one-core workers"
    python = replay_python()
    if python is None:
        return f"| {title} (RePlay cannot be installed) | | {ours.seconds:.2f} | | | | {ours.megabytes:,.0f} |"
    home = subprocess.run([python, "-c", HOME_OF_SPARK], capture_output=True, text=True, check=True).stdout.strip()
    with cluster.standalone_cluster(2, memory=MEMORY, home=Path(home)) as address:
        replay = table.median([python, "-c", REPLAY, address, *files], repeats)
    return table.line(f"{title} (floor: RePlay's Spark metrics)", "0.33", replay, ours)


def replay_python() -> str | None:
    """Return the Python of RePlay's environment; make it if it does not exist; None if RePlay cannot be installed."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        print("installing RePlay with Spark …", file=sys.stderr)
        venv.create(ENVIRONMENT, with_pip=True)
        installed = subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], stdout=sys.stderr)
        if installed.returncode:
            shutil.rmtree(ENVIRONMENT)
            return None
    return str(python)
