"""Two ranked lists of each user: the items that both have, and rank-biased overlap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

_CELLS: Final = 1 << 20
"""Cells of a matrix that is sorted at once."""
_RANK_BITS: Final = 31
_LAST_RANK: Final = (1 << _RANK_BITS) - 1

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class RankedItems(Struct, frozen=True, eq=False):
    """The lists of some users: the code of each row's item, from 0; `starts` has the first row of each user, at the end their number."""

    codes: Integers
    starts: Integers

    @property
    def lengths(self) -> Integers:
        """Length of each user's list."""
        return np.diff(self.starts)

    def rows_of(self, users: Integers, empty: int) -> Integers:
        """Return the items of each of these users as a row of a matrix; cells after the end of a list are `empty`."""
        begin, length = self.starts[users], self.lengths[users]
        width = int(length.max())
        if (length == width).all() and (begin[1:] == begin[:-1] + width).all():
            return self.codes[begin[0] : begin[0] + width * len(users)].reshape(len(users), width)
        cells: Integers = np.full((len(users), width), empty, dtype=np.int64)
        before = np.cumsum(length) - length
        cells[np.arange(width) < length[:, None]] = self.codes[np.repeat(begin - before, length) + np.arange(int(length.sum()))]
        return cells


class CommonItems(Struct, frozen=True, eq=False):
    """The items that are in both lists of a user, each once: the index of the user, and the best rank in each list, from 1."""

    user: Integers
    first: Integers
    second: Integers

    def within(self, k: int | None) -> CommonItems:
        """Return those among the first `k` items of both lists."""
        if k is None:
            return self
        mask = np.flatnonzero((self.first <= k) & (self.second <= k))
        return CommonItems(self.user[mask], self.first[mask], self.second[mask])

    def most_promoted(self) -> tuple[Integers, tuple[Integers, Integers]]:
        """Return the users with an item that is higher in the second list, and the ranks of that which rises most, in both lists.

        Of several the one with the best rank in the second list is taken.
        """
        rising = np.flatnonzero(self.second < self.first)
        user, first, second = self.user[rising], self.first[rising], self.second[rising]
        begin = np.flatnonzero(np.append(True, user[1:] != user[:-1])[: len(user)])
        if not len(begin):
            return begin, (begin, begin)
        best = np.maximum.reduceat(((first - second) << _RANK_BITS) + (_LAST_RANK - second), begin)
        to = _LAST_RANK - (best & _LAST_RANK)
        return user[begin], (to + (best >> _RANK_BITS), to)


def common_items(first: RankedItems, second: RankedItems, n_items: int) -> CommonItems:
    """Return the common items of the lists of each user, in the order of users and items; codes are below `n_items`."""
    found = [_common(first, second, users, n_items) for users in _blocks_of_similar_lengths(first, second)]
    columns = [np.concatenate(of_blocks) for of_blocks in zip(*found, strict=True)] or [np.empty(0, dtype=np.int64)] * 3
    order = np.argsort(columns[0], kind="stable")
    return CommonItems(*(column[order] for column in columns))


def _blocks_of_similar_lengths(first: RankedItems, second: RankedItems) -> Iterator[Integers]:
    """Yield indexes of users with two lists, in blocks whose lists are padded to at most about twice their length."""
    lengths = np.maximum(first.lengths, second.lengths)
    size = np.where((first.lengths > 0) & (second.lengths > 0), np.ceil(np.log2(np.maximum(lengths, 1))), -1).astype(np.int64)
    for length in np.unique(size[size >= 0]).tolist():
        users, at_once = np.flatnonzero(size == length), max(_CELLS >> length, 1)
        yield from (users[begin : begin + at_once] for begin in range(0, len(users), at_once))


def _common(first: RankedItems, second: RankedItems, users: Integers, n_items: int) -> tuple[Integers, Integers, Integers]:
    """Return user, rank in the first list and rank in the second list of each common item.

    Each row of a matrix has the items of both lists, as numbers that sort by item, list and rank; ranks of the first list count down, so
    that the best ranks of an item in both lists are neighbours.
    """
    cells = first.rows_of(users, n_items), second.rows_of(users, n_items + 1)
    widths = [matrix.shape[1] for matrix in cells]
    bits = max(widths).bit_length()
    kind: type[np.unsignedinteger[Any]] = np.uint32 if (n_items + 1).bit_length() + bits < np.iinfo(np.uint32).bits else np.uint64
    ranks = widths[0] - np.arange(widths[0]), np.arange(widths[1]) + 1
    merged = np.empty((len(users), sum(widths)), dtype=kind)
    for side, (matrix, rank) in enumerate(zip(cells, ranks, strict=True)):
        merged[:, side * widths[0] : widths[0] + side * widths[1]] = (matrix << (bits + 1)) + ((side << bits) + rank)
    merged.sort(axis=1)
    row, cell = np.nonzero((merged[:, :-1] ^ merged[:, 1:]) >> kind(bits) == 1)
    mask = kind((1 << bits) - 1)
    above, below = ((merged[row, cell + step] & mask).astype(np.int64) for step in (0, 1))
    return users[row], widths[0] + 1 - above, below


def jaccard(n_common: Integers, first: Integers, second: Integers) -> Floats:
    """Return the number of common items as a share of all distinct items; NaN without any."""
    union = first + second - n_common
    return np.where(union > 0, n_common / np.maximum(union, 1), np.nan)
