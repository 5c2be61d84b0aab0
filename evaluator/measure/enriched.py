"""The lists of a part with what the test and train files say of each row."""

from __future__ import annotations

import numpy as np
import polars as pl
from msgspec import Struct

from ..metrics.definition import Definition
from ..tables.lists import Reading, seen_in_train
from ..tables.part import PartData
from ..tables.rows import Rows
from .scoring import Scorer


class EnrichedRows(Struct, frozen=True, eq=False):
    """Enriched lists of different users, a frame per part; see `enriched_rows`."""

    frames: tuple[pl.DataFrame, ...]

    def __add__(self, other: EnrichedRows) -> EnrichedRows:
        return EnrichedRows((*self.frames, *other.frames))


def enriched_rows(scorer: Scorer, definition: Definition) -> pl.DataFrame:
    """The lists as a measure reads them, sorted by user and rank.

    Columns: `user`, `item`, `rank` (from 1), `score` (if the lists have scores), `relevant` (whether the row is a hit), `gain` (that of
    the hit, 0 for other rows), and with data.train `in_train` (whether train holds the pair).

    Edge cases: rows that the convention takes out of the lists are not there; ranks are those of the list, also for measures that rank
    rated items only. Users without a list have no row.
    """
    part: PartData = scorer.part
    choice = scorer.choice(definition)._replace(positions="real")
    reading: Reading = scorer.tables.get("reading", choice)
    hits: Rows = scorer.tables.get("hits", choice)
    rows = reading.starts[hits.user] + hits["rank"].astype(np.int64) - 1
    relevant, gain = np.zeros(len(reading), dtype=np.bool_), np.zeros(len(reading))
    relevant[rows], gain[rows] = True, hits["gain"]
    columns = {"user": part.users.gather(reading.user), "item": reading.item, "rank": reading.rank.astype(np.int64)}
    if "score" in reading.source.rows:
        columns["score"] = reading.score
    columns |= {"relevant": relevant, "gain": gain}
    if "train" in part:
        columns["in_train"] = seen_in_train(reading, part)
    return pl.DataFrame(columns)
