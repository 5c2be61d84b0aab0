"""Choose the values to mark: the best of each measure if tested, otherwise the highest printed value, marked as untested."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ..results.candidates import largest_group
from ..results.result import Result
from ..results.row import shortened
from ..stats.difference import Conclusion, Rival
from .document import SIGNS, Mark
from .methods import method_names
from .values import Formats

Place = tuple[str, str]
"""A model and the label of a measure."""
_CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}


class BestValues(Struct, frozen=True):
    """The values to mark: `tested` ones (the best, or not clearly different from it), and `untested` ones.

    A value is untested if it is the highest of a measure that was not tested, or if its model was not tested against the best one. A value
    is `apart`, and not marked, if it was not tested because its model has no user in common with those it is compared with. The values of
    `others` are not marked because these models rank other candidates.
    """

    tested: frozenset[Place] = frozenset()
    untested: frozenset[Place] = frozenset()
    conclusions: tuple[Conclusion, ...] = ()
    apart: frozenset[Place] = frozenset()
    others: tuple[str, ...] = ()

    def marks(self) -> Mapping[Place, Mark]:
        """Return the mark of each value."""
        untested: dict[Place, Mark] = dict.fromkeys(self.untested, "untested")
        return {**untested, **dict.fromkeys(self.tested, "best")}

    def legend(self, best: str = "Bold:") -> list[str]:
        """Return the meanings of the marks that occur; `best` is how a form shows tested values."""
        concluded = {conclusion.measure: conclusion for conclusion in self.conclusions}
        tested = {label: conclusion for label, conclusion in concluded.items() if conclusion.is_tested}
        lines = []
        if self.tested:
            has_margin = any(rival.margin is not None for conclusion in tested.values() for rival in conclusion.rivals)
            alike = "equivalent to the best or not clearly different from it" if has_margin else "not clearly different from the best"
            several = f"; several in a measure: {alike}" if len({label for _, label in self.tested}) < len(self.tested) else ""
            lines.append(f"{best} best{several} ({how_concluded(tuple(tested.values()), counts=False)}).")
        models = sorted({model for model, label in self.untested if label in tested})
        reasons: dict[str, list[str]] = {}
        for label in _in_order(label for _, label in self.untested):
            if label not in tested:
                reasons.setdefault(_reason(concluded.get(label)), []).append(label)
        why = "; ".join(f"{shortened(dict.fromkeys(labels))}: {reason}" for reason, labels in reasons.items() if reason)
        if reasons:
            lines.append(f"{SIGNS['untested']} best value printed, not tested{f' ({why})' if why else ''}.")
        lines += [f"{SIGNS['untested']} not tested against the best model: {shortened(models)}."] if models else []
        apart = dict.fromkeys(_in_order(label for _, label in self.apart if label not in tested))
        lines += [f"No mark in {shortened(apart)}: models have no user in common."] if apart else []
        models = sorted({model for model, label in self.apart if label in tested})
        has = "has" if len(models) == 1 else "have"
        lines += [f"No mark: {shortened(models)} {has} no user in common with the best model."] if models else []
        return [*lines, *([f"No mark: {self.about_others}."] if self.others else [])]

    @property
    def about_others(self) -> str:
        """Why the values of `others` are not marked."""
        if not self.tested and not self.untested:
            return "the lists of the models look like different candidates, so their values are not compared"
        return f"the lists of {shortened(self.others)} look like other candidates than those of the marked models"


def best_values(result: Result, formats: Formats) -> BestValues:
    """Return the values to mark in a table of a result, by its conclusions.

    For a measure without a conclusion, the highest printed value and all equal ones are marked as untested, unless all are equal. Reference
    lists are not compared, nor are measures without a better direction or without a format, nor models that rank other candidates than
    the largest group of models.
    """
    group = frozenset(largest_group(result))
    concluded = {conclusion.measure: conclusion for conclusion in result.conclusions if conclusion.is_tested}
    by_measure = {conclusion.measure: conclusion for conclusion in result.conclusions}
    of_all = _without_common_users(result.conclusions)
    rivals = {model: rows for model, rows in result.by_model().items() if model in group}
    tested: set[Place] = set()
    untested: set[Place] = set()
    apart: set[Place] = set()
    for label in (label for label in result.labels() if label in formats.places):
        conclusion = concluded.get(label)
        if conclusion is not None:
            others = {rival.model for rival in conclusion.rivals if _has_other_users(rival)}
            tested |= {(model, label) for model in conclusion.alike}
            untested |= {(model, label) for model in conclusion.untested if model not in others}
            apart |= {(model, label) for model in conclusion.untested if model in others}
            continue
        values = {model: rows[label].value for model, rows in rivals.items() if label in rows}
        marked = highest_printed(label, values, result.higher_is_better[label], formats)
        pairs = _without_common_users([by_measure[label]]) if label in by_measure else frozenset()
        known = [model for model, value in values.items() if value is not None]
        is_apart = any(frozenset((model, other)) in pairs | of_all for model, _ in marked for other in known)
        (apart if is_apart else untested).update(marked)
    left_out = tuple(model for model in result.models if model not in group and model not in result.yardsticks)
    return BestValues(frozenset(tested), frozenset(untested), result.conclusions, frozenset(apart), left_out)


def _has_other_users(rival: Rival) -> bool:
    """Return whether no user counts for both a model and the best one, although users count for each."""
    return bool(rival.n_unpaired) and not rival.n_users


def _without_common_users(conclusions: Sequence[Conclusion]) -> frozenset[frozenset[str]]:
    """Return the pairs of models that have no user in common in any of some measures."""
    found = [(frozenset((conclusion.best or "", rival.model)), rival) for conclusion in conclusions for rival in conclusion.rivals]
    common = {pair for pair, rival in found if rival.n_users}
    return frozenset(pair for pair, rival in found if _has_other_users(rival) and pair not in common)


def highest_printed(label: str, values: Mapping[str, float | None], better: bool | None, formats: Formats, least: int = 2) -> set[Place]:
    """Return the models whose printed value of a measure equals the best one.

    Empty if fewer than `least` printed values differ, or if no direction is better.
    """
    known = {model: value for model, value in values.items() if value is not None}
    printed = {model: formats.text(label, value) for model, value in known.items()}
    if better is None or len(set(printed.values())) < least:
        return set()
    best = (max if better else min)(known, key=lambda model: known[model])
    return {(model, label) for model, text in printed.items() if text == printed[best]}


def corrected_text(correction: str, family: int) -> str:
    """Return the correction of p values: `Holm over 12 comparisons`, or `not corrected`."""
    by = _CORRECTIONS.get(correction)
    return f"{by} over {family:,} comparison{'' if family == 1 else 's'}" if by else "not corrected"


def how_tested(methods: str, correction: str, family: int, alpha: float) -> str:
    """Return the methods, the correction of p values, and the level."""
    return _with_correction(methods, corrected_text(correction, family), alpha)


def how_concluded(tested: Sequence[Conclusion], *, counts: bool = True) -> str:
    """Return the methods that compare models with the best one, and the correction, with the number of comparisons if it `counts`."""
    conclusion = tested[0]
    corrected = (
        corrected_text(conclusion.correction, conclusion.family) if counts else _CORRECTIONS.get(conclusion.correction, "not corrected")
    )
    return _with_correction(method_names({of.measure: of.test for of in tested}), corrected, 1 - conclusion.level)


def _with_correction(methods: str, corrected: str, alpha: float) -> str:
    """Return methods, correction and level; several methods, which have semicolons between them, end with one."""
    return f"{methods}{'; ' if '; ' in methods else ', '}{corrected}, {100 * alpha:g} %"


def _in_order(labels: Iterable[str]) -> list[str]:
    """Return labels in the order of their metrics and cut-offs, in which @5 comes before @10."""
    return sorted(labels, key=lambda label: [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", label)])


def _reason(conclusion: Conclusion | None) -> str:
    """Return why a measure was not tested; empty if unknown."""
    if conclusion is None or not conclusion.rivals:
        return ""
    n_users = max(rival.n_users for rival in conclusion.rivals)
    if n_users:
        return "one user" if n_users == 1 else "no interval"
    return "no user in common" if any(rival.n_unpaired for rival in conclusion.rivals) else "no per-user values"
