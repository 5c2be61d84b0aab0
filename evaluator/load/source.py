"""`Source`: the files of one role, or a frame, with all options to read them, decided from names, schemas and first lines only.

`ReadAgain`: the signal to read a source with other options, which only its rows show; and the loop that handles it. Long: one record.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import Any, Final, TypeVar

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from ..support.errors import DataError, NoRowsError
from ..support.temporary import PROCESS_SCRATCH, folder_for_copies, new_copy
from ..syntax.target_rule import TargetRule
from . import sniff
from .columns import IDS, ORDERING, order_found_by_words
from .documents import as_objects, is_document
from .folders import LOG, columns_of_path, files_of_table, is_table, parts_of, reason
from .iceberg import is_iceberg, is_metadata, newest_metadata, newest_snapshot
from .made_columns import cells_of
from .objects import json_scan
from .opening import FAILURES, plainly_named
from .recode import Quotes, line_of_record, recode_file, settle_quotes
from .remote import Remote, copies, fetch, object_or_folder, parts_elsewhere
from .scan import Format, FormatName, Kind, NumberType, ReadOptions, Scan
from .source_file import FileState, FrameFile, Place, SourceFile, refusing_changes, state_of
from .text import separator_of, text_scan
from .typed import refusing_unreadable, typed_scan

_SAMPLE: Final = 1 << 16
"""Number of bytes of text from which the length of a line is estimated."""
_PIECES: Final = 16
"""Number of places of a file from which these bytes are."""
S = TypeVar("S")
T = TypeVar("T")
_DETECT: Final = ReadOptions()
_FORMATS: Final[dict[FormatName, Format]] = {
    "csv": "csv", "tsv": "csv", "trec": "csv", "ragged": "csv", "json": "ndjson", "ndjson": "ndjson", "parquet": "parquet", "ipc": "ipc",
    "delta": "delta", "iceberg": "iceberg",
}  # fmt: skip
"""Format in the config → format of the scan."""
_TABLES: Final = ("delta", "iceberg")
"""Formats of tables that have versions, each with files of its own."""


class FaultyRows(Struct, frozen=True):
    """Faulty rows of a source that are skipped: the number of all rows, and the first few places with their problems."""

    n_rows: int
    places: tuple[tuple[Place, str], ...]


class Source(Struct, frozen=True):
    """The files of one role (`data.test`, `data.recommendations.als`) and their scan.

    `stored` is the kind of each column in the files; `scan.kinds` is the kind as which it is read. `labels` are further columns that the
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
    """The files that results list, of which `files` may be converted copies; a Delta or Iceberg table has many."""
    states: tuple[FileState, ...] = ()
    """The states of the original files before anything was read."""
    may_be_empty: bool = False
    """True if the source may be empty."""
    users_apart: bool = False
    """True if the rows of a user are known not to be contiguous."""
    counted_first: bool = False
    """True if a row is known to have a missing value, so that all rows are counted before they are used."""
    faulty: FaultyRows | None = None
    """The rows that are skipped."""
    positions: Mapping[str, int] = field(default_factory=dict)
    """The columns of ids that are row or column numbers of a matrix, each with the number of rows or columns."""
    order_by_words: str = ""
    """A remark on the column that orders the lists, if only the words in its name say so."""
    target: TargetRule | None = None
    """The rows of each user to choose after the rows are read."""
    reading: str = ""
    """How the files were recognised, for people; empty if that was not necessary."""
    is_by_name: bool = True
    """False if the values or the positions of columns decided how the files are read."""
    converted: Mapping[str, int] = field(default_factory=dict)
    """Numbers of values that are read in another way than stored: `padding`, `item_as_integer`, `user_as_integer`."""
    setting: str = ""
    """Its place in the config if that is not its role."""

    @property
    def keys_of_ids(self) -> dict[str, str | int]:
        """The columns of users and items as the config can name them: by name, or by position; not several that are one id or a list."""
        scan, keys = self.scan, {}
        for role in ("user", "item"):
            name = scan.columns.get(role)
            is_position = scan.format == "csv" and not scan.has_header
            if name is not None and scan.format != "lines" and name not in scan.wide and role not in (*scan.lists, *scan.integers):
                keys[role] = 1 + scan.header.index(name) if is_position else name
        return keys

    @property
    def columns(self) -> frozenset[str]:
        """The canonical columns that the source has."""
        return frozenset(self.scan.columns)

    @property
    def name(self) -> str:
        """Its first file, or the name of the table or frame, for messages."""
        return (self.originals or self.files)[0].name

    def place(self, file: SourceFile, record: int) -> Place:
        """Return the place of a record, given its index from 0."""
        number = record + (self.scan.is_text and self.scan.has_header)
        if self.scan.across_lines:
            return file.line(line_of_record(file.local, self.scan.separator, number))
        return file.line(number + 1) if self.scan.is_text else Place(file, f", row {number + 1}")

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Source:
        """Return the same source with its ids read as `kinds`."""
        return self.with_scan(kinds={column: kinds.get(column, kind) for column, kind in self.scan.kinds.items()})

    def with_scan(self, **changes: Any) -> Source:
        """Return the same source, read with these fields of the scan."""
        return replace(self, scan=replace(self.scan, **changes))

    @property
    def unsure_numbers(self) -> frozenset[str]:
        """The text columns that order lists and whose integers may not be exact in double precision."""
        scan = self.scan
        in_text = scan.kinds.keys() if scan.is_text else scan.lists if scan.lists_in_text else ()
        return frozenset(column for column in ORDERING if column in in_text and column not in scan.numbers)

    def with_rows(self, rows: pl.DataFrame) -> Source:
        """Return the same source with these canonical rows, in memory, instead of those of its files; more columns are whole numbers."""
        names = {column: column for column in (*self.scan.columns, *(name for name in rows.columns if name != "row"))}
        kinds: dict[str, Kind] = {column: self.scan.kinds.get(column, "integer") for column in names}
        return replace(self, scan=Scan((), "frame", names, kinds, frame=rows.lazy()), target=None)

    def with_numbers(self, columns: Iterable[str], type: NumberType) -> Source:
        """Return the same source with the numbers of `columns` read as `type`."""
        return self.with_scan(numbers={**self.scan.numbers, **dict.fromkeys(columns, type)})

    def without_faulty_rows(self, faulty: FaultyRows) -> Source:
        """Return the same source without rows in which a required value is missing or not finite."""
        return replace(self.with_scan(skip_faulty=tuple(sorted(self.required))), faulty=faulty)

    def faulty_rows(self) -> Source:
        """Return only the rows that `without_faulty_rows` skips; blank lines are not among them."""
        return self.with_scan(only_faulty=True, skip_blank=self.scan.format in ("csv", "lines"))

    @property
    def required(self) -> frozenset[str]:
        """The columns that must have a value in every row: all but the labels and the time."""
        return self.columns - set(self.labels.values()) - {"timestamp"}


