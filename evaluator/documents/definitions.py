"""The definitions of measures for a report: one sentence on each metric, and the settings that differ from the default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..conventions import AXES, DEFAULT, load
from ..metrics import METRICS
from ..metrics.catalogue import format_value, meaning_of
from ..metrics.settings_read import meaning_of_value
from ..results.measure_definition import MeasureDefinition, axes_read_by, params_of
from ..results.result import Result
from .document import Cell, Column, Table, Terms

_COLUMNS: Final = (Column("measure", "key"), Column("setting"), Column("value"), Column("default"), Column("what it decides", wraps=True))


def meanings(definitions: Mapping[str, MeasureDefinition]) -> Terms | None:
    """Return one sentence on each metric; `None` if no metric has one."""
    rows = {}
    for name, definition in definitions.items():
        metric = METRICS.get(definition.metric)
        summary = meaning_of(metric.doc).replace("`", "") if metric is not None else ""
        if metric is None and definition.components:
            summary = f"Arithmetic of the values of {', '.join(definition.components)}."
        rows.update({name: summary} if summary else {})
    return Terms(tuple(rows.items()), "Meaning of each metric:", code=False) if rows else None


def changed_settings(result: Result) -> Table | None:
    """Return the settings that differ from those of the default convention, one per row; `None` if there are none.

    A setting that all measures share has one row.
    """
    lines: dict[tuple[str, str, str, str], list[str]] = {}
    for name, definition in result.definitions.items():
        for line in _changed(definition):
            lines.setdefault(line, []).append(name)
    n_measures = len(result.definitions)
    rows = tuple(
        tuple(map(Cell, ("all measures" if len(names) == n_measures > 1 else ", ".join(names), *line)))
        for line, names in sorted(lines.items(), key=lambda line: len(line[1]) < n_measures)
    )
    return Table(_COLUMNS, rows, "Settings that differ from the default") if rows else None


def _changed(definition: MeasureDefinition) -> Iterator[tuple[str, str, str, str]]:
    """Yield each setting of a measure that differs from the default: its name, its value, the default, and what it decides."""
    read = axes_read_by(definition)
    if definition.threshold is not None and "threshold" in read:
        yield "relevance.threshold", f"{definition.threshold:g}", "none", "the lowest rating of a relevant item"
    if definition.graded and "grades" in read:
        yield "relevance.graded", "true", "false", "whether ratings are gains"
    metric = METRICS.get(definition.metric)
    if metric is None:
        return
    usual = load(DEFAULT).axes_of(definition.metric)
    names = {axis: name for name, axis in metric.axes.items()}
    for axis, value in definition.axes.items():
        if axis in AXES and axis in read and value != usual.get(axis):
            yield names.get(axis, axis), _meant(axis, value, bool(definition.components)), _meant(axis, usual.get(axis)), AXES[axis].decides
    defaults: dict[str, tuple[Any, str]] = {name: (number.default, number.means) for name, number in metric.numbers.items()}
    defaults |= {name: (text.default or "", text.means) for name, text in metric.texts.items()}
    params = params_of(metric, definition)
    for name, (default, means) in defaults.items():
        value = params.get(name, default)
        if value != default:
            yield name, format_value(value), "none" if default is None else format_value(default), means


def _meant(axis: str, value: Any, combines: bool = False) -> str:
    """Return a value of an axis with its meaning."""
    meaning = meaning_of_value(axis, value, combines)
    return f"{format_value(value)} ({meaning})" if meaning else format_value(value)
