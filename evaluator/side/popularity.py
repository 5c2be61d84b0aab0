"""Train → how popular each item is: its rows, its users, its place among the others, head or tail."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw

from ..frames import Frame


def counts_of_items(train: Frame) -> Frame:
    """`item`, `rows` (train rows), `users` (distinct train users) and `first` (the first row) of every item of train."""
    rows, users = nw.len().cast(nw.Int64).alias("rows"), nw.col("user").n_unique().cast(nw.Int64).alias("users")
    return train.group_by("item").agg(rows, users, nw.col("row").min().alias("first"))


def in_tail(counts: Frame, ratio: float, border: str) -> Frame:
    """`item`, `value`: 1 in the long tail, 0 in the head.

    `border` `exceeds`: the head is the shortest run of the most popular items that hold more than `ratio` of the
    train rows; `reaches`: at least that. Items as popular as each other stand in the order of their ids. `least_popular`: the tail is the
    `ratio` least popular items, at least one, smallest id first; a ratio above 1 is the popularity that the tail does not exceed.
    """
    if border == "least_popular":
        if ratio > 1:
            return counts.select("item", value=(nw.col("rows") <= ratio).cast(nw.Float64))
        placed = _cumulated(counts, descending=False)
        most = nw.max_horizontal((nw.col("total_items") * ratio).floor(), nw.lit(1.0))
        return placed.select("item", value=(nw.col("place") <= most).cast(nw.Float64))
    placed = _cumulated(counts, descending=True)
    before = nw.col("sum") - nw.col("rows")
    share = nw.col("total") * ratio
    inside = before <= share if border == "exceeds" else before < share
    return placed.select("item", value=(~inside).cast(nw.Float64))


def _cumulated(counts: Frame, descending: bool) -> Frame:
    """`counts` with the place of each item in order of popularity, the sum of popularity up to it, and the totals."""
    totals = counts.select(total=nw.col("rows").sum().cast(nw.Float64), total_items=nw.len().cast(nw.Float64), one=nw.lit(1))
    keyed = counts.with_columns(one=nw.lit(1), key=(0 - nw.col("rows") if descending else nw.col("rows")))
    return (
        keyed.join(totals, on="one", how="left")
        .with_columns(
            sum=nw.col("rows").cum_sum().over("one", order_by=["key", "item"]),
            place=nw.col("one").cum_sum().over("one", order_by=["key", "item"]),
        )
        .drop("one", "key")
    )


def dense_rank(counts: Frame) -> Frame:
    """`item`, `value`: the place by train rows, most first; items with as many rows share a place, and no place is left out."""
    levels = counts.select("rows").unique("rows").with_columns(one=nw.lit(1), key=0 - nw.col("rows"))
    placed = levels.with_columns(value=nw.col("one").cum_sum().over("one", order_by="key").cast(nw.Float64))
    return counts.join(placed.select("rows", "value"), on="rows", how="left").select("item", "value")


def mean_rank(counts: Frame, by: str) -> Frame:
    """`item`, `value`: the mean place among items as popular, least popular first, divided by the number of items."""
    levels = counts.group_by(by).agg(nw.len().cast(nw.Int64).alias("n"))
    totals = counts.select(total_items=nw.len().cast(nw.Float64), one=nw.lit(1))
    summed = levels.with_columns(one=nw.lit(1)).with_columns(upto=nw.col("n").cum_sum().over("one", order_by=by))
    place = (nw.col("upto") - (nw.col("n") - 1) / 2.0) / nw.col("total_items")
    placed = summed.join(totals, on="one", how="left").select(by, value=place)
    return counts.join(placed, on=by, how="left").select("item", "value")


def most_popular(counts: Frame, share: float, size: int, ties: Sequence[str]) -> Frame:
    """`item`, `value`: 1 for the round(`share`·N) items with most rows, 0 for the others; `ties` are the columns that order equals."""
    placed = counts.with_columns(one=nw.lit(1), key=0 - nw.col("rows"))
    place = nw.col("one").cum_sum().over("one", order_by=["key", *ties])
    return placed.select("item", value=(place <= round(size * share)).cast(nw.Int64))


def by_share(profiles: Frame, items: Frame, shares: Sequence[float], n_users: int, order: Frame | None) -> Frame:
    """`user`, `value`: the group of a user, ordered by the share of `items` in the profile, most first.

    Equals stand in the order of their ids, or of `first` in `order`.
    Group g ends with user round(n · (share_1 + … + share_g)).
    """
    lengths = profiles.group_by("user").agg(n=nw.len().cast(nw.Float64))
    inside = profiles.join(items, on="item", how="semi").group_by("user").agg(inside=nw.len().cast(nw.Float64))
    ratios = lengths.join(inside, on="user", how="left").with_columns(
        key=0.0 - nw.col("inside").fill_null(0.0) / nw.col("n"), one=nw.lit(1)
    )
    if order is not None:
        ratios = ratios.join(order, on="user", how="left")
    ties = "user" if order is None else "first"
    placed = ratios.with_columns(place=nw.col("one").cum_sum().over("one", order_by=["key", ties]))
    group, upto = nw.lit(len(shares)), 0.0
    ends = []
    for share in shares:
        upto += share
        ends.append(round(n_users * upto))
    for number in range(len(shares) - 1, 0, -1):
        group = nw.when(nw.col("place") <= ends[number - 1]).then(nw.lit(number)).otherwise(group)
    return placed.select("user", value=group)
