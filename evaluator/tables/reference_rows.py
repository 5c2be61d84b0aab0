"""Truth, train and catalogue → reference lists: the best possible list, the popular items, and random items.

Items are indexes among the known items. Users are indexes too: 0, 1, … for those who get a list. The pairs that they have `seen` are
distinct.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Final

import polars as pl
from msgspec import Struct

from ..support.lazy import np
from .array import Array
from .prepared import Prepared
from .rows import in_order, number_rows

_PRIME: Final = 2**31 - 1
"""5 has no common factor with `_PRIME` - 1, so x → x^5 mod `_PRIME` is a permutation; products of two numbers stay below 2^63."""
_FEWEST_TURNS: Final = 6


def mix(numbers: Array, seed: int, purpose: str) -> Array:
    """Return a random-looking number below 2^31, a different one for each integer below 2^31 - 1: two rounds of x → (x + c)^5."""
    made = numbers.astype(np.int64)
    for turn in range(2):
        made = (made + _constant(seed, f"{purpose} {turn}")) % _PRIME
        square = made * made % _PRIME
        made = square * square % _PRIME * made % _PRIME
    return made


class Shuffle(Struct, frozen=True):
    """A Feistel network: a number is a field of a grid of `rows` × `columns`, which is moved along its row and its column in turn.

    The step depends on the other coordinate, as x · factor + shift mod a prime, with keys of the user: so two fields that differ in it move
    independently, and every turn can be undone. Few turns are enough for any two fields to land anywhere with nearly equal probability;
    small grids need more.
    """

    rows: int
    columns: int
    seed: int

    @classmethod
    def for_size(cls, size: int, seed: int) -> Shuffle:
        """Return the shuffle of a nearly square grid with at least `size` fields, and few more."""
        side = math.isqrt(max(size, 1) - 1) + 1
        sides = range(max(2, side), max(1, side // 2), -1)
        rows = min(sides, key=lambda rows: rows * -(-size // rows))
        return cls(rows, max(1, -(-size // rows)), seed)

    @property
    def size(self) -> int:
        """Number of fields of the grid."""
        return self.rows * self.columns

    def keys(self, users: Array) -> UserKeys:
        """Return the keys of users, given the index of each among all users."""
        return UserKeys(mix(users, self.seed, "factor"), mix(users, self.seed, "shift"))

    def positions(self, numbers: Array, keys: UserKeys) -> Array:
        """Return the position of each number, from 0; `keys` has the keys of each number's user."""
        return self._move(numbers, keys, range(self._n_turns), undo=False)

    def numbers(self, positions: Array, keys: UserKeys) -> Array:
        """Return the number at each position: the inverse of `positions`."""
        return self._move(positions, keys, range(self._n_turns)[::-1], undo=True)

    @property
    def _n_turns(self) -> int:
        return max(_FEWEST_TURNS, 2 + math.ceil(20 / math.log2(min(self.rows, max(2, self.columns)))))

    def _move(self, fields: Array, keys: UserKeys, turns: Sequence[int], undo: bool) -> Array:
        row, column = np.divmod(fields, self.columns)
        for turn in turns:
            if turn % 2:
                row = (row + self._step(column, keys, turn, self.rows, undo)) % self.rows
            else:
                column = (column + self._step(row, keys, turn, self.columns, undo)) % self.columns
        moved: Array = row * self.columns + column
        return moved

    def _step(self, across: Array, keys: UserKeys, turn: int, length: int, undo: bool) -> Array:
        """Return the steps of fields along rows or columns of this `length`."""
        a, b, c = (_constant(self.seed, f"turn {turn} {part}") for part in "abc")
        factor = (keys.factor * a + b) % _PRIME
        step: Array = (across * factor + (keys.shift + c)) % _PRIME % length
        return length - step if undo else step


class UserKeys(Struct, frozen=True, eq=False):
    """Two numbers of each user on which a shuffle depends."""

    factor: Array
    shift: Array

    def take(self, index: Array) -> UserKeys:
        """Return the keys of the users at `index`."""
        return UserKeys(self.factor[index], self.shift[index])

    @property
    def columns(self) -> UserKeys:
        """The same keys as columns, for one row of numbers per user."""
        return UserKeys(self.factor[:, None], self.shift[:, None])


