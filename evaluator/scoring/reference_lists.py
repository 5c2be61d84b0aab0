"""Reference lists (best possible, popular, random), built part by part and measured like models. Long: a way for each kind."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..conventions.axis import Lists, Truth
from ..exact_sums.exact import ExactSums, round_fraction
from ..metrics.definition import Definition
from ..results.result import Row
from ..syntax.short_names import ORACLE, POPULARITY, RANDOM
from ..tables.array import Array
from ..tables.canonical import Canonical
from ..tables.graph import Choice, Tables
from ..tables.hits import AMONG, ranked_among, train_pairs
from ..tables.ids import Ids
from ..tables.lists import ListRows, Reading
from ..tables.prepared import Prepared
from ..tables.reference_rows import ReferenceRows, SeenItems, best_rows, popular_lengths, popular_ranks, popular_rows, random_rows
from ..tables.rows import LISTS, PartData, Rows
from ..tables.truth import TestPairs, TruthTable
from .by_group import GROUPS, sums_by_group
from .measuring import measure_users
from .partial import Partial, merge_partials
from .per_user import Scorer
from .task import MeasureGroup, Task, needs_scores, reads_only_hits, reads_pages, reads_whole_lists


class LeftOut(Struct, frozen=True, eq=False):
    """Users of the test file who could count for a measure based on hits and do not: `user`, and `m<i>` for the measure at index i."""

    frames: tuple[pl.DataFrame, ...] = ()

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.frames + other.frames)

    def users(self, index: int) -> pl.Series:
        """Return the users who do not count for the measure at `index`."""
        if not self.frames:
            return pl.Series("user", [], dtype=pl.Null)
        return pl.concat([frame.filter(f"m{index}")["user"] for frame in self.frames])


class ReferenceFacts(Struct, frozen=True, eq=False):
    """Facts of the lists of a model and of the test file that reference lists depend on.

    `n_pairs` is the number of distinct pairs in the test file, `n_seen` the number of these that are also in train. `rated`: the test file
    has ratings. `repeats`: it has duplicate pairs. `n_relevant` are the numbers of relevant items under each setting for the test set, in
    the order of `truths`.
    """

    n_pairs: int
    n_seen: int
    rated: bool
    repeats: bool
    n_relevant: Array
    left_out: LeftOut

    def __add__(self, other: ReferenceFacts) -> ReferenceFacts:
        return ReferenceFacts(
            self.n_pairs + other.n_pairs,
            self.n_seen + other.n_seen,
            self.rated or other.rated,
            self.repeats or other.repeats,
            self.n_relevant + other.n_relevant,
            self.left_out + other.left_out,
        )

    @property
    def repeats_train(self) -> bool:
        """True if users are tested on items that they had before: at least half of the test pairs are in train."""
        return 2 * self.n_seen >= self.n_pairs > 0


def truths(definitions: Sequence[Definition]) -> tuple[Truth, ...]:
    """Return the settings for the test set of measures, and of the metrics that they combine."""
    return tuple(dict.fromkeys(part.truth for definition in definitions for part in definition.all))


def reference_facts(scorer: Scorer, groups: Sequence[MeasureGroup], values: Array) -> ReferenceFacts:
    """Return the facts of a part from the values of each measure (measures × users, NaN for a user who does not count)."""
    pairs: TestPairs = scorer.tables.get("test_pairs")
    seen = len(scorer.part.lookup_of_train.find(pairs.pairs)[0]) if "train" in scorer.part else 0
    tables: list[TruthTable] = [
        scorer.tables.get("truth_table", Choice(truth=scorer.canonical.truth(truth))) for truth in truths([group.first for group in groups])
    ]
    return ReferenceFacts(
        n_pairs=len(pairs),
        n_seen=seen,
        rated=pairs.rating is not None,
        repeats=pairs.repeats,
        n_relevant=np.asarray([np.count_nonzero(table.relevant) for table in tables], dtype=np.int64),
        left_out=_left_out(scorer, groups, values),
    )


def _left_out(scorer: Scorer, groups: Sequence[MeasureGroup], values: Array) -> LeftOut:
    masks: dict[str, Array] = {}
    for group in groups:
        definition = group.first
        if not reads_only_hits(definition):
            continue
        could = scorer.facts.tested
        if definition.population == "test" and definition.user_rules.no_relevant == "drop":
            could = could & (scorer.tables.get("n_relevant", scorer.choice(definition)) > 0)
        masks |= {f"m{index}": could & np.isnan(values[index]) for index in group.indexes}
    some = np.flatnonzero(np.logical_or.reduce(list(masks.values()))) if masks else np.empty(0, dtype=np.int64)
    if not len(some):
        return LeftOut()
    return LeftOut((pl.DataFrame({"user": scorer.part.users.gather(some)} | {name: mask[some] for name, mask in masks.items()}),))


def distinct_truths(choices: Sequence[Truth], facts: ReferenceFacts, has_known: bool) -> tuple[Truth, ...]:
    """Remove settings for the test set that give the same relevant items; `has_known`: there is a train or an items file."""
    sizes: dict[Truth, int] = {}
    for choice, size in zip(choices, facts.n_relevant.tolist(), strict=True):
        sizes.setdefault(_plain(choice, facts, has_known), size)
    distinct: dict[Truth, None] = {}
    for choice in sizes:
        distinct.setdefault(next(other for other in sizes if other == choice or _same(choice, other, sizes)))
    return tuple(distinct)


def _plain(choice: Truth, facts: ReferenceFacts, has_known: bool) -> Truth:
    """Return the same setting with the defaults for all that makes no difference."""
    if not has_known:
        choice = replace(choice, filter="none")
    if not facts.repeats:
        choice = replace(choice, duplicates="best")
    if facts.rated:
        return replace(choice, rule="all_rows") if choice.threshold is not None else choice
    duplicates = choice.duplicates if "row" in choice.duplicates else "best"
    return replace(choice, rule="all_rows", threshold=None, graded=False, duplicates=duplicates)


def _same(choice: Truth, other: Truth, sizes: dict[Truth, int]) -> bool:
    """Return whether two settings have the same relevant items: one keeps a subset of the rows of the other, of the same size."""
    alike = (other.graded, other.duplicates) == (choice.graded, choice.duplicates) and sizes[other] == sizes[choice]
    nested = other.filter == choice.filter or (other.rule, other.threshold) == (choice.rule, choice.threshold)
    return alike and nested and "user_mean" not in (other.rule, choice.rule) and "row" not in choice.duplicates


_DEEP: Final = 1_000
"""Length of reference lists if a measure reads whole lists and no model has a list."""

Kind = Literal["best", "popular", "popular_ranks", "random"]


class ReferenceTask(Struct, frozen=True, eq=False):
    """Task for every part: reference lists to build from test and train, and the `task` to measure on them.

    `kind` chooses the lists; with `popular_ranks` only the hits and the lengths of popular lists are computed. `depth` is the length of the
    lists, `None` for no limit. Under the settings for lists in `masked` they leave out the user's train items. The best lists order items
    by the sum of the gains under all `truths`; random lists are drawn from `seed` and the index of a user in `test_users`.
    """

    name: str
    kind: Kind
    task: Task
    depth: int | None
    masked: frozenset[Lists]
    truths: tuple[Truth, ...] = ()
    seed: int = 0
    test_users: Ids | None = None


class ReferencePlan(Struct, frozen=True, eq=False):
    """Plan of the reference lists of a run, given the `task` of its models and the merged facts of one of them.

    `n_shown` measures are shown, the first of the task. `longest` is the length of the longest list of any model. `seen_items` is the
    policy for seen items.
    """

    task: Task
    n_shown: int
    facts: ReferenceFacts
    longest: int
    seen_items: str
    leaves_out: bool
    """True if a user of the test file does not count for some model."""

    def masks(self, choice: Lists, kind: Kind = "popular") -> bool:
        """Return whether lists leave out the user's train items: as the policy or the convention says, else by the test file.

        If at least half of the test pairs are in train, users are tested on items that they had before, and lists may have such items.
        Fewer pairs are a leak, which must not change the reference lists. The best lists leave out items only if the convention does.
        """
        if "train" not in self.task.prepared.sources:
            return False
        if choice.seen != "keep":
            return True
        return kind != "best" and self.seen_items != "keep" and not self.facts.repeats_train

    def seen_rule(self, kind: Kind = "popular") -> str:
        """Describe what reference lists do with the user's train items, and why if test pairs are in train."""
        choice = self.task.definitions[0].lists
        masked = self.masks(choice, kind) or (kind == "best" and not self.facts.n_seen)
        done = f"{'leave out' if masked else 'may contain'} items of the user's train rows"
        n, total = self.facts.n_seen, self.facts.n_pairs
        if not n or choice.seen != "keep":
            return done
        if kind == "best":
            return f"{done}, because test items are among them"
        if self.seen_items == "keep":
            return f"{done}, because evaluation.policy.seen_items is set"
        pairs = f"{n:,} of {total:,} distinct test pairs ({100 * n / total:.{1 if 1000 * n >= total else 3}f} %)"
        return f"{done}, because train contains {pairs}, {'less than half' if masked else 'half or more'}"

    def tasks(self, *, oracle: bool, popularity: bool, random: int | None, test_users: Ids) -> list[ReferenceTask]:
        """Return the tasks of the reference lists that are switched on and possible; `test_users` are all users of the test file."""
        definitions = _each(
            definition for definition in self.task.definitions[: self.n_shown] if not (needs_scores(definition) or reads_pages(definition))
        )
        sources, tasks = self.task.prepared.sources, []
        if not definitions:
            return []
        depth = self._depth(definitions)
        if oracle:
            most = None if any(map(reads_whole_lists, definitions)) else depth
            choices = distinct_truths(truths(self.task.definitions), self.facts, bool(sources & {"train", "items"}))
            tasks.append(self._task(ORACLE, "best", definitions, most, truths=choices))
        if popularity and "train" in sources:
            tasks.append(self._task(POPULARITY, "popular", definitions, depth))
        if random is not None and sources & {"train", "items"}:
            tasks.append(self._task(RANDOM, "random", definitions, depth, seed=random, test_users=test_users))
        return tasks

    def baseline(self) -> ReferenceTask | None:
        """Return the task of popularity for every measure based on hits only, without building the lists; `None` if there is none."""
        definitions = _each(filter(reads_only_hits, self.task.definitions))
        if not definitions or "train" not in self.task.prepared.sources:
            return None
        reference = self._task(POPULARITY, "popular_ranks", definitions, self._depth(definitions))
        return replace(reference, task=replace(reference.task, by=(), deviations=False))  # checks compare means over all users

    def remark(self, names: Iterable[str]) -> str:
        """Describe what the reference lists `names` do with seen items; empty without train."""
        names = tuple(names)
        if not names or "train" not in self.task.prepared.sources:
            return ""
        rules: dict[str, list[str]] = {}
        for name in names:
            rules.setdefault(self.seen_rule("best" if name == ORACLE else "popular"), []).append(name)
        return " ".join(f"The lists of {', '.join(of_rule)} {rule}." for rule, of_rule in rules.items())

    def _task(
        self,
        name: str,
        kind: Kind,
        definitions: tuple[Definition, ...],
        depth: int | None,
        truths: tuple[Truth, ...] = (),
        seed: int = 0,
        test_users: Ids | None = None,
    ) -> ReferenceTask:
        keeps = (self.task.keeps_values and self.task.most_values is None) or (self.leaves_out and any(map(reads_only_hits, definitions)))
        indexes = {definition: index for index, definition in enumerate(self.task.definitions)}
        pooled = frozenset(place for place, definition in enumerate(definitions) if indexes[definition] in self.task.pooled)
        task = replace(self.task, definitions=definitions, pooled=pooled, keeps_values=keeps, most_values=None)
        masked = frozenset(part.lists for definition in definitions for part in definition.all if self.masks(part.lists, kind))
        return ReferenceTask(name, kind, task, depth, masked, truths, seed, test_users)

    def _depth(self, definitions: Iterable[Definition]) -> int:
        """Return the last rank that a measure reads; for a measure of whole lists the length of the longest list of a model."""
        whole = self.longest or _DEEP
        return max(whole if (rank := part.last_rank) is None else rank for definition in definitions for part in definition.all)


