"""Tables of the categories of a user's items, and of the distances of the items of a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from ..tables.array import Array
from ..tables.distances import distance_of
from ..tables.graph import TableNotes, note_sentence, table
from ..tables.hits import top_items
from ..tables.item_columns import categories_of
from ..tables.lists import Reading
from ..tables.prepared import Prepared
from ..tables.rows import Rows, numbered

_MOST_PAIRS: Final = 1 << 21
"""So many pairs of listed items are looked at together, or those of one lag."""


def with_codes(rows: Rows, item_index: Array, prepared: Prepared) -> Rows:
    """One row for each category of the item of each row: what the row has, and `code`."""
    position, code = categories_of(prepared, item_index)
    return rows.take(position).with_columns(code=code)


def first_of_codes(rows: Rows, prepared: Prepared) -> Rows:
    """Of rows with `code` the first of each user and category."""
    return rows.take(np.sort(np.unique(rows.user * _width(prepared) + rows["code"], return_index=True)[1]))


def _width(prepared: Prepared) -> int:
    """One more than the largest code of a category."""
    return int(prepared.category_code.max(initial=0)) + 1


@table("listed_categories", uses=("reading", "prepared"), columns=("rank", "item", "code"), title="The categories of the list, by number")
def listed_categories(reading: Reading, prepared: Prepared) -> Rows:
    """Each category of each recommended item: `rank`, `code`, and `size`, the number of categories of the item."""
    rows = with_codes(reading.table(), reading.item_index, prepared)
    sizes = prepared.item_column("n_categories")[reading.item_index]
    return rows.with_columns(size=np.repeat(sizes, sizes))


@table(
    "covered", uses=("reading", "prepared"), columns=("rank", "code"), title="The categories by number, at the rank that covers them first"
)
def covered(reading: Reading, prepared: Prepared) -> Rows:
    """Each category of the list once: `code`, and the `rank` that covers it first."""
    return first_of_codes(with_codes(reading.table(), reading.item_index, prepared), prepared)


@table(
    "covered_hits",
    uses=("hits", "prepared"),
    columns=("rank", "code"),
    title="The categories by number, at the rank of the hit that covers them first",
)
def covered_hits(hits: Rows, prepared: Prepared) -> Rows:
    """Each category of the hits once: `code`, and the `rank` of the first hit that has it."""
    return first_of_codes(with_codes(hits, hits.item_index(prepared.items), prepared), prepared)


@table("wanted_categories", uses=("relevant", "prepared"), columns=("code",), title="The categories of the relevant items, by number")
def wanted_categories(relevant: Rows, prepared: Prepared) -> Rows:
    """Each category of the relevant items of a user once, all of rank 1: `code`."""
    return first_of_codes(with_codes(relevant, relevant.item_index(prepared.items), prepared), prepared)


@table(
    "aspects",
    uses=("hits", "reading", "prepared"),
    params=("redundancy",),
    columns=("rank", "item", "code", "seen"),
    title="The categories of the hits, by number",
)
def aspects(hits: Rows, reading: Reading, prepared: Prepared, redundancy: str) -> Rows:
    """Each category of each hit: `rank`, `code`, and `seen`, how many hits (or, `listed`, items) above it have the category too."""
    once = np.ones(len(hits), dtype=np.bool_)  # a hit that counts several times has as many rows of the same rank
    once[1:] = (hits.user[1:] != hits.user[:-1]) | (hits.rank[1:] != hits.rank[:-1])
    rows = hits.take(once)
    codes_of_hits = with_codes(Rows(rows.n_users, rows.user, {"rank": rows.rank}, rows.item), rows.item_index(prepared.items), prepared)
    higher = codes_of_hits
    if redundancy == "listed":
        having_hits = np.zeros(reading.n_users, dtype=np.bool_)
        having_hits[hits.user] = True
        index = np.flatnonzero(having_hits[reading.user])
        higher = with_codes(reading.table(index), reading.item_index[index], prepared)
    # One number for user, category and rank, ascending; the first of a user and category is that of rank 0.
    codes = _width(prepared)
    ranks = 1 + max(int(codes_of_hits.rank.max(initial=0)), int(higher.rank.max(initial=0)))
    above = np.sort((higher.user * codes + higher["code"]) * ranks + higher.rank)
    group = (codes_of_hits.user * codes + codes_of_hits["code"]) * ranks
    seen = np.searchsorted(above, group + codes_of_hits.rank) - np.searchsorted(above, group)
    return codes_of_hits.with_columns(seen=seen)


@table(
    "aspects_and_intents",
    uses=("aspects", "relevant", "profile", "prepared"),
    columns=("rank", "item", "code", "seen"),
    title="The categories of the hits, by number",
)
def aspects_and_intents(aspects: Rows, relevant: Rows, profile: Rows, prepared: Prepared) -> Rows:
    """The table `aspects` with `intent`: the share of the category among those of the user's items in train and relevant items."""
    n_items, codes = len(prepared.items), _width(prepared)
    pairs = np.concatenate([rows.user * (n_items + 1) + rows.item_index(prepared.items) + 1 for rows in (relevant, profile)])
    user, item_index = np.divmod(np.unique(pairs), n_items + 1)
    position, code = categories_of(prepared, item_index - 1)
    groups, counts = np.unique(user[position] * codes + code, return_counts=True)
    every = np.bincount(user[position], minlength=aspects.n_users)
    # A hit is relevant, so that each of its categories is among them.
    intent = counts[np.searchsorted(groups, aspects.user * codes + aspects["code"])] / every[aspects.user]
    return aspects.with_columns(intent=intent)


