"""R04: tied scores in the lists of one model, and what they do to the values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from ..tables.ids import Array
from ..tables.lists import ListRows, Reading
from ..tables.rows import starts_of
from .context import Context, Symptom
from .lists import compared_scores
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Tally
from .wording import shared


class Runs(NamedTuple):
    """Rows of equal scores that stand together: the user of each run, and the ranks of its first and last row."""

    user: Array
    first: Array
    last: Array

    def where(self, mask: Array) -> Runs:
        """The runs for which a mask holds."""
        return Runs(self.user[mask], self.first[mask], self.last[mask])


@check("R04", uses=("rows_as_stored", "reading"))
class TiedScores(HealthCheck):
    """Lists with tied scores as far down as a measure looks.

    Lists that repeat an item have no bounds; those with more items than scores are counted all the same.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        stored: ListRows = part.table("rows_as_stored")
        repeats, repeats_with_ties = _repeating(part, stored)
        found = runs(part.table("reading"), part.definition.lists.score_type == "float32")
        if repeats.any():
            found = found.where(~repeats[found.user])
        deepest = deepest_cutoff(part)
        within = found if deepest is None else found.where(found.first <= deepest)
        crossing = np.zeros(len(within.user), dtype=np.bool_)
        for k in part.cutoffs:
            crossing |= (within.first <= k) & (within.last > k)
        tied = repeats_with_ties.copy()
        tied[within.user] = True
        return Tally.of(
            lists=int(tied.sum()),
            repeating=int(repeats_with_ties.sum()),
            across=len(np.unique(within.user[crossing])),
            **part.users(tied),
        )

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, n_across, n_repeating = tally.count("lists"), tally.count("across"), tally.count("repeating")
        if not n:
            return []
        width = context.limit(self.id, "width")
        wide = {label: dict(ends) for label, ends in context.bounds.items() if ends["most"] - ends["least"] > width}
        ordered = "ranks" in context.available and context.definitions[0].lists.order == "rank"
        deepest = deepest_cutoff(context)
        note = f" in the first {deepest:,} places" if deepest else ""
        note += f", {n_across:,} of them across a cut-off" if n_across else ""
        note += f"; {n_repeating:,} of them repeat an item, and bounds do not look at them" if n_repeating else ""
        note += "; their ranks put them in an order" if ordered else ""
        return self.symptom(
            context,
            f"{shared(n, context.n_lists, 'lists')} have tied scores{note}.",
            n,
            context.n_lists,
            examples=tally.examples("user"),
            rows=tally.rows(),
            severity="info" if context.bounds and not wide else None,  # ties that move no value are no reason to worry
            unlimited=bool(wide),
            refusable=not ordered,
            details={"across": n_across, **({"bounds": wide} if wide else {})},
        )


def deepest_cutoff(examined: ExaminedPart | Context) -> int | None:
    """The rank down to which ties matter; `None`: all of them."""
    whole = any(definition.tied and definition.k is None for definition in examined.definitions)
    return None if whole or not examined.cutoffs else max(examined.cutoffs)


def runs(reading: Reading, single: bool) -> Runs:
    """The runs of equal scores of two rows or more; equal scores that do not all stand together are none."""
    score = reading.source.rows.column("score")
    score = score if reading.rows is None else score[reading.rows]
    score = score.astype(np.float32) if single else score
    user = reading.user
    equal = score[1:] == score[:-1]
    starts = starts_of(user, reading.n_users)
    borders = starts[(starts > 0) & (starts < len(user))]
    equal[borders - 1] = False
    second = np.flatnonzero(equal)
    if not len(second):
        return Runs(second, second, second)
    begins = np.ones(len(second), dtype=np.bool_)
    begins[1:] = second[1:] != second[:-1] + 1
    ends = np.append(np.flatnonzero(begins)[1:], len(second)) - 1
    first_row, last_row = second[begins], second[ends] + 1
    found = Runs(user[first_row], first_row - starts[user[first_row]] + 1, last_row - starts[user[first_row]] + 1)
    return found.where(_whole(score, user, found, first_row))


def _whole(score: Array, user: Array, found: Runs, first_row: Array) -> Array:
    """For each run whether it has all rows of its user with that score, as it must where scores fall along the list."""
    rises = np.flatnonzero(score[1:] > score[:-1])
    rises = rises[user[rises + 1] == user[rises]]
    doubtful = np.isin(found.user, user[rises])
    if not doubtful.any():
        return ~doubtful
    rows = np.flatnonzero(np.isin(user, found.user[doubtful]))
    counts = pl.DataFrame({"user": user[rows], "score": score[rows]}).group_by("user", "score").agg(n=pl.len())
    own = pl.DataFrame({"user": found.user, "score": score[first_row]})
    n = own.join(counts, on=["user", "score"], how="left", maintain_order="left")["n"].fill_null(0).to_numpy()
    whole: Array = ~doubtful | (n == found.last - found.first + 1)
    return whole


def _repeating(part: ExaminedPart, stored: ListRows) -> tuple[Array, Array]:
    """For each user whether the list repeats an item, and whether it then has fewer scores than items."""
    repeats = np.zeros(part.data.n_users, dtype=np.bool_)
    tied = repeats.copy()
    if not stored.repeats:
        return repeats, tied
    frame = pl.DataFrame({"user": stored.user, "item": stored.rows.item, "score": compared_scores(part)})
    counts = frame.group_by("user").agg(n=pl.len(), items=pl.col("item").n_unique(), scores=pl.col("score").n_unique())
    again = counts.filter(pl.col("items") < pl.col("n"))
    repeats[again["user"].to_numpy()] = True
    tied[again.filter(pl.col("scores") < pl.col("items"))["user"].to_numpy()] = True
    return repeats, tied
