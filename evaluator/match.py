"""Lists × truth → the tables that the metrics read: who counts, what was found, what could have been."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import narwhals as nw

from .conventions import Convention
from .engine.base import Engine
from .tables import Frame

PAIR = ["user", "item"]


@dataclass(frozen=True)
class Truth:
    """What the test file says: its relevant items, the users who have one, and their ideal lists."""

    relevant: Frame
    users: Frame
    ideal: Frame


def relevant_items(test: Frame, threshold: float | None, graded: bool) -> Frame:
    """The table `truth`: rows of the test file that are relevant, each (user, item) once, with its gain.

    Relevant is a rating of at least `threshold`; without one, a rating above 0; without ratings, every row. The gain is the
    rating if the relevance is `graded`, else 1. Of a pair that stands twice the higher rating counts.
    """
    if "rating" not in test.collect_schema().names():
        return test.select(*PAIR).unique(PAIR).with_columns(gain=nw.lit(1.0))
    above = nw.col("rating") > 0 if threshold is None else nw.col("rating") >= threshold
    kept = test.filter(above)
    if not graded:
        return kept.select(*PAIR).unique(PAIR).with_columns(gain=nw.lit(1.0))
    return kept.group_by(PAIR).agg(nw.col("rating").cast(nw.Float64).max().alias("gain"))


def truth(relevant: Frame, graded: bool, engine: Engine) -> Truth:
    """The tables `users` and `ideal` beside the settled `relevant` items.

    Where the relevance is not graded, users with as many relevant items have the same ideal list; it is kept for one of
    them, their `twin`.
    """
    counts = relevant.group_by("user").agg(nw.len().cast(nw.Int64).alias("n_relevant"))
    if graded:
        users = counts.with_columns(twin=nw.col("user"))
    else:
        twins = counts.group_by("n_relevant").agg(nw.col("user").min().alias("twin"))
        users = counts.join(twins, on="n_relevant", how="left")
    (users,) = engine.settle([users])
    best = relevant.join(users.select("twin").unique("twin"), left_on="user", right_on="twin", how="semi")
    (ideal,) = engine.settle([engine.ordinal(best, (("gain", True), ("item", False)), "rank").select("user", "rank", "gain")], ordered=True)
    return Truth(relevant, users, ideal)


def wanted(relevant: Frame) -> Callable[[Frame], Sequence[Frame]]:
    """What `hits` needs of the ranked lists: the recommended items that are relevant."""
    return lambda lists: (lists.select("user", "item", "rank").join(relevant, on=PAIR, how="inner"),)


def hits(found: Frame, users: Frame, convention: Convention, engine: Engine) -> Frame:
    """The table `hits`: recommended items that are relevant, counted from the top of each list."""
    if convention["duplicates"] == "unique_hits":
        found = found.group_by(PAIR).agg(nw.col("rank").min(), nw.col("gain").max())
    counted = found.join(users.select("user", "n_relevant"), on="user", how="left")
    (settled,) = engine.settle([engine.ordinal(counted, (("rank", False),), "found")], ordered=True)
    return settled


def users(truth: Truth, lengths: Frame, convention: Convention) -> Frame:
    """The table `users`: those who are averaged over, with what is known of each."""
    if convention["missing_lists"] == "drop":
        return truth.users.join(lengths, on="user", how="inner")
    return truth.users.join(lengths, on="user", how="left").with_columns(nw.col("n_recommended").fill_null(0))


@dataclass(frozen=True)
class Candidates:
    """The items a user could have been recommended: the `catalogue` without what `seen` (train) holds for the user."""

    catalogue: Frame
    seen: Frame | None
    size: int


def wanted_outside(candidates: Candidates, relevant: Frame) -> Callable[[Frame], Sequence[Frame]]:
    """The recommended items that are neither relevant nor candidates: unknown to the catalogue, or seen in train."""

    def want(lists: Frame) -> Sequence[Frame]:
        places = lists.select("user", "item", "rank")
        parts = [places.join(candidates.catalogue, on="item", how="anti")]
        if candidates.seen is not None:
            known = candidates.seen.join(candidates.catalogue, on="item", how="semi")
            parts.append(places.join(known, on=PAIR, how="semi"))
        return (nw.concat([part.join(relevant, on=PAIR, how="anti") for part in parts]),)

    return want


def outside(found: Frame) -> Frame:
    """The table `outside`: what `wanted_outside` found, each item once, at its best rank."""
    return found.group_by(PAIR).agg(nw.col("rank").min()).select("user", "rank")


def with_candidates(users: Frame, relevant: Frame, candidates: Candidates) -> Frame:
    """Add `n_candidates` to `users`: the candidates of the user that are not relevant."""
    known = relevant.join(candidates.catalogue, on="item", how="semi")
    frame = _joined_count(users, known, "n_known_relevant")
    taken = nw.col("n_known_relevant")
    if candidates.seen is not None:
        seen = candidates.seen.join(candidates.catalogue, on="item", how="semi").join(relevant, on=PAIR, how="anti")
        frame = _joined_count(frame, seen, "n_seen")
        taken = taken + nw.col("n_seen")
    return frame.with_columns(n_candidates=nw.lit(candidates.size) - taken)


def _joined_count(users: Frame, pairs: Frame, name: str) -> Frame:
    counts = pairs.group_by("user").agg(nw.len().cast(nw.Int64).alias(name))
    return users.join(counts, on="user", how="left").with_columns(nw.col(name).fill_null(0))
