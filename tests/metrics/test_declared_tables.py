"""A body reads only the tables that its metric declares in `uses`, and those that these are made of."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from receval.metrics import METRICS

ROWS = pl.DataFrame({"user": [1, 1], "item": [1, 2]})


def test_a_table_that_a_metric_does_not_declare_is_an_error(evaluate, monkeypatch):
    monkeypatch.setitem(METRICS, "Precision", replace(METRICS["Precision"], uses=lambda params: ("n_relevant",)))
    with pytest.raises(LookupError, match="reads the table 'hits', which the metric does not declare"):
        evaluate(ROWS, ROWS, metrics=["Precision"], top_k=[1])


def test_what_a_declared_table_is_made_of_may_be_read(evaluate):
    assert "n_relevant" not in METRICS["Recall"].uses({})
    assert evaluate(ROWS, ROWS, metrics=["Recall"], top_k=[1]).rows[0].value == 0.5
