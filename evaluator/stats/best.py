"""The best model and the models it beats: several measures of several models → a `Conclusion` each, corrected over all pairs of models.

The best model is picked from the data, and every pair could have been the one that is reported: all pairs of all measures are one family.
Tukey's range by randomisation (Carterette, 2012; Sakai, 2018) is no more powerful, and is wrong if some models are more alike than others:
of nine variants of a model and one other, all equally good, it calls one worse in 23 % of draws at a level of 5 %; Holm over pairs stays at
2 %.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike

from .concluding import judge_family, usual_test
from .confidence import Confidence
from .difference import PLAIN, Conclusion, Difference, Rival, Settings, Subject
from .estimates import SKEWED, Estimate
from .rare_changes import ValueRange, guard_if_rare
from .two_models import difference_of, estimate_paired

Pair = tuple[str, str]
"""Base and model of a comparison, in the order of the models."""
MOST_VALUES: Final = 5_000_000
"""Maximal number of per-user values to compare for pairs without the best model, which only sharpen the correction: half a second."""
_LEAST_VALUES: Final = 5_000
"""A comparison of fewer users takes as long as one of this many."""


class ModelValues(Struct, frozen=True, eq=False):
    """One measure of several models: the value and the number of users of each, and a function that compares two models.

    `values` are over the own `users` of each model. `estimate` compares a pair of models on the users that count for both, `margin` is the
    margin of a pair. `value_range` returns the lowest and the highest value of a user (see `difference_of`).
    """

    measure: str
    values: Mapping[str, float]
    users: Mapping[str, int]
    estimate: Callable[[Pair], Estimate]
    higher_is_better: bool = True
    margin: Callable[[Pair], float | None] = lambda _: None
    value_range: Callable[[Pair], ValueRange | None] = lambda _: None
    k: int | None = None
    aggregate: str = "mean"


class _Measure:
    """Comparisons of one measure, each computed once."""

    def __init__(self, of: ModelValues, settings: Settings) -> None:
        self.of, self.settings, self.models = of, settings, tuple(of.values)
        self._order = {model: place for place, model in enumerate(self.models)}
        self.estimates: dict[Pair, Estimate] = {}
        self.best = self._best()

    def pair(self, one: str, other: str) -> Pair:
        """Return the two models in their order."""
        return (one, other) if self._order[one] < self._order[other] else (other, one)

    def estimate(self, pair: Pair) -> Estimate:
        """Return the difference of a pair with its error."""
        if pair not in self.estimates:
            self.estimates[pair] = self.of.estimate(pair)
        return self.estimates[pair]

    def confidence(self, pair: Pair) -> Confidence | None:
        """Return the confidence of the difference of a pair, which counts rare large changes if there may be such."""
        return guard_if_rare(self.estimate(pair), self.of.value_range(pair)).confidence

    def differences(self) -> list[Difference]:
        """Return the differences of the pairs that were compared, in order, without verdicts."""
        subject = Subject(self.of.measure, "", "", self.of.higher_is_better, self.of.k, self.of.aggregate)
        pairs = sorted(self.estimates, key=lambda pair: [self._order[model] for model in pair])
        subjects = (replace(subject, base=base, model=model) for base, model in pairs)
        return [self._difference(of_pair, pair) for of_pair, pair in zip(subjects, pairs, strict=True)]

    def _difference(self, subject: Subject, pair: Pair) -> Difference:
        margin = self.of.margin(pair)
        return difference_of(subject, self.estimates[pair], self.settings, margin, self.of.value_range(pair))

    def leads(self, one: str, other: str) -> bool:
        """Return whether `one` has the better value on the users that count for both; if there are none, over its own users."""
        base, model = pair = self.pair(one, other)
        difference = self.estimate(pair).difference
        size = self.of.values[model] - self.of.values[base] if difference is None else difference
        return size != 0 and (size > 0) == ((model == one) == self.of.higher_is_better)

    def _best(self) -> str | None:
        """Return the model that no other leads, searched in the order of values; `None` if each is led by another.

        The latter can happen because every pair shares other users.
        """
        in_order = sorted(self.models, key=self.of.values.__getitem__, reverse=self.of.higher_is_better)
        unled = (model for model in in_order if not any(self.leads(other, model) for other in in_order if other != model))
        return next(unled, None)


def conclude(measures: Sequence[ModelValues], settings: Settings) -> tuple[Conclusion, ...]:
    """Return the best model of each measure, and the models that it beats.

    The best model is the one that no other leads on the users that count for both. Differences between all pairs of models of all measures
    are corrected together. With many models only those with the best one are computed; the others count as not shown, which keeps the
    level. The interval of a lead is corrected for all pairs of its measure (Bonferroni), so that it holds whichever pair was picked; it
    ends at 0 if a difference is shown.
    """
    compared = [_Measure(measure, settings) for measure in measures if len(measure.values) > 1]
    n_pairs = [len(measure.models) * (len(measure.models) - 1) // 2 for measure in compared]
    for measure, n in zip(compared, n_pairs, strict=True):
        if _is_affordable(measure, sum(n_pairs), n):
            for pair in combinations(measure.models, 2):
                measure.estimate(pair)
    differences = [measure.differences() for measure in compared]
    n_tested = [_tested(some, n) for some, n in zip(differences, n_pairs, strict=True)]
    family = iter(judge_family([difference for some in differences for difference in some], settings, sum(n_tested)))
    return tuple(
        _conclusion(measure, {(d.subject.base, d.subject.model): d for d in (next(family) for _ in some)}, n)
        for measure, some, n in zip(compared, differences, n_pairs, strict=True)
    )


def conclude_values(
    values: Mapping[str, Mapping[str, ArrayLike]],
    settings: Settings | None = None,
    *,
    higher_is_better: Mapping[str, bool] | None = None,
    margins: Mapping[str, float] | None = None,
    value_range: ValueRange | None = None,
) -> tuple[Conclusion, ...]:
    """Conclude from per-user values: measure → model → one value per user, in the same order for all models, NaN for a missing value.

    Higher is better unless `higher_is_better` says otherwise for a measure. `margins` has the margins of measures that have one,
    `value_range` the lowest and the highest value of a user.
    """
    used_settings = settings or Settings()
    measures = []
    for measure, by_model in values.items():
        arrays = {model: np.asarray(array, dtype=np.float64) for model, array in by_model.items()}
        counted = {model: int(np.isfinite(array).sum()) for model, array in arrays.items()}
        arrays = {model: array for model, array in arrays.items() if counted[model]}

        def estimate(pair: Pair, arrays: Mapping[str, ArrayLike] = arrays) -> Estimate:
            return estimate_paired(arrays[pair[0]], arrays[pair[1]], used_settings)

        def margin(_: Pair, size: float | None = (margins or {}).get(measure)) -> float | None:
            return size

        means = {model: float(np.mean(array[np.isfinite(array)])) for model, array in arrays.items()}
        better = (higher_is_better or {}).get(measure, True)
        measures.append(ModelValues(measure, means, counted, estimate, better, margin, lambda _: value_range))
    return conclude(measures, used_settings)


def _is_affordable(measure: _Measure, of_all: int, of_measure: int) -> bool:
    """Return whether to compare pairs without the best model as well: they are at most as many as those with it, or quick."""
    is_quick = measure.settings.test in ("t", PLAIN, "wilcoxon") and of_all * max(_LEAST_VALUES, *measure.of.users.values()) <= MOST_VALUES
    return is_quick or of_measure <= 2 * (len(measure.models) - 1)


def _tested(differences: Sequence[Difference], n_pairs: int) -> int:
    """Return the number of pairs of a measure in the family: all except those that cannot be tested; 0 for a measure without a test."""
    untested = sum(difference.p is None for difference in differences)
    return n_pairs - untested if untested < len(differences) else 0


def _conclusion(measure: _Measure, differences: Mapping[Pair, Difference], n_pairs: int) -> Conclusion:
    settings, best = measure.settings, measure.best
    rivals = [] if best is None else [_rival(measure, best, other, differences, n_pairs) for other in measure.models if other != best]
    tested = next((difference for difference in differences.values() if difference.p is not None), None)
    return Conclusion(
        measure=measure.of.measure,
        models=measure.models,
        best=best,
        rivals=tuple(rivals),
        users={model: measure.of.users[model] for model in measure.models},
        level=settings.level,
        test=usual_test((difference for difference in differences.values() if difference.p is not None), settings),
        correction=settings.correction,
        family=(tested and tested.family) or 0,
        n_pairs=n_pairs,
        shown=()
        if best is not None
        else tuple(pair if of.verdict == "worse" else (pair[1], pair[0]) for pair, of in differences.items() if of.real),
        notes=(SKEWED,) if any(best in pair and SKEWED in of.notes for pair, of in differences.items()) else (),
    )


def _rival(measure: _Measure, best: str, other: str, differences: Mapping[Pair, Difference], n_pairs: int) -> Rival:
    pair = measure.pair(best, other)
    difference, confidence, turned = differences[pair], measure.confidence(pair), pair[0] == best
    values = (difference.base_value, difference.value)
    interval = None
    if confidence is not None and difference.p is not None:
        share = (1 - measure.settings.level) / 2 / n_pairs
        interval = _turned((confidence.at(share), confidence.at(1 - share)), turned)
        interval = _on_its_side(interval, difference, turned) if difference.real else interval
    verdict = {"worse": "better", "better": "better"}.get(difference.verdict or "", difference.verdict)
    return Rival(
        model=other,
        verdict=verdict,  # type: ignore[arg-type]
        n_users=difference.n_users,
        n_unpaired=difference.n_unpaired,
        best_value=values[0] if turned else values[1],
        value=values[1] if turned else values[0],
        difference=None if difference.difference is None else (0.0 - difference.difference if turned else difference.difference),
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        p=difference.p,
        p_adjusted=difference.p_adjusted,
        p_equivalent_adjusted=difference.p_equivalent_adjusted,
        margin=difference.margin,
        detectable=difference.detectable,
    )


def _turned(interval: tuple[float, float], turned: bool) -> tuple[float, float]:
    return (0.0 - interval[1], 0.0 - interval[0]) if turned else interval


def _on_its_side(interval: tuple[float, float], difference: Difference, turned: bool) -> tuple[float, float]:
    """Return the interval, cut at 0 if the step-down correction shows a sign that the interval alone leaves open."""
    is_above = ((difference.difference or 0.0) > 0) != turned
    return (max(interval[0], 0.0), interval[1]) if is_above else (interval[0], min(interval[1], 0.0))
