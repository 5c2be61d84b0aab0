"""Tables of categories and of pairs of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from ..frames import Frame
from ..metrics import Request
from ..score import Rows
from .asked import PAIR, at_place, cut, given, table

if TYPE_CHECKING:
    from .model import ModelTables


@table("covered", lists=True)
def covered(model: ModelTables, request: Request) -> Rows:
    """`user code rank`: the best rank of each category in the list."""
    return _first(model, model.listed(request.view))


@table("covered_hits")
def covered_hits(model: ModelTables, request: Request) -> Rows:
    """`user code rank`: the best rank of each category among the hits."""
    return _first(model, model.rows[request.view.hits].frame)


def _first(model: ModelTables, rows: Frame) -> Rows:
    categories = rows.join(model.categories, on="item", how="inner")
    return Rows(categories.group_by("user", "code").agg(at_place(rows).min()))


@table("wanted_categories")
def wanted_categories(model: ModelTables, request: Request) -> Rows:
    """`user code`: the categories of the relevant items, all of rank 1."""
    wanted = model.truth_of(request.view).relevant.join(model.categories, on="item", how="inner")
    return Rows(wanted.select("user", "code").unique(["user", "code"]).with_columns(rank=nw.lit(1)))


@table("aspects", lists=True)
def aspects(model: ModelTables, request: Request) -> Rows:
    """`user item rank code seen intent`: each category of a hit, how many places above hold it too, and p of the category."""
    params = given(request)
    hits = model.rows[request.view.hits].frame.select("user", "item", "rank").unique(["user", "item", "rank"])
    found = hits.join(model.categories, on="item", how="inner")
    if params["redundancy"] == "listed":
        users = hits.select("user").unique("user")
        places = model.listed(request.view).join(users, on="user", how="semi").select("user", "item", "rank")
        above = places.join(model.categories, on="item", how="inner").select("user", "code", above="rank")
        pairs = found.join(above, on=["user", "code"], how="inner").filter(nw.col("above") < nw.col("rank"))
        counts = pairs.group_by("user", "rank", "code").agg(seen=nw.len().cast(nw.Int64))
        found = found.join(counts, on=["user", "rank", "code"], how="left").with_columns(nw.col("seen").fill_null(0))
    else:
        found = found.with_columns(one=nw.lit(1)).with_columns(seen=nw.col("one").cum_sum().over("user", "code", order_by="rank") - 1)
        found = found.drop("one")
    if params.get("intent") == "profile":
        relevant = model.truth_of(request.view).relevant.select(*PAIR)
        rows = nw.concat([model.train.select(*PAIR), relevant]).unique(PAIR).join(model.categories, on="item", how="inner")
        shares = rows.group_by("user", "code").agg(n=nw.len()).join(rows.group_by("user").agg(all=nw.len()), on="user", how="left")
        shares = shares.select("user", "code", intent=nw.col("n") / nw.col("all"))
        found = found.join(shares, on=["user", "code"], how="left").with_columns(nw.col("intent").fill_null(0.0))
    else:
        found = found.with_columns(intent=nw.lit(1.0 / max(model.sides.numbers["categories"], 1.0)))
    (settled,) = model.engine.settle([found.sort("user", "rank", "code")], ordered=True)
    return Rows(settled)


@table("greedy")
def greedy(model: ModelTables, request: Request) -> Rows:
    """`user rank gain`: the relevant items in greedy order, each time the one whose categories gain most, smallest id first."""
    alpha = float(str(given(request)["alpha"]))
    relevant = model.truth_of(request.view).relevant.select(*PAIR)
    (left,) = model.engine.settle([relevant.join(model.categories, on="item", how="inner").with_columns(worth=nw.lit(1.0))], ordered=True)
    deepest = model.deepest(request)
    best: list[Frame] = []
    rank = 0
    while deepest is None or rank < deepest:
        rank += 1
        gains = left.group_by("user", "item").agg(gain=nw.col("worth").sum())
        top = gains.group_by("user").agg(gain=nw.col("gain").max())
        near = gains.join(top.rename({"gain": "best"}), on="user", how="left").filter(nw.col("gain") > nw.col("best") - 1e-12)
        chosen = near.group_by("user").agg(item=nw.col("item").min()).join(top, on="user", how="left").with_columns(rank=nw.lit(rank))
        (chosen,) = model.engine.settle([chosen], ordered=True)
        if not model.size(chosen):
            break
        best.append(chosen)
        covered = left.join(chosen.select(*PAIR), on=PAIR, how="semi").select("user", "code", again=nw.lit(1.0 - alpha))
        rest = left.join(chosen.select(*PAIR), on=PAIR, how="anti").join(covered, on=["user", "code"], how="left")
        rest = rest.with_columns(worth=nw.col("worth") * nw.col("again").fill_null(1.0)).drop("again")
        (left,) = model.engine.settle([rest.sort("user", "item", "code")], ordered=True)
    if not best:
        return Rows(left.select("user", gain="worth").with_columns(rank=nw.lit(1)))
    return Rows(nw.concat([frame.select("user", "rank", "gain") for frame in best]))


@table("pairs", lists=True)
def pairs(model: ModelTables, request: Request) -> Rows:
    """`user item other rank distance`: the pairs of listed items that have a distance, each once; the rank is that of the lower item."""
    listed = model.listed(request.view)
    rows = cut(listed.select("user", "item", at_place(listed)), model.deepest(request))
    others = rows.select("user", other="item", other_rank="rank")
    found = rows.join(others, on="user", how="inner").filter(nw.col("rank") < nw.col("other_rank"))
    (found,) = model.engine.settle([found.select("user", "item", "other", rank="other_rank")])
    distances = pair_distances(model, found.select("item", "other").unique(["item", "other"]), str(given(request)["distance"]))
    known = found.join(distances, on=["item", "other"], how="inner")
    (settled,) = model.engine.settle([known.sort("user", "rank", "item")], ordered=True)
    if given(request)["distance"] == "file":
        missing, everything = model.size(found) - model.size(settled), model.size(found)
        if missing:
            model.note(f"{missing:,} of {everything:,} pairs of listed items have no distance in data.distances and are left out")
    return Rows(settled)


def pair_distances(model: ModelTables, wanted: Frame, distance: str) -> Frame:
    """`item other distance` of the `wanted` pairs that have one."""
    if distance == "file":
        assert model.sides.distances is not None
        return wanted.join(model.sides.distances, on=["item", "other"], how="inner")
    if distance == "cooccurrence":
        return _cooccurrence(model, wanted)
    counts = model.categories.group_by("item").agg(n=nw.len().cast(nw.Float64))
    if distance == "hamming":  # an item of the catalogue without categories differs from others by all of theirs
        counts = model.catalogue.select("item").join(counts, on="item", how="left").with_columns(nw.col("n").fill_null(0.0))
    sized = wanted.join(counts, on="item", how="inner").join(counts.select(other="item", m="n"), on="other", how="inner")
    theirs = model.categories.select(other="item", code="code")
    common = wanted.join(model.categories, on="item", how="inner").join(theirs, on=["other", "code"], how="inner")
    common = common.group_by("item", "other").agg(common=nw.len().cast(nw.Float64))
    found = sized.join(common, on=["item", "other"], how="left").with_columns(nw.col("common").fill_null(0.0))
    both = nw.col("common")
    value = {
        "jaccard": 1.0 - both / (nw.col("n") + nw.col("m") - both),
        "cosine": 1.0 - both / (nw.col("n") * nw.col("m")).sqrt(),
        "hamming": nw.col("n") + nw.col("m") - both * 2.0,
    }[distance]
    return found.select("item", "other", distance=value)


def _cooccurrence(model: ModelTables, wanted: Frame) -> Frame:
    """1 - c(i,j)/√(u(i)·u(j)); 1 for pairs that no user of train has both of."""
    listed = nw.concat([wanted.select("item"), wanted.select(item="other")]).unique("item")
    (train,) = model.engine.settle([model.train.select(*PAIR).join(listed, on="item", how="semi")])
    both = train.join(train.select("user", other="item"), on="user", how="inner").join(wanted, on=["item", "other"], how="semi")
    counts = both.group_by("item", "other").agg(both=nw.len().cast(nw.Float64))
    users = model.popularity.select("item", n=nw.col("users").cast(nw.Float64))
    found = wanted.join(counts, on=["item", "other"], how="left").join(users, on="item", how="left")
    found = found.join(users.select(other="item", m="n"), on="other", how="left")
    alike = (nw.col("both") / (nw.col("n") * nw.col("m")).sqrt()).fill_null(0.0)
    return found.select("item", "other", distance=1.0 - alike)
