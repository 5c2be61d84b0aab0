"""The rows of lists as a source has them, and the order in which they are ranked: by one packed number per row where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ..conventions.axis import Lists
from .array import Array, in_single_precision
from .ids import gathered
from .pairs import Pairs, any_repeated
from .part import SourceRows
from .prepared import Prepared
from .rows import in_order, within_users

_MOST_USERS = 1 << 31
_SIGN = np.uint32(1 << 31)


def sorted_within_users(user: Array, keys: Sequence[tuple[Array | pl.Series, bool]]) -> Array:
    """The order that sorts rows by user and then by `keys`, each with whether it descends; equal rows stay as they are.

    The first key holds numbers, none of them NaN. Rows are sorted by the user and 32 bits of that key in one number; only rows that
    share it are compared by all keys.
    """
    (first, falls), *_ = keys
    if not len(user) or int(user.max()) >= _MOST_USERS:
        return in_order(user, keys)
    coarse = _in_32_bits(np.asarray(first))
    packed = user.astype(np.uint64) << np.uint64(32)
    packed |= ~coarse if falls else coarse
    order = np.argsort(packed)
    ordered = packed[order]
    ties = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(ties):
        positions = np.union1d(ties, ties + 1)
        rows = np.sort(order[positions])
        order[positions] = rows[in_order(user[rows], [(_at(key, rows), descends) for key, descends in keys])]
    return order


def _in_32_bits(key: Array) -> Array:
    """Unsigned numbers of 32 bits that rise where the key does; different values may share one."""
    if key.dtype.kind in "iu":
        least = key.min()
        if int(key.max()) - int(least) < 1 << 32:
            above: Array = (key - least).astype(np.uint32)
            return above
    bits = (in_single_precision(key) + np.float32(0)).view(np.uint32)  # makes -0.0 the same as 0.0
    # Bits of floats rise with positive and fall with negative ones: those of negative ones are inverted.
    negative = (bits >> np.uint32(31)) * np.uint32(0xFFFFFFFF)
    rising: Array = bits ^ (negative | _SIGN)
    return rising


def _at(key: Array | pl.Series, rows: Array) -> Array | pl.Series:
    return gathered(key, rows) if isinstance(key, pl.Series) else key[rows]


_TIE_KEYS = {"item_asc": ("item", False), "item_desc": ("item", True), "text_asc": ("item_text", False), "text_desc": ("item_text", True)}
Order = tuple[tuple[str, bool], ...]
"""The columns that order a list, each with whether it descends."""


class ListRows:
    """The rows of the lists as a source has them, before they are ranked."""

    def __init__(self, rows: SourceRows, pairs: Pairs, prepared: Prepared) -> None:
        self.rows, self.pairs, self._prepared = rows, pairs, prepared
        self._orders: dict[Order, Array | None] = {}

    @property
    def user(self) -> Array:
        """The index of each row's user."""
        return self.rows.user

    @cached_property
    def repeats(self) -> bool:
        """Whether a list holds an item more than once."""
        return any_repeated(self.pairs, self.rows.starts)

    @cached_property
    def item_index(self) -> Array:
        """The index of each row's item among the items that are known before, -1 for others."""
        return self._prepared.items.index_of(self.rows.item)

    def key(self, name: str) -> Array | pl.Series:
        """A column by which lists are ordered."""
        if name == "item_text":
            return self.rows.item.cast(pl.String)
        if name == "score32":
            return in_single_precision(self.rows.column("score"))
        return self.rows.item if name == "item" else self.rows.column(name)

    def ranked(self, choice: Lists) -> Array | None:
        """The rows in the order of the lists, or `None` where they stand in it."""
        order = order_of(self.rows, choice)
        if order not in self._orders:
            self._orders[order] = self._sorted(order)
        return self._orders[order]

    def _sorted(self, order: Order) -> Array | None:
        user = self.user
        wrong = self._out_of_order(order)
        if not wrong.any():
            return None
        unordered = np.zeros(self.rows.n_users, dtype=np.bool_)
        unordered[user[1:][wrong]] = True
        keys = [(self.key(name), falls) for name, falls in order]
        if 4 * np.count_nonzero(unordered) >= self.rows.n_users:
            return sorted_within_users(user, keys)
        rows = np.flatnonzero(unordered[user])
        order_of_rows = np.arange(len(user))
        order_of_rows[rows] = rows[sorted_within_users(user[rows], [(_take(key, rows), falls) for key, falls in keys])]
        return order_of_rows

    def _out_of_order(self, order: Order) -> Array:
        """For each row but the first, whether it should stand above the row before."""
        (first, falls), *rest = order
        key = np.asarray(self.key(first))
        later, earlier = key[1:], key[:-1]
        wrong: Array = within_users((later > earlier) if falls else (later < earlier), self.rows.starts)
        if rest:
            ties = np.flatnonzero(within_users(later == earlier, self.rows.starts))
            if len(ties):
                (second, second_falls), *_ = rest
                key = _take(self.key(second), np.concatenate([ties, ties + 1]))
                before, after = key[: len(ties)], key[len(ties) :]
                wrong[ties] = np.asarray((after > before) if second_falls else (after < before))
        return wrong


def order_of(rows: SourceRows, choice: Lists) -> Order:
    """The columns that order a list.

    By `choice.order` the first of: `rank` its `position` column, its score, the order of the file; `score` the score, the position, the
    order of the file; `file` that order. Ties are broken as `choice.ties` says, by default by item id, so that the order of rows in the
    file cannot change a number.
    """
    score = ("score32" if choice.score_type == "float32" and rows.frame.schema.get("score") != pl.Float32 else "score", True)
    by = {"position": ("position", False), "score": score}
    for column in {"rank": ("position", "score"), "score": ("score", "position"), "file": ()}[choice.order]:
        if column in rows:
            return (by[column], _TIE_KEYS.get(choice.ties, ("row", False)))
    return (("row", False),)


def _take(key: Array | pl.Series, index: Array) -> Any:
    return gathered(key, index) if isinstance(key, pl.Series) else key[index]
