"""Values of whole models: sums that the body of a metric takes part by part, and the values that it makes of them at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..metrics.item_tables import ITEM_TABLES
from ..metrics.measure import Measure
from ..names.measure_strings import Scalar
from ..sums.exact import ExactSums
from ..tables.array import Array
from .keyed import KeyedSums


class TakenSums:
    """Takes the sums that the bodies of metrics ask for while a part is measured."""

    def __init__(self) -> None:
        self.totals: list[ExactSums] = []
        self.items: dict[Any, KeyedSums] = {}

    def total(self, values: Array, counts: Array) -> Array:
        """Add up values of the users who count and have one (NaN: none); gives a column of ones.

        Raises `OverflowError` if one of them is infinite: to leave it out would give a sum that looks like any other.
        """
        counted = np.broadcast_to(counts, values.shape) & ~np.isnan(values)
        if np.isinf(values[counted]).any():
            raise OverflowError
        self.totals.append(ExactSums.of(np.ascontiguousarray(values, dtype=np.float64), counted))
        return np.ones((len(values), 1))

    def of_items(self, measure: Measure, name: str, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
        """Add up a table of items; gives its columns without rows."""
        kind, key = ITEM_TABLES[name], item_key(measure, name, params)
        if key not in self.items:
            self.items[key] = KeyedSums.of(kind.terms(measure, **params))
        return kind.empty()


class MergedSums:
    """Gives the sums over all parts in the order in which they were taken."""

    def __init__(self, totals: Sequence[ExactSums], items: Mapping[Any, KeyedSums]) -> None:
        self._totals, self._items = iter(totals), items

    def total(self, values: Array, counts: Array) -> Array:
        """The next sum, as a column."""
        return next(self._totals).values()[:, None]

    def of_items(self, measure: Measure, name: str, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
        """The columns of a table of items over all parts."""
        sums = self._items[item_key(measure, name, params)].sums(measure.prepared.items.ids)
        return ITEM_TABLES[name].finish(sums, measure.prepared, **params)


def item_key(measure: Measure, name: str, params: Mapping[str, Scalar]) -> Any:
    """What tells one table of items from all others: its name and parameters, and whose lists it looks at."""
    return name, tuple(sorted(params.items())), measure.population
