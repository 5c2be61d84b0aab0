"""Distinct ids, and where other ids stand among them."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from .array import Array, blocks

_SPARSEST: Final = 8
"""Integer ids are looked up in a plain array where it is at most as many times as long as there are ids."""


def gathered(values: pl.Series, index: Array) -> pl.Series:
    """The values at `index`. Those of integers are taken by NumPy: for some thousands Polars waits longer for its threads than it works."""
    if values.dtype.is_integer() and not values.null_count():
        return pl.Series(values.name, values.to_numpy()[index])
    return values[index]


def changes(values: pl.Series) -> Array:
    """For each row but the first whether its value is another one than that of the row before."""
    if values.dtype.is_integer():
        array = values.to_numpy()
        return np.asarray(array[1:] != array[:-1])
    return (values.slice(1) != values.head(-1)).to_numpy()


def user_starts(users: pl.Series) -> Array:
    """The index of each row that has another user than the row before it; 0 is the first, unless there are no rows."""
    if not len(users):
        return np.zeros(0, np.int64)
    return np.concatenate([[0], np.flatnonzero(changes(users)) + 1])


class Ids:
    """Distinct ids in ascending order, and where other ids stand among them."""

    def __init__(self, ids: pl.Series) -> None:
        self.ids = ids
        self._index_by_id: Array | None = None
        self._least = 0
        if len(ids) and ids.dtype.is_integer():
            values = ids.to_numpy()
            self._least, most = int(values[0]), int(values[-1])
            if most - self._least < _SPARSEST * len(values) + 1024:
                self._index_by_id = np.full(most - self._least + 1, -1, dtype=np.int64)
                self._index_by_id[values - self._least] = np.arange(len(values))

    def __len__(self) -> int:
        return len(self.ids)

    def index_of(self, ids: pl.Series) -> Array:
        """The index of each of `ids`, -1 for those that are not known."""
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int64)
        if self._index_by_id is not None:
            values, index = ids.to_numpy(), np.empty(len(ids), dtype=np.int64)
            for some in blocks(len(values)):
                index[some] = self._looked_up(self._index_by_id, values[some] - self._least)
            return index
        known = pl.DataFrame({"id": self.ids}).with_row_index("index")
        joined = pl.DataFrame({"id": ids}).join(known, on="id", how="left", maintain_order="left")
        return joined["index"].cast(pl.Int64).fill_null(-1).to_numpy()

    @staticmethod
    def _looked_up(index_by_id: Array, offset: Array) -> Array:
        outside = offset.view(np.uint64) >= len(index_by_id)  # a number below 0 is a large one without a sign
        if not outside.any():
            return index_by_id.take(offset, mode="clip")
        return np.where(outside, -1, index_by_id.take(offset, mode="clip"))
