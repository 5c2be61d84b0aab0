"""Values with their intervals, and models under the names that a report gives them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from ..metrics.registry import bounds_of
from ..names.short_names import ORACLE, is_spread
from ..results.result import Result
from ..results.row import Row
from ..stats.confidence import StudentT


class ValuePoint(Struct, frozen=True):
    """The value of a measure of one model; `low` and `high` are its 95 % interval, `None` where nothing is known of it."""

    name: str
    row: Row
    low: float | None
    high: float | None
    is_yardstick: bool = False

    @property
    def is_drawn(self) -> bool:
        """Return whether it stands in pictures: all but the best possible value does, beside which the others would look alike."""
        return self.value is not None and self.row.model != ORACLE

    @property
    def label(self) -> str:
        """Return the measure with its cut-off and aggregate."""
        return self.row.label

    @property
    def value(self) -> float | None:
        """Return the value."""
        return self.row.value

    @property
    def half_width(self) -> float | None:
        """Half of the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class NamedModel(Struct, frozen=True, eq=False):
    """One model of one result, under the name that a report gives it."""

    name: str
    result: Result
    model: str

    @property
    def is_yardstick(self) -> bool:
        """Return whether it is a list made to measure by."""
        return self.model in self.result.yardsticks


def models_of(result: Result) -> tuple[NamedModel, ...]:
    """Return the models of one result under their own names."""
    return tuple(NamedModel(model, result, model) for model in result.models)


def interval(row: Row) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean over users (Student's t), which ends at the bounds of the measure.

    `None` of any other value, and where the deviation was not kept.
    """
    if row.value is None or row.std is None or row.n_users < 2 or row.aggregate != "mean" or row.repeats is not None:
        return None
    confidence = StudentT(row.value, row.std / math.sqrt(row.n_users), row.n_users - 1)
    least, largest = bounds_of(row.metric)
    return max(least, confidence.at(0.025)), min(largest, confidence.at(0.975))


def points_of(models: Iterable[NamedModel]) -> tuple[ValuePoint, ...]:
    """Return the values over all users, model by model, in the order of the result; without those that say how far values spread."""
    return tuple(
        point(one.name, row, one.is_yardstick)
        for one in models
        for row in one.result.rows
        if row.model == one.model and not is_spread(row.aggregate)
    )


def points_of_groups(models: Iterable[NamedModel]) -> Mapping[str, Sequence[ValuePoint]]:
    """Return the values within groups: what results are split by → points."""
    names = {(id(one.result), one.model): one for one in models}
    points: dict[str, list[ValuePoint]] = {}
    for result in {id(one.result): one.result for one in names.values()}.values():
        for row in result.by_group:
            one = names.get((id(result), row.model))
            if one is not None:
                points.setdefault(row.by or "", []).append(point(one.name, row, one.is_yardstick))
    return points


def point(name: str, row: Row, is_yardstick: bool = False) -> ValuePoint:
    """Return the value of a row."""
    low, high = interval(row) or (None, None)
    return ValuePoint(name, row, low, high, is_yardstick)


def by_label(points: Iterable[ValuePoint]) -> Mapping[str, Mapping[str, ValuePoint]]:
    """Measure → model → point."""
    table: dict[str, dict[str, ValuePoint]] = {}
    for one in points:
        table.setdefault(one.label, {})[one.name] = one
    return table