def _each(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    return tuple(dict.fromkeys(definitions))


def values_over_same_users(
    definitions: Sequence[Definition], rows: Sequence[Sequence[Row]], left_out: LeftOut, reference: ReferenceTask, partial: Partial
) -> dict[str, float]:
    """Return label → mean of reference lists over the users that count for a model, for measures based on hits only.

    `definitions` are the measures of the model, `rows` those of each measure, and `partial` is that of the reference lists. A user without
    a value there has no relevant item, and would have 0 with any list.
    """
    indexes = {definition: position for position, definition in enumerate(reference.task.definitions)}
    values = partial.user_values.frame() if left_out.frames and partial.user_values is not None else None
    means = {}
    for index, (definition, of_measure) in enumerate(zip(definitions, rows, strict=True)):
        row = next((row for row in of_measure if row.aggregate == "mean"), None)
        if row is None or not row.n_users or definition not in indexes or not reads_only_hits(definition):
            continue
        position = indexes[definition]
        total = partial.moments.totals.fraction(position)
        if values is not None:
            total -= _total(values, f"v{position}", left_out.users(index))
        means[row.label] = round_fraction(total / row.n_users)
    return means


def _total(values: pl.DataFrame, column: str, users: pl.Series) -> Fraction:
    """Return the sum of the values of some users."""
    if not len(users):
        return Fraction(0)
    theirs = values.join(users.to_frame("user"), on="user", how="semi")[column].drop_nulls()
    return ExactSums.from_values(theirs.to_numpy()[None, :]).fraction(0)


def with_shares_of_best_by_group(rows: Iterable[Row], of_best: Iterable[Row], labels: Container[str]) -> list[Row]:
    """Return rows of groups with the share of the best possible value that they reach, for the measures in `labels`.

    `of_best` are the rows of the best possible lists. There is no share if they have a value for other users than the model, nor in a group
    of items: the best lists are the best for all relevant items together.
    """
    best = {(row.by, row.group, row.label): row for row in of_best if row.aggregate == "mean" and row.label in labels}
    shared = []
    for row in rows:
        other = best.get((row.by, row.group, row.label))
        alike = other is not None and other.n_users == row.n_users and not (row.by or "").startswith(("items.", "rows."))
        shared += with_shares_of_best([row], {row.label: other.value or 0.0} if alike and other is not None else {})
    return shared


def with_shares_of_best(rows: Iterable[Row], best: Mapping[str, float]) -> list[Row]:
    """Return rows with the share of the best possible value that they reach, if higher is better and the best is above 0."""
    return [
        replace(row, achieved=row.value / best[row.label])
        if row.value is not None and row.higher_is_better and row.aggregate == "mean" and best.get(row.label, 0.0) > 0
        else row
        for row in rows
    ]


_MOST_ROWS: Final = 2_000_000
"""Maximal number of list rows that are built together."""
_SOURCES: Final = (LISTS, "other_lists")
"""Source names of reference lists; those under the settings of the first measure come first."""


def measure_reference(reference: ReferenceTask, frames: Mapping[str, pl.DataFrame]) -> Partial:
    """Measure the reference lists of some users, from all their rows of test, train and the like."""
    part = PartData({name: frame for name, frame in frames.items() if name != LISTS})
    partials = []
    for users in _chunks(part, reference.depth):
        chunk = part if users is None else part.for_users(users)
        scorer = reference_scorer(reference, chunk)
        measured = measure_users(reference.task, scorer)
        partial = measured.partial
        if reference.task.by:
            partial = partial.with_more({GROUPS: sums_by_group(reference.task, scorer, measured.values)})
        partials.append(partial)
    return merge_partials(partials)


def _chunks(part: PartData, depth: int | None) -> Sequence[Array | None]:
    """Return masks of users whose lists are built together; `None`: all users."""
    most = max(1, _MOST_ROWS // max(1, depth or 1))
    if part.n_users <= most:
        return [None]
    number = np.arange(part.n_users) // most
    return [number == chunk for chunk in range(int(number[-1]) + 1)]


def reference_scorer(reference: ReferenceTask, part: PartData) -> Scorer:
    """Return the scorer of a part with reference lists for the users of the test file."""
    masks = list(dict.fromkeys(choice in reference.masked for choice in _choices(reference)))
    if reference.kind == "popular_ranks":
        nothing = pl.DataFrame({"user": part.users.clear(), "item": part.rows("test").item.clear()})
        scorer = Scorer.for_part(reference.task.prepared, part.with_sources({LISTS: nothing}))
        choices = _replace_choices(scorer, reference)
        for masked in masks:
            _rank_popular(scorer, choices[masked], masked, reference.depth)
        return scorer
    prepared = reference.task.prepared
    lists = {name: _reference_rows(reference, part, masked) for name, masked in zip(_SOURCES, masks, strict=False)}
    scorer = Scorer.for_part(prepared, part.with_sources(lists))
    choices = _replace_choices(scorer, reference)
    for name, masked in zip(_SOURCES, masks, strict=False):
        rows = scorer.part.rows(name)
        reading = Reading(ListRows(rows, scorer.part.pairs[name], prepared), None, rows.user, rows.n_users, rows.starts, rows.counts)
        scorer.tables.replace("reading", Choice(lists=choices[masked]), reading)
    return scorer


def _choices(reference: ReferenceTask) -> list[Lists]:
    return list(dict.fromkeys(inner.lists for definition in reference.task.definitions for inner in definition.all))


class ReferenceChoices(Canonical):
    """Settings for reference lists; there are only two: seen items are left out, or not."""

    def __init__(self, prepared: Prepared, part: PartData, tables: Tables, masked: frozenset[Lists], choices: Mapping[bool, Lists]) -> None:
        super().__init__(prepared, part, tables)
        self._masked, self._choices = masked, choices

    def lists(self, choice: Lists) -> Lists:
        """Return the setting that represents all those that leave out seen items, or all others."""
        return self._choices[choice in self._masked]


def _replace_choices(scorer: Scorer, reference: ReferenceTask) -> Mapping[bool, Lists]:
    """Reduce all settings for lists to two; reference lists have no duplicates, and nothing is removed from them."""
    plain = Lists("rank", "item_asc", "float64", "keep_all", "keep", "keep")
    choices = {False: plain, True: replace(plain, seen="drop_and_refill")}
    scorer.canonical = ReferenceChoices(scorer.prepared, scorer.part, scorer.tables, reference.masked, choices)
    return choices


def _reference_rows(reference: ReferenceTask, part: PartData, masked: bool) -> pl.DataFrame:
    """Return `user item row` of the lists of the users of the test file."""
    prepared = reference.task.prepared
    if reference.kind == "best":
        user, item = _best(reference, part, masked)
    else:
        members = np.flatnonzero(part.rows("test").counts > 0)
        seen = _seen_items(part, members, masked, prepared)
        assert reference.depth is not None
        if reference.kind == "random":
            assert reference.test_users is not None
            numbers = reference.test_users.index_of(part.users.gather(members))
            rows: ReferenceRows = random_rows(prepared, numbers, seen, reference.depth, reference.seed)
        else:
            rows = popular_rows(prepared, seen, reference.depth)
        user, item = members[rows.user], prepared.items.ids.gather(rows.item)
    return pl.DataFrame({"user": part.users.gather(user), "item": item, "row": np.arange(len(user))})


def _seen_items(part: PartData, members: Array, masked: bool, prepared: Prepared) -> SeenItems:
    """Return the train items of the `members` of a part, who are renumbered from 0."""
    if not masked:
        return SeenItems.empty(len(members))
    pairs = train_pairs(part)
    number = np.full(part.n_users, -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    rows = np.flatnonzero(number[pairs.user] >= 0)
    return SeenItems(number[pairs.user[rows]], prepared.items.index_of(pairs.item.gather(rows)), len(members))


def _best(reference: ReferenceTask, part: PartData, masked: bool) -> tuple[Array, pl.Series]:
    """Return the users and the items of the best lists."""
    tables = Tables({"part": part, "prepared": reference.task.prepared})
    pairs: TestPairs = tables.get("test_pairs")
    gain, relevant = np.zeros(len(pairs)), np.zeros(len(pairs), dtype=np.bool_)
    for truth in reference.truths:
        truth_table: TruthTable = tables.get("truth_table", Choice(truth=truth))
        gain += np.where(truth_table.relevant, truth_table.gain, 0.0)
        relevant |= truth_table.relevant
    if masked:
        relevant[part.lookup_of_train.find(pairs.pairs)[0]] = False
    index = np.flatnonzero(relevant)
    index = index[best_rows(pairs.user[index], pairs.item.gather(index), gain[index], reference.depth)]
    return pairs.user[index], pairs.item.gather(index)


def _rank_popular(scorer: Scorer, lists: Lists, masked: bool, depth: int | None) -> None:
    """Replace the lists by the ranks of test pairs in popular lists, and the lengths of these lists."""
    assert depth is not None
    part, prepared, tables = scorer.part, scorer.prepared, scorer.tables
    pairs: TestPairs = tables.get("test_pairs")
    seen = _seen_items(part, np.arange(part.n_users), masked, prepared)
    rank = popular_ranks(prepared, pairs.user, prepared.items.index_of(pairs.item), seen, depth)
    if masked:
        rank[part.lookup_of_train.find(pairs.pairs)[0]] = 0
    index = np.flatnonzero(rank)
    index = index[np.lexsort((rank[index], pairs.user[index]))]
    user = pairs.user[index]
    rows = Rows(part.n_users, user, {"rank": rank[index], "pair": index}, pairs.item.gather(index))
    lengths = np.where(scorer.facts.tested, popular_lengths(prepared, seen, depth), 0)
    no_rows = ListRows(part.rows(LISTS), part.pairs[LISTS], prepared)
    tables.replace("reading", Choice(lists=lists), Reading(no_rows, None, no_rows.user, part.n_users, no_rows.rows.starts, lengths))
    tables.replace("rated", Choice(lists=lists), rows)
    tables.replace("judged_rows", Choice(lists=lists, positions="real"), rows)
    for positions in AMONG:
        tables.replace("judged_rows", Choice(lists=lists, positions=positions), ranked_among(rows, pairs, positions))
