"""Choices that make no difference for the rows of a part are one: without ties, repeated items and seen items there is only one reading."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from ..conventions.axis import Lists, Truth
from .array import Array
from .graph import Tables
from .list_rows import ListRows
from .part import PartData
from .prepared import Prepared
from .truth import TestPairs


class Canonical:
    """Maps choices of lists and of truth to the first that gives the same tables for a part."""

    def __init__(self, prepared: Prepared, part: PartData, tables: Tables) -> None:
        self._prepared, self._part, self._tables = prepared, part, tables
        self._lists: dict[Lists, Lists] = {}
        self._truths: dict[Truth, Truth] = {}
        self._orders: list[tuple[Lists, Array | None]] = []

    def lists(self, choice: Lists) -> Lists:
        """The choice of lists that stands for `choice`."""
        if choice not in self._lists:
            self._lists[choice] = self._canonical_lists(choice)
        return self._lists[choice]

    def _canonical_lists(self, choice: Lists) -> Lists:
        rows: ListRows = self._tables.get("rows_as_stored")
        duplicates = choice.duplicates if rows.repeats else "keep_all"
        seen = choice.seen if "train" in self._part else "keep"
        unknown = choice.unknown if len(self._prepared.items) else "keep"
        simplest = replace(choice, duplicates=duplicates, seen=seen, unknown=unknown)
        if duplicates in ("keep_last_row", "sum_scores"):
            return simplest
        order = rows.ranked(choice)
        for other, other_order in self._orders:
            if _same(order, other_order):
                return replace(simplest, order=other.order, ties=other.ties, score_type=other.score_type)
        self._orders.append((simplest, order))
        return simplest

    def truth(self, choice: Truth) -> Truth:
        """The choice of truth that stands for `choice`."""
        if choice not in self._truths:
            self._truths[choice] = self._canonical_truth(choice)
        return self._truths[choice]

    def _canonical_truth(self, choice: Truth) -> Truth:
        pairs: TestPairs = self._tables.get("test_pairs")
        if not self._prepared.sources & {"train", "items"}:
            choice = replace(choice, filter="none")
        if not pairs.repeats:
            choice = replace(choice, duplicates="best")
        if pairs.rating is None:
            duplicates = choice.duplicates if "row" in choice.duplicates else "best"
            return replace(choice, rule="all_rows", threshold=None, graded=False, duplicates=duplicates)
        return replace(choice, rule="all_rows") if choice.threshold is not None else choice


def _same(order: Array | None, other: Array | None) -> bool:
    if order is None or other is None:
        return order is other
    return order is other or np.array_equal(order, other)
