"""One source: its files, and how to read them. Looks at names, schemas and first lines only."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Final

from ..engine.base import Format, Kind, Scan
from ..errors import DataError
from . import sniff
from .delta import files_of_table, is_table
from .folders import held_by_path, parts_of
from .how import How, Said
from .objects import json_scan
from .recode import recoded
from .remote import Remote, fetched, parts_elsewhere
from .text import text_scan
from .typed import typed_scan

_FORMATS: Final[dict[Said, Format]] = {
    "csv": "csv", "tsv": "csv", "trec": "csv", "ndjson": "ndjson", "parquet": "parquet", "ipc": "ipc", "delta": "delta"
}  # fmt: skip
"""The format that a format of the config is a kind of."""
_PROCESS: Final = ExitStack()
atexit.register(_PROCESS.close)


@dataclass(frozen=True)
class Source:
    """A source that was looked at: its role (`data.test`, `data.recommendations.als`), its files and how to scan them.

    `stored` is the kind of each column as the files have it; `scan.kinds` says how it is read. `labels` are the further columns
    that were asked for: the file's name → the canonical name.
    """

    role: str
    table: str
    given: tuple[str, ...]
    scan: Scan
    stored: Mapping[str, Kind]
    labels: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[Path | Remote, ...] = ()
    """The files whose bytes are the source, in reading order; `scan.paths` are read in their place where text had to be converted."""
    known_as: tuple[str, ...] = ()
    """What the user calls each of `paths`, such as the address that it was fetched from."""
    calls: Mapping[str, str] = field(default_factory=dict)
    """What the user calls each of `scan.paths`."""

    @property
    def columns(self) -> frozenset[str]:
        """The canonical columns that the source has."""
        return frozenset(self.scan.names)

    def shown(self, path: str) -> str:
        """The file that the user knows, for one of `scan.paths`."""
        return self.calls.get(path, path)

    def place(self, path: str | Path, record: int) -> str:
        """Where a record of a file stands, counting from 0: `role: file, line 12`."""
        number = record + 1 + (self.scan.is_text and self.scan.has_header)
        return f"{self.role}: {self.shown(str(path))}, {'line' if self.scan.is_text else 'row'} {number}"

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Source:
        """The same source with its ids read as `kinds` says."""
        fitting = {column: kinds.get(column, kind) for column, kind in self.scan.kinds.items()}
        return replace(self, scan=replace(self.scan, kinds=fitting))

    def loosely(self) -> Source:
        """The same source, numbers being read as text, of which some words count as no value."""
        return replace(self, scan=replace(self.scan, loose=True))

    def without_blank_lines(self) -> Source:
        """The same source, rows without any value being passed over."""
        return replace(self, scan=replace(self.scan, skip_blank=True))


def look(
    role: str,
    table: str,
    given: Sequence[str],
    paths: Sequence[Path | Remote],
    *,
    format: Said | None = None,
    separator: str | None = None,
    header: bool | None = None,
    columns: Mapping[str, str | int] | None = None,
    labels: Sequence[str] = (),
    split: str | None = None,
    decimal_comma: bool | None = None,
    nulls: Sequence[str] = (),
    encoding: str | None = None,
    storage: Mapping[str, str] | None = None,
    scratch: ExitStack | None = None,
) -> Source:
    """Look at the files and folders of a source and say how to read them; `DataError` if they cannot be read this way.

    `labels` names further columns to read, as text that may be missing; `split` says what separates the items of a list in text.
    Text that must be converted to be read, and what is fetched, lives as long as `scratch`, or without it as long as this process.
    """
    scratch = scratch or _PROCESS
    located = [(file, root) for path in paths for file, root in _located(role, path, format)]
    here = [_brought(role, file, format, storage or {}, scratch) for file, _ in located]
    form = _form(here[0], encoding is not None) if format is None else _FORMATS[format]
    read = [
        recoded(path, encoding, form == "ndjson", scratch) if isinstance(path, Path) and form in ("csv", "ndjson") else path
        for path in here
    ]
    asked = {*(columns or {}).values(), *labels}
    held = {str(at): held_by_path(_path(file), root, asked) for at, (file, root) in zip(read, located, strict=True)}
    how = How(format, separator, header, columns or {}, labels, split, decimal_comma, tuple(nulls), held, storage or {})
    calls = {str(at): str(file) for at, (file, _) in zip(read, located, strict=True)}
    try:
        scan = _scan(role, table, read, form, how)
    except DataError as error:
        raise error.saying(calls) from None
    named = {label: f"label_{place}" for place, label in enumerate(labels)}
    files = [(file, str(known)) for file, (known, _) in zip(here, located, strict=True)]
    if form == "delta":
        files = [(file, str(file)) for path in here for file in files_of_table(role, path, how.storage)]
    paths, known_as = tuple(file for file, _ in files), tuple(known for _, known in files)
    return Source(role, table, tuple(given), scan, scan.kinds, named, paths, known_as, calls)


def _located(role: str, path: Path | Remote, format: Said | None) -> list[tuple[Path | Remote, PurePath | None]]:
    """A file, or the files of a folder, each with the folder that was named; a Delta table is a file."""
    if format == "delta" or (isinstance(path, Path) and is_table(path)):
        return [(path, None)]
    if isinstance(path, Remote):
        return [(file, path.path) for file in parts_elsewhere(role, path)] if path.is_folder else [(path, None)]
    return [(file, path) for file in parts_of(role, path)] if path.is_dir() else [(path, None)]


def _brought(role: str, file: Path | Remote, format: Said | None, storage: Mapping[str, str], scratch: ExitStack) -> Path | Remote:
    """The file, which is looked at, or what was fetched of it; engines read nothing but columns elsewhere, and those in stores only."""
    if format == "delta" or (isinstance(file, Path) and is_table(file)):
        files_of_table(role, file, storage)
        return file
    if isinstance(file, Path):
        if not os.access(file, os.R_OK):
            raise DataError(f"{role}: {file} may not be read (permission denied)")
        path: Path | Remote = file
    else:
        form = _FORMATS[format] if format else sniff.known_format(file.path)
        path = file if form in ("parquet", "ipc") and not file.on_the_web else fetched(role, file, scratch)
    if (path.stat().st_size if isinstance(path, Path) else path.size) == 0:
        raise DataError(f"{role}: {file}: the file is empty")
    return path


def _form(path: Path | Remote, encoded: bool) -> Format:
    if isinstance(path, Path) and is_table(path):
        return "delta"
    return sniff.format_of(path, encoded) if isinstance(path, Path) else sniff.known_format(path.path) or "parquet"


def _path(file: Path | Remote) -> PurePath:
    return file if isinstance(file, Path) else file.path


def _scan(role: str, table: str, paths: Sequence[Path | Remote], format: Format, how: How) -> Scan:
    if format in ("csv", "ndjson"):
        return (text_scan if format == "csv" else json_scan)(role, table, [path for path in paths if isinstance(path, Path)], how)
    return typed_scan(role, table, paths, format, how)
