"""Columns of items: how popular each is, its place among the others, whether it is in the tail, known, or popular, and its group.

Popularity is that of train unless a column says otherwise. Items that train does not hold have no place there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .array import Array
from .prepared import Prepared, item_column


@item_column("train_rows")
def train_rows(prepared: Prepared) -> Array:
    """The number of train rows of the item; 0 for an item that train does not hold."""
    return prepared.train_rows


@item_column("train_users")
def train_users(prepared: Prepared) -> Array:
    """The number of train users who have the item; 0 for an item that train does not hold."""
    if len(prepared.train_users) < len(prepared.items):
        raise ValueError("the train users of items were not counted")
    return prepared.train_users


def train_popularity(prepared: Prepared, count: str) -> Array:
    """How popular each item is in train: by its `users`, repeated rows counting once, or by its `rows`."""
    return train_rows(prepared) if count == "rows" else train_users(prepared)


@item_column("train_popularity")
def popularity_column(prepared: Prepared, count: str) -> Array:
    """`train_popularity` as a column; 0 for an item that train does not hold."""
    return train_popularity(prepared, count)


@item_column("known")
def known(prepared: Prepared, of: str) -> Array:
    """1 if train (`of` = `train`) or else the catalogue holds the item, otherwise 0."""
    return (prepared.in_train if of == "train" else prepared.in_catalogue).astype(np.int64)


@item_column("group")
def group(prepared: Prepared, column: str) -> Array:
    """The code of the item's group in a column of data.items; 0 for an item without one."""
    return prepared.item_groups[column]


@item_column("tail", otherwise=-1)
def tail(prepared: Prepared, ratio: float, border: str, untrained: str = "neither", count: str = "users") -> Array:
    """1 in the long tail, 0 in the short head, -1 for an item that train does not hold (`untrained` = `tail`: nor the catalogue).

    By `border` the head is the shortest run of the most popular items that hold at least (`reaches`) or more than (`exceeds`) the `ratio`
    of the popularity of all; or the tail is the `ratio` least popular items, at least one, and with a ratio above 1 the items of at most
    that popularity (`least_popular`). Popularity is counted in `users` or `rows` of train. Equally popular items are ordered by id.
    """
    column = np.full(len(prepared.items), -1.0)
    if untrained == "tail":
        column[prepared.in_catalogue] = 1.0
    trained = np.flatnonzero(prepared.in_train)
    column[trained] = _in_tail(train_popularity(prepared, count)[trained], ratio, border)
    return column


def _in_tail(popularity: Array, ratio: float, border: str) -> Array:
    if border == "least_popular" and ratio > 1:
        return popularity <= ratio
    inside = np.zeros(len(popularity), dtype=np.bool_)
    if border == "least_popular":
        inside[np.argsort(popularity, kind="stable")[: max(int(len(popularity) * ratio), 1)]] = True
        return inside
    order = np.argsort(-popularity, kind="stable")
    above = np.cumsum(popularity[order]) - popularity[order]
    share = float(popularity.sum()) * ratio
    inside[order] = above > share if border == "exceeds" else above >= share
    return inside


@item_column("dense_rank")
def dense_rank(prepared: Prepared, count: str) -> Array:
    """The rank by train `users` or `rows`, the most popular item first; equal items share theirs and no rank is left out.

    0 for an item that train does not hold.
    """
    column = np.zeros(len(prepared.items))
    _, column[prepared.in_train] = np.unique(-train_popularity(prepared, count)[prepared.in_train], return_inverse=True)
    column[prepared.in_train] += 1.0
    return column


@item_column("mean_rank")
def mean_rank(prepared: Prepared, by: str) -> Array:
    """The rank by train `rows` or `users`, the least popular item first, divided by the number of items of train.

    Equal items share the mean of their ranks; 0 for an item that train does not hold.
    """
    popularity = train_popularity(prepared, by)[prepared.in_train]
    _, level, size = np.unique(popularity, return_inverse=True, return_counts=True)
    column = np.zeros(len(prepared.items))
    column[prepared.in_train] = ((np.cumsum(size) - (size - 1) / 2.0) / max(len(popularity), 1))[level]
    return column


class Popularity(NamedTuple):
    """How popular items are in train, or in train and test together: `counts`, which items have any rows, and the order of first rows."""

    counts: Array
    held: Array
    first_row_order: Array
    n_users: float


def popularity_in(prepared: Prepared, source: str, count: str) -> Popularity:
    """The popularity of items by `users` or `rows` of `train`, or of `train_and_test` together; items of train come first there.

    `ValueError` if test was not counted.
    """
    first, counts = prepared.train_first, train_popularity(prepared, count)
    if source == "train":
        order = np.lexsort((first, ~prepared.in_train))
        return Popularity(counts, prepared.in_train, order, prepared.number("train_users"))
    if prepared.test_rows is None or prepared.test_new_users is None or prepared.test_first is None:
        raise ValueError("the rows of the test file were not counted by item")
    first = np.where(prepared.in_train, first, prepared.test_first)
    counts = counts + (prepared.test_rows if count == "rows" else prepared.test_new_users)
    return Popularity(counts, counts > 0, np.lexsort((first, ~prepared.in_train)), prepared.number("train_and_test_users"))


@item_column("pop")
def pop(prepared: Prepared, source: str, count: str) -> Array:
    """The `users` or `rows` of the item divided by the number of users, in `train` or in `train_and_test` together."""
    found = popularity_in(prepared, source, count)
    share: Array = found.counts / max(found.n_users, 1.0)
    return share


@item_column("popular")
def popular(prepared: Prepared, source: str, count: str, share: float, ties: str) -> Array:
    """1 for the round(`share`·N) most popular of the N items of `train`, or of `train_and_test` together, otherwise 0.

    Equal items stand in the order of their ids, or of their first rows in the files (`ties` = `first_row`).
    """
    found = popularity_in(prepared, source, count)
    order = found.first_row_order if ties == "first_row" else np.arange(len(found.counts))
    order = order[found.held[order]]
    order = order[np.argsort(-found.counts[order], kind="stable")]
    column = np.zeros(len(found.counts), dtype=np.int64)
    column[order[: round(len(order) * share)]] = 1
    return column
