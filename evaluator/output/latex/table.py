"""Values as tables in LaTeX: of all users, of groups, of folds and runs; one line per model, one column per measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from ...content.values import Formats
from ...names.formula import is_formula
from ...results.result import FEW_USERS, Result, Row
from ...stats.digits import users_text
from .marks import BETTER, WORSE, TableMarks
from .numbers import in_latex
from .tabular import LatexColumn, LatexTable, text_column

_ARROWS: Final = {True: " \u2191", False: " \u2193", None: ""}
_RAISED: Final = {BETTER: r"\dagger", WORSE: r"\ddagger"}
_ROMAN: Final = r"\mathrm"
Lines = Mapping[tuple[str, ...], Mapping[str, Row]]
"""The first cells of each line, and its values by label."""


def values_table(result: Result, marks: TableMarks, formats: Formats, caption: str, notes: Sequence[str] = ()) -> LatexTable:
    """The values over all users; lists that were made to measure by stand below the models."""
    by_model = result.by_model()
    order = [*(model for model in result.models if model not in result.yardsticks), *result.yardsticks]
    rules = {len(order) - len(result.yardsticks): ""} if result.yardsticks else {}
    lines: Lines = {(model,): by_model[model] for model in order}
    return _table(("",), lines, result, caption, "tab:results", formats, marks, rules, notes)


def group_tables(result: Result, digits: int | None) -> list[LatexTable]:
    """A table for each thing that results are split by: one line per model below the name of each group."""
    tables = []
    for place, by in enumerate(dict.fromkeys(row.by for row in result.by_group), 1):
        rows = [row for row in result.by_group if row.by == by]
        groups = dict.fromkeys(row.group or "" for row in rows)
        lines: dict[tuple[str, ...], dict[str, Row]] = {
            (group, model): {row.label: row for row in rows if (row.group or "", row.model) == (group, model)}
            for group in groups
            for model in result.models
        }
        lines = {key: line for key, line in lines.items() if line}
        starts = {group: next(n for n, key in enumerate(lines) if key[0] == group) for group in groups}
        rules = {start: f"{group}, {_n_users([row for row in rows if (row.group or '') == group])}" for group, start in starts.items()}
        few = any(row.few_users for row in rows)
        notes = (f"The values of groups of fewer than {FEW_USERS} users say little.",) if few else ()
        table = _table(
            ("", ""), lines, result, f"Results by {by}.", f"tab:groups-{place}", Formats.of(rows, digits), rules=rules, notes=notes
        )
        tables.append(replace(table, keys=table.keys[1:]))
    return tables


def _n_users(rows: Sequence[Row]) -> str:
    least, most = min(row.n_users for row in rows), max(row.n_users for row in rows)
    return users_text(least) if least == most else f"{least:,} to {most:,} users"


def repeats_tables(result: Result, digits: int | None) -> list[LatexTable]:
    """The values of each fold and run, and their mean; nothing where there are no several."""
    over_all = [row for row in result.repeated if row.by is None]
    if not over_all:
        return []
    kinds = [kind for kind in ("fold", "run") if any(getattr(row, kind) is not None for row in over_all)]
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    for model in result.models:
        for row in over_all:
            if row.model == model:
                of_kinds = (getattr(row, kind) for kind in kinds)
                lines.setdefault((model, *("mean" if name is None else str(name) for name in of_kinds)), {})[row.label] = row
        for row in result.rows:
            if row.model == model and row.repeats is not None:
                lines.setdefault((model, *("mean" for _ in kinds)), {})[row.label] = row
    caption = f"Results by {' and '.join(kinds)}. Means stand with the standard deviation of the sample."
    rules = _changes([line[0] for line in lines])
    return [_table(("model", *kinds), lines, result, caption, "tab:repeats", Formats.of((*over_all, *result.rows), digits), rules=rules)]


def achieved_table(result: Result) -> list[LatexTable]:
    """The percentage of the best possible value that each model reaches; nothing where that was not computed."""
    models = [model for model in result.models if model not in result.yardsticks]
    table = result.by_model()
    columns = []
    for label in result.labels():
        shares = [row.achieved if (row := table[model].get(label)) else None for model in models]
        if any(share is not None for share in shares):
            cells = tuple("--" if share is None else f"{100 * share:.1f}" for share in shares)
            columns.append(LatexColumn(label, cells, max(map(len, cells))))
    if not columns:
        return []
    grouped = _grouped(tuple(columns), [column.head for column in columns], {(model,): table[model] for model in models})
    return [LatexTable("Percentage of the best possible value.", "tab:achieved", (text_column("", models),), grouped)]


def _changes(names: Sequence[str]) -> dict[int, str]:
    """Rules at the places at which another name begins."""
    return {place: "" for place in range(1, len(names)) if names[place] != names[place - 1]}


def _table(
    heads: Sequence[str],
    lines: Lines,
    result: Result,
    caption: str,
    label: str,
    formats: Formats,
    marks: TableMarks = TableMarks(),  # noqa: B008, it does not change
    rules: Mapping[int, str] = MappingProxyType({}),
    notes: Sequence[str] = (),
) -> LatexTable:
    keys = tuple(text_column(head, [line[place] for line in lines]) for place, head in enumerate(heads))
    labels = list(dict.fromkeys(label for values in lines.values() for label in values))
    columns = tuple(_column(name, lines.values(), result, formats, marks) for name in labels)
    return LatexTable(caption, label, keys, _grouped(columns, labels, lines), rules, tuple(notes))


def _column(label: str, lines: Iterable[Mapping[str, Row]], result: Result, formats: Formats, marks: TableMarks) -> LatexColumn:
    rows = [line.get(label) for line in lines]
    raised = max((len(marks.raised.get((row.model, label), "")) for row in rows if row is not None), default=0)
    cells = tuple("" if row is None else _cell(row, label, formats, marks) for row in rows)
    width = max((len(formats.shown(row)) for row in rows), default=0)
    return LatexColumn(label + _ARROWS[result.higher_is_better.get(label)], cells, width, raised=raised)


def _cell(row: Row, label: str, formats: Formats, marks: TableMarks) -> str:
    shown = in_latex(formats.text(label, row.value))
    place = (row.model, label)
    shown = rf"\textbf{{{shown}}}" if place in marks.best else rf"\underline{{{shown}}}" if place in marks.second else shown
    spread = formats.text(label, row.repeats_std)
    shown += rf"{{\scriptsize\,$\pm$\,{in_latex(spread)}}}" if spread else ""
    raised = marks.raised.get(place, "")
    return shown + (rf"\rlap{{$^{{{_RAISED.get(raised, rf'{_ROMAN}{{{raised}}}')}}}$}}" if raised else "")


def _grouped(columns: tuple[LatexColumn, ...], labels: Sequence[str], lines: Lines) -> tuple[LatexColumn, ...]:
    """The columns in groups by metric, whose heads are the cut-offs; as they are if no metric has several."""
    rows = {label: next(line[label] for line in lines.values() if label in line) for label in labels}
    metrics = {label: (row.metric, "" if row.aggregate == "mean" else row.aggregate) for label, row in rows.items()}
    several = {metric for metric in metrics.values() if sum(metric == other for other in metrics.values()) > 1}
    if not several:
        return columns
    grouped = []
    for label, column in zip(labels, columns, strict=True):
        row, metric = rows[label], metrics[label]
        arrow = column.head.removeprefix(label)
        if metric not in several or is_formula(row.metric) or "@" not in label:
            grouped.append(column)
            continue
        aggregate = f" ({row.aggregate})" if label != row.measure else ""
        head = f"@{'none' if row.k is None else row.k}"
        grouped.append(LatexColumn(head, column.cells, column.width, f"{row.metric}{aggregate}{arrow}", column.raised))
    return tuple(grouped)
