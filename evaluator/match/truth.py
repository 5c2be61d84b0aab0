"""Test rows → what is relevant, who has something relevant, and their ideal lists."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw

from ..engine.base import Engine
from ..frames import Frame
from ..metrics import Truth

PAIR = ["user", "item"]


@dataclass(frozen=True)
class TruthTables:
    """`relevant` (user item gain), `users` (user twin n_relevant) and `ideal` (user rank gain) of one choice of truth."""

    relevant: Frame
    users: Frame
    ideal: Frame


@dataclass(frozen=True)
class Known:
    """What data.train and data.items hold: pairs `seen` in train, the `items` of the catalogue, and those of train."""

    seen: Frame | None = None
    items: Frame | None = None
    trained: Frame | None = None

    @property
    def anywhere(self) -> Frame | None:
        """The items that either file holds; `None` if neither is given."""
        found = [frame for frame in (self.items, self.trained) if frame is not None]
        return nw.concat(found).unique("item") if len(found) > 1 else found[0] if found else None


def relevant_items(test: Frame, choice: Truth, known: Known = Known()) -> Frame:
    """The table `truth`: rows of the test file that are relevant, each (user, item) once, with its gain.

    Relevant is a rating of at least the threshold; without one `choice.rule` decides; without ratings, every row. The gain is
    the rating if the relevance is graded, else 1. `copies` counts the test rows of a pair where each is one relevant item.
    """
    columns = test.collect_schema().names()
    rated = "rating" in columns
    kept = _filtered(test, choice, known)
    if rated and choice.duplicates in ("sum", "last"):
        kept = _one_per_pair(kept, choice.duplicates)
    if rated:
        kept = _relevant(kept, choice)
    graded, copies = rated and choice.graded, "row" in choice.duplicates
    if not graded and not copies:
        return kept.select(*PAIR).unique(PAIR).with_columns(gain=nw.lit(1.0))
    best = [nw.col("rating").cast(nw.Float64).max().alias("best")] if graded else []
    counts = [nw.len().cast(nw.Int64).alias("copies")] if copies else []
    pairs = kept.group_by(PAIR).agg(*best, *counts)
    if not graded:
        return pairs.with_columns(gain=nw.lit(1.0))
    return pairs.with_columns(gain=nw.max_horizontal(nw.col("best"), nw.lit(0.0))).drop("best")


def rated_pairs(test: Frame, choice: Truth, known: Known) -> Frame:
    """Every pair of the test file once, with its rating (1 without ratings), relevant or not: `user item rating`."""
    kept = _filtered(test, choice, known)
    if "rating" not in test.collect_schema().names():
        return kept.select(*PAIR).unique(PAIR).with_columns(rating=nw.lit(1.0))
    if choice.duplicates in ("sum", "last"):
        kept = _one_per_pair(kept, choice.duplicates)
    return kept.group_by(PAIR).agg(nw.col("rating").max())


def _relevant(rows: Frame, choice: Truth) -> Frame:
    rating = nw.col("rating")
    if choice.threshold is not None:
        return rows.filter(rating >= choice.threshold)
    if choice.rule == "all_rows":
        return rows
    if choice.rule == "user_mean":
        return rows.join(_user_means(rows), on="user", how="left").filter(rating >= nw.col("user_mean"))
    return rows.filter({"above_zero": rating > 0, "at_least_zero": rating >= 0, "at_least_one": rating >= 1}[choice.rule])


_COARSE, _FINE = 2.0**16, 2.0**52


def _user_means(rows: Frame) -> Frame:
    """`user`, `user_mean`: the same whatever the order of the rows, as a rating near the mean is relevant or not by the last bit.

    Ratings are added up as integers, multiples of 2^-16 and of 2^-52; where all are equal the mean is no larger than they are.
    """
    rating = nw.col("rating").cast(nw.Float64)
    coarse = (rating * _COARSE).round(0)
    terms = rows.select("user", rating=rating, a=coarse.cast(nw.Int64), b=((rating - coarse / _COARSE) * _FINE).round(0).cast(nw.Int64))
    sums = terms.group_by("user").agg(nw.col("a").sum(), nw.col("b").sum(), n=nw.len(), most=nw.col("rating").max())
    mean = (nw.col("a") / _COARSE + nw.col("b") / _FINE) / nw.col("n")
    return sums.select("user", user_mean=nw.min_horizontal(mean, nw.col("most")))


def _one_per_pair(rows: Frame, how: str) -> Frame:
    if how == "sum":
        return rows.group_by(PAIR).agg(nw.col("rating").cast(nw.Float64).sum())
    last = rows.group_by(PAIR).agg(nw.col("row").max())
    return rows.join(last, on=[*PAIR, "row"], how="semi")


def _filtered(test: Frame, choice: Truth, known: Known) -> Frame:
    if choice.filter == "none":
        return test
    if known.seen is not None:
        test = test.join(known.seen.select("user").unique("user"), on="user", how="semi")
    if known.items is not None:
        test = test.join(known.items, on="item", how="semi")
    if choice.filter == "known_unseen" and known.seen is not None:
        test = test.join(known.seen, on=PAIR, how="anti")
    return test


def truth_tables(relevant: Frame, graded: bool, engine: Engine) -> TruthTables:
    """The tables `users` and `ideal` beside the settled `relevant` items.

    Where the relevance is not graded, users with as many relevant items have the same ideal list; it is kept for one of
    them, their `twin`.
    """
    count = nw.col("copies").sum() if "copies" in relevant.collect_schema().names() else nw.len().cast(nw.Int64)
    counts = relevant.group_by("user").agg(count.alias("n_relevant"))
    if graded:
        users = counts.with_columns(twin=nw.col("user"))
    else:
        twins = counts.group_by("n_relevant").agg(nw.col("user").min().alias("twin"))
        users = counts.join(twins, on="n_relevant", how="left")
    (users,) = engine.settle([users])
    best = relevant.join(users.select("twin").unique("twin"), left_on="user", right_on="twin", how="semi")
    return TruthTables(relevant, users, in_best_order(each_copy(best, engine), engine))


def in_best_order(items: Frame, engine: Engine) -> Frame:
    """The table `ideal` of `items`: those of each user, highest gain first."""
    placed = engine.ordinal(items, (("gain", True), ("item", False)), "rank").select("user", "rank", "gain")
    (ideal,) = engine.settle([placed], ordered=True)
    return ideal


def each_copy(relevant: Frame, engine: Engine) -> Frame:
    """Every copy of a relevant item (or hit) as a row of its own."""
    if "copies" not in relevant.collect_schema().names():
        return relevant
    most = int(engine.collect(relevant.select(nw.col("copies").max()))["copies"].item() or 0)
    return nw.concat([relevant, *(relevant.filter(nw.col("copies") >= copy) for copy in range(2, most + 1))])