def _constant(seed: int, purpose: str) -> int:
    """Return a number from 1 to `_PRIME` - 1."""
    digest = hashlib.sha256(f"{seed} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (_PRIME - 1) + 1


class SeenItems(Struct, frozen=True, eq=False):
    """The train pairs of `n_users` users: the `user` and the `item` of each, -1 for an unknown item."""

    user: Array
    item: Array
    n_users: int

    @classmethod
    def empty(cls, n_users: int) -> SeenItems:
        """Return an object without pairs."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), n_users)

    @property
    def counts(self) -> Array:
        """Number of pairs of each user."""
        return np.bincount(self.user, minlength=self.n_users)

    def positions(self, position_of_item: Array, depth: int) -> tuple[Array, Array]:
        """Return the user and the position (from 1) of every seen item that has one, ordered by both.

        Positions after `depth` + the number of items that the user has seen are left out: none of them is among the first `depth` free
        positions.
        """
        position = position_of_item[self.item]
        return _within_reach(self.user, position, self.counts, depth)


def _within_reach(user: Array, position: Array, n_seen: Array, depth: int) -> tuple[Array, Array]:
    rows = np.flatnonzero((position > 0) & (position <= n_seen[user] + depth))
    rows = rows[np.lexsort((position[rows], user[rows]))]
    return user[rows], position[rows]


class ReferenceRows(Struct, frozen=True, eq=False):
    """Rows of lists: the user and the item of each; those of a user are together, in the order of the list."""

    user: Array
    item: Array


def best_rows(user: Array, item: pl.Series, gain: Array, depth: int | None) -> Array:
    """Return the rows of the oracle's list, given the relevant items: highest gain first, then smallest id; at most `depth` per user."""
    order = in_order(user, [(gain, True), (item, False)])
    if depth is None or not len(order):
        return order
    return order[number_rows(user[order], int(user.max()) + 1) <= depth]


def popular_items(prepared: Prepared) -> Array:
    """Return the items of train, most rows first, then smallest id."""
    if "popular_items" not in prepared.memo:
        items = np.flatnonzero(prepared.in_train)
        prepared.memo["popular_items"] = items[np.argsort(-prepared.train_rows[items], kind="stable")]
    items_by_popularity: Array = prepared.memo["popular_items"]
    return items_by_popularity


def popular_positions(prepared: Prepared) -> Array:
    """Return the position of each item in `popular_items`, from 1; 0 for items that are not in train and, at the end, for unknown ones."""
    if "popular_positions" not in prepared.memo:
        prepared.memo["popular_positions"] = _positions(popular_items(prepared), len(prepared.items))
    ranks: Array = prepared.memo["popular_positions"]
    return ranks


def _positions(items: Array, n_items: int) -> Array:
    ranks = np.zeros(n_items + 1, dtype=np.int64)
    ranks[items] = np.arange(1, len(items) + 1)
    return ranks


def popular_rows(prepared: Prepared, seen: SeenItems, depth: int) -> ReferenceRows:
    """Return the list of each user: the items of train, most rows first, then smallest id, without the items that the user has `seen`.

    It is shorter than `depth` only if there are no more items.
    """
    items = popular_items(prepared)
    user, position = seen.positions(popular_positions(prepared), depth)
    free = free_positions(user, position, seen.n_users, min(depth, len(items)))
    made = free <= len(items)
    return ReferenceRows(np.nonzero(made)[0], items[free[made] - 1])


def popular_lengths(prepared: Prepared, seen: SeenItems, depth: int) -> Array:
    """Return the lengths of the lists of `popular_rows`."""
    n_items = len(popular_items(prepared))
    known = popular_positions(prepared)[seen.item] > 0
    return np.minimum(n_items - np.bincount(seen.user[known], minlength=seen.n_users), depth)


def popular_ranks(prepared: Prepared, user: Array, item: Array, seen: SeenItems, depth: int | None) -> Array:
    """Return the rank of pairs in the lists of `popular_rows`, without building the lists; 0 for pairs that are not in them.

    The rank is the position of the item among all items, minus the number of seen items above it. The pairs must not be `seen`.
    """
    positions = popular_positions(prepared)
    position, taken = positions[item], positions[seen.item]
    step = len(positions)
    keys = np.sort((seen.user * step + taken)[taken > 0])
    above = np.searchsorted(keys, user * step + position) - np.searchsorted(keys, user * step)
    rank = position - above
    in_list = position > 0 if depth is None else (position > 0) & (rank <= depth)
    return np.where(in_list, rank, 0)


def random_rows(prepared: Prepared, users: Array, seen: SeenItems, depth: int, seed: int) -> ReferenceRows:
    """Return the list of each user: items of the catalogue in random order, without the items that the user has `seen`.

    `users` are the indexes of the users among all users of the test file. The same users, catalogue and seed give the same lists. A list is
    shorter than `depth` only if there are no more items.

    Items are numbered in an order drawn from the seed, and each user has an own `Shuffle` of the numbers; numbers without an item and seen
    items are skipped. So every item is equally likely at each rank, and every two items at each two ranks, as far as arithmetic with two
    keys of 31 bits per user allows: a test counts them. Users may have the same list if the catalogue has few orders.
    """
    items = _numbered_items(prepared, seed)
    size, n_users = len(items), seen.n_users
    shuffle = Shuffle.for_size(size, seed)
    keys = shuffle.keys(users)
    n_spare = shuffle.size - size
    spare = shuffle.positions(np.arange(size, shuffle.size)[None, :], keys.columns).reshape(-1)
    number = _positions(items, len(prepared.items))[seen.item] - 1
    known = np.flatnonzero(number >= 0)
    position = np.concatenate([spare, shuffle.positions(number[known], keys.take(seen.user[known]))]) + 1
    user = np.concatenate([np.repeat(np.arange(n_users), n_spare), seen.user[known]])
    free = free_positions(*_within_reach(user, position, seen.counts, depth + n_spare), n_users, min(depth, size))
    made = free <= shuffle.size
    listed = np.nonzero(made)[0]
    return ReferenceRows(listed, items[shuffle.numbers(free[made] - 1, keys.take(listed))])


def _numbered_items(prepared: Prepared, seed: int) -> Array:
    """Return the items of the catalogue in an order drawn from the seed, so that items with neighbouring ids are not neighbours."""
    key = ("numbered_items", seed)
    if key not in prepared.memo:
        items = np.flatnonzero(prepared.in_catalogue)
        prepared.memo[key] = items[np.argsort(mix(np.arange(len(items)), seed, "items"), kind="stable")]
    items_in_order: Array = prepared.memo[key]
    return items_in_order


def free_positions(user: Array, position: Array, n_users: int, depth: int) -> Array:
    """Return for each of `n_users` users and each rank r up to `depth` the r-th position that is not taken.

    The taken positions (`user`, `position`) are ordered by both. Above the j-th taken position p there are p - j free ones, so all ranks
    after p - j move down by one.
    """
    after = position - number_rows(user, n_users)
    moves = after < depth
    n_moved = np.bincount(user[moves] * depth + after[moves], minlength=n_users * depth).reshape(n_users, depth)
    return np.arange(1, depth + 1) + np.cumsum(n_moved, axis=1)