class ReadAgain(Exception):
    """Discard the results from a source, and read it again with other options.

    `change` converts the source into the one to read. With `everywhere` it applies to every source of a run: ids that are text in one file
    are text in all.
    """

    def __init__(self, change: Callable[[Source], Source], *, everywhere: bool = False) -> None:
        super().__init__("a source is to be read again")
        self.change, self.everywhere = change, everywhere


def read_with_retries(sources: S, read: Callable[[S], T], changed: Callable[[S, ReadAgain], S]) -> T:
    """Return `read(sources)`; as long as it raises `ReadAgain`, call it again with the sources from `changed`.

    It is used for one source, until its rows need no other options, and for all sources of a run together, which start again from the
    first file if one of them changes how all are read. `changed` raises a `ReadAgain` again that it does not handle.
    """
    while True:
        try:
            return read(sources)
        except ReadAgain as again:
            sources = changed(sources, again)


class OpenedSource(Struct, frozen=True):
    """The files of a source, which engines can read: found, fetched and converted, before their columns are decided.

    `files` are text in UTF-8, lines of JSON objects, or typed files; `originals` are those that results list.
    """

    role: str
    table: str
    given: tuple[str, ...]
    format: Format
    files: tuple[SourceFile, ...]
    originals: tuple[SourceFile, ...]
    states: tuple[FileState, ...]
    remarks: tuple[str, ...] = ()
    """Sentences on what was left out."""


