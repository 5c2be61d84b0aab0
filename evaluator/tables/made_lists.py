"""Truth, train and catalogue → lists to measure models by: the best possible one, the popular items, a random one.

Items are indexes among those that are known before. Users are indexes too, those who get a list being 0, 1, …; the pairs that they
have `seen` stand once.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from msgspec import Struct

from .array import Array
from .prepared import Prepared
from .rows import in_order, numbered
from .shuffles import Shuffle, mixed


class SeenItems(Struct, frozen=True, eq=False):
    """The pairs of train of `n_users` users: the `user` and the `item` of each, -1 for an item that is not known."""

    user: Array
    item: Array
    n_users: int

    @classmethod
    def nothing(cls, n_users: int) -> SeenItems:
        """No pairs."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), n_users)

    @property
    def counts(self) -> Array:
        """How many pairs each user has."""
        return np.bincount(self.user, minlength=self.n_users)

    def places(self, place_of_item: Array, depth: int) -> tuple[Array, Array]:
        """The user and the place (from 1) of every seen item that has one, ordered by both.

        Left out are places below `depth` + the number of items that the user has seen: no place further down is among the first `depth`
        that are free.
        """
        place = place_of_item[self.item]
        return _within_reach(self.user, place, self.counts, depth)


def _within_reach(user: Array, place: Array, n_seen: Array, depth: int) -> tuple[Array, Array]:
    rows = np.flatnonzero((place > 0) & (place <= n_seen[user] + depth))
    rows = rows[np.lexsort((place[rows], user[rows]))]
    return user[rows], place[rows]


class MadeRows(Struct, frozen=True, eq=False):
    """Rows of lists, those of a user together and in the order of the list: the user and the item of each."""

    user: Array
    item: Array


def best_rows(user: Array, item: pl.Series, gain: Array, depth: int | None) -> Array:
    """The rows of the list of an oracle, given the relevant items: highest gain first, then smallest item id; at most `depth` of a user."""
    order = in_order(user, [(gain, True), (item, False)])
    if depth is None or not len(order):
        return order
    return order[numbered(user[order], int(user.max()) + 1) <= depth]


def popular_items(prepared: Prepared) -> Array:
    """The items of train, most rows first, then smallest id."""
    if "popular_items" not in prepared.memo:
        items = np.flatnonzero(prepared.in_train)
        prepared.memo["popular_items"] = items[np.argsort(-prepared.train_rows[items], kind="stable")]
    items_by_popularity: Array = prepared.memo["popular_items"]
    return items_by_popularity


def popular_places(prepared: Prepared) -> Array:
    """For each item its place among `popular_items`, from 1; 0 for one that train does not hold, and at the end for one not known."""
    if "popular_places" not in prepared.memo:
        prepared.memo["popular_places"] = _places(popular_items(prepared), len(prepared.items))
    ranks: Array = prepared.memo["popular_places"]
    return ranks


def _places(items: Array, n_items: int) -> Array:
    ranks = np.zeros(n_items + 1, dtype=np.int64)
    ranks[items] = np.arange(1, len(items) + 1)
    return ranks


def popular_rows(prepared: Prepared, seen: SeenItems, depth: int) -> MadeRows:
    """The list of each user: the items of train, most rows first, then smallest id, without what the user has `seen`.

    Shorter than `depth` only where there are no more items.
    """
    items = popular_items(prepared)
    user, place = seen.places(popular_places(prepared), depth)
    free = free_places(user, place, seen.n_users, min(depth, len(items)))
    made = free <= len(items)
    return MadeRows(np.nonzero(made)[0], items[free[made] - 1])


def popular_lengths(prepared: Prepared, seen: SeenItems, depth: int) -> Array:
    """How long the lists of `popular_rows` are."""
    n_items = len(popular_items(prepared))
    known = popular_places(prepared)[seen.item] > 0
    return np.minimum(n_items - np.bincount(seen.user[known], minlength=seen.n_users), depth)


def popular_ranks(prepared: Prepared, user: Array, item: Array, seen: SeenItems, depth: int | None) -> Array:
    """The rank of pairs in their users' lists of `popular_rows`, without making the lists; 0 for those that are not in it.

    The rank is the place of the item among all items, less the seen items with a smaller place. The pairs must not be `seen`.
    """
    places = popular_places(prepared)
    place, taken = places[item], places[seen.item]
    step = len(places)
    keys = np.sort((seen.user * step + taken)[taken > 0])
    above = np.searchsorted(keys, user * step + place) - np.searchsorted(keys, user * step)
    rank = place - above
    in_list = place > 0 if depth is None else (place > 0) & (rank <= depth)
    return np.where(in_list, rank, 0)


def random_rows(prepared: Prepared, users: Array, seen: SeenItems, depth: int, seed: int) -> MadeRows:
    """The list of each user: items of the catalogue in random order, without what the user has `seen`.

    `users` are the indexes of the users among all users of the test file. The same for the same users, catalogue and seed. Shorter than
    `depth` only where there are no more items.

    Items are numbered in an order drawn from the seed, and each user has a `Shuffle` of the numbers of their own; numbers that
    no item has and seen items are passed over. So every item is equally likely at each rank, and every two items at each two
    ranks, as far as arithmetic with two keys of 31 bits a user can do it: a test counts them. Lists of several users may be
    the same where the catalogue has few orders.
    """
    items = _numbered_items(prepared, seed)
    size, n_users = len(items), seen.n_users
    shuffle = Shuffle.of(size, seed)
    keys = shuffle.keys(users)
    n_spare = shuffle.size - size
    spare = shuffle.places(np.arange(size, shuffle.size)[None, :], keys.columns).reshape(-1)
    number = _places(items, len(prepared.items))[seen.item] - 1
    known = np.flatnonzero(number >= 0)
    place = np.concatenate([spare, shuffle.places(number[known], keys.take(seen.user[known]))]) + 1
    user = np.concatenate([np.repeat(np.arange(n_users), n_spare), seen.user[known]])
    free = free_places(*_within_reach(user, place, seen.counts, depth + n_spare), n_users, min(depth, size))
    made = free <= shuffle.size
    listed = np.nonzero(made)[0]
    return MadeRows(listed, items[shuffle.numbers(free[made] - 1, keys.take(listed))])


def _numbered_items(prepared: Prepared, seed: int) -> Array:
    """The items of the catalogue in an order drawn from the seed, so that ids that are neighbours are not next to each other."""
    key = ("numbered_items", seed)
    if key not in prepared.memo:
        items = np.flatnonzero(prepared.in_catalogue)
        prepared.memo[key] = items[np.argsort(mixed(np.arange(len(items)), seed, "items"), kind="stable")]
    items_in_order: Array = prepared.memo[key]
    return items_in_order


def free_places(user: Array, place: Array, n_users: int, depth: int) -> Array:
    """For each of `n_users` users, and each rank up to `depth`, the place that has so many places up to it that are not taken.

    The taken places (`user`, `place`) are ordered by both. Above the j-th taken place p are p - j free ones, so that all ranks
    after p - j move down by one place.
    """
    after = place - numbered(user, n_users)
    moves = after < depth
    n_moved = np.bincount(user[moves] * depth + after[moves], minlength=n_users * depth).reshape(n_users, depth)
    return np.arange(1, depth + 1) + np.cumsum(n_moved, axis=1)
