"""A shuffle of the numbers 0, 1, 2, … for each user: which place a number takes, and which number a place has.

Integer arithmetic only, so that every machine gives the same.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from .array import Array

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
