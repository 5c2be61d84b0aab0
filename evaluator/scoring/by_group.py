"""Sums over the users of each group → one row per group, measure and aggregate; metrics know nothing of groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Final, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..exact_sums.exact import ExactSums
from ..metrics.definition import Definition
from ..results.result import FEW_USERS, Row
from ..stats.equal_parts import equal_parts
from ..syntax.formula import Formula
from ..syntax.short_names import is_spread
from ..tables.array import Array
from ..tables.graph import Choice, Notes
from ..tables.item_columns import user_codes
from ..tables.prepared import GroupBy, codes_column
from ..tables.truth import TestPairs, TruthTable
from .aggregate import compute_aggregate, needs_values
from .finishing import aggregates_of, deviation, sums_aggregate
from .group_classes import count_test_rows, fits_classes, user_classes
from .measuring import ratio_terms, without_undefined
from .model_level_sums import CollectSums
from .partial import Moments, MomentTable, Partial, merge_by_key, who_counts
from .per_user import GroupValues, Scorer
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
        mine, more = self.ratios, other.ratios
        ratios = {**mine, **more} | {index: mine[index] + more[index] for index in mine.keys() & more.keys()}
        return GroupSums(self.moments + other.moments, ratios, self.values + other.values)


class GroupTable(Struct, frozen=True, eq=False):
    """Sums of each group, by the index of its grouping in `Task.by` and the code of the group; code 0: users or items without a group.

    `n_rows` has the number of test rows of each group, or combination, of test rows that has any.
    """

    sums: Mapping[tuple[int, int], GroupSums]
    n_rows: Mapping[tuple[int, int], int]

    def __add__(self, other: GroupTable) -> GroupTable:
        return GroupTable(merge_by_key(self.sums, other.sums), merge_by_key(self.n_rows, other.n_rows))


def sums_by_group(task: Task, scorer: Scorer, values: Array) -> GroupTable:
    """Add up the users of a part in each group, from the `values` of all measures (measures × users).

    In a group of users each user keeps these values. For a group of items or of test rows, measures based on hits are computed again with
    only the items of the group relevant, over the users who have a relevant item among them; other measures have no value there.
    """
    sums: dict[tuple[int, int], GroupSums] = {}
    pooled = {group: scorer.values(group, CollectSums()) for group in task.per_user_groups if _is_pooled(task, group)}
    whole = values, _ratios(task, scorer, pooled)
    for number, by in enumerate(task.by):
        tables = (
            _truth_sums(task, scorer, by) if by.groups_relevant else [_by_code(task, *whole, user_codes(by, scorer.part, scorer.prepared))]
        )
        for by_code in tables:
            for code, of_group in by_code.items():
                sums[number, code] = sums[number, code] + of_group if (number, code) in sums else of_group
    of_rows = ((number, count_test_rows(scorer, by)) for number, by in enumerate(task.by) if by.has_rows)
    return GroupTable(sums, {(number, code): n for number, counts in of_rows for code, n in counts.items()})


def _truth_sums(task: Task, scorer: Scorer, by: GroupBy) -> Iterator[dict[int, GroupSums]]:
    """Yield sums by the code of a group of items or test rows, or a combination with groups of users, of different measures."""
    alike: dict[Choice, list[MeasureGroup]] = {}
    others: list[MeasureGroup] = []
    for group in task.split_groups:
        choices = {scorer.choice(part) for part in group.first.all}
        (alike.setdefault(choices.pop(), []) if len(choices) == 1 and fits_classes(group.first) else others).append(group)
    for choice, groups in alike.items():
        classes = user_classes(scorer, by, choice)
        if classes is None:
            others += groups
            continue
        found = {group: classes.scorer.values(group, CollectSums()) for group in groups}
        values = np.full((len(task.definitions), len(classes.code)), np.nan)
        for group, of_group in found.items():
            values[list(group.indexes)] = of_group.values
        yield _by_code(task, values, _ratios(task, scorer, found), classes.code, classes.times)
    codes = user_codes(by, scorer.part, scorer.prepared)
    for cell, in_cell, ratios in _truth_cells(task, scorer, by, others) if others else ():
        yield _by_code(task, in_cell, ratios, cell + codes)


def has_groups_of(by: GroupBy, group: MeasureGroup) -> bool:
    """Return whether measures have values by group: those with per-user values; for groups of items or rows only those based on hits."""
    return sums_hits(group.first) if by.groups_relevant else not group.metric.per_model


Ratios = Mapping[int, tuple[Array, Array]]
"""The terms (terms × users) of each pooled measure, by its index, and a mask of those that are added up."""


def _with_value(values: Array) -> Array:
    """Return a mask of the users who have a value of any measure."""
    return np.asarray(~np.isnan(values).all(axis=0))


def _is_pooled(task: Task, group: MeasureGroup) -> bool:
    return not task.pooled.isdisjoint(group.indexes)


def _ratios(task: Task, scorer: Scorer, values_by_group: Mapping[MeasureGroup, GroupValues]) -> dict[int, tuple[Array, Array]]:
    return {
        index: ratio_terms(group_values, [position])
        for group, group_values in values_by_group.items()
        if group_values.ratios
        for position, index in enumerate(group.indexes)
        if index in task.pooled
    }


def _by_code(task: Task, values: Array, ratios: Ratios, codes: Array, times: Array | None = None) -> dict[int, GroupSums]:
    """Return the sums over the users with a value in each group; each user counts as often as `times` says."""
    users = np.flatnonzero(_with_value(values))
    order = users[np.argsort(codes[users], kind="stable")]
    if not len(order):
        return {}
    code = codes[order]
    starts: list[int] = [0, *(np.flatnonzero(np.diff(code)) + 1).tolist()]
    if len(order) < values.shape[1] or (np.diff(order) < 0).any():
        values, times = values[:, order], None if times is None else times[order]
        ratios = {index: (terms[:, order], has_value[:, order]) for index, (terms, has_value) in ratios.items()}
    defined = without_undefined(task, values)
    moments = MomentTable.from_ranges(defined, starts, times, ~np.isnan(values), task.sums)
    pooled = {index: ExactSums.from_ranges(terms, starts, times, has_value) for index, (terms, has_value) in ratios.items()}
    ranges = [slice(*ends) for ends in pairwise((*starts, len(order)))] if any(map(needs_values, task.sums)) else []
    kept = [(defined[:, columns] if times is None else np.repeat(defined[:, columns], times[columns], axis=1),) for columns in ranges]
    return {
        of_group: GroupSums(moments[number], {index: sums[number] for index, sums in pooled.items()}, kept[number] if kept else ())
        for number, of_group in enumerate(code[starts].tolist())
    }


Cell = tuple[int, Array, Ratios]
"""A code, the values (measures × users, NaN for measures without values) and the ratios of pooled measures."""


def _truth_cells(task: Task, scorer: Scorer, by: GroupBy, measures: Sequence[MeasureGroup]) -> Iterator[Cell]:
    """Yield the cell of each group, or combination of groups, of items and of test rows in which a test pair is relevant.

    Only these `measures` have values; the others are NaN.
    """
    alike: dict[int, dict[MeasureGroup, MeasureGroup]] = {0: {group: group for group in measures}}
    weights = scorer.prepared.code_weights(by)
    for part, weight in weights:
        if part.kind == "rows":
            names = dict(scorer.prepared.groups_by(part))
            codes = np.unique(scorer.part.rows("test").column(codes_column(part.name))).tolist()
            alike = {
                cell + weight * code: {group: same.for_row_group(part.name, names[code]) for group, same in groups.items()}
                for cell, groups in alike.items()
                for code in codes
            }
    scorers = [(0, scorer)]
    for part, weight in weights:
        if part.kind == "items":
            scorers = [
                (cell + weight * code, only)
                for cell, cell_scorer in scorers
                for code, only in _item_scorers(cell_scorer, alike.values(), part)
            ]
    for of_rows, groups in alike.items():
        for of_items, cell_scorer in scorers:
            among = {group: _among_relevant(cell_scorer.values(same, CollectSums())) for group, same in groups.items()}
            values = np.full((len(task.definitions), scorer.part.n_users), np.nan)
            for group, of_group in among.items():
                values[list(group.indexes)] = of_group.values
            yield of_rows + of_items, values, _ratios(task, scorer, among)


def _item_scorers(scorer: Scorer, alike: Iterable[Mapping[MeasureGroup, MeasureGroup]], by: GroupBy) -> Iterator[tuple[int, Scorer]]:
    """Yield the code of each group of items in which a test pair is relevant, and a scorer to which only its items are relevant."""
    membership = scorer.prepared.memberships[by]
    definitions = [part for groups in alike for group in groups.values() for part in group.first.all]
    choices = {part.truth: scorer.choice(part) for part in definitions}
    truths: dict[Choice, TruthTable] = {choice: scorer.tables.get("truth_table", choice) for choice in choices.values()}
    pairs: TestPairs = scorer.tables.get("test_pairs")
    item = membership.ids.index_of(pairs.item)
    for code in range(len(membership.groups) + 1):
        mask = membership.mask(code)[item]
        if any((truth.relevant & mask).any() for truth in truths.values()):
            tables = scorer.tables.variant("truth_table", {choice: truth.only(mask) for choice, truth in truths.items()})
            yield code, Scorer(scorer.prepared, scorer.part, tables, scorer.canonical, scorer.facts, Notes(), scorer.n_users)


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
        for code, name in task.prepared.groups_by(by):
            sums = table.sums.get((number, code))
            if sums is None and not by.fixed_groups:
                continue
            own = {index: _rows(task, sums, index, model, ()) for index in indexes} if composites else {}
            shown = [_rows(task, sums, index, model, task.aggregates) for index in sorted(indexes) if index < n_shown]
            formulas = formula_rows(model, [composite for composite in composites if _covered(composite, task, own)], [*own.values()])[0]
            n_rows = table.n_rows.get((number, code), 0) if by.has_rows else None
            rows += [
                replace(row, by=by.name, group=name, n_rows=n_rows) for row in (*(row for of_one in shown for row in of_one), *formulas)
            ]
    return rows


def group_remarks(task: Task, n_shown: int) -> Iterator[str]:
    """Yield a sentence for the measures that have no values by group."""
    without: dict[tuple[str, str], list[str]] = {}
    for by in task.by:
        names = (group.first.metric.name for group in task.groups if not has_groups_of(by, group) and min(group.indexes) < n_shown)
        named = ", ".join(dict.fromkeys(names))
        only = (
            f"only measures based on hits can be split by {by.kind}"
            if by.groups_relevant
            else "only measures with per-user values can be split"
        )
        without.setdefault((named, only), []).append(by.name)
    for (named, only), names_of_splits in without.items():
        if named:
            yield f"There are no values of {named} by {' and '.join(names_of_splits)}: {only}."


def reversals(rows: Sequence[Row], by_group: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for two models whose order over all users is the other way round in every group of a grouping.

    Only groupings with at least two groups in which both have a value. Groups in which they tie do not count, and neither do groups of a
    few users, if two others are left; the sentence says so.
    """
    found: dict[tuple[str, str | None], dict[str | None, dict[str, float]]] = {}
    users: dict[tuple[str | None, str | None], int] = {}
    better = {row.label: row.higher_is_better for row in rows if row.higher_is_better is not None}
    for row in (*rows, *by_group):
        if row.label in better and row.value is not None:
            found.setdefault((row.label, row.by), {}).setdefault(row.group, {})[row.model] = row.value if better[row.label] else -row.value
            users[row.by, row.group] = max(row.n_users, users.get((row.by, row.group), 0))
    for (label, by), groups in found.items():
        whole = found.get((label, None), {}).get(None, {})
        for model, other in permutations(whole, 2) if by is not None and len(groups) > 1 else ():
            both = {group: values for group, values in groups.items() if model in values and other in values}
            apart = {group: values for group, values in both.items() if values[model] != values[other]}
            large = [values for group, values in apart.items() if users[by, group] >= FEW_USERS]
            within = large if len(large) > 1 else list(apart.values())
            if whole[model] > whole[other] and len(within) > 1 and all(values[model] < values[other] for values in within):
                chosen = "" if len(within) == len(both) else " with a difference and enough users"
                yield (
                    f"{label}: {model} is better than {other} over all users, "
                    f"but worse in each of the {len(within)} groups of {by}{chosen}: "
                    "the value over all depends on the sizes of the groups."
                )


