"""A shuffle of the numbers 0, 1, 2, … for each user: which place a number takes, and which number a place has.

Integer arithmetic only, so that every engine gives the same; no table of users × numbers is made.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import narwhals as nw

from ..tables import Frame

_PRIME: Final = 2**31 - 1
"""5 has no common factor with `_PRIME` - 1, so that x → x^5 mod `_PRIME` is a permutation; what is multiplied stays below 2^63."""
_KEY: Final = 2**29


def mixed(frame: Frame, source: str, name: str, seed: int, purpose: str) -> Frame:
    """Add as `name` a number below 2^31 that looks random, other for every whole number below 2^31 - 1 in `source`."""
    frame = frame.with_columns(nw.col(source).cast(nw.Int64).alias(name))
    for turn in range(4):
        frame = _with_fifth_power(frame, nw.col(name) + _key(seed, purpose, turn)).with_columns(nw.col("fifth").alias(name))
    return frame.drop("fifth")


@dataclass(frozen=True)
class Shuffle:
    """A Feistel network: a number is a field of a grid of `rows` × `columns`, in turn moved along its row and its column.

    How far depends on where it stands across and on the user's keys `row_key` and `column_key`, so that every turn can
    be undone. Few turns make any two fields land anywhere with near equal chance; small grids need more of them.
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

    def keyed(self, users: Frame) -> Frame:
        """`user` and the keys of each user, by the place of the user's id among all."""
        numbered = users.select("user").with_row_index("at", order_by="user")
        numbered = mixed(mixed(numbered, "at", "row_key", self.seed, "rows"), "at", "column_key", self.seed, "columns")
        return numbered.drop("at")

    def placed(self, frame: Frame) -> Frame:
        """`frame` (number row_key column_key, maybe more) with the `place` of each number instead of the number, from 0."""
        return self._moved(frame, "number", "place", range(self._turns), 1)

    def numbered(self, frame: Frame) -> Frame:
        """`frame` (place row_key column_key, maybe more) with the `number` at each place instead of the place: `placed` undone."""
        return self._moved(frame, "place", "number", reversed(range(self._turns)), -1)

    @property
    def _turns(self) -> int:
        return max(6, 2 + math.ceil(20 / math.log2(min(self.rows, max(2, self.columns)))))

    def _moved(self, frame: Frame, source: str, name: str, turns: Iterable[int], sign: int) -> Frame:
        column = nw.col(source) % self.columns
        frame = frame.with_columns(column=column, row=(nw.col(source) - column) // self.columns).drop(source)
        for turn in turns:
            along, across, length = ("row", "column", self.rows) if turn % 2 else ("column", "row", self.columns)
            frame = _with_fifth_power(frame, nw.col(across) + nw.col(f"{along}_key") + _key(self.seed, "turn", turn))
            step = nw.col("fifth") % length
            frame = frame.with_columns(((nw.col(along) + (step if sign > 0 else length - step)) % length).alias(along))
        return frame.with_columns((nw.col("row") * self.columns + nw.col("column")).alias(name)).drop("row", "column", "fifth")


def _with_fifth_power(frame: Frame, number: nw.Expr) -> Frame:
    """Add as `fifth` the fifth power, mod `_PRIME`, of a number below 3 · 10^9."""
    frame = frame.with_columns(fifth=number).with_columns(square=nw.col("fifth") * nw.col("fifth") % _PRIME)
    fourth = nw.col("square") * nw.col("square") % _PRIME
    return frame.with_columns(fifth=fourth * nw.col("fifth") % _PRIME).drop("square")


def _key(seed: int, purpose: str, turn: int) -> int:
    digest = hashlib.sha256(f"{seed} {purpose} {turn}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % _KEY
