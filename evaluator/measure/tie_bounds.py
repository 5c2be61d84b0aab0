"""Tied scores → the least, the mean and the most that each measure can be over all orders of the ties."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..metrics.definition import Definition
from ..results.result import Row
from ..sums.exact import ExactSums, round_fraction
from ..tables.array import Array
from ..tables.graph import Choice
from ..tables.rows import Rows
from ..tables.tied_scores import TieRuns, expected_ranks, n_expected_ranks, reorder_hits
from .model_level_sums import CollectSums
from .partial import MomentTable
from .scoring import GroupValues, Scorer
from .task import MeasureGroup, grouped

_MOST_RANKS: Final = 5_000_000
"""How many ranks of hits are looked at together, at most."""
_AGGREGATES: Final = ("mean", "sum", "micro")
_ORDERS: Final = ("worst", "best", "expected")

_REASONS: Final = (
    "lists are cut before seen or unknown items are removed",
    "tied items that are not candidates count",
    "a duplicate test row counts as one more relevant item",
)
"""Why measures may have no exact bounds."""

Reorder = Callable[[Rows, TieRuns], Rows]


class Bounds(NamedTuple):
    """What a value can be over all orders of the ties; `expected` if every order is as likely."""

    least: float
    expected: float
    most: float


class TieBlock(Struct, frozen=True):
    """Measures whose lists compare scores in the same precision (`single` or double).

    `positions` are their places among all measures that have bounds; `groups` is how they are measured, `exact_groups` the same
    without rounding users' values, since the mean of rounded values is not the rounded mean. Those of which the places in `definitions`
    are `pooled` are pooled over users: their numerators are added up, and no order of ties changes a denominator.
    """

    single: bool
    positions: tuple[int, ...]
    definitions: tuple[Definition, ...]
    groups: tuple[MeasureGroup, ...]
    exact_groups: tuple[MeasureGroup, ...]
    pooled: frozenset[int] = frozenset()

    @property
    def deepest(self) -> int | None:
        """The largest cut-off; `None` if a measure looks at whole lists."""
        cutoffs = [definition.k for definition in self.definitions]
        return None if None in cutoffs else max(k for k in cutoffs if k is not None)

    def of(self, bounded: Array) -> TieBlock:
        """The block in which only the `bounded` measures are measured."""
        groups = (tuple(group for group in each if bounded[group.indexes[0]]) for each in (self.groups, self.exact_groups))
        return replace(self, **dict(zip(("groups", "exact_groups"), groups, strict=True)))

    @property
    def rounds(self) -> bool:
        """Whether a measure rounds users' values."""
        return any(definition.axes["float_type"] != "float64" for definition in self.definitions)


class TieMeasures(Struct, frozen=True):
    """The measures that have exact bounds where scores tie: their `indexes` among all measures."""

    indexes: tuple[int, ...]
    blocks: tuple[TieBlock, ...]

    @classmethod
    def of(cls, definitions: Sequence[Definition], aggregates: Sequence[str]) -> TieMeasures:
        """Those of `definitions` that are averaged, added up or pooled over users: bounds are those of the mean, the sum or the ratio."""
        made_of = [_made_of(definition, aggregates) for definition in definitions]
        indexes = tuple(index for index, kind in enumerate(made_of) if kind)
        blocks = []
        for single in (False, True):
            positions = tuple(
                position for position, index in enumerate(indexes) if (definitions[index].lists.score_type == "float32") == single
            )
            if positions:
                own = tuple(definitions[indexes[position]] for position in positions)
                exact = [replace(definition, axes={**definition.axes, "float_type": "float64"}) for definition in own]
                pooled = frozenset(place for place, position in enumerate(positions) if made_of[indexes[position]] == "numerators")
                blocks.append(TieBlock(single, positions, own, grouped(own), grouped(exact), pooled))
        return cls(indexes, tuple(blocks))


def _made_of(definition: Definition, aggregates: Sequence[str]) -> str:
    """What of a measure is added up over users: its `values`, or its `numerators` where it is only pooled; empty if it has no bounds."""
    chosen = [aggregate for aggregate in aggregates or (definition.average,) if aggregate in _AGGREGATES]
    if not definition.has_tie_bounds or not chosen:
        return ""
    if any(aggregate != "micro" for aggregate in chosen):
        return "values"
    return "numerators" if definition.is_pooled and not definition.components else ""


class TieSums(Struct, frozen=True, eq=False):
    """Exact sums over the users with tied scores, one for each measure that has bounds: of their values, and of those in other orders.

    `plain` are the values as the lists stand, `orders` those in the worst, the best and the mean order. `unbounded` says which measures
    have no exact bounds, by the sum of 2 to the power of the place of each reason in `_REASONS`; 0 for those that have some.
    """

    plain: ExactSums
    orders: tuple[ExactSums, ...]
    unbounded: Array

    def __add__(self, other: TieSums) -> TieSums:
        orders = tuple(own + more for own, more in zip(self.orders, other.orders, strict=True))
        return TieSums(self.plain + other.plain, orders, self.unbounded | other.unbounded)


