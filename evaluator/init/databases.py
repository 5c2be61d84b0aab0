"""The tables of a database that is a file, each fetched as the query of a config would fetch it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ..errors import DataError, MissingExtraError
from ..load import database
from ..load.source import PROCESS_SCRATCH
from .discovery import DiscoveredTable
from .records import Query


def tables_in(table: DiscoveredTable, unreadable: dict[str, str]) -> list[DiscoveredTable]:
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
