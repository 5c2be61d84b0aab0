"""How the values of users are spread, and how their differences between two models are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl

from ..results.description import HistogramBin, Spread
from ..results.result import Result, columns_of, select
from ..stats.paired import TOLERANCE
from .differing import Differing
from .measures import rows_of
from .pairing import Floats

_BINS: Final = 24


def spread_of_differences(differing: Differing, label: str) -> Spread | None:
    """The histogram of the differences of all users in a measure; `None` of a measure without values of users."""
    sides = differing.sides_of(label)
    if sides is None:
        return None
    better = differing.row(differing.base, label).higher_is_better
    return _spread(label, differing.model.name, differing.base.name, better, sides[1] - sides[0])


def spreads_of_values(result: Result, label: str) -> Iterator[Spread]:
    """The histogram of the values of all users in a measure, for each model whose values of users were kept."""
    for model in result.models:
        row = rows_of(result, model).get(label)
        if row is not None and model in result.per_user and row.measure in columns_of(result.per_user, model):
            values = select(result.per_user, model, [row.measure])[row.measure].cast(pl.Float64).to_numpy()
            yield _spread(label, model, None, row.higher_is_better, values)


def _spread(label: str, model: str, base: str | None, better: bool | None, values: Floats) -> Spread:
    """Bins of one width, as many below 0 as above where there are values on both sides."""
    known = values[np.isfinite(values)]
    other = known[np.abs(known) > TOLERANCE]
    bins: tuple[HistogramBin, ...] = ()
    if len(other):
        most = float(np.abs(other).max())
        low, high = (-most if other.min() < 0 else 0.0), (most if other.max() > 0 else 0.0)
        counts, edges = np.histogram(other, bins=_BINS if low < 0 < high else _BINS // 2, range=(low, high))
        bins = tuple(HistogramBin(float(one), float(two), int(n)) for one, two, n in zip(edges[:-1], edges[1:], counts, strict=True))
    return Spread(label, model, base, better, len(known), len(known) - len(other), bins)
