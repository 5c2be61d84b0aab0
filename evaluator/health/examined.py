"""`ExaminedPart`, the view that a check has of the users of one part; and the tables that several checks read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from ..checks import CheckSetting
from ..metrics.definition import Definition
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.graph import INPUTS, Choice, Tables, table
from ..tables.ids import gather
from ..tables.lists import ListRows, Reading
from ..tables.prepared import Prepared
from ..tables.rows import LISTS, PartData, SourceRows
from ..tables.truth import TestPairs, TruthTable
from .tallies import EXAMPLES, Examples, KeptRows


class ExaminedPart(Struct, frozen=True, eq=False):
    """Tables of a part for one check.

    `choice` has the settings of the first of the measures (`definitions`), `choice_of` gives those of another; `values` are those of all
    measures (measures × users), NaN if a user has none. `uses` are the tables that the check declares. With `keeps_rows` the affected
    rows are stored.
    """

    tables: Tables
    choice: Choice
    definitions: tuple[Definition, ...]
    values: Array
    cutoffs: tuple[int, ...]
    setting: CheckSetting
    uses: frozenset[str]
    keeps_rows: bool
    choice_of: Callable[[Definition], Choice]

    def table(self, name: str, **params: Scalar) -> Any:
        """Return a table under the settings of the first measure; `ValueError` if the check does not declare it in `uses`."""
        return self.table_of(None, name, **params)

    def table_of(self, definition: Definition | None, name: str, **params: Scalar) -> Any:
        """Return a table under the settings of a measure, of the first one if it is `None`; otherwise as `table`."""
        if name not in self.uses and name not in INPUTS:
            raise ValueError(f"the check reads the table {name!r}, which it does not declare in uses")
        return self.tables.get(name, self.choice if definition is None else self.choice_of(definition), **params)

    @property
    def data(self) -> PartData:
        """Users of the part, and the rows of each source."""
        data: PartData = self.tables.get("part")
        return data

    @property
    def prepared(self) -> Prepared:
        """Data known before."""
        prepared: Prepared = self.tables.get("prepared")
        return prepared

    @property
    def definition(self) -> Definition:
        """First measure."""
        return self.definitions[0]

    @property
    def lists(self) -> SourceRows:
        """Rows of the lists as the source has them."""
        return self.data.rows(LISTS)

    def notes(self, frame: pl.DataFrame, *columns: str) -> dict[str, Any]:
        """Return entries of a tally for affected rows: the first as examples of `columns`, and all if they are stored."""
        if not len(frame):
            return {}
        return {"examples": Examples.of(frame.select(columns))} | self.stored_rows(frame)

    def users(self, users: Array, **columns: Array) -> dict[str, Any]:
        """Return entries of a tally for users (ascending indexes or a mask) with further columns: examples, and all if they are stored."""
        index = np.flatnonzero(users) if users.dtype == np.bool_ else users
        if not len(index):
            return {}
        examples = Examples((pl.DataFrame({"user": gather(self.data.users, index[:EXAMPLES])}),))  # users ascend
        if not self.keeps_rows:
            return {"examples": examples}
        frame = pl.DataFrame({"user": gather(self.data.users, index)} | {name: column[index] for name, column in columns.items()})
        return {"examples": examples} | self.stored_rows(frame)

    def stored_rows(self, frame: pl.DataFrame, name: str = "rows") -> dict[str, Any]:
        """Return the entry of a tally that keeps rows, if there are any and they are stored."""
        return {name: KeptRows((frame,))} if self.keeps_rows and len(frame) else {}


@table("stored_hits", uses=("rows_as_stored", "reading", "test_pairs", "truth_table"))
def stored_hits(rows_as_stored: ListRows, reading: Reading, test_pairs: TestPairs, truth_table: TruthTable) -> tuple[Array, Array]:
    """Return the rows of the lists whose item is relevant, repeated or not, and the index of the test pair of each.

    If the first measure reads the lists whole, its search in the test pairs is used.
    """
    whole = reading.source is rows_as_stored and reading.dropped is None and len(reading) == len(rows_as_stored.user)
    row, pair = test_pairs.lookup.find(reading.pairs if whole else rows_as_stored.pairs)
    hit = truth_table.relevant[pair]
    row, pair = row[hit], pair[hit]
    return (row if not whole or reading.rows is None else reading.rows[row]), pair


@table("stored_seen", uses=("rows_as_stored", "part"))
def stored_seen(rows_as_stored: ListRows, part: PartData) -> Array:
    """Return a mask of the rows of the lists whose pair is in train."""
    mask = np.zeros(len(rows_as_stored.user), dtype=np.bool_)
    mask[part.lookup_of_train.find(rows_as_stored.pairs)[0]] = True
    return mask


@table("item_counts", uses=("rows_as_stored", "prepared"))
def item_counts(rows_as_stored: ListRows, prepared: Prepared) -> Array:
    """Return the number of list rows with each item that is known before; the last number is that of rows with other items."""
    counts = np.bincount(rows_as_stored.item_index + 1, minlength=len(prepared.items) + 1)
    return np.append(counts[1:], counts[0])


@table("item_hashes", uses=("rows_as_stored",))
def item_hashes(rows_as_stored: ListRows) -> Array:
    """Return a hash of 64 bits of each row's item."""
    return rows_as_stored.rows.item_hashes


@table("list_sums", uses=("rows_as_stored", "item_hashes"))
def list_sums(rows_as_stored: ListRows, item_hashes: Array) -> Array:
    """Return the sum of the hashes of the items of each list that is not empty: lists of the same items have the same sum."""
    rows = rows_as_stored.rows
    return np.add.reduceat(item_hashes, rows.starts[np.flatnonzero(rows.counts)])


@table("listed_items", uses=("rows_as_stored", "item_hashes"))
def listed_items(rows_as_stored: ListRows, item_hashes: Array) -> pl.Series:
    """Return the distinct items of the lists, by their hashes: two of ten million items share one with a probability of 10⁻⁶."""
    return gather(rows_as_stored.rows.item, pl.Series(item_hashes).arg_unique().to_numpy())
