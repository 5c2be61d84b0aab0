"""What functions of one's own are given: the items of each list, and the relevant items of each user, as objects."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..tables.array import Array
from ..tables.graph import table
from ..tables.lists import Reading, repeated
from ..tables.truth import TestPairs, TruthTable


class Item(NamedTuple):
    """An item of a list: its id, rank and score (`None` where lists have none), whether it is relevant, and with which gain (0 if not)."""

    id: Any
    rank: int
    score: float | None
    relevant: bool
    gain: float


@table("own_lists", uses=("reading", "test_pairs", "truth_table"), params=("depth",))
def own_lists(reading: Reading, test_pairs: TestPairs, truth_table: TruthTable, depth: int) -> Array:
    """For each user the ranks that cut-offs look at, and the items, down to rank `depth` (at 0 all)."""
    cut = reading.rank if reading.cut is None else reading.cut
    row, pair = test_pairs.lookup.find(reading.pairs)
    relevant, gain = np.zeros(len(reading), np.bool_), np.zeros(len(reading))
    relevant[row], gain[row] = truth_table.relevant[pair], np.where(truth_table.relevant[pair], truth_table.gain[pair], 0.0)
    if reading.one_hit_per_item:
        again = repeated(reading)
        relevant[again], gain[again] = False, 0.0
    kept = np.flatnonzero(cut <= depth) if depth else np.arange(len(reading))
    scores = reading.score[kept].tolist() if "score" in reading.source.rows else [None] * len(kept)
    columns = (reading.item.gather(kept).to_list(), reading.rank[kept].tolist(), scores, relevant[kept].tolist(), gain[kept].tolist())
    items = list(map(Item, *columns))
    return _by_user(reading.user[kept], reading.n_users, lambda start, end: (cut[kept[start:end]], items[start:end]))


@table("own_truth", uses=("truth_table",))
def own_truth(truth_table: TruthTable) -> Array:
    """For each user the relevant items with their gains."""
    index = truth_table.index
    pairs = truth_table.pairs
    order = np.argsort(pairs.user[index], kind="stable")
    index = index[order]
    items, gains = pairs.item.gather(index).to_list(), truth_table.gain[index].tolist()
    n_users = len(truth_table.n_relevant)
    return _by_user(pairs.user[index], n_users, lambda start, end: dict(zip(items[start:end], gains[start:end], strict=True)))


def _by_user(user: Array, n_users: int, make: Any) -> Array:
    """An array of an object for each user, made of the rows from `start` to `end`, which stand in the order of users."""
    made = np.empty(n_users, dtype=object)
    borders = np.searchsorted(user, np.arange(n_users + 1))
    for number, (start, end) in enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)):
        made[number] = make(start, end)
    return made
