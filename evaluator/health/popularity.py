"""Which lists are those of popularity: the items that train holds most often, in that order, equally popular ones in any order."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..tables.array import Array
from ..tables.hits import train_pairs
from ..tables.lists import Reading
from ..tables.part import PartData
from ..tables.prepared import Prepared
from ..tables.rows import within_users

_FIRST: Final = 10_000
"""So many rows are looked at before all of them: few models have a popular item at each place above a less popular one."""


def popular_lists(reading: Reading, part: PartData, prepared: Prepared) -> tuple[int, int, int]:
    """The number of lists; of those that are the most popular items; and of those that are the most popular of what the user has not seen.

    The last two are 0 if any list is not ordered by popularity.
    """
    listed = np.flatnonzero(np.diff(reading.starts))
    n_lists = len(listed)
    popularity = np.append(prepared.train_rows, 0)
    if not n_lists or reading.repeats or any(_rises(popularity, reading, n_rows) for n_rows in (_FIRST, len(reading))):
        return n_lists, 0, 0
    row = popularity[reading.item_index]
    least = np.zeros(part.n_users, dtype=row.dtype)
    least[listed] = row[reading.starts[listed + 1] - 1]
    n_above = np.bincount(reading.user[row > least[reading.user]], minlength=part.n_users)
    train = train_pairs(part)
    of_train = popularity[prepared.items.index_of(train.item)]
    n_seen_above = np.bincount(train.user[of_train > least[train.user]], minlength=part.n_users)
    n_seen = np.bincount(reading.user[part.lookup_of_train.find(reading.pairs)[0]], minlength=part.n_users)
    levels = np.sort(popularity[:-1])
    n_more_popular = len(levels) - np.searchsorted(levels, least, side="right")
    popular = n_above == n_more_popular
    unseen_popular = (n_seen == 0) & (n_above == n_more_popular - n_seen_above)
    return n_lists, int(popular[listed].sum()), int(unseen_popular[listed].sum())


def _rises(popularity: Array, reading: Reading, n_rows: int) -> bool:
    """Whether an item of the first rows of the lists stands below a less popular one."""
    row = popularity[reading.item_index[:n_rows]]
    return bool(within_users(row[1:] > row[:-1], reading.starts).any())
