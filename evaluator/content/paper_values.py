"""Values as tables of a paper: of all users, of groups, of folds and runs; one line per model, one column per measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ..config.run_sections import LatexStyle
from ..document import ARROWS, Cell, Column, Table
from ..metrics import METRICS
from ..metrics.catalogue import shown
from ..names.formula import is_formula
from ..results.comparison import Comparison
from ..results.result import FEW_USERS, MeasureDefinition, Result, Row
from ..stats.concluding import users_text
from .paper_marks import TableMarks, marks_of
from .values import Formats

_MOST_SENTENCES: Final = 3
_MODEL: Final = Column("", "name")
_UNMARKED: Final = TableMarks()
Lines = Mapping[tuple[str, ...], Mapping[str, Row]]
"""The first cells of each line, and its values by label."""


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
            notes=(f"The values of groups of fewer than {FEW_USERS} users say little.",) if few else (),
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
        caption=f"Results by {' and '.join(kinds)}. Means stand with the standard deviation of the sample.",
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