def equal_borders(scorer: Scorer, definition: Definition, n_groups: int) -> tuple[int, ...]:
    """Return the numbers of train rows at which groups of users of about equal size start.

    The users are those of the part who count for a measure if they have a list. Users with the same number of train rows are in the same
    group: a group starts at the number that is nearest to an equal part, and at the smaller one of two that are as near. Fewer than
    `n_groups` groups if this is the same number for several of them.
    """
    n_relevant: Array = scorer.tables.get("n_relevant", scorer.choice(definition))
    counts = who_counts(definition, scorer.facts, n_relevant, np.ones_like(n_relevant))
    return equal_parts(scorer.part.rows("train").counts[counts], n_groups)


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
        by_name = (
            _empty_aggregate(aggregate) if sums is None or moments is None else _aggregated(definition, sums, moments, index, aggregate)
        )
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
    from_sums = sums_aggregate(aggregate, definition, sums.ratios.get(index), moments, moments.n)
    if from_sums is not None:
        return from_sums
    ddof = 1 if definition.axes["std_ddof"] == "sample" else 0
    values = _values(sums, index) if needs_values(aggregate) else None
    return compute_aggregate(aggregate, moments, ddof=ddof, values=values)


def _empty_aggregate(aggregate: str) -> dict[str, float | None]:
    return {aggregate: None} if aggregate in ("micro", "weighted") else compute_aggregate(aggregate, Moments(0, 0, 0, 0, Fraction()))


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

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a higher value is better; `None` if neither direction is."""


def formula_rows(model: str, composites: Sequence[Composite], rows: Sequence[Sequence[Row]]) -> tuple[list[Row], list[str]]:
    """Compute the rows of formulas from the `rows` of each measure, and sentences that say why some have no value.

    `rows` start with each measure's own aggregate, usually the mean. The number of users of a formula is that of its measure with the
    fewest.
    """
    first = {(of_one[0].metric, of_one[0].k): of_one[0] for of_one in rows if of_one}
    formulas, sentences = [], []
    for composite in composites:
        picked = {}
        for definition in composite.definitions:
            picked[definition.printed_spec] = first.get((definition.spec.title, definition.k))
        values = {spec: row.value if row else None for spec, row in picked.items()}
        users = min((row.n_users for row in picked.values() if row), default=0)
        value, better = composite.formula.value(values), composite.higher_is_better
        formulas.append(Row(model, composite.formula.text, None, "formula", value, users, higher_is_better=better))
        reason = composite.formula.undefined_reason(values)
        sentences += [f"{composite.formula.text} has no value: {reason}"] if reason else []
    return formulas, sentences
