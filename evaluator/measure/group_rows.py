"""Merged sums of groups → the rows of a result: one per group, measure and aggregate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
from msgspec.structs import replace

from ..metrics.definition import Definition
from ..names.aggregate_names import is_spread
from ..names.formula import Formula
from ..results.result import Row
from ..tables.array import Array
from ..tables.groups import MISSING, GroupBy
from ..tables.prepared import Prepared
from .aggregate import aggregated, micro, needs_values
from .by_group import GROUPS, GroupSums, GroupTable, has_groups_of
from .finishing import chosen, deviation, of_means, of_ratios, ratio_sums
from .moments import Moments
from .partial import Partial
from .task import Task


def group_rows(task: Task, partial: Partial, model: str, n_shown: int, composites: Sequence[Composite] = ()) -> list[Row]:
    """The rows of the first `n_shown` measures of a task, and of arithmetic of its measures, for every group.

    A mean is over the users of the group who count. Groups stand in the order of `evaluation.by`, and each in that of its numbers or names,
    users or items without a group last. A group that a column names has rows where a user of it counts.
    """
    table = partial.more.get(GROUPS)
    if table is None:
        return []
    assert isinstance(table, GroupTable)
    rows = []
    for number, by in enumerate(task.by):
        indexes = [index for group in task.groups if has_groups_of(by, group) for index in group.indexes]
        for code, name in groups_of(task.prepared, by):
            sums = table.sums.get((number, code))
            if sums is None and not by.fixed_groups:
                continue
            own = {index: _rows(task, sums, index, model, ()) for index in indexes} if composites else {}
            shown = [_rows(task, sums, index, model, task.aggregates) for index in sorted(indexes) if index < n_shown]
            formulas = composed(model, [one for one in composites if _covered(one, task, own)], [*own.values()])[0]
            rows += [replace(row, by=by.name, group=name) for row in (*(row for of_one in shown for row in of_one), *formulas)]
    return rows


def group_remarks(task: Task, n_shown: int) -> Iterator[str]:
    """Which measures have no values by group."""
    without: dict[tuple[str, str], list[str]] = {}
    for by in task.by:
        names = (group.first.metric.name for group in task.groups if not has_groups_of(by, group) and min(group.indexes) < n_shown)
        named = ", ".join(dict.fromkeys(names))
        only = "only measures of hits are split by items" if by.kind == "items" else "only measures with a value for each user are split"
        without.setdefault((named, only), []).append(by.name)
    for (named, only), names_of_splits in without.items():
        if named:
            yield f"By {', '.join(names_of_splits)} there are no values of {named}: {only}."


def groups_of(prepared: Prepared, by: GroupBy) -> list[tuple[int, str]]:
    """The code and the name of each group, in order."""
    if by.fixed_groups:
        return list(enumerate(by.fixed_groups, 1))
    return [*((group.code, group.name) for group in prepared.memberships[by].groups), (0, MISSING)]


def _covered(composite: Composite, task: Task, indexes: Iterable[int]) -> bool:
    """Whether every measure that a formula is made of has a value by group."""
    known = {task.definitions[index] for index in indexes}
    return known.issuperset(composite.definitions)


def _rows(task: Task, sums: GroupSums | None, index: int, model: str, aggregates: Sequence[str]) -> list[Row]:
    """The rows of one measure; without `sums` nobody of the group counts."""
    definition = task.definitions[index]
    moments = None if sums is None else sums.moments.measure(index)
    rows = []
    for aggregate in chosen(definition, aggregates):
        if aggregate == "micro" and not definition.is_pooled:
            continue
        by_name = _of_nobody(aggregate) if sums is None or moments is None else _aggregated(definition, sums, moments, index, aggregate)
        rows += [
            Row(
                model,
                definition.spec.title,
                definition.k,
                name,
                value,
                0 if moments is None else moments.n,
                None if is_spread(name) else definition.higher_is_better,
                std=None if moments is None else deviation(task, name, moments),
            )
            for name, value in by_name.items()
        ]
    return rows


def _aggregated(definition: Definition, sums: GroupSums, moments: Moments, index: int, aggregate: str) -> dict[str, float | None]:
    terms = ratio_sums(definition, sums.ratios.get(index))
    if aggregate == "micro":
        return micro(terms[0::2], terms[1::2], moments.n, lambda ratios: of_ratios(definition, ratios))
    if aggregate == "mean" and definition.of_means:
        return of_means(definition, terms, moments, moments.n)
    ddof = 1 if definition.axes["std_ddof"] == "sample" else 0
    values = _values(sums, index) if needs_values(aggregate) else None
    return aggregated(aggregate, moments, ddof=ddof, values=values)


def _of_nobody(aggregate: str) -> dict[str, float | None]:
    return {"micro": None} if aggregate == "micro" else aggregated(aggregate, Moments(0, 0, 0, 0, Fraction()))


def _values(sums: GroupSums, index: int) -> Array:
    values: Array = np.concatenate([part[index] for part in sums.values])
    return values[~np.isnan(values)]


class Composite(Protocol):
    """Arithmetic of measures, and the definitions of these."""

    @property
    def formula(self) -> Formula:
        """The arithmetic."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions."""


def composed(model: str, composites: Sequence[Composite], rows: Sequence[Sequence[Row]]) -> tuple[list[Row], list[str]]:
    """The rows of formulas, computed from the `rows` of each measure; and why some have no value.

    `rows` have the own aggregate of each measure, for nearly all the mean. A formula is over as many users as the measure with the
    fewest.
    """
    first = {(of_one[0].metric, of_one[0].k): of_one[0] for of_one in rows if of_one}
    found, sentences = [], []
    for composite in composites:
        picked = {}
        for one in composite.definitions:
            picked[one.printed] = first.get((one.spec.title, one.k))
        values = {spec: row.value if row else None for spec, row in picked.items()}
        users = min((row.n_users for row in picked.values() if row), default=0)
        found.append(Row(model, composite.formula.text, None, "formula", composite.formula.value(values), users, higher_is_better=None))
        reason = composite.formula.undefined(values)
        sentences += [f"{composite.formula.text} has no value: {reason}"] if reason else []
    return found, sentences
