"""`Rows`: a table of the users of a part as NumPy columns, and sums over its rows up to each cut-off; frames of a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Final

from msgspec import Struct, field

from ..exact_sums.group_sums import exact_group_sums
from ..support.errors import DataError, Given
from ..support.lazy import np, pl
from .array import Array
from .ids import Ids, Lookup, Pairs, gather, make_pairs, user_starts

_MOST_CELLS: Final = 1 << 16
"""Largest table in which rows are counted by user, cut-off and kind at once; a few cells per row are allowed in addition."""

Cutoffs = tuple[int, ...] | None
"""Cut-offs in ascending order; `None` is the whole list."""


class Rows(Struct, frozen=True, eq=False):
    """Rows of the users of a part; those of a user are together, in ascending order of the users' indexes.

    `user` is the index of each row's user among the `n_users` users of the part, `columns` are arrays of the same length, and `item` has
    the ids of items if the table has any. Cut-offs use the column called `cut`. In a table with `weight` each row counts with this
    probability, and the maximum over hits is the value of the first hit. If several users have the same rows, these are stored once:
    `group_of_user` is then the index of each user's group of rows, out of `n_groups`, and `user` is the group of a row.
    """

    n_users: int
    user: Array
    columns: Mapping[str, Array]
    item: pl.Series | None = None
    cut: str = "rank"
    weight: Array | None = None
    group_of_user: Array | None = None
    n_groups: int = 0
    memo: dict[Any, Any] = field(default_factory=dict)
    """Arrays computed from the columns, by name or parameters."""

    def __len__(self) -> int:
        return len(self.user)

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @property
    def rank(self) -> Array:
        """Rank of each row in the list of its user, from 1."""
        return self.columns["rank"]

    @property
    def real_rank(self) -> Array:
        """Position of each row in the list of its user, whatever rank it counts with."""
        return self.columns.get("real_rank", self.rank)

    def take(self, index: Array) -> Rows:
        """Return the rows at `index`, or those of a mask; they must stay in the order of the users."""
        item = None if self.item is None else gather(self.item, np.flatnonzero(index) if index.dtype == np.bool_ else index)
        columns = {name: column[index] for name, column in self.columns.items()}
        weight = None if self.weight is None else self.weight[index]
        return Rows(self.n_users, self.user[index], columns, item, self.cut, weight, self.group_of_user, self.n_groups)

    def with_columns(self, **columns: Array) -> Rows:
        """Return the same rows with more columns."""
        return Rows(
            self.n_users, self.user, {**self.columns, **columns}, self.item, self.cut, self.weight, self.group_of_user, self.n_groups
        )

    @property
    def n_blocks(self) -> int:
        """Number of users, or of groups of users with the same rows."""
        return self.n_users if self.group_of_user is None else self.n_groups

    def item_index(self, ids: Ids) -> Array:
        """Return the index of each row's item among `ids`, -1 for others."""
        if "item_index" not in self.memo:
            assert self.item is not None
            self.memo["item_index"] = ids.index_of(self.item)
        index: Array = self.memo["item_index"]
        return index

    def starts(self) -> Array:
        """Return the first row of each user, and at the end the number of all rows."""
        if "starts" not in self.memo:
            self.memo["starts"] = starts_of(self.user, self.n_blocks)
        starts: Array = self.memo["starts"]
        return starts

    def spread(self, blocks: Array) -> Array:
        """Return values by block, in the last dimension, as values by user."""
        return blocks if self.group_of_user is None else blocks[..., self.group_of_user]

    def cells(self, cutoffs: tuple[int, ...]) -> Array:
        """Return for each row: its user times (number of cut-offs + 1), plus the index of the first cut-off that includes it."""
        if cutoffs not in self.memo:
            bucket = np.searchsorted(np.asarray(cutoffs), self.columns[self.cut])
            self.memo[cutoffs] = self.user * (len(cutoffs) + 1) + bucket
        cells: Array = self.memo[cutoffs]
        return cells

    def sums(self, row: Array | float | None, cutoffs: Cutoffs) -> Array:
        """Return Σ `row` over each user's rows up to each cut-off, cut-offs × users; the number of rows if `row` is `None`.

        A `row` of two dimensions has separate terms for each cut-off.
        """
        weights = None if row is None else np.asarray(row, dtype=np.float64)
        if weights is not None and weights.ndim == 2 and len(weights) > 1:
            assert cutoffs is not None
            single = (self.sums(of_one, (k,)) for of_one, k in zip(weights, cutoffs, strict=True))
            return np.concatenate(list(single))
        if weights is not None:
            weights = np.broadcast_to(weights.reshape(-1) if weights.ndim == 2 else weights, len(self))
        if self.weight is not None:
            weights = self.weight if weights is None else weights * self.weight
        if cutoffs is None:
            return self.spread(np.bincount(self.user, weights, self.n_blocks).astype(np.float64)[None, :])
        width = len(cutoffs) + 1
        buckets = np.bincount(self.cells(cutoffs), weights, self.n_blocks * width).reshape(self.n_blocks, width)[:, :-1]
        return self.spread(up_to_each(buckets.T))

    def exact_sums(self, row: Array, cutoffs: Cutoffs) -> Array:
        """Return Σ `row` as `sums` does, each sum rounded once: the order of rows and other cut-offs have no effect."""
        values = np.asarray(row, dtype=np.float64)
        values = values if self.weight is None else values * self.weight
        totals = []
        for k in (None,) if cutoffs is None else cutoffs:
            within = slice(None) if k is None else self.columns[self.cut] <= k
            totals.append(exact_group_sums(values[within], self.user[within], self.n_blocks))
        return self.spread(np.stack(totals))

    def tallies(self, kinds: Array, n_kinds: int, cutoffs: Cutoffs) -> list[Array]:
        """Return for each kind from 0 the number of each user's rows of this kind up to each cut-off; rows of kind -1 are not counted."""
        width = 1 if cutoffs is None else len(cutoffs) + 1
        if self.weight is not None or self.n_blocks * width * n_kinds > _MOST_CELLS + 4 * len(self):
            return [self.sums(kinds == kind, cutoffs) for kind in range(n_kinds)]
        cell = (self.user if cutoffs is None else self.cells(cutoffs)) * (n_kinds + 1) + kinds
        if len(kinds) and kinds.min() < 0:
            cell[kinds < 0] += n_kinds + 1
        counts = np.bincount(cell, minlength=self.n_blocks * width * (n_kinds + 1)).reshape(self.n_blocks, width, n_kinds + 1)
        by_kind = counts[:, :, :n_kinds].transpose(2, 1, 0)
        if cutoffs is None:
            return [self.spread(table.astype(np.float64)) for table in by_kind]
        return [self.spread(up_to_each(table[:-1])) for table in by_kind]

    def maxima(self, row: Array | float, cutoffs: Cutoffs) -> Array:
        """Return the largest `row` (at least 0) of each user's rows up to each cut-off; 0 without rows."""
        values = np.broadcast_to(np.asarray(row, dtype=np.float64), len(self))
        if self.weight is not None:
            return self.sums(np.where(self.columns["found"] == 1, values, 0.0), cutoffs)
        width = 1 if cutoffs is None else len(cutoffs) + 1
        largest = np.zeros(self.n_blocks * width)
        np.maximum.at(largest, self.user if cutoffs is None else self.cells(cutoffs), values)
        by_bucket = largest.reshape(self.n_blocks, width).T
        return self.spread(by_bucket if cutoffs is None else np.maximum.accumulate(by_bucket[:-1], axis=0))


