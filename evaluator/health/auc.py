"""X15: lists that are too short for an AUC, which counts what is not listed as ranked last."""

from __future__ import annotations

import numpy as np

from ..metrics.definition import Definition
from .context import Context, Symptom
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Tally
from .wording import shared


def over_whole_lists(definition: Definition) -> bool:
    """Whether a measure compares relevant items with all candidates, listed or not: AUC, GAUC, and LAUC without a cut-off."""
    metric = definition.metric
    return metric.family == "auc" and definition.k is None and "catalogue" in metric.needs(definition.params)


@check("X15", uses=("n_candidates", "n_relevant"))
class CutListsInAuc(HealthCheck):
    """Lists with fewer items than the user has candidates, where a measure compares relevant items with all of these."""

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
        measures = [one for inner in context.definitions for one in inner.all if over_whole_lists(one)]
        by_chance = {one.label: _by_chance(share, one) for one in measures}
        values = ", ".join(f"{value:.2f} in {label}" for label, value in by_chance.items())
        held = f"on average {tally.count('listed') / total:,.0f} of {candidates / total:,.0f}"
        sentence = (
            f"{shared(n, total, 'lists')} leave out candidates, they hold {held}; what is not listed counts as ranked last: a random order "
            f"reaches about {values}, not 0.50."
        )
        details, examples = {"by_chance": by_chance}, tally.examples("user")
        return self.symptom(context, sentence, n, total, examples=examples, rows=tally.rows(), details=details)


def _by_chance(share: float, definition: Definition) -> float:
    """What an AUC is of random lists that hold a `share` of the candidates: a listed item has, on average, half of the list above it."""
    among_listed = 1 - share / 2
    return among_listed if definition.params.get("over") == "hits" else share * among_listed
