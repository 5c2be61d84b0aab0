"""Distinct ids, and pairs of user and item as one number each: look up those of one table in another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from msgspec import Struct

from ..support.lazy import np, pl
from .array import Array, blocks

_SPARSEST: Final = 8
"""Integer ids are looked up in a plain array if it is at most about this many times as long as there are ids."""


def gather(values: pl.Series, index: Array) -> pl.Series:
    """Return the values at `index`; NumPy takes integers, because Polars waits longer for its threads than it works on a few thousand."""
    if values.dtype.is_integer() and not values.null_count():
        return pl.Series(values.name, values.to_numpy()[index])
    return values[index]


def changes(values: pl.Series) -> Array:
    """Return for each row but the first whether its value differs from the row before."""
    if values.dtype.is_integer():
        array = values.to_numpy()
        return np.asarray(array[1:] != array[:-1])
    return (values.slice(1) != values.head(-1)).to_numpy()


def user_starts(users: pl.Series) -> Array:
    """Return the indexes of the rows where another user begins; the first is 0, unless there are no rows."""
    if not len(users):
        return np.zeros(0, np.int64)
    return np.concatenate([[0], np.flatnonzero(changes(users)) + 1])


class Ids:
    """Distinct ids in ascending order, in which other ids can be looked up."""

    def __init__(self, ids: pl.Series) -> None:
        self.ids = ids
        self._index_by_id: Array | None = None
        self._least = 0
        if len(ids) and ids.dtype.is_integer():
            values = ids.to_numpy()
            self._least, most = int(values[0]), int(values[-1])
            if most - self._least < _SPARSEST * len(values) + 1024:
                self._index_by_id = np.full(most - self._least + 1, -1, dtype=np.int64)
                self._index_by_id[values - self._least] = np.arange(len(values))

    def __len__(self) -> int:
        return len(self.ids)

    def index_of(self, ids: pl.Series) -> Array:
        """Return the index of each of `ids`, -1 for unknown ids."""
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int64)
        if self._index_by_id is not None:
            values, index = ids.to_numpy(), np.empty(len(ids), dtype=np.int64)
            for some in blocks(len(values)):
                index[some] = self._look_up(self._index_by_id, values[some] - self._least)
            return index
        known = pl.DataFrame({"id": self.ids}).with_row_index("index")
        joined = pl.DataFrame({"id": ids}).join(known, on="id", how="left", maintain_order="left")
        return joined["index"].cast(pl.Int64).fill_null(-1).to_numpy()

    @staticmethod
    def _look_up(index_by_id: Array, offset: Array) -> Array:
        outside = offset.view(np.uint64) >= len(index_by_id)  # as an unsigned number, a negative one is large
        if not outside.any():
            return index_by_id.take(offset, mode="clip")
        return np.where(outside, -1, index_by_id.take(offset, mode="clip"))


_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_FEWEST_BITS, _MOST_BITS = 12, 24
_LONGEST_SQUARE: Final = 1_000
_ROWS_SORTED: Final = 100_000


class Pairs(Struct, frozen=True, eq=False):
    """The pairs of user and item of the rows of a table.

    `user` has indexes of users, `item` ids, and `key` one number per row, the same for equal pairs. With `item_bits` the last `item_bits`
    bits of a key are the item, and different pairs have different keys; without, keys are hashes.
    """

    user: Array
    item: pl.Series
    key: Array
    item_bits: int | None

    @property
    def exact(self) -> bool:
        """Return whether different pairs always have different keys."""
        return self.item_bits is not None

    def __len__(self) -> int:
        return len(self.user)

    def take(self, index: Array) -> Pairs:
        """Return the pairs at `index`."""
        return Pairs(self.user[index], gather(self.item, index), self.key[index], self.item_bits)


class HasItems(Protocol):
    """A table with a user and an item in each row."""

    @property
    def user(self) -> Array:
        """Index of each row's user."""

    @property
    def item(self) -> pl.Series:
        """Id of each row's item."""

    @property
    def item_hashes(self) -> Array:
        """Hash of each row's item."""


def make_pairs(tables: Sequence[HasItems], n_users: int) -> list[Pairs]:
    """Return the pairs of several tables, with keys that can be compared between tables."""
    if all(rows.item.dtype.is_integer() for rows in tables):
        arrays = [rows.item.to_numpy() for rows in tables]
        least = min((int(array.min()) for array in arrays if len(array)), default=0)
        most = max((int(array.max()) for array in arrays if len(array)), default=0)
        item_bits, user_bits = (most - least).bit_length(), max(n_users, 1).bit_length()
        if item_bits + user_bits <= 63:
            return [
                Pairs(rows.user, rows.item, _exact_keys(rows.user, array, least, item_bits), item_bits)
                for rows, array in zip(tables, arrays, strict=True)
            ]
    return [Pairs(rows.user, rows.item, _hash_keys(rows.user, rows.item_hashes, n_users), None) for rows in tables]


def _exact_keys(user: Array, item: Array, least: int, item_bits: int) -> Array:
    """Return keys with the index of the user above the bits of the item, which is counted from the `least` one."""
    key = np.empty(len(user), dtype=np.int64)
    for some in blocks(len(key)):
        of_some = np.left_shift(user[some], item_bits, out=key[some])
        of_some += item[some]
        of_some -= least
    return key