def up_to_each(buckets: Array) -> Array:
    """Return the sums of each row and all rows above, like `np.cumsum`, which is slow because it adds up one column after the other."""
    totals = buckets.astype(np.float64, order="C")
    for row in range(1, len(totals)):
        totals[row] += totals[row - 1]
    return totals


def starts_of(user: Array, n_users: int) -> Array:
    """Return the first row of each user, given the ascending user indexes of the rows; and at the end the number of rows."""
    return starts_after(np.bincount(user, minlength=n_users))


def starts_after(counts: Array) -> Array:
    """Return the first row of each user, given the number of rows of each; and at the end the number of rows."""
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def within_users(neighbours: Array, starts: Array) -> Array:
    """Clear a mask that compares each row but the first with the row before, where the two belong to different users.

    `starts` are the first rows of the users. The mask is changed in place and returned.
    """
    borders = starts[(starts > 0) & (starts <= len(neighbours))] - 1
    neighbours[borders] = False
    return neighbours


def counted_from_top(rows_before: Array, user: Array, n_users: int) -> Array:
    """Return cumulative sums that restart at each user, given those over all rows (`rows_before`: up to and including each row)."""
    starts = starts_of(user, n_users)
    before = np.concatenate([np.zeros(1, dtype=rows_before.dtype), rows_before])
    return np.asarray(rows_before - before[starts[user]])


def number_rows(user: Array, n_users: int, starts: Array | None = None) -> Array:
    """Return 1, 2, … for the rows of each user; `starts` are the first rows of the users, if known."""
    return np.arange(1, len(user) + 1) - (starts_of(user, n_users) if starts is None else starts)[user]


def in_order(user: Array, keys: Sequence[tuple[Array | pl.Series, bool]]) -> Array:
    """Return the order that sorts rows by user and then by `keys`, each with whether it descends; the sort is stable."""
    names = [f"key{index}" for index in range(len(keys))]
    frame = pl.DataFrame({"user": user} | dict(zip(names, (key for key, _ in keys), strict=True)))
    order = frame.select(pl.arg_sort_by("user", *names, descending=[False, *(falls for _, falls in keys)], maintain_order=True))
    return order.to_series().to_numpy()


def running_sum(values: Array, user: Array) -> Array:
    """Return Σ `values` over the rows of the same user up to and including each row, in the order of the rows.

    Each user is summed separately: a difference of sums over all rows would lose digits.
    """
    frame = pl.DataFrame({"user": user, "value": values})
    return frame.select(pl.col("value").cum_sum().over("user")).to_series().to_numpy()


