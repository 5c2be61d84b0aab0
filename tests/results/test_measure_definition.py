"""Definitions of results that versions of receval with fewer axes have stored."""

from __future__ import annotations

from receval.results.measure_definition import MeasureDefinition

AXES = {"tie_order": "item_asc", "identical_ids": "keep"}


def definition(**axes: str) -> MeasureDefinition:
    return MeasureDefinition("nDCG", "receval", True, axes=AXES | axes)


def older() -> MeasureDefinition:
    """Return a definition that was stored before there was the axis identical_ids."""
    return MeasureDefinition("nDCG", "receval", True, axes={"tie_order": "item_asc"})


def test_an_axis_that_an_older_result_does_not_have_has_its_default_there():
    assert older().differences(definition()) == []
    assert definition().differences(older()) == []
    assert older().differences(definition(identical_ids="drop_and_refill")) == [("identical_ids", "keep", "drop_and_refill")]


def test_two_values_of_an_axis_differ():
    assert definition(tie_order="file").differences(definition()) == [("tie_order", "file", "item_asc")]
