"""`Source`: the files of one role and how to read them, decided from names, schemas and first lines only."""

from __future__ import annotations

import atexit
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..errors import DataError
from . import quotes
from .columns import ORDERING
from .frame_file import FrameFile
from .lines import line_of_record
from .list_text import NO_LISTS
from .objects import json_scan
from .read_options import FormatName, ReadOptions
from .remote import Remote
from .resolved_files import ResolvedFile, expanded, resolve, source_files, states_of
from .scan import Format, Kind, NumberType, Scan
from .text import separator_of, text_scan
from .typed import typed_scan
from .unchanged import FileState, refusing_changes

PROCESS_SCRATCH: Final = ExitStack()
"""Temporary files that live as long as this process."""
atexit.register(PROCESS_SCRATCH.close)


class Source(Struct, frozen=True):
    """The files of one role (`data.test`, `data.recommendations.als`) and how to scan them.

    `stored` is the kind of each column in the files; `scan.kinds` is the kind that it is read as. `labels` are further columns that the
    config names: name in the file → canonical name.
    """

    role: str
    table: str
    given: tuple[str, ...]
    scan: Scan
    stored: Mapping[str, Kind]
    labels: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[Path | Remote | FrameFile, ...] = ()
    """The original files in reading order; `scan.paths` may be converted copies of them."""
    display_names: tuple[str, ...] = ()
    """The name of each of `paths` in messages and results, such as the address that it was fetched from."""
    display_paths: Mapping[str, str] = field(default_factory=dict)
    """The name of each of `scan.paths` in messages."""
    documents: frozenset[str] = frozenset()
    """Those of `scan.paths` that hold the records of a JSON document, one per line."""
    states: tuple[FileState, ...] = ()
    """What the original files were like before anything of them was read."""
    may_be_empty: bool = False
    """Whether the source may have no rows."""

    @property
    def columns(self) -> frozenset[str]:
        """The canonical columns that the source has."""
        return frozenset(self.scan.names)

    @property
    def name(self) -> str:
        """Its first file, or what the table or frame is called, for messages."""
        return str(self.paths[0]) if self.paths else self.display_path(self.scan.paths[0])

    def display_path(self, path: str) -> str:
        """The original file for one of `scan.paths`."""
        return self.display_paths.get(path, path)

    def location(self, path: str | Path, record: int) -> str:
        """The location of a record, whose index counts from 0, for messages: `role: file, line 12`."""
        number = record + (self.scan.is_text and self.scan.has_header)
        if self.scan.across_lines:
            line = line_of_record(Path(path), self.scan.separator, number)
            return f"{self.role}: {self.display_path(str(path))}, line {line}"
        unit = "record" if str(path) in self.documents else "line" if self.scan.is_text else "row"
        return f"{self.role}: {self.display_path(str(path))}, {unit} {number + 1}"

    def told(self, problem: DataError) -> DataError:
        """A problem of one of `scan.paths`, told of the original file."""
        return problem.saying(_names(self.display_paths, self.documents))

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Source:
        """The same source with its ids read as `kinds` says."""
        new_kinds = {column: kinds.get(column, kind) for column, kind in self.scan.kinds.items()}
        return replace(self, scan=replace(self.scan, kinds=new_kinds))

    def with_numbers_as_text(self) -> Source:
        """The same source with numbers read as text, so that words such as NA count as missing."""
        return replace(self, scan=replace(self.scan, loose=True))

    @property
    def unsure_numbers(self) -> frozenset[str]:
        """The columns of text that order lists, of which it is not known yet whether double precision holds their integers."""
        scan = self.scan
        in_text = scan.kinds.keys() if scan.is_text else scan.lists if scan.lists_in_text else ()
        return frozenset(column for column in ORDERING if column in in_text and column not in scan.numbers)

    def with_numbers(self, columns: Iterable[str], type: NumberType) -> Source:
        """The same source with the numbers of `columns` read as that type."""
        return replace(self, scan=replace(self.scan, numbers={**self.scan.numbers, **dict.fromkeys(columns, type)}))

    def without_blank_lines(self) -> Source:
        """The same source without blank lines."""
        return replace(self, scan=replace(self.scan, skip_blank=True))

    def without_faulty_rows(self) -> Source:
        """The same source without rows that lack a required value or hold a number that is not finite."""
        return replace(self, scan=replace(self.scan, skip_faulty=tuple(sorted(self.required))))

    def faulty_rows(self) -> Source:
        """Only the rows that `without_faulty_rows` leaves out; blank lines are not among them."""
        blank = self.scan.format in ("csv", "lines")
        return replace(self, scan=replace(self.without_faulty_rows().scan, only_faulty=True, skip_blank=blank))

    @property
    def required(self) -> frozenset[str]:
        """The columns that must have a value in every row: all but the labels and the time."""
        return self.columns - set(self.labels.values()) - {"timestamp"}


