"""Tables of a part that several checks read: hits and seen items of the lists as the source has them."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.graph import table
from ..tables.ids import gathered
from ..tables.list_rows import ListRows
from ..tables.lists import Reading
from ..tables.part import PartData
from ..tables.prepared import Prepared
from ..tables.truth import TestPairs, TruthTable


@table("stored_hits", uses=("rows_as_stored", "reading", "test_pairs", "truth_table"))
def stored_hits(rows_as_stored: ListRows, reading: Reading, test_pairs: TestPairs, truth_table: TruthTable) -> tuple[Array, Array]:
    """The rows of the lists whose item is relevant, repeated or not, and the index of the test pair of each.

    Where the first measure reads the lists whole, its search in the test pairs is used.
    """
    whole = reading.source is rows_as_stored and reading.dropped is None and len(reading) == len(rows_as_stored.user)
    row, pair = test_pairs.lookup.find(reading.pairs if whole else rows_as_stored.pairs)
    hit = truth_table.relevant[pair]
    row, pair = row[hit], pair[hit]
    return (row if not whole or reading.rows is None else reading.rows[row]), pair


@table("stored_seen", uses=("rows_as_stored", "part"))
def stored_seen(rows_as_stored: ListRows, part: PartData) -> Array:
    """For each row of the lists whether train holds the pair."""
    mask = np.zeros(len(rows_as_stored.user), dtype=np.bool_)
    mask[part.lookup_of_train.find(rows_as_stored.pairs)[0]] = True
    return mask


@table("item_counts", uses=("rows_as_stored", "prepared"))
def item_counts(rows_as_stored: ListRows, prepared: Prepared) -> Array:
    """How many rows of the lists hold each item that is known before, and as the last number how many hold any other item."""
    counts = np.bincount(rows_as_stored.item_index + 1, minlength=len(prepared.items) + 1)
    return np.append(counts[1:], counts[0])


@table("item_hashes", uses=("rows_as_stored",))
def item_hashes(rows_as_stored: ListRows) -> Array:
    """A hash of 64 bits of each row's item."""
    return rows_as_stored.rows.item_hashes


@table("listed_items", uses=("rows_as_stored", "item_hashes"))
def listed_items(rows_as_stored: ListRows, item_hashes: Array) -> pl.Series:
    """The distinct items of the lists, told apart by their hashes: two of ten million items share one with a probability of 10⁻⁶."""
    return gathered(rows_as_stored.rows.item, pl.Series(item_hashes).arg_unique().to_numpy())
