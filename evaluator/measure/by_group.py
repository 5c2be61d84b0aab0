"""Sums over the users of each group → one row per group, measure and aggregate; metrics know nothing of groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..metrics.definition import Definition
from ..names.formula import Formula
from ..names.short_names import is_spread
from ..results.result import Row
from ..sums.exact import ExactSums
from ..tables.array import Array
from ..tables.graph import Choice, Notes
from ..tables.item_columns import user_codes
from ..tables.prepared import MISSING, GroupBy, Membership, Prepared
from ..tables.truth import TestPairs, TruthTable
from .aggregate import compute_aggregate, micro, needs_values
from .finishing import aggregates_of, deviation, of_means, of_ratios, ratio_sums
from .measuring import ratio_terms, without_undefined
from .model_level_sums import CollectSums
from .partial import Moments, MomentTable, Partial, who_counts
from .scoring import GroupValues, Scorer
from .task import MeasureGroup, Task, sums_hits

GROUPS: Final = "groups"


class GroupSums(Struct, frozen=True, eq=False):
    """Sums over the users of one group.

    `moments` are those of every measure. `ratios` has the sums of numerators and denominators of each pooled measure, by its index.
    `values` (measures × users, NaN for a user who does not count) are kept only if an aggregate needs them.
    """

    moments: MomentTable
    ratios: Mapping[int, ExactSums]
    values: tuple[Array, ...]

    def __add__(self, other: GroupSums) -> GroupSums:
        ratios = {index: sums + other.ratios[index] for index, sums in self.ratios.items()}
        return GroupSums(self.moments + other.moments, ratios, self.values + other.values)


class GroupTable(Struct, frozen=True, eq=False):
    """Sums of each group, by the index of its grouping in `Task.by` and the code of the group; code 0: users or items without a group."""

    sums: Mapping[tuple[int, int], GroupSums]

    def __add__(self, other: GroupTable) -> GroupTable:
        mine, more = self.sums, other.sums
        both = {key: mine[key] + more[key] if key in mine and key in more else (mine.get(key) or more[key]) for key in {**mine, **more}}
        return GroupTable(both)


def sums_by_group(task: Task, scorer: Scorer, values: Array) -> GroupTable:
    """Add up the users of a part in each group, from the `values` of all measures (measures × users).

    In a group of users each user keeps these values. For a group of items, measures based on hits are computed again with only the items of
    the group relevant, over the users who have a relevant item among them; other measures have no value there.
    """
    sums: dict[tuple[int, int], GroupSums] = {}
    for number, by in enumerate(task.by):
        if by.kind == "items":
            for code, (of_group, ratios) in _of_items(task, scorer, scorer.prepared.memberships[by]):
                sums[number, code] = _sums(task, of_group, ratios, _with_value(of_group))
            continue
        codes = user_codes(by, scorer.part, scorer.prepared)
        ratios = _ratios(task, scorer, {group: scorer.values(group, CollectSums()) for group in task.of_users if _is_pooled(task, group)})
        for code in np.unique(codes[_with_value(values)]).tolist():
            sums[number, code] = _sums(task, values, ratios, codes == code)
    return GroupTable(sums)


def has_groups_of(by: GroupBy, group: MeasureGroup) -> bool:
    """Return whether measures have values by group: those with per-user values; for groups of items only those based on hits."""
    return sums_hits(group.first) if by.kind == "items" else not group.metric.per_model


Ratios = Mapping[int, tuple[Array, Array]]
"""The terms (terms × users) of each pooled measure, by its index, and a mask of those that are added up."""


def _with_value(values: Array) -> Array:
    """Return a mask of the users who have a value of any measure."""
    return np.asarray(~np.isnan(values).all(axis=0))


def _is_pooled(task: Task, group: MeasureGroup) -> bool:
    return not task.pooled.isdisjoint(group.indexes)


def _ratios(task: Task, scorer: Scorer, values_by_group: Mapping[MeasureGroup, GroupValues]) -> dict[int, tuple[Array, Array]]:
    return {
        index: ratio_terms(group_values, position)
        for group, group_values in values_by_group.items()
        if group_values.ratios
        for position, index in enumerate(group.indexes)
        if index in task.pooled
    }


def _sums(task: Task, values: Array, ratios: Ratios, mask: Array) -> GroupSums:
    """Return the sums over the users in `mask`."""
    users = np.flatnonzero(mask)
    of_group = values[:, users]
    defined = without_undefined(task, of_group)
    return GroupSums(
        MomentTable.of(defined, ~np.isnan(of_group), task.sums),
        {index: ExactSums.of(terms[:, users], has_value[:, users]) for index, (terms, has_value) in ratios.items()},
        (defined,) if any(map(needs_values, task.sums)) else (),
    )


def _of_items(task: Task, scorer: Scorer, membership: Membership) -> Iterator[tuple[int, tuple[Array, Ratios]]]:
    """Yield the code, the values (measures × users) and the ratios of each group of items in which a test pair is relevant.

    Only measures based on hits have values; the others are NaN.
    """
    groups = [group for group in task.of_users if sums_hits(group.first)]
    choices = {part.truth: scorer.choice(part) for group in groups for part in group.first.all}
    truths: dict[Choice, TruthTable] = {choice: scorer.tables.get("truth_table", choice) for choice in choices.values()}
    pairs: TestPairs = scorer.tables.get("test_pairs")
    item = membership.ids.index_of(pairs.item)
    for code in range(len(membership.groups) + 1):
        mask = membership.mask(code)[item]
        if not any((truth.relevant & mask).any() for truth in truths.values()):
            continue
        tables = scorer.tables.variant("truth_table", {choice: truth.only(mask) for choice, truth in truths.items()})
        variant = Scorer(scorer.prepared, scorer.part, tables, scorer.canonical, scorer.facts, Notes())
        values_by_group = {group: _among_relevant(variant.values(group, CollectSums())) for group in groups}
        values = np.full((len(task.definitions), scorer.part.n_users), np.nan)
        for group, group_values in values_by_group.items():
            values[list(group.indexes)] = group_values.values
        yield code, (values, _ratios(task, scorer, values_by_group))


def _among_relevant(of_group: GroupValues) -> GroupValues:
    """Return the values with NaN for users without a relevant item."""
    values = np.where(of_group.n_relevant > 0, of_group.values, np.nan)
    return GroupValues(values, of_group.counted_mask, of_group.n_relevant, of_group.n_recommended, of_group.ratios)


def group_rows(task: Task, partial: Partial, model: str, n_shown: int, composites: Sequence[Composite] = ()) -> list[Row]:
    """Return the rows of the first `n_shown` measures of a task, and of formulas of its measures, for every group.

    A mean is over the users of the group who count. Groupings are in the order of `evaluation.by`, and the groups of each in the order of
    their numbers or names; users or items without a group come last. If a column names the groups, a group has rows only if one of its
    users counts.
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
            formulas = formula_rows(model, [one for one in composites if _covered(one, task, own)], [*own.values()])[0]
            rows += [replace(row, by=by.name, group=name) for row in (*(row for of_one in shown for row in of_one), *formulas)]
    return rows


