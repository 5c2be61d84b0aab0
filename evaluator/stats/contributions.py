"""The difference of two sums over items → a contribution of each item; contributions add up to the difference exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def contributions(terms: tuple[Floats, Floats], values: tuple[Floats, Floats], user: Integers) -> Floats:
    """Return what each item adds to the difference of the second value of its user from the first.

    `terms` are at least 0 and have for both lists the term of each item, 0 if it is not counted; `user` is the index of its user, in
    ascending order. A value in `values` is the sum of the user's terms times a factor, such as 1 over the best
    possible sum, so an item adds its term in the second list times that factor, minus its term in the first list times that of the first.

    The exact sum of a user's contributions is the difference of the values, as a float. For this they are multiples of a power of two
    that the difference is a multiple of too, and what rounding leaves, some units in the last place, goes to the smallest of them.
    """
    made = np.zeros(len(user))
    rows = np.flatnonzero((terms[0] != 0) | (terms[1] != 0))  # few items are hits, and the others add nothing
    if not len(rows):
        return made
    is_first = np.append(True, user[rows][1:] != user[rows][:-1])
    begin = np.flatnonzero(is_first)
    users = user[rows][begin]
    terms, values = (terms[0][rows], terms[1][rows]), (values[0][users], values[1][users])
    user = np.cumsum(is_first) - 1
    first, second = (_factors(of_list, value, user) * of_list for of_list, value in zip(terms, values, strict=True))
    difference = values[1] - values[0]
    unit = np.minimum(_lowest_bit(difference), np.spacing(np.maximum(*values)))
    units = np.round((second - first) / unit[user]).astype(np.int64)  # at most 2^53 of them, because each is at most the larger value
    left = (difference / unit).astype(np.int64) - np.add.reduceat(units, begin)
    size = np.abs(units)
    smallest = np.flatnonzero(size == np.minimum.reduceat(size, begin)[user])
    smallest = smallest[np.unique(user[smallest], return_index=True)[1]]
    units[smallest] += left[user[smallest]]
    made[rows] = units * unit[user]
    return made


def _factors(terms: Floats, values: Floats, user: Integers) -> Floats:
    """Return for each item the value of its user divided by the sum of the user's terms; 0 for a sum of 0."""
    sums = np.bincount(user, terms, len(values))
    return np.where(sums > 0, values / np.where(sums > 0, sums, 1.0), 0.0)[user]


def _lowest_bit(numbers: Floats) -> Floats:
    """Return the largest power of two of which each number is a multiple; infinity for 0."""
    mantissa, exponent = np.frexp(numbers)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    return np.where(whole == 0, np.inf, np.ldexp((whole & -whole).astype(np.float64), exponent - 53))
