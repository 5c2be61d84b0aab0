"""The order that sorts the rows of each user by several keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..support.lazy import np, pl
from .array import Array, in_single_precision
from .ids import gather
from .rows import in_order, within_users


def sorted_within_users(user: Array, keys: Sequence[tuple[Array | pl.Series, bool]]) -> Array:
    """Return the order that sorts the rows of each user by `keys`, each with whether it descends; users are in ascending order already.

    The sort is stable. The first key has numbers, no NaN. Rows are sorted by 32 bits of this key; only rows that share them are compared by
    all keys.
    """
    if not len(user):
        return np.empty(0, np.int64)
    (first, falls), *_ = keys
    starts = np.flatnonzero(np.append(True, user[1:] != user[:-1]))
    coarse = _in_32_bits(np.asarray(first))
    coarse = ~coarse if falls else coarse
    order = _order_of_lists(coarse, starts, np.diff(np.append(starts, len(user))))
    ordered = coarse[order]
    ties = np.flatnonzero(within_users(ordered[1:] == ordered[:-1], starts))
    if len(ties):
        positions = np.union1d(ties, ties + 1)
        rows = np.sort(order[positions])
        order[positions] = rows[in_order(user[rows], [(take_keys(key, rows), descends) for key, descends in keys])]
    return order


def _order_of_lists(key: Array, starts: Array, lengths: Array) -> Array:
    """Return the order that sorts each list by its keys of 32 bits, equal ones in their order.

    Lists of similar length are the lines of a matrix: short lines are sorted ten times as fast as all keys together.
    """
    width = int(lengths.max())
    if width * len(lengths) == len(key):
        return (starts[:, np.newaxis] + _order_of_lines(key.reshape(len(lengths), width).astype(np.uint64))).ravel()
    order: Array = np.empty(len(key), np.int64)
    size = np.frexp(lengths)[1]
    for bits in np.unique(size).tolist():
        some = np.flatnonzero(size == bits)
        rows = starts[some, np.newaxis] + np.arange(1 << bits)
        inside = rows < (starts + lengths)[some, np.newaxis]
        lines = np.full(rows.shape, 1 << 32, np.uint64)  # cells without a row are sorted to the end
        lines[inside] = key[rows[inside]]
        order[rows[inside]] = (starts[some, np.newaxis] + _order_of_lines(lines))[inside]
    return order


def _order_of_lines(lines: Array) -> Array:
    """Return the places of the sorted numbers in each line of a matrix, which is overwritten; a number has 33 bits at most."""
    bits = np.uint64(lines.shape[1].bit_length())
    lines <<= bits
    lines |= np.arange(lines.shape[1], dtype=np.uint64)
    lines.sort(axis=1)
    lines &= (np.uint64(1) << bits) - np.uint64(1)
    return lines.view(np.int64)


def _in_32_bits(key: Array) -> Array:
    """Return unsigned numbers of 32 bits that are in the order of the key; different values may share one."""
    if key.dtype.kind in "iu":
        least = key.min()
        if int(key.max()) - int(least) < 1 << 32:
            above: Array = (key - least).astype(np.uint32)
            return above
    bits = (in_single_precision(key) + np.float32(0)).view(np.uint32)  # turns -0.0 into 0.0
    # As integers, the bits of floats rise with positive numbers and fall with negative ones, so those of negative ones are inverted.
    negative = (bits >> np.uint32(31)) * np.uint32(0xFFFFFFFF)
    rising: Array = bits ^ (negative | np.uint32(1 << 31))
    return rising


def take_keys(key: Array | pl.Series, index: Array) -> Any:
    """Return the rows of a key at `index`."""
    return gather(key, index) if isinstance(key, pl.Series) else key[index]
