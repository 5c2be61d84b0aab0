"""Columns of items: popularity and values that follow from it, and categories.

Popularity is counted in train unless a column says otherwise. Items that are not in train have no rank.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..support.lazy import np, pl
from .array import Array
from .graph import table
from .ids import Ids
from .prepared import GroupBy, Prepared, ProfileGroups, item_column
from .rows import PartData, starts_of

MOST_BITS: Final = 62
"""Most categories that fit as bits into one integer."""


def category_starts(prepared: Prepared) -> Array:
    """Return the start of each item's categories in `category_code`, and the number of all at the end."""
    if "category_starts" not in prepared.memo:
        prepared.memo["category_starts"] = starts_of(prepared.category_item, len(prepared.items))
    starts: Array = prepared.memo["category_starts"]
    return starts


def categories_of(prepared: Prepared, item_index: Array) -> tuple[Array, Array]:
    """Return one entry for each category of each of the items: the position in `item_index` and the code; those of an item are together.

    Unknown items (-1) have no categories.
    """
    starts = category_starts(prepared)
    counts = np.append(np.diff(starts), 0)[item_index]
    position = np.repeat(np.arange(len(item_index)), counts)
    within = np.arange(len(position)) - np.repeat(np.cumsum(counts) - counts, counts)
    code: Array = prepared.category_code[starts[item_index[position]] + within]
    return position, code


@item_column("n_categories")
def n_categories(prepared: Prepared) -> Array:
    """Return the number of categories of each item."""
    return np.diff(category_starts(prepared))


@item_column("category")
def category(prepared: Prepared, code: int) -> Array:
    """Return 1 for items that have the category with this code, else 0."""
    column = np.zeros(len(prepared.items), dtype=np.int64)
    column[prepared.category_item[prepared.category_code == code]] = 1
    return column


@item_column("kind")
def kind(prepared: Prepared) -> Array:
    """Return each item's set of categories as bits, category 1 being the lowest; there must be at most `MOST_BITS` categories."""
    sets = np.zeros(len(prepared.items), dtype=np.int64)
    np.bitwise_or.at(sets, prepared.category_item, np.left_shift(np.int64(1), prepared.category_code.astype(np.int64) - 1))
    return sets


@item_column("kind_number", otherwise=-1)
def kind_number(prepared: Prepared) -> Array:
    """Return the index of each item's set of categories in `category_sets`, -1 for items without categories."""
    sets = np.asarray(prepared.category_sets, dtype=np.int64)
    own, order = kind(prepared), np.argsort(sets)
    at = order[np.minimum(np.searchsorted(sets, own, sorter=order), len(sets) - 1)]
    return np.where(sets[at] == own, at, -1)


@table("user_group", uses=("part", "prepared"), params=("column",))
def user_group(part: PartData, prepared: Prepared, column: str) -> Array:
    """Return the code of each user's group in a column of data.users; 0 for a user without one."""
    return _codes_of(prepared.group_users[column], prepared.user_groups[column], part.users)


@table("popularity_group", uses=("part", "prepared"), params=("source", "unit", "share", "ties", "shares"))
def popularity_group(part: PartData, prepared: Prepared, source: str, unit: str, share: float, ties: str, shares: str) -> Array:
    """Return the number of each user's group; users are grouped by the share of popular items among their train items, 0 for others."""
    users, codes = prepared.profile_groups[ProfileGroups(source, unit, share, ties, shares)]
    return _codes_of(users, codes, part.users)


def _codes_of(known: Ids, codes: Array, users: pl.Series) -> Array:
    """Return the code of each of `users`, 0 for unknown users."""
    codes_of_users: Array = np.append(codes, 0)[known.index_of(users)]
    return codes_of_users


def user_codes(by: GroupBy, part: PartData, prepared: Prepared) -> Array:
    """Return the code of each user's group, from 1 in the order of the groups; 0 for a user without a group in data.users.

    Of crossed groupings it is the sum of the parts that groupings of users add to the code of a combination.
    """
    if by.parts:
        codes = np.zeros(part.n_users, dtype=np.int64)
        for grouping, weight in prepared.code_weights(by):
            codes += weight * user_codes(grouping, part, prepared)
        return codes
    if by.groups_relevant:
        return np.zeros(part.n_users, dtype=np.int64)
    if by.kind == "users" or by.is_of_profiles:
        membership = prepared.memberships[by]
        return _codes_of(membership.ids, membership.code_of_ids(), part.users)
    n_train = part.rows("train").counts
    if by.kind == "cold":
        return np.where(n_train > 0, 2, 1)
    return np.searchsorted(np.asarray(by.borders), n_train, "right") + 1


