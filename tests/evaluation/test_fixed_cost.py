"""What a run of few rows costs is a number of queries, not of rows: it may not grow unnoticed."""

from __future__ import annotations

import polars as pl
import pytest
from receval import load_config, run
from receval.recognise import recogniser

from tests.conftest import CONFIGS

MOST_QUERIES = 24
"""Queries for the sample config, of three models, four measures and three cut-offs: each takes as long as hundreds of lines of Python."""


@pytest.fixture
def counted(monkeypatch):
    """The numbers of queries that were collected, and of samples that were looked at."""
    numbers = {"queries": 0, "samples": 0}

    def counting(function, kind):
        def called(*given, **more):
            numbers[kind] += 1
            return function(*given, **more)

        return called

    for kind, name in ((pl.LazyFrame, "collect"), (pl.LazyFrame, "sink_batches"), (pl.DataFrame, "lazy")):
        monkeypatch.setattr(kind, name, counting(getattr(kind, name), "queries"))
    monkeypatch.setattr(recogniser, "look", counting(recogniser.look, "samples"))
    return numbers


def test_a_small_run_makes_few_queries_and_samples_each_file_once(counted):
    result = run(load_config(CONFIGS / "quickstart.yaml"))
    assert len(result.conclusions) == 12
    assert counted["queries"] <= MOST_QUERIES
    assert counted["samples"] == 4
