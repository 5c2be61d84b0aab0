"""Detect how to read a file whose role is unknown, with every column as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..errors import DataError
from ..load import Source, explain, list_text, look, opening, sniff, trec
from ..load.columns import usual_roles
from ..load.delta import files_of_table, is_table
from ..load.documents import is_by_user, is_document
from ..load.header import header_of
from ..load.json_values import is_id
from ..load.list_fields import fields_of, flattened
from ..load.objects import schema_of_objects
from ..load.read_options import ReadOptions
from ..load.resolved_files import as_arrow_file, is_stream, resolve
from ..load.scan import Format, ReadError, Scan
from ..load.source import PROCESS_SCRATCH
from ..load.source_file import SourceFile
from ..load.typed_file import panics_at, panics_held_back, stored_schema

_ROLE: Final = "init"
_MAX_ROWS: Final = 1_000
"""How many rows decide whether a column holds lists, and whether the first line is a header."""
_TREC_ENDINGS: Final[dict[str, str]] = {".run": "lists", ".trec": "lists", ".qrels": "interactions", ".qrel": "interactions"}
_TABBED: Final = (".tsv", ".tab", ".inter", ".item", ".user")
_LIST_SEPARATORS: Final = (" ", "|", ",")
"""Separators of the items of a list in text that could be mistaken for the separator of fields."""


class RawFormat(Struct, frozen=True):
    """How to read a file as columns `column_1`, `column_2`, … of text, and the keys that a config needs for it (`read_keys`).

    `table` is set where the format alone decides what the file holds, as that of a TREC run does. `nested_columns` hold neither values
    nor lists of values, and are not read.
    """

    source: Source
    has_header: bool
    read_keys: Mapping[str, Any]
    table: str | None = None
    nested_columns: tuple[str, ...] = ()
    is_by_user: bool = False
    """Whether it is a JSON document with an entry per user."""

    def with_lists(self, split: str, numbers: Iterable[int]) -> RawFormat:
        """Return the same format with the columns of these numbers, which count from 1, read as lists in text."""
        columns = frozenset(f"column_{number}" for number in numbers)
        source = _with_lists(self.source, columns, split=split, in_text=True)
        return replace(self, source=source, read_keys={**self.read_keys, "split": split})

    def without_lists(self) -> RawFormat:
        """Return the same format with lists read as plain text."""
        return replace(self, source=_with_lists(self.source, frozenset()))


def detect_format(paths: Sequence[Path]) -> RawFormat:
    """Detect how to read the files of one table; `DataError` if they are no table."""
    if is_table(paths[0]):
        files_of_table(_ROLE, paths[0], {})  # refuses what cannot be read
        return _typed(paths, "delta")
    format, read_keys = _file_format(SourceFile.of(paths[0]))
    if format in ("parquet", "ipc"):
        return _typed(paths, format)
    if format == "ndjson":
        return _objects(paths, read_keys)
    return _trec(paths, read_keys) or _text(paths, read_keys)


def first_rows(source: Source, max_rows: int) -> pl.DataFrame:
    """Read the first rows, but blank lines, as text or lists of text; `DataError` with file and line of what cannot be read."""
    try:
        with panics_held_back():
            rows = all_rows(source).head(max_rows).collect()
    except (*opening.FAILURES, ReadError) as error:
        raise explain(source, ReadError(str(error))) from None
    # Only now: a filter over all columns takes Polars' optimiser minutes where there are thousands.
    return rows.filter(~pl.all_horizontal(pl.all().is_null())) if source.scan.format in ("csv", "lines") and rows.width else rows


def all_rows(source: Source) -> pl.LazyFrame:
    """Scan all rows, with the columns that `first_rows` has; blank lines of text are rows without a value."""
    scan = source.scan
    types = {column: pl.List(pl.String) if column in scan.lists else pl.String for column in scan.names}
    return opening.raw(scan).select(pl.col(name).cast(types[column]).alias(column) for column, name in scan.names.items())


def _file_format(file: SourceFile) -> tuple[Format, dict[str, Any]]:
    """Detect the format of a file, and the keys that a config needs because neither the extension nor the first bytes tell it."""
    try:
        return sniff.format_of(file), {}
    except DataError:
        if is_document(file):
            return "ndjson", {"format": "json"}
        first = sniff.head(file)[0]  # refuses what is no text
    if not first.lstrip().startswith("{"):
        return "csv", {"format": "csv"}
    if not _is_object(first):
        raise DataError(f"{file}: it is no table of one JSON object per line (NDJSON)")
    return "ndjson", {"format": "ndjson"}


def _extension(path: Path) -> str:
    """Return the last extension that does not only say how the file is compressed."""
    return next((ending.lower() for ending in reversed(path.suffixes) if ending.lower() not in sniff.PACKED), "")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _trec(paths: Sequence[Path], read_keys: Mapping[str, Any]) -> RawFormat | None:
    """Recognise a TREC file by its content, or by its extension if every line has the right fields; `None` if it is none."""
    lines = sniff.head(SourceFile.of(paths[0]))
    recognised = next((table for table in ("lists", "interactions") if trec.recognised(table, lines)), None)
    table = recognised or _TREC_ENDINGS.get(_extension(paths[0]))
    if table is None or (recognised is None and not all(_has_layout(row, table) for _, row in trec.numbered_rows(lines))):
        return None
    source = look(_ROLE, table, [str(path) for path in paths], [SourceFile.of(path) for path in paths], ReadOptions(format="trec"))
    keys = {} if recognised and not read_keys else {"format": "trec"}
    return RawFormat(_all_columns(source, source.scan.header), True, keys, table)


def _has_layout(row: list[str], table: str) -> bool:
    """Whether a line has as many fields as a TREC file, with numbers where numbers belong."""
    names = trec.layout(_ROLE, table)
    numbers = [value for name, value in zip(names, row, strict=False) if name in ("rank", "score", "rel")]
    return trec.has_width(row, names) and all(map(sniff.is_number, numbers))


def _text(paths: Sequence[Path], read_keys: dict[str, Any]) -> RawFormat:
    """Detect the separator, the header and the columns of lists of a text file."""
    separators = _user_and_list(paths[0], sniff.head(SourceFile.of(paths[0])))
    source = _separated(paths, None, separators.fields if separators else None)
    if source.scan.has_header and _header_is_data(source):
        source = _separated(paths, False)
    read_keys |= _unusual_keys(paths[0], source.scan, "format" in read_keys)
    source = _all_columns(source, source.scan.header)
    if separators:
        return RawFormat(source, False, read_keys).with_lists(separators.items, [2])
    return RawFormat(_with_lists_in_brackets(source), source.scan.has_header, read_keys)


class _Separators(NamedTuple):
    fields: str
    items: str


def _user_and_list(path: Path, lines: list[str]) -> _Separators | None:
    """Recognise lines that hold a user and a list of integers, without a header; `None` if they do not.

    If all lists have the same length, the separator of items looks like that of fields.
    """
    items = sniff.separator_of(path, lines)
    fields = sniff.separator_of(path, lines, items) if items in _LIST_SEPARATORS else items
    rows = [sniff.split(line, fields) for line in lines if line.strip()]
    if fields == items or any(len(row) != 2 for row in rows):
        return None
    lists = [row[1].split(items) for row in rows]
    return _Separators(fields, items) if all(len(ids) > 1 and all(map(sniff.is_integer, ids)) for ids in lists) else None


def _separated(paths: Sequence[Path], header: bool | None, separator: str | None = None) -> Source:
    """Open a text file as the table that asks least of a file: one column of items. Without `header` it is looked for."""
    given = [str(path) for path in paths]
    options = ReadOptions(format="csv", header=bool(header), separator=separator, columns={"item": 1})
    source = look(_ROLE, "catalogue", given, [SourceFile.of(path) for path in paths], options)
    if header is None:
        rows = sniff.rows(sniff.head(source.files[0]), source.scan.separator, source.scan.quotes)
        if header_of(rows, None, [], None).is_there:
            return _separated(paths, True, separator)
    return source


def _unusual_keys(path: Path, scan: Scan, is_unknown: bool) -> dict[str, Any]:
    """Return the keys for a separator or header that the extension does not lead to expect."""
    usual = "\t" if _extension(path) in _TABBED else ","
    keys: dict[str, Any] = {} if scan.separator == usual and not is_unknown else {"separator": scan.separator}
    return keys | ({} if scan.has_header else {"header": False})


def _header_is_data(source: Source) -> bool:
    """Whether the first line, which has no number, is data all the same: one of its values comes again in the same column."""
    names = source.scan.header
    if any(usual_roles(name) for name in names):
        return False
    frame = first_rows(_all_columns(source, names), _MAX_ROWS)
    return any((frame.to_series(index) == name).any() for index, name in enumerate(names))


def _with_lists_in_brackets(source: Source) -> Source:
    """Return the source with columns of which every text is a list in brackets read as lists."""
    frame = first_rows(source, _MAX_ROWS).select(pl.col(pl.String))
    texts = {column.name: [value.strip() for value in column if value and value.strip()] for column in frame}
    bracketed = {name: held for name, held in texts.items() if held and all(_is_list(text) for text in held)}
    if not bracketed:
        return source
    syntax = list_text.syntax_of([text for held in bracketed.values() for text in held])
    return _with_lists(source, frozenset(bracketed), syntax=syntax, in_text=True)


def _is_list(text: str) -> bool:
    """Whether a text is a list in brackets, of which some can be empty."""
    return list_text.is_bracketed(text) and any(list_text.elements(text, None, syntax) is not None for syntax in ("json", "python"))


def _objects(paths: Sequence[Path], read_keys: Mapping[str, Any]) -> RawFormat:
    """Read one JSON object per line, or JSON documents."""
    files = [SourceFile.of(path) for path in paths]
    if not any(map(is_document, files)):
        return _objects_on_lines(files, read_keys)
    _, _, files = resolve(_ROLE, "lists", files, ReadOptions(format="json"), PROCESS_SCRATCH)
    return replace(_objects_on_lines(files, read_keys), is_by_user=is_by_user(paths[0]))


def _objects_on_lines(files: Sequence[SourceFile], read_keys: Mapping[str, Any]) -> RawFormat:
    """Read one JSON object per line. `look` needs a column of users, and any key with plain values will do."""
    records = [json.loads(line) for line in sniff.head(files[0]) if _is_object(line)]
    keys = list(dict.fromkeys(key for record in records for key in record))
    if not keys:
        raise DataError(f"{files[0]}: it is no table of one JSON object per line (NDJSON)")
    plain = next((number for number, key in enumerate(keys, 1) if all(is_id(record.get(key)) for record in records)), 1)
    source = look(_ROLE, "people", [file.name for file in files], files, ReadOptions(format="ndjson", columns={"user": plain}))
    try:
        schema = schema_of_objects(source.files, _MAX_ROWS)
    except opening.FAILURES as error:
        raise explain(source, ReadError(str(error))) from None
    return _by_types(source, schema, read_keys)


def _typed(paths: Sequence[Path], format: Format) -> RawFormat:
    """Read Parquet, Arrow IPC or Delta, whose schema tells the columns; an Arrow stream is rewritten first."""
    files = [SourceFile.of(path) for path in paths]
    if format == "ipc":
        files = [replace(file, path=as_arrow_file(file.name, file, PROCESS_SCRATCH)) if is_stream(file.local) else file for file in files]
    schema: dict[str, pl.DataType] = {}
    for file in reversed(files):
        schema = stored_schema(file.name, file, format, ReadOptions())
    scan = Scan(tuple(file.address for file in files), format, {}, {})
    return _by_types(Source(_ROLE, "catalogue", tuple(map(str, files)), scan, {}, files=tuple(files)), schema, {})


def _by_types(source: Source, schema: Mapping[str, pl.DataType], read_keys: Mapping[str, Any]) -> RawFormat:
    """Read the columns of values and of lists of values as text, and leave out others but for the fields of lists of structs."""
    fields = fields_of(schema)
    schema = flattened(schema, fields)
    source = replace(source, scan=replace(source.scan, fields=fields))
    inner = {name: dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype for name, dtype in schema.items()}
    flat = [name for name, dtype in inner.items() if not (dtype.is_nested() or dtype in (pl.Binary, pl.Object) or panics_at(dtype))]
    if not flat:
        raise DataError(f"{source.given[0]}: it has no column of values")
    list_columns = frozenset(f"column_{number}" for number, name in enumerate(flat, 1) if schema[name].is_nested())
    nested_columns = tuple(name for name in schema if name not in flat)
    source = _with_lists(_all_columns(source, flat), list_columns)
    source = source if list_columns else _with_lists_in_brackets(source)
    return RawFormat(source, True, read_keys, nested_columns=nested_columns)


def _all_columns(source: Source, names: Iterable[str]) -> Source:
    """Return the source with every column read as text."""
    every = {f"column_{number}": name for number, name in enumerate(names, 1)}
    return replace(source, scan=replace(source.scan, names=every, kinds=dict.fromkeys(every, "text"), lists=frozenset()))


def _with_lists(
    source: Source, columns: frozenset[str], *, split: str | None = None, syntax: list_text.Syntax = "json", in_text: bool = False
) -> Source:
    """Return the source with lists in these columns only; those `in_text` are separated by `split`, or in brackets if that is `None`."""
    return replace(source, scan=replace(source.scan, lists=columns, lists_in_text=in_text, split=split, list_syntax=syntax))
