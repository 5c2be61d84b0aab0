"""Tables of the distances of recommended items to what the user knows, and to the user."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.distances import FileDistance, distance_of
from ..tables.graph import table
from ..tables.lists import Reading
from ..tables.notes import TableNotes, note_sentence
from ..tables.part import PartData
from ..tables.prepared import Prepared
from ..tables.rows import Rows
from ..tables.top_items import top_items

_MOST_PAIRS = 1 << 21
"""So many pairs of a listed and a train item are looked at together, unless one item has more."""

note_sentence(
    "profile_pairs_without_distance",
    lambda n, total: f"{n:,} of {total:,} pairs of a listed and a train item have no distance in data.distances",
)
note_sentence(
    "users_without_distance",
    lambda n, total: f"{n:,} {'recommendation has' if n == 1 else 'recommendations have'} no distance to their user in data.distances",
)


@table(
    "from_profile",
    uses=("reading", "profile", "is_hit", "prepared", "notes"),
    params=("distance", "featureless", "depth"),
    columns=("rank", "item"),
    title="The items of the list, and how far they are from the profile",
)
def from_profile(
    reading: Reading, profile: Rows, is_hit: Array, prepared: Prepared, notes: TableNotes, distance: str, featureless: str, depth: int
) -> Rows:
    """The recommended items down to `depth`: the mean `distance` to the items that train holds for the user, and whether it is a `hit`.

    Pairs without a distance are left out of the mean, or at distance 1 where `featureless` is `unlike`; without any pair it is 0.
    """
    rows, index = top_items(reading, depth)
    measured = distance_of(prepared, distance)
    assert rows.item is not None
    assert profile.item is not None
    listed_index, profile_index = measured.index_of(rows.item), measured.index_of(profile.item)
    starts = profile.starts()
    counts, sums = np.zeros(len(rows)), np.zeros(len(rows))
    pairs_of_row = np.diff(starts)[rows.user]
    for block in _blocks(pairs_of_row):
        lengths = pairs_of_row[block]
        row = np.repeat(np.arange(len(lengths)), lengths)
        within = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        known_item = starts[rows.user[block]][row] + within
        value = measured.between(listed_index[block][row], profile_index[known_item])
        if featureless == "unlike":
            value = np.where(np.isnan(value), 1.0, value)
        known = ~np.isnan(value)
        counts[block] = np.bincount(row, known, len(lengths))
        sums[block] = np.bincount(row, np.where(known, value, 0.0), len(lengths))
    if distance == "file":
        every = int(pairs_of_row.sum())
        notes.count("profile_pairs_without_distance", every - int(counts.sum()), every)
    return rows.with_columns(distance=sums / np.maximum(counts, 1.0), hit=is_hit[index].astype(np.float64))


def _blocks(pairs_of_row: Array) -> Iterator[slice]:
    """The rows in blocks that have at most so many pairs together, and one row at least."""
    before = np.concatenate([[0], np.cumsum(pairs_of_row)])
    start = 0
    while start < len(pairs_of_row):
        end = max(int(np.searchsorted(before, before[start] + _MOST_PAIRS, side="right")) - 1, start + 1)
        yield slice(start, end)
        start = end


@table(
    "user_distance",
    uses=("reading", "part", "prepared", "notes"),
    columns=("rank", "item"),
    title="Recommended people, and how far they are from the user",
)
def user_distance(reading: Reading, part: PartData, prepared: Prepared, notes: TableNotes) -> Rows:
    """The recommended items that data.distances knows the `distance` of from the user, who is one of its items."""
    rows, _ = top_items(reading, 0)
    measured = _between_texts(prepared)
    assert rows.item is not None
    of_user = measured.index_of(part.users.cast(pl.String))
    value = measured.between(of_user[rows.user], measured.index_of(rows.item.cast(pl.String)))
    known = ~np.isnan(value)
    notes.count("users_without_distance", int((~known).sum()), len(rows))
    return rows.take(known).with_columns(distance=value[known])


def _between_texts(prepared: Prepared) -> FileDistance:
    """The distances of the file between ids as texts, since ids of users and of items may be stored in different ways."""
    if "distance_of_texts" not in prepared.memo:
        assert prepared.distances is not None
        texts = prepared.distances.with_columns(pl.col("item").cast(pl.String), pl.col("other").cast(pl.String))
        prepared.memo["distance_of_texts"] = FileDistance(texts)
    made: FileDistance = prepared.memo["distance_of_texts"]
    return made
