"""Requests: what is evaluated may be files that a config names, or frames in memory."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from receval import load_config, run
from receval.evaluation.request import Request, inputs_of_frames
from receval.evaluation.running import evaluate

from tests.conftest import CONFIGS


def test_frames_give_the_rows_and_findings_of_the_files_that_hold_them():
    loaded = load_config(CONFIGS / "quickstart.yaml")
    models = {name: pl.read_parquet(CONFIGS / "data" / f"{name}.parquet") for name in ("knn", "popular", "random")}
    inputs = inputs_of_frames(pl.read_csv(CONFIGS / "data" / "test.csv"), models)
    of_frames = evaluate(replace(Request.of(loaded), look=lambda needs, stack, session: inputs))
    of_files = run(loaded)
    assert of_frames.rows == of_files.rows
    assert of_frames.findings == of_files.findings
    assert [(source.role, source.rows) for source in of_frames.inputs] == [(source.role, source.rows) for source in of_files.inputs]
    assert not any(source.files for source in of_frames.inputs)
