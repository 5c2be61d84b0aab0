"""Truth, train and catalogue → lists to measure models by: the best possible one, the popular items, a random one.

Items are indexes among those that are known before. Users are indexes too, those who get a list being 0, 1, …; the pairs that they
have `seen` stand once.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from .array import Array
from .prepared import Prepared
from .rows import in_order, numbered

_PRIME: Final = 2**31 - 1
"""5 has no common factor with `_PRIME` - 1, so that x → x^5 mod `_PRIME` is a permutation; products of two numbers stay below 2^63."""
_FEWEST_TURNS: Final = 6


def mixed(numbers: Array, seed: int, purpose: str) -> Array:
    """A number below 2^31 that looks random, another one for each whole number below 2^31 - 1: two rounds of x → (x + c)^5."""
    made = numbers.astype(np.int64)
    for turn in range(2):
        made = (made + _constant(seed, f"{purpose} {turn}")) % _PRIME
        square = made * made % _PRIME
        made = square * square % _PRIME * made % _PRIME
    return made


class Shuffle(Struct, frozen=True):
    """A Feistel network: a number is a field of a grid of `rows` × `columns`, in turn moved along its row and its column.

    How far depends on where it stands across, as x · factor + shift mod a prime says, with keys of the user: so two fields that differ
    across move independently, and every turn can be undone. Few turns let any two fields land anywhere with near equal chance;
    small grids need more of them.
    """

    rows: int
    columns: int
    seed: int

    @classmethod
    def of(cls, size: int, seed: int) -> Shuffle:
        """The shuffle of a grid with at least `size` fields, few more, and near a square."""
        side = math.isqrt(max(size, 1) - 1) + 1
        sides = range(max(2, side), max(1, side // 2), -1)
        rows = min(sides, key=lambda rows: rows * -(-size // rows))
        return cls(rows, max(1, -(-size // rows)), seed)

    @property
    def size(self) -> int:
        """How many numbers are shuffled."""
        return self.rows * self.columns

    def keys(self, users: Array) -> UserKeys:
        """The keys of users, given the index of each among all users."""
        return UserKeys(mixed(users, self.seed, "factor"), mixed(users, self.seed, "shift"))

    def places(self, numbers: Array, keys: UserKeys) -> Array:
        """The place of each number, from 0; `keys` has those of the user of each number."""
        return self._moved(numbers, keys, range(self._n_turns), undo=False)

    def numbers(self, places: Array, keys: UserKeys) -> Array:
        """The number at each place: `places` undone."""
        return self._moved(places, keys, range(self._n_turns)[::-1], undo=True)

    @property
    def _n_turns(self) -> int:
        return max(_FEWEST_TURNS, 2 + math.ceil(20 / math.log2(min(self.rows, max(2, self.columns)))))

    def _moved(self, fields: Array, keys: UserKeys, turns: Sequence[int], undo: bool) -> Array:
        row, column = np.divmod(fields, self.columns)
        for turn in turns:
            if turn % 2:
                row = (row + self._step(column, keys, turn, self.rows, undo)) % self.rows
            else:
                column = (column + self._step(row, keys, turn, self.columns, undo)) % self.columns
        moved: Array = row * self.columns + column
        return moved

    def _step(self, across: Array, keys: UserKeys, turn: int, length: int, undo: bool) -> Array:
        """How far fields move along rows or columns of some `length`."""
        a, b, c = (_constant(self.seed, f"turn {turn} {part}") for part in "abc")
        factor = (keys.factor * a + b) % _PRIME
        step: Array = (across * factor + (keys.shift + c)) % _PRIME % length
        return length - step if undo else step


class UserKeys(Struct, frozen=True, eq=False):
    """Two numbers of each user that a shuffle depends on."""

    factor: Array
    shift: Array

    def take(self, index: Array) -> UserKeys:
        """The keys of the users at `index`."""
        return UserKeys(self.factor[index], self.shift[index])

    @property
    def columns(self) -> UserKeys:
        """The same as columns, for one row of numbers a user."""
        return UserKeys(self.factor[:, None], self.shift[:, None])


def _constant(seed: int, purpose: str) -> int:
    """A number of 1 … `_PRIME` - 1."""
    digest = hashlib.sha256(f"{seed} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (_PRIME - 1) + 1


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
