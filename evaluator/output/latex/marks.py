"""Which values of a table are marked, and the sentences that say what the marks mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from ...config.reporting import LatexStyle
from ...content.best_values import best_values
from ...content.values import Formats
from ...content.verdicts import how_tested
from ...results.comparison import Comparison
from ...results.result import Result
from ...results.wording import shortened
from ...stats.conclusion import Conclusion
from ...stats.letters import not_told_from
from ...stats.records import Difference

BETTER: Final = "\u2020"
WORSE: Final = "\u2021"
ModelMeasure = tuple[str, str]
"""A model and the label of a measure."""


class Tested(Struct, frozen=True):
    """Which values are the best of their measure or not clearly different from it, and how that was tested.

    `labels` are the measures that were tested, `how` says by which test; `untested` are models that were not tested against the best one.
    """

    alike: frozenset[ModelMeasure]
    labels: frozenset[str]
    how: str
    untested: frozenset[ModelMeasure] = frozenset()


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

    `tested` says which models are not clearly different from the best one; without it what is concluded of the result does, or a
    `comparison` of all pairs, or one with the best model.
    """
    values = best_values(result, formats)
    tested = tested or tested_in(result.conclusions)
    if tested is None and comparison is not None:
        tested = tested_by(comparison, values.untested)
    labels = tested.labels if tested else frozenset[str]()
    top = frozenset(cell for cell in values.untested if cell[1] not in labels)
    alike = top | (tested.alike if tested else frozenset())
    second = frozenset(_second(result, formats, alike)) if style.second == "underline" else frozenset()
    raised, meaning = _raised(style, comparison)
    notes = [_about_best(top, tested)] if style.best == "bold" and alike else []
    notes += [("underlined: the next value", "")] if second else []
    notes += [meaning] if raised else []
    return TableMarks(frozenset(alike) if style.best == "bold" else frozenset(), second, raised, tuple(_with_tests(notes)))


def tested_in(conclusions: Sequence[Conclusion]) -> Tested | None:
    """What is concluded of the best models; `None` if nothing was tested."""
    tested = [one for one in conclusions if one.is_tested]
    if not tested:
        return None
    first = tested[0]
    return Tested(
        frozenset((model, one.measure) for one in tested for model in one.alike),
        frozenset(one.measure for one in tested),
        how_tested(first.test, first.correction, first.family, 1 - first.level),
        frozenset((model, one.measure) for one in tested for model in one.untested),
    )


def tested_by(comparison: Comparison, top: Iterable[ModelMeasure]) -> Tested | None:
    """Which models are not clearly different from those with the best value in a comparison; `None` if it compares none with them."""
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
    return Tested(frozenset(alike), frozenset(labels), _how_compared(comparison)) if labels else None


def _how_compared(comparison: Comparison) -> str:
    settings = comparison.settings
    family = max((one.family or 0 for one in comparison.differences), default=0)
    return how_tested(settings.test, settings.correction, family, settings.alpha, comparison.paired)


def _with_tests(notes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each note with its test; one that several share stands behind the last of them."""
    for place, (note, test) in enumerate(notes):
        yield f"{note} ({test})" if test and test not in {other for _, other in notes[place + 1 :]} else note


def _about_best(top: Iterable[ModelMeasure], tested: Tested | None) -> tuple[str, str]:
    if tested is None:
        return "bold: the best value, not tested", ""
    untested = len({label for _, label in top})
    measures = f"{untested} measure{'' if untested == 1 else 's'} without a test"
    rest = f"; for {measures} only the best value" if untested else ""
    models = sorted({model for model, _ in tested.untested})
    alone = f"; {shortened(models)}: not tested against the best" if models else ""
    return f"bold: the best value and all that are not clearly different from it{rest}{alone}", tested.how


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
    test = _how_compared(comparison)
    if style.marks == "letters":
        by_label = comparison.letters.items()
        letters = {(model, label): text for label, of_models in by_label for model, text in of_models.items()}
        return letters, ("models that share a letter are not clearly different", test)
    signs: dict[str | None, str] = {"better": BETTER, "worse": WORSE}
    judged = [one for one in comparison.differences if one.subject.base == comparison.base and one.verdict in signs]
    meaning = f"{BETTER} better and {WORSE} worse than {comparison.base}"
    return {(one.subject.model, one.subject.measure): signs[one.verdict] for one in judged}, (meaning, test)