LISTS = "lists"
EMPTY_TRUTH = "empty_truth"
"""Source of the users with an empty list in the test set; it has no items."""


class SourceRows(Struct, frozen=True, eq=False, dict=True):
    """The rows of one source for the users of a part; those of a user are together, users in ascending order.

    `user` is the index of each row's user, `frame` has the canonical columns.
    """

    user: Array
    frame: pl.DataFrame
    n_users: int
    starts: Array
    """First row of each user, and at the end the number of all rows."""

    def __len__(self) -> int:
        return len(self.user)

    @property
    def item(self) -> pl.Series:
        """Ids of the items."""
        return self.frame["item"]

    @cached_property
    def item_hashes(self) -> Array:
        """Hash of each row's item, in 64 bits."""
        return self.item.hash(7).to_numpy()

    @cached_property
    def counts(self) -> Array:
        """Number of rows of each user."""
        return np.diff(self.starts)

    def column(self, name: str) -> Array:
        """Return a column of numbers; raise `DataError` if the file does not have it."""
        if name not in self:
            raise DataError(
                f"a measure needs the {name} of every row, and a file has none", f"set it in the config, columns: {{{name}: NAME}}"
            )
        return self.frame[name].to_numpy()

    def __contains__(self, name: str) -> bool:
        return name in self.frame.columns


class PartData:
    """Some users with all their rows: the lists of a model, and their rows of test, train, predictions and baseline.

    `users` are their ids in ascending order; every table of a part uses the index of a user in it.
    """

    def __init__(self, frames: Mapping[str, pl.DataFrame], starts: Mapping[str, Array] | None = None) -> None:
        """Build from frames by source; `starts` has the first row of each user, for frames where it is known."""
        known = starts or {}
        blocks = {name: _blocks(frame["user"], known.get(name)) for name, frame in frames.items()}
        self.users, indexes = _index_users({name: ids for name, (ids, _) in blocks.items()})
        n = len(self.users)
        self._rows = Given[SourceRows]()
        for name, frame in frames.items():
            index, lengths = indexes[name], blocks[name][1]
            if len(index) > 1 and (index[1:] < index[:-1]).any():
                order = np.argsort(index, kind="stable")
                frame = frame[_gather_blocks(order, lengths)]
                index, lengths = index[order], lengths[order]
            counts = np.zeros(n, dtype=np.int64)
            counts[index] = lengths
            self._rows[name] = SourceRows(np.repeat(index, lengths), frame, n, starts_after(counts))

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.users)

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    def rows(self, name: str) -> SourceRows:
        """Return the rows of a source, such as `lists` or `test`."""
        return self._rows[name]

    def for_users(self, users: Array) -> PartData:
        """Return the part of the users in the mask."""
        return PartData({name: rows.frame.filter(users[rows.user]) for name, rows in self._rows.items()})

    def with_sources(self, frames: Mapping[str, pl.DataFrame]) -> PartData:
        """Return the part with sources added or replaced."""
        return PartData({name: rows.frame for name, rows in self._rows.items()} | dict(frames))

    def with_lists(self, source: str) -> PartData:
        """Return the same users with the rows of a source as lists, and the lists as this source; both parts share all rows and pairs."""
        names, other = {LISTS: source, source: LISTS}, copy(self)
        other._rows = Given({names.get(name, name): rows for name, rows in self._rows.items()})
        other.__dict__["pairs"] = Given({names.get(name, name): pairs for name, pairs in self.pairs.items()})
        return other

    @cached_property
    def pairs(self) -> Mapping[str, Pairs]:
        """Pairs of user and item of every source that has both."""
        having = {name: rows for name, rows in self._rows.items() if "item" in rows}
        made = make_pairs(list(having.values()), self.n_users)
        return Given(zip(having, made, strict=True))

    @cached_property
    def lookup_of_train(self) -> Lookup:
        """Lookup of pairs in train."""
        return Lookup(self.pairs["train"])


def _blocks(users: pl.Series, starts: Array | None) -> tuple[pl.Series, Array]:
    """Return the user of each block of neighbouring rows with the same user, and the length of each block."""
    if not len(users):
        return users, np.empty(0, dtype=np.int64)
    if starts is None:
        starts = user_starts(users)
    return gather(users, starts), np.diff(np.append(starts, len(users)))


def _index_users(ids: Mapping[str, pl.Series]) -> tuple[pl.Series, dict[str, Array]]:
    """Return all ids in ascending order, and the index of those of each source among them."""
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
    return gather(everything, row), dict(zip(ids, np.split(index, ends[:-1]), strict=True))


def _gather_blocks(order: Array, lengths: Array) -> Array:
    """Return the rows of blocks of these `lengths` after the blocks are put in another order."""
    starts = np.cumsum(lengths) - lengths
    taken = lengths[order]
    offsets = np.arange(int(taken.sum())) - np.repeat(np.cumsum(taken) - taken, taken)
    return np.asarray(np.repeat(starts[order], taken) + offsets)
