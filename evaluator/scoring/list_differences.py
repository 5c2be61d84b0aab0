"""Two lists of each user of a part → differences, contributions of items, overlap, and why relevant items were missed.

Both models are measured over the same part, so the values are those of a run. Long: all come from one pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from ..metrics.coverage import rank_biased_overlap
from ..metrics.registry import at
from ..results.model_diff import BASE, MODEL, RANDOM, REASONS, Order, Reason, ShownUsers
from ..stats.contributions import contributions
from ..stats.list_overlap import CommonItems, RankedItems, common_items, jaccard
from ..tables.array import Array
from ..tables.ids import Ids, gather
from ..tables.item_columns import user_codes
from ..tables.lists import Reading
from ..tables.prepared import GroupBy
from ..tables.rows import LISTS, Cutoffs, PartData, Rows
from ..tables.truth import TestPairs, TruthTable
from .model_level_sums import CollectSums
from .partial import MomentTable
from .per_user import Scorer, within_numbers
from .task import HITS, MeasureGroup, Task

OTHER: Final = "other"
"""Source of the lists of the second model; its predictions are `OTHER_PREDICTIONS`."""
OTHER_PREDICTIONS: Final = "other_predictions"
_CODES: Final[Mapping[Reason, int]] = {reason: code for code, reason in enumerate(REASONS)}
_LATE: Final[tuple[Reason, ...]] = ("other_only", "not_listed")
"""Reasons that become `unknown` if no list of the model has the item, which is known only at the end."""
_HASH_BITS: Final = 44
_KEPT_APART: Final = 32
"""Number of frames of shown users that are merged at once."""


class UserFilter(Struct, frozen=True):
    """The users to take: those with this code in a grouping, and with a number of relevant items within limits."""

    by: GroupBy | None = None
    code: int = 0
    least: int = 0
    most: int | None = None


class DiffTask(Struct, frozen=True, eq=False):
    """What to compute of two lists of each user.

    `main` is the index of the measure that decides what a loss is. `orders` are those in which `n_shown` users are wanted with all
    details, `sample` further orders, each with its number of users. `test_items` are the items of the test file. With `keeps` every user
    and every relevant item is kept. Users have a column with the code of their group, by the name of each of the `groupings`.
    """

    task: Task
    main: int
    p: float
    orders: tuple[Order, ...]
    n_shown: int
    seed: int
    test_items: Ids
    filter: UserFilter = UserFilter()
    keeps: bool = False
    sample: tuple[tuple[Order, int], ...] = ()
    groupings: tuple[GroupBy, ...] = ()

    @property
    def wanted(self) -> tuple[tuple[Order, int], ...]:
        """Orders with the number of users of each that are wanted with all details."""
        return (*((order, self.n_shown) for order in self.orders if self.n_shown), *self.sample)

    @property
    def is_lower_better(self) -> bool:
        """True if a lower value of the main measure is better."""
        return self.task.definitions[self.main].higher_is_better is False


class DiffPartial(Struct, frozen=True, eq=False):
    """What some users add to a difference; partials of different users merge with `+`.

    `numbers`: users taken, only with a value of the base, only of the model, left out by the filter, and relevant items. `moments` are
    those of the values of the base, then of the model, of their differences, and of overlap, Jaccard and RBO; `changes` has for each
    measure the numbers of lower and of higher values. `missed` has for each kind (base, model, lost, gained) the number of items by reason,
    `late` those whose reason may become `unknown`, by item of the test file, and `listed` whether any list of each model has this item.
    """

    numbers: Array
    moments: MomentTable
    changes: Array
    missed: Array
    late: Array
    listed: Array
    users: tuple[pl.DataFrame, ...] = ()
    items: tuple[pl.DataFrame, ...] = ()
    shown: tuple[ShownUsers, ...] = ()
    wanted: DiffTask | None = None

    def __add__(self, other: DiffPartial) -> DiffPartial:
        shown = (*self.shown, *other.shown)
        wanted = self.wanted or other.wanted
        if len(shown) > _KEPT_APART and wanted is not None:
            shown = (first_users(wanted, shown),)
        return DiffPartial(
            self.numbers + other.numbers,
            self.moments + other.moments,
            self.changes + other.changes,
            self.missed + other.missed,
            self.late + other.late,
            self.listed | other.listed,
            (*self.users, *other.users),
            (*self.items, *other.items),
            shown,
            wanted,
        )

    def final_missed(self) -> list[dict[Reason, int]]:
        """Return the number of items by reason, for each kind; an item that no list of the model has is `unknown`."""
        counts = self.missed.copy()
        for kind, side in enumerate((0, 1, 1, 0)):
            unknown = self.late[kind][:, ~self.listed[side]].sum(axis=1)
            for number, reason in zip(unknown.tolist(), _LATE, strict=True):
                counts[kind, _CODES[reason]] -= number
                counts[kind, _CODES["unknown"]] += number
        return [dict(zip(REASONS[1:], row[1:].tolist(), strict=True)) for row in counts]

    def with_reasons(self, items: pl.DataFrame, test_items: Ids) -> pl.DataFrame:
        """Return relevant items with the names of reasons instead of codes."""
        index = test_items.index_of(items["item"])
        columns = []
        for side, name in enumerate((BASE, MODEL)):
            codes = items[f"{name} reason"].to_numpy()
            late = (codes == _CODES["other_only"]) | (codes == _CODES["not_listed"])
            codes = np.where(late & ~self.listed[side][index], _CODES["unknown"], codes)
            columns.append(gather(pl.Series(f"{name} reason", REASONS), codes))
        return items.with_columns(columns)


class _Side(Struct, frozen=True, eq=False):
    """One model over a part: its scorer, its lists as the main measure reads them, and the rank of each test pair, 0 if not listed."""

    scorer: Scorer
    reading: Reading
    rank: Array

    @classmethod
    def from_scorer(cls, scorer: Scorer, task: DiffTask) -> _Side:
        """Read the lists of a scorer."""
        choice = scorer.choice(task.task.definitions[task.main])
        rows: Rows = scorer.tables.get("hits", choice)
        pairs: TestPairs = scorer.tables.get("test_pairs")
        rank = np.full(len(pairs), np.iinfo(np.int64).max)
        np.minimum.at(rank, rows["pair"], rows[rows.cut].astype(np.int64))
        return cls(scorer, scorer.tables.get("reading", choice), np.where(rank == np.iinfo(np.int64).max, 0, rank))


def diff_part(task: DiffTask, sides: Mapping[str, pl.DataFrame], lists: pl.DataFrame, starts: Array) -> DiffPartial:
    """Return what the users of a part add to the difference; `sides` has the lists of the second model as `OTHER`."""
    of_model = {"predictions": sides[OTHER_PREDICTIONS]} if OTHER_PREDICTIONS in sides else {}
    shared = {role: frame for role, frame in sides.items() if role != OTHER_PREDICTIONS}
    part = PartData({LISTS: lists, **shared}, {LISTS: starts} if len(starts) else {})
    first = Scorer.for_part(task.task.prepared, part)
    swapped = part.with_lists(OTHER)
    if of_model:
        swapped = swapped.with_sources(of_model)
    known = {} if of_model else {"test_pairs": first.tables.get("test_pairs")}
    return _Differences(
        task, _Side.from_scorer(first, task), _Side.from_scorer(Scorer.for_part(task.task.prepared, swapped, known), task)
    ).partial()


class _Differences:
    """The differences between both models over the users of a part."""

    def __init__(self, task: DiffTask, base: _Side, model: _Side) -> None:
        self._task, self._sides = task, (base, model)
        self._part, self._prepared = base.scorer.part, task.task.prepared
        definition = task.task.definitions[task.main]
        self._k = definition.k
        self._pairs: TestPairs = base.scorer.tables.get("test_pairs")
        self._truth: TruthTable = base.scorer.tables.get("truth_table", base.scorer.choice(definition))
        self._values, self._terms = self._measured()
        has_value = ~np.isnan(self._values[:, task.main])
        self._only = [has_value[0] & ~has_value[1], has_value[1] & ~has_value[0]]
        both = has_value.all(axis=0)
        self._taken = both & self._passing()
        self._n_filtered = int((both & ~self._taken).sum())
        self._common = self._common_items()

    def _passing(self) -> Array:
        """Return the users that the filter takes."""
        wanted, n = self._task.filter, self._truth.n_relevant
        passing = n >= wanted.least
        if wanted.most is not None:
            passing &= n <= wanted.most
        if wanted.by is not None:
            passing &= user_codes(self._prepared.with_borders(wanted.by), self._part, self._prepared) == wanted.code
        return np.asarray(passing)

    def _measured(self) -> tuple[Array, dict[int, tuple[Array, Array]]]:
        """Return the values, sides × measures × users, and for measures by item the terms of each test pair on both sides."""
        definitions, n_users = self._task.task.definitions, self._part.n_users
        values, terms = np.empty((2, len(definitions), n_users)), dict[int, tuple[Array, Array]]()
        for group in self._task.task.groups:
            of_sides = []
            for side, made in zip(self._sides, values, strict=True):
                found = side.scorer.values(group, CollectSums())
                made[list(group.indexes)] = np.where(np.isfinite(found.values), found.values, np.nan)
                if is_by_item(group):
                    of_sides.append(_terms(side.scorer, group, found.counted_mask, len(self._pairs)))
            terms |= {index: (of_sides[0][at], of_sides[1][at]) for at, index in enumerate(group.indexes) if of_sides}
        return values, terms

    def _common_items(self) -> CommonItems:
        """Return the items that both lists of a user have."""
        readings = [side.reading for side in self._sides]
        pairs = [reading.pairs for reading in readings]
        bits = pairs[0].item_bits
        if bits is None:
            bits, users = _HASH_BITS, max(self._part.n_users, 1).bit_length()
            codes = [(side.key & ((1 << (63 - users)) - 1)) >> max(63 - users - bits, 0) for side in pairs]
        else:
            codes = [side.key & ((1 << bits) - 1) for side in pairs]
        first, second = (RankedItems(code, reading.starts) for code, reading in zip(codes, readings, strict=True))
        common = common_items(first, second, 1 << bits)
        if pairs[0].exact:
            return common
        ranks = (common.first, common.second)
        items = [gather(reading.item, reading.starts[common.user] + rank - 1) for reading, rank in zip(readings, ranks, strict=True)]
        alike = (items[0] == items[1]).to_numpy()
        return CommonItems(*(column[alike] for column in (common.user, *ranks)))

    def partial(self) -> DiffPartial:
        """Return what these users add."""
        task, taken = self._task, self._taken
        first, second = self._values
        has_value = taken & ~np.isnan(first) & ~np.isnan(second)
        of_lists = self._list_columns()
        overlaps = np.stack([of_lists[name] for name in ("overlap", "jaccard", "rbo")])
        stacked = np.concatenate([first, second, second - first, overlaps])
        counted = np.concatenate([has_value] * 3 + [taken & ~np.isnan(overlaps)])
        codes = self._reasons()
        relevant = self._truth.relevant & taken[self._pairs.user]
        missed, late = self._missed(codes, relevant)
        only = [int(mask.sum()) for mask in self._only]
        made = DiffPartial(
            numbers=np.asarray([int(taken.sum()), *only, self._n_filtered, int(relevant.sum())]),
            moments=MomentTable.from_values(np.where(counted, stacked, 0.0), counted),
            changes=np.stack([((second < first) & has_value).sum(axis=1), ((second > first) & has_value).sum(axis=1)]),
            missed=missed,
            late=late,
            listed=np.stack([self._listed(side.reading) for side in self._sides]),
            wanted=task,
        )
        shown = self._first_users()
        if not task.keeps and not len(shown):
            return made
        users = self._user_frame(np.flatnonzero(taken) if task.keeps else shown, of_lists)
        items = self._item_frame(relevant, codes, None if task.keeps else shown)
        if task.keeps:
            made = replace(made, users=(users,), items=(items,))
        ids = pl.DataFrame({"user": gather(self._part.users, shown)})
        of_shown = [frame.join(ids, on="user", how="semi", maintain_order="left") for frame in (users, items)]
        return replace(made, shown=(ShownUsers(of_shown[0], self._list_frame(shown), of_shown[1]),))

    def _listed(self, reading: Reading) -> Array:
        """Return which items of the test file are in any of these lists."""
        index = self._task.test_items.index_of(reading.item)
        mask = np.zeros(len(self._task.test_items) + 1, dtype=np.bool_)
        mask[index] = True  # the last one is that of index -1
        return mask[:-1]

    def _list_columns(self) -> dict[str, Array]:
        """Return overlap, Jaccard and RBO of each user, and the item that moved most up."""
        n_users, lengths = self._part.n_users, [np.diff(side.reading.starts) for side in self._sides]
        within = self._common.within(self._k)
        n_common = np.bincount(within.user, minlength=n_users)
        cut = lengths if self._k is None else [np.minimum(length, self._k) for length in lengths]
        common = self._common
        user, moved = common.most_promoted()
        ends = np.zeros((2, n_users), dtype=np.int64)
        ends[:, user] = moved
        return {
            "overlap": np.where(sum(lengths) > 0, n_common, np.nan),
            "jaccard": jaccard(n_common, cut[0], cut[1]),
            "rbo": rank_biased_overlap(common.user, np.maximum(common.first, common.second), lengths[0], lengths[1], self._task.p),
            "from": ends[0],
            "to": ends[1],
        }

    def _reasons(self) -> tuple[Array, Array]:
        """Return the code of the reason of each test pair under both models; items in no list of a model are not yet known."""
        pairs, prepared = self._pairs, self._prepared
        in_train, cold = np.zeros(len(pairs), np.bool_), np.zeros(len(pairs), np.bool_)
        if "train" in self._part:
            in_train[self._part.lookup_of_train.find(pairs.pairs)[0]] = True
            cold = ~np.append(prepared.in_train, False)[prepared.items.index_of(pairs.item)]
        made = []
        for side, other in zip(self._sides, reversed(self._sides), strict=True):
            listed = side.rank > 0
            k = np.iinfo(np.int64).max // 2 if self._k is None else self._k
            holds: dict[Reason, Array] = {
                "hit": listed & (side.rank <= k),
                "below_cut": listed & (side.rank <= 2 * k),
                "deep": listed,
                "in_train": in_train,
                "cold": cold,
                "other_only": other.rank > 0,
            }
            made.append(np.select(list(holds.values()), [_CODES[reason] for reason in holds], _CODES["not_listed"]))
        return made[0], made[1]

    def _missed(self, codes: tuple[Array, Array], relevant: Array) -> tuple[Array, Array]:
        """Return the numbers of missed items by kind and reason, and those of late reasons also by item."""
        base, model = (code == _CODES["hit"] for code in codes)
        kinds = ((~base, codes[0]), (~model, codes[1]), (base & ~model, codes[1]), (model & ~base, codes[0]))
        index, n_items = self._task.test_items.index_of(self._pairs.item), len(self._task.test_items)
        missed = np.stack([np.bincount(code[mask & relevant], minlength=len(REASONS)) for mask, code in kinds])
        late = [[np.bincount(index[mask & relevant & (code == _CODES[key])], minlength=n_items) for key in _LATE] for mask, code in kinds]
        return missed, np.asarray(late).reshape(len(kinds), len(_LATE), n_items)

    def _first_users(self) -> Array:
        """Return the first users of each order, ascending."""
        users, task = np.flatnonzero(self._taken), self._task
        difference = (self._values[1] - self._values[0])[task.main, users]
        found = [users[:0]]
        for order, n in task.wanted:
            rows = users
            if order == "random":
                key = random_numbers(gather(self._part.users, users), task.seed)
            elif order == "relevant":
                key = -self._truth.n_relevant[users].astype(np.float64)
            else:
                key = difference if (order == "loss") != task.is_lower_better else -difference
                rows, key = users[key < 0], key[key < 0]
            found.append(rows[np.argsort(key, kind="stable")[:n]])
        return np.unique(np.concatenate(found))

    def _user_frame(self, users: Array, of_lists: Mapping[str, Array]) -> pl.DataFrame:
        """Return a row for each of some users."""
        task = self._task
        lengths = (np.diff(side.reading.starts)[users] for side in self._sides)
        has_moved = of_lists["to"][users] > 0
        moved = users[has_moved]
        reading = self._sides[1].reading
        items = gather(reading.item, reading.starts[moved] + of_lists["to"][moved] - 1)
        columns: dict[str, Any] = {
            "user": gather(self._part.users, users),
            "n_relevant": self._truth.n_relevant[users],
            **dict(zip(("n_base", "n_model"), lengths, strict=True)),
            "overlap": pl.Series(of_lists["overlap"][users]).fill_nan(None).cast(pl.Int64),
            **{name: pl.Series(of_lists[name][users]).fill_nan(None) for name in ("jaccard", "rbo")},
            "promoted": _scattered(items, has_moved),
            **{f"promoted_{end}": pl.Series(of_lists[end][users]).replace(0, None) for end in ("from", "to")},
        }
        for index, definition in enumerate(task.task.definitions):
            first, second = (pl.Series(of_side[index, users]).fill_nan(None) for of_side in self._values)
            columns |= {
                f"{definition.label} base": first,
                f"{definition.label} model": second,
                f"{definition.label} difference": second - first,
            }
        for by in task.groupings:
            columns[by.name] = user_codes(self._prepared.with_borders(by), self._part, self._prepared)[users]
        if "random" in (*task.orders, *dict(task.sample)):
            columns[RANDOM] = random_numbers(columns["user"], task.seed)
        return pl.DataFrame(columns)

    def _item_frame(self, relevant: Array, codes: tuple[Array, Array], users: Array | None) -> pl.DataFrame:
        """Return a row for each relevant item, and for others that add to a measure, of some users or all."""
        mask = relevant.copy()
        for of_pairs in self._terms.values():
            mask |= ((of_pairs[0] != 0) | (of_pairs[1] != 0)) & self._taken[self._pairs.user]
        if users is not None:
            among = np.zeros(self._part.n_users, dtype=np.bool_)
            among[users] = True
            mask &= among[self._pairs.user]
        rows = np.flatnonzero(mask)
        user = self._pairs.user[rows]
        columns: dict[str, Any] = {
            "user": gather(self._part.users, user),
            "item": gather(self._pairs.item, rows),
            "gain": self._truth.gain[rows],
            "base rank": pl.Series(self._sides[0].rank[rows]).replace(0, None),
            "model rank": pl.Series(self._sides[1].rank[rows]).replace(0, None),
            "base reason": codes[0][rows],
            "model reason": codes[1][rows],
        }
        for index, of_pairs in self._terms.items():
            values = self._values[:, index]
            first, second = np.where(np.isnan(values).any(axis=0), 0.0, values)
            label = self._task.task.definitions[index].label
            columns[label] = contributions((of_pairs[0][rows], of_pairs[1][rows]), (first, second), user)
        return pl.DataFrame(columns)

    def _list_frame(self, users: Array) -> pl.DataFrame:
        """Return the rows of both lists of some users."""
        frames = []
        for name, side in zip((BASE, MODEL), self._sides, strict=True):
            reading = side.reading
            begin, length = reading.starts[users], np.diff(reading.starts)[users]
            before = np.cumsum(length) - length
            rows = np.repeat(begin - before, length) + np.arange(int(length.sum()))
            user, items = reading.user[rows], gather(reading.item, rows)
            rank = reading.rank[rows] if reading.cut is None else reading.cut[rows]
            ids = {"user": gather(self._part.users, user), "side": pl.repeat(name, len(rows), eager=True, dtype=pl.String)}
            frames.append(pl.DataFrame({**ids, "rank": rank.astype(np.int64), "item": items}))
        both = pl.concat(frames)
        best = both.group_by("user", "side", "item").agg(pl.col("rank").min().alias("other_rank"))
        best = best.with_columns(pl.when(pl.col("side") == BASE).then(pl.lit(MODEL)).otherwise(pl.lit(BASE)).alias("side"))
        both = both.join(best, on=["user", "side", "item"], how="left", maintain_order="left")
        index = np.flatnonzero(self._truth.relevant)
        hits = pl.DataFrame({"user": gather(self._part.users, self._pairs.user[index]), "item": gather(self._pairs.item, index)})
        return both.join(hits.with_columns(relevant=True), on=["user", "item"], how="left", maintain_order="left").with_columns(
            pl.col("relevant").fill_null(value=False)
        )


def is_by_item(group: MeasureGroup) -> bool:
    """Return whether hits have shares in the value of a measure; see `Metric.by_item`."""
    return not group.components and at(group.first.params, group.metric.by_item)


class _TermRecorder(Struct):
    """Record the terms of the hits that the body of a metric adds up."""

    found: list[tuple[Rows, Array | None, Cutoffs]] = field(default_factory=list)

    def sum_of_rows(
        self, table: str, rows: Rows, reduction: str, row: Array | None, label: str, parts: Mapping[str, Any], cutoffs: Cutoffs
    ) -> None:
        """Record the terms of hits."""
        if table in HITS:
            self.found.append((rows, row, cutoffs))

    def count(self, title: str, counts: Array) -> None:
        """Ignore counts."""


def _terms(scorer: Scorer, group: MeasureGroup, counts: Array, n_pairs: int) -> list[Array]:
    """Return for each cut-off the term of each test pair, 0 if it is not listed above."""
    recorder = _TermRecorder()
    measure = scorer.measure(group, scorer.choice(group.first), CollectSums(), counts)
    with within_numbers(group, CollectSums()):
        group.metric.define(replace(measure, trace=recorder))
    rows, row, cutoffs = recorder.found[0]
    terms = np.ones((1, len(rows))) if row is None else np.atleast_2d(np.asarray(row, dtype=np.float64))
    made = []
    for place, k in enumerate((None,) if cutoffs is None else cutoffs):
        of_cut = np.broadcast_to(terms[place if len(terms) > 1 else 0], len(rows))
        made.append(np.bincount(rows["pair"], of_cut if k is None else np.where(rows[rows.cut] <= k, of_cut, 0.0), n_pairs))
    return made


def _scattered(values: pl.Series, mask: Array) -> pl.Series:
    """Return a series with the values where the mask is true, and null elsewhere."""
    index = np.where(mask, np.cumsum(mask) - 1, 0)
    column = values.gather(index) if len(values) else pl.repeat(None, len(mask), dtype=values.dtype, eager=True)
    return pl.DataFrame({"value": column, "has": mask}).select(pl.when(pl.col("has")).then(pl.col("value")))["value"]


def random_numbers(users: pl.Series, seed: int) -> Array:
    """Return a random number of each user, which depends on the id and the seed only."""
    digests = (hashlib.blake2b(f"{seed} {user}".encode(), digest_size=6).digest() for user in users)
    return np.asarray([int.from_bytes(digest, "big") for digest in digests], dtype=np.float64)


def users_in_order(task: DiffTask, users: pl.DataFrame, order: Order, n: int) -> pl.DataFrame:
    """Return the first `n` users of an order, of the rows of users; ties are in the order of the ids."""
    column = pl.col(f"{task.task.definitions[task.main].label} difference")
    falls = order == "relevant" or (order in ("loss", "gain") and (order == "gain") != task.is_lower_better)
    if order in ("loss", "gain"):
        users = users.filter(column > 0 if falls else column < 0)
    key = {"relevant": pl.col("n_relevant"), "random": pl.col(RANDOM) if order == "random" else column}.get(order, column)
    return users.sort(key, "user", descending=[falls, False]).head(n)


def first_users(task: DiffTask, some: Sequence[ShownUsers]) -> ShownUsers:
    """Return the users that are among the first of any order, in the order of their ids."""
    users, lists, items = (pl.concat(frames) for frames in zip(*((part.users, part.lists, part.items) for part in some), strict=True))
    chosen = pl.concat([users_in_order(task, users, order, n).select("user") for order, n in task.wanted]).unique()
    users, lists, items = (frame.join(chosen, on="user", how="semi", maintain_order="left") for frame in (users, lists, items))
    return ShownUsers(
        users.sort("user", maintain_order=True), lists.sort("user", maintain_order=True), items.sort("user", maintain_order=True)
    )


def merge(partials: Sequence[DiffPartial]) -> DiffPartial:
    """Merge the partials of all parts."""
    return reduce(lambda partial, other: partial + other, partials)
