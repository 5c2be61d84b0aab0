"""R04: tied scores in the lists of one model, and what they do to the values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from ..results.wording import shortened
from ..tables.array import Array
from ..tables.ties import TieRuns
from .context import Context, Symptom
from .lists import compared_scores
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Tally
from .wording import shared


@check("R04", uses=("repeating_users", "tie_runs"), wants=("tie_bounds",), policy="tie_order")
class TiedScores(HealthCheck):
    """Lists with tied scores as far down as a measure looks.

    Lists that repeat an item have no bounds, nor have measures for which ties change more than ranks; lists with more items than scores
    are counted all the same.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        repeating: Array = part.table("repeating_users")
        repeats_with_ties = _few_scores(part, repeating)
        runs: TieRuns = part.table("tie_runs", single=part.definition.lists.score_type == "float32")
        deepest = deepest_cutoff(part)
        within = np.ones(len(runs), dtype=np.bool_) if deepest is None else runs.first <= deepest
        crossing = np.zeros(len(runs), dtype=np.bool_)
        for k in part.cutoffs:
            crossing |= (runs.first <= k) & (runs.last > k)
        tied = repeats_with_ties.copy()
        tied[runs.user[within]] = True
        return Tally.of(
            lists=int(tied.sum()),
            repeating=int(repeats_with_ties.sum()),
            across=len(np.unique(runs.user[within & crossing])),
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
        note += "".join(f"; {labels} without exact bounds, since {reason}" for reason, labels in _by_reason(context.unbounded).items())
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


def _by_reason(unbounded: Mapping[str, str]) -> dict[str, str]:
    """The measures that have no bounds, for each reason."""
    labels: dict[str, list[str]] = {}
    for label, reason in unbounded.items():
        labels.setdefault(reason, []).append(label)
    return {reason: f"{shortened(of_one)} {'is' if len(of_one) == 1 else 'are'}" for reason, of_one in labels.items()}


def deepest_cutoff(examined: ExaminedPart | Context) -> int | None:
    """The rank down to which ties matter; `None`: all of them."""
    whole = any(definition.tied and definition.k is None for definition in examined.definitions)
    return None if whole or not examined.cutoffs else max(examined.cutoffs)


def _few_scores(part: ExaminedPart, repeating: Array) -> Array:
    """For each user whether the list repeats an item and has fewer scores than items."""
    tied = np.zeros_like(repeating)
    if repeating.any():
        own = repeating[part.lists.user]
        frame = pl.DataFrame({"user": part.lists.user, "item": part.lists.item, "score": compared_scores(part)}).filter(pl.Series(own))
        counts = frame.group_by("user").agg(items=pl.col("item").n_unique(), scores=pl.col("score").n_unique())
        tied[counts.filter(pl.col("scores") < pl.col("items"))["user"].to_numpy()] = True
    return tied
