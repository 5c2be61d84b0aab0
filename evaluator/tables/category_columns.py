"""Categories of items: as columns of items, and as one row for each category of the items of a table."""

from __future__ import annotations

from typing import Final

import numpy as np

from .array import Array
from .prepared import Prepared, item_column
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
