"""Which values of a table are marked, and the sentences that say what the marks mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from ...config.reporting import LatexStyle
from ...results.comparison import Comparison
from ...results.result import Result
from ...stats.letters import not_told_from
from ...stats.records import Difference, Settings
from ..best_values import best
from ..cells import Formats

_CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
_TESTS: Final = {
    "t": "paired t test",
    "permutation": "permutation test",
    "bootstrap": "bootstrap test",
    "bootstrap-t": "bootstrap t test",
    "wilcoxon": "Wilcoxon signed-rank test",
}
_UNPAIRED: Final = "Welch's t test"
BETTER: Final = "\u2020"
WORSE: Final = "\u2021"
ModelMeasure = tuple[str, str]
"""A model and the label of a measure."""


class Tested(Struct, frozen=True):
    """Which values cannot be told from the best one of their measure, and how that was tested.

    `labels` are the measures of which that was tested, over `family` comparisons that were corrected together.
    """

    alike: frozenset[ModelMeasure]
    labels: frozenset[str]
    settings: Settings
    family: int
    paired: bool = True


class TableMarks(Struct, frozen=True):
    """What is marked: the `best` values, the `second` ones, and what stands raised behind a value; `notes` say what that means."""

    best: frozenset[ModelMeasure] = frozenset()
    second: frozenset[ModelMeasure] = frozenset()
    raised: Mapping[ModelMeasure, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def marks_of(
    result: Result, formats: Formats, style: LatexStyle, comparison: Comparison | None = None, tested: Tested | None = None
) -> TableMarks:
    """The marks of a result.

    `tested` says which models cannot be told from the best one; without it a `comparison` of all pairs does, or one with the best model.
    """
    top = best(result, formats)
    if tested is None and comparison is not None:
        tested = tested_by(comparison, top)
    alike = top | {cell for cell in (tested.alike if tested else ()) if cell[1] in {label for _, label in top}}
    second = frozenset(_second(result, formats, alike)) if style.second == "underline" else frozenset()
    raised, meaning = _raised(style, comparison)
    notes = [_about_best(top, tested)] if style.best == "bold" and top else []
    notes += [("underlined: the next value", "")] if second else []
    notes += [meaning] if raised else []
    return TableMarks(frozenset(alike) if style.best == "bold" else frozenset(), second, raised, tuple(_with_tests(notes)))


def tested_by(comparison: Comparison, top: Iterable[ModelMeasure]) -> Tested | None:
    """Which models a comparison cannot tell from those with the best value; `None` if it compares none with them."""
    alike: set[ModelMeasure] = set()
    labels: set[str] = set()
    by_label: dict[str, list[Difference]] = {}
    for one in comparison.differences:
        by_label.setdefault(one.subject.measure, []).append(one)
    for model, label in sorted(top):
        beside = [one for one in by_label.get(label, ()) if model in (one.subject.base, one.subject.model)]
        known = all(one.p_adjusted is not None or one.verdict == "identical" for one in beside)
        if label in comparison.judged and known and len(beside) == len(comparison.models) - 1:
            labels.add(label)
            alike |= {(model, label), *((other, label) for other in not_told_from(model, beside))}
    family = max((one.family or 0 for one in comparison.differences), default=0)
    return Tested(frozenset(alike), frozenset(labels), comparison.settings, family, comparison.paired) if labels else None


def how_tested(settings: Settings, family: int, paired: bool = True) -> str:
    """By which test, at which level, and how p values were corrected."""
    name = _TESTS[settings.test] if paired else _UNPAIRED
    correction = _CORRECTIONS.get(settings.correction)
    corrected = f"p values corrected by {correction} over {family:,} comparisons" if correction else "p values not corrected"
    return f"{name}, {corrected}, level {settings.alpha:g}"


def _with_tests(notes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each note with its test; one that several share stands behind the last of them."""
    for place, (note, test) in enumerate(notes):
        yield f"{note} ({test})" if test and test not in {other for _, other in notes[place + 1 :]} else note


def _about_best(top: Iterable[ModelMeasure], tested: Tested | None) -> tuple[str, str]:
    labels = {label for _, label in top}
    if tested is None or not tested.labels & labels:
        return "bold: the best value", ""
    untested = len(labels - tested.labels)
    rest = f", of {untested} measure{'' if untested == 1 else 's'} without values of users the best value only" if untested else ""
    return f"bold: the best value and all that cannot be told from it{rest}", how_tested(tested.settings, tested.family, tested.paired)


def _second(result: Result, formats: Formats, marked: Iterable[ModelMeasure]) -> Iterator[ModelMeasure]:
    """Of three models and more the best of the values that are not marked, and those that are printed as it is."""
    done = set(marked)
    for label in sorted({label for _, label in done}):
        values = _values_of(result, label)
        left = {model: value for model, value in values.items() if (model, label) not in done}
        if len(values) > 2 and left:
            next_best = formats.text(label, (max if result.higher_is_better[label] else min)(left.values()))
            yield from ((model, label) for model, value in left.items() if formats.text(label, value) == next_best)


def _values_of(result: Result, label: str) -> dict[str, float]:
    """The value of each model that has one, without lists that were made to measure by."""
    rows = (row for row in result.rows if row.label == label and row.model not in result.yardsticks)
    return {row.model: row.value for row in rows if row.value is not None}


def _raised(style: LatexStyle, comparison: Comparison | None) -> tuple[dict[ModelMeasure, str], tuple[str, str]]:
    """What stands raised behind values, what that means, and by which test."""
    if comparison is None or style.marks == "none":
        return {}, ("", "")
    family = max((one.family or 0 for one in comparison.differences), default=0)
    test = how_tested(comparison.settings, family, comparison.paired)
    if style.marks == "letters":
        by_label = comparison.letters.items()
        letters = {(model, label): text for label, of_models in by_label for model, text in of_models.items()}
        return letters, ("models that share a letter are not clearly different", test)
    signs: dict[str | None, str] = {"better": BETTER, "worse": WORSE}
    judged = [one for one in comparison.differences if one.subject.base == comparison.base and one.verdict in signs]
    meaning = f"{BETTER} better and {WORSE} worse than {comparison.base}"
    return {(one.subject.model, one.subject.measure): signs[one.verdict] for one in judged}, (meaning, test)
