"""Sums over the users of each group that results are split by → one row per group, measure and aggregate; metrics know nothing of it."""

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
from .aggregate import aggregated, micro, needs_values
from .finishing import chosen, deviation, of_means, of_ratios, ratio_sums
from .measuring import ratio_terms, without_undefined
from .model_level_sums import CollectSums
from .partial import Moments, MomentTable, Partial, who_counts
from .scoring import GroupValues, Scorer
from .task import MeasureGroup, Task, sums_hits

GROUPS: Final = "groups"


class GroupSums(Struct, frozen=True, eq=False):
    """What the users of one group add up to.

    `moments` are those of every measure, `ratios` by the index of a measure that is pooled the sums of its numerators and denominators;
    `values`, measures × users, are kept where an aggregate needs them, NaN for a user who does not count.
    """

    moments: MomentTable
    ratios: Mapping[int, ExactSums]
    values: tuple[Array, ...]

    def __add__(self, other: GroupSums) -> GroupSums:
        ratios = {index: sums + other.ratios[index] for index, sums in self.ratios.items()}
        return GroupSums(self.moments + other.moments, ratios, self.values + other.values)


class GroupTable(Struct, frozen=True, eq=False):
    """The sums of each group, by the index of what results are split by and the code of the group; 0: users or items without one."""

    sums: Mapping[tuple[int, int], GroupSums]

    def __add__(self, other: GroupTable) -> GroupTable:
        mine, more = self.sums, other.sums
        both = {key: mine[key] + more[key] if key in mine and key in more else (mine.get(key) or more[key]) for key in {**mine, **more}}
        return GroupTable(both)


def sums_by_group(task: Task, scorer: Scorer, values: Array) -> GroupTable:
    """What the users of a part add to each group, given the `values` of all measures, measures × users.

    A group of users has the values that these users have. For a group of items the measures of hits are made again, with nothing relevant
    but the items of the group, over the users who have a relevant item among them; other measures have no value there.
    """
    made: dict[tuple[int, int], GroupSums] = {}
    for number, by in enumerate(task.by):
        if by.kind == "items":
            for code, (of_group, ratios) in _of_items(task, scorer, scorer.prepared.memberships[by]):
                made[number, code] = _sums(task, of_group, ratios, _with_value(of_group))
            continue
        codes = user_codes(by, scorer.part, scorer.prepared)
        ratios = _ratios(task, scorer, {group: scorer.values(group, CollectSums()) for group in task.of_users if _is_pooled(task, group)})
        for code in np.unique(codes[_with_value(values)]).tolist():
            made[number, code] = _sums(task, values, ratios, codes == code)
    return GroupTable(made)


def has_groups_of(by: GroupBy, group: MeasureGroup) -> bool:
    """Whether measures have values by group: those with a value per user; by groups of items those of hits."""
    return sums_hits(group.first) if by.kind == "items" else not group.metric.system


Ratios = Mapping[int, tuple[Array, Array]]
"""By the index of a measure that is pooled its terms, terms × users, and which of them are added up."""


def _with_value(values: Array) -> Array:
    """Which users have a value of any measure."""
    return np.asarray(~np.isnan(values).all(axis=0))


def _is_pooled(task: Task, group: MeasureGroup) -> bool:
    return not task.pooled.isdisjoint(group.indexes)


def _ratios(task: Task, scorer: Scorer, made: Mapping[MeasureGroup, GroupValues]) -> dict[int, tuple[Array, Array]]:
    return {
        index: ratio_terms(group_values, position)
        for group, group_values in made.items()
        if group_values.ratios
        for position, index in enumerate(group.indexes)
        if index in task.pooled
    }


def _sums(task: Task, values: Array, ratios: Ratios, mask: Array) -> GroupSums:
    """The sums over the users for whom the mask holds."""
    users = np.flatnonzero(mask)
    of_group = values[:, users]
    defined = without_undefined(task, of_group)
    return GroupSums(
        MomentTable.of(defined, ~np.isnan(of_group), task.sums),
        {index: ExactSums.of(terms[:, users], has_value[:, users]) for index, (terms, has_value) in ratios.items()},
        (defined,) if any(map(needs_values, task.sums)) else (),
    )


def _of_items(task: Task, scorer: Scorer, membership: Membership) -> Iterator[tuple[int, tuple[Array, Ratios]]]:
    """For each group of items of which a test pair is relevant the values of measures of hits, measures × users, and their ratios."""
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
        made = {group: _among_relevant(variant.values(group, CollectSums())) for group in groups}
        values = np.full((len(task.definitions), scorer.part.n_users), np.nan)
        for group, group_values in made.items():
            values[list(group.indexes)] = group_values.values
        yield code, (values, _ratios(task, scorer, made))


def _among_relevant(made: GroupValues) -> GroupValues:
    """The values of the users who have a relevant item."""
    values = np.where(made.n_relevant > 0, made.values, np.nan)
    return GroupValues(values, made.counts, made.n_relevant, made.n_recommended, made.ratios)


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
        only = (
            "only measures based on hits can be split by items" if by.kind == "items" else "only measures with per-user values can be split"
        )
        without.setdefault((named, only), []).append(by.name)
    for (named, only), names_of_splits in without.items():
        if named:
            yield f"There are no values of {named} by {' and '.join(names_of_splits)}: {only}."


def groups_of(prepared: Prepared, by: GroupBy) -> list[tuple[int, str]]:
    """The code and the name of each group, in order."""
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
