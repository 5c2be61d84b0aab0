"""Tables are found by what was asked, and a replaced table is found by whoever asked before."""

from __future__ import annotations

import pytest
from receval.tables import graph
from receval.tables.graph import NO_CHOICE, TableKind, Tables


@pytest.fixture
def doubled(monkeypatch):
    """The numbers for which the table of the double was computed."""
    made = []

    def double(part, times):
        made.append(times)
        return [times * part]

    kind = TableKind("double", double, ("part",), ("times",), (), (), "")
    monkeypatch.setitem(graph.TABLES, "double", kind)
    graph.takes.cache_clear()
    graph.varies_with.cache_clear()
    yield made
    graph.takes.cache_clear()
    graph.varies_with.cache_clear()


def test_a_table_is_computed_once_for_each_parameter(doubled):
    tables = Tables({"part": 3})
    assert [tables.get("double", times=times) for times in (2, 2, 5, 2)] == [[6], [6], [15], [6]]
    assert doubled == [2, 5]


def test_a_replaced_table_is_not_remembered(doubled):
    tables = Tables({"part": 3})
    assert tables.get("double", times=2) == [6]
    tables.replace("double", NO_CHOICE, ["other"], times=2)
    assert tables.get("double", times=2) == ["other"]


def test_a_variant_does_not_know_the_tables_that_depend_on_what_it_replaces(doubled):
    tables = Tables({"part": 3})
    assert tables.get("double", times=2) == [6]
    assert tables.variant("double", {}).get("double", times=2) == [6]
    assert doubled == [2, 2]
