"""Read any file, without a role: its format, its columns and rows as text, and the keys that a config needs for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..errors import DataError
from . import opening, sniff
from .broken_rows import explain
from .columns import usual_roles
from .documents import is_by_user, is_document
from .folders import files_of_table, is_table
from .iceberg import is_iceberg, newest_metadata, newest_snapshot
from .list_columns import fields_of, flat_types, is_list, is_python_list, syntax_of
from .objects import first_objects, schema_of_objects
from .recode import settle_quotes
from .scan import Format, ReadError, ReadOptions, Scan, Syntax
from .source import PROCESS_SCRATCH, Source, as_arrow_file, resolve
from .source_file import SourceFile
from .text import has_trec_width, header_of, is_trec, separator_of, text_tables, trec_layout, trec_rows
from .typed import panics_at, panics_held_back, stored_schema

_ROLE: Final = "init"
"""The role of the files in messages."""
_MAX_ROWS: Final = 1_000
"""Number of rows that decide whether a column contains lists, and whether the first line is a header."""
_TREC_ENDINGS: Final[dict[str, str]] = {".run": "lists", ".trec": "lists", ".qrels": "interactions", ".qrel": "interactions"}
_TABBED: Final = (".tsv", ".tab", ".inter", ".item", ".user")
_LIST_SEPARATORS: Final = (" ", "|", ",")
"""Separators of items in a list in text that may look like the separator of fields."""


class RawTable(Struct, frozen=True):
    """A table of one file or several, with the columns `column_1`, `column_2`, … of text or of lists of text.

    `config_keys` are the keys that a config needs to read the table in this way. `table` is set if the format alone decides the kind of
    table, as for a TREC run. `nested_columns` have neither values nor lists of values, and are not read.
    """

    files: tuple[SourceFile, ...]
    scan: Scan
    has_header: bool = True
    config_keys: Mapping[str, Any] = {}
    table: str | None = None
    nested_columns: tuple[str, ...] = ()
    is_by_user: bool = False
    """True for a JSON document with an entry per user."""

    def first_rows(self, max_rows: int) -> pl.DataFrame:
        """Return the first rows without blank lines; raise `DataError` with file and line of an unreadable row."""
        try:
            with panics_held_back():
                rows = self.rows().head(max_rows).collect()
        except (*opening.FAILURES, ReadError) as error:
            raise self.error_for(error) from None
        # After collecting: a filter over thousands of columns takes Polars' optimiser minutes.
        return rows.filter(~pl.all_horizontal(pl.all().is_null())) if self.scan.format in ("csv", "lines") and rows.width else rows

    def rows(self) -> pl.LazyFrame:
        """Return all rows; blank lines of text are rows without a value."""
        types = {column: pl.List(pl.String) if column in self.scan.lists else pl.String for column in self.scan.names}
        return opening.raw(self.scan).select(pl.col(name).cast(types[column]).alias(column) for column, name in self.scan.names.items())

    def error_for(self, error: BaseException) -> DataError:
        """Return the error for rows that Polars could not read."""
        return explain(Source(_ROLE, "", tuple(map(str, self.files)), self.scan, {}, files=self.files), ReadError(str(error)))

    def with_columns(self, names: Iterable[str]) -> RawTable:
        """Return the same table with these columns, all of text."""
        every = {f"column_{number}": name for number, name in enumerate(names, 1)}
        return replace(self, scan=replace(self.scan, names=every, kinds=dict.fromkeys(every, "text"), lists=frozenset()))

    def with_lists(self, split: str, numbers: Iterable[int]) -> RawTable:
        """Return the same table with the columns of these numbers (from 1) read as lists in text."""
        table = self.with_list_columns(frozenset(f"column_{number}" for number in numbers), split=split, in_text=True)
        return replace(table, config_keys={**self.config_keys, "split": split})

    def with_list_columns(
        self, columns: frozenset[str], *, split: str | None = None, syntax: Syntax = "json", in_text: bool = False
    ) -> RawTable:
        """Return this table with lists in these columns only; lists `in_text` are separated by `split`, or in brackets if `None`."""
        return replace(self, scan=replace(self.scan, lists=columns, lists_in_text=in_text, split=split, list_syntax=syntax))


def raw_table(paths: Sequence[Path]) -> RawTable:
    """Detect how to read the files of one table; raise `DataError` if they are not a table. Copies live as long as this process."""
    files = [SourceFile.of(path) for path in paths]
    if is_iceberg(paths[0]):
        tables = [replace(file, path=newest_metadata(_ROLE, file.local)) for file in files]
        newest_snapshot(_ROLE, tables[0].name, tables[0].local, {})  # raises an error for an unreadable table
        return _typed(tables, "iceberg")
    if is_table(paths[0]):
        files_of_table(_ROLE, paths[0], {})  # the same
        return _typed(files, "delta")
    keys: dict[str, Any] = {}
    try:
        format = sniff.format_of(files[0])
    except DataError:  # the config must name the format, because neither the extension nor the first bytes show it
        sniff.refuse_objects(files[0])
        format, keys = _format_of_text(files[0])
    if format in ("parquet", "ipc"):
        return _typed(files, format)
    if format == "ndjson":
        return _objects(files, keys)
    return _trec(files, keys) or _text(files, keys)


def _format_of_text(file: SourceFile) -> tuple[Format, dict[str, Any]]:
    if is_document(file):
        return "ndjson", {"format": "json"}
    first = sniff.head(file)[0]  # raises an error for a file that is not text
    if first.lstrip().startswith("{") and not _is_object(first):
        raise DataError(f"{file}: it is not NDJSON (one JSON object per line)")
    format: Format = "ndjson" if first.lstrip().startswith("{") else "csv"
    return format, {"format": format}


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _trec(files: Sequence[SourceFile], keys: Mapping[str, Any]) -> RawTable | None:
    """Recognise a TREC file by its content, or by its extension if all lines have its fields and numbers; else return `None`."""
    lines = sniff.head(files[0])
    recognised = next((table for table in ("lists", "interactions") if is_trec(table, lines)), None)
    table = recognised or _TREC_ENDINGS.get(sniff.ending_of(files[0].local))
    if table is None:
        return None
    names = trec_layout("", table)
    for _, row in trec_rows(lines) if recognised is None else ():
        numbers = [value for name, value in zip(names, row, strict=False) if name in ("rank", "score", "rel")]
        if not (has_trec_width(row, names) and all(map(sniff.is_number, numbers))):
            return None
    raw = _separated(files, ReadOptions(format="trec"), table)
    return replace(raw, has_header=True, config_keys={} if recognised and not keys else {"format": "trec"}, table=table)


def _text(files: Sequence[SourceFile], keys: Mapping[str, Any]) -> RawTable:
    """Detect the separator, the header and the columns of lists of a text file."""
    separators = _user_and_list(files[0].local, sniff.head(files[0]))
    options = ReadOptions(format="csv", separator=separators[0] if separators else None, header=False)
    raw = _separated(files, options)
    fields = sniff.rows(sniff.head(raw.files[0]), raw.scan.separator, raw.scan.quotes)
    if header_of(fields, None, [], None).is_there:
        with_header = _separated(files, replace(options, header=True))
        names = with_header.scan.header
        # A first line without a number is nevertheless data if one of its values occurs again in the same column.
        rows = pl.DataFrame() if any(map(usual_roles, names)) else with_header.first_rows(_MAX_ROWS)
        is_data = any((column == name).any() for name, column in zip(names, rows, strict=False))
        raw = raw if is_data else with_header
    # A config needs keys for a separator and a header that the extension does not imply.
    usual = "\t" if sniff.ending_of(files[0].local) in _TABBED else ","
    unusual: dict[str, Any] = {} if raw.scan.separator == usual and "format" not in keys else {"separator": raw.scan.separator}
    raw = replace(raw, config_keys={**keys, **unusual, **({} if raw.scan.has_header else {"header": False})})
    return replace(raw.with_lists(separators[1], [2]), has_header=False) if separators else _with_lists_in_brackets(raw)


def _separated(files: Sequence[SourceFile], options: ReadOptions, table: str = "") -> RawTable:
    """Return the columns of separated text; of a TREC file those of `table`."""
    _, _, readable = resolve(_ROLE, table, files, options, PROCESS_SCRATCH)
    quoted = settle_quotes(_ROLE, readable, lambda file: separator_of(table, file, options), PROCESS_SCRATCH)
    first = text_tables(_ROLE, table, quoted, options)[0]
    scan = Scan(
        tuple(file.address for file in quoted.files),
        first.format,
        {},
        {},
        separator=first.separator,
        header=first.names,
        has_header=first.has_header,
        quotes=quoted.any,
        across_lines=quoted.across_lines,
    )
    return RawTable(tuple(quoted.files), scan, first.has_header).with_columns(first.names)


def _user_and_list(path: Path, lines: list[str]) -> tuple[str, str] | None:
    """Return the separators of fields and of items in lines with a user and a list of integers, without a header; else `None`.

    If all lists have the same length, the separator of items looks like that of fields.
    """
    items = sniff.separator_of(path, lines)
    fields = sniff.separator_of(path, lines, items) if items in _LIST_SEPARATORS else items
    rows = [sniff.split(line, fields) for line in lines if line.strip()]
    if fields == items or any(len(row) != 2 for row in rows):
        return None
    lists = [row[1].split(items) for row in rows]
    return (fields, items) if all(len(ids) > 1 and all(map(sniff.is_integer, ids)) for ids in lists) else None


def _with_lists_in_brackets(raw: RawTable) -> RawTable:
    """Return the same table with columns in which every text is a list in brackets read as lists."""
    frame = raw.first_rows(_MAX_ROWS).select(pl.col(pl.String))
    texts = {column.name: [value.strip() for value in column if value and value.strip()] for column in frame}
    bracketed = {name: held for name, held in texts.items() if held and all(is_list(text) or is_python_list(text) for text in held)}
    if not bracketed:
        return raw
    syntax = syntax_of([text for held in bracketed.values() for text in held])
    return raw.with_list_columns(frozenset(bracketed), syntax=syntax, in_text=True)


def _objects(files: Sequence[SourceFile], keys: Mapping[str, Any]) -> RawTable:
    """Read one JSON object per line, or JSON documents, whose rows may be lists by user."""
    _, _, readable = resolve(_ROLE, "lists", files, ReadOptions(format="json"), PROCESS_SCRATCH)
    if not any(json.loads(line) for line in sniff.head(readable[0]) if _is_object(line)):
        raise DataError(f"{readable[0]}: it is not NDJSON (one JSON object per line)")
    for file in readable:
        first_objects(file)
    is_entry_per_user = any(file.is_document for file in readable) and is_by_user(files[0].local)
    scan = Scan(tuple(file.address for file in readable), "ndjson", {}, {}, has_header=False)
    raw = RawTable(tuple(readable), scan, config_keys=keys, is_by_user=is_entry_per_user)
    try:
        schema = schema_of_objects(readable, _MAX_ROWS)
    except opening.FAILURES as error:
        raise raw.error_for(error) from None
    return _by_types(raw, schema)


def _typed(files: Sequence[SourceFile], format: Format) -> RawTable:
    """Read Parquet, Arrow IPC, Delta or Iceberg, whose schema names the columns."""
    readable = [as_arrow_file(file.name, file, PROCESS_SCRATCH) if format == "ipc" else file for file in files]
    first, *_ = [stored_schema(file.name, file, format, ReadOptions()) for file in readable]
    return _by_types(RawTable(tuple(readable), Scan(tuple(file.address for file in readable), format, {}, {})), first)


def _by_types(raw: RawTable, schema: Mapping[str, pl.DataType]) -> RawTable:
    """Read columns of values, lists of values, and fields of lists of structs as text; leave out all others."""
    fields = fields_of(schema)
    schema = flat_types(schema, fields)
    inner = {name: dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype for name, dtype in schema.items()}
    flat = [name for name, dtype in inner.items() if not (dtype.is_nested() or dtype in (pl.Binary, pl.Object) or panics_at(dtype))]
    if not flat:
        raise DataError(f"{raw.files[0]}: it has no columns of values")
    list_columns = frozenset(f"column_{number}" for number, name in enumerate(flat, 1) if schema[name].is_nested())
    nested_columns = tuple(name for name in schema if name not in flat)
    raw = replace(raw, scan=replace(raw.scan, fields=fields), nested_columns=nested_columns).with_columns(flat)
    return raw.with_list_columns(list_columns) if list_columns else _with_lists_in_brackets(raw)
