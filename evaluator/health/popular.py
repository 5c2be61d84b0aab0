"""X11: whether hits are the hits of popularity."""

from __future__ import annotations

import math

import narwhals as nw

from ..frames import Frame
from .examiner import Examiner, Lists, Symptom, several, shared


def popular(x: Examiner, of: Lists, hits: Frame, popularity: Frame) -> list[Symptom]:
    """The share of `hits` that are among the most popular items of train (`popularity`: item rows), and the lift of the lists.

    The lift is the mean popularity of what is recommended, divided by that of what train holds.
    """
    n_hits = x.size(hits)
    if not n_hits or not x.asks("X11"):
        return []
    n_items = x.size(popularity)
    n_head = max(1, math.ceil(x.limit("X11", "head") * n_items))
    head = popularity.sort("rows", "item", descending=[True, False]).head(n_head)
    (popular,) = x.engine.settle([hits.join(head, on="item", how="semi")])
    n = x.size(popular)
    rows = nw.col("rows").cast(nw.Int64)
    own = x.one(popularity.select(rows=rows.sum(), squares=(rows * rows).sum()))
    listed = of.items.join(popularity, on="item", how="left").with_columns(rows.fill_null(0).alias("rows"))
    theirs = x.one(listed.select(n=nw.col("n").sum(), rows=(nw.col("n") * nw.col("rows")).sum()))
    lift = (theirs["rows"] / theirs["n"]) / (own["squares"] / own["rows"])
    lists = f"the lists are {lift:.2f} times as popular as train"
    best = "most popular" if n_head == 1 else f"{n_head:,} most popular"
    sentence = f"{shared(n, n_hits, 'hits')} come from the {best} of {several(n_items, 'item')}; {lists}."
    examples = x.examples(popular, "item") if n else ()
    return x.symptom("X11", sentence, n, n_hits, model=of.model, examples=examples, details={"popularity_lift": lift})
