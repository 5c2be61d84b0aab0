"""Lists whose scores are tied: hits in the best, in the worst, and on average over every order of the ties.

The items of a run of ties can stand in any order within the ranks of the run, every order being as likely (McSherry and Najork, ECIR
2008). A metric that never falls when a relevant item moves up is largest where the hits of each run stand first, highest gain first, and
smallest where they stand last, highest gain last. One that is a sum over hits has the mean that its sum over all places of all hits has,
each weighed with its probability.
"""

from __future__ import annotations

from typing import Any, Literal

import narwhals as nw
import numpy as np

from ..engine.base import Engine
from ..frames import Frame


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
    Weights are exact to about twelve digits: they are made of logarithms of factorials.
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


def places(runs: Frame, hits: Frame, deepest: int | None) -> Frame:
    """`user n`: how many places `expected` looks at for the hits of each user with tied scores."""
    held = hits.join(runs, on=["user", "item"], how="inner").group_by("user", "first", "size").agg(n_hits=nw.len().cast(nw.Int64))
    length = nw.col("size") if deepest is None else nw.min_horizontal(nw.col("size"), nw.lit(deepest))
    return held.with_columns(n=nw.col("n_hits") * nw.col("n_hits") * length).group_by("user").agg(nw.col("n").sum())


def _weights(shapes: list[tuple[int, int]], deepest: int | None, like: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """`size n_hits place nth weight` for every size of a run and number of its hits."""
    longest = max((n for n, _ in shapes), default=0)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, longest + 1, dtype=float)))])  # of factorials

    def choose(n: Any, k: Any) -> Any:
        return logs[n] - logs[k] - logs[n - k]

    parts: list[Any] = [np.empty((0, 5))]
    for n, m in shapes:
        i, j = np.meshgrid(np.arange(1, (n if deepest is None else min(n, deepest)) + 1), np.arange(1, m + 1), indexing="ij")
        fits = (j <= i) & (m - j <= n - i)
        i, j = i[fits], j[fits]
        chance = np.exp(choose(i - 1, j - 1) + choose(n - i, m - j) - choose(n, m)) / m
        parts.append(np.column_stack([np.full(len(i), n), np.full(len(i), m), i, j, chance]))
    found = np.concatenate(parts)
    names = ("size", "n_hits", "place", "nth")
    columns = {name: found[:, at].astype(np.int64) for at, name in enumerate(names)} | {"weight": found[:, 4]}
    return nw.from_dict(columns, backend=like.implementation)
