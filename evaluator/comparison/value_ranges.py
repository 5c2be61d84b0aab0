"""The least and the largest value that a user can have, which bound how much an unseen user may change."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Final

import numpy as np

from ..metrics.bounds import bounds_of
from ..results.result import Row
from ..stats.rare_changes import ValueRange
from .pairing import Floats

_MEANS: Final = ("mean", "sum", "micro", "geometric", "formula")
"""Aggregates that one user can move; medians and percentiles hardly move."""


def value_range(row: Row, sides: Iterable[Floats]) -> ValueRange | None:
    """The bounds of the metric; for an end without one what users have on both `sides`. `None` if that is not known either.

    `None` also for medians and percentiles.
    """
    if row.aggregate not in _MEANS:
        return None
    bounds = ValueRange(*bounds_of(row.metric))
    if bounds.is_finite:
        return bounds
    known = [side[np.isfinite(side)] for side in sides]
    observed = [float(end) for side in known if len(side) for end in (side.min(), side.max())]
    if not observed:
        return None
    ends = [end for end in (bounds.least, bounds.largest, *observed) if isfinite(end)]
    return ValueRange(min(ends), max(ends), is_observed=True)