def look(
    role: str,
    table: str,
    given: Sequence[str],
    paths: Sequence[Path | Remote],
    *,
    format: FormatName | None = None,
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
    """Inspect the files and folders of a source and decide how to read them; `DataError` if they cannot be read this way.

    `labels` names further columns to read, as text that may be missing; `split` says what separates the items of a list in text, or is
    `none` where a text is one item.
    Text that must be converted to be read, and what is fetched, lives as long as `scratch`, or without it as long as this process.
    """
    storage = storage or {}
    scratch = scratch or PROCESS_SCRATCH
    may_split, split = split != NO_LISTS, None if split == NO_LISTS else split
    original = expanded(role, paths, format)
    states = states_of(role, [file for file, _ in original], format)
    with refusing_changes(states):
        form, files = resolve(role, table, original, format, encoding, storage, scratch)
        configured = {*(columns or {}).values(), *labels}
        options = ReadOptions(
            format, separator, header, columns or {}, labels, split, may_split, decimal_comma, tuple(nulls), storage=storage
        )
        documents = frozenset(str(file.readable) for file in files if file.is_document)
        try:
            if form == "csv":
                files, options = _with_quotes(role, table, files, options, scratch)
            options = replace(options, partitions={str(file.readable): file.path_columns(configured) for file in files})
            scan = _scan(role, table, [file.readable for file in files], form, options)
        except DataError as error:
            raise error.saying(_names({str(file.readable): str(file.original) for file in files}, documents)) from None
        display_paths = {str(file.readable): str(file.original) for file in files}
        paths, display_names = zip(*source_files(role, form, files, storage), strict=True)
    if form == "delta":
        states += states_of(role, paths, format)
    label_columns = {label: f"label_{index}" for index, label in enumerate(labels)}
    return Source(role, table, tuple(given), scan, scan.kinds, label_columns, paths, display_names, display_paths, documents, tuple(states))


def _names(display_paths: Mapping[str, str], documents: Collection[str]) -> dict[str, str]:
    """What is read → what the user knows: a line of a converted document is a record of it."""
    return {f"{path}, line": f"{display_paths[path]}, record" for path in documents} | dict(display_paths)


def _with_quotes(
    role: str, table: str, files: Sequence[ResolvedFile], options: ReadOptions, scratch: ExitStack
) -> tuple[list[ResolvedFile], ReadOptions]:
    """The text files with their quotation marks as engines read them, and the options that say so."""
    paths = [file.readable for file in files if isinstance(file.readable, Path)]
    settled = quotes.settle(role, paths, lambda path: separator_of(table, path, options), scratch)
    readable = [replace(file, readable=path) for file, path in zip(files, settled.paths, strict=True)]
    return readable, replace(options, quotes=settled.any, across_lines=settled.across_lines)


def _scan(role: str, table: str, paths: Sequence[Path | Remote], format: Format, options: ReadOptions) -> Scan:
    if format in ("csv", "ndjson"):
        return (text_scan if format == "csv" else json_scan)(role, table, [path for path in paths if isinstance(path, Path)], options)
    return typed_scan(role, table, paths, format, options)