def group_remarks(task: Task, n_shown: int) -> Iterator[str]:
    """Yield a sentence for the measures that have no values by group."""
    without: dict[tuple[str, str], list[str]] = {}
    for by in task.by:
        names = (group.first.metric.name for group in task.groups if not has_groups_of(by, group) and min(group.indexes) < n_shown)
        named = ", ".join(dict.fromkeys(names))
        only = (
            "only measures based on hits can be split by items" if by.kind == "items" else "only measures with per-user values can be split"
        )
        without.setdefault((named, only), []).append(by.name)
    for (named, only), names_of_splits in without.items():
        if named:
            yield f"By {', '.join(names_of_splits)} there are no values of {named}: {only}."


def groups_of(prepared: Prepared, by: GroupBy) -> list[tuple[int, str]]:
    """Return the code and the name of each group, in order."""
    if by.fixed_groups:
        return list(enumerate(by.fixed_groups, 1))
    return [*((group.code, group.name) for group in prepared.memberships[by].groups), (0, MISSING)]


def equal_borders(scorer: Scorer, definition: Definition, n_groups: int) -> tuple[int, ...]:
    """Return the numbers of train rows at which groups of users of about equal size start.

    The users are those of the part who count for a measure if they have a list. Users with the same number of train rows are in the same
    group: a group starts at the number that is nearest to an equal part, and at the smaller one of two that are as near. Fewer than
    `n_groups` groups if this is the same number for several of them.
    """
    n_relevant: Array = scorer.tables.get("n_relevant", scorer.choice(definition))
    counts = who_counts(definition, scorer.facts, n_relevant, np.ones_like(n_relevant))
    starts, sizes = np.unique(scorer.part.rows("train").counts[counts], return_counts=True)
    if len(starts) < 2:
        return ()
    below = np.cumsum(sizes)[:-1]
    nearest = {int(np.argmin(np.abs(below * n_groups - part * sizes.sum()))) for part in range(1, n_groups)}
    return tuple(int(starts[index + 1]) for index in sorted(nearest))


def _covered(composite: Composite, task: Task, indexes: Iterable[int]) -> bool:
    """Return whether every measure in a formula has a value by group."""
    available = {task.definitions[index] for index in indexes}
    return available.issuperset(composite.definitions)


def _rows(task: Task, sums: GroupSums | None, index: int, model: str, aggregates: Sequence[str]) -> list[Row]:
    """Return the rows of one measure; `sums` is `None` if no user of the group counts."""
    definition = task.definitions[index]
    moments = None if sums is None else sums.moments.measure(index)
    rows = []
    for aggregate in aggregates_of(definition, aggregates):
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
    return compute_aggregate(aggregate, moments, ddof=ddof, values=values)


def _of_nobody(aggregate: str) -> dict[str, float | None]:
    return {"micro": None} if aggregate == "micro" else compute_aggregate(aggregate, Moments(0, 0, 0, 0, Fraction()))


def _values(sums: GroupSums, index: int) -> Array:
    values: Array = np.concatenate([part[index] for part in sums.values])
    return values[~np.isnan(values)]


class Composite(Protocol):
    """A formula of measures, and the definitions of these measures."""

    @property
    def formula(self) -> Formula:
        """Formula, such as `2 * Recall@10 - MRR@10`."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """Definitions of its measures."""


def formula_rows(model: str, composites: Sequence[Composite], rows: Sequence[Sequence[Row]]) -> tuple[list[Row], list[str]]:
    """Compute the rows of formulas from the `rows` of each measure, and sentences that say why some have no value.

    `rows` start with each measure's own aggregate, usually the mean. The number of users of a formula is that of its measure with the
    fewest.
    """
    first = {(of_one[0].metric, of_one[0].k): of_one[0] for of_one in rows if of_one}
    formulas, sentences = [], []
    for composite in composites:
        picked = {}
        for one in composite.definitions:
            picked[one.printed_spec] = first.get((one.spec.title, one.k))
        values = {spec: row.value if row else None for spec, row in picked.items()}
        users = min((row.n_users for row in picked.values() if row), default=0)
        formulas.append(Row(model, composite.formula.text, None, "formula", composite.formula.value(values), users, higher_is_better=None))
        reason = composite.formula.undefined_reason(values)
        sentences += [f"{composite.formula.text} has no value: {reason}"] if reason else []
    return formulas, sentences
