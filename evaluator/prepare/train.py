"""Train rows → how popular each item is, which pairs there are, and which users."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.ids import Ids

_SPARSEST = 8
_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class TrainRows:
    """The rows of train as indexes of users and items, both in ascending order of the ids.

    `user` and `item` are those of each row, `row` its number in the file; `users` are the ids of users.
    """

    user: Array
    item: Array
    row: Array
    users: Ids
    n_items: int

    @classmethod
    def of(cls, train: pl.DataFrame, items: Ids) -> TrainRows:
        """The rows of a frame with the columns `user`, `item` and `row`; `items` holds all of its items."""
        users, user = _indexed(train["user"])
        return cls(user, items.index_of(train["item"]), train["row"].to_numpy(), Ids(users), len(items))

    @cached_property
    def rows_of_items(self) -> Array:
        """The number of rows of each item."""
        return np.bincount(self.item, minlength=self.n_items)

    @cached_property
    def pairs(self) -> Array:
        """The distinct pairs in ascending order, each as user · (number of items) + item."""
        keys = pl.Series(self.user * self.n_items + self.item).sort().to_numpy()
        first = np.ones(len(keys), dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        return keys if first.all() else keys[first]

    @property
    def users_of_pairs(self) -> Array:
        """The index of the user of each distinct pair."""
        found: Array = self.pairs // self.n_items
        return found

    @property
    def items_of_pairs(self) -> Array:
        """The index of the item of each distinct pair."""
        found: Array = self.pairs % self.n_items
        return found

    @cached_property
    def users_of_items(self) -> Array:
        """The number of users of each item."""
        return self.rows_of_items if len(self.pairs) == len(self.item) else np.bincount(self.items_of_pairs, minlength=self.n_items)

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


def _indexed(ids: pl.Series) -> tuple[pl.Series, Array]:
    """The distinct ids in ascending order, and the index of each of `ids` among them."""
    if ids.dtype.is_integer() and len(ids):
        values = ids.to_numpy()
        least, most = int(values.min()), int(values.max())
        if most - least < _SPARSEST * len(values):
            there = np.zeros(most - least + 1, dtype=np.bool_)
            there[values - least] = True
            return pl.Series(np.flatnonzero(there) + least, dtype=ids.dtype), (np.cumsum(there) - 1)[values - least]
    distinct = ids.unique().sort()
    return distinct, Ids(distinct).index_of(ids)
