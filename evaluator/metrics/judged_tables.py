"""What is judged, and what grades add up to, from the top of a list down to each of its rows."""

from __future__ import annotations

import numpy as np

from ..tables.array import Array
from ..tables.graph import table
from ..tables.rows import Rows, counted_from_top
from ..tables.running import running_sum
from ..tables.test_ratings import TestRatings
from ..tables.truth import TruthTable


@table(
    "judged",
    uses=("judged_rows", "test_ratings", "truth_table", "n_relevant"),
    params=("negative",),
    columns=("rank", "item", "relevant", "judged", "found"),
    title="Listed items that the test file holds",
)
def judged(judged_rows: Rows, test_ratings: TestRatings, truth_table: TruthTable, n_relevant: Array, negative: str) -> Rows:
    """The listed items that the test file holds, with counts from the top.

    `judged`, `found` and `pooled` count up to the row what is judged, what is relevant, and what has a rating below 0 that is no
    judgement (`negative` = `pooled`). `n_relevant` and `n_other` are the judged items of the user, listed or not, that are relevant and
    that are not.
    """
    relevant = truth_table.relevant
    rating = test_ratings.rating_of_pair(len(relevant))
    counts = ~np.isnan(rating)
    known = counts & ~((rating < 0) & ~relevant) if negative == "pooled" else counts
    n_other = np.bincount(truth_table.pairs.user[known & ~relevant], minlength=judged_rows.n_users)
    rows = judged_rows.take(counts[judged_rows["pair"]])
    pair, user = rows["pair"], rows.user
    counted = {"judged": known[pair], "found": relevant[pair], "pooled": ~known[pair]}
    columns = {name: counted_from_top(np.cumsum(condition), user, rows.n_users) for name, condition in counted.items()}
    return rows.with_columns(relevant=relevant[pair], n_relevant=n_relevant[user], n_other=n_other[user], **columns)


@table("hits_added_up", uses=("hits",))
def hits_added_up(hits: Rows) -> Rows:
    """The hits with what they gain up to each: `gained`, and `dcg`."""
    gain = hits["gain"]
    return hits.with_columns(gained=running_sum(gain, hits.user), dcg=running_sum(gain / np.log2(hits["rank"] + 1), hits.user))


@table("ideal_added_up", uses=("ideal",))
def ideal_added_up(ideal: Rows) -> Rows:
    """The best possible list with its DCG up to each row, and Σ max(gain, 1): `dcg`, `cost`."""
    gain = ideal["gain"]
    dcg = running_sum(gain / np.log2(ideal["rank"] + 1), ideal.user)
    return ideal.with_columns(dcg=dcg, cost=running_sum(np.maximum(gain, 1.0), ideal.user))


@table("graded", uses=("hits_added_up", "ideal_added_up"), columns=("rank", "item", "gain", "gained", "cost"), title="The hits")
def graded(hits_added_up: Rows, ideal_added_up: Rows) -> Rows:
    """The hits with what the list (`gained`, `dcg`) and the best possible list (`cost`, `ideal_dcg`) give up to the rank of each."""
    hits, ideal = hits_added_up, ideal_added_up
    rank = hits["rank"]
    within = np.minimum(rank, hits["n_relevant"])
    row = ideal.starts()[_block(ideal)[hits.user]] + within - 1
    return hits.with_columns(ideal_dcg=ideal["dcg"][row], cost=ideal["cost"][row] + (rank - within))


@table("grade_changes", uses=("hits_added_up", "ideal_added_up"), columns=("rank", "ndcg"), title="The last rank of each ideal grade")
def grade_changes(hits_added_up: Rows, ideal_added_up: Rows) -> Rows:
    """The ranks after which the best possible list has a lower grade, and nDCG there: `rank`, `ndcg`."""
    hits, ideal = hits_added_up, ideal_added_up
    gain, of_block = ideal["gain"], ideal.user
    ends = np.ones(len(ideal), dtype=np.bool_)
    ends[:-1] = (gain[1:] != gain[:-1]) | (of_block[1:] != of_block[:-1])
    points = ideal.take(ends & (gain > 0))
    block, starts = _block(ideal), points.starts()
    n_points = np.diff(starts)[block]
    user = np.repeat(np.arange(hits.n_users), n_points)
    point = np.arange(len(user)) - np.repeat(np.cumsum(n_points) - n_points, n_points) + starts[block[user]]
    rank = points["rank"][point]
    dcg = _dcg_up_to(hits, user, rank)
    return Rows(hits.n_users, user, {"rank": rank, "ndcg": dcg / points["dcg"][point]})


def _block(ideal: Rows) -> Array:
    """The block of rows of each user."""
    return np.arange(ideal.n_users) if ideal.group_of_user is None else ideal.group_of_user


def _dcg_up_to(hits: Rows, user: Array, rank: Array) -> Array:
    """The DCG of the hits of each of `user` up to each of `rank`."""
    width = max(int(hits["rank"].max(initial=0)), int(rank.max(initial=0))) + 1
    last = np.searchsorted(hits.user * width + hits["rank"], user * width + rank, side="right") - 1
    before = np.concatenate([hits["dcg"], [0.0]])  # the last stands for none
    return np.where(last >= hits.starts()[user], before[last], 0.0)
