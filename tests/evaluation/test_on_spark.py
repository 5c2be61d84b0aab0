"""A run on Spark writes the same bytes as a run on one machine."""

from __future__ import annotations

import pytest

from tests.evaluation.on_spark import contents, write_config, write_world
from tests.variants import FORMULAS

pytestmark = [pytest.mark.spark, pytest.mark.slow]
SPARK = ("--set", "engine.name=spark", "--set", "engine.master=local[2]")
METRICS = list({formula.partition("(")[0]: formula for formula in FORMULAS}.values())
"""Every metric of the registry once."""
AGGREGATES = ["mean", "median", "std", "ci95", "bootstrap95", "sum", "p25"]


def test_a_run_of_everything_writes_the_same_bytes(receval, spark, tmp_path):
    write_world(tmp_path)
    config = write_config(tmp_path, METRICS, top_k=[3], aggregates=["mean", "median", "std"])
    printed = {}
    for name, engine in (("local", ()), ("spark", SPARK)):
        printed[name] = receval("run", config, "-v", *engine, "-o", f"{tmp_path / name}/", "--store-failures", tmp_path / f"{name} rows")
    assert printed["spark"][0] in (0, 1), printed["spark"][2]
    assert printed["spark"][:2] == printed["local"][:2]
    written = contents(tmp_path / "local")
    assert {"results.csv", "results_wide.csv", "results.parquet", "results.md", "per_user.parquet", "results.json"} <= written.keys()
    assert contents(tmp_path / "spark") == written
    stored = contents(tmp_path / "local rows")
    assert len(stored) > 5
    assert contents(tmp_path / "spark rows") == stored


def test_tables_of_the_catalog_give_the_bytes_that_files_give(receval, spark, spark_session, tmp_path):
    frames = write_world(tmp_path)
    for name, frame in frames.items():
        spark_session.native.createDataFrame(frame.to_arrow()).createOrReplaceGlobalTempView(name)
    metrics = ["nDCG", "MRR", "ItemCoverage", "ILD", "RMSE", "Intersection", "ARP"]
    options = {"aggregates": AGGREGATES, "top_k": [1, 3, "none"]}
    here = receval("run", write_config(tmp_path, metrics, **options), "-o", f"{tmp_path / 'local'}/")
    there = receval("run", write_config(tmp_path, metrics, tables=list(frames), **options), *SPARK, "-o", f"{tmp_path / 'spark'}/")
    assert there[0] in (0, 1), there[2]
    assert there[:2] == here[:2]
    assert contents(tmp_path / "spark", ["inputs"]) == contents(tmp_path / "local", ["inputs"])
