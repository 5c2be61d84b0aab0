"""Facts that it takes to do an evaluation again: inputs with their hashes, definitions, config and versions, each folded up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from ..document import Block, Code, Column, Points, Section, Table
from ..results.result import MeasureDefinition, Result

_INPUTS: Final = (
    Column("input", "key"),
    Column("file", "name"),
    Column("rows of the input", "counts"),
    Column("bytes", "counts"),
    Column("SHA-256"),
)
_DEFINITIONS: Final = (Column("measure", "key"), Column("convention"), Column("lowest relevant rating", "value"), Column("choices"))


def section(results: Mapping[str, Result], *, with_config: bool = True) -> Section:
    """Return the section of a report: notes, inputs, definitions, config and versions of each result."""
    several = len(results) > 1
    folds = (fold for label, one in results.items() for fold in _folds(label if several else "", one, with_config))
    return Section("done", "Settings and data", tuple(folds))


def _folds(label: str, result: Result, with_config: bool) -> list[Section]:
    of, part = (f" of {label}", f"{label}-") if label else ("", "")
    folds: dict[str, Block] = {
        "Notes on the values": Points(tuple(result.notes())),
        "Input files": _inputs(f"inputs-{part}table", result),
        **({"Definitions": _definitions(f"definitions-{part}table", result)} if result.definitions else {}),
        **({"Config": Code(json.dumps(_plain(result.config), indent=1, ensure_ascii=False), "json")} if with_config else {}),
        "Versions": Points(tuple(f"{name} {version}" for name, version in result.versions.items())),
    }
    return [Section("", f"{title}{of}", (block,), folded=True) for title, block in folds.items()]


def _inputs(id: str, result: Result) -> Table:
    rows = (
        (source.role, file.path, f"{source.rows:,}", f"{file.bytes:,}", file.sha256) for source in result.inputs for file in source.files
    )
    return replace(Table.of_texts(_INPUTS, rows, "Input files"), id=id)


def _definitions(id: str, result: Result) -> Table:
    rows = (
        (name, one.convention, "" if one.threshold is None else f"{one.threshold:g}", _choices(one))
        for name, one in result.definitions.items()
    )
    return replace(Table.of_texts(_DEFINITIONS, rows, "Definitions of the measures"), id=id)


def _choices(definition: MeasureDefinition) -> str:
    choices = {**definition.axes, **definition.params, "average": definition.average, "population": definition.population}
    return ", ".join(f"{name}={value}" for name, value in choices.items())


def _plain(content: Any) -> Any:
    """Return a config as JSON has it; what that does not know, such as paths, as text."""
    if isinstance(content, Mapping):
        return {str(name): _plain(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    return content if content is None or isinstance(content, str | int | float) else str(content)
