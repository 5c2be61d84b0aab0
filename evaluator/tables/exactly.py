"""Means of ratings by user that do not depend on the order of rows."""

from __future__ import annotations

from typing import Final

import numpy as np

from .array import Array

_COARSE: Final = 2.0**16
_FINE: Final = 2.0**52


def exact_group_means(values: Array, group: Array, n_groups: int) -> Array:
    """The mean of the values of each group, which is no larger than the largest of them; 0 for a group without values.

    Values are added up as integers, multiples of 2^-16 and of 2^-52: a rating near the mean is relevant or not by the last bit.
    """
    coarse = np.round(values * _COARSE)
    fine = np.round((values - coarse / _COARSE) * _FINE)
    total = np.bincount(group, coarse, n_groups) / _COARSE + np.bincount(group, fine, n_groups) / _FINE
    most = np.full(n_groups, -np.inf)
    np.maximum.at(most, group, values)
    count = np.bincount(group, minlength=n_groups)
    return np.where(count > 0, np.minimum(total / np.maximum(count, 1), most), 0.0)
