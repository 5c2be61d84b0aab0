"""Requests: the data can be files of a config, or frames in memory."""

from __future__ import annotations

import polars as pl
import yaml
from receval import load_config, run

from tests.conftest import CONFIGS


def test_frames_give_the_same_rows_and_findings_as_files():
    data = CONFIGS / "data"
    models = {name: pl.read_parquet(data / f"{name}.parquet") for name in ("knn", "popular", "random")}
    loaded = load_config(CONFIGS / "quickstart.yaml")
    written = yaml.safe_load((CONFIGS / "quickstart.yaml").read_text("utf-8"))
    of_frames = run(load_config({**written, "data": {"test": pl.read_csv(data / "test.csv"), "recommendations": models}}))
    of_files = run(loaded)
    assert of_frames.rows == of_files.rows
    assert of_frames.findings == of_files.findings
    assert [(source.role, source.rows) for source in of_frames.inputs] == [(source.role, source.rows) for source in of_files.inputs]
    assert [source.files[0].path for source in of_frames.inputs] == ["polars.DataFrame"] * 4
