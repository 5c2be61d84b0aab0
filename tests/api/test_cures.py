"""Findings of a call end with arguments to paste."""

from __future__ import annotations

from typing import Any

import polars as pl
import receval

TEST = pl.DataFrame({"user": ["1", "2"], "item": ["10", "12"]})
LISTS = pl.DataFrame({"user": ["1", "2"], "item": ["10.0", "12.0"], "score": [1.0, 2.0]})


def test_ids_with_decimals_in_a_frame_are_read_as_integers_by_the_argument_that_is_printed() -> None:
    result = receval.evaluate(test=TEST, recommendations={"m": LISTS}, metrics="Recall@2")
    (cure,) = next(finding.cures for finding in result.findings if finding.check == "X04")
    assert cure == "recommendations={'m': {'frame': TABLE, 'columns': {'item': {'column': 'item', 'as': 'integer'}}}}"
    pasted: dict[str, Any] = eval(f"dict({cure})", {"TABLE": LISTS})
    again = receval.evaluate(test=TEST, metrics="Recall@2", **pasted)
    assert (result["m", "Recall@2"].value, again["m", "Recall@2"].value) == (0, 1)