def open_source(
    role: str,
    table: str,
    given: Sequence[str],
    files: Sequence[SourceFile],
    options: ReadOptions,
    scratch: ExitStack = PROCESS_SCRATCH,
    *,
    copies_stores: bool = True,
) -> OpenedSource:
    """Find the files of a source and decide their format; raise `DataError` if one is missing, empty, or not in its encoding.

    Converted and fetched files live as long as `scratch`, or without it as long as this process. With `copies_stores` files in a store
    are fetched, unless they are large; other machines would not find the copies.
    """
    files = _expanded(role, files, options)
    files = _copied(role, files, options, scratch) if copies_stores else files
    states = _states_of(role, files, options.format)
    with refusing_changes(states):
        form, originals, files = resolve(role, table, files, options, scratch)
    return OpenedSource(role, table, tuple(given), form, tuple(files), tuple(originals), tuple(states))


def look(opened: OpenedSource, options: ReadOptions, scratch: ExitStack = PROCESS_SCRATCH) -> Source:
    """Decide how to read the files of a source; raise `DataError` if they cannot be read with `options`."""
    role, table, form, files = opened.role, opened.table, opened.format, list(opened.files)
    originals, states = list(opened.originals), list(opened.states)
    with refusing_changes(states):
        if form == "csv":
            quoted = Quotes(files, False)
            if options.format != "ragged":  # whose lines are split as they are
                quoted = settle_quotes(role, files, lambda file: separator_of(table, file, options), scratch)
            files, scan = quoted.files, text_scan(role, table, quoted, options)
        else:
            scan = json_scan(role, table, files, options) if form == "ndjson" else typed_scan(role, table, files, form, options)
        if form in _TABLES:
            scan, originals = _with_files(role, scan, originals, form, options.storage)
            states += _states_of(role, originals, options.format)
    labels = {label: f"label_{index}" for index, label in enumerate(options.labels)}
    by_words = order_found_by_words(table, scan.names, options.columns)
    scan = replace(scan, doubts=(*scan.doubts, *opened.remarks))
    return Source(
        role, table, opened.given, scan, scan.kinds, labels, tuple(files), tuple(originals), tuple(states), order_by_words=by_words
    )


def _with_files(
    role: str, scan: Scan, tables: Sequence[SourceFile], form: Format, storage: Mapping[str, str]
) -> tuple[Scan, list[SourceFile]]:
    """Return the scan of Delta or Iceberg tables with a remark on the snapshots of Iceberg, and the files of the newest versions."""
    paths: list[Path | Remote] = []
    remarks: list[str] = []
    for table in tables:
        assert isinstance(table.path, Path | Remote)
        if form == "delta":
            paths += files_of_table(role, table.path, storage)
        else:
            snapshot = newest_snapshot(role, table.name, table.path, storage)
            paths += [table.path, *snapshot.files]
            remarks.append(f"{role}: the Iceberg table is read at {snapshot}, by {table.pure_path.name}.")
    return replace(scan, doubts=(*scan.doubts, *remarks)), [SourceFile.from_path(path) for path in paths]


def _copied(role: str, files: Sequence[SourceFile], options: ReadOptions, scratch: ExitStack) -> list[SourceFile]:
    """Return files in a store as local copies, unless they are large together, or Delta or Iceberg tables."""
    there = [file.path for file in files if isinstance(file.path, Remote) and not file.path.is_fetched_whole]
    if options.format in _TABLES or any(sniff.known_format(path.path) in _TABLES for path in there):
        return list(files)
    local = dict(zip(there, copies(role, there, scratch) or there, strict=True)) if there else {}
    return [replace(file, path=local.get(file.path, file.path)) if isinstance(file.path, Remote) else file for file in files]


