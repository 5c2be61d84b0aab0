"""`Source`: the files of one role, or a frame, and how to read them, decided from names, schemas and first lines only.

`ReadAgain`: what the rows of a source show only while they are read; and the loop that obeys it.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, TypeVar

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from . import quotes
from .columns import IDS, ORDERING
from .objects import json_scan
from .opening import FAILURES
from .read_options import ReadOptions
from .recode import line_of_record
from .resolved_files import expanded, files_of, resolve, states_of
from .scan import Kind, NumberType, Scan
from .source_file import FrameFile, Place, SourceFile
from .text import separator_of, text_scan
from .typed import typed_scan
from .unchanged import FileState, refusing_changes

_SAMPLE: Final = 1 << 16
"""So many bytes of text are looked at to estimate how long a line is."""
S = TypeVar("S")
T = TypeVar("T")
PROCESS_SCRATCH: Final = ExitStack()
"""Temporary files that live as long as this process."""
_DETECT: Final = ReadOptions()
atexit.register(PROCESS_SCRATCH.close)


class FaultyRows(Struct, frozen=True):
    """Rows of a source that are passed over: how many rows there are with them, and the first few places with what is wrong there."""

    n_rows: int
    places: tuple[tuple[Place, str], ...]


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
    files: tuple[SourceFile, ...] = ()
    """The files of `scan.paths`."""
    originals: tuple[SourceFile, ...] = ()
    """The files that results list, of which `files` may be converted copies; a Delta table has many."""
    states: tuple[FileState, ...] = ()
    """What the original files were like before anything of them was read."""
    may_be_empty: bool = False
    """Whether the source may have no rows."""
    users_apart: bool = False
    """Whether the rows of a user are known not to stand together."""
    counted_first: bool = False
    """Whether a row is known to lack a value, so that all rows are counted before anything is made of them."""
    faulty: FaultyRows | None = None
    """The rows that are passed over."""

    @property
    def columns(self) -> frozenset[str]:
        """The canonical columns that the source has."""
        return frozenset(self.scan.names)

    @property
    def name(self) -> str:
        """Its first file, or what the table or frame is called, for messages."""
        return (self.originals or self.files)[0].name

    def place(self, file: SourceFile, record: int) -> Place:
        """The place of a record, whose index counts from 0."""
        number = record + (self.scan.is_text and self.scan.has_header)
        if self.scan.across_lines:
            return file.line(line_of_record(file.local, self.scan.separator, number))
        return file.line(number + 1) if self.scan.is_text else file.row(number + 1)

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Source:
        """The same source with its ids read as `kinds` says."""
        new_kinds = {column: kinds.get(column, kind) for column, kind in self.scan.kinds.items()}
        return self.scanned(kinds=new_kinds)

    def scanned(self, **changes: Any) -> Source:
        """The same source, read with these fields of the scan."""
        return replace(self, scan=replace(self.scan, **changes))

    def with_text_ids(self, whose: Collection[str]) -> Source:
        """The same source with ids of the `user`, the `item` or both read as text, in whatever columns they are."""
        return self.with_kinds({column: "text" for column, owner in IDS.items() if owner in whose})

    @property
    def unsure_numbers(self) -> frozenset[str]:
        """The columns of text that order lists, of which it is not known yet whether double precision holds their integers."""
        scan = self.scan
        in_text = scan.kinds.keys() if scan.is_text else scan.lists if scan.lists_in_text else ()
        return frozenset(column for column in ORDERING if column in in_text and column not in scan.numbers)

    def with_numbers(self, columns: Iterable[str], type: NumberType) -> Source:
        """The same source with the numbers of `columns` read as that type."""
        return self.scanned(numbers={**self.scan.numbers, **dict.fromkeys(columns, type)})

    def without_faulty_rows(self, faulty: FaultyRows) -> Source:
        """The same source without rows that lack a required value or hold a number that is not finite."""
        return replace(self, scan=replace(self.scan, skip_faulty=tuple(sorted(self.required))), faulty=faulty)

    def faulty_rows(self) -> Source:
        """Of a source `without_faulty_rows` only those rows; blank lines are not among them."""
        blank = self.scan.format in ("csv", "lines")
        return self.scanned(only_faulty=True, skip_blank=blank)

    def with_users_apart(self) -> Source:
        """The same source, of which the rows of a user do not stand together."""
        return replace(self, users_apart=True)

    def with_count_first(self) -> Source:
        """The same source, of which all rows are counted first."""
        return replace(self, counted_first=True)

    @property
    def required(self) -> frozenset[str]:
        """The columns that must have a value in every row: all but the labels and the time."""
        return self.columns - set(self.labels.values()) - {"timestamp"}


class ReadAgain(Exception):
    """Forget what was made of a source, and read it again in another way.

    `change` makes the source to read of the one that was read. It is for every source of a run if it is `everywhere`: ids that are text in
    one file are text in all.
    """

    def __init__(self, change: Callable[[Source], Source], *, everywhere: bool = False) -> None:
        super().__init__("a source is to be read again")
        self.change, self.everywhere = change, everywhere


def read_with_retries(sources: S, read: Callable[[S], T], changed: Callable[[S, ReadAgain], S]) -> T:
    """Return what `read` makes of sources, called again as long as it raises `ReadAgain` with what `changed` makes of them.

    This is the only loop: a source is read in it, until its rows say nothing new, and so are all sources of a run together, which begins
    again from the first file where one of them changes how all are read. `changed` raises again what it does not obey.
    """
    while True:
        try:
            return read(sources)
        except ReadAgain as again:
            sources = changed(sources, again)


def look(
    role: str,
    table: str,
    given: Sequence[str],
    files: Sequence[SourceFile],
    options: ReadOptions = _DETECT,
    scratch: ExitStack = PROCESS_SCRATCH,
) -> Source:
    """Inspect the files and folders of a source and decide how to read them; `DataError` if they cannot be read this way.

    Text that must be converted to be read, and what is fetched, lives as long as `scratch`, or without it as long as this process.
    """
    files = expanded(role, files, options)
    states = states_of(role, files, options.format)
    with refusing_changes(states):
        form, originals, files = resolve(role, table, files, options, scratch)
        if form == "csv":
            quoted = quotes.settle(role, files, lambda file: separator_of(table, file, options), scratch)
            files, scan = quoted.files, text_scan(role, table, quoted, options)
        else:
            scan = json_scan(role, table, files, options) if form == "ndjson" else typed_scan(role, table, files, form, options)
        originals = files_of(role, form, originals, options.storage)
    if form == "delta":
        states += states_of(role, originals, options.format)
    return Source(role, table, tuple(given), scan, scan.kinds, label_columns(options.labels), tuple(files), tuple(originals), tuple(states))


def look_at_frame(
    role: str, table: str, frame: pl.DataFrame | pl.LazyFrame, options: ReadOptions = _DETECT, name: str = "a frame"
) -> Source:
    """Look at a frame in memory, which is called `name`, and say how to read it, as a file of typed columns is.

    Rows are numbered in the order of the frame. `DataError` if it lacks a column, or a column has a type that cannot be read.
    """
    scan = typed_scan(role, table, [SourceFile(FrameFile(frame.lazy()), name)], "frame", options)
    stored = [scan.fields[column][0] if column in scan.fields else column for column in scan.names.values()]
    used = SourceFile(FrameFile(frame.lazy().select(list(dict.fromkeys(stored)))), name)
    scan = replace(scan, frame=frame.lazy())
    return Source(role, table, (name,), scan, scan.kinds, label_columns(options.labels), (used,), (used,))


def label_columns(labels: Sequence[str]) -> dict[str, str]:
    """The canonical names of further columns."""
    return {label: f"label_{index}" for index, label in enumerate(labels)}


def common_kinds(sources: Iterable[Source]) -> dict[str, Kind]:
    """The kind of every column of ids over all sources: text as soon as one file stores such ids so."""
    stored = [(column, source.scan.kinds[column]) for source in sources for column in IDS if column in source.columns]
    texts = {IDS[column] for column, kind in stored if kind == "text"}
    return {column: "text" if IDS[column] in texts else "integer" for column, _ in stored}


def remarks(sources: Iterable[Source]) -> tuple[str, ...]:
    """A sentence for each doubt about a source, and for each kind of id that some files store as integers and others as text."""
    sources = list(sources)
    stored = [(IDS[column], source.stored[column], source.role) for source in sources for column in IDS if column in source.columns]
    sentences = [doubt for source in sources for doubt in source.scan.doubts]
    for whose in ("user", "item"):
        having = [(kind, role) for ids, kind, role in stored if ids == whose]
        texts = [role for kind, role in having if kind == "text"]
        if 0 < len(texts) < len(having):
            sentences.append(
                f"{whose.capitalize()} ids are compared as text, and tied scores are ordered by text, because {texts[0]} contains text."
            )
    return tuple(sentences)


def n_bytes(source: Source) -> int:
    """The bytes of the files of a source; 0 for a frame, or a table elsewhere."""
    return sum(file.size for file in source.originals if not isinstance(file.path, FrameFile))


def expected_rows(source: Source) -> int | None:
    """About how many rows a source has: files with types of their own say it, text is estimated by its first lines.

    `None` where it cannot be told: packed files, lists in a row, standard input.
    """
    scan = source.scan
    if not scan.lists and scan.format == "frame":
        return sum(file.size for file in source.originals)
    if scan.lists or any(not isinstance(file.path, Path) or not os.path.isfile(file.path) for file in source.originals):
        return None
    if scan.format in ("parquet", "ipc"):
        read = pl.scan_parquet if scan.format == "parquet" else pl.scan_ipc
        try:
            return sum(int(read(path, glob=False).select(pl.len()).collect().item()) for path in scan.paths)
        except FAILURES:
            return None
    if scan.format not in ("csv", "lines", "ndjson") or any(path.endswith((".gz", ".zst", ".zstd")) for path in scan.paths):
        return None
    with open(scan.paths[0], "rb") as file:
        sample = file.read(_SAMPLE)
    n_lines = sample.count(b"\n")
    return n_bytes(source) * n_lines // len(sample) if n_lines else None
