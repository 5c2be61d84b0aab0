"""Guess a config from unlabelled files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from .. import load
from ..errors import DataError, MissingExtraError
from ..load import database
from ..load.source import PROCESS_SCRATCH
from .assembly import GuessedConfig, SourceEntry, assemble, source_entry
from .classification import ClassifiedFile, classify
from .discovery import DiscoveredTable, Query, discover_tables
from .preview import TablePreview

_MAX_ROWS_PER_FILE: Final = 100_000
_MAX_ROWS: Final = 2_000_000
_READ_KEYS: Final = ("format", "separator", "header", "columns", "split", "decimal_comma")
"""The keys of a source that say how to read it."""


def guess(names: Sequence[str]) -> GuessedConfig:
    """Guess a config from files and folders; without any, from the current folder.

    Raises `DataError` if there are no tables. If no file looks like a test set, or none like lists, the result has a `problem`.
    """
    files: list[ClassifiedFile] = []
    unreadable: dict[str, str] = {}
    tables = [one for found in discover_tables(names or ["."]) for one in _tables_in(found, unreadable)]
    max_rows = min(_MAX_ROWS_PER_FILE, _MAX_ROWS // max(len(tables), 1))
    for table in tables:
        try:
            files.append(_classified(TablePreview(table, max_rows)))
        except (DataError, MissingExtraError) as error:
            message = error.message.removeprefix("init: ").removeprefix(str(table.paths[0])).removeprefix(table.path)
            unreadable[table.path] = message.lstrip(",: ")  # the name is printed before it
    config = assemble(files, unreadable)
    having_ids = {f"data.{key}": entry for key, entry in config.data.items() if key in ("test", "train", "items")}
    having_ids |= {f"data.recommendations.{name}": entry for name, entry in config.models.items()}
    return replace(
        config,
        data={key: _without_defaults(f"data.{key}", entry) for key, entry in config.data.items()},
        models={name: _without_defaults(f"data.recommendations.{name}", entry) for name, entry in config.models.items()},
        alternatives=tuple((key, _without_defaults(f"data.{key}", entry)) for key, entry in config.alternatives),
        doubts=(*config.doubts, *load.remarks([_source(role, entry.file, entry.keys) for role, entry in having_ids.items()])),
    )


def _tables_in(table: DiscoveredTable, unreadable: dict[str, str]) -> list[DiscoveredTable]:
    """The tables of a database of SQLite or DuckDB; any other file alone. What cannot be read is added to `unreadable` with the reason."""
    path = table.paths[0]
    scheme = database.scheme_of(path)
    if scheme is None:
        return [table]
    try:
        statements = database.tables_of(scheme, path)
    except (DataError, MissingExtraError) as error:
        unreadable[table.path] = error.message
        return []
    found = []
    for name, statement in statements:
        shown = f"{table.path}: {name}"
        try:
            rows = database.fetched(shown, f"{scheme}:///{path}", statement, Path(), PROCESS_SCRATCH)
        except DataError as error:
            unreadable[shown] = error.message.removeprefix(f"{shown}: ")
        else:
            label = str(PurePosixPath(table.label) / name)
            found.append(DiscoveredTable(shown, label, (rows,), Query(scheme, str(path), statement)))
    return found


def _classified(preview: TablePreview) -> ClassifiedFile:
    """Classify a file by itself. It has no kind if it cannot be read as the kind that it seems to be."""
    file = classify(preview)
    if file.table is None:
        return file
    try:
        _source("init", file, source_entry(file, "").keys)
    except DataError as error:
        return replace(file, table=None, reason=error.message.removeprefix(f"init: {preview.place.paths[0]}").lstrip(",: "))
    return file


def _source(role: str, file: ClassifiedFile, keys: Mapping[str, object]) -> load.Source:
    """Open a file as a run would with these keys of a config."""
    read_keys = {key: value for key, value in keys.items() if key in _READ_KEYS and (key != "split" or file.table != "catalogue")}
    files = [load.SourceFile.of(path) for path in file.preview.place.paths]
    return load.look(role, file.table or "", [file.path], files, load.ReadOptions(**read_keys))  # type: ignore[arg-type]


def _without_defaults(role: str, entry: SourceEntry) -> SourceEntry:
    """Return the entry without keys that change nothing, since `load` detects usual column names and decimal commas."""
    keys = entry.keys
    optional = [key for key in ("columns", "decimal_comma") if key in keys and (key != "columns" or entry.file.preview.raw.has_header)]
    reading = _reading(role, entry.file, keys) if optional else None
    for key in optional:
        shorter = {name: value for name, value in keys.items() if name != key}
        keys = shorter if reading is not None and _reading(role, entry.file, shorter) == reading else keys
    return replace(entry, keys=keys)


def _reading(role: str, file: ClassifiedFile, keys: Mapping[str, object]) -> object:
    """Return what optional keys could change about how a file is read; `None` if it cannot be read."""
    try:
        scan = _source(role, file, keys).scan
    except DataError:
        return None
    return scan.names, scan.lists, scan.decimal_comma
