"""Tables of items: how often, where and how well the lists of the users who count hold each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from ..frames import Frame
from ..metrics import Request
from ..metrics.measure import gain_of
from ..score import Rows
from .asked import cut, given, table

if TYPE_CHECKING:
    from .model import ModelTables


def _in_order(model: ModelTables, frame: Frame, *keys: str) -> Frame:
    """A frame settled in an order: Polars drops a sort that only a sum follows, and sums of floats depend on the order."""
    (settled,) = model.engine.settle([frame.sort(*keys)], ordered=True)
    return settled


def _listed(model: ModelTables, request: Request) -> Frame:
    """The first k places of the lists of the users who count."""
    return cut(model.of_counted(model.listed(request.view), request.view), int(str(given(request)["k"])))


def _placed(counts: Frame, by: str) -> Frame:
    """`counts` with the `place` of each item, from the least by `by`, smallest id first."""
    place = nw.col("one").cum_sum().over("one", order_by=[by, "item"]).cast(nw.Float64)
    return counts.with_columns(one=nw.lit(1)).with_columns(place=place).drop("one")


@table("train_items")
def train_items(model: ModelTables, request: Request) -> Rows:
    """`item`: the items of train, with the columns of items that are asked for."""
    return Rows(_in_order(model, model.with_items(model.popularity.select("item")), "item"))


@table("exposure", lists=True)
def exposure(model: ModelTables, request: Request) -> Rows:
    """`item count place`: how often the first k places hold an item, for the users who count, and its place from the least.

    `weighted`: and `weight`, the sum over these lists of 1 divided by their length.
    """
    rows = _listed(model, request)
    if not given(request).get("weighted"):
        counts = rows.group_by("item").agg(count=nw.len().cast(nw.Float64))
    else:  # counted by length first, which is exact in any order
        lengths = rows.group_by("user").agg(length=nw.len().cast(nw.Float64))
        by_length = rows.join(lengths, on="user", how="left").group_by("item", "length").agg(n=nw.len().cast(nw.Float64))
        parts = _in_order(model, by_length.with_columns(part=nw.col("n") / nw.col("length")), "item", "length")
        counts = parts.group_by("item").agg(nw.col("n").sum().alias("count"), nw.col("part").sum().alias("weight"))
    (settled,) = model.engine.settle([counts], ordered=True)
    return Rows(_in_order(model, model.with_items(_placed(settled, "count")), "item"))


@table("attention", lists=True)
def attention(model: ModelTables, request: Request) -> Rows:
    """`item attention place`: the sum of p^(rank - 1) over the first k places that hold an item, and the item's place from the least."""
    p = float(str(given(request)["p"]))
    # Counted first, which is exact in any order; the weights are then added up in the order of the ranks.
    counts = _listed(model, request).group_by("item", "rank").agg(n=nw.len().cast(nw.Float64))
    parts = _in_order(model, counts.with_columns(part=nw.lit(p) ** (nw.col("rank") - 1) * nw.col("n")), "item", "rank")
    (sums,) = model.engine.settle([parts.group_by("item").agg(attention=nw.col("part").sum())], ordered=True)
    return Rows(_in_order(model, _placed(sums, "attention"), "item"))


@table("outcomes", lists=True)
def outcomes(model: ModelTables, request: Request) -> Rows:
    """`item count hits gain score`: of every recommended item its places, those where it is a hit, its gains, and its scores as a hit."""
    params = given(request)
    rows = _listed(model, request)
    hits = cut(model.of_counted(model.rows[request.view.hits].frame, request.view), int(str(params["k"])))
    hits = hits.with_columns(gain=gain_of(str(params.get("gain", "binary")), float(str(params.get("offset", 1.0)))))
    sums = [nw.len().cast(nw.Float64).alias("hits"), nw.col("gain").sum()]
    if params.get("scores"):  # hits may have other ranks than the list: an item is found by its id
        scores = model.with_scores(rows).group_by("user", "item").agg(nw.col("score").max())
        hits = hits.join(scores, on=["user", "item"], how="left")
        sums.append(nw.col("score").sum())
    (found,) = model.engine.settle([_in_order(model, hits, "user", "rank", "item").group_by("item").agg(*sums)], ordered=True)
    counts = rows.group_by("item").agg(count=nw.len().cast(nw.Float64)).join(found, on="item", how="left")
    names = ("hits", "gain", *(("score",) if params.get("scores") else ()))
    filled = counts.with_columns(nw.col(name).fill_null(0.0) for name in names)
    return Rows(_in_order(model, model.with_items(filled), "item"))


@table("popular_exposure", lists=True)
def popular_exposure(model: ModelTables, request: Request) -> Rows:
    """`item rows count`: the train rows of an item and how often it is recommended, both less their means."""
    counts = _listed(model, request).group_by("item").agg(count=nw.len().cast(nw.Float64))
    everything = counts.select("item")
    if given(request)["items"] == "all":
        everything = nw.concat([everything, model.popularity.select("item")]).unique("item")
    joined = everything.join(counts, on="item", how="left").join(model.popularity.select("item", "rows"), on="item", how="left")
    joined = joined.with_columns(nw.col("count").fill_null(0.0), rows=nw.col("rows").cast(nw.Float64).fill_null(0.0), one=nw.lit(1))
    means = joined.group_by("one").agg(mean_rows=nw.col("rows").mean(), mean_count=nw.col("count").mean())
    less = joined.join(means, on="one", how="left")
    less = less.select("item", rows=nw.col("rows") - nw.col("mean_rows"), count=nw.col("count") - nw.col("mean_count"))
    return Rows(_in_order(model, less, "item"))
