"""The test file, read once → the tables of every choice of truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import narwhals as nw

from .. import load, match
from ..engine import Engine
from ..errors import DataError
from ..frames import Frame
from ..metrics import Truth
from .plan import Plan, normal

Read = Callable[[load.Source, Callable[[load.Source, Frame], list[Frame]]], list[Frame]]
"""Reads a source: what a function makes of its scan, without the counts of faults, which come last."""


@dataclass(frozen=True)
class Truths:
    """What the test file says.

    `judged` holds the pairs with which lists are joined, `everyone` its users, `n_test` of them; `tested` are the same where users
    without a relevant item may count.
    `tables` are the distinct tables, `place` says which are those of a choice, `graded` whether its gains are ratings.
    """

    judged: Frame
    everyone: Frame
    tested: Frame | None
    n_test: int
    tables: tuple[match.TruthTables, ...]
    place: dict[Truth, int]
    n_relevant: tuple[int, ...]

    graded: dict[Truth, bool]
    rows: Frame | None = None
    """The rows of the test file, where they are kept."""
    repeated: bool = False
    """Whether a pair stands twice in it, where a choice makes a difference of that."""

    def of(self, choice: Truth) -> match.TruthTables:
        """The tables of a choice."""
        return self.tables[self.place[choice]]


def read_truths(source: load.Source, plan: Plan, known: match.Known, engine: Engine, read: Read, examined: bool = False) -> Truths:
    """Read the test file and make the tables of every choice of truth; choices that turn out equal share theirs.

    The rows are kept if a choice needs them, or if they are `examined`.

    Raises `DataError` if no user has a relevant item under the first choice.
    """
    choices = {choice: normal(choice, source.columns, known) for choice in plan.truths}
    distinct = list(dict.fromkeys(choices.values()))
    keeps_rows = len(distinct) > 1 or plan.needs_rated or plan.needs_all_tested

    def compute(source: load.Source, scan: Frame) -> list[Frame]:
        users = scan.select("user").unique("user")
        counted = load.counted(scan, source)
        columns = [column for column in ("user", "item", "rating", "timestamp", "row") if column == "row" or column in source.columns]
        rows = [scan.select(*columns)] if keeps_rows or examined else []
        relevant = [] if keeps_rows else [match.relevant_items(scan, distinct[0], known)]
        return engine.settle([*relevant, *rows, users, counted])

    first, *more, everyone = read(source, compute)
    judged = None
    repeated = not keeps_rows and "row" in distinct[0].duplicates and _copies(first, engine) > 1
    if keeps_rows:
        (judged,) = engine.settle([first.select(*match.PAIR).unique(match.PAIR)])
        repeated = _size(first, engine) != _size(judged, engine)
        if not repeated:
            choices = {asked: replace(choice, duplicates="best") for asked, choice in choices.items()}
            distinct = list(dict.fromkeys(choices.values()))
    relevant = engine.settle([match.relevant_items(first, choice, known) for choice in distinct]) if keeps_rows else [first]
    sizes = [_size(frame, engine) for frame in relevant]
    kept = {choice: _same(choice, distinct, sizes) for choice in distinct}
    tables = {
        choice: match.truth_tables(relevant[distinct.index(choice)], choice.graded, engine) for choice in dict.fromkeys(kept.values())
    }
    places = {choice: place for place, choice in enumerate(tables)}
    n_test = _size(everyone, engine)
    counts = tuple(_size(table.users, engine) for table in tables.values())
    place = {asked: places[kept[choice]] for asked, choice in choices.items()}
    if counts[place[plan.definitions[0].truth]] == 0:
        raise _nothing_relevant(source, plan.definitions[0].truth, n_test)
    graded = {asked: choice.graded for asked, choice in choices.items()}
    if judged is None:
        return Truths(
            relevant[0], everyone, None, n_test, tuple(tables.values()), place, counts, graded, more[0] if more else None, repeated
        )
    return Truths(judged, everyone, everyone, n_test, tuple(tables.values()), place, counts, graded, first, repeated)


def _copies(relevant: Frame, engine: Engine) -> int:
    """How often a pair stands in the test file at most."""
    return int(engine.collect(relevant.select(nw.col("copies").max()))["copies"].item() or 0)


def _size(frame: Frame, engine: Engine) -> int:
    return int(engine.collect(frame.select(nw.len().alias("n")))["n"].item())


def _same(choice: Truth, others: list[Truth], sizes: list[int]) -> Truth:
    """The first of `others` that has the same relevant items: one keeps part of the rows of the other, and as many."""
    size = sizes[others.index(choice)]
    for other, n in zip(others, sizes, strict=True):
        alike = (other.graded, other.duplicates) == (choice.graded, choice.duplicates) and n == size
        nested = other.filter == choice.filter or (other.rule, other.threshold) == (choice.rule, choice.threshold)
        if other == choice or (alike and nested and "user_mean" not in (other.rule, choice.rule) and "row" not in choice.duplicates):
            return other
    return choice


def _nothing_relevant(source: load.Source, choice: Truth, n_test: int) -> DataError:
    least = f" of at least {choice.threshold:g}" if choice.threshold is not None else ""
    rules = {"above_zero": " above 0", "at_least_zero": " of at least 0", "at_least_one": " of at least 1"}
    wanted = least or rules.get(choice.rule, "")
    said = f", that is, a rating{wanted}" if wanted and "rating" in source.columns else ""
    left_out = "" if choice.filter == "none" else "; test rows of users and items that train or the catalogue does not hold are left out"
    who = f"none of {n_test:,} users has a" if n_test > 1 else "its only user has no"
    return DataError(f"{source.role}: {who} relevant item{said}{left_out}")
