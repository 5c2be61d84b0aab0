"""Checks of times, X07 to X09: times in the wrong order, and lists with items from the future."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ..checks import Severity
from ..tables.array import Array
from ..tables.prepared import by_day
from ..tables.rows import SourceRows
from ..tables.truth import TEST
from .checker import Context, HealthCheck, Symptom, check, count_text, share_text
from .examined import ExaminedPart
from .file_checks import TRAIN
from .tallies import Examples, Tally


def user_times(rows: SourceRows, *, latest: bool) -> Array:
    """Return the earliest or the latest time of each user's rows, NaN for users without any."""
    time = rows.frame["timestamp"].cast(pl.Float64).to_numpy()
    times = np.full(rows.n_users, np.nan)
    (np.fmax if latest else np.fmin).at(times, rows.user, time)
    return times


@check("X07", per="files")
class OverlappingUsers(HealthCheck):
    """Users with a test row that is older than their last train row; compared by day if one of the files has only days."""

    def tally(self, part: ExaminedPart) -> Tally:
        begins, ends = user_times(part.data.rows(TEST), latest=False), user_times(part.data.rows(TRAIN), latest=True)
        day = part.prepared.times.day if part.prepared.times is not None else None
        early = by_day(begins, day) < by_day(ends, day)
        return Tally.of(
            early=int(early.sum()),
            users=int((~np.isnan(begins) & ~np.isnan(ends)).sum()),
            **part.users(early, begins=begins, ends=ends),
        )

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("early"), tally.count("users")
        sentence = f"{share_text(n, total, 'users of train and test')} have a test row that is older than their last train row."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user"), rows=tally.rows())


@check("X08", per="files")
class TrainAfterTest(HealthCheck):
    """Train rows that are newer than the first test row of all users.

    In a leave-one-out split they are there by design, and the finding is a remark: every test user has one test row and no later train row,
    and every newer train row is of a test user.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        facts = part.prepared.times
        if facts is None or facts.first_test is None:
            return Tally()
        rows = part.data.rows(TRAIN)
        is_late = rows.frame.select(by_day(pl.col("timestamp"), facts.day) > facts.first_test).to_series().fill_null(False)
        otherwise = _otherwise_split(part, rows.user[is_late.to_numpy()], facts.day)
        late = rows.frame.select("user", "item", "timestamp").filter(is_late)
        if not len(late):
            return Tally.of(otherwise_split=otherwise)
        youngest = Examples.of(late.select("timestamp", "user", "item"), falling=("timestamp",))
        return Tally.of(late=len(late), otherwise_split=otherwise, examples=youngest, **part.stored_rows(late))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("late"), context.counts.count("timed_train_rows")
        left_one_out = not tally.count("otherwise_split")
        but = "a leave-one-out split has such rows by design, but " if left_one_out else ""
        sentence = (
            f"{share_text(n, total, 'train rows')} are younger than the first test row: {but}across users, train contains the future."
        )
        severity: Severity | None = "info" if left_one_out else None
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows(), severity=severity)


def _otherwise_split(part: ExaminedPart, late: Array, day: float | None) -> int:
    """Return the number of users who show that the split is not leave-one-out; `late` are those of the rows after the first test row."""
    tested = part.data.rows(TEST)
    strange = int((tested.counts > 1).sum()) + int((tested.counts[late] == 0).sum())
    if strange or not len(late):
        return strange
    begins, ends = user_times(tested, latest=False), user_times(part.data.rows(TRAIN), latest=True)
    return int((by_day(begins, day) < by_day(ends, day)).sum())


@check("X09")
class FutureItems(HealthCheck):
    """Recommended items whose first row, in train or test, is later than the user's last test row."""

    def tally(self, part: ExaminedPart) -> Tally:
        facts = part.prepared.times
        if facts is None or not len(facts.young):
            return Tally()
        lists = part.lists
        index = facts.young.index_of(lists.item)
        rows = np.flatnonzero(index >= 0)
        ends = by_day(user_times(part.data.rows(TEST), latest=True), facts.day)
        rows = rows[facts.born[index[rows]] > ends[lists.user[rows]]]
        if not len(rows):
            return Tally()
        times: dict[str, Any] = {"born": facts.born[index[rows]], "ends": ends[lists.user[rows]]}
        early = lists.frame[rows].select("user", "item").with_columns(**{name: pl.Series(values) for name, values in times.items()})
        return Tally.of(early=len(rows), users=len(np.unique(lists.user[rows])), **part.notes(early, "user", "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("early"), context.counts.count("list_rows")
        held = f"{share_text(n, total, 'recommended rows')} contain an item that first appears after the user's last test row"
        sentence = f"{held}, for {count_text(tally.count('users'), 'user')}."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows())


def time_remarks(context: Context) -> list[str]:
    """Return sentences on test and train rows without a time, which the checks of time skip."""
    sentences = []
    for role in (TEST, TRAIN):
        n_rows, n_timed = context.counts.count(f"{role}_rows"), context.counts.count(f"timed_{role}_rows")
        if n_timed < n_rows:
            source = context.sources[role]
            lacking = f"{share_text(n_rows - n_timed, n_rows, 'rows')} have no time in {source.columns['timestamp']!r} that can be read"
            sentences.append(f"{source.role}: {lacking}; X07, X08 and X09 skip these rows.")
    return sentences