def _expanded(role: str, files: Sequence[SourceFile], options: ReadOptions) -> list[SourceFile]:
    """Return the files of a source (named files, and all files of folders), each with the columns in its path.

    These are all columns in the path below a named folder, such as `day` in `day=1/`, and those above it that the config names.
    """
    named = {*options.names, *options.labels, *options.filter_columns}
    found: list[SourceFile] = []
    for file in files:
        root: PurePath | None = None
        parts = [file]
        if isinstance(file.path, Path | Remote) and _is_iceberg(file.path, options.format):
            parts = [replace(file, path=newest_metadata(role, file.path))]
        elif isinstance(file.path, Remote) and options.format != "delta":
            place = object_or_folder(file.path)
            parts = [replace(file, path=place)]
            if place.is_folder:
                root, parts = place.path, [SourceFile.from_path(part) for part in parts_elsewhere(role, place)]
        elif isinstance(file.path, Path) and os.path.isdir(file.path) and options.format != "delta" and not is_table(file.path):
            root, parts = file.path, [SourceFile.from_path(part) for part in parts_of(role, file.path)]
        found += [replace(part, path_columns=columns_of_path(part.pure_path, root, named)) for part in parts]
    return found


def _is_iceberg(path: Path | Remote, format: FormatName | None) -> bool:
    """Return whether a path is the folder of an Iceberg table; one in a store is only known by the format in the config."""
    if format == "iceberg":
        return not is_metadata(path.name if isinstance(path, Path) else path.url)
    return format is None and isinstance(path, Path) and is_iceberg(path)


def _states_of(role: str, files: Sequence[SourceFile], format: FormatName | None) -> list[FileState]:
    """Return the states of files before they are read; for a Delta table, of its log. Fetched files have none: they are read only once."""
    states: list[FileState] = []
    for file in files:
        if isinstance(file.path, Path):
            path = file.path / LOG if is_table(file.path) else file.path
            states.append((f"{role}: {file}", path, state_of(path)))
        elif isinstance(file.path, Remote) and format != "delta" and not file.path.is_fetched_whole:
            states.append((f"{role}: {file}", file.path, file.path.state))
    return states


def resolve(
    role: str, table: str, files: Sequence[SourceFile], options: ReadOptions, scratch: ExitStack
) -> tuple[Format, list[SourceFile], list[SourceFile]]:
    """Return the format of a source, its files (local, or in a store that engines read), and the files to read.

    Files to read may be converted: text to UTF-8, a JSON document to objects, an Arrow stream to a file. Copies live as long as `scratch`.

    Raises `DataError` if a file is missing, empty, or not in its encoding.
    """
    said = _FORMATS[options.format] if options.format else None
    local = []
    for file in files:
        if isinstance(file.path, Remote):
            there = (said or sniff.known_format(file.path.path)) in ("parquet", "ipc", *_TABLES) and not file.path.is_fetched_whole
            file = file if there else replace(file, path=fetch(role, file.path, scratch))
        local.append(file)
    first = local[0].path
    if said is not None or not isinstance(first, Path):
        form = said or sniff.known_format(local[0].pure_path) or "parquet"
    else:
        form = "delta" if is_table(first) else sniff.format_of(local[0], options.encoding is not None)
    for file in local:
        _refuse_unreadable(role, file, form, options.storage)
    return form, local, [_as_rows(role, table, file, form, options.encoding, scratch) for file in local]


def as_arrow_file(where: str, file: SourceFile, scratch: ExitStack) -> SourceFile:
    """Write the rows of an Arrow stream, which must fit into memory, to a file that lives as long as `scratch`; Polars scans only files.

    A file that is not a stream is returned unchanged. Raises `DataError` if the stream is broken, or has a type unknown to Polars.
    """
    if not sniff.starts(file.local, sniff.STREAM):
        return file
    target = scratch.enter_context(folder_for_copies()) / f"{file.local.stem}.arrow"
    with refusing_unreadable(where, file, "Arrow stream"):
        rows = pl.read_ipc_stream(file.local)
    with new_copy(target) as written:
        rows.write_ipc(written)
    return replace(file, path=target)


