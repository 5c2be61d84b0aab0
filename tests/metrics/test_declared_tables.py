"""A body reads only the tables that its metric declares in `uses`, and the tables that these use; and what follows from a declaration."""

from __future__ import annotations

import numpy as np
import pytest
from receval.metrics import METRICS
from receval.metrics.measure import Measure
from receval.metrics.registry import at
from receval.tables.graph import NO_CHOICE, Tables, closure


def measure(name: str) -> Measure:
    """Return the argument of a metric's body for a part of one user; it has the count `n_relevant`, and no other table can be computed."""
    tables = Tables({"n_relevant": np.asarray([2])})
    given = {
        "cutoffs": (1,),
        "params": {},
        "choice": NO_CHOICE,
        "prepared": None,
        "n_users": 1,
        "counted_mask": np.ones(1, bool),
        "sums": None,
    }
    return Measure(tables=tables, declared=closure(tuple(at({}, METRICS[name].uses))), **given)


def test_a_table_that_a_metric_does_not_declare_is_an_error():
    with pytest.raises(LookupError, match="reads the table 'listed', which the metric does not declare"):
        _ = measure("Recall").listed


def test_tables_that_a_declared_table_uses_may_be_read():
    assert "n_relevant" not in at({}, METRICS["Recall"].uses)
    assert measure("Recall").n_relevant.tolist() == [[2]]


def test_a_metric_is_pooled_if_its_body_returns_a_ratio_and_a_count_has_no_upper_bound_unless_it_says_otherwise():
    returned = {name: metric.define.__annotations__["return"] for name, metric in METRICS.items() if metric.origin == "receval"}
    assert [name for name, kind in returned.items() if (kind == "Ratio") is not (METRICS[name].pooled is True)] == ["FallOut"]
    assert {METRICS[name].bounds for name in returned if METRICS[name].is_count} == {(0.0, float("inf"))}
