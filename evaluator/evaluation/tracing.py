"""What the body of a metric reads for one user → tables that show what each of their rows adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct, field

from ..results.explanation import CellValue, ExplainedTable, Total
from ..tables.array import Array
from ..tables.graph import TABLES
from ..tables.lists import Reading
from ..tables.rows import Cutoffs, Rows

_HITS = "hits"


class RowSum(Struct, frozen=True, eq=False):
    """One reduction of the rows of a table, such as a sum: the term that each row adds, and what the terms add up to.

    `parts` are values that the terms are made of, by name; `depth` is the cut-off, `None` where there is none.
    """

    label: str
    reduction: str
    terms: Array
    parts: Mapping[str, Array]
    depth: int | None
    total: float

    def equals(self, other: RowSum) -> bool:
        """Whether the other one is the same reduction, made a second time."""
        same = (self.label, self.reduction, self.depth) == (other.label, other.reduction, other.depth)
        return same and np.array_equal(self.terms, other.terms, equal_nan=True)


class ReadTable(Struct, frozen=True, eq=False):
    """A table that the body of a metric reads, and the reductions of its rows, each once."""

    name: str
    rows: Rows
    sums: list[RowSum] = field(default_factory=list)

    @property
    def depth(self) -> int | None:
        """The last rank that a reduction looks at; `None` if one looks at all rows."""
        depths = [row_sum.depth for row_sum in self.sums if row_sum.depth is not None]
        return max(depths) if len(depths) == len(self.sums) else None

    def columns(self) -> dict[str, Array]:
        """The terms of every reduction and the parts that they are made of, under names that differ."""
        columns: dict[str, Array] = {}
        for row_sum, label in zip(self.sums, self.labels(), strict=True):
            columns |= {**row_sum.parts, label: row_sum.terms}
        return columns

    def labels(self) -> list[str]:
        """The label of each reduction; where several have the same, the later ones are numbered."""
        labels = [row_sum.label for row_sum in self.sums]
        earlier = [labels[:index].count(label) for index, label in enumerate(labels)]
        return [f"{label} ({n + 1})" if n else label for label, n in zip(labels, earlier, strict=True)]

    def totals(self) -> tuple[Total, ...]:
        """What the rows add up to."""
        return tuple(Total(label, row_sum.reduction, row_sum.total) for label, row_sum in zip(self.labels(), self.sums, strict=True))


class Recorder:
    """Records what the body of a metric reads, while it is run over the part of one user with one cut-off."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, Rows], ReadTable] = {}
        self._counts: dict[str, float] = {}

    @property
    def facts(self) -> tuple[tuple[str, float], ...]:
        """The counts of the user that the body reads, with what they count."""
        return tuple(self._counts.items())

    def count(self, title: str, counts: Array) -> None:
        """Record a count of the user."""
        self._counts[title] = float(np.reshape(counts, -1)[0])

    def sum_of_rows(
        self, table: str, rows: Rows, reduction: str, row: Array | None, label: str, parts: Mapping[str, Any], cutoffs: Cutoffs
    ) -> None:
        """Record a reduction of the rows of a table."""
        values = np.ones(()) if row is None else row
        total = rows.maxima(values, cutoffs) if reduction == "max" else rows.sums(None if row is None else values, cutoffs)
        (depth,) = (None,) if cutoffs is None else cutoffs
        terms = {name: _per_row(part, len(rows)) for name, part in parts.items()}
        row_sum = RowSum(label, reduction, _per_row(values, len(rows)), terms, depth, float(total[0, 0]))
        read = self._tables.setdefault((table, rows), ReadTable(table, rows))
        if not any(row_sum.equals(other) for other in read.sums):
            read.sums.append(row_sum)

    def explained(self, reading: Reading, among_rated: bool) -> tuple[ExplainedTable, ...]:
        """The tables in the order in which the body reads them.

        Hits are shown as rows of the whole list (`reading`), where other items add nothing; if they are ranked among the rated items only
        (`among_rated`), they are shown alone.
        """
        return tuple(
            _hits(table, None if among_rated else reading.table()) if table.name == _HITS else _table(table)
            for table in self._tables.values()
        )


def _per_row(values: Any, n_rows: int) -> Array:
    """A number for each row, given an array of them, maybe with a dimension for the only cut-off, or one number for all."""
    array = np.asarray(values, dtype=np.float64)
    return np.broadcast_to(array.reshape(-1) if array.ndim == 2 else array, n_rows)


def _table(table: ReadTable) -> ExplainedTable:
    """The rows of a table as far as they are looked at, in the order of the columns that its declaration names."""
    kind, index = TABLES[table.name], _within(table.rows, table.depth)
    terms = {label: values[index] for label, values in table.columns().items()}
    headers = {name: "grade" if name == "gain" else name for name in kind.columns if name == "item" or name in table.rows}
    shown = {header: _column(table.rows, name, index) for name, header in headers.items() if header not in terms}
    order = pl.DataFrame(shown).select(pl.arg_sort_by(*shown)).to_series().to_numpy() if shown else np.arange(len(index))
    columns = [pl.Series(column).gather(order) for column in (*shown.values(), *terms.values())]
    body = [["yes" if holds else "" for holds in one] if one.dtype == pl.Boolean else one.to_list() for one in columns]
    return ExplainedTable(kind.title, (*shown, *terms), tuple(zip(*body, strict=True)), table.totals())


def _hits(table: ReadTable, listed: Rows | None) -> ExplainedTable:
    """Every row of the list, what is no hit left empty; or, without the list, the hits alone."""
    index, terms = _within(table.rows, table.depth), table.columns()
    added = (values[index].tolist() for values in terms.values())
    hits: dict[tuple[Any, int], list[tuple[CellValue, ...]]] = {}
    for item, rank, gain, *of_hit in zip(*_cells(table.rows, index, "gain"), *added, strict=True):
        hits.setdefault((item, rank), []).append(("yes", gain, *of_hit))
    no_hit = [("",) * (2 + len(terms))]
    shown = hits if listed is None else zip(*_cells(listed, _within(listed, table.depth)), strict=True)
    rows = tuple((rank, str(item), *cells) for item, rank in shown for cells in hits.get((item, rank), no_hit))
    title = "The list" if listed is not None else "The listed items with a test rating, ranked among themselves"
    return ExplainedTable(title, ("rank", "item", "relevant", "grade", *terms), rows, table.totals())


def _within(rows: Rows, depth: int | None) -> Array:
    """The indexes of the rows down to a depth."""
    return np.arange(len(rows)) if depth is None else np.flatnonzero(rows[rows.cut] <= depth)


def _column(rows: Rows, name: str, index: Array) -> Array | pl.Series:
    """A column of some rows; `item` has their ids."""
    if name == "item":
        assert rows.item is not None
        return rows.item.gather(index)
    return rows[name][index]


def _cells(rows: Rows, index: Array, *columns: str) -> Sequence[Sequence[Any]]:
    """The items and ranks of some rows, and other columns, as lists."""
    assert rows.item is not None
    return [rows.item.gather(index).to_list(), *(rows[name][index].tolist() for name in ("rank", *columns))]
