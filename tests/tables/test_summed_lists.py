"""Lists in which the scores of repeated items are summed."""

from __future__ import annotations

import polars as pl
from msgspec.structs import replace
from receval import conventions
from receval.metrics import resolve
from receval.scoring.side_inputs import SideFrames, SideNeeds, prepare_sides
from receval.tables.graph import Choice, Tables
from receval.tables.rows import PartData


def test_hits_are_found_in_summed_lists_for_any_items_of_the_test_file() -> None:
    frames = {
        "lists": pl.DataFrame({"user": [1, 1, 1], "item": [7, 5, 7], "score": [0.4, 0.5, 0.3], "row": [0, 1, 2]}),
        "test": pl.DataFrame({"user": [1, 1], "item": [2, 7], "row": [0, 1]}),
    }
    prepared, _ = prepare_sides(SideFrames(), SideNeeds())
    known = conventions.load("receval")
    definition = resolve(known.parse("Precision@3"), known)
    lists = replace(definition.lists, duplicates="sum_scores")
    tables = Tables({"part": PartData(frames), "prepared": prepared})
    hits = tables.get("hits", Choice(lists, definition.truth, "real"))
    assert hits["rank"].tolist() == [1]
    assert hits.item.to_list() == [7]
