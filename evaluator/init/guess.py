"""Files of which nobody said what they are → the config that evaluates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from .. import load
from ..errors import DataError
from . import assembly, classification, column_roles, id_lists, source_entries
from .discovery import Named, tables_in
from .preview import Glimpse
from .records import Entry, File, Guess

_MOST: Final = 100_000
_ALTOGETHER: Final = 2_000_000
"""How many rows are looked at, of one file and of all."""
_HOW: Final = ("format", "separator", "header", "columns", "split", "decimal_comma")
"""The keys of a source that say how to read it."""


def guess(given: Sequence[str]) -> Guess:
    """What the files and folders in `given` are taken to be; with none given, those of this folder.

    Raises `DataError` if there are none. Where they hold no test set or no lists, the guess has a `problem`.
    """
    files: list[File] = []
    unreadable: dict[str, str] = {}
    tables = tables_in(given or ["."])
    rows = min(_MOST, _ALTOGETHER // len(tables))
    for table in tables:
        try:
            files.append(_file(Glimpse(table.given, table.label, table.paths, rows)))
        except DataError as error:
            unreadable[table.given] = _reason(error, table)
    found = assembly.decide(files, unreadable)
    return replace(
        found,
        data={key: _short(f"data.{key}", entry) for key, entry in found.data.items()},
        models={name: _short(f"data.recommendations.{name}", entry) for name, entry in found.models.items()},
        others=tuple((key, _short(f"data.{key}", entry)) for key, entry in found.others),
        doubts=(*found.doubts, *_on_ids(found)),
    )


def _file(glimpse: Glimpse) -> File:
    """What a file is by itself; none of the tables if it cannot be read as the one it seems to be."""
    recognised = column_roles.recognise(glimpse.glance)
    if separated := id_lists.separated(recognised.columns):
        glimpse = glimpse.split_at(*separated)
        recognised = column_roles.recognise(glimpse.glance)
    columns = recognised.columns
    pairs = {"user", "item"} <= columns.keys()
    shape = glimpse.shape(columns["user"], columns["item"]) if pairs else None
    found = classification.file(glimpse.glance, recognised, shape)
    if found.table is None:
        return found
    try:
        _look("init", found, source_entries.entry(found, "").keys)
    except DataError as error:
        return replace(found, table=None, why=error.message.removeprefix(f"init: {found.glance.paths[0]}").lstrip(",: "))
    return found


def _look(role: str, found: File, keys: Mapping[str, object]) -> load.Source:
    known = {key: value for key, value in keys.items() if key in _HOW and (key != "split" or found.table != "catalogue")}
    return load.look(role, found.table or "", [found.glance.given], found.glance.paths, **known)  # type: ignore[arg-type]


def _short(role: str, entry: Entry) -> Entry:
    """The entry without what `load` finds out by itself: columns with their usual names, and decimal commas."""
    keys = entry.keys
    spare = [key for key in ("columns", "decimal_comma") if key in keys and (key != "columns" or entry.file.glance.header)]
    full = _how(role, entry.file, keys) if spare else None
    for key in spare:
        rest = {name: value for name, value in keys.items() if name != key}
        keys = rest if full is not None and _how(role, entry.file, rest) == full else keys
    return replace(entry, keys=keys)


def _how(role: str, found: File, keys: Mapping[str, object]) -> object:
    """What of the way in which a file is read depends on the keys that may be spared; `None` if it cannot be read."""
    try:
        scan = _look(role, found, keys).scan
    except DataError:
        return None
    return scan.names, scan.lists, scan.decimal_comma


def _on_ids(found: Guess) -> tuple[str, ...]:
    entries = {f"data.{key}": entry for key, entry in found.data.items() if key in ("test", "train", "items")}
    entries |= {f"data.recommendations.{name}": entry for name, entry in found.models.items()}
    return load.remarks([_look(role, entry.file, entry.keys) for role, entry in entries.items()])


def _reason(error: DataError, table: Named) -> str:
    """Why a file cannot be read, without the name of it, which stands before it."""
    message = error.message.removeprefix("init: ")
    for name in (str(table.paths[0]), table.given):
        message = message.removeprefix(name)
    return message.lstrip(",: ")
