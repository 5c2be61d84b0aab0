"""X05 to X09: what train holds already, and what lies in the future."""

from __future__ import annotations

import narwhals as nw

from ..frames import Frame
from .examiner import EXAMPLES, Examiner, Lists, Symptom, several, shared

_PAIR = ["user", "item"]


def seen(x: Examiner, of: Lists, hits: Frame) -> list[Symptom]:
    """X05: recommended items that train holds for the user, and the share of `hits` (user item rank) that they are."""
    if of.seen is None or not x.asks("X05"):
        return []
    rows = of.seen
    sums = x.one(rows.select(rows=nw.len(), users=nw.col("user").n_unique()))
    if not sums["rows"]:
        return []
    n_hits, n_due = x.size(hits), x.size(hits.join(rows, on=_PAIR, how="semi"))
    due = f"; they make {shared(n_due, n_hits, 'hits')}" if n_hits else ""
    said = shared(sums["rows"], of.n_rows, "recommended rows")
    sentence = f"{said} are items that train holds for the user, for {several(sums['users'], 'user')}{due}."
    examples = x.examples(rows, *_PAIR)
    return x.symptom("X05", sentence, sums["rows"], of.n_rows, model=of.model, examples=examples, rows=lambda: rows)


def trained(x: Examiner, test: Frame, both: Frame, times: Frame | None) -> list[Symptom]:
    """X06 to X08: pairs that are in test and train, and times that are the wrong way round.

    `test` has the rows of the test file, with `timestamp` if `times` (`user item timestamp` of the train rows) is given; `both` those of
    them that are in train.
    """
    n_rows = x.size(test)
    found: list[Symptom] = []
    if x.asks("X06"):
        n = x.size(both)
        if n:
            sentence = f"{shared(n, n_rows, 'test rows')} are pairs that train holds too."
            found += x.symptom("X06", sentence, n, n_rows, examples=x.examples(both, *_PAIR), rows=lambda: both)
    if times is None:
        return found
    return [*found, *_overlaps(x, test, times), *_leaks(x, test, times)]


def _overlaps(x: Examiner, test: Frame, times: Frame) -> list[Symptom]:
    if not x.asks("X07"):
        return []
    begins = test.drop_nulls("timestamp").group_by("user").agg(begins=nw.col("timestamp").min())
    ends = times.group_by("user").agg(ends=nw.col("timestamp").max())
    users = begins.join(ends, on="user", how="inner")
    (users,) = x.engine.settle([users])
    early = users.filter(nw.col("begins") < nw.col("ends"))
    n, total = x.size(early), x.size(users)
    sentence = f"{shared(n, total, 'users of train and test')} have a test row that is older than their last train row."
    return x.symptom("X07", sentence, n, total, examples=x.examples(early, "user") if n else (), rows=lambda: early)


def _leaks(x: Examiner, test: Frame, times: Frame) -> list[Symptom]:
    if not x.asks("X08"):
        return []
    first = x.engine.collect(test.select(nw.col("timestamp").min()))["timestamp"].to_list()[0]
    if first is None:
        return []
    late = times.filter(nw.col("timestamp") > first)
    n, total = x.size(late), x.size(times)
    sentence = f"{shared(n, total, 'train rows')} are younger than the first test row: over all users, train knows of the future."
    if not n:
        return []
    order = ["timestamp", *_PAIR]
    youngest = late.sort(order, descending=[True, False, False]).head(EXAMPLES)
    return x.symptom("X08", sentence, n, total, examples=x.examples(youngest, *_PAIR), rows=lambda: late)


def future(x: Examiner, of: Lists, test: Frame, times: Frame) -> list[Symptom]:
    """X09: recommended items that first occur after the last test row of their user."""
    if not x.asks("X09"):
        return []
    rows = nw.concat([times.select("item", "timestamp"), test.select("item", "timestamp")])
    births = rows.group_by("item").agg(born=nw.col("timestamp").min())
    ends = test.group_by("user").agg(ends=nw.col("timestamp").max())
    first_end = x.engine.collect(ends.select(nw.col("ends").min()))["ends"].to_list()[0]
    if first_end is None:
        return []
    (young,) = x.engine.settle([births.filter(nw.col("born") > first_end).join(of.items, on="item", how="semi")])
    if not x.size(young):  # no listed item is younger than anybody's last row
        return []
    listed = of.rows().select(*_PAIR).join(young, on="item", how="inner").join(ends, on="user", how="inner")
    (early,) = x.engine.settle([listed.filter(nw.col("born") > nw.col("ends"))])
    n = x.size(early)
    users = x.one(early.select(n=nw.col("user").n_unique()))["n"] if n else 0
    said = f"{shared(n, of.n_rows, 'recommended rows')} hold an item that first occurs after the user's last test row"
    examples = x.examples(early, *_PAIR) if n else ()
    return x.symptom("X09", f"{said}, for {several(users, 'user')}.", n, of.n_rows, model=of.model, examples=examples, rows=lambda: early)
