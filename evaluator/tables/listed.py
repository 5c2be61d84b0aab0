"""The recommended items as tables: all of them, with their scores, those listed twice, seen in train, or taken out after the cut."""

from __future__ import annotations

import numpy as np

from .graph import table
from .lists import Reading, first_of_each, repeated, seen_in_train
from .part import PartData
from .rows import Rows


@table("listed", uses=("reading",), columns=("rank", "item"), title="The items of the list")
def listed(reading: Reading) -> Rows:
    """Every recommended item: `rank`."""
    return reading.table()


@table("scored", uses=("reading",), columns=("rank", "item", "score"), title="The items of the list", reads_scores=True)
def scored(reading: Reading) -> Rows:
    """Every recommended item with its `score`."""
    return reading.table().with_columns(score=reading.score)


@table("repeats", uses=("reading",), columns=("rank", "item"), title="Places of items that stand further up")
def repeats(reading: Reading) -> Rows:
    """The rows of items that stand further up in the list already: `rank`."""
    return reading.table(np.flatnonzero(repeated(reading)) if reading.repeats else np.empty(0, dtype=np.int64))


@table("seen", uses=("reading", "part"), columns=("rank", "item"), title="Listed items that data.train holds for the user")
def seen(reading: Reading, part: PartData) -> Rows:
    """The recommended items that train holds for the user, each once, at its best rank: `rank`."""
    rows = np.flatnonzero(seen_in_train(reading, part))
    return reading.table(rows[np.sort(first_of_each(reading.pairs.take(rows)))])


@table("dropped", uses=("reading",), columns=("rank",), title="Rows that were taken out of the list after it was cut")
def dropped(reading: Reading) -> Rows | None:
    """The rows that were taken out after the list was cut: `rank`; `None` if there are none."""
    return reading.dropped