def _as_rows(role: str, table: str, file: SourceFile, form: Format, encoding: str | None, scratch: ExitStack) -> SourceFile:
    """Return a file whose rows and name engines can read."""
    if form in _TABLES or not isinstance(file.path, Path):
        return file
    if form in ("csv", "ndjson"):
        file = recode_file(file, encoding, form == "ndjson", scratch)
    if form == "ndjson" and is_document(file):
        file = as_objects(role, table, file, scratch)
    elif form == "ipc":
        file = as_arrow_file(f"{role}: {file}", file, scratch)
    return replace(file, path=plainly_named(file.local, form == "ndjson", scratch))


def _refuse_unreadable(role: str, file: SourceFile, form: Format, storage: Mapping[str, str]) -> None:
    assert isinstance(file.path, Path | Remote)
    if form == "delta":
        files_of_table(role, file.path, storage)
    elif form == "iceberg":
        newest_snapshot(role, file.name, file.path, storage)
    if form in _TABLES:
        return
    if isinstance(file.path, Path):
        try:  # the only way to test the permission
            open(file.path, "rb").close()
        except OSError as error:
            raise DataError(f"{role}: {file} cannot be read ({reason(error)})") from None
    if file.size == 0:
        raise NoRowsError(f"{role}: {file}: the file is empty")


def look_at_frame(
    role: str, table: str, frame: pl.DataFrame | pl.LazyFrame, options: ReadOptions = _DETECT, name: str = "a frame"
) -> Source:
    """Inspect a frame in memory, with this `name`, and decide how to read it, like a file with typed columns.

    Rows are numbered in the order of the frame. Raises `DataError` if a column is missing, or has a type that cannot be read.
    """
    scan = typed_scan(role, table, [SourceFile(FrameFile(frame.lazy()), name)], "frame", options)
    used = SourceFile(FrameFile(frame.lazy().select(cells_of(scan.fields, scan.nested, scan.wide, list(scan.names.values())))), name)
    scan = replace(scan, frame=frame.lazy())
    labels = {label: f"label_{index}" for index, label in enumerate(options.labels)}
    by_words = order_found_by_words(table, scan.names, options.columns)
    return Source(role, table, (name,), scan, scan.kinds, labels, (used,), (used,), order_by_words=by_words)


def common_kinds(sources: Iterable[Source]) -> dict[str, Kind]:
    """Return the kind of every column of ids over all sources: text as soon as one file stores text."""
    stored = [(column, source.scan.kinds[column]) for source in sources for column in IDS if column in source.columns]
    texts = {IDS[column] for column, kind in stored if kind == "text"}
    return {column: "text" if IDS[column] in texts else "integer" for column, _ in stored}


def remarks(sources: Iterable[Source]) -> tuple[str, ...]:
    """Return a sentence for each uncertain decision about a source, and for each kind of id stored as integers and as text."""
    sources = list(sources)
    sentences = [doubt for source in sources for doubt in source.scan.doubts]
    for whose in ("user", "item"):
        columns = [(source, column) for source in sources for column in IDS if column in source.columns and IDS[column] == whose]
        texts = [source.role for source, column in columns if source.stored[column] == "text"]
        if 0 < len(texts) < len(columns):
            sentences.append(
                f"{whose.capitalize()} ids are compared as text, and tied scores are ordered by text, because {texts[0]} contains text."
            )
    return tuple(sentences)


def n_bytes(source: Source) -> int:
    """Return the size of the files of a source in bytes; 0 for a frame, a table on Spark, or files that are gone, which reading reports."""
    try:
        return sum(file.size for file in source.originals if not isinstance(file.path, FrameFile))
    except OSError:
        return 0


def expected_rows(source: Source) -> int | None:
    """Return the approximate number of rows of a source: typed files store it, text is estimated by its first lines.

    `None` if it is unknown: compressed files, lists in rows, standard input.
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
    sample = _sample(scan.paths[0])
    n_lines = sample.count(b"\n")
    return n_bytes(source) * n_lines // len(sample) if n_lines else None


def _sample(path: str) -> bytes:
    """Return pieces of a file from its start to its end: lines often grow with the ids of a sorted file."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        if size <= _SAMPLE:
            return file.read()
        pieces = []
        for number in range(_PIECES):
            file.seek(number * (size - _SAMPLE // _PIECES) // (_PIECES - 1))
            pieces.append(file.read(_SAMPLE // _PIECES))
    return b"".join(pieces)
