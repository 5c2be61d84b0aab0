"""Ranked lists × truth → hits, under each way of counting items that stand twice or should not be there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import narwhals as nw

from ..engine.base import Engine
from ..frames import Frame
from .truth import PAIR


def wanted_pairs(engine: Engine, judged: Frame, seen: Frame | None) -> Callable[[Frame], Sequence[Frame]]:
    """The recommended items that the test file holds (`in_train` 0) and, if `seen` is given, those that train holds (`in_train` 1).

    Both are found in one join, which costs hardly more than one of them; see `of_test` and `of_train`.
    """
    pairs = judged
    if seen is not None:
        columns = judged.collect_schema().names()
        more = {name: nw.lit(1).cast(nw.Float64 if name == "gain" else nw.Int64) for name in columns if name not in PAIR}
        others = seen.select(*PAIR).with_columns(in_train=nw.lit(1), **more).select(*columns, "in_train")
        pairs = nw.concat([judged.select(*columns).with_columns(in_train=nw.lit(0)), others])
    return lambda lists: (engine.joined(lists.select("user", "item", "rank"), pairs),)


def of_test(pairs: Frame) -> Frame:
    """What `wanted_pairs` found in the test file."""
    return pairs.filter(nw.col("in_train") == 0).drop("in_train") if "in_train" in pairs.collect_schema().names() else pairs


def of_train(pairs: Frame) -> Frame:
    """What `wanted_pairs` found in train: `user item rank`."""
    return pairs.filter(nw.col("in_train") == 1).select("user", "item", "rank")


def wanted_unknown(items: Frame) -> Callable[[Frame], Sequence[Frame]]:
    """The recommended items that are none of `items`."""
    return lambda lists: (lists.select("user", "item", "rank").join(items, on="item", how="anti"),)


def wanted_repeaters() -> Callable[[Frame], Sequence[Frame]]:
    """The users whose lists hold an item more than once."""

    def want(lists: Frame) -> Sequence[Frame]:
        counts = lists.group_by("user").agg(nw.col("item").n_unique().alias("n_items"), nw.len().alias("n_rows"))
        return (counts.filter(nw.col("n_items") < nw.col("n_rows")).select("user"),)

    return want


def wanted_repeats() -> Callable[[Frame], Sequence[Frame]]:
    """The rows of items that stand in a list already, above."""

    def want(lists: Frame) -> Sequence[Frame]:
        places = lists.select("user", "item", "rank")
        best = places.group_by(PAIR).agg(nw.col("rank").min().alias("best"))
        return (places.join(best, on=PAIR, how="inner").filter(nw.col("rank") > nw.col("best")).select("user", "item", "rank"),)

    return want


def with_summed_scores(lists: Frame, engine: Engine) -> Frame:
    """Each (user, item) once, with the sum of its scores and its best rank, if it has one, in the order in which the pairs first occur.

    Scores are added in the order of the file, so that their sum is the same every time.
    """
    ranks = [name for name in ("position",) if name in lists.collect_schema().names()]
    (rows,) = engine.settle([lists.select("user", "item", nw.col("score").cast(nw.Float64), *ranks, "row").sort("row")], ordered=True)
    sums = rows.group_by(PAIR).agg(nw.col("score").sum(), *(nw.col(name).min() for name in ranks), nw.col("row").min().alias("first"))
    (summed,) = engine.settle([sums.sort("first")], ordered=True)
    return summed.with_row_index("row", order_by="first").with_columns(nw.col("row").cast(nw.Int64)).drop("first")


@dataclass(frozen=True)
class Found:
    """Of one reading of the lists: the recommended items that the test file holds (`rows`), and the length of each list."""

    rows: Frame
    lengths: Frame


def closed_up(found: Found, dropped: Frame, keep_place: bool = False) -> Found:
    """The lists without their `dropped` rows: what stood below moves up.

    With `keep_place` a column `place` keeps the rank from before, by which the list is cut.
    """
    rows = moved_up(found.rows, dropped, keep_place)
    if keep_place:  # the rows before a cut-off are still there; what is dropped of them is counted apart
        return Found(rows, found.lengths)
    gone = dropped.group_by("user").agg(nw.len().cast(nw.Int64).alias("n_gone"))
    lengths = found.lengths.join(gone, on="user", how="left")
    left = nw.col("n_recommended") - nw.col("n_gone").fill_null(0)
    return Found(rows, lengths.with_columns(left.alias("n_recommended")).drop("n_gone").filter(nw.col("n_recommended") > 0))


def moved_up(rows: Frame, dropped: Frame, keep_place: bool = False) -> Frame:
    """`rows` of lists without the `dropped` ones, each moved up by as many as were dropped above it."""
    gone = dropped.select("user", nw.col("rank").alias("gone"))
    above = rows.join(gone, on="user", how="inner").filter(nw.col("gone") < nw.col("rank"))
    moves = above.group_by("user", "rank").agg(nw.col("gone").n_unique().cast(nw.Int64).alias("up"))
    kept = rows.join(dropped, on=["user", "rank"], how="anti").join(moves, on=["user", "rank"], how="left")
    if keep_place:
        kept = kept.with_columns(place=nw.col("rank"))
    return kept.with_columns(rank=nw.col("rank") - nw.col("up").fill_null(0)).drop("up")


def ranked_anew(rows: Frame, dropped: Frame, engine: Engine, keep_place: bool = False) -> Frame:
    """Every row of lists without the `dropped` ones, ranked anew; the same as `moved_up` gives, where no row of a list is missing."""
    kept = rows.join(dropped, on=["user", "rank"], how="anti").rename({"rank": "real"}).with_columns(rank=nw.col("real"))
    moved = engine.ordinal(kept, (("rank", False),), "anew").drop("rank").rename({"anew": "rank"})
    (settled,) = engine.settle([moved.rename({"real": "place"}) if keep_place else moved.drop("real")])
    return settled


def one_per_item(rows: Frame) -> Frame:
    """Each item of a list once, at its best rank."""
    others = [name for name in rows.collect_schema().names() if name not in (*PAIR, "rank")]
    return rows.group_by(PAIR).agg(
        nw.col("rank").min(), *(nw.col(name).min() if name == "place" else nw.col(name).max() for name in others)
    )


def repeats(rows: Frame) -> Frame:
    """The rows of an item below its best rank, as relevant items."""
    best = rows.group_by(PAIR).agg(nw.col("rank").min().alias("best"))
    return rows.join(best, on=PAIR, how="left").filter(nw.col("rank") > nw.col("best")).select("user", "item", "gain")


def among_rated(rows: Frame, engine: Engine) -> Frame:
    """`rows` ranked among themselves: items that the test file does not hold take no rank."""
    order = (("rank", False), ("item", False))
    rows = rows.drop("place", strict=False)  # k cuts the rated items, not the list
    return (
        engine.ordinal(rows.rename({"rank": "real"}).with_columns(rank=nw.col("real")), order, "among")
        .drop("rank", "real")
        .rename({"among": "rank"})
    )


def hits(rows: Frame, users: Frame, engine: Engine) -> Frame:
    """The table `hits`: recommended items that are relevant, counted from the top of each list."""
    counted = rows.join(users.select("user", "n_relevant"), on="user", how="left")
    (settled,) = engine.settle([engine.ordinal(counted, (("rank", False),), "found")], ordered=True)
    return settled
