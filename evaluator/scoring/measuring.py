"""Measure a part: `measure(task, frames)` → `Partial`, a pure function of plain values, which also runs on another machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from ..exact_sums.exact import ExactSums
from ..metrics.definition import Definition
from ..tables.array import Array
from ..tables.graph import Choice
from ..tables.ids import gather
from ..tables.item_columns import user_codes
from ..tables.lists import Reading, seen_in_train
from ..tables.rows import LISTS, PartData, Rows
from .model_level_sums import CollectSums
from .partial import CELLS, MomentTable, Partial, UserValues, cells_of
from .per_user import GroupValues, Scorer
from .task import MeasureGroup, Task


class Measured(Struct, frozen=True, eq=False, dict=True):
    """The partial of a part, and the values of each group of measures."""

    partial: Partial
    by_group: tuple[tuple[MeasureGroup, GroupValues], ...]
    of_users: Array | None = None
    """The values, if they are computed already."""

    @cached_property
    def values(self) -> Array:
        """Values of users, measures × users: NaN if the user does not count, infinite if the value is not defined."""
        return _all_values(self.by_group) if self.of_users is None else self.of_users


class _GroupSums(Struct, frozen=True, eq=False):
    """Sums over the users of a part for a group of measures: the fields of `Partial` with these names."""

    moments: MomentTable
    covered: MomentTable
    warm: MomentTable
    cells: Array
    valued: Array

    @classmethod
    def from_values(cls, task: Task, scorer: Scorer, of_group: GroupValues, *, may_be_undefined: bool) -> _GroupSums:
        """Add up the values of a group; infinite values that are not defined count as NaN."""
        has_value = ~np.isnan(of_group.values)
        defined = _without_infinite(of_group.values) if may_be_undefined else of_group.values
        moments = MomentTable.from_values(defined, None if has_value.all() else has_value, task.sums)
        codes = cells_of(scorer.facts, of_group.n_relevant, of_group.n_recommended)
        return cls(
            moments,
            _moments_of_some(moments, defined, has_value, of_group.n_recommended > 0, task),
            moments if scorer.facts.in_train is None else _moments_of_some(moments, defined, has_value, scorer.facts.in_train, task),
            np.broadcast_to(np.bincount(codes, minlength=len(CELLS)), (len(has_value), len(CELLS))),
            _by_cell(has_value, codes),
        )


def measure(task: Task, frames: Mapping[str, pl.DataFrame]) -> Partial:
    """Return the partial of some users, from all their rows."""
    return measure_users(task, Scorer.for_part(task.prepared, PartData(frames))).partial


def measure_users(task: Task, scorer: Scorer) -> Measured:
    """Return the partial of a part, and the values of its users; groups with the same values are added up once."""
    n = len(task.definitions)
    others, places, n_rows = np.zeros((n, 3), np.int64), np.zeros(n, np.int64), 0
    ratios: dict[tuple[int, str], ExactSums] = {}
    totals: dict[int, tuple[ExactSums, ...]] = {}
    terms: dict[int, Array] = {}
    sums = CollectSums()
    measured: list[tuple[MeasureGroup, GroupValues]] = []
    added: dict[tuple[GroupValues, bool], tuple[int, _GroupSums]] = {}
    for number, group in enumerate(task.groups):
        rows = list(group.indexes)
        if group.metric.per_model:
            group_values, totals[number] = _whole(scorer, group, sums)
        else:
            group_values = scorer.values(group, sums)
            ratios |= _ratios(task, scorer, group, group_values)
            terms |= _terms(task, group, group_values)
        measured.append((group, group_values))
        others[rows] = _others(scorer, group.first, group_values.n_recommended)
        key = group_values, may_be_undefined(group.first)
        if key not in added:
            added[key] = n_rows, _GroupSums.from_values(task, scorer, group_values, may_be_undefined=key[1])
            n_rows += len(rows)
        places[rows] = added[key][0] + np.arange(len(rows))
    by_group = tuple(measured)
    all_values = _all_values(by_group) if task.needs_values else None
    each, order = [of_group for _, of_group in added.values()], places.tolist()
    moments = MomentTable.join([block.moments for block in each], order)
    covered = (
        moments if all(block.covered is block.moments for block in each) else MomentTable.join([block.covered for block in each], order)
    )
    warm = moments if all(block.warm is block.moments for block in each) else MomentTable.join([block.warm for block in each], order)
    partial = Partial(
        moments=moments,
        covered=covered,
        warm=None if scorer.facts.in_train is None else warm,
        ratios=ratios,
        cells=np.concatenate([block.cells for block in each])[places],
        valued=np.concatenate([block.valued for block in each])[places],
        others=others,
        totals=totals,
        items=sums.items,
        longest=int(np.diff(scorer.part.rows(LISTS).starts).max(initial=0)),
        notes=scorer.notes,
        user_values=None if all_values is None else user_values(task, scorer, by_group, all_values, terms),
    )
    return Measured(partial, by_group, all_values)


def _all_values(by_group: Sequence[tuple[MeasureGroup, GroupValues]]) -> Array:
    values = np.empty((sum(len(group.indexes) for group, _ in by_group), len(by_group[0][1].n_relevant)))
    for group, of_group in by_group:
        values[list(group.indexes)] = of_group.values
    return values


def _whole(scorer: Scorer, group: MeasureGroup, sums: CollectSums) -> tuple[GroupValues, tuple[ExactSums, ...]]:
    """Return the sums of a model-level measure; every user who counts has the value 1."""
    counts, n_relevant, n_recommended = scorer.counts(group.first)
    taken = CollectSums()
    taken.items = sums.items
    with np.errstate(all="ignore"):  # the arithmetic is done on sums at the end
        scorer.body(group, taken, counts)
    ones = np.where(counts, 1.0, np.nan)
    return GroupValues(np.broadcast_to(ones, (len(group.indexes), len(ones))), counts, n_relevant, n_recommended), tuple(taken.totals)


def _ratios(task: Task, scorer: Scorer, group: MeasureGroup, group_values: GroupValues) -> dict[tuple[int, str], ExactSums]:
    """Return the sums of numerators and denominators of pooled measures: over all users who count, over covered and over warm users."""
    positions = [(position, index) for position, index in enumerate(group.indexes) if index in task.pooled and group_values.ratios]
    if not positions:
        return {}
    terms, has_value = ratio_terms(group_values, [position for position, _ in positions])
    masks = {"all": None, "covered": group_values.n_recommended > 0, "warm": scorer.facts.in_train}
    sums: dict[tuple[int, str], ExactSums] = {}
    for users, mask in masks.items():
        if mask is not None or users == "all":
            of_them = has_value if mask is None else has_value & mask
            is_whole = mask is not None and (of_them == has_value).all()
            each = () if is_whole else _each_sum(scorer, group, terms, of_them, len(positions))
            sums |= {(index, users): sums[index, "all"] if is_whole else each[number] for number, (_, index) in enumerate(positions)}
    return sums


def _each_sum(scorer: Scorer, group: MeasureGroup, terms: Array, counted: Array, n_measures: int) -> tuple[ExactSums, ...]:
    """Return the sums of the terms of each measure over the users that are counted for the term."""
    if not group.first.is_weighted:
        return ExactSums.from_values(terms, None if counted.all() else counted).split(n_measures)
    totals = ExactSums.from_values(terms[::2], None if counted.all() else counted[::2]).split(n_measures)
    return tuple(ExactSums.join(total, scorer.total_weight(users)) for total, users in zip(totals, counted[1::2], strict=True))


def _terms(task: Task, group: MeasureGroup, group_values: GroupValues) -> dict[int, Array]:
    """Return the terms of each user for pooled measures with one ratio (not RMSE), if values are kept; weighted means need the weight."""
    if not task.needs_values or len(group_values.ratios) != 1 or group.components or group.first.is_weighted:
        return {}
    positions = [(position, index) for position, index in enumerate(group.indexes) if index in task.pooled]
    if not positions:
        return {}
    terms, has_value = ratio_terms(group_values, [position for position, _ in positions])
    if not has_value.all():
        terms = np.where(has_value, terms, np.nan)
    return {index: terms[2 * number : 2 * number + 2] for number, (_, index) in enumerate(positions)}


def ratio_terms(group_values: GroupValues, positions: Sequence[int]) -> tuple[Array, Array]:
    """Return the numerator and the denominator of each ratio at some cut-offs, and a mask of those that are added up.

    Both are terms × users, all terms of a cut-off one after the other.
    """
    parts = [part[positions] for ratio in group_values.ratios for part in ratio]
    terms = np.stack(parts, axis=1).astype(np.float64, copy=False)
    has_value = ~np.isnan(group_values.values[positions])[:, np.newaxis] & np.isfinite(terms)
    shape = (len(positions) * len(parts), terms.shape[-1])
    return terms.reshape(shape), has_value.reshape(shape)


def _by_cell(has_value: Array, codes: Array) -> Array:
    """Return the number of users with a value, for each measure and cell."""
    first = np.bincount(codes[has_value[0]], minlength=len(CELLS)) if len(has_value) else np.zeros(len(CELLS), np.int64)
    if (has_value == has_value[:1]).all():
        return np.broadcast_to(first, (len(has_value), len(CELLS)))
    return np.stack([np.bincount(codes[row], minlength=len(CELLS)) for row in has_value])


def _others(scorer: Scorer, definition: Definition, n_recommended: Array) -> Array:
    """Return the numbers of users of train or the reference model, of test or lists, and of both, for measures over the former."""
    held = {"train": scorer.facts.in_train, "baseline": scorer.facts.in_baseline}.get(definition.population)
    own = scorer.facts.tested | (n_recommended > 0)
    if held is None:
        return np.asarray([0, 0, 0])
    return np.asarray([held.sum(), own.sum(), (held & own).sum()])


def _moments_of_some(moments: MomentTable, values: Array, has_value: Array, mask: Array, task: Task) -> MomentTable:
    """Return the moments over some of the users; if these include all who count, the moments over all."""
    of_them = has_value & mask
    return moments if (of_them == has_value).all() else MomentTable.from_values(values, of_them, task.sums)


def without_undefined(task: Task, values: Array) -> Array:
    """Return the values (measures × users) with NaN instead of infinity for measures that may be undefined."""
    some = [number for number, definition in enumerate(task.definitions) if may_be_undefined(definition)]
    if some and np.isposinf(values[some]).any():
        values = values.copy()
        values[some] = _without_infinite(values[some])
    return values


def _without_infinite(values: Array) -> Array:
    is_undefined = np.isposinf(values)
    return np.where(is_undefined, np.nan, values) if is_undefined.any() else values


def may_be_undefined(definition: Definition) -> bool:
    """Return whether the value of a user may be undefined."""
    return any("undefined" in part.params.values() or part.user_rules.may_be_undefined for part in definition.all)


def user_values(
    task: Task, scorer: Scorer, by_group: Sequence[tuple[MeasureGroup, GroupValues]], all_values: Array, terms: Mapping[int, Array]
) -> UserValues:
    """Return the values of the users that count for any measure; see `UserValues`.

    `terms` are the numerator and the denominator of pooled measures, 2 × users, NaN for users who add nothing.
    """
    values, is_missing = without_undefined(task, all_values), np.isnan(all_values)
    counts = ~is_missing.all(axis=0)
    users = slice(None) if counts.all() else np.flatnonzero(counts)  # most often everybody counts, and nothing is copied
    listed: dict[int, Array] = {index: of_group.n_recommended > 0 for group, of_group in by_group for index in group.indexes}
    _, n_relevant, n_recommended = scorer.counts(task.definitions[0])
    columns: dict[str, Any] = {
        "user": scorer.part.users if counts.all() else gather(scorer.part.users, np.flatnonzero(counts)),
        "n_relevant": n_relevant[users],
        "n_recommended": n_recommended[users],
        "covered": listed[0][users],
    }
    if scorer.facts.in_train is not None:
        columns["warm"] = scorer.facts.in_train[users]
    if any(definition.is_weighted for definition in task.definitions):
        columns["weight"] = scorer.weights[users]
    for number, by in enumerate(task.group_columns):
        columns[f"group{number}"] = user_codes(by, scorer.part, scorer.prepared)[users]
    several_readings = len({definition.lists for definition in task.definitions}) > 1
    for index in range(len(task.definitions)):
        if several_readings:
            columns[f"covered{index}"] = listed[index][users]
        columns[f"v{index}"] = _without(values[index][users], is_missing[index][users])
    for index, of_measure in terms.items():
        above, below = of_measure[0][users], of_measure[1][users]
        columns |= {f"above{index}": _without(above, np.isnan(above)), f"below{index}": _without(below, np.isnan(below))}
    return UserValues.from_frame(pl.DataFrame(columns), task.most_values)


def _without(values: Array, missing: Array) -> pl.Series:
    """Return a column of values that is null where they are `missing`."""
    column = pl.Series(values)
    return column.scatter(np.flatnonzero(missing), None) if missing.any() else column


class EnrichedRows(Struct, frozen=True, eq=False):
    """Enriched lists of different users, one frame per part; see `enriched_rows`."""

    frames: tuple[pl.DataFrame, ...]

    def __add__(self, other: EnrichedRows) -> EnrichedRows:
        return EnrichedRows((*self.frames, *other.frames))


def enriched_rows(scorer: Scorer, definition: Definition) -> pl.DataFrame:
    """Return the lists as a measure reads them, sorted by user and rank.

    Columns: `user`, `item`, `rank` (from 1), `score` (if the lists have scores), `relevant` (the row is a hit), `gain` (of the hit, 0 for
    other rows), with data.train `in_train` (the pair is in train), and with data.previous_policy `weight` (now / before, as the NCIS
    metrics compute it; null if before is 0) and `capped_weight` (clipped to the threshold, by default 10).

    Edge cases: rows that the convention removes from the lists are missing; ranks are those in the list, also for measures that rank rated
    items only. Users without a list have no row.
    """
    part: PartData = scorer.part
    choice = scorer.choice(definition)._replace(positions="real")
    reading: Reading = scorer.tables.get("reading", choice)
    hits: Rows = scorer.tables.get("hits", choice)
    rows = reading.starts[hits.user] + hits.real_rank.astype(np.int64) - 1
    relevant, gain = np.zeros(len(reading), dtype=np.bool_), np.zeros(len(reading))
    relevant[rows], gain[rows] = True, hits["gain"]
    columns = {"user": part.users.gather(reading.user), "item": reading.item, "rank": reading.rank.astype(np.int64)}
    if "score" in reading.source.rows:
        columns["score"] = reading.score
    columns |= {"relevant": relevant, "gain": gain}
    if "train" in part:
        columns["in_train"] = seen_in_train(reading, part)
    frame = pl.DataFrame(columns)
    return frame if scorer.prepared.policy is None or "score" not in columns else _with_weights(frame, scorer, definition, choice)


def _with_weights(frame: pl.DataFrame, scorer: Scorer, definition: Definition, choice: Choice) -> pl.DataFrame:
    """Add the NCIS weights of listed items, with the settings of the measure if it has them."""
    params = {"activation": "none", "threshold": 10.0} | dict(definition.params)
    settings: dict[str, Any] = {name: params[name] for name in ("activation", "threshold")}
    rows: Rows = scorer.tables.get("weighted", choice, depth=0, **settings)
    weights = {"weight": pl.Series(rows["ratio"]).fill_nan(None), "capped_weight": rows["weight"]}
    made = pl.DataFrame({"user": scorer.part.users.gather(rows.user), "item": rows.item, **weights})
    return frame.join(made, on=["user", "item"], how="left", maintain_order="left")
