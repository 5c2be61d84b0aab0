"""Values as tables of a paper: of all users, of groups, of folds and runs; one line per model, one column per measure, and its marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct, field

from ..config.run_sections import LatexStyle
from ..document import ARROWS, Cell, Column, Mark, Table
from ..metrics import METRICS
from ..metrics.catalogue import shown
from ..names.formula import is_formula
from ..results.comparison import Comparison
from ..results.result import FEW_USERS, MeasureDefinition, Result, Row
from ..results.row import shortened
from ..stats.concluding import users_text
from ..stats.difference import Conclusion
from .best_values import Place, best_values
from .values import Formats
from .verdicts import how_tested


class TableMarks(Struct, frozen=True):
    """The values that are marked, what stands raised behind values, and `notes` on what that means."""

    marks: Mapping[Place, Mark] = field(default_factory=dict)
    raised: Mapping[Place, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_MOST_SENTENCES: Final = 3
_MODEL: Final = Column("", "name")
_UNMARKED: Final = TableMarks()
Lines = Mapping[tuple[str, ...], Mapping[str, Row]]
"""The first cells of each line, and its values by label."""
BETTER: Final = "\u2020"
WORSE: Final = "\u2021"


def values_table(result: Result, comparison: Comparison | None, style: LatexStyle) -> Table:
    """Return the values over all users; lists that were made to measure by stand below the models."""
    formats = Formats.of(result.rows, style.digits)
    marks = marks_of(result, formats, style, comparison)
    by_model = result.by_model()
    order = [*(model for model in result.models if model not in result.yardsticks), *result.yardsticks]
    return _table(
        (_MODEL,),
        {(model,): by_model[model] for model in order},
        partial(_cell, formats=formats, marks=marks),
        result.higher_is_better,
        caption=_caption(result, marks),
        id="results",
        apart=len(result.yardsticks),
        notes=tuple(f"{name}: {choices}." for name, one in result.definitions.items() if (choices := _choices(one))),
    )


def achieved_tables(result: Result) -> Iterator[Table]:
    """Yield the percentage of the best possible value that each model reaches; nothing where that was not computed."""
    shares = {model: rows for model, rows in result.by_model().items() if model not in result.yardsticks}
    computed = {row.label for rows in shares.values() for row in rows.values() if row.achieved is not None}
    lines: Lines = {(model,): {label: row for label, row in rows.items() if label in computed} for model, rows in shares.items()}
    if computed:
        yield _table((_MODEL,), lines, _share, {}, caption="Percentage of the best possible value.", id="achieved")


def group_tables(result: Result, digits: int | None) -> Iterator[Table]:
    """Yield a table for each thing that results are split by: one line per model below the name of each group."""
    for place, by in enumerate(dict.fromkeys(row.by for row in result.by_group), 1):
        rows = [row for row in result.by_group if row.by == by]
        formats = Formats.of(rows, digits)
        groups = {group: [row for row in rows if (row.group or "") == group] for group in dict.fromkeys(row.group or "" for row in rows)}
        lines: Lines = {
            (group, model): {row.label: row for row in some if row.model == model}
            for group, some in groups.items()
            for model in result.models
            if any(row.model == model for row in some)
        }
        starts = {group: [key[0] for key in lines].index(group) for group in groups}
        few = any(row.few_users for row in rows)
        yield _table(
            (_MODEL,),
            lines,
            partial(_cell, formats=formats),
            result.higher_is_better,
            caption=f"Results by {by}.",
            id=f"groups-{place}",
            rules={starts[group]: f"{group}, {_users_of(some)}" for group, some in groups.items()},
            notes=(f"Values of groups with fewer than {FEW_USERS} users are very uncertain.",) if few else (),
        )


def repeats_tables(result: Result, digits: int | None) -> Iterator[Table]:
    """Yield the values of each fold and run, and their mean; nothing where there are no several."""
    over_all = [row for row in result.repeated if row.by is None]
    if not over_all:
        return
    kinds = [kind for kind in ("fold", "run") if any(getattr(row, kind) is not None for row in over_all)]
    formats = Formats.of((*over_all, *result.rows), digits)
    lines = _repeats(result, over_all, kinds)
    yield _table(
        (Column("model", "name"), *(Column(kind, "key") for kind in kinds)),
        lines,
        partial(_cell, formats=formats),
        result.higher_is_better,
        caption=f"Results by {' and '.join(kinds)}. Means with sample standard deviations.",
        id="repeats",
        rules=changes([key[0] for key in lines]),
    )


def changes(names: Sequence[str]) -> dict[int, str]:
    """Return rules without a heading at the rows at which another name begins."""
    return {place: "" for place in range(1, len(names)) if names[place] != names[place - 1]}


def _repeats(result: Result, over_all: Sequence[Row], kinds: Sequence[str]) -> Lines:
    """The values of each model by fold and run, below them those of all together."""
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    for model in result.models:
        for row in over_all:
            if row.model == model:
                of_kinds = (getattr(row, kind) for kind in kinds)
                lines.setdefault((model, *("mean" if name is None else str(name) for name in of_kinds)), {})[row.label] = row
        for row in result.rows:
            if row.model == model and row.repeats is not None:
                lines.setdefault((model, *("mean" for _ in kinds)), {})[row.label] = row
    return lines


def _table(keys: Sequence[Column], lines: Lines, cell: Callable[[Row], Cell], directions: Mapping[str, bool | None], **rest: Any) -> Table:
    """A table of `lines`, the last of whose first cells stand below `keys`."""
    labels = list(dict.fromkeys(label for values in lines.values() for label in values))
    heads = _heads({label: next(line[label] for line in lines.values() if label in line) for label in labels})
    columns = (Column(title, "value", directions.get(label), group) for label, (group, title) in zip(labels, heads, strict=True))
    rows = tuple(
        (*map(Cell, key[-len(keys) :]), *(cell(values[label]) if label in values else Cell() for label in labels))
        for key, values in lines.items()
    )
    return Table((*keys, *columns), rows, **rest)


def _heads(rows: Mapping[str, Row]) -> Iterator[tuple[str, str]]:
    """The group and the head of the column of each label: a metric that has several is a group, whose heads are the cut-offs."""
    metrics = {label: (row.metric, "" if row.aggregate == "mean" else row.aggregate) for label, row in rows.items()}
    several = {metric for metric in metrics.values() if list(metrics.values()).count(metric) > 1}
    for label, row in rows.items():
        if metrics[label] not in several or is_formula(row.metric) or "@" not in label:
            yield "", label
        else:
            yield row.metric + (f" ({row.aggregate})" if label != row.measure else ""), f"@{'none' if row.k is None else row.k}"


def _cell(row: Row, formats: Formats, marks: TableMarks = _UNMARKED) -> Cell:
    place = (row.model, row.label)
    spread = formats.text(row.label, row.repeats_std)
    text = formats.text(row.label, row.value) or "–"
    return Cell(text, spread, marks.marks.get(place, ""), marks.raised.get(place, ""), value=row.value)


def _share(row: Row) -> Cell:
    return Cell("–" if row.achieved is None else f"{100 * row.achieved:.1f}", value=row.achieved)


def _users_of(rows: Sequence[Row]) -> str:
    least, most = min(row.n_users for row in rows), max(row.n_users for row in rows)
    return users_text(least) if least == most else f"{least:,} to {most:,} users"


def _caption(result: Result, marks: TableMarks) -> str:
    """The users, the convention, what is relevant, and what the marks mean."""
    over = [row for row in result.rows if row.aggregate != "formula" and row.model not in result.yardsticks]
    directions = {better for better in result.higher_is_better.values() if better is not None}
    words = {True: "higher", False: "lower"}
    meaning = "; ".join((*(f"{ARROWS[better]} {words[better]} is better" for better in sorted(directions, reverse=True)), *marks.notes))
    of_marks = [f"{meaning[:1].upper()}{meaning[1:]}."] if meaning else []
    return " ".join((f"Results over {_users_of(over) if over else 'no users'}.", *_protocol(result), *of_marks))


def _protocol(result: Result) -> Iterator[str]:
    """The conventions and rules of relevance of all measures; of many how many there are."""
    protocols = dict.fromkeys(row.protocol for row in result.rows if row.protocol is not None)
    conventions = list(dict.fromkeys(one.convention for one in protocols if one))
    relevance = list(dict.fromkeys(one.relevance for one in protocols if one and one.relevance))
    if len(relevance) == len(conventions) == 1:
        yield f"Convention {conventions[0]}: {relevance[0]} is relevant."
    elif conventions:
        yield f"Convention{'' if len(conventions) == 1 else 's'} {', '.join(conventions)}."
        if len(relevance) <= _MOST_SENTENCES:
            yield from (f"Relevant: {rule}." for rule in relevance)


def _choices(definition: MeasureDefinition) -> str:
    """Every choice that the formula of a measure makes."""
    metric = METRICS.get(definition.metric)
    if metric is None:
        return ""
    choices = {key: definition.axes[axis] for key, axis in metric.axes.items()} | dict(definition.params)
    return ", ".join(f"{key} {shown(value)}" for key, value in choices.items() if value != "")


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
    notes += [("underlined: the second-best value", "")] if second else []
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
        rows = (row for row in result.rows if row.label == label and row.model not in result.yardsticks)
        values = {row.model: row.value for row in rows if row.value is not None}
        left = {model: value for model, value in values.items() if (model, label) not in done}
        if len(values) > 2 and left:
            next_best = formats.text(label, (max if result.higher_is_better[label] else min)(left.values()))
            yield from ((model, label) for model, value in left.items() if formats.text(label, value) == next_best)


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