def tie_sums(scorer: Scorer, measures: TieMeasures, values: Array) -> TieSums:
    """What the users of a part who have tied scores add to the bounds, given the `values` of all measures, measures × users."""
    n = len(measures.indexes)
    unbounded = np.zeros(n, dtype=np.int64)
    sums = [ExactSums.zeros(n)] * (1 + len(_ORDERS))
    for block in measures.blocks:
        for group in block.groups:
            unbounded[[block.positions[index] for index in group.indexes]] = _why_no_bounds(scorer, group.first, block.single)
        block = block.of(unbounded[list(block.positions)] == 0)
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
                sums[place] = sums[place] + ExactSums.of(terms)
    return TieSums(sums[0], tuple(sums[1:]), unbounded)


def _why_no_bounds(scorer: Scorer, definition: Definition, single: bool) -> int:
    """Why a measure has no exact bounds, as `TieSums.unbounded` says it."""
    holds = (
        scorer.tables.get("reading", scorer.choice(definition)).dropped is not None,
        _counts_other_items(scorer, definition, single),
        "row" in definition.truth.duplicates and bool(scorer.tables.get("test_pairs").repeats),
    )
    return sum(1 << place for place, reason in enumerate(holds) if reason)


def _counts_other_items(scorer: Scorer, definition: Definition, single: bool) -> bool:
    """Whether it depends on the order of ties which items above a cut-off are counted as candidates though they are none."""
    if definition.k is None or "outside" not in definition.metric.uses(definition.params):
        return False
    choice = scorer.choice(definition)
    runs: TieRuns = scorer.tables.get("tie_runs", choice, single=single)
    return bool((runs.run_of(scorer.tables.get("outside", choice)) >= 0).any())


def _by_chunk(scorer: Scorer, block: TieBlock) -> Iterator[tuple[Array, list[Array]]]:
    """Some users with ties at a time: their indexes, and their values (measures × users) in the worst, the best and the mean order."""
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
        yield users, _in_every_order(Scorer.of(scorer.prepared, scorer.part.of_users(mask)), block)


def _users_with_ties(scorer: Scorer, block: TieBlock) -> tuple[Array, Array]:
    """Which users are measured again, and at most how many ranks their hits may take.

    A user none of whose hits is tied has one value in all orders, and is left out unless values are rounded.
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
    """The values of all users of a part (measures × users) in the worst, the best and the mean order."""
    mean: Reorder = partial(expected_ranks, deepest=block.deepest)
    return [
        _reordered(scorer, block, block.groups, partial(reorder_hits, best=False)),
        _reordered(scorer, block, block.groups, partial(reorder_hits, best=True)),
        _reordered(scorer, block, block.exact_groups, mean),
    ]


def _reordered(scorer: Scorer, block: TieBlock, groups: Sequence[MeasureGroup], reorder: Reorder) -> Array:
    """The values of all users with the hits in another order."""
    hits: dict[Choice, Rows] = {}
    for choice in _choices(scorer, block):
        hits[choice] = reorder(scorer.tables.get("hits", choice), scorer.tables.get("tie_runs", choice, single=block.single))
    other = replace(scorer, tables=scorer.tables.variant("hits", hits), _bodies={})
    values = np.empty((len(block.definitions), scorer.part.n_users))
    for group in groups:
        values[list(group.indexes)] = _added_up(other.values(group, CollectSums()), bool(block.pooled.intersection(group.indexes)))
    return values


def _added_up(of_group: GroupValues, pooled: bool) -> Array:
    """The per-user values, or of a `pooled` measure their numerators."""
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
    """The bounds of every measure that has exact ones, by its label, given the `rows` of each measure by its index.

    `ratios` has the sums of numerators and denominators of pooled measures, over `all` users.
    """
    pooled = {block.positions[place] for block in measures.blocks for place in block.pooled}
    by_label = {}
    for position, index in enumerate(measures.indexes):
        wanted = ("micro",) if position in pooled else ("mean", "sum")
        row = next((row for row in rows[index] if row.aggregate in wanted), None)
        if row is None or sums.unbounded[position]:
            continue
        if position in pooled:
            total, divisor = (ratios[index, "all"].fraction(part) for part in (0, 1))
        else:
            total, divisor = moments.totals.fraction(index), Fraction(1 if row.aggregate == "sum" else row.n_users)
        untied = total - sums.plain.fraction(position)
        totals = [untied + order.fraction(position) for order in sums.orders]
        worst, best, mean = (round_fraction(total / divisor) if divisor else 0.0 for total in totals)
        by_label[row.label] = Bounds(min(worst, best), mean, max(worst, best))
    return by_label


def unbounded(measures: TieMeasures, sums: TieSums, rows: Mapping[int, Sequence[Row]]) -> dict[str, str]:
    """Why a measure has no exact bounds, by the label of its first row, of those that could have some."""
    by_label = {}
    for position, index in enumerate(measures.indexes):
        reason = next((reason for place, reason in enumerate(_REASONS) if sums.unbounded[position] >> place & 1), None)
        if reason is not None and rows[index]:
            by_label[rows[index][0].label] = reason
    return by_label
