"""Which values are marked: the best of each measure where that was tested, and otherwise the highest value printed, marked as untested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from ..document import SIGNS, Mark
from ..results.result import Result
from ..results.row import shortened
from ..stats.difference import Conclusion, Rival
from .values import Formats

Place = tuple[str, str]
"""A model and the label of a measure."""
_CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
_TESTS: Final = {
    "t": "paired t test",
    "permutation": "permutation test",
    "bootstrap": "bootstrap test",
    "bootstrap-t": "bootstrap t test",
    "wilcoxon": "Wilcoxon signed-rank test",
}
_UNPAIRED: Final = "Welch's t test"


class BestValues(Struct, frozen=True):
    """The values to mark: those `tested` to be the best, or not clearly different from it, and `untested` ones.

    A value is untested if it is the highest of a measure that was not tested, or if its model was not tested against the best one. A value
    is `apart`, and not marked, if it would be untested because its users are all others than those of the values it is compared with.
    """

    tested: frozenset[Place] = frozenset()
    untested: frozenset[Place] = frozenset()
    conclusions: tuple[Conclusion, ...] = ()
    apart: frozenset[Place] = frozenset()

    def marks(self) -> Mapping[Place, Mark]:
        """Return the mark of each of them."""
        untested: dict[Place, Mark] = dict.fromkeys(self.untested, "untested")
        return {**untested, **dict.fromkeys(self.tested, "best")}

    def legend(self, best: str = "Bold:") -> list[str]:
        """Return what the marks mean, those that there are; `best` is how a form shows tested values."""
        concluded = {one.measure: one for one in self.conclusions}
        tested = {label: one for label, one in concluded.items() if one.is_tested}
        lines = []
        if self.tested:
            has_margin = any(rival.margin is not None for one in tested.values() for rival in one.rivals)
            among = (
                ", equivalent to the best, or not clearly different from it" if has_margin else ", or not clearly different from the best"
            )
            lines.append(f"{best} best{among} ({how_concluded(next(iter(tested.values())), len(tested))}).")
        models = sorted({model for model, label in self.untested if label in tested})
        reasons: dict[str, list[str]] = {}
        places = {one.measure: place for place, one in enumerate(self.conclusions)}
        for _, label in sorted(self.untested, key=lambda pair: (places.get(pair[1], len(places)), pair)):
            if label not in tested:
                reasons.setdefault(_reason(concluded.get(label)), []).append(label)
        why = "; ".join(f"{shortened(dict.fromkeys(labels))}: {reason}" for reason, labels in reasons.items() if reason)
        if reasons:
            lines.append(
                f"{SIGNS['untested']} highest value printed, or lowest where lower is better; not tested{f' ({why})' if why else ''}."
            )
        lines += [f"{SIGNS['untested']} not tested against the best model: {shortened(models)}."] if models else []
        labels = dict.fromkeys(label for _, label in sorted(self.apart) if label not in tested)
        lines += [f"No mark in {shortened(labels)}: models have no user in common."] if labels else []
        models = sorted({model for model, label in self.apart if label in tested})
        has = "has" if len(models) == 1 else "have"
        return [*lines, *([f"No mark: {shortened(models)} {has} no user in common with the best model."] if models else [])]


def best_values(result: Result, formats: Formats) -> BestValues:
    """Return the values to mark in a table of a result, by its conclusions.

    Of a measure without a conclusion the highest value as printed is marked as untested, and all that are printed alike; none where all
    are. Yardsticks are not compared, nor are measures of which neither more nor less is better, or that have no format.
    """
    concluded = {one.measure: one for one in result.conclusions if one.is_tested}
    by_measure = {one.measure: one for one in result.conclusions}
    of_all = _without_common_users(result.conclusions)
    rivals = {model: rows for model, rows in result.by_model().items() if model not in result.yardsticks}
    tested: set[Place] = set()
    untested: set[Place] = set()
    apart: set[Place] = set()
    for label in (label for label in result.labels() if label in formats.places):
        one = concluded.get(label)
        if one is not None:
            others = {rival.model for rival in one.rivals if _has_other_users(rival)}
            tested |= {(model, label) for model in one.alike}
            untested |= {(model, label) for model in one.untested if model not in others}
            apart |= {(model, label) for model in one.untested if model in others}
            continue
        values = {model: rows[label].value for model, rows in rivals.items() if label in rows}
        marked = highest_printed(label, values, result.higher_is_better[label], formats)
        pairs = _without_common_users([by_measure[label]]) if label in by_measure else frozenset()
        known = [model for model, value in values.items() if value is not None]
        is_apart = any(frozenset((model, other)) in pairs | of_all for model, _ in marked for other in known)
        (apart if is_apart else untested).update(marked)
    return BestValues(frozenset(tested), frozenset(untested), result.conclusions, frozenset(apart))


def _has_other_users(rival: Rival) -> bool:
    """Return whether no user counts for both a model and the best one, although users count for each."""
    return bool(rival.n_unpaired) and not rival.n_users


def _without_common_users(conclusions: Sequence[Conclusion]) -> frozenset[frozenset[str]]:
    """Return the pairs of models that have no user in common in any of some measures."""
    found = [(frozenset((one.best or "", rival.model)), rival) for one in conclusions for rival in one.rivals]
    common = {pair for pair, rival in found if rival.n_users}
    return frozenset(pair for pair, rival in found if _has_other_users(rival) and pair not in common)


def highest_printed(label: str, values: Mapping[str, float | None], better: bool | None, formats: Formats, least: int = 2) -> set[Place]:
    """Return the models whose value of a measure is printed as the best one is.

    There are none if fewer than `least` values are printed differently, or if no direction is better.
    """
    known = {model: value for model, value in values.items() if value is not None}
    printed = {model: formats.text(label, value) for model, value in known.items()}
    if better is None or len(set(printed.values())) < least:
        return set()
    best = (max if better else min)(known, key=lambda model: known[model])
    return {(model, label) for model, text in printed.items() if text == printed[best]}


def corrected_text(correction: str, family: int) -> str:
    """Return how p values were corrected: `Holm over 12 comparisons`, or `not corrected`."""
    by = _CORRECTIONS.get(correction)
    return f"{by} over {family:,} comparison{'' if family == 1 else 's'}" if by else "not corrected"


def how_tested(test: str, correction: str, family: int, alpha: float, paired: bool = True) -> str:
    """Return the test, how p values were corrected, and the level."""
    return f"{_TESTS[test] if paired else _UNPAIRED}, {corrected_text(correction, family)}, {100 * alpha:g} %"


def how_concluded(one: Conclusion, n_measures: int = 1) -> str:
    """Return how the models of a measure were tested against the best one, and with how many measures p values were corrected."""
    corrected = corrected_text(one.correction, one.family)
    family = f"{corrected} in {n_measures:,} measures" if n_measures > 1 and one.correction != "none" else corrected
    return f"{_TESTS[one.test]}, {family}, {100 * (1 - one.level):g} %"


def _reason(conclusion: Conclusion | None) -> str:
    """Return why a measure was not tested; empty where that is not known."""
    if conclusion is None or not conclusion.rivals:
        return ""
    n_users = max(rival.n_users for rival in conclusion.rivals)
    if n_users:
        return "one user" if n_users == 1 else "no interval"
    return "no user in common" if any(rival.n_unpaired for rival in conclusion.rivals) else "no per-user values"