@table(
    "greedy",
    uses=("relevant", "prepared"),
    params=("alpha", "depth"),
    columns=("rank", "gain"),
    title="The relevant items in greedy order",
)
def greedy(relevant: Rows, prepared: Prepared, alpha: float, depth: int) -> Rows:
    """The relevant items in greedy order, each time the one whose categories gain most, smallest id first: `rank`, `gain`.

    A category gains 1, and `1 - alpha` times as much each time it is chosen again. Items without categories are left out. The order
    ends at rank `depth`, unless it is 0.
    """
    position, code = categories_of(prepared, relevant.item_index(prepared.items))
    having, candidate = np.unique(position, return_inverse=True)  # relevant items are in the order of their ids
    user = relevant.user[having]
    codes = _width(prepared)
    aspects, aspect = np.unique(user[candidate] * codes + code, return_inverse=True)
    worth = np.ones(len(aspects))
    users: list[Array] = []
    gains: list[Array] = []
    while len(user) and (not depth or len(users) < depth):
        gain = np.bincount(candidate, worth[aspect], len(user))
        starts = np.flatnonzero(np.concatenate([[True], user[1:] != user[:-1]]))
        best = np.maximum.reduceat(gain, starts)
        near = np.flatnonzero(gain > np.repeat(best, np.diff(np.append(starts, len(user)))) - 1e-12)
        chosen = near[np.concatenate([[True], user[near[1:]] != user[near[:-1]]])]
        users.append(user[chosen])
        gains.append(best)
        left = np.ones(len(user), dtype=np.bool_)
        left[chosen] = False
        taken = ~left[candidate]
        worth[aspect[taken]] *= 1.0 - alpha
        user, aspect = user[left], aspect[~taken]
        candidate = (np.cumsum(left) - 1)[candidate[~taken]]
    every = np.concatenate([*users, np.empty(0, dtype=np.int64)])
    order = np.argsort(every, kind="stable")
    return Rows(
        relevant.n_users,
        every[order],
        {"rank": numbered(every[order], relevant.n_users), "gain": np.concatenate([*gains, np.empty(0)])[order]},
    )


note_sentence(
    "pairs_without_distance",
    lambda n, total: f"{n:,} of {total:,} pairs of listed items have no distance in data.distances and are left out",
)


@table(
    "pairs",
    uses=("reading", "prepared", "notes"),
    params=("distance", "depth"),
    columns=("rank", "item", "pairs"),
    title="The listed items, each with its pairs with the items above it",
)
def pairs(reading: Reading, prepared: Prepared, notes: TableNotes, distance: str, depth: int) -> Rows:
    """The recommended items down to `depth`: `pairs`, how many items above have a distance to the item, and the sum of their `distance`."""
    rows, _ = top_items(reading, depth)
    measured = distance_of(prepared, distance)
    assert rows.item is not None
    index = rows.item_index(prepared.items) if distance != "file" else measured.index_of(rows.item)
    above = numbered(rows.user, rows.n_users) - 1
    counts, sums = np.zeros(len(rows)), np.zeros(len(rows))
    for lower, upper in _pairs_by_lag(above):
        value = measured.between(index[lower], index[upper])
        known = ~np.isnan(value)
        np.add.at(counts, lower, known)
        np.add.at(sums, lower, np.where(known, value, 0.0))  # one by one, so that blocks cannot change the order of the terms
    if distance == "file":
        every = int(above.sum())
        notes.count("pairs_without_distance", every - int(counts.sum()), every)
    return rows.with_columns(pairs=counts, distance=sums)


def _pairs_by_lag(above: Array) -> Iterator[tuple[Array, Array]]:
    """The pairs of rows of the same list, the lower one first, in blocks: those one row apart, two rows apart, and so on.

    `above` is the number of rows above each row. A block has all pairs of some lags, so that memory does not grow with their number.
    """
    lower: Array = np.arange(len(above))
    lags: list[tuple[Array, Array]] = []
    for lag in range(1, int(above.max(initial=0)) + 1):
        lower = lower[above[lower] >= lag]
        lags.append((lower, lower - lag))
        if (len(lags) + 1) * len(lags[0][0]) > _MOST_PAIRS:
            yield np.concatenate([pair[0] for pair in lags]), np.concatenate([pair[1] for pair in lags])
            lags = []
    if lags:
        yield np.concatenate([pair[0] for pair in lags]), np.concatenate([pair[1] for pair in lags])
