"""Sums over the users of each group that results are split by; metrics know nothing of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from msgspec import Struct

from ..sums.exact import ExactSums
from ..tables.array import Array
from ..tables.category_columns import user_codes
from ..tables.graph import Choice
from ..tables.groups import GroupBy
from ..tables.notes import Notes
from ..tables.prepared import Membership
from ..tables.truth import TestPairs, TruthTable
from .aggregate import needs_values
from .measuring import ratio_terms, without_undefined
from .model_level_sums import CollectSums
from .moments import MomentTable
from .reads import sums_hits
from .scoring import GroupValues, Scorer
from .task import MeasureGroup, Task

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
