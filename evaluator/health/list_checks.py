"""Checks of lists, R01, R03 to R06, R08 to R10 and X15: duplicates, odd ranks, lengths, ties, and lists that are equal, sampled or cut.

The file is long because what each check counts and what it says are beside each other, for every check of the rows of lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..checks.table import FILLERS
from ..conventions.axes import AXES
from ..metrics.definition import Definition
from ..results.catalogue_bounds import sentence_of
from ..results.list_lengths import LONGEST, SHORT_AT
from ..results.row import Candidates, shortened
from ..syntax.yaml_text import option
from ..tables.array import Array, in_single_precision
from ..tables.ids import distinct, gather
from ..tables.lists import ListRows
from ..tables.rows import Rows, SourceRows
from ..tables.tied_scores import TieRuns
from ..tables.truth import TruthTable
from .checker import Context, HealthCheck, Symptom, check, count_text, share_text
from .examined import ExaminedPart
from .tallies import DistinctIds, Least, Most, Sizes, Tally


@check("R01", uses=("rows_as_stored",), policy="duplicates")
class RepeatedItems(HealthCheck):
    """Rows that repeat an item of the user's list; on a page of several rows, of the same row of the page."""

    def tally(self, part: ExaminedPart) -> Tally:
        rows: ListRows = part.table("rows_as_stored")
        if not rows.repeats:
            return Tally()
        first, pair_of_row = distinct(rows.pairs)
        if "shelf" in rows.rows:
            cells = np.stack([pair_of_row, rows.rows.column("shelf").astype(np.int64)])
            first, pair_of_row = np.unique(cells, axis=1, return_index=True, return_inverse=True)[1:]
        again = np.bincount(pair_of_row)[pair_of_row] > 1
        users, repeated = len(np.unique(rows.user[again])), _filtered(part.lists, again)
        few = DistinctIds.from_ids(repeated["item"].unique().sort().head(2))  # enough to know whether it is always the same one
        return Tally.of(rows_again=len(rows.user) - len(first), users=users, few=few, **part.notes(repeated, "user", "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("rows_again"), context.counts.count("list_rows")
        users = count_text(tally.count("users"), "user")
        sentence = f"{share_text(n, total, 'rows')} repeat an item of the same list, for {users}."
        lists = context.sources.get("lists")
        if n and lists is not None and (column := lists.find_model_column()):
            example = f"where: \"{column} == 'NAME'\""
            sentence += f" If column {column!r} names several models, read the rows of each with a filter: {example}."
        if lists is not None and lists.n_files > 1:
            sentence += (
                f" The {lists.n_files:,} files are read as one model; the pattern of the files without a name makes a model of each."
            )
        advice = "" if self.id in context.refused else _how_repeats_count(context.definitions)
        items = [str(item) for item in tally["few"].ids] if n else []
        fills_up = len(items) == 1 and items[0] in FILLERS
        cures = [option(f"{lists.setting}.padding", items)] if fills_up and lists is not None else []
        advice = f"{advice or self.declared.advice}; or leave {items[0]} out, which may only fill lists up:" if cures else advice
        examples = tally.examples("user", "item")
        return self.symptom(context, sentence, n, total, examples=examples, rows=tally.rows(), advice=advice, cures=cures)


def _how_repeats_count(definitions: Sequence[Definition]) -> str:
    """Return advice on repeated items with what was done with them; empty if measures differ in it."""
    policies = {inner.lists.duplicates for definition in definitions for inner in definition.all if not inner.metric.as_delivered}
    if len(policies) != 1:
        return ""
    (policy,) = policies
    axis = AXES["duplicates"]
    return f"list each item once; {axis.decides} {axis.meanings[policy]} (evaluation.policy.duplicates: {policy})"


@check("R03")
class OddRanks(HealthCheck):
    """Lists whose ranks are not 1 to n, each once, or contradict the scores."""

    def tally(self, part: ExaminedPart) -> Tally:
        lists = part.lists
        odd, from_zero = _odd_ranks(lists)
        rising = _rising(lists)
        users = odd | rising
        rows = part.stored_rows(_filtered(lists, users[lists.user])) if users.any() else {}
        numbers = {"odd": int(odd.sum()), "from_zero": int(from_zero.sum()), "rising": int(rising.sum()), "users": int(users.sum())}
        return Tally.of(**numbers, **{**part.users(users), **rows})

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n_lists, n_odd, n_rising = context.n_lists, tally.count("odd"), tally.count("rising")
        if n_odd == tally.count("from_zero") == n_lists and not n_rising:
            return self.symptom(context, "All ranks count from 0, not from 1; only their order matters.", n_odd, n_lists, severity="info")
        sentences = [f"{share_text(n_odd, n_lists, 'lists')} have ranks that are not 1 to n, each once"] if n_odd else []
        sentences += [f"{share_text(n_rising, n_lists, 'lists')} have ranks that contradict the scores"] if n_rising else []
        sentence = "; ".join(sentences) + "."
        return self.symptom(context, sentence, tally.count("users"), n_lists, examples=tally.examples("user"), rows=tally.rows())


@check("R05")
class ShortLists(HealthCheck):
    """Lists that are shorter than the largest cut-off."""

    def tally(self, part: ExaminedPart) -> Tally:
        lengths = part.lists.counts
        listed = lengths > 0
        below = {f"below_{k}": int((listed & (lengths < k)).sum()) for k in part.cutoffs}
        longest = Most(int(lengths.max(initial=0)))
        return Tally.of(**below, longest=longest, **part.users(listed & (lengths < max(part.cutoffs)), n_recommended=lengths))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        most, *_ = cutoffs = sorted(context.cutoffs, reverse=True)
        n = tally.count(f"below_{most}")
        below = {k: n_below for k in cutoffs if (n_below := tally.count(f"below_{k}"))}
        parts = [f"{n_below:,} {'are shorter ' if k == most else ''}than {k}" for k, n_below in below.items()]
        each = f" ({', '.join(parts)})" if len(below) > 1 else ""
        sentence = f"{share_text(n, context.n_lists, 'lists')} are shorter than the largest cut-off, {most}{each}."
        mostly = sorted(k for k, n_below in below.items() if 2 * n_below > context.n_lists)
        details = {SHORT_AT: mostly, LONGEST: int(tally["longest"].value)} if mostly else {}
        return self.symptom(context, sentence, n, context.n_lists, examples=tally.examples("user"), rows=tally.rows(), details=details)


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
        longer = f"{share_text(n, context.n_lists, 'lists')} are longer than the largest cut-off, {max(context.cutoffs)}"
        sentence = f"{longer}; the longest has {count_text(int(tally['longest'].value), 'row')}."
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
        return Tally.of(lists=len(constant), **{**part.users(constant), **part.stored_rows(_filtered(lists, mask[lists.user]))})

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n = tally.count("lists")
        sentence = f"{share_text(n, context.n_lists, 'lists')} have the same score in every row."
        return self.symptom(context, sentence, n, context.n_lists, examples=tally.examples("user"), rows=tally.rows())


def compared_scores(part: ExaminedPart) -> Array:
    """Return the scores of the lists, in single precision if a measure compares them so."""
    score = part.lists.column("score")
    single = any(inner.lists.score_type == "float32" for definition in part.definitions for inner in definition.all)
    return in_single_precision(score) if single else score


def _filtered(rows: SourceRows, mask: Array) -> pl.DataFrame:
    return rows.frame.filter(pl.Series(mask))


def _odd_ranks(lists: SourceRows) -> tuple[Array, Array]:
    """Return two masks of users: ranks are not 1 to n, each once; and they are 0 to n - 1 instead."""
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
    """Return a mask of users whose scores do not fall along the ranks: a row has more higher scores than ranks above it.

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


_FEW_ITEMS: Final = 20
"""Lists shorter than this are not reported as sampled candidates."""


class Signatures(Struct, frozen=True, eq=False):
    """Users with a list, the lengths of their lists, and a sum of item hashes that is equal for lists of the same items.

    Two lists of different items have the same 64-bit sum only by a rare accident.
    """

    users: tuple[pl.Series, ...]
    lengths: tuple[Array, ...]
    sums: tuple[Array, ...]

    def __add__(self, other: Signatures) -> Signatures:
        return Signatures(self.users + other.users, self.lengths + other.lengths, self.sums + other.sums)

    def frame(self) -> pl.DataFrame:
        """Return `user n_recommended sum`."""
        return pl.DataFrame(
            {"user": pl.concat(self.users), "n_recommended": np.concatenate(self.lengths), "sum": np.concatenate(self.sums)}
        )


@check("R08", uses=("list_sums",))
class SameLists(HealthCheck):
    """Users whose lists have the same items."""

    def tally(self, part: ExaminedPart) -> Tally:
        listed = np.flatnonzero(part.lists.counts)
        if not len(listed):
            return Tally()
        return Tally.of(lists=Signatures((gather(part.data.users, listed),), (part.lists.counts[listed],), (part.table("list_sums"),)))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        if "lists" not in tally:
            return []
        sums = pl.Series(np.concatenate(tally["lists"].sums))
        if sums.n_unique() == len(sums):
            return []
        lists = tally["lists"].frame()
        groups = lists.group_by("n_recommended", "sum").agg(users=pl.len())
        most = int(groups["users"].to_numpy().max())
        if most < 2:
            return []
        largest = groups.filter(pl.col("users") == most)
        same = lists.join(largest, on=["n_recommended", "sum"], how="semi").select("user", "n_recommended").sort("user")
        examples = [f"user {user}" for user in same["user"].head(5)]
        sentence = f"{share_text(most, context.n_lists, 'users')} have the same items in their list."
        return self.symptom(context, sentence, most, context.n_lists, examples=examples, rows=same)


@check("R10", uses=("rows_as_stored", "stored_hits", "truth_table", "hits", "list_sums"))
class SampledCandidates(HealthCheck):
    """Lists of which nearly all have one size, in items or in rows, with nearly every relevant item inside.

    Negatives that are drawn with repeats give lists of one number of rows; a list whose rows are doubled has the usual number of items.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        lengths = _distinct_items(part)
        listed = lengths > 0
        if not listed.any():
            return Tally()
        sizes = {"n_items": Sizes.from_lengths(lengths), "n_rows": Sizes.from_lengths(part.lists.counts)}
        if max(sizes["n_rows"].n_lists) < _FEW_ITEMS:
            return Tally.of(**sizes)
        truth: TruthTable = part.table("truth_table")
        inside = np.zeros(len(truth.pairs), dtype=np.bool_)
        inside[part.table("stored_hits")[1]] = True
        hits: Rows = part.table("hits")
        numbers = {"inside": inside, "relevant": truth.relevant & listed[truth.pairs.user]}
        for name, is_high in (("near", hits["rank"] <= max(part.cutoffs, default=0)), ("first", hits["rank"] <= hits["n_relevant"])):
            numbers[name] = np.zeros(len(truth.pairs), dtype=np.bool_)  # of an item that is listed twice one hit counts
            numbers[name][hits["pair"][is_high]] = True
        sums = part.table("list_sums")
        return Tally.of(
            **sizes,
            least=Least(int(sums.min())),
            most=Most(int(sums.max())),
            **{name: int(mask.sum()) for name, mask in numbers.items()},
            **part.users(listed, n_recommended=lengths),
        )

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        found = self._candidates(tally, context)
        if found is None:
            return []
        (sizes, unit), n = _most_uniform(tally), context.n_lists
        n_usual = sizes.n_usual
        lists = "All lists" if n_usual == n else share_text(n_usual, n, "lists")
        held = share_text(tally.count("inside"), tally.count("relevant"), "relevant items")
        sentence = f"{lists} have {found.per_user:,} {unit}, and {held} are in them: they look like sampled candidates."
        bounds = "" if context.catalogue is None else sentence_of(context.catalogue)
        sentence = " ".join(filter(None, (sentence + _order_of_candidates(tally, context), bounds)))
        advice = self.declared.advice if context.catalogue is not None else f"{self.declared.advice}; {_bounding(sizes.usual, context)}"
        return self.symptom(context, sentence, n, n, examples=tally.examples("user"), rows=tally.rows(), advice=advice)

    def candidates(self, tally: Tally, context: Context) -> Candidates | None:
        """Return the candidates that the lists look like, whatever the severity of the check; `None` if they do not.

        Lists that all have the same items rank a catalogue, not a sample per user: their values can be compared with others.
        """
        found = self._candidates(tally, context)
        return found if found is not None and tally["least"].value != tally["most"].value else None

    def _candidates(self, tally: Tally, context: Context) -> Candidates | None:
        inside, relevant, limit = tally.count("inside"), tally.count("relevant"), context.limit(self.id, "min_inside")
        if not relevant or inside < limit * relevant:
            return None
        (sizes, _), prepared = _most_uniform(tally), context.prepared
        if sizes.usual < _FEW_ITEMS or sizes.n_usual < limit * context.n_lists:
            return None
        if "catalogue" in context.available and 2 * tally["n_items"].usual > int((prepared.in_train | prepared.in_catalogue).sum()):
            return None  # the lists hold most of the catalogue
        return Candidates(sizes.usual, inside / relevant)


def _bounding(size: int, context: Context) -> str:
    """Return which key of the config bounds the values over the whole catalogue."""
    known = "catalogue" in context.available
    catalogue = int((context.prepared.in_train | context.prepared.in_catalogue).sum()) if known else "ITEMS"
    return f"for bounds over the whole catalogue set evaluation.candidates: {{sampled: {size - 1}, catalogue: {catalogue}}}"


def _most_uniform(tally: Tally) -> tuple[Sizes, str]:
    """Return the sizes of the lists in items, or in rows if more lists have the same number of rows, with the unit."""
    items, rows = tally["n_items"], tally["n_rows"]
    return (rows, "rows") if rows.n_usual > items.n_usual else (items, "items")


def _distinct_items(part: ExaminedPart) -> Array:
    """Return the number of distinct items in the list of each user."""
    rows: ListRows = part.table("rows_as_stored")
    return np.bincount(rows.user[distinct(rows.pairs)[0]], minlength=part.lists.n_users) if rows.repeats else part.lists.counts


def _order_of_candidates(tally: Tally, context: Context) -> str:
    """Return sentences on relevant items that are not candidates, and on their ranks beside those in a random order."""
    inside, outside, k = tally.count("inside"), tally.count("relevant") - tally.count("inside"), max(context.cutoffs, default=0)
    sentences = f" The other {count_text(outside, 'relevant item')} cannot be hits." if outside else ""
    if tally.count("first") == inside >= _FEW_ITEMS:
        return f"{sentences} All of these items are first in their list: the file may contain candidates or labels, not a model."
    share = k / _most_uniform(tally)[0].usual
    if 0 < share < 1:
        near = 100 * tally.count("near") / inside
        sentences += f" {near:.1f} % of these items are in the first {k:,} rows; in random order it is {100 * share:.1f} %."
        if tally.count("near") + 3 * math.sqrt(inside * share * (1 - share)) < inside * share:
            sentences += " This is worse than random: check the sign of the scores and the order of the rows."
    return sentences


def over_whole_lists(definition: Definition) -> bool:
    """Return whether a measure compares relevant items with all candidates, listed or not: AUC, GAUC, and LAUC without a cut-off."""
    metric = definition.metric
    return metric.family == "auc" and definition.k is None and "catalogue" in definition.own_needs


@check("X15", uses=("n_candidates", "n_relevant"))
class CutListsInAuc(HealthCheck):
    """Lists with fewer items than the user has candidates, if a measure compares relevant items with all of these."""

    def tally(self, part: ExaminedPart) -> Tally:
        relevant = np.asarray(part.table("n_relevant"))
        candidates = np.asarray(part.table("n_candidates")) + relevant
        length = np.minimum(part.lists.counts, candidates)
        judged = (length > 0) & (relevant > 0)
        cut = judged & (length < part.setting.limit("min_listed") * candidates)
        return Tally.of(
            judged=int(judged.sum()),
            cut=int(cut.sum()),
            listed=int(length[judged].sum()),
            candidates=int(candidates[judged].sum()),
            **part.users(cut, n_recommended=part.lists.counts, n_candidates=candidates),
        )

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total, candidates = tally.count("cut"), tally.count("judged"), tally.count("candidates")
        if not n:
            return []
        share = tally.count("listed") / candidates
        measures = [part for inner in context.definitions for part in inner.all if over_whole_lists(part)]
        by_chance = {measure.label: _by_chance(share, measure) for measure in measures}
        values = ", ".join(f"{value:.2f} in {label}" for label, value in by_chance.items())
        held = f"on average {tally.count('listed') / total:,.0f} of {candidates / total:,.0f}"
        sentence = (
            f"{share_text(n, total, 'lists')} leave out candidates: they contain {held}; the others count as last, so a random order "
            f"reaches about {values}, not 0.50."
        )
        details, examples = {"by_chance": by_chance}, tally.examples("user")
        return self.symptom(context, sentence, n, total, examples=examples, rows=tally.rows(), details=details)


def _by_chance(share: float, definition: Definition) -> float:
    """Return the AUC of random lists with a `share` of the candidates: a listed item has, on average, half of the list above it."""
    among_listed = 1 - share / 2
    return among_listed if definition.params.get("over") == "hits" else share * among_listed


@check("R04", uses=("tie_runs",), wants=("tie_bounds",), policy="tie_order")
class TiedScores(HealthCheck):
    """Lists with tied scores within the ranks that a measure reads.

    There are no bounds for measures for which ties change more than ranks, as in some lists that repeat an item.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        runs: TieRuns = part.table("tie_runs", single=part.definition.lists.score_type == "float32")
        deepest = deepest_cutoff(part)
        within = np.ones(len(runs), dtype=np.bool_) if deepest is None else runs.first <= deepest
        crossing = np.zeros(len(runs), dtype=np.bool_)
        for k in part.cutoffs:
            crossing |= (runs.first <= k) & (runs.last > k)
        tied = np.zeros(part.lists.n_users, dtype=np.bool_)
        tied[runs.user[within]] = True
        return Tally.of(
            lists=int(tied.sum()),
            across=len(np.unique(runs.user[within & crossing])),
            **part.users(tied),
        )

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, n_across = tally.count("lists"), tally.count("across")
        if not n:
            return []
        width = context.limit(self.id, "width")
        wide = {label: dict(ends) for label, ends in context.bounds.items() if ends["most"] - ends["least"] > width}
        ordered = "ranks" in context.available and context.definitions[0].lists.order == "rank"
        deepest = deepest_cutoff(context)
        note = f" in the first {deepest:,} ranks" if deepest else ""
        note += f", {n_across:,} of them across a cut-off" if n_across else ""
        note += "; their ranks put them in an order" if ordered else ""
        note += "".join(f"; {labels} without exact bounds, because {reason}" for reason, labels in _by_reason(context.unbounded).items())
        return self.symptom(
            context,
            f"{share_text(n, context.n_lists, 'lists')} have tied scores{note}.",
            n,
            context.n_lists,
            examples=tally.examples("user"),
            rows=tally.rows(),
            severity="info" if context.bounds and not wide else None,  # ties that do not change a value are harmless
            unlimited=bool(wide),
            refusable=not ordered,
            details={"across": n_across, **({"bounds": wide} if wide else {})},
        )


def _by_reason(unbounded: Mapping[str, str]) -> dict[str, str]:
    """Return the measures that have no bounds, in words, for each reason."""
    labels: dict[str, list[str]] = {}
    for label, reason in unbounded.items():
        labels.setdefault(reason, []).append(label)
    return {reason: f"{shortened(of_one)} {'is' if len(of_one) == 1 else 'are'}" for reason, of_one in labels.items()}


def deepest_cutoff(examined: ExaminedPart | Context) -> int | None:
    """Return the last rank at which ties matter; `None`: all ranks."""
    whole = any(definition.has_tie_bounds and definition.k is None for definition in examined.definitions)
    return None if whole or not examined.cutoffs else max(examined.cutoffs)
