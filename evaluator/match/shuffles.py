"""A shuffle of the numbers 0, 1, 2, … for each user: which place a number takes, and which number a place has.

Integer arithmetic only, so that every engine gives the same; no table of users × numbers is made.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw

from ..engine.base import Engine
from ..frames import Frame

_PRIME: Final = 2**31 - 1
"""5 has no common factor with `_PRIME` - 1, so that x → x^5 mod `_PRIME` is a permutation; products of two numbers stay below 2^63."""
_AT_ONCE: Final = 6
"""Turns that an engine may plan as one expression, which grows by as much as the two before it at every turn."""


def mixed(number: nw.Expr, seed: int, purpose: str) -> nw.Expr:
    """A number below 2^31 that looks random, another one for each whole number below 2^31 - 1: two rounds of x → (x + c)^5."""
    for turn in range(2):
        number = (number + _constant(seed, f"{purpose} {turn}")) % _PRIME
        square = number * number % _PRIME
        number = square * square % _PRIME * number % _PRIME
    return number


@dataclass(frozen=True)
class Shuffle:
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

    def keyed(self, users: Frame) -> Frame:
        """`user` and the keys of each user, `factor` and `shift`, by the place of the user's id among all."""
        at = nw.col("at").cast(nw.Int64)
        keys = {name: mixed(at, self.seed, name) for name in ("factor", "shift")}
        return users.select("user").with_row_index("at", order_by="user").select("user", **keys)

    def placed(self, frame: Frame, engine: Engine) -> Frame:
        """`frame` (number factor shift, maybe more) with the `place` of each number instead of the number, from 0."""
        return self._moved(frame, "number", "place", list(range(self._turns)), engine)

    def numbered(self, frame: Frame, engine: Engine) -> Frame:
        """`frame` (place factor shift, maybe more) with the `number` at each place instead of the place: `placed` undone."""
        return self._moved(frame, "place", "number", list(range(self._turns))[::-1], engine)

    @property
    def _turns(self) -> int:
        return max(_AT_ONCE, 2 + math.ceil(20 / math.log2(min(self.rows, max(2, self.columns)))))

    def _moved(self, frame: Frame, source: str, name: str, turns: Sequence[int], engine: Engine) -> Frame:
        column = nw.col(source) % self.columns
        frame = frame.with_columns(column=column, row=(nw.col(source) - column) // self.columns).drop(source)
        for done, turn in enumerate(turns):
            if done and done % _AT_ONCE == 0:
                (frame,) = engine.settle([frame])
            frame = self._turned(frame, turn, undo=turns[0] > turns[-1])
        return frame.with_columns((nw.col("row") * self.columns + nw.col("column")).alias(name)).drop("row", "column")

    def _turned(self, frame: Frame, turn: int, undo: bool) -> Frame:
        along, across, length = ("row", "column", self.rows) if turn % 2 else ("column", "row", self.columns)
        a, b, c = (_constant(self.seed, f"turn {turn} {part}") for part in "abc")
        factor = (nw.col("factor") * a + b) % _PRIME
        step = (nw.col(across) * factor + (nw.col("shift") + c)) % _PRIME % length
        return frame.with_columns(((nw.col(along) + (length - step if undo else step)) % length).alias(along))


def _constant(seed: int, purpose: str) -> int:
    """A number of 1 … `_PRIME` - 1."""
    digest = hashlib.sha256(f"{seed} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (_PRIME - 1) + 1