def _hash_keys(user: Array, item_hashes: Array, n_users: int) -> Array:
    """Return keys with the index of the user above the first bits of the item's hash; keys of one user are close, so searching is fast."""
    item_bits = 63 - max(n_users, 1).bit_length()
    key = np.right_shift(item_hashes, np.uint64(64 - item_bits)).view(np.int64)
    key |= np.left_shift(user, item_bits, dtype=np.int64)
    return key


def distinct(pairs: Pairs) -> tuple[Array, Array]:
    """Return the first row of each distinct pair, in the order of users and items, and the index of every row's pair."""
    order = np.argsort(pairs.key, kind="stable") if pairs.exact else _by_item(pairs)
    new = np.ones(len(order), dtype=np.bool_)
    key = pairs.key[order]
    new[1:] = key[1:] != key[:-1]
    if not pairs.exact:
        item = gather(pairs.item, order)
        user = pairs.user[order]
        new[1:] = (user[1:] != user[:-1]) | changes(item)
    pair_of_row = np.empty(len(order), dtype=np.int64)
    pair_of_row[order] = np.cumsum(new) - 1
    return order[new], pair_of_row


def _by_item(pairs: Pairs) -> Array:
    frame = pl.DataFrame({"user": pairs.user, "item": pairs.item})
    return frame.select(pl.arg_sort_by("user", "item", maintain_order=True)).to_series().to_numpy()


def has_duplicates(pairs: Pairs, starts: Array) -> bool:
    """Return whether a user has a pair in several rows; `starts` are the first rows of the users."""
    lengths = np.diff(starts)
    length = int(lengths.max(initial=0))
    if length <= _LONGEST_SQUARE and len(pairs) == length * np.count_nonzero(lengths):
        # Lists of one length: short rows of small numbers sort faster than all keys together.
        alike = any(_repeats(lists) for lists in _length_keys(pairs, length))
    else:
        key = np.sort(pairs.key)
        alike = bool((key[1:] == key[:-1]).any())
    if pairs.exact or not alike:
        return alike
    first, _ = distinct(pairs)
    return len(first) < len(pairs)


def _length_keys(pairs: Pairs, length: int) -> Iterator[Array]:
    """Yield the keys of lists of one length, in blocks of lists and just enough bits to distinguish all items; of hashes the last bits."""
    if not len(pairs):
        return
    bits = 32 if pairs.item_bits is None else pairs.item_bits
    kind: type[np.integer[Any]] = np.uint16 if bits <= 16 else np.uint32 if bits <= 32 else np.int64
    lists = pairs.key.reshape(-1, length)
    for some in blocks(len(lists), 1 + _ROWS_SORTED // length):
        yield lists[some].astype(kind)


def _repeats(lists: Array) -> bool:
    lists.sort(axis=1)
    return bool((lists[:, 1:] == lists[:, :-1]).any())


class Lookup:
    """Lookup of rows in pairs; a small table of bits rejects most rows first.

    A row is found once, also if its pair is repeated; which of the repeated pairs it has then is undefined.
    """

    def __init__(self, pairs: Pairs) -> None:
        order = np.argsort(pairs.key)
        self._pairs, self._order, self._key = pairs, order, pairs.key[order]
        bits = min(max((16 * len(pairs)).bit_length(), _FEWEST_BITS), _MOST_BITS)
        self._shift = np.uint64(64 - bits)
        self._sieve = np.zeros(1 << bits, dtype=np.bool_)
        self._sieve[self._slots(self._key)] = True
        self._collides = not pairs.exact and bool((self._key[1:] == self._key[:-1]).any())
        self._answers: dict[Pairs, tuple[Array, Array]] = {}

    def _slots(self, key: Array) -> Array:
        slot = key.view(np.uint64) * np.uint64(_MULTIPLIER)
        slot >>= self._shift
        return slot.view(np.int64)

    def find(self, rows: Pairs) -> tuple[Array, Array]:
        """Return the rows that are among the pairs, ascending, and the index of the pair of each; a second call with `rows` is free."""
        if rows not in self._answers:
            self._answers[rows] = self._search(rows)
        return self._answers[rows]

    def _search(self, rows: Pairs) -> tuple[Array, Array]:
        if not len(self._key) or not len(rows):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        if self._collides:
            return self._join(rows)
        candidates = np.concatenate([self._passing(rows.key[some]) + some.start for some in blocks(len(rows))])
        key = rows.key[candidates]
        near = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
        same = self._key[near] == key
        found, pair = candidates[same], self._order[near[same]]
        if not rows.exact and len(found):
            alike = rows.user[found] == self._pairs.user[pair]
            alike &= (gather(rows.item, found) == gather(self._pairs.item, pair)).to_numpy()
            found, pair = found[alike], pair[alike]
        return found, pair

    def _passing(self, key: Array) -> Array:
        return np.flatnonzero(self._sieve.take(self._slots(key), mode="clip"))  # every index is valid; clip is the fastest mode

    def _join(self, rows: Pairs) -> tuple[Array, Array]:
        """Find rows by a join, for pairs that share a hash: different pairs, or repeated ones."""
        left = pl.DataFrame({"user": rows.user, "item": rows.item}).with_row_index("row")
        right = pl.DataFrame({"user": self._pairs.user, "item": self._pairs.item}).with_row_index("pair")
        both = left.join(right.unique(["user", "item"]), on=["user", "item"]).sort("row")
        return both["row"].to_numpy().astype(np.int64), both["pair"].to_numpy().astype(np.int64)
