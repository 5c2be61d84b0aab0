"""The least and the largest value that a user can have, which bound how much an unseen user may change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from typing import Final, cast

import numpy as np

from ..metrics import METRICS
from ..results.result import Row
from ..stats.rare_changes import ValueRange
from .pairing import Floats

_MEANS: Final = ("mean", "sum", "micro", "geometric")
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


def bounds_of(metric: str) -> tuple[float, float]:
    """The least and the largest value of a metric such as `nDCG(gain=linear)`; infinite where it has none, or is not known here."""
    known, name = cast("Mapping[str, object]", METRICS), metric.partition("(")[0]
    return METRICS[name].bounds if name in known else (-inf, inf)
