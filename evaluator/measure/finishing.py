"""A merged partial → the rows of a result: one per measure and aggregate, with its ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ..definitions.arrays import Array
from ..errors import DataError
from ..metrics.definition import Definition
from ..metrics.side import Params
from ..result import Row
from ..tables.part import PartData
from .aggregate import aggregated, micro, needs_values
from .ledgers import ledger
from .measuring import Task
from .moments import MomentTable, Moments
from .partial import Partial
from .scoring import Scorer, pools
from .wholes import KnownSums

_SLOW = ("bootstrap95",)
"""Aggregates that are not made again over some of the users."""


@dataclass(frozen=True, eq=False)
class Finished:
    """The rows of every measure of a task, in its order, and the values of users, where they were kept."""

    rows: list[list[Row]]
    user_values: pl.DataFrame | None


def finish(
    task: Task, partial: Partial, model: str, *, n_train_users: int | None, schemas: Mapping[str, Any], predicted: frozenset[int]
) -> Finished:
    """The rows of every measure.

    `n_train_users` divides sums under the axis divisor=train_users, `schemas` are those of the frames of a part, by source; `predicted` are
    the indexes of measures that look at predictions of a file of their own. `DataError` if a value is beyond all numbers.
    """
    _refuse_what_is_not_finite(task, partial.moments)
    values = None if partial.user_values is None else partial.user_values.frame()
    wholes = _wholes(task, partial, schemas)
    made = []
    for index, definition in enumerate(task.definitions):
        moments = partial.moments.measure(index)
        if index in wholes:
            rows = [_of_whole(model, definition, params, value, moments.n) for params, value in wholes[index]]
        else:
            rows = _rows(task, partial, index, model, n_train_users, values)
        n_counted = moments.n
        entry = ledger(
            definition,
            partial.cells[index],
            partial.valued[index],
            partial.others[index],
            n_counted,
            predicted=index in predicted,
        )
        parts = {} if definition.metric.system else _parts(task, partial, index, values)
        made.append([replace(row, ledger=_with_values(replace(entry), row, parts)) for row in rows])
    return Finished(made, values)


def _rows(task: Task, partial: Partial, index: int, model: str, n_train_users: int | None, values: pl.DataFrame | None) -> list[Row]:
    definition, moments = task.definitions[index], partial.moments.measure(index)
    divisor = n_train_users if definition.counted.divisor == "train_users" and n_train_users else moments.n
    rows = []
    for aggregate in chosen(definition, task.aggregates):
        if aggregate == "micro":
            if not pools(definition):
                continue
            found = _pooled(definition, partial, index, moments.n)
        else:
            found = _aggregated(aggregate, definition, moments, divisor, _of_index(values, index, aggregate))
        n = divisor if aggregate == "mean" else moments.n
        rows += [
            Row(model, definition.spec.title, definition.k, name, value, n, definition.higher_is_better) for name, value in found.items()
        ]
    return rows


def chosen(definition: Definition, aggregates: Sequence[str]) -> tuple[str, ...]:
    """The aggregates to compute of a measure: those asked for, or its own."""
    return tuple(aggregates) or (definition.average,)


def _aggregated(aggregate: str, definition: Definition, moments: Moments, divisor: int, values: Array | None) -> dict[str, float | None]:
    ddof = 1 if definition.axes["std_ddof"] == "sample" else 0
    return aggregated(aggregate, moments, divisor=divisor, ddof=ddof, values=values)


def _of_index(values: pl.DataFrame | None, index: int, aggregate: str) -> Array | None:
    if values is None or not needs_values(aggregate):
        return None
    return values[f"v{index}"].drop_nulls().to_numpy()


def _pooled(definition: Definition, partial: Partial, index: int, n_users: int) -> dict[str, float | None]:
    sums = partial.ratios[index].values() if index in partial.ratios else np.zeros(2 * max(1, len(definition.of)))

    def combine(parts: Sequence[float]) -> float:
        return pooled_value(definition, parts)

    return micro(sums[0::2].tolist(), sums[1::2].tolist(), n_users, combine)


def pooled_value(definition: Definition, parts: Sequence[float]) -> float:
    """The pooled value of a measure, given that of the ratio, or of each metric that it combines."""
    from ..definitions.measure import plain
    from .combining import combined

    return parts[0] if not definition.of else float(plain(combined(definition, parts)).item())


def _parts(task: Task, partial: Partial, index: int, values: pl.DataFrame | None) -> dict[str, tuple[int, dict[str, float | None]]]:
    """Over the users with a list (`covered`), and over those whom train holds (`warm`): how many count, and the values by aggregate."""
    definition = task.definitions[index]
    plain = [name for name in task.aggregates if name not in _SLOW] or (["mean"] if task.aggregates else [])
    found = {}
    for name, table in (("covered", partial.covered), ("warm", partial.warm)):
        if table is None:
            continue
        moments = table.measure(index)
        by_aggregate: dict[str, float | None] = {}
        for aggregate in chosen(definition, plain):
            if aggregate == "micro":
                continue
            of_some = None
            if values is not None and needs_values(aggregate):
                mask = values[
                    f"listed{index}"
                    if name == "covered" and f"listed{index}" in values.columns
                    else {"covered": "listed", "warm": "warm"}[name]
                ]
                of_some = values.filter(mask)[f"v{index}"].drop_nulls().to_numpy()
            by_aggregate |= _aggregated(aggregate, definition, moments, moments.n, of_some)
        found[name] = (moments.n, by_aggregate)
    return found
