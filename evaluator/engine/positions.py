"""Positions within a user on Polars: three ways, from the cheapest that a file's order allows to the one that always works.

Each way says which users it is not sure of; those are ranked again by sorting.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from .base import Order

PEEK: Final = 2_000
FEW: Final = 0.1
_PLACE: Final = "receval place"


class Outlook(NamedTuple):
    """What the first rows of a file promise: lists that stand together and in order, and few tied scores."""

    ordered: bool
    few_ties: bool


class Attempt(NamedTuple):
    """Lists with a `rank`, and the rows by which to judge and mend it.

    From `by_rows`: `rank` is the number of the row in the file, and the marks are the rows that do not plainly follow the
    row before: the first of a user (`starts`), one with the `same` first key (of which `own` and `before` are the second
    keys), or one out of order. From `by_first_key`: one row per user with its `length` and whether its ranks are `wrong`.
    """

    lists: pl.LazyFrame
    marks: pl.LazyFrame


class Verdict(NamedTuple):
    """What the marks of an attempt say.

    `lengths` has the length of each list and, from `by_rows`, the row where it `begins`; `wrong` are the users whose ranks
    are wrong; `ties` are the rows of ties.
    """

    lengths: pl.DataFrame
    wrong: pl.DataFrame
    ties: pl.DataFrame


def outlook(head: pl.DataFrame, order: Order) -> Outlook:
    """Judge by the first rows of a file whether ranking by rows is worth trying."""
    verdict = judge(by_rows(head.lazy(), order).marks.collect(), head.height)
    repeated = head.height - head["user"].n_unique()
    return Outlook(repeated == 0 or verdict.wrong.height <= FEW * repeated, verdict.ties.height <= FEW * head.height)


def by_rows(lists: pl.LazyFrame, order: Order, mend_ties: bool = True) -> Attempt:
    """Rank by the distance from the user's first row; right where lists stand together and in order.

    Rows with equal first keys are left to `mended`, or, unless `mend_ties`, count as out of order if they are.
    """
    starts = (pl.col("user") != pl.col("user").shift()).fill_null(True)
    (first, falls), *rest = order
    second, second_falls = rest[0] if rest else order[0]
    above, before = pl.col(first).shift(), pl.col(second).shift()
    same = pl.col(first) == above
    later = (pl.col(first) < above) if falls else (pl.col(first) > above)
    if not mend_ties:
        later = later | (same & ((pl.col(second) < before) if second_falls else (pl.col(second) > before)))
        same = pl.lit(False)
    # Where rows of others were taken out from between a user's rows, row numbers are no positions: such a user is sorted.
    follows = pl.col("row") == pl.col("row").shift() + 1
    same, later = same & follows, later & follows
    placed = lists.with_columns(pl.col("row").alias("rank"))
    marked = placed.with_columns(starts.alias("starts"), same.alias("same"), later.alias("later"), before.alias("before"))
    odd = marked.filter(pl.col("starts") | ~pl.col("later"))
    return Attempt(placed, odd.select("user", "row", "starts", "same", "before", pl.col(second).alias("own")))


def by_first_key(lists: pl.LazyFrame, order: Order) -> Attempt:
    """Rank by the first key within the user; wrong for users with ties, whose ranks do not add up to 1 + 2 + … + n."""
    column, descending = order[0]
    rank = pl.col(column).rank("min", descending=descending).over("user").cast(pl.Int64)
    ranked = lists.with_columns(rank.alias("rank"))
    sums = ranked.group_by("user").agg(pl.col("rank").sum(), pl.len().cast(pl.Int64).alias("length"))
    wrong = 2 * pl.col("rank") != pl.col("length") * (pl.col("length") + 1)
    return Attempt(ranked, sums.select("user", "length", wrong.alias("wrong")))


def by_sorting(frame: pl.LazyFrame, order: Order, name: str) -> pl.LazyFrame:
    """Rank by sorting all rows by user and `order`; the rows stay in that order."""
    keys = ["user", *(column for column, _ in order)]
    descending = [False, *(falls for _, falls in order)]
    placed = frame.sort(keys, descending=descending, maintain_order=True).with_row_index(_PLACE)
    starts = (pl.col("user") != pl.col("user").shift()).fill_null(True)
    first = pl.when(starts).then(pl.col(_PLACE)).forward_fill()
    return placed.with_columns((pl.col(_PLACE) - first + 1).cast(pl.Int64).alias(name)).drop(_PLACE)


def judge(marks: pl.DataFrame, n_rows: int) -> Verdict:
    """Read the marks of an attempt over `n_rows` rows."""
    if "wrong" in marks.columns:
        lengths = marks.select("user", pl.col("length").alias("n_recommended"))
        return Verdict(lengths, marks.filter("wrong").select("user"), marks.head(0))
    blocks = marks.filter("starts").sort("row")
    length = blocks["row"].shift(-1).fill_null(n_rows) - blocks["row"]
    parts = blocks.select("user", length.alias("n_recommended"), pl.col("row").alias("begins"))
    split = parts.filter(pl.col("user").is_duplicated()).select("user")
    if split.height:
        parts = parts.group_by("user").agg(pl.col("n_recommended").sum(), pl.col("begins").min())
    inside = marks.filter(~pl.col("starts"))
    wrong = pl.concat([split, inside.filter(~pl.col("same")).select("user")]).unique()
    return Verdict(parts, wrong, inside.filter("same"))


def seen_from(verdict: Verdict, order: Order, judged: bool) -> Verdict:
    """The verdict for an order with the same first key as the one that was `judged`.

    Ties that keep the order of the file are in place. Users with other ties are sorted, unless the marks say how to mend them.
    """
    second = order[1][0] if len(order) > 1 else "row"
    if second == "row":
        return verdict._replace(ties=verdict.ties.head(0))
    if judged and second == "item":
        return verdict
    wrong = pl.concat([verdict.wrong, verdict.ties.select("user")]).unique()
    return verdict._replace(wrong=wrong, ties=verdict.ties.head(0))


def mended(frame: pl.DataFrame, verdict: Verdict, order: Order) -> pl.DataFrame:
    """`frame` with its ranks counted from the user's first row, and those of tied rows in the order of the second key."""
    if "rank" not in frame.columns or "begins" not in verdict.lengths.columns:
        return frame
    if verdict.ties.height:
        frame = _in_tie_order(frame, verdict.ties, order)
    counted = frame.lazy().join(verdict.lengths.select("user", "begins").lazy(), on="user", how="left")
    # The frame may hold every row of the lists: on the streaming engine the join makes no second copy of it.
    return counted.with_columns((pl.col("rank") - pl.col("begins") + 1).alias("rank")).drop("begins").collect(engine="streaming")


def _in_tie_order(frame: pl.DataFrame, ties: pl.DataFrame, order: Order) -> pl.DataFrame:
    (_, _), (second, falls), *_ = order
    if ties.select((pl.col("own") < pl.col("before") if falls else pl.col("own") > pl.col("before")).all()).item():
        return frame
    # Rows of one run of ties follow each other in the file: row number minus place among the ties tells runs apart.
    tied = ties.sort("row").with_row_index("place").with_columns((pl.col("row") - pl.col("place")).alias("run"))
    rows = pl.concat(
        [
            tied.select("user", "run", pl.col("row") - 1, pl.col("before").alias(second)),
            tied.select("user", "run", "row", pl.col("own").alias(second)),
        ]
    ).unique("row")
    by_item = rows.sort(["run", second, "row"], descending=[False, falls, False])
    placed = by_item.with_columns(rows.sort("run", "row")["row"].alias("placed"))
    put = frame.join(placed.select("user", second, pl.col("row").alias("rank"), "placed"), on=["user", second, "rank"], how="left")
    return put.with_columns(pl.col("placed").fill_null(pl.col("rank")).alias("rank")).drop("placed")
