"""Scores of a previous policy and distances of items, each pair once, and what is odd about them."""

from __future__ import annotations

import polars as pl


def policy_scores(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """`item previous`, and `user` where the rows have users: of several rows of a pair the highest score counts."""
    keys = [column for column in ("user", "item") if column in rows.columns]
    policy = rows.group_by(keys).agg(previous=pl.col("score").cast(pl.Float64).max())
    remarks = []
    for count, score, weighs in (
        ((policy["previous"] == 0).sum(), "0", "weighs as much as can be"),
        ((policy["previous"] < 0).sum(), "below 0", "weighs as little as can be"),
    ):
        if count:
            scores = f"{count:,} score{'s are' if count > 1 else ' is'} {score}"
            remarks.append(f"data.previous_policy: {scores}; without an activation such a pair {weighs}.")
    return policy, remarks


def distances_both_ways(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """`item other distance` both ways: a pair that stands both ways keeps both; of several rows the smallest distance counts."""
    rows = rows.select("item", "other", pl.col("distance").cast(pl.Float64))
    given = rows.group_by("item", "other").agg(pl.col("distance").min())
    turned = given.select(item="other", other="item", distance="distance").join(given, on=["item", "other"], how="anti")
    distances = pl.concat([given, turned])
    below = int((distances["distance"] < 0).sum())
    are = "distance is below 0 and is taken as it is" if below == 1 else "distances are below 0 and are taken as they are"
    return distances, [f"data.distances: {below:,} {are}."] if below else []
