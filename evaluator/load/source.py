"""One source: its files, and how to read them. Looks at names, schemas and first lines only."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ..errors import DataError
from .brought import brought, manifested
from .how import How, Said
from .objects import json_scan
from .remote import Remote
from .scan import Format, Kind, Scan
from .text import text_scan
from .typed import typed_scan

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

    def without_faulty_rows(self) -> Source:
        """The same source, rows without a value or with a number that is not finite being passed over."""
        return replace(self, scan=replace(self.scan, skip_faulty=tuple(sorted(self.filled))))

    def faulty_rows(self) -> Source:
        """Nothing but the rows of the source that `without_faulty_rows` passes over; blank lines are none of them."""
        blank = self.scan.format in ("csv", "lines")
        return replace(self, scan=replace(self.without_faulty_rows().scan, only_faulty=True, skip_blank=blank))

    @property
    def filled(self) -> frozenset[str]:
        """The columns that must have a value in every row: all but the labels and the time."""
        return self.columns - set(self.labels.values()) - {"timestamp"}


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
    storage = storage or {}
    form, files = brought(role, paths, format, encoding, storage, scratch or _PROCESS)
    asked = {*(columns or {}).values(), *labels}
    held = {str(file.read): file.holds(asked) for file in files}
    how = How(format, separator, header, columns or {}, labels, split, decimal_comma, tuple(nulls), held, storage)
    calls = {str(file.read): str(file.known) for file in files}
    try:
        scan = _scan(role, table, [file.read for file in files], form, how)
    except DataError as error:
        raise error.saying(calls) from None
    named = {label: f"label_{place}" for place, label in enumerate(labels)}
    paths, known_as = zip(*manifested(role, form, files, storage), strict=True)
    return Source(role, table, tuple(given), scan, scan.kinds, named, paths, known_as, calls)


def _scan(role: str, table: str, paths: Sequence[Path | Remote], format: Format, how: How) -> Scan:
    if format in ("csv", "ndjson"):
        return (text_scan if format == "csv" else json_scan)(role, table, [path for path in paths if isinstance(path, Path)], how)
    return typed_scan(role, table, paths, format, how)
