"""Means of ratings by user that do not depend on the order of rows."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..sums.group_sums import exact_group_sums
from .array import Array

_COARSE: Final = 2.0**16
_FINE: Final = 2.0**52
_LARGE: Final = 2.0**36
_SCALE: Final = 2.0**64
"""More than there are rows: so many of the largest numbers, divided by it, have a sum."""


def exact_group_means(values: Array, group: Array, n_groups: int) -> Array:
    """The mean of the values of each group, which is no larger than the largest of them; 0 for a group without values.

    Values are added up as integers, multiples of 2^-16 and of 2^-52: a rating near the mean is relevant or not by the last bit. Values of
    groups that have one of 2^36 or more are added up exactly, and scaled so that no sum is beyond all numbers.
    """
    large = np.zeros(n_groups, dtype=np.bool_)
    large[group[np.abs(values) >= _LARGE]] = True
    if large.any():
        inside = large[group]
        means = exact_group_means(np.where(inside, 0.0, values), group, n_groups)
        return np.where(large, _means_of_large(values[inside], group[inside], n_groups), means)
    coarse = np.round(values * _COARSE)
    fine = np.round((values - coarse / _COARSE) * _FINE)
    total = np.bincount(group, coarse, n_groups) / _COARSE + np.bincount(group, fine, n_groups) / _FINE
    return _means(total, values, group)


def _means_of_large(values: Array, group: Array, n_groups: int) -> Array:
    small = _means(exact_group_sums(values / _SCALE, group, n_groups), values / _SCALE, group)
    return small * _SCALE


def _means(total: Array, values: Array, group: Array) -> Array:
    """The sums of groups divided by their sizes, at most their largest value; 0 for a group without values."""
    most = np.full(len(total), -np.inf)
    np.maximum.at(most, group, values)
    count = np.bincount(group, minlength=len(total))
    return np.where(count > 0, np.minimum(total / np.maximum(count, 1), most), 0.0)
