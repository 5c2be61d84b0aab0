"""A merged partial → the rows of a result: one per measure and aggregate, with its ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..exact_sums.exact import ExactSums
from ..metrics.definition import Definition
from ..metrics.measure import Measure, plain
from ..results.result import Row
from ..results.row import Ledger
from ..syntax.measure_strings import Params
from ..syntax.short_names import is_spread
from ..tables.array import Array
from ..tables.rows import PartData
from .aggregate import compute_aggregate, micro, needs_values, weighted_mean
from .model_level_sums import ReplaySums
from .partial import CELLS, Moments, MomentTable, Partial, UserCell, UserFacts, who_counts
from .per_user import Scorer, beyond_numbers
from .task import Task


def ledger(definition: Definition, cells: Array, valued: Array, others: Array, counted: int, *, predicted: bool) -> Ledger:
    """Return the ledger of a measure: how many users count, and how many are left out or filled in, by reason.

    `cells` are the numbers of users by cell, `valued` those of users with a value. `others` is used if the measure is averaged over the
    users of train or of the reference model: the numbers of these users, of users in test or lists, and of users in both. `predicted`: the
    measure reads predictions from a file of their own, which may cover users without a list.
    """
    users = {cell: n for cell, n in zip(CELLS, cells.tolist(), strict=True) if any(cell) and n}
    base = Ledger(
        in_truth=sum(n for cell, n in users.items() if cell.tested),
        in_lists=sum(n for cell, n in users.items() if cell.listed),
        in_both=sum(n for cell, n in users.items() if cell.tested and cell.listed),
        counted=counted,
    )
    if definition.population in ("train", "baseline"):
        n_others, n_own, n_shared = (int(number) for number in others)
        return replace(
            base, others=n_others - n_shared, left_out_of_others=n_own - n_shared, left_out_without_value=n_others - base.counted
        )
    tested, relevant, listed, empty = np.array([*users], dtype=np.bool_).reshape(-1, len(UserCell._fields)).T
    counts = who_counts(definition, UserFacts(tested, None, None, empty), relevant, listed)
    fits = dict(zip(users, counts.tolist(), strict=True))
    without_value = sum(n for cell, n in users.items() if fits[cell]) - counted
    judged = definition.population in ("test", "tested")
    reasons: dict[str, int] = {}
    for cell, n in users.items():
        why = _why(cell, fits[cell], judged and (not predicted or not fits[cell]))
        if why:
            n_there = int(valued[cell.code]) if fits[cell] and without_value and not definition.metric.per_model else n
            reasons[why] = reasons.get(why, 0) + n_there
    return replace(base, **reasons, left_out_without_value=without_value)


def _why(cell: UserCell, counts: bool, judged: bool) -> str:
    """Return the ledger column that counts the users of a cell; empty if they count without being filled in.

    No user is filled in if the measure is averaged over users with lists, whatever the test file has.
    """
    if counts:
        if not judged:
            return ""
        reasons = (("filled_without_list", cell.listed), ("filled_without_truth", cell.tested), ("filled_without_relevant", cell.relevant))
    else:
        truth = (("left_out_without_truth", cell.tested), ("left_out_without_relevant", cell.relevant))
        lists = (("left_out_without_list", cell.listed),)
        reasons = (*truth, *lists) if judged else (*lists, *truth)
    return next((name for name, has in reasons if not has), "")


_SLOW: Final = ("bootstrap95",)
"""Aggregates that are not computed over covered or warm users only, because they are slow."""


class FinishedRows(Struct, frozen=True, eq=False):
    """Rows of every measure of a task, in its order, and the per-user values if they were kept."""

    rows: list[list[Row]]
    user_values: pl.DataFrame | None


def finish(
    task: Task, partial: Partial, model: str, *, n_train_users: int | None, schemas: Mapping[str, Any], predicted: frozenset[int]
) -> FinishedRows:
    """Return the rows of every measure.

    `n_train_users` divides sums under the axis divisor=train_users. `schemas` are those of the frames of a part, by source. `predicted` are
    the indexes of measures that read predictions from a file of their own. `DataError` if a value is too large for a float.
    """
    _refuse_what_is_not_finite(task, partial.moments)
    values = None if partial.user_values is None or partial.user_values.dropped else partial.user_values.frame()
    wholes = _wholes(task, partial, schemas)
    rows_of_measures = []
    for index, definition in enumerate(task.definitions):
        moments = partial.moments.measure(index)
        if index in wholes:
            rows = [_model_level_row(model, definition, params, value, moments.n) for params, value in wholes[index]]
        else:
            rows = _rows(task, partial, index, model, n_train_users, values)
        entry = ledger(
            definition,
            partial.cells[index],
            partial.valued[index],
            partial.others[index],
            moments.n,
            predicted=index in predicted,
        )
        parts = {} if definition.metric.per_model else _parts(task, partial, index, values)
        rows_of_measures.append([replace(row, ledger=_with_values(entry, row, parts)) for row in rows])
    return FinishedRows(rows_of_measures, values)


def _rows(task: Task, partial: Partial, index: int, model: str, n_train_users: int | None, values: pl.DataFrame | None) -> list[Row]:
    definition, moments = task.definitions[index], partial.moments.measure(index)
    divisor = n_train_users if definition.user_rules.divisor == "train_users" and n_train_users else moments.n
    rows = []
    for aggregate in aggregates_of(definition, task.aggregates):
        if aggregate == "micro" and not definition.is_pooled:
            continue
        by_name = sums_aggregate(aggregate, definition, partial.ratios.get((index, "all")), moments, divisor)
        if by_name is None:
            by_name = _aggregated(aggregate, definition, moments, divisor, _measure_values(values, index, aggregate))
        if aggregate == "mean" and not moments.n and definition.user_rules.no_hits == "drop_or_zero":
            by_name = {aggregate: 0.0}
        n = divisor if aggregate == "mean" else moments.n
        better = None if is_spread(aggregate) else definition.higher_is_better
        rows += [
            Row(model, definition.spec.title, definition.k, name, value, n, better, std=deviation(task, name, moments))
            for name, value in by_name.items()
        ]
    return rows


def deviation(task: Task, aggregate: str, moments: Moments) -> float | None:
    """Return the standard deviation (divisor n - 1) beside a mean of per-user values, if the task asks for it, else `None`."""
    return compute_aggregate("std", moments, ddof=1)["std"] if task.deviations and aggregate == "mean" else None


def aggregates_of(definition: Definition, aggregates: Sequence[str]) -> tuple[str, ...]:
    """Return the aggregates to compute for a measure: `aggregates`, or its own if there are none."""
    return definition.aggregates(aggregates)


def _aggregated(aggregate: str, definition: Definition, moments: Moments, divisor: int, values: Array | None) -> dict[str, float | None]:
    ddof = 1 if definition.axes["std_ddof"] == "sample" else 0
    return compute_aggregate(aggregate, moments, divisor=divisor, ddof=ddof, values=values)


def _measure_values(values: pl.DataFrame | None, index: int, aggregate: str, users: str | None = None) -> Array | None:
    """Return the values of a measure if an aggregate needs them: of all users who count, or of those flagged in the column `users`."""
    if values is None or not needs_values(aggregate):
        return None
    column = values[f"v{index}"]
    return (column if users is None else column.filter(values[users])).drop_nulls().to_numpy()


def sums_aggregate(
    aggregate: str, definition: Definition, ratios: ExactSums | None, moments: Moments, divisor: int
) -> dict[str, float | None] | None:
    """Return an aggregate that is computed from the sums of numerators and denominators; `None` if it is another."""
    terms = ratio_sums(definition, ratios)
    if aggregate == "micro":
        return micro(terms[0::2], terms[1::2], moments.n, lambda each: ratios_value(definition, each))
    if aggregate == "weighted":
        return weighted_mean(terms[0], terms[1], moments)
    return means_aggregate(definition, terms, moments, divisor) if aggregate == "mean" and definition.combines_means else None


def means_aggregate(definition: Definition, sums: Sequence[float], moments: Moments, divisor: int) -> dict[str, float | None]:
    """Combine the means of the metrics of a measure; each mean is a sum of values (every second of `sums`) divided by `divisor`."""
    if not moments.n or moments.n_undefined:
        return {"mean": None}
    return {"mean": combine(definition, [total / divisor for total in sums[0::2]])}


def ratio_sums(definition: Definition, sums: ExactSums | None) -> list[float]:
    """Return numerators and denominators in turn, summed over users; zeros if there are no sums."""
    n_ratios = len(definition.components) if definition.combines_means else definition.n_leaves
    return [0.0] * 2 * n_ratios if sums is None else list(map(float, sums.values()))


def ratios_value(definition: Definition, ratios: Sequence[float]) -> float:
    """Return the pooled value of a measure from the pooled value of each of its ratios."""
    if not definition.components:
        return ratios[0]
    parts, start = [], 0
    for component in definition.components:
        parts.append(ratios_value(component, ratios[start : start + component.n_leaves]))
        start += component.n_leaves
    return combine(definition, parts)


def combine(definition: Definition, parts: Sequence[float]) -> float:
    """Return the value of a measure from one value of each metric that it combines."""
    body = definition.metric.define
    of = tuple(np.full((1, 1), part) for part in parts)
    pooled = cast(Measure, CombinationInput(definition.params, of))  # such a body reads only these two fields
    return float(plain(body(pooled)).item())


class CombinationInput(Struct, frozen=True, eq=False):
    """Input for the body of a combining metric when it combines pooled values: parameters, and one value per metric."""

    params: Mapping[str, Any]
    components: tuple[Array, ...]


def _parts(task: Task, partial: Partial, index: int, values: pl.DataFrame | None) -> dict[str, tuple[int, dict[str, float | None]]]:
    """Return the number of users and the value of each aggregate over users with a list (`covered`) and over users in train (`warm`)."""
    definition = task.definitions[index]
    plain_ones = [name for name in task.aggregates if name not in _SLOW] or (["mean"] if task.aggregates else [])
    values_of_users = {}
    for users, table in (("covered", partial.covered), ("warm", partial.warm)):
        if table is None:
            continue
        moments = table.measure(index)
        by_aggregate: dict[str, float | None] = {}
        for aggregate in aggregates_of(definition, plain_ones):
            if aggregate == "micro" and not definition.is_pooled:
                continue
            from_sums = sums_aggregate(aggregate, definition, partial.ratios.get((index, users)), moments, moments.n)
            if from_sums is not None:
                by_aggregate |= from_sums
                continue
            flags = f"{users}{index}" if values is not None and f"{users}{index}" in values else users
            by_aggregate |= _aggregated(aggregate, definition, moments, moments.n, _measure_values(values, index, aggregate, flags))
        values_of_users[users] = (moments.n, by_aggregate)
    return values_of_users


def _with_values(ledger: Ledger, row: Row, parts: Mapping[str, tuple[int, Mapping[str, float | None]]]) -> Ledger:
    """Return `ledger` with the values over covered and over warm users, if these are fewer than all users who count."""
    more: dict[str, Any] = {}
    for users, (n, by_aggregate) in parts.items():
        more[users] = n
        more[f"{users}_value"] = by_aggregate.get(row.aggregate) if n < ledger.counted else None
    return replace(ledger, **more)


def _wholes(task: Task, partial: Partial, schemas: Mapping[str, Any]) -> dict[int, list[tuple[Params, float | None]]]:
    """Return, by the index of each model-level measure, its values with the parameters that distinguish them."""
    if not task.model_level_groups:
        return {}
    scorer = Scorer.for_part(task.prepared, PartData({name: pl.DataFrame(schema=schema) for name, schema in schemas.items()}))
    values_of_models: dict[int, list[tuple[Params, float | None]]] = {}
    for number, group in enumerate(task.groups):
        if not group.metric.per_model:
            continue
        counts, _, _ = scorer.counts(group.first)
        result = scorer.body(group, ReplaySums(partial.totals[number], partial.items), counts)
        parts = result if isinstance(result, Mapping) else {(): result}
        for position, index in enumerate(group.indexes):
            values_of_models[index] = [(params, _number(value, position)) for params, value in parts.items()]
    return values_of_models


def _number(value: Any, position: int) -> float | None:
    """Return the value at one cut-off; `None` if there is none (NaN)."""
    column = np.reshape(np.asarray(value, dtype=np.float64), -1)
    number = float(column[position if len(column) > 1 else 0])
    return None if np.isnan(number) else number


def _model_level_row(model: str, definition: Definition, params: Params, value: float | None, n_users: int) -> Row:
    titled = replace(definition.spec, params=(*definition.spec.params, *params))
    return Row(model, titled.title, definition.k, "system", value, n_users, definition.higher_is_better)


def _refuse_what_is_not_finite(task: Task, moments: MomentTable) -> None:
    for index, definition in enumerate(task.definitions):
        of_measure = moments.measure(index)
        if of_measure.n_positive_infinite or of_measure.n_negative_infinite:
            raise beyond_numbers(definition)
