"""Columns of items: popularity and what follows from it, and categories, also as one row for each category of an item.

Popularity is that of train unless a column says otherwise. Items that train does not hold have no place there.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..lazy import pl
from .array import Array
from .graph import table
from .ids import Ids
from .prepared import GroupBy, Prepared, ProfileGroups, item_column
from .rows import PartData, starts_of

MOST_BITS: Final = 62
"""So many categories fit as bits into one integer."""


def category_starts(prepared: Prepared) -> Array:
    """Where the categories of each item begin, and their number at the end."""
    if "category_starts" not in prepared.memo:
        prepared.memo["category_starts"] = starts_of(prepared.category_item, len(prepared.items))
    starts: Array = prepared.memo["category_starts"]
    return starts


def categories_of(prepared: Prepared, item_index: Array) -> tuple[Array, Array]:
    """One pair for each category of each of the items, those of an item together: the position in `item_index`, and the code.

    Items that are not known (-1) have no categories.
    """
    starts = category_starts(prepared)
    counts = np.append(np.diff(starts), 0)[item_index]
    position = np.repeat(np.arange(len(item_index)), counts)
    within = np.arange(len(position)) - np.repeat(np.cumsum(counts) - counts, counts)
    code: Array = prepared.category_code[starts[item_index[position]] + within]
    return position, code


@item_column("n_categories")
def n_categories(prepared: Prepared) -> Array:
    """How many categories the item has."""
    return np.diff(category_starts(prepared))


@item_column("category")
def category(prepared: Prepared, code: int) -> Array:
    """1 for the items that have the category of that code, else 0."""
    column = np.zeros(len(prepared.items), dtype=np.int64)
    column[prepared.category_item[prepared.category_code == code]] = 1
    return column


@item_column("kind")
def kind(prepared: Prepared) -> Array:
    """The set of the item's categories as bits, category 1 being the lowest; there must be at most `MOST_BITS` categories."""
    sets = np.zeros(len(prepared.items), dtype=np.int64)
    np.bitwise_or.at(sets, prepared.category_item, np.left_shift(np.int64(1), prepared.category_code.astype(np.int64) - 1))
    return sets


@item_column("kind_number", otherwise=-1)
def kind_number(prepared: Prepared) -> Array:
    """The index of the set of the item's categories among `category_sets`, -1 for items without categories."""
    sets = np.asarray(prepared.category_sets, dtype=np.int64)
    own, order = kind(prepared), np.argsort(sets)
    at = order[np.minimum(np.searchsorted(sets, own, sorter=order), len(sets) - 1)]
    return np.where(sets[at] == own, at, -1)


@table("user_group", uses=("part", "prepared"), params=("column",))
def user_group(part: PartData, prepared: Prepared, column: str) -> Array:
    """The code of each user's group in a column of data.users; 0 for a user without one."""
    return _codes_of(prepared.group_users[column], prepared.user_groups[column], part.users)


@table("popularity_group", uses=("part", "prepared"), params=("source", "unit", "share", "ties", "shares"))
def popularity_group(part: PartData, prepared: Prepared, source: str, unit: str, share: float, ties: str, shares: str) -> Array:
    """The number of each user's group, users being ordered by the share of popular items in their train items; 0 for others."""
    users, codes = prepared.profile_groups[ProfileGroups(source, unit, share, ties, shares)]
    return _codes_of(users, codes, part.users)


def _codes_of(known: Ids, codes: Array, users: pl.Series) -> Array:
    """The code of each of `users`, 0 for those who are not known."""
    codes_of_users: Array = np.append(codes, 0)[known.index_of(users)]
    return codes_of_users


def user_codes(by: GroupBy, part: PartData, prepared: Prepared) -> Array:
    """The code of each user's group, from 1 in the order of the groups; 0 for a user of whom data.users does not say the group."""
    if by.kind == "users":
        membership = prepared.memberships[by]
        return _codes_of(membership.ids, membership.code, part.users)
    n_train = part.rows("train").counts
    if by.kind == "cold":
        return np.where(n_train > 0, 2, 1)
    return np.searchsorted(np.asarray(by.borders), n_train, "right") + 1


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