@item_column("train_rows")
def train_rows(prepared: Prepared) -> Array:
    """Return the number of train rows of each item; 0 for items that are not in train."""
    return prepared.train_rows


@item_column("train_users")
def train_users(prepared: Prepared) -> Array:
    """Return the number of train users of each item; 0 for items that are not in train."""
    if len(prepared.train_users) < len(prepared.items):
        raise ValueError("the train users of items were not counted")
    return prepared.train_users


def train_popularity(prepared: Prepared, count: str) -> Array:
    """Return how popular each item is in train: its number of `users`, where duplicates count once, or of `rows`."""
    return train_rows(prepared) if count == "rows" else train_users(prepared)


@item_column("train_popularity")
def popularity_column(prepared: Prepared, count: str) -> Array:
    """Return `train_popularity` as a column; 0 for items that are not in train."""
    return train_popularity(prepared, count)


@item_column("is_known")
def is_known(prepared: Prepared, of: str) -> Array:
    """Return 1 for items in train (`of` = `train`), in the catalogue, or in one of the two (`either`), otherwise 0."""
    known = {"train": prepared.in_train, "catalogue": prepared.in_catalogue, "either": prepared.in_train | prepared.in_catalogue}[of]
    return known.astype(np.int64)


@item_column("group")
def group(prepared: Prepared, column: str) -> Array:
    """Return the code of each item's group in a column of data.items; 0 for an item without one."""
    return prepared.item_groups[column]


@item_column("tail", otherwise=-1)
def tail(prepared: Prepared, ratio: float, border: str, untrained: str = "neither", count: str = "users") -> Array:
    """Return 1 in the long tail, 0 in the short head, -1 for items that are not in train (`untrained` = `tail`: nor in the catalogue).

    By `border` the head is the smallest number of most popular items with at least (`reaches`) or more than (`exceeds`) the share `ratio`
    of the popularity of all; or the tail is the least popular share `ratio` of the items, at least one, and with a ratio above 1 the items
    with at most that popularity (`least_popular`). Popularity is counted in `users` or `rows` of train. Ties are sorted by id.
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
    """Return the rank by train `users` or `rows`, the most popular item first; ties share a rank and no rank is left out.

    0 for items that are not in train.
    """
    column = np.zeros(len(prepared.items))
    _, column[prepared.in_train] = np.unique(-train_popularity(prepared, count)[prepared.in_train], return_inverse=True)
    column[prepared.in_train] += 1.0
    return column


@item_column("mean_rank")
def mean_rank(prepared: Prepared, by: str) -> Array:
    """Return the rank by train `rows` or `users`, the least popular item first, divided by the number of items of train.

    Ties share the mean of their ranks; 0 for items that are not in train.
    """
    popularity = train_popularity(prepared, by)[prepared.in_train]
    _, level, size = np.unique(popularity, return_inverse=True, return_counts=True)
    column = np.zeros(len(prepared.items))
    column[prepared.in_train] = ((np.cumsum(size) - (size - 1) / 2.0) / max(len(popularity), 1))[level]
    return column


class Popularity(NamedTuple):
    """Popularity of items in train, or in train and test together: `counts`, the mask of items with rows, and the order of first rows."""

    counts: Array
    held: Array
    first_row_order: Array
    n_users: float


def popularity_in(prepared: Prepared, source: str, count: str) -> Popularity:
    """Return the popularity of items by `users` or `rows` of `train`, or of `train_and_test` together, where items of train come first.

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
    """Return the `users` or `rows` of each item divided by the number of users, in `train` or in `train_and_test` together."""
    found = popularity_in(prepared, source, count)
    share: Array = found.counts / max(found.n_users, 1.0)
    return share


@item_column("popular")
def popular(prepared: Prepared, source: str, count: str, share: float, ties: str) -> Array:
    """Return 1 for the round(`share`·N) most popular of the N items of `train`, or of `train_and_test` together, otherwise 0.

    Ties are sorted by id, or by first row in the files (`ties` = `first_row`).
    """
    found = popularity_in(prepared, source, count)
    order = found.first_row_order if ties == "first_row" else np.arange(len(found.counts))
    order = order[found.held[order]]
    order = order[np.argsort(-found.counts[order], kind="stable")]
    column = np.zeros(len(found.counts), dtype=np.int64)
    column[order[: round(len(order) * share)]] = 1
    return column
