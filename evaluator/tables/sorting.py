"""Rows sorted by user and score: by one packed number per row, which is several times as fast as by columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from .array import Array, in_single_precision
from .ids import gathered
from .rows import in_order

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
