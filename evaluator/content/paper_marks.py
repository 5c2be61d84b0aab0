"""Which values of a paper's table are marked, and the sentences that say what the marks mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from ..config.run_sections import LatexStyle
from ..document import Mark
from ..results.comparison import Comparison
from ..results.result import Result
from ..results.row import shortened
from ..stats.difference import Conclusion
from .best_values import Place, best_values
from .values import Formats
from .verdicts import how_tested

BETTER: Final = "\u2020"
WORSE: Final = "\u2021"


class TableMarks(Struct, frozen=True):
    """The values that are marked, what stands raised behind values, and `notes` on what that means."""

    marks: Mapping[Place, Mark] = field(default_factory=dict)
    raised: Mapping[Place, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def marks_of(result: Result, formats: Formats, style: LatexStyle, comparison: Comparison | None = None) -> TableMarks:
    """Return the marks of a result, which are those of every form, and what a `comparison` adds to them."""
    values = best_values(result, formats)
    tested = [one for one in result.conclusions if one.is_tested]
    labels = {one.measure for one in tested}
    untested = {place for place in values.untested if place[1] not in labels}
    best = values.tested | untested
    second = set(_second(result, formats, best)) if style.second == "underline" else set()
    marks: dict[Place, Mark] = {}
    marks |= dict.fromkeys(second, "second")
    if style.best == "bold":
        marks |= {place: "untested" if place in untested else "best" for place in best}
    raised, meaning = _raised(style, comparison)
    notes = [_about_best(untested, tested)] if style.best == "bold" and best else []
    notes += [("underlined: the next value", "")] if second else []
    notes += [meaning] if raised else []
    return TableMarks(marks, raised, tuple(_with_tests(notes)))


def _with_tests(notes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each note with its test; one that several share stands behind the last of them."""
    for place, (note, test) in enumerate(notes):
        yield f"{note} ({test})" if test and test not in {other for _, other in notes[place + 1 :]} else note


def _about_best(untested: Iterable[Place], tested: Sequence[Conclusion]) -> tuple[str, str]:
    """What bold means, and by which test."""
    if not tested:
        return "bold: the best value, not tested", ""
    labels = len({label for _, label in untested})
    rest = f"; for {labels} measure{'' if labels == 1 else 's'} without a test only the best value" if labels else ""
    models = sorted({model for one in tested for model in one.untested})
    alone = f"; {shortened(models)}: not tested against the best" if models else ""
    first = tested[0]
    how = how_tested(first.test, first.correction, first.family, 1 - first.level)
    return f"bold: the best value and all that are not clearly different from it{rest}{alone}", how


def _second(result: Result, formats: Formats, best: Iterable[Place]) -> Iterator[Place]:
    """Of three models and more the best of the values that are not marked, and those that are printed as it is."""
    done = set(best)
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


def _raised(style: LatexStyle, comparison: Comparison | None) -> tuple[dict[Place, str], tuple[str, str]]:
    """What stands raised behind values, what that means, and by which test."""
    if comparison is None or style.marks == "none":
        return {}, ("", "")
    settings = comparison.settings
    family = max((one.family or 0 for one in comparison.differences), default=0)
    test = how_tested(settings.test, settings.correction, family, settings.alpha, comparison.paired)
    if style.marks == "letters":
        by_label = comparison.letters.items()
        letters = {(model, label): text for label, of_models in by_label for model, text in of_models.items()}
        return letters, ("models that share a letter are not clearly different", test)
    signs: dict[str | None, str] = {"better": BETTER, "worse": WORSE}
    judged = [one for one in comparison.differences if one.subject.base == comparison.base and one.verdict in signs]
    meaning = f"{BETTER} better and {WORSE} worse than {comparison.base}"
    return {(one.subject.model, one.subject.measure): signs[one.verdict] for one in judged}, (meaning, test)
