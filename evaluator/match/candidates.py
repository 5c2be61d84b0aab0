"""The catalogue and train → the items a user could have been recommended, which an AUC counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import narwhals as nw

from ..frames import Frame
from .truth import PAIR


@dataclass(frozen=True)
class Candidates:
    """The items a user could have been recommended: the `catalogue` without what `seen` (train) holds for the user.

    `size` and `train_size` are the numbers of items of the catalogue and of train.
    """

    catalogue: Frame
    seen: Frame | None
    size: int
    train_size: int


def wanted_outside(candidates: Candidates) -> Callable[[Frame], Sequence[Frame]]:
    """The recommended items that are no candidates: unknown to the catalogue, or seen in train."""

    def want(lists: Frame) -> Sequence[Frame]:
        places = lists.select("user", "item", "rank")
        parts = [places.join(candidates.catalogue, on="item", how="anti")]
        if candidates.seen is not None:
            known = candidates.seen.join(candidates.catalogue, on="item", how="semi")
            parts.append(places.join(known, on=PAIR, how="semi"))
        return (nw.concat(parts),)

    return want


def outside(found: Frame, relevant: Frame) -> Frame:
    """The table `outside`: what `wanted_outside` found and is not relevant, each item once, at its best rank."""
    return found.join(relevant, on=PAIR, how="anti").group_by(PAIR).agg(nw.col("rank").min()).select("user", "rank")


def with_candidates(users: Frame, relevant: Frame, candidates: Candidates, name: str) -> Frame:
    """Add to `users`, as `name`, the number of candidates of the user that are not relevant."""
    known = relevant.join(candidates.catalogue, on="item", how="semi")
    frame = _joined_count(users, known, "n_known_relevant")
    taken = nw.col("n_known_relevant")
    if candidates.seen is None:
        return frame.with_columns((nw.lit(candidates.size) - taken).alias(name)).drop("n_known_relevant")
    seen = candidates.seen.join(candidates.catalogue, on="item", how="semi").join(relevant, on=PAIR, how="anti")
    frame = _joined_count(frame, seen, "n_seen")
    return frame.with_columns((nw.lit(candidates.size) - taken - nw.col("n_seen")).alias(name)).drop("n_known_relevant", "n_seen")


def with_unseen(users: Frame, candidates: Candidates, name: str) -> Frame:
    """Add to `users`, as `name`, the number of train items (without a train file: of the catalogue) less the user's own."""
    if candidates.seen is None:
        return users.with_columns(nw.lit(candidates.size).cast(nw.Int64).alias(name))
    frame = _joined_count(users, candidates.seen, "n_seen")
    return frame.with_columns((nw.lit(candidates.train_size) - nw.col("n_seen")).alias(name)).drop("n_seen")


def _joined_count(users: Frame, pairs: Frame, name: str) -> Frame:
    counts = pairs.group_by("user").agg(nw.len().cast(nw.Int64).alias(name))
    return users.join(counts, on="user", how="left").with_columns(nw.col(name).fill_null(0))
