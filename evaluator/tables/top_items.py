"""The recommended items down to a depth, and which recommended items are hits."""

from __future__ import annotations

import numpy as np

from .array import Array
from .graph import table
from .ids import gathered
from .lists import Reading
from .rows import Rows
from .truth import TestPairs


def top_items(reading: Reading, depth: int) -> tuple[Rows, Array]:
    """The recommended items that a cut-off at `depth` lets through (at 0 all), and where they stand among all rows of the lists.

    Their `rank` is the one that cut-offs look at.
    """
    rank = reading.rank if reading.cut is None else reading.cut
    index = np.flatnonzero(rank <= depth) if depth else np.arange(len(reading))
    item_index = reading.item_index[index]
    rows = Rows(reading.n_users, reading.user[index], {"rank": rank[index]}, gathered(reading.item, index), memo={"item_index": item_index})
    return rows, index


@table("is_hit", uses=("reading", "test_pairs", "hits"))
def is_hit(reading: Reading, test_pairs: TestPairs, hits: Rows) -> Array:
    """For each row of the lists whether it is a hit; of an item that is listed several times as many rows as count, from the top."""
    counts = np.bincount(hits["pair"], minlength=len(test_pairs))
    row, pair = test_pairs.lookup.find(reading.pairs)
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    first = np.searchsorted(ordered, ordered)  # where the rows of the same pair begin
    before = np.empty(len(pair), dtype=np.int64)
    before[order] = np.arange(len(pair)) - first
    marks = np.zeros(len(reading), dtype=np.bool_)
    marks[row[before < counts[pair]]] = True
    return marks
