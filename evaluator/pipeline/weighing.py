"""Tables of distances to what the user knows, and of the weights of a previous policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from .. import match
from ..frames import Frame
from ..metrics import Request
from ..score import Rows
from .asked import PAIR, at_place, cut, given, table
from .diverse import pair_distances

if TYPE_CHECKING:
    from .model import ModelTables


@table("from_profile", lists=True)
def from_profile(model: ModelTables, request: Request) -> Rows:
    """`user item rank distance hit`: the mean distance of each recommended item to the items that train holds for the user."""
    listed = model.listed(request.view)
    rows = cut(listed.select("user", "item", at_place(listed)), model.deepest(request))
    known = model.train.select("user", other="item")
    (pairs,) = model.engine.settle([rows.join(known, on="user", how="inner")])
    distances = pair_distances(model, pairs.select("item", "other").unique(["item", "other"]), str(given(request)["distance"]))
    if given(request)["featureless"] == "unlike":
        found = pairs.join(distances, on=["item", "other"], how="left").with_columns(nw.col("distance").fill_null(1.0))
    else:
        found = pairs.join(distances, on=["item", "other"], how="inner")
    missing = model.size(pairs) - model.size(found) if given(request)["distance"] == "file" else 0
    if missing:
        model.note(f"{missing:,} of {model.size(pairs):,} pairs of a listed and a train item have no distance in data.distances")
    (sorted_pairs,) = model.engine.settle([found.sort("user", "rank", "other")], ordered=True)
    means = sorted_pairs.group_by("user", "rank").agg(nw.col("distance").mean())
    joined = rows.join(means, on=["user", "rank"], how="left").join(_hits(model, request, rows), on=["user", "rank"], how="left")
    joined = joined.with_columns(nw.col("distance").fill_null(0.0), nw.col("hit").fill_null(0.0))
    (settled,) = model.engine.settle([joined.sort("user", "rank")], ordered=True)
    return Rows(settled)


@table("user_distance", lists=True)
def user_distance(model: ModelTables, request: Request) -> Rows:
    """`user item rank distance`: recommended items that data.distances knows the user's distance to; users are items there."""
    assert model.sides.distances is not None
    listed = model.listed(request.view)
    rows = listed.select("user", "item", at_place(listed), key=nw.col("user").cast(nw.String), to=nw.col("item").cast(nw.String))
    distances = model.sides.distances.select(key=nw.col("item").cast(nw.String), to=nw.col("other").cast(nw.String), distance="distance")
    (settled,) = model.engine.settle([rows.join(distances, on=["key", "to"], how="inner").sort("user", "rank")], ordered=True)
    missing = model.size(rows) - model.size(settled)
    if missing:
        have = "recommendation has" if missing == 1 else "recommendations have"
        model.note(f"{missing:,} {have} no distance to their user in data.distances")
    return Rows(settled)


@table("weighted", scores=True)
def weighted(model: ModelTables, request: Request) -> Rows:
    """`user item rank weight hit`: the weight of each of the first k items, and whether it is a hit; each item once."""
    assert model.sides.policy is not None
    params = given(request)
    k, threshold, activation = int(str(params["k"])), float(str(params["threshold"])), str(params["activation"])
    listed = model.with_scores(model.listed(request.view))
    rows = cut(listed.select("user", "item", at_place(listed), now="score"), k)
    keys = [column for column in PAIR if column in model.sides.policy.collect_schema().names()]
    joined = rows.join(model.sides.policy, on=keys, how="left")
    (joined,) = model.engine.settle([joined.sort("user", "rank")], ordered=True)
    missing = model.size(joined.filter(nw.col("previous").is_null()))
    if missing:
        model.note(
            f"{missing:,} of {model.size(joined):,} recommended pairs are not in data.previous_policy; their previous score counts as 0"
        )
    joined = joined.with_columns(nw.col("previous").fill_null(0.0))
    for column in ("now", "previous"):
        joined = _activated(model, joined, column, activation)
    ratio = nw.when(nw.col("previous") == 0).then(nw.lit(threshold)).otherwise(nw.col("now") / nw.col("previous"))
    weight = nw.min_horizontal(nw.max_horizontal(ratio, nw.lit(1.0 / threshold)), nw.lit(threshold))
    found = match.one_per_item(joined.select("user", "item", "rank", weight=weight)).join(
        _hits(model, request, joined), on=["user", "rank"], how="left"
    )
    (settled,) = model.engine.settle([found.with_columns(nw.col("hit").fill_null(0.0)).sort("user", "rank")], ordered=True)
    return Rows(settled)


def _hits(model: ModelTables, request: Request, rows: Frame) -> Frame:
    """`user rank hit`: the places of `rows` that are hits: of an item that stands there several times as many as count, from the top.

    Hits may have ranks of their own, so that a place is found by its item.
    """
    counts = model.rows[request.view.hits].frame.group_by(PAIR).agg(hits=nw.len())
    found = rows.select(*PAIR, "rank").join(counts, on=PAIR, how="inner").with_columns(one=nw.lit(1))
    found = found.with_columns(nth=nw.col("one").cum_sum().over(*PAIR, order_by="rank")).filter(nw.col("nth") <= nw.col("hits"))
    return found.select("user", "rank", hit=nw.lit(1.0))


def _activated(model: ModelTables, rows: Frame, column: str, activation: str) -> Frame:
    value = nw.col(column)
    if activation == "sigmoid":
        return rows.with_columns((1.0 / (1.0 + (0.0 - value).exp())).alias(column))
    if activation == "softmax":
        most = rows.group_by("user").agg(most=value.max())  # taken off, so that no power is beyond all numbers
        powers = rows.join(most, on="user", how="left").with_columns((value - nw.col("most")).exp().alias(column)).drop("most")
        (powers,) = model.engine.settle([powers.sort("user", "rank")], ordered=True)
        totals = powers.group_by("user").agg(total=nw.col(column).sum())
        shares = powers.join(totals, on="user", how="left").with_columns((value / nw.col("total")).alias(column)).drop("total")
        (settled,) = model.engine.settle([shares.sort("user", "rank")], ordered=True)
        return settled
    return rows
