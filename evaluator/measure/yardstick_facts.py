"""What the pass over a model tells the yardsticks: what train holds of the test file, and who does not count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..conventions.axis import Truth
from ..metrics.definition import Definition
from ..tables.array import Array
from ..tables.graph import Choice
from ..tables.truth import TestPairs, TruthTable
from .plan import MeasureGroup
from .reads import of_hits
from .scoring import Scorer


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
