"""How many users of train have both items of a pair."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from msgspec import Struct, field

from .array import Array
from .prepared import Prepared
from .rows import starts_of

_MOST_PAIRS: Final = 8_000_000
"""So many pairs are remembered from one part to the next."""


class Cooccurrence(Struct, eq=False):
    """The pairs of train by item and by user, and the counts that were made already.

    `users` are the users of item i from `item_starts[i]` on, `items` the items of user u from `user_starts[u]` on.
    """

    users: Array
    item_starts: Array
    items: Array
    user_starts: Array
    n_items: int
    known: tuple[Array, Array] = field(default_factory=lambda: (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)))
    """The pairs that were counted before, as ascending numbers, and their counts."""

    def counts(self, first: Array, second: Array) -> Array:
        """For each pair of indexes of known items the number of train users who have both."""
        sizes = np.diff(self.item_starts)
        swap = (sizes[first] > sizes[second]) | ((sizes[first] == sizes[second]) & (first > second))
        rare, common = np.where(swap, second, first), np.where(swap, first, second)
        pairs, pair_of_row = np.unique(rare * self.n_items + common, return_inverse=True)
        return self._remembered(pairs)[pair_of_row]

    def _remembered(self, pairs: Array) -> Array:
        known, counts = self.known
        at = np.searchsorted(known, pairs)
        new = np.append(known, -1)[at] != pairs
        result = np.append(counts, 0)[at]
        result[new] = self._counted(pairs[new])
        if len(known) + int(new.sum()) > _MOST_PAIRS:
            self.known = (pairs, result)
        elif new.any():
            everything, everywhere = np.concatenate([known, pairs[new]]), np.concatenate([counts, result[new]])
            order = np.argsort(everything, kind="stable")
            self.known = (everything[order], everywhere[order])
        return result

    def _counted(self, pairs: Array) -> Array:
        """The counts of distinct ascending pairs: for each rarer item, how often its users have each of the other items."""
        rare, common = np.divmod(pairs, self.n_items)
        counts = np.zeros(len(pairs), dtype=np.int64)
        bounds = np.flatnonzero(np.concatenate([[True], rare[1:] != rare[:-1], [True]])) if len(pairs) else np.zeros(1, dtype=np.int64)
        position = np.full(self.n_items, -1, dtype=np.int64)
        for start, end in pairwise(bounds):
            position[common[start:end]] = np.arange(end - start)
            item = rare[start]
            users = self.users[self.item_starts[item] : self.item_starts[item + 1]]
            wanted = position[self._items_of(users)]
            counts[start:end] = np.bincount(wanted[wanted >= 0], minlength=end - start)
            position[common[start:end]] = -1
        return counts

    def _items_of(self, users: Array) -> Array:
        starts = self.user_starts[users]
        lengths = self.user_starts[users + 1] - starts
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        found: Array = self.items[np.repeat(starts, lengths) + within]
        return found


def cooccurrence(prepared: Prepared) -> Cooccurrence:
    """The co-occurrence of the items of train."""
    if "cooccurrence" not in prepared.memo:
        prepared.memo["cooccurrence"] = _of_train(prepared)
    made: Cooccurrence = prepared.memo["cooccurrence"]
    return made


def _of_train(prepared: Prepared) -> Cooccurrence:
    assert prepared.train_by_item is not None
    train = prepared.train_by_item
    n_items = len(prepared.items)
    user = train["user"].rank("dense").to_numpy().astype(np.int64) - 1
    pairs = np.unique(user * n_items + prepared.items.index_of(train["item"]))
    by_user, items = np.divmod(pairs, n_items)
    order = np.argsort(items, kind="stable")
    return Cooccurrence(by_user[order], starts_of(items[order], n_items), items, starts_of(by_user, int(user.max(initial=-1)) + 1), n_items)
