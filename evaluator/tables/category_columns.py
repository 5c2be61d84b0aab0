"""Categories of items, as columns of items and as one row for each category of the items of a table; and what is known of users."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from .array import Array
from .graph import table
from .groups import GroupBy
from .ids import Ids
from .part import PartData
from .prepared import Prepared, ProfileGroups, item_column
from .rows import starts_of

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
