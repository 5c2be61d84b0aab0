"""The weights of recommended items: the score of the model divided by that of the previous policy."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.graph import table
from ..tables.lists import Reading
from ..tables.notes import TableNotes, note_sentence
from ..tables.part import PartData
from ..tables.prepared import Prepared
from ..tables.rows import Rows
from ..tables.top_items import top_items

note_sentence(
    "pairs_without_previous_score",
    lambda n, total: f"{n:,} of {total:,} recommended pairs are not in data.previous_policy; their previous score counts as 0",
)


@table(
    "weighted",
    uses=("reading", "part", "is_hit", "prepared", "notes"),
    params=("activation", "threshold", "depth"),
    columns=("rank", "item"),
    title="The items of the list",
    reads_scores=True,
)
def weighted(
    reading: Reading,
    part: PartData,
    is_hit: Array,
    prepared: Prepared,
    notes: TableNotes,
    activation: str,
    threshold: float,
    depth: int,
) -> Rows:
    """The recommended items down to `depth` (at 0 all), each once: `weight`, and whether it is a `hit`.

    The weight is now / before, clipped to [1/threshold, threshold], and `threshold` where before is 0; of an item that is listed several
    times the highest counts.
    """
    rows, index = top_items(reading, depth)
    previous = _previous_scores(rows, part, prepared)
    unknown = np.isnan(previous)
    notes.count("pairs_without_previous_score", int(unknown.sum()), len(rows))
    now = _activated(reading.score[index], rows, activation)
    before = _activated(np.where(unknown, 0.0, previous), rows, activation)
    ratio = np.divide(now, before, out=np.full(len(rows), threshold), where=before != 0)
    weight = np.minimum(np.maximum(ratio, 1.0 / threshold), threshold)
    result = rows.with_columns(weight=weight, hit=is_hit[index].astype(np.float64))
    return _once(result) if reading.repeats else result


def _previous_scores(rows: Rows, part: PartData, prepared: Prepared) -> Array:
    """The score of the previous policy for each row, NaN where it has none."""
    assert prepared.policy is not None
    keys = [column for column in ("user", "item") if column in prepared.policy.columns]
    listed = pl.DataFrame({"item": rows.item})
    if "user" in keys:
        listed = listed.with_columns(user=part.users.gather(rows.user))
    joined = listed.join(prepared.policy, on=keys, how="left", maintain_order="left")
    return joined["previous"].cast(pl.Float64).fill_null(np.nan).to_numpy()


def _activated(scores: Array, rows: Rows, activation: str) -> Array:
    """Scores as they are (`none`), through 1/(1 + e^-x) (`sigmoid`), or through e^x / Σ e^x over the user's rows (`softmax`)."""
    if activation == "sigmoid":
        with np.errstate(over="ignore"):  # e^-x may be beyond all numbers; 1 divided by it is 0 then
            return np.asarray(1.0 / (1.0 + np.exp(-scores)))
    if activation == "softmax":
        most = np.full(rows.n_users, -np.inf)
        np.maximum.at(most, rows.user, scores)
        powers = np.exp(scores - most[rows.user])  # the largest is taken off, so that no power is beyond all numbers
        totals = np.bincount(rows.user, powers, rows.n_users)
        return np.asarray(powers / totals[rows.user])
    return scores


def _once(rows: Rows) -> Rows:
    """Each item of a list once, at its best rank, with its highest weight; a hit is at its best rank."""
    assert rows.item is not None
    numbers = pl.DataFrame({"user": rows.user, "item": rows.item, "weight": rows["weight"]}).with_row_index("row")
    best = numbers.group_by("user", "item").agg(pl.col("row").min(), pl.col("weight").max()).sort("row")
    return rows.take(best["row"].to_numpy().astype(np.int64)).with_columns(weight=best["weight"].to_numpy())
