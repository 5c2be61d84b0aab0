"""Tables as the body of a metric reads them: columns as arrays, and sums over rows for all cut-offs at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.prepared import Prepared
from ..tables.rows import Cutoffs, Rows


class Trace(Protocol):
    """Record of the values that the body of a metric reads, to explain its result."""

    def sum_of_rows(
        self, table: str, rows: Rows, reduction: str, row: Array | None, label: str, parts: Mapping[str, Any], cutoffs: Cutoffs
    ) -> None:
        """Record a reduction of the rows of a table: `reduction` is `sum`, `max`, `tally` or `count`.

        `row` is the term of each row (`None`: each counts 1), `label` its name, `parts` the values that it is computed from, by name.
        """
        ...

    def count(self, title: str, counts: Array) -> None:
        """Record that the body reads a count of each user; `title` says what is counted."""
        ...


class CutTable(Struct, frozen=True, eq=False):
    """A table with rows per user, as a metric sees it: its columns are arrays, and sums over rows are cut off at all k at once."""

    name: str
    rows: Rows
    cutoffs: Cutoffs
    prepared: Prepared
    trace: Trace | None = None

    def __getitem__(self, column: str) -> Array:
        return self.rows[column]

    def item(self, name: str, /, **params: Scalar) -> Array:
        """Return a column of items, such as `train_rows`, for the item of each row."""
        values: Array = self.prepared.item_column(name, **params)[self.rows.item_index(self.prepared.items)]
        return values

    def per_row(self, values: Array) -> Array:
        """Return a row of per-user values for the user of each row."""
        by_row: Array = np.reshape(values, -1)[self.rows.user]
        return by_row

    @property
    def whole(self) -> CutTable:
        """The same table with the rows at any rank."""
        return replace(self, cutoffs=None)

    def sum(self, row: Any, label: str = "term", **parts: Any) -> Array:
        """Return Σ `row` over the user's rows with rank ≤ k; 0 without any. `label` and `parts` describe the term of a row for people."""
        return self._reduce("sum", row, label, parts)

    def exact_sum(self, row: Array, label: str = "term") -> Array:
        """Return Σ `row` as `sum` does; each sum is rounded once, so row order has no effect."""
        if self.trace is not None:
            self.trace.sum_of_rows(self.name, self.rows, "sum", row, label, {}, self.cutoffs)
        return self.rows.exact_sums(row, self.cutoffs)

    def max(self, row: Any, label: str = "term", **parts: Any) -> Array:
        """Return the largest `row` (which must be ≥ 0) over the user's rows with rank ≤ k; 0 without any."""
        return self._reduce("max", row, label, parts)

    def tally(self, condition: Array, label: str = "counts") -> Array:
        """Return the number of the user's rows with rank ≤ k for which a condition is true."""
        return self._reduce("tally", condition, label, {})

    def tallies(self, kinds: Array, n_kinds: int) -> list[Array]:
        """Return for each kind from 0 the number of the user's rows with rank ≤ k of this kind; `kinds` has each row's, -1 means none."""
        if self.trace is not None:
            return [self.tally(kinds == kind) for kind in range(n_kinds)]
        return self.rows.tallies(kinds, n_kinds, self.cutoffs)

    def count(self, label: str = "hit") -> Array:
        """Return the number of the user's rows with rank ≤ k."""
        return self._reduce("count", None, label, {})

    def _reduce(self, reduce: str, row: Any, label: str, parts: Mapping[str, Any]) -> Array:
        values = None if row is None else np.asarray(row, dtype=np.float64)
        if self.trace is not None:
            self.trace.sum_of_rows(self.name, self.rows, reduce, values, label, parts, self.cutoffs)
        if reduce == "max":
            assert values is not None
            return self.rows.maxima(values, self.cutoffs)
        return self.rows.sums(values, self.cutoffs)


class ItemTable(Struct, frozen=True, eq=False):
    """A table of items over all users who count, in the order of the items: its columns are arrays."""

    columns: Mapping[str, Array]
    prepared: Prepared

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def item(self, name: str, /, **params: Scalar) -> Array:
        """Return a column of items, such as `train_rows`, for each item."""
        values: Array = self.prepared.item_column(name, **params)[self.columns["item_index"]]
        return values

    def sum(self, row: Any) -> Array:
        """Return Σ `row` over all items, as a column; the order of the items does not change it."""
        return np.asarray([[math.fsum(np.broadcast_to(np.asarray(row, dtype=np.float64), len(self)))]])
