"""What a run of several models ends with: for every measure the best model, and which models cannot be told from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..results.result import Result
from ..results.wording import shortened
from ..stats.digits import decimals, plain
from ..stats.records import Difference
from ..stats.verdicts import corrected
from .differing import Differing
from .measures import all_named, margins_of, rows_of
from .questions import Questions
from .sides import Side

_FEW: Final = 10
"""With fewer users it is not said what they could show, which is nothing."""


class BesideBest(Struct, frozen=True):
    """By measure the model with the best value, and the differences of all others from it, corrected over all measures together."""

    best: Mapping[str, str]
    differences: Mapping[str, tuple[Difference, ...]]

    def alike(self) -> frozenset[tuple[str, str]]:
        """The best models, those with the same value, and those that cannot be told from them, as (model, measure)."""
        others = (
            (one.subject.model, measure) for measure, some in self.differences.items() for one in some if one.p is not None and not one.real
        )
        same = (
            (one.subject.model, measure)
            for measure, some in self.differences.items()
            for one in some
            if one.verdict == "identical" or one.difference == 0
        )
        return frozenset((*((model, measure) for measure, model in self.best.items()), *others, *same))

    def sentences(self) -> list[str]:
        """What is concluded of the first measure that users have values of, in one or two sentences; none without such a measure."""
        for measure, some in self.differences.items():
            if any(one.p is not None or one.verdict == "identical" for one in some):
                return list(_sentences(self.best[measure], measure, some))
        return []


def beside_best(result: Result, questions: Questions) -> BesideBest | None:
    """Compare the models of a result with the best one, for every measure that is judged and has a better direction.

    Users who count for both models are compared. `None` if there are not several models, or the values of users were not kept.
    """
    models = [model for model in result.models if model not in result.yardsticks]
    if len(models) < 2 or not all(model in result.per_user for model in models):
        return None
    asked = replace(questions, common=True, by=(), unpaired=False)
    rows = {model: rows_of(result, model) for model in models}
    first = rows[models[0]]
    labels = [label for label in first if first[label].higher_is_better is not None and all(label in one for one in rows.values())]
    judged = all_named(questions.measures, tuple(labels)) if questions.measures else tuple(labels)
    margins = margins_of(questions.margins, tuple(labels))
    best: dict[str, str] = {}
    made: list[Difference] = []
    of_pairs: dict[tuple[str, str], Differing] = {}
    for label in judged:
        values = {model: value for model in models if (value := rows[model][label].value) is not None}
        if not values:
            continue
        pick = max if first[label].higher_is_better else min
        best[label] = pick(values, key=values.__getitem__)
        for model in (model for model in models if model != best[label]):
            pair = (best[label], model)
            if pair not in of_pairs:
                of_pairs[pair] = Differing(Side(pair[0], result, pair[0]), Side(pair[1], result, pair[1]), asked)
            margin = margins[label].of(values[best[label]]) or None if label in margins else None
            made.append(of_pairs[pair].of(label, margin))
    by_measure: dict[str, list[Difference]] = {}
    for one in corrected(made, questions.settings):
        by_measure.setdefault(one.subject.measure, []).append(one)
    return BesideBest(best, {label: tuple(some) for label, some in by_measure.items()})


def _sentences(best: str, measure: str, differences: Sequence[Difference]) -> list[str]:
    told = [one for one in differences if one.real]
    same = [one for one in differences if one.verdict == "identical"]
    unknown = [one for one in differences if not one.real and one.verdict != "identical" and one.p is not None]
    sentences = []
    if told:
        nearest = min(told, key=lambda one: abs(one.difference or 0.0))
        sentences.append(f"{measure}: {best} is better than {shortened(one.subject.model for one in told)}{_by(nearest, len(told))}.")
    if unknown:
        nearest = max(unknown, key=lambda one: one.detectable or 0.0)
        start = f"{measure}: whether {best} is better than {shortened(one.subject.model for one in unknown)} cannot be told"
        few = nearest.detectable is None or nearest.n_users < _FEW
        size = "" if few or nearest.detectable is None else plain(nearest.detectable, _digits(nearest))
        seen = f": with {nearest.n_users:,} users a difference of {size} would be seen 4 times out of 5" if size else ""
        sentences.append(f"{start}{seen}.")
    if same and not sentences:
        sentences.append(f"{measure}: {best} and {shortened(one.subject.model for one in same)} are identical for every user.")
    return sentences


def _by(difference: Difference, n: int) -> str:
    """How much better, than the nearest of `n` models."""
    if difference.difference is None or difference.interval is None:
        return ""
    low, high = sorted(map(abs, difference.interval))
    digits = _digits(difference)
    interval = f"{100 * difference.level:g} % interval {plain(low, digits)} to {plain(high, digits)}"
    size = f"by {plain(abs(difference.difference), digits)} ({interval})"
    return f" {size}" if n == 1 else f"; than the nearest, {difference.subject.model}, {size}"


def _digits(difference: Difference) -> int | None:
    return None if difference.interval is None else decimals((difference.interval[1] - difference.interval[0]) / 2)
