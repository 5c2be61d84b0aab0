"""T01 to T03: what is odd in the test file."""

from __future__ import annotations

import narwhals as nw

from ..frames import Frame
from .examiner import Examiner, Symptom, shared

_PAIR = ["user", "item"]


def truth(x: Examiner, rows: Frame, n_users: int, relevant: Frame, n_items: int, graded: bool) -> list[Symptom]:
    """Every finding in the `rows` of the test file: `user item`, and `rating` if it has one.

    There are `n_items` relevant items in all: if these are as many as rows, no pair stands twice. Of its `n_users` users
    those of `relevant` have one. `graded`: a measure makes gains of the ratings.
    """
    n_rows = x.size(rows)
    found = _repeated(x, rows, n_rows) if x.asks("T01") and n_items != n_rows else []
    found += _irrelevant(x, rows, n_users, relevant) if x.asks("T02") else []
    if graded and x.asks("T03") and "rating" in rows.collect_schema().names():
        found += _odd_gains(x, rows, n_rows)
    return found


def _repeated(x: Examiner, rows: Frame, n_rows: int) -> list[Symptom]:
    (pairs,) = x.engine.settle([rows.group_by(_PAIR).agg(n=nw.len().cast(nw.Int64)).filter(nw.col("n") > 1)])
    sums = x.one(pairs.select(pairs=nw.len(), more=(nw.col("n") - 1).sum()))
    if not sums["more"]:
        return []
    sentence = f"{shared(sums['more'], n_rows, 'test rows')} repeat a pair of user and item that stands there already."
    again = lambda: rows.join(pairs, on=_PAIR, how="semi")  # noqa: E731
    return x.symptom("T01", sentence, sums["more"], n_rows, examples=x.examples(pairs, *_PAIR), rows=again)


def _irrelevant(x: Examiner, rows: Frame, n_users: int, relevant: Frame) -> list[Symptom]:
    users = rows.select("user").unique("user").join(relevant, on="user", how="anti")
    n = n_users - x.size(relevant)
    examples = x.examples(users, "user") if n else ()
    return x.symptom("T02", f"{shared(n, n_users, 'test users')} have no relevant item.", n, n_users, examples=examples, rows=lambda: users)


def _odd_gains(x: Examiner, rows: Frame, n_rows: int) -> list[Symptom]:
    rating = nw.col("rating").cast(nw.Float64)
    below, part = rating < 0, rating != rating.round(0)
    sums = x.one(rows.select(below=below.cast(nw.Int64).sum(), part=part.cast(nw.Int64).sum(), least=rating.min(), most=rating.max()))
    found: list[Symptom] = []
    odd = ((sums["below"], below, "below 0, and count as gains of 0"), (sums["part"], part, "no whole numbers"))
    for n, condition, what in odd:
        own = rows.filter(condition)
        if n:
            sentence = f"{shared(n, n_rows, 'test ratings')} are {what}; the ratings are gains here."
            found += x.symptom("T03", sentence, n, n_rows, examples=x.examples(own, *_PAIR, "rating"), rows=lambda own=own: own)  # type: ignore[misc]
    if n_rows > 1 and sums["least"] == sums["most"]:
        sentence = f"All {n_rows:,} test ratings are {sums['least']:g}: a graded measure sees no grades."
        found += x.symptom("T03", sentence, n_rows, n_rows)
    return found
