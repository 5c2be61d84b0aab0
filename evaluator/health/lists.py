"""R01, R03, R05, R06 and R09: repeated items, odd ranks, lengths, and equal scores in the lists of one model."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..tables.array import Array, in_single_precision
from ..tables.list_rows import ListRows
from ..tables.pairs import distinct
from ..tables.part import SourceRows
from .context import Context, Symptom
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Most, Tally
from .wording import several, shared


@check("R01", uses=("rows_as_stored",), policy="duplicates")
class RepeatedItems(HealthCheck):
    """Rows that repeat an item of the user's list."""

    def tally(self, part: ExaminedPart) -> Tally:
        rows: ListRows = part.table("rows_as_stored")
        if not rows.repeats:
            return Tally()
        first, pair_of_row = distinct(rows.pairs)
        again = np.bincount(pair_of_row)[pair_of_row] > 1
        users = len(np.unique(rows.user[again]))
        return Tally.of(rows_again=len(rows.user) - len(first), users=users, **part.notes(_filtered(part.lists, again), "user", "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("rows_again"), context.counts.count("list_rows")
        users = several(tally.count("users"), "user")
        sentence = f"{shared(n, total, 'rows')} repeat an item that stands in the user's list already, for {users}."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows())


@check("R03")
class OddRanks(HealthCheck):
    """Lists whose ranks are not 1 to n, each once, or contradict the scores."""

    def tally(self, part: ExaminedPart) -> Tally:
        lists = part.lists
        odd, from_zero = _odd_ranks(lists)
        rising = _rising(lists)
        users = odd | rising
        rows = part.kept(_filtered(lists, users[lists.user])) if users.any() else {}
        numbers = {"odd": int(odd.sum()), "from_zero": int(from_zero.sum()), "rising": int(rising.sum()), "users": int(users.sum())}
        return Tally.of(**numbers, **{**part.users(users), **rows})

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n_lists, n_odd, n_rising = context.n_lists, tally.count("odd"), tally.count("rising")
        if n_odd == tally.count("from_zero") == n_lists and not n_rising:
            return self.symptom(context, "All ranks count from 0, not from 1; only their order matters.", n_odd, n_lists, severity="info")
        sentences = [f"{shared(n_odd, n_lists, 'lists')} have ranks that are not 1 to n, each once"] if n_odd else []
        sentences += [f"{shared(n_rising, n_lists, 'lists')} have ranks that contradict the scores"] if n_rising else []
        sentence = "; ".join(sentences) + "."
        return self.symptom(context, sentence, tally.count("users"), n_lists, examples=tally.examples("user"), rows=tally.rows())


@check("R05")
class ShortLists(HealthCheck):
    """Lists that are shorter than the largest cut-off."""

    def tally(self, part: ExaminedPart) -> Tally:
        lengths = part.lists.counts
        listed = lengths > 0
        below = {f"below_{k}": int((listed & (lengths < k)).sum()) for k in part.cutoffs}
        return Tally.of(**below, **part.users(listed & (lengths < max(part.cutoffs)), n_recommended=lengths))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        most, *_ = cutoffs = sorted(context.cutoffs, reverse=True)
        n = tally.count(f"below_{most}")
        per_cutoff = ", ".join(f"{below:,} than {k}" for k in cutoffs if (below := tally.count(f"below_{k}")))
        each = f" (shorter: {per_cutoff})" if len(cutoffs) > 1 else ""
        sentence = f"{shared(n, context.n_lists, 'lists')} are shorter than the largest cut-off, {most}{each}."
        return self.symptom(context, sentence, n, context.n_lists, examples=tally.examples("user"), rows=tally.rows())


@check("R06")
class LongLists(HealthCheck):
    """Lists that are longer than the largest cut-off."""

    def tally(self, part: ExaminedPart) -> Tally:
        lengths = part.lists.counts
        long = lengths > max(part.cutoffs)
        if not long.any():
            return Tally()
        return Tally.of(lists=int(long.sum()), longest=Most(int(lengths.max())), **part.users(long, n_recommended=lengths))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n = tally.count("lists")
        if not n:
            return []
        longer = f"{shared(n, context.n_lists, 'lists')} are longer than the largest cut-off, {max(context.cutoffs)}"
        sentence = f"{longer}; the longest has {several(int(tally['longest'].value), 'row')}."
        return self.symptom(context, sentence, n, context.n_lists, examples=tally.examples("user"), rows=tally.rows())


@check("R09")
class EqualScores(HealthCheck):
    """Lists of several rows whose scores are all equal."""

    def tally(self, part: ExaminedPart) -> Tally:
        lists, score = part.lists, compared_scores(part)
        starts, lengths = lists.starts, lists.counts
        long = np.flatnonzero(lengths > 1)
        constant = long[score[starts[long]] == score[starts[long + 1] - 1]]
        if not len(constant):
            return Tally()
        differs = np.flatnonzero(score[1:] != score[:-1])
        differs = differs[lists.user[differs + 1] == lists.user[differs]]
        constant = np.setdiff1d(constant, lists.user[differs])
        if not len(constant):
            return Tally()
        mask = np.zeros(lists.n_users, dtype=np.bool_)
        mask[constant] = True
        return Tally.of(lists=len(constant), **{**part.users(constant), **part.kept(_filtered(lists, mask[lists.user]))})

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n = tally.count("lists")
        sentence = f"{shared(n, context.n_lists, 'lists')} have the same score in every row."
        return self.symptom(context, sentence, n, context.n_lists, examples=tally.examples("user"), rows=tally.rows())


def compared_scores(part: ExaminedPart) -> Array:
    """The scores of the lists, in single precision if a measure compares them so."""
    score = part.lists.column("score")
    single = any(inner.lists.score_type == "float32" for definition in part.definitions for inner in definition.all)
    return in_single_precision(score) if single else score


def _filtered(rows: SourceRows, mask: Array) -> pl.DataFrame:
    return rows.frame.filter(pl.Series(mask))


def _odd_ranks(lists: SourceRows) -> tuple[Array, Array]:
    """For each user whether the ranks are not 1 to n, each once; and whether they are 0 to n - 1 instead."""
    odd, from_zero = np.zeros(lists.n_users, dtype=np.bool_), np.zeros(lists.n_users, dtype=np.bool_)
    rank = lists.column("position")
    in_order = np.arange(1, len(rank) + 1) - lists.starts[lists.user]
    users = np.unique(lists.user[rank != in_order])
    if not len(users):
        return odd, from_zero
    mask = np.zeros(lists.n_users, dtype=np.bool_)
    mask[users] = True
    own = mask[lists.user]
    frame = (
        pl.DataFrame({"user": lists.user[own], "rank": rank[own]})
        .group_by("user")
        .agg(n=pl.len(), different=pl.col("rank").n_unique(), first=pl.col("rank").min(), last=pl.col("rank").max())
    )
    user, n, different, first, last = (frame[name].to_numpy() for name in ("user", "n", "different", "first", "last"))
    whole = (last - first + 1 == n) & (different == n)
    odd[user] = ~(whole & (first == 1))
    from_zero[user] = whole & (first == 0)
    return odd, from_zero


def _rising(lists: SourceRows) -> Array:
    """For each user whether the list has a row with more higher scores than ranks above it: scores then do not fall along the ranks.

    The first row must have the highest score; without it the same holds for the rest, and so on.
    """
    rising = np.zeros(lists.n_users, dtype=np.bool_)
    if "score" not in lists:
        return rising
    rank, score, user = lists.column("position"), lists.column("score"), lists.user
    doubtful = (user[1:] == user[:-1]) & ((rank[1:] <= rank[:-1]) | (score[1:] > score[:-1]))
    mask = np.zeros(lists.n_users, dtype=np.bool_)
    mask[user[1:][doubtful]] = True
    if not mask.any():
        return rising
    own = mask[user]
    rows = pl.DataFrame({"user": user[own], "rank": rank[own], "score": score[own]}).select(
        "user",
        by_score=pl.col("score").rank("min", descending=True).over("user"),
        by_rank=pl.col("rank").rank("min").over("user"),
    )
    rising[rows.filter(pl.col("by_score") > pl.col("by_rank"))["user"].to_numpy()] = True
    return rising
