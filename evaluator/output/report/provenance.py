"""The section that says what was done: inputs with their hashes, the config, definitions and versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...results.definition import MeasureDefinition
from ...results.result import Result
from .content import ReportContent
from .views import PageCell, PageColumn, PageFold, PageTable, Section


def section(content: ReportContent) -> Section:
    """Everything that it takes to do it again, folded up."""
    several = len(content.results) > 1
    folds = [fold for label, result in content.results.items() for fold in _of_result(label if several else "", result)]
    return Section("done", "What was done", folds=tuple(folds))


def _of_result(label: str, result: Result) -> list[PageFold]:
    of = f" of {label}" if label else ""
    part = f"{label}-" if label else ""
    notes = PageFold(f"Notes on the values{of}", points=result.notes())
    return [
        notes,
        PageFold(f"Input files{of}", tables=(_inputs(f"inputs-{part}table", result),)),
        *([PageFold(f"Definitions{of}", tables=(_definitions(f"definitions-{part}table", result),))] if result.definitions else []),
        PageFold(f"Config{of}", text=json.dumps(_plain(result.config), indent=1, ensure_ascii=False)),
        PageFold(f"Versions{of}", points=tuple(f"{name} {version}" for name, version in result.versions.items())),
    ]


def _inputs(id: str, result: Result) -> PageTable:
    columns = (
        PageColumn("input", "name"),
        PageColumn("file", "text"),
        PageColumn("rows of the input"),
        PageColumn("bytes"),
        PageColumn("SHA-256", "text"),
    )
    rows = tuple(
        (PageCell(source.role), PageCell(file.path), PageCell(f"{source.rows:,}"), PageCell(f"{file.bytes:,}"), PageCell(file.sha256))
        for source in result.inputs
        for file in source.files
    )
    return PageTable(id, "Input files", columns, rows)


def _definitions(id: str, result: Result) -> PageTable:
    columns = (
        PageColumn("measure", "name"),
        PageColumn("convention", "text"),
        PageColumn("least relevant rating"),
        PageColumn("choices", "text"),
    )
    rows = tuple(
        (
            PageCell(name),
            PageCell(definition.convention),
            PageCell("" if definition.threshold is None else f"{definition.threshold:g}"),
            PageCell(_choices(definition)),
        )
        for name, definition in result.definitions.items()
    )
    return PageTable(id, "Definitions of the measures", columns, rows)


def _choices(definition: MeasureDefinition) -> str:
    choices = {**definition.axes, **definition.params, "average": definition.average, "population": definition.population}
    return ", ".join(f"{name}={value}" for name, value in choices.items())


def _plain(content: Any) -> Any:
    """Config as JSON has it; what it does not know, such as paths, as text."""
    if isinstance(content, Mapping):
        return {str(name): _plain(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    return content if content is None or isinstance(content, str | int | float) else str(content)
