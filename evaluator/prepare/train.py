"""Train rows → how popular each item is, which pairs there are, and which users."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..tables.array import Array
from ..tables.ids import Ids

_SPARSEST: Final = 8
"""Integer ids are looked up in a plain array where it is at most as many times as long as there are rows."""
_BLOCK: Final = 1_000_000
_LAST: Final = np.iinfo(np.int64).max


class TrainRows(Struct, frozen=True, eq=False, dict=True):
    """The rows of train as indexes of users and items, both in ascending order of the ids.

    `user` and `item` are those of each row, `row` its number in the file; `users` are the ids of users.
    """

    user: Array
    item: Array
    row: Array
    users: Ids
    n_items: int

    @classmethod
    def of(cls, train: pl.DataFrame, items: Ids, indexed_items: tuple[pl.Series, Array]) -> TrainRows:
        """The rows of a frame with the columns `user`, `item` and `row`; `items` holds all of its items.

        `indexed_items` are the distinct items of train and the index of each row's item among them, as `indexed` gives them.
        """
        users, user = indexed(train["user"])
        distinct, item = indexed_items
        if len(distinct) < len(items):
            item = items.index_of(distinct)[item]
        return cls(user, item, train["row"].to_numpy(), Ids(users), len(items))

    @cached_property
    def rows_of_items(self) -> Array:
        """The number of rows of each item."""
        return np.bincount(self.item, minlength=self.n_items)

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """The index of the user and of the item of each distinct pair: those of the rows where no pair stands in several rows."""
        distinct = [keys[np.append(True, keys[1:] != keys[:-1])] for keys in self._sorted_blocks()]
        if sum(map(len, distinct)) == len(self.user):
            return self.user, self.item
        user, item = np.divmod(np.concatenate(distinct), self.n_items)
        return user, item

    def _sorted_blocks(self) -> Iterator[Array]:
        """The pairs of all rows as numbers in blocks, sorted in each; equal pairs are in one block."""
        borders = np.flatnonzero(self.user[1:] != self.user[:-1]) + 1
        apart = len(borders) >= len(self.users)
        # Where the rows of each user stand together a pair can only repeat among them: blocks of whole users stay in the cache.
        ends = [] if apart else borders[np.searchsorted(borders, np.arange(_BLOCK, len(self.user), _BLOCK))[:-1]].tolist()
        for start, end in pairwise(sorted({0, *ends, len(self.user)})):
            yield pl.Series(self.user[start:end] * self.n_items + self.item[start:end]).sort().to_numpy()

    @cached_property
    def users_of_items(self) -> Array:
        """The number of users of each item."""
        return np.bincount(self.pairs[1], minlength=self.n_items)

    @cached_property
    def first_row_of_items(self) -> Array:
        """The first row of each item, and the largest integer for items without any."""
        return first_rows(self.item, self.row, self.n_items)

    @cached_property
    def first_row_of_users(self) -> Array:
        """The first row of each user."""
        return first_rows(self.user, self.row, len(self.users))


def first_rows(index: Array, row: Array, n: int) -> Array:
    """The smallest `row` of each of `n` indexes, and the largest integer where there is none."""
    first = np.full(n, _LAST, dtype=np.int64)
    np.minimum.at(first, index, row.astype(np.int64))
    return first


def indexed(ids: pl.Series) -> tuple[pl.Series, Array]:
    """The distinct ids in ascending order, and the index of each of `ids` among them."""
    if ids.dtype.is_integer() and len(ids):
        least, most = int(str(ids.min())), int(str(ids.max()))
        if most - least < _SPARSEST * len(ids):
            offset = (ids - least if least else ids).to_numpy()
            there = np.zeros(most - least + 1, dtype=np.bool_)
            there[offset] = True
            distinct = pl.Series(np.flatnonzero(there) + least, dtype=ids.dtype)
            return distinct, offset if there.all() else (np.cumsum(there) - 1)[offset]
    distinct = ids.unique().sort()
    return distinct, Ids(distinct).index_of(ids)
