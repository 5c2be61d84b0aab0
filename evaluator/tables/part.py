"""The frames of a part → its users, and the rows of each frame with the index of their user."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct

from .array import Array
from .ids import gathered, user_starts
from .pairs import Lookup, Pairs, paired
from .rows import starts_after

LISTS = "lists"
EMPTY_TRUTH = "empty_truth"
"""The source of users whom the test set holds with an empty list: it has no items."""


class SourceRows(Struct, frozen=True, eq=False, dict=True):
    """The rows of one source that belong to the users of a part: those of a user together, users in ascending order.

    `user` is the index of each row's user, `frame` has the canonical columns.
    """

    user: Array
    frame: pl.DataFrame
    n_users: int
    starts: Array
    """Where the rows of each user begin, and the number of all rows at the end."""

    def __len__(self) -> int:
        return len(self.user)

    @property
    def item(self) -> pl.Series:
        """The ids of the items."""
        return self.frame["item"]

    @cached_property
    def item_hashes(self) -> Array:
        """A hash of 64 bits of each row's item."""
        return self.item.hash(7).to_numpy()

    @cached_property
    def counts(self) -> Array:
        """How many rows each user has."""
        return np.diff(self.starts)

    def column(self, name: str) -> Array:
        """A column of numbers."""
        return self.frame[name].to_numpy()

    def __contains__(self, name: str) -> bool:
        return name in self.frame.columns


class PartData:
    """Some users with all their rows: the lists of a model, and what test, train, predictions and baseline hold of these users.

    `users` are their ids in ascending order; every table of a part names users by their index in it.
    """

    def __init__(self, frames: Mapping[str, pl.DataFrame], starts: Mapping[str, Array] | None = None) -> None:
        """`starts` says, of frames where it is known, at which row each user begins."""
        known = starts or {}
        blocks = {name: _blocks(frame["user"], known.get(name)) for name, frame in frames.items()}
        self.users, indexes = _indexed({name: ids for name, (ids, _) in blocks.items()})
        n = len(self.users)
        self._rows: dict[str, SourceRows] = {}
        for name, frame in frames.items():
            index, lengths = indexes[name], blocks[name][1]
            if len(index) > 1 and (index[1:] < index[:-1]).any():
                order = np.argsort(index, kind="stable")
                frame = frame[_gathered(order, lengths)]
                index, lengths = index[order], lengths[order]
            counts = np.zeros(n, dtype=np.int64)
            counts[index] = lengths
            self._rows[name] = SourceRows(np.repeat(index, lengths), frame, n, starts_after(counts))

    @property
    def n_users(self) -> int:
        """The number of users."""
        return len(self.users)

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    def rows(self, name: str) -> SourceRows:
        """The rows of a source, such as `lists` or `test`."""
        return self._rows[name]

    def of_users(self, users: Array) -> PartData:
        """The part of those users for whom the mask holds."""
        return PartData({name: rows.frame.filter(users[rows.user]) for name, rows in self._rows.items()})

    def with_sources(self, frames: Mapping[str, pl.DataFrame]) -> PartData:
        """The part with more sources, or others in their place."""
        return PartData({name: rows.frame for name, rows in self._rows.items()} | dict(frames))

    @cached_property
    def pairs(self) -> Mapping[str, Pairs]:
        """The pairs of user and item of every source that has both."""
        having = {name: rows for name, rows in self._rows.items() if "item" in rows}
        made = paired(list(having.values()), self.n_users)
        return dict(zip(having, made, strict=True))

    @cached_property
    def lookup_of_train(self) -> Lookup:
        """Finds pairs in train."""
        return Lookup(self.pairs["train"])


def _blocks(users: pl.Series, starts: Array | None) -> tuple[pl.Series, Array]:
    """The ids of users whose rows stand together, in the order of the rows, and how many rows each has."""
    if not len(users):
        return users, np.empty(0, dtype=np.int64)
    if starts is None:
        starts = user_starts(users)
    return gathered(users, starts), np.diff(np.append(starts, len(users)))


def _indexed(ids: Mapping[str, pl.Series]) -> tuple[pl.Series, dict[str, Array]]:
    """All ids in ascending order, and where those of each source stand among them."""
    if all(series.dtype.is_integer() for series in ids.values()):
        arrays = {name: series.to_numpy() for name, series in ids.items()}
        values = np.sort(np.concatenate(list(arrays.values())))
        values = values[np.append(True, values[1:] != values[:-1])[: len(values)]]
        return pl.Series("user", values), {name: np.searchsorted(values, array) for name, array in arrays.items()}
    everything = pl.concat([series.rename("user") for series in ids.values()])
    index = everything.rank("dense").to_numpy().astype(np.int64) - 1
    row = np.empty(int(index.max(initial=-1)) + 1, dtype=np.int64)
    row[index] = np.arange(len(index))
    ends = np.cumsum([len(series) for series in ids.values()])
    return gathered(everything, row), dict(zip(ids, np.split(index, ends[:-1]), strict=True))


def _gathered(order: Array, lengths: Array) -> Array:
    """The rows of blocks in another order of the blocks."""
    starts = np.cumsum(lengths) - lengths
    taken = lengths[order]
    offsets = np.arange(int(taken.sum())) - np.repeat(np.cumsum(taken) - taken, taken)
    return np.asarray(np.repeat(starts[order], taken) + offsets)
