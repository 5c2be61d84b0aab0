"""Lists whose scores are tied: hits in the best, in the worst, and on average over every order of the ties.

The items of a run of ties can stand in any order within the ranks of the run, every order being as likely (McSherry and Najork, ECIR
2008). A metric that never falls when a relevant item moves up is largest where the hits of each run stand first, highest gain first, and
smallest where they stand last, highest gain last. One that is a sum over hits has the mean that its sum over all places of all hits has,
each weighed with its probability.
"""

from __future__ import annotations

from math import comb
from typing import Any, Literal

import narwhals as nw

from ..engine.base import Engine
from ..tables import Frame


def runs(rows: Frame) -> Frame:
    """`user item first size`: the items of runs of equal scores, given all `rows` (user item rank score) of lists without repeats.

    A run takes ranks without gaps from `first` on; equal scores that do not stand together are none.
    """
    found = rows.group_by("user", "score").agg(
        first=nw.col("rank").min().cast(nw.Int64), last=nw.col("rank").max().cast(nw.Int64), size=nw.len().cast(nw.Int64)
    )
    whole = found.filter((nw.col("size") > 1) & (nw.col("last") - nw.col("first") + 1 == nw.col("size")))
    return rows.join(whole.drop("last"), on=["user", "score"], how="inner").select("user", "item", "first", "size")


def reordered(hits: Frame, tied: Frame, order: Literal["best", "worst"], engine: Engine) -> Frame:
    """The table `hits` with the hits of each run (`tied`) first or last in it."""
    placed = _placed(hits, tied, engine, best=order == "best")
    into = nw.col("found") - nw.col("before") - 1
    start = nw.col("first") if order == "best" else nw.col("first") + nw.col("size") - nw.col("n_hits")
    (settled,) = engine.settle([placed.with_columns(rank=start + into).drop("first", "size", "before", "n_hits")], ordered=True)
    return settled


def expected(hits: Frame, tied: Frame, deepest: int | None, engine: Engine) -> Frame:
    """Every place that a hit may take, with its `weight`: `user item rank gain found n_relevant weight`.

    Of a run of n items with m hits, b hits standing above the run, the j-th hit of the run stands at its i-th place in
    C(i-1, j-1)·C(n-i, m-j) of the C(n, m) orders, and it is each of the m hits equally often. Places below rank `deepest` are left out.
    """
    placed = _placed(hits, tied, engine, best=True)
    (placed,) = engine.settle([placed])
    shapes = engine.collect(placed.select("size", "n_hits").unique(["size", "n_hits"]))
    weights = engine.lift(_weights(sorted(shapes.rows()), deepest, shapes))
    spread = placed.join(weights, on=["size", "n_hits"], how="inner")
    spread = spread.with_columns(rank=nw.col("first") + nw.col("place") - 1, found=nw.col("before") + nw.col("nth"))
    if deepest is not None:
        spread = spread.filter(nw.col("rank") <= deepest)
    (settled,) = engine.settle(
        [spread.select(*hits.collect_schema().names(), "weight").sort("user", "rank", "found", "item")], ordered=True
    )
    return settled


def _placed(hits: Frame, tied: Frame, engine: Engine, best: bool) -> Frame:
    """`hits` with `first` and `size` of their run, counted anew: `found` in all, `before` the run, `n_hits` in it."""
    joined = hits.drop("found").join(tied, on=["user", "item"], how="left")
    joined = joined.with_columns(nw.col("first").fill_null(nw.col("rank")), nw.col("size").fill_null(1))
    counted = engine.ordinal(joined, (("first", False), ("gain", best), ("item", False)), "found")
    sums = counted.group_by("user", "first").agg(before=nw.col("found").min() - 1, n_hits=nw.len().cast(nw.Int64))
    return counted.join(sums, on=["user", "first"], how="left")


def _weights(shapes: list[tuple[int, int]], deepest: int | None, like: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """`size n_hits place nth weight`, exactly, for every size of a run and number of its hits."""
    rows = [
        (n, m, i, j, comb(i - 1, j - 1) * comb(n - i, m - j) / (comb(n, m) * m))
        for n, m in shapes
        for i in range(1, (n if deepest is None else min(n, deepest)) + 1)
        for j in range(max(1, m - n + i), min(i, m) + 1)
    ]
    names = ("size", "n_hits", "place", "nth", "weight")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    schema = nw.Schema({name: nw.Float64() if name == "weight" else nw.Int64() for name in names})
    return nw.from_dict(columns, schema=schema, backend=like.implementation)
