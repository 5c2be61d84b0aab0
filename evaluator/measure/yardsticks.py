"""The best possible, the popular and random lists, made part by part and measured like models: what a value is compared with."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..conventions.axis import Lists, Truth
from ..metrics.definition import Definition
from ..names.short_names import ORACLE, POPULARITY, RANDOM
from ..results.result import Row
from ..sums.exact import ExactSums, rounded
from ..tables.array import Array
from ..tables.graph import Choice, Tables
from ..tables.hits import train_pairs
from ..tables.ids import Ids
from ..tables.lists import Canonical, ListRows, Reading
from ..tables.made_lists import MadeRows, SeenItems, best_rows, popular_lengths, popular_ranks, popular_rows, random_rows
from ..tables.prepared import Prepared
from ..tables.rows import LISTS, PartData, Rows, numbered
from ..tables.truth import TestPairs, TruthTable
from .by_group import GROUPS, sums_by_group
from .measuring import scored
from .partial import Partial, merged
from .scoring import Scorer
from .task import MeasureGroup, Task, needs_scores, of_hits, reads_whole_lists


class LeftOut(Struct, frozen=True, eq=False):
    """Users of the test file who could count for a measure of hits and do not: `user`, and `m<i>` for the measure at index i."""

    frames: tuple[pl.DataFrame, ...] = ()

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.frames + other.frames)

    def users(self, index: int) -> pl.Series:
        """The users who do not count for a measure."""
        if not self.frames:
            return pl.Series("user", [], dtype=pl.Null)
        return pl.concat([frame.filter(f"m{index}")["user"] for frame in self.frames])


class YardstickFacts(Struct, frozen=True, eq=False):
    """Facts of the lists of a model and of the test file that yardsticks depend on.

    `n_pairs` is the number of distinct pairs of the test file, `n_seen` that of those that train holds too; `rated` says whether the test
    file has ratings, and `repeats` whether a pair stands in it twice; `n_relevant` are the numbers of relevant items under each choice of
    truth, in the order of `truths`.
    """

    n_pairs: int
    n_seen: int
    rated: bool
    repeats: bool
    n_relevant: Array
    left_out: LeftOut

    def __add__(self, other: YardstickFacts) -> YardstickFacts:
        return YardstickFacts(
            self.n_pairs + other.n_pairs,
            self.n_seen + other.n_seen,
            self.rated or other.rated,
            self.repeats or other.repeats,
            self.n_relevant + other.n_relevant,
            self.left_out + other.left_out,
        )

    @property
    def repeats_train(self) -> bool:
        """Whether users are tested on what they had before: train holds at least half of the test pairs."""
        return 2 * self.n_seen >= self.n_pairs > 0


def truths(definitions: Sequence[Definition]) -> tuple[Truth, ...]:
    """The choices of truth of measures, and of those that they combine."""
    return tuple(dict.fromkeys(part.truth for definition in definitions for part in definition.all))


def yardstick_facts(scorer: Scorer, groups: Sequence[MeasureGroup], values: Array) -> YardstickFacts:
    """What a part adds, given the values of each measure (measures × users), NaN for a user who does not count."""
    pairs: TestPairs = scorer.tables.get("test_pairs")
    seen = len(scorer.part.lookup_of_train.find(pairs.pairs)[0]) if "train" in scorer.part else 0
    tables: list[TruthTable] = [
        scorer.tables.get("truth_table", Choice(truth=scorer.canonical.truth(truth))) for truth in truths([group.first for group in groups])
    ]
    return YardstickFacts(
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
        if not of_hits(definition):
            continue
        could = scorer.facts.tested
        if definition.population == "test" and definition.user_rules.no_relevant == "drop":
            could = could & (scorer.tables.get("n_relevant", scorer.choice(definition)) > 0)
        masks |= {f"m{index}": could & np.isnan(values[index]) for index in group.indexes}
    some = np.flatnonzero(np.logical_or.reduce(list(masks.values()))) if masks else np.empty(0, dtype=np.int64)
    if not len(some):
        return LeftOut()
    return LeftOut((pl.DataFrame({"user": scorer.part.users.gather(some)} | {name: mask[some] for name, mask in masks.items()}),))


def distinct_truths(choices: Sequence[Truth], facts: YardstickFacts, has_known: bool) -> tuple[Truth, ...]:
    """The choices of truth without those that give the same relevant items; `has_known`: there is a train or an items file."""
    sizes: dict[Truth, int] = {}
    for choice, size in zip(choices, facts.n_relevant.tolist(), strict=True):
        sizes.setdefault(_plain(choice, facts, has_known), size)
    made: dict[Truth, None] = {}
    for choice in sizes:
        made.setdefault(next(other for other in sizes if other == choice or _same(choice, other, sizes)))
    return tuple(made)


def _plain(choice: Truth, facts: YardstickFacts, has_known: bool) -> Truth:
    """The same choice without what makes no difference."""
    if not has_known:
        choice = replace(choice, filter="none")
    if not facts.repeats:
        choice = replace(choice, duplicates="best")
    if facts.rated:
        return replace(choice, rule="all_rows") if choice.threshold is not None else choice
    duplicates = choice.duplicates if "row" in choice.duplicates else "best"
    return replace(choice, rule="all_rows", threshold=None, graded=False, duplicates=duplicates)


def _same(choice: Truth, other: Truth, sizes: dict[Truth, int]) -> bool:
    """Whether two choices have the same relevant items: one keeps part of the rows of the other, and as many."""
    alike = (other.graded, other.duplicates) == (choice.graded, choice.duplicates) and sizes[other] == sizes[choice]
    nested = other.filter == choice.filter or (other.rule, other.threshold) == (choice.rule, choice.threshold)
    return alike and nested and "user_mean" not in (other.rule, choice.rule) and "row" not in choice.duplicates


_DEEP: Final = 1_000
"""How long made lists are where a measure looks at whole lists and no model has one."""

Kind = Literal["best", "popular", "popular_ranks", "random"]


class YardstickTask(Struct, frozen=True, eq=False):
    """What is made and measured of every part: a `task` whose lists are made from test and train.

    `kind` says which lists: with `popular_ranks` only the hits of popular lists and their lengths are made. `depth` is the length of
    the lists, `None` as long as can be. Under the choices of lists `masked` they leave out what train holds for the user.
    The best lists order by the gains under all `truths` together; random lists are drawn by `seed` and the index of a user in `test_users`.
    """

    name: str
    kind: Kind
    task: Task
    depth: int | None
    masked: frozenset[Lists]
    truths: tuple[Truth, ...] = ()
    seed: int = 0
    test_users: Ids | None = None


class Yardsticks(Struct, frozen=True, eq=False):
    """The yardsticks of a run, given the `task` of its models, and the merged facts of one of them.

    `n_shown` is the number of measures that are shown, the first of the task; `longest` is the length of the longest list of any model;
    `seen_items` is what the policy does with them.
    """

    task: Task
    n_shown: int
    facts: YardstickFacts
    longest: int
    seen_items: str
    leaves_out: bool
    """Whether a user of the test file does not count for some model."""

    def masks(self, choice: Lists, kind: Kind = "popular") -> bool:
        """Whether lists leave out what train holds for the user: as the policy or the convention says, else as the test file does.

        Train that holds at least half of the test pairs means that users are tested on what they had before: then lists may hold it too.
        Fewer are a leak, which must not change what models are compared with. The best lists leave out nothing but by the convention.
        """
        if "train" not in self.task.prepared.sources:
            return False
        if choice.seen != "keep":
            return True
        return kind != "best" and self.seen_items != "keep" and not self.facts.repeats_train

    def seen_rule(self, kind: Kind = "popular") -> str:
        """What made lists do with items that train holds for the user, and why where train holds test pairs."""
        choice = self.task.definitions[0].lists
        masked = self.masks(choice, kind) or (kind == "best" and not self.facts.n_seen)
        done = f"{'leave out' if masked else 'may contain'} items of the user's train rows"
        n, total = self.facts.n_seen, self.facts.n_pairs
        if not n or choice.seen != "keep":
            return done
        if kind == "best":
            return f"{done}, because test items are among them"
        if self.seen_items == "keep":
            return f"{done}, as evaluation.policy.seen_items is set"
        pairs = f"{n:,} of {total:,} test pairs ({100 * n / total:.{1 if 1000 * n >= total else 3}f} %)"
        return f"{done}, because train contains {pairs}, {'less than half' if masked else 'half or more'}"

    def wanted(self, *, oracle: bool, popularity: bool, random: int | None, test_users: Ids) -> list[YardstickTask]:
        """The yardsticks that are asked for, as far as the files allow; `test_users` are all users of the test file."""
        definitions = _each(one for one in self.task.definitions[: self.n_shown] if not needs_scores(one))
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

    def baseline(self) -> YardstickTask | None:
        """Popularity for every measure that looks at hits alone; the lists themselves are not made."""
        definitions = _each(filter(of_hits, self.task.definitions))
        if not definitions or "train" not in self.task.prepared.sources:
            return None
        yardstick = self._task(POPULARITY, "popular_ranks", definitions, self._depth(definitions))
        return replace(yardstick, task=replace(yardstick.task, by=()))  # what checks compare is over all users

    def remark(self, names: Iterable[str]) -> str:
        """What the lists of yardsticks do with seen items; nothing where there is no train."""
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
    ) -> YardstickTask:
        keeps = (self.task.keeps_values and self.task.most_values is None) or (self.leaves_out and any(map(of_hits, definitions)))
        indexes = {definition: index for index, definition in enumerate(self.task.definitions)}
        pooled = frozenset(place for place, one in enumerate(definitions) if indexes[one] in self.task.pooled)
        task = replace(self.task, definitions=definitions, pooled=pooled, keeps_values=keeps, most_values=None)
        masked = frozenset(part.lists for one in definitions for part in one.all if self.masks(part.lists, kind))
        return YardstickTask(name, kind, task, depth, masked, truths, seed, test_users)

    def _depth(self, definitions: Iterable[Definition]) -> int:
        """The largest cut-off; a measure of whole lists looks as far as the longest list of a model."""
        whole = self.longest or _DEEP
        return max(whole if part.k is None else part.k for one in definitions for part in one.all)


def _each(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    return tuple(dict.fromkeys(definitions))


def values_over_same_users(
    definitions: Sequence[Definition], rows: Sequence[Sequence[Row]], left_out: LeftOut, yardstick: YardstickTask, partial: Partial
) -> dict[str, float]:
    """Label → the mean of a yardstick over the users that count for a model, of measures that look at hits alone.

    `definitions` are the measures of the model, `rows` those of each measure, and `partial` is that of the yardstick. A user who has no
    value there, having nothing relevant, would have 0 with any list.
    """
    indexes = {definition: position for position, definition in enumerate(yardstick.task.definitions)}
    values = partial.user_values.frame() if left_out.frames and partial.user_values is not None else None
    means = {}
    for index, (definition, of_measure) in enumerate(zip(definitions, rows, strict=True)):
        row = next((row for row in of_measure if row.aggregate == "mean"), None)
        if row is None or not row.n_users or definition not in indexes or not of_hits(definition):
            continue
        position = indexes[definition]
        total = partial.moments.totals.fraction(position)
        if values is not None:
            total -= _total(values, f"v{position}", left_out.users(index))
        means[row.label] = rounded(total / row.n_users)
    return means


def _total(values: pl.DataFrame, column: str, users: pl.Series) -> Fraction:
    """The sum of the values of some users."""
    if not len(users):
        return Fraction(0)
    theirs = values.join(users.to_frame("user"), on="user", how="semi")[column].drop_nulls()
    return ExactSums.of(theirs.to_numpy()[None, :]).fraction(0)


def achieved_by_group(rows: Iterable[Row], of_best: Iterable[Row], labels: Container[str]) -> list[Row]:
    """Rows of groups of users with the share of the best possible value in each group that measures with those `labels` reach.

    `of_best` are the rows of the best possible lists. A group in which they have a value for other users than the model has no share, and a
    group of items has none: the best lists are the best for all relevant items together.
    """
    best = {(row.by, row.group, row.label): row for row in of_best if row.aggregate == "mean" and row.label in labels}
    shared = []
    for row in rows:
        other = best.get((row.by, row.group, row.label))
        alike = other is not None and other.n_users == row.n_users and not (row.by or "").startswith("items.")
        shared += achieved([row], {row.label: other.value or 0.0} if alike and other is not None else {})
    return shared


def achieved(rows: Iterable[Row], best: Mapping[str, float]) -> list[Row]:
    """Rows with the share of the best possible value that they reach, where more is better and the best is above 0."""
    return [
        replace(row, achieved=row.value / best[row.label])
        if row.value is not None and row.higher_is_better and row.aggregate == "mean" and best.get(row.label, 0.0) > 0
        else row
        for row in rows
    ]


_MOST_ROWS: Final = 2_000_000
"""How many rows of lists are made together, at most."""
_SOURCES: Final = (LISTS, "other_lists")
"""The names of made lists, those under the choice of the first measure first."""


def measure_yardstick(yardstick: YardstickTask, frames: Mapping[str, pl.DataFrame]) -> Partial:
    """What some users, with all their rows of test, train and the like, add to the result of a yardstick."""
    part = PartData({name: frame for name, frame in frames.items() if name != LISTS})
    partials = []
    for users in _chunks(part, yardstick.depth):
        chunk = part if users is None else part.of_users(users)
        scorer = made_scorer(yardstick, chunk)
        partial, values = scored(yardstick.task, scorer)
        if yardstick.task.by:
            partial = partial.with_more({GROUPS: sums_by_group(yardstick.task, scorer, values)})
        partials.append(partial)
    return merged(partials)


def _chunks(part: PartData, depth: int | None) -> Sequence[Array | None]:
    """Masks of users whose lists are made together; `None`: all."""
    most = max(1, _MOST_ROWS // max(1, depth or 1))
    if part.n_users <= most:
        return [None]
    number = np.arange(part.n_users) // most
    return [number == chunk for chunk in range(int(number[-1]) + 1)]


def made_scorer(yardstick: YardstickTask, part: PartData) -> Scorer:
    """The scorer of a part in which the lists of the users of the test file are made."""
    masks = list(dict.fromkeys(choice in yardstick.masked for choice in _choices(yardstick)))
    if yardstick.kind == "popular_ranks":
        nothing = pl.DataFrame({"user": part.users.clear(), "item": part.rows("test").item.clear()})
        scorer = Scorer.of(yardstick.task.prepared, part.with_sources({LISTS: nothing}))
        choices = _replace_choices(scorer, yardstick)
        for masked in masks:
            _rank_popular(scorer, choices[masked], masked, yardstick.depth)
        return scorer
    prepared = yardstick.task.prepared
    lists = {name: _made_lists(yardstick, part, masked) for name, masked in zip(_SOURCES, masks, strict=False)}
    scorer = Scorer.of(prepared, part.with_sources(lists))
    choices = _replace_choices(scorer, yardstick)
    for name, masked in zip(_SOURCES, masks, strict=False):
        rows = scorer.part.rows(name)
        reading = Reading(ListRows(rows, scorer.part.pairs[name], prepared), None, rows.user, rows.n_users, rows.starts, rows.counts)
        scorer.tables.replace("reading", Choice(lists=choices[masked]), reading)
    return scorer


def _choices(yardstick: YardstickTask) -> list[Lists]:
    return list(dict.fromkeys(inner.lists for definition in yardstick.task.definitions for inner in definition.all))


class MadeChoices(Canonical):
    """Choices of lists are two where lists are made: seen items are left out, or not."""

    def __init__(self, prepared: Prepared, part: PartData, tables: Tables, masked: frozenset[Lists], choices: Mapping[bool, Lists]) -> None:
        super().__init__(prepared, part, tables)
        self._masked, self._choices = masked, choices

    def lists(self, choice: Lists) -> Lists:
        """The choice that stands for all those that leave out seen items, or for all others."""
        return self._choices[choice in self._masked]


def _replace_choices(scorer: Scorer, yardstick: YardstickTask) -> Mapping[bool, Lists]:
    """Make two choices of lists of all; nothing is given twice in made lists, and nothing is taken out of them."""
    plain = Lists("rank", "item_asc", "float64", "keep_all", "keep", "keep")
    choices = {False: plain, True: replace(plain, seen="drop_and_refill")}
    scorer.canonical = MadeChoices(scorer.prepared, scorer.part, scorer.tables, yardstick.masked, choices)
    return choices


def _made_lists(yardstick: YardstickTask, part: PartData, masked: bool) -> pl.DataFrame:
    """`user item row` of the lists of the users of the test file."""
    prepared = yardstick.task.prepared
    if yardstick.kind == "best":
        user, item = _best(yardstick, part, masked)
    else:
        members = np.flatnonzero(part.rows("test").counts > 0)
        seen = _seen_items(part, members, masked, prepared)
        assert yardstick.depth is not None
        if yardstick.kind == "random":
            assert yardstick.test_users is not None
            numbers = yardstick.test_users.index_of(part.users.gather(members))
            made: MadeRows = random_rows(prepared, numbers, seen, yardstick.depth, yardstick.seed)
        else:
            made = popular_rows(prepared, seen, yardstick.depth)
        user, item = members[made.user], prepared.items.ids.gather(made.item)
    return pl.DataFrame({"user": part.users.gather(user), "item": item, "row": np.arange(len(user))})


def _seen_items(part: PartData, members: Array, masked: bool, prepared: Prepared) -> SeenItems:
    """What train holds of the `members` of a part, who are numbered anew."""
    if not masked:
        return SeenItems.nothing(len(members))
    pairs = train_pairs(part)
    number = np.full(part.n_users, -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    rows = np.flatnonzero(number[pairs.user] >= 0)
    return SeenItems(number[pairs.user[rows]], prepared.items.index_of(pairs.item.gather(rows)), len(members))


def _best(yardstick: YardstickTask, part: PartData, masked: bool) -> tuple[Array, pl.Series]:
    """The users and the items of the best lists."""
    tables = Tables({"part": part, "prepared": yardstick.task.prepared})
    pairs: TestPairs = tables.get("test_pairs")
    gain, relevant = np.zeros(len(pairs)), np.zeros(len(pairs), dtype=np.bool_)
    for truth in yardstick.truths:
        truth_table: TruthTable = tables.get("truth_table", Choice(truth=truth))
        gain += np.where(truth_table.relevant, truth_table.gain, 0.0)
        relevant |= truth_table.relevant
    if masked:
        relevant[part.lookup_of_train.find(pairs.pairs)[0]] = False
    index = np.flatnonzero(relevant)
    index = index[best_rows(pairs.user[index], pairs.item.gather(index), gain[index], yardstick.depth)]
    return pairs.user[index], pairs.item.gather(index)


def _rank_popular(scorer: Scorer, lists: Lists, masked: bool, depth: int | None) -> None:
    """Put the ranks of test pairs in popular lists, and the lengths of these lists, in the place of the lists."""
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
    among_rated = Rows(part.n_users, user, {"rank": numbered(user, part.n_users), "pair": index, "real_rank": rank[index]}, rows.item)
    lengths = np.where(scorer.facts.tested, popular_lengths(prepared, seen, depth), 0)
    no_rows = ListRows(part.rows(LISTS), part.pairs[LISTS], prepared)
    tables.replace("reading", Choice(lists=lists), Reading(no_rows, None, no_rows.user, part.n_users, no_rows.rows.starts, lengths))
    tables.replace("rated", Choice(lists=lists), rows)
    tables.replace("judged_rows", Choice(lists=lists, positions="real"), rows)
    tables.replace("judged_rows", Choice(lists=lists, positions="among_rated"), among_rated)
