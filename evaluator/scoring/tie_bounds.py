"""Tied scores → the lowest, the mean and the highest value of each measure over all orders of the ties."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..exact_sums.exact import ExactSums, round_fraction
from ..metrics.definition import Definition
from ..results.result import Row
from ..tables.array import Array
from ..tables.graph import Choice
from ..tables.rows import Rows
from ..tables.tied_scores import TieRuns, expected_ranks, n_expected_ranks, reorder_hits
from .model_level_sums import CollectSums
from .partial import MomentTable
from .per_user import GroupValues, Scorer
from .task import MeasureGroup, group_measures

_MOST_RANKS: Final = 5_000_000
"""Maximal number of ranks of hits in one chunk."""
_AGGREGATES: Final = ("mean", "sum", "micro", "weighted")
_ORDERS: Final = ("worst", "best", "expected")

_REASONS: Final = (
    "lists are cut before seen, unknown or repeated items are removed",
    "tied items that are not candidates count",
    "a duplicate test row counts as one more relevant item",
    "each repeat of an item in a list counts as a negative",
    "a list repeats one of several relevant items with the same score",
    "ranks count as written, and have gaps or ties",
)
"""Reasons for which measures may have no exact bounds."""

Reorder = Callable[[Rows, TieRuns], Rows]


class Bounds(NamedTuple):
    """Range of a value over all orders of the ties; `expected` if every order is equally likely."""

    least: float
    expected: float
    most: float


class TieBlock(Struct, frozen=True):
    """Measures whose lists compare scores in the same precision (`single` or double).

    `positions` are their indexes among all measures that have bounds. `groups` are the measures in groups; `exact_groups` are the same
    without rounding per-user values, because the mean of rounded values is not the rounded mean. `pooled` are the indexes in `definitions`
    of measures that are pooled over users, or weighted: their numerators are added up, and no order of ties changes a denominator.
    """

    single: bool
    positions: tuple[int, ...]
    definitions: tuple[Definition, ...]
    groups: tuple[MeasureGroup, ...]
    exact_groups: tuple[MeasureGroup, ...]
    pooled: frozenset[int] = frozenset()

    @property
    def deepest(self) -> int | None:
        """Largest cut-off; `None` if a measure reads whole lists."""
        cutoffs = [definition.k for definition in self.definitions]
        return None if None in cutoffs else max(k for k in cutoffs if k is not None)

    def with_only(self, bounded: Array) -> TieBlock:
        """Return the block with only the `bounded` measures."""
        groups = (tuple(group for group in each if bounded[group.indexes[0]]) for each in (self.groups, self.exact_groups))
        return replace(self, **dict(zip(("groups", "exact_groups"), groups, strict=True)))

    @property
    def rounds(self) -> bool:
        """True if a measure rounds per-user values."""
        return any(definition.axes["float_type"] != "float64" for definition in self.definitions)


class TieMeasures(Struct, frozen=True):
    """Measures that have exact bounds if scores tie: their `indexes` among all measures, and the blocks that compute them."""

    indexes: tuple[int, ...]
    blocks: tuple[TieBlock, ...]

    @classmethod
    def from_definitions(cls, definitions: Sequence[Definition], aggregates: Sequence[str]) -> TieMeasures:
        """Choose the `definitions` that are averaged, added up or pooled over users: bounds are those of the mean, the sum or the ratio."""
        kinds = [_summed_terms(definition, aggregates) for definition in definitions]
        indexes = tuple(index for index, kind in enumerate(kinds) if kind)
        blocks = []
        for single in (False, True):
            positions = tuple(
                position for position, index in enumerate(indexes) if (definitions[index].lists.score_type == "float32") == single
            )
            if positions:
                own = tuple(definitions[indexes[position]] for position in positions)
                exact = [replace(definition, axes={**definition.axes, "float_type": "float64"}) for definition in own]
                pooled = frozenset(place for place, position in enumerate(positions) if kinds[indexes[position]] == "numerators")
                blocks.append(TieBlock(single, positions, own, group_measures(own), group_measures(exact), pooled))
        return cls(indexes, tuple(blocks))


def _summed_terms(definition: Definition, aggregates: Sequence[str]) -> str:
    """Return what is added up over users: `values`, or `numerators` of one that is only pooled, or weighted; empty if it has no bounds."""
    chosen = [aggregate for aggregate in definition.aggregates(aggregates) if aggregate in _AGGREGATES]
    if not definition.has_tie_bounds or not chosen:
        return ""
    if any(aggregate in ("mean", "sum") for aggregate in chosen):
        return "values"
    if definition.is_weighted:
        return "numerators"
    return "numerators" if definition.is_pooled and not definition.components else ""


class TieSums(Struct, frozen=True, eq=False):
    """Exact sums over the users with tied scores, one for each measure that has bounds.

    `plain` are the sums of values in the order of the lists, `orders` those in the worst, the best and the mean order. `unbounded` encodes
    why a measure has no exact bounds: the sum of 2 to the power of the index of each reason in `_REASONS`; 0 if it has bounds.
    """

    plain: ExactSums
    orders: tuple[ExactSums, ...]
    unbounded: Array

    def __add__(self, other: TieSums) -> TieSums:
        orders = tuple(own + more for own, more in zip(self.orders, other.orders, strict=True))
        return TieSums(self.plain + other.plain, orders, self.unbounded | other.unbounded)


def tie_sums(scorer: Scorer, measures: TieMeasures, values: Array) -> TieSums:
    """Return the sums over the users of a part who have tied scores, from the `values` of all measures (measures × users)."""
    n = len(measures.indexes)
    unbounded = np.zeros(n, dtype=np.int64)
    sums = [ExactSums.zeros(n)] * (1 + len(_ORDERS))
    for block in measures.blocks:
        for group in block.groups:
            unbounded[[block.positions[index] for index in group.indexes]] = _why_no_bounds(scorer, group.first, block.single)
        block = block.with_only(unbounded[list(block.positions)] == 0)
        plain = values[[measures.indexes[position] for position in block.positions]]
        for group in block.groups:
            if block.pooled.intersection(group.indexes):
                plain[list(group.indexes)] = _added_up(scorer.values(group, CollectSums()), pooled=True)
        for users, orders in _by_chunk(scorer, block):
            own = plain[:, users]
            counted = np.isfinite(own) & (unbounded[list(block.positions), None] == 0)
            for place, each in enumerate((own, *orders)):
                terms = np.zeros((n, len(users)))
                terms[list(block.positions)] = np.where(counted & np.isfinite(each), each, 0.0)
                sums[place] = sums[place] + ExactSums.from_values(terms)
    return TieSums(sums[0], tuple(sums[1:]), unbounded)


def _why_no_bounds(scorer: Scorer, definition: Definition, single: bool) -> int:
    """Return why a measure has no exact bounds, in the code of `TieSums.unbounded`."""
    holds = (
        scorer.tables.get("reading", scorer.choice(definition)).dropped is not None,
        _counts_other_items(scorer, definition, single),
        "row" in definition.truth.duplicates and bool(scorer.tables.get("test_pairs").repeats),
        definition.metric.family == "auc" and scorer.tables.get("reading", scorer.choice(definition)).still_repeats,
        any(_has_copies_among_hits(scorer, choice, single) for choice in {scorer.choice(part) for part in definition.all}),
        scorer.tables.get("reading", scorer.choice(definition)).file_rank is not None,
    )
    return sum(1 << place for place, reason in enumerate(holds) if reason)


def _counts_other_items(scorer: Scorer, definition: Definition, single: bool) -> bool:
    """Return whether the order of ties decides which items above a cut-off count as candidates although they are not."""
    if definition.k is None or "outside" not in definition.tables:
        return False
    choice = scorer.choice(definition)
    runs: TieRuns = scorer.tables.get("tie_runs", choice, single=single)
    return bool((runs.run_of(scorer.tables.get("outside", choice)) >= 0).any())


def _has_copies_among_hits(scorer: Scorer, choice: Choice, single: bool) -> bool:
    """Return whether a run has several hits, and one of them in several rows, so that one order need not be the worst for all measures."""
    copies = scorer.tables.get("tied_copies", choice, single=single)
    if not (copies > 1).any():
        return False
    run = scorer.tables.get("tie_runs", choice, single=single).run_of(scorer.tables.get("hits", choice))
    return bool((np.bincount(run[run >= 0])[run[copies > 1]] > 1).any())


def _by_chunk(scorer: Scorer, block: TieBlock) -> Iterator[tuple[Array, list[Array]]]:
    """Yield users with ties in chunks: their indexes, and their values (measures × users) in the worst, the best and the mean order."""
    tied, n_ranks = _users_with_ties(scorer, block)
    if not tied.any():
        return
    indexes = np.flatnonzero(tied)
    chunk = (np.cumsum(n_ranks[indexes]) // _MOST_RANKS).astype(np.int64)
    for number in np.unique(chunk):
        users = indexes[chunk == number]
        if 2 * len(users) > scorer.part.n_users:
            yield users, [values[:, users] for values in _in_every_order(scorer, block)]
            continue
        mask = np.zeros(scorer.part.n_users, dtype=np.bool_)
        mask[users] = True
        yield users, _in_every_order(Scorer.for_part(scorer.prepared, scorer.part.for_users(mask)), block)


def _users_with_ties(scorer: Scorer, block: TieBlock) -> tuple[Array, Array]:
    """Return a mask of the users to measure again, and the maximal number of ranks that their hits may take.

    If no hit of a user is tied, the user has one value in all orders and is left out, unless values are rounded.
    """
    users = np.zeros(scorer.part.n_users, dtype=np.bool_)
    n_ranks = np.zeros(scorer.part.n_users)
    for choice in _choices(scorer, block):
        runs: TieRuns = scorer.tables.get("tie_runs", choice, single=block.single)
        if not len(runs):
            continue
        hits: Rows = scorer.tables.get("hits", choice)
        users[runs.user if block.rounds else hits.user[runs.run_of(hits) >= 0]] = True
        n_ranks = np.maximum(n_ranks, n_expected_ranks(hits, runs, block.deepest))
    return users, n_ranks


def _choices(scorer: Scorer, block: TieBlock) -> list[Choice]:
    return list(dict.fromkeys(scorer.choice(part) for group in block.groups for part in group.first.all))


def _in_every_order(scorer: Scorer, block: TieBlock) -> list[Array]:
    """Return the values of all users of a part (measures × users) in the worst, the best and the mean order."""
    mean: Reorder = partial(expected_ranks, deepest=block.deepest)
    return [
        _reordered(scorer, block, block.groups, partial(reorder_hits, best=False)),
        _reordered(scorer, block, block.groups, partial(reorder_hits, best=True)),
        _reordered(scorer, block, block.exact_groups, mean),
    ]


def _reordered(scorer: Scorer, block: TieBlock, groups: Sequence[MeasureGroup], reorder: Reorder) -> Array:
    """Return the values of all users with the hits in another order."""
    hits: dict[Choice, Rows] = {}
    for choice in _choices(scorer, block):
        copies = scorer.tables.get("tied_copies", choice, single=block.single)
        with_copies = scorer.tables.get("hits", choice).with_columns(copies=copies)
        hits[choice] = reorder(with_copies, scorer.tables.get("tie_runs", choice, single=block.single))
    other = replace(scorer, tables=scorer.tables.variant("hits", hits), _bodies={})
    values = np.empty((len(block.definitions), scorer.part.n_users))
    for group in groups:
        values[list(group.indexes)] = _added_up(other.values(group, CollectSums()), bool(block.pooled.intersection(group.indexes)))
    return values


def _added_up(of_group: GroupValues, pooled: bool) -> Array:
    """Return the per-user values, or the numerators of a `pooled` measure."""
    if not pooled:
        return of_group.values
    ((numerators, _),) = of_group.ratios
    return np.where(np.isnan(of_group.values), np.nan, numerators)


def bounds(
    measures: TieMeasures,
    sums: TieSums,
    moments: MomentTable,
    rows: Mapping[int, Sequence[Row]],
    ratios: Mapping[tuple[int, str], ExactSums],
) -> dict[str, Bounds]:
    """Return the bounds of every measure that has exact ones, by its label; `rows` are those of each measure, by its index.

    `ratios` has the sums of numerators and denominators of pooled measures, over `all` users.
    """
    pooled = {block.positions[place] for block in measures.blocks for place in block.pooled}
    by_label = {}
    for position, index in enumerate(measures.indexes):
        aggregates = ("micro", "weighted") if position in pooled else ("mean", "sum")
        row = next((row for row in rows[index] if row.aggregate in aggregates), None)
        if row is None or sums.unbounded[position]:
            continue
        if position in pooled:
            total, divisor = (ratios[index, "all"].fraction(part) for part in (0, 1))
        else:
            total, divisor = moments.totals.fraction(index), Fraction(1 if row.aggregate == "sum" else row.n_users)
        untied = total - sums.plain.fraction(position)
        totals = [untied + order.fraction(position) for order in sums.orders]
        worst, best, mean = (round_fraction(total, divisor) if divisor else 0.0 for total in totals)
        by_label[row.label] = Bounds(min(worst, best), mean, max(worst, best))
    return by_label


def unbounded(measures: TieMeasures, sums: TieSums, rows: Mapping[int, Sequence[Row]]) -> dict[str, str]:
    """Return why measures have no exact bounds in this data, by the label of their first row."""
    by_label = {}
    for position, index in enumerate(measures.indexes):
        reason = next((reason for place, reason in enumerate(_REASONS) if sums.unbounded[position] >> place & 1), None)
        if reason is not None and rows[index]:
            by_label[rows[index][0].label] = reason
    return by_label
