"""Decide how to scan files that store the types of their columns (Parquet, Arrow IPC), Delta and Iceberg tables, and frames."""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import polars as pl
from msgspec import Struct

from ..support.errors import DataError
from ..support.quoting import short
from . import list_columns, sniff
from .columns import CAST_IDS, FLAT, IDS, LARGEST_EXACT, ORDERING, named, public_name
from .iceberg import scan_table
from .list_columns import fields_of, flat_types, with_fields
from .made_columns import Nested, Wide, paths_in, side_by_side, with_nested, with_wide, with_wide_types
from .opening import FAILURES
from .remote import Remote
from .scan import KEY_COLUMN, Fields, Format, Kind, NumberType, ReadOptions, Scan
from .source_file import FrameFile, SourceFile, in_words, path_columns

_INTEGERS: Final = {pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64}
"""The integer types that need no conversion."""
_ROWS: Final = 1_000
"""Number of rows that decide whether text contains lists."""
_MOST_DIGITS: Final = 38
"""The most digits of decimal numbers that Polars reads."""
_AS_INTEGER: Final = f"if all are whole, read them as such: columns: {{item: {{column: …, as: integer}}}}; {CAST_IDS}"
_COMPLETE: Final = "check that it is complete"
_TIMES: Final = (
    "write dates, dates with times, or numbers since 1970; or rename the column, or choose another with columns: {timestamp: NAME}"
)


def typed_scan(role: str, table: str, files: Sequence[SourceFile], format: Format, options: ReadOptions) -> Scan:
    """Return the scan of Parquet or IPC files, or tables; raise `DataError` for a wrong file, or if `options` do not fit."""
    where = f"{role}: {files[0]}"
    schemas = {file: stored_schema(f"{role}: {file}", file, format, options) for file in files}
    paths = paths_in(schemas[files[0]], options)
    schemas = {file: {**schema, **(paths_in(schema, options).types if paths.types else {})} for file, schema in schemas.items()}
    fields = {**fields_of(schemas[files[0]]), **paths.fields} if list_columns.may_hold_lists(table) else {}
    if fields:
        schemas = {file: flat_types(schema, fields) for file, schema in schemas.items()}
    options, wide = side_by_side(where, [*schemas[files[0]]], options)
    as_text = {str(options.columns.get(role)) for role in options.integers}
    _refuse_odd_cells(role, schemas, wide, options)
    schemas = {file: with_wide_types(schema, wide, as_text) for file, schema in schemas.items()}
    source = _TypedSource(role, table, format, options, schemas, fields, paths.nested, wide)
    stored = {name for schema in schemas.values() for name in schema}
    of_paths = path_columns(files, stored)
    names, labels = _columns(source, of_paths)
    typed = {column: name for column, name in names.items() if name not in of_paths}
    nested = _nested_columns(source, typed)
    if format in ("delta", "iceberg") and table == "lists" and not nested and not {"position", "score"} & names.keys():
        kind = "a Delta" if format == "delta" else "an Iceberg"
        message = f"{where}: the rows of {kind} table have no order, and there is neither a rank nor a score column"
        raise DataError(message, "add one of them")
    samples = {} if nested else _texts(source, typed)
    if format == "ipc":
        _refuse_what_panics(source, dict.fromkeys([*typed.values(), *labels.values()]), {typed[column] for column in samples})
    lists, values = list_columns.text_lists(where, table, typed, samples, options.list_separator, nested=nested)
    single = {column: name for column, name in typed.items() if column not in values}
    kinds = {column: _kind(source, column, name, column in nested) for column, name in single.items()}
    for name in (name for column, name in labels.items() if column.startswith(KEY_COLUMN) and name not in of_paths):
        _kind(source, "user", name, False)
    numbers = {column: name for column, name in single.items() if kinds[column] == "number"}
    return sniff.scan_of(
        where,
        files,
        options,
        names | labels,
        stored,
        values,
        format=format,
        kinds=kinds | {column: "text" if column in IDS else "number" for column in values},
        vectors=frozenset(
            column for column, name in labels.items() if any(schema.get(name, pl.Null).is_nested() for schema in schemas.values())
        ),
        fields=fields,
        nested=paths.nested,
        wide=wide,
        has_dates="timestamp" in single
        and all(dtype.is_temporal() for dtype in source.types(single["timestamp"], "timestamp" in nested).values()),
        numbers=_number_types(source, numbers, nested),
        **lists,
        storage=options.storage,
    )


class _TypedSource(Struct, frozen=True):
    """The files of a source, and the columns of each, with lists of structs replaced by their `fields`."""

    role: str
    table: str
    format: Format
    options: ReadOptions
    schemas: Mapping[SourceFile, Mapping[str, pl.DataType]]
    fields: Fields
    nested: Nested
    wide: Wide

    def first_rows(self, file: SourceFile, columns: Sequence[pl.Expr], n: int, fields: Collection[str] = ()) -> pl.DataFrame:
        """Return columns of the first `n` rows of a file, including `fields`; raise `DataError` if Polars cannot read it."""
        with refusing_unreadable(f"{self.role}: {file}", file, self.format):
            rows = with_fields(with_nested(typed_rows(file, self.format, self.options), self.nested), self.fields, fields)
            return with_wide(rows, self.wide).select(columns).head(n).collect()

    def types(self, name: str, listed: bool) -> dict[SourceFile, pl.DataType]:
        """Return the type of the values of a column, or of its lists, in each file."""
        stored = {file: schema[name] for file, schema in self.schemas.items()}
        return {file: pl.Series(dtype=dtype).explode().dtype if listed else dtype for file, dtype in stored.items()}

    def largest(self, file: SourceFile, name: str) -> int:
        """Return the largest absolute value of the integers of a column, or of its lists."""
        value = pl.col(name).explode() if self.schemas[file][name].is_nested() else pl.col(name)
        return self.first_rows(file, [value.cast(pl.Int128).abs().max()], 1, [name]).item() or 0


def _refuse_odd_cells(role: str, schemas: Mapping[SourceFile, Mapping[str, pl.DataType]], wide: Wide, options: ReadOptions) -> None:
    """Raise `DataError` for a column of items side by side that a file lacks, or whose type cannot be an id."""
    for file, schema in schemas.items():
        for name, cell in ((name, cell) for name, cells in wide.items() for cell in cells):
            if cell not in schema:
                raise DataError(f"{role}: {file}: no column {cell!r}, which other files have", "write all parts in the same way")
            if name != options.columns.get("item"):
                continue
            if _is_no_id(schema[cell]) and schema[cell] != pl.Null and not (schema[cell].is_float() and "item" in options.integers):
                message = f"{role}: {file}: column {cell!r} is of type {schema[cell]} and cannot be an id"
                raise DataError(message, _AS_INTEGER if schema[cell].is_float() else CAST_IDS)


def _columns(source: _TypedSource, of_paths: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of the columns with a role, and of the labels; raise `DataError` if files differ in them."""
    names: dict[str, str] = {}
    labels: dict[str, str] = {}
    options = source.options
    for file, schema in source.schemas.items():
        is_flat = not source.wide and not any(
            dtype.is_nested() for dtype in schema.values()
        )  # a number next to a list belongs to the whole list
        numbers = [name for name, dtype in schema.items() if is_flat and dtype.is_numeric()]
        here, labels = named(f"{source.role}: {file}", source.table, [*schema, *of_paths], options, None, numbers)
        names = names or here
        if here != names:
            has, others = (", ".join(sorted(columns.values())) for columns in (here, names))
            first = next(iter(source.schemas))
            message = f"{source.role}: of {file} the columns {has} would be read, but in {first} {others}"
            raise DataError(message, "set them in the config")
    for file, schema in source.schemas.items():
        for name in (name for name in labels.values() if name not in of_paths):
            dtype = schema[name]
            if name in options.vectors and isinstance(dtype, pl.List | pl.Array) and dtype.inner.is_numeric():
                continue
            if dtype.is_nested() or dtype in (pl.Binary, pl.Object) or panics_at(dtype):
                message = f"{source.role}: {file}: column {name!r} is of type {dtype}, where text was expected"
                raise DataError(message, FLAT)
    return names, labels


def _nested_columns(source: _TypedSource, names: Mapping[str, str]) -> frozenset[str]:
    """Return the canonical columns with lists, if rows of the table may have lists; otherwise their type is refused later."""
    nested = []
    for file, schema in source.schemas.items():
        here = [column for column, name in names.items() if isinstance(schema[name], pl.List | pl.Array)]
        allowed = list_columns.may_hold_lists(source.table) and "item" in here
        nested.append(list_columns.as_list_columns(f"{source.role}: {file}", source.table, here) if allowed else frozenset())
        if nested[-1] != nested[0]:
            message = f"{source.role}: {file} contains lists in different columns than {next(iter(source.schemas))}"
            raise DataError(message, "write all parts in the same way")
    return nested[0]


def _texts(source: _TypedSource, names: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the first texts of every text column, and the users, if the items are text that may contain lists."""
    types = {column: [schema[name] for schema in source.schemas.values()] for column, name in names.items()}
    may_hold_lists = list_columns.may_hold_lists(source.table) and source.options.may_split
    if not may_hold_lists or any(dtype != pl.String for dtype in types["item"]):
        return {}
    looked_at = [
        column for column in names if all(dtype == pl.String or (column == "user" and not _is_no_id(dtype)) for dtype in types[column])
    ]
    texts = [pl.col(names[column]).cast(pl.String).fill_null("").alias(column) for column in looked_at]
    return source.first_rows(next(iter(source.schemas)), texts, _ROWS).to_dict(as_series=False)


def _refuse_what_panics(source: _TypedSource, names: Collection[str], sampled: Collection[str]) -> None:
    """Raise `DataError` for text of an Arrow file on which Polars panics, such as compressed string_view without any long text.

    The first row of each file is read (of the first file without the `sampled` columns), and the output of a panic is suppressed.
    """
    for number, (file, schema) in enumerate(source.schemas.items()):
        texts = [pl.col(name) for name in names if schema.get(name) == pl.String and (number > 0 or name not in sampled)]
        if texts:
            source.first_rows(file, texts, 1)


def _kind(source: _TypedSource, column: str, name: str, listed: bool) -> Kind:
    """Return the kind of a column over all files, text as soon as one stores text; raise `DataError` for an invalid type."""
    kinds: list[Kind] = []
    for file, dtype in source.types(name, listed).items():
        is_of_type = f"{source.role}: {file}: column {name!r} is of type {dtype}"
        if panics_at(dtype):
            raise DataError(f"{is_of_type}, which Polars cannot read", "write numbers of fewer digits, or text")
        if column in source.options.integers and (dtype.is_numeric() or dtype in (pl.String, pl.Null)):
            kinds.append("integer")
        elif column == "timestamp":
            if not _is_time(dtype):
                raise DataError(f"{is_of_type}, where dates or numbers since 1970 were expected", _TIMES)
            kinds.append("time")
        elif column not in IDS:
            if not dtype.is_numeric() and not (column == "rating" and dtype == pl.Boolean):
                raise DataError(f"{is_of_type}, where {column} must be a number")
            kinds.append("number")
        elif _is_no_id(dtype):
            raise DataError(f"{is_of_type} and cannot be an id", CAST_IDS)
        elif dtype == pl.UInt64 or isinstance(dtype, pl.Decimal):
            kinds.append("integer" if source.largest(file, name) < 2**63 else "text")
        else:
            kinds.append("integer" if dtype in _INTEGERS else "text")
    return "text" if "text" in kinds else kinds[0]


def _is_no_id(dtype: pl.DataType) -> bool:
    """Return whether a column of ids cannot have this type: neither whole numbers nor values with a unique text."""
    return dtype.is_nested() or (dtype.is_numeric() and not _is_whole(dtype)) or dtype in (pl.Binary, pl.Object, pl.Null, pl.Duration)


def _is_time(dtype: pl.DataType) -> bool:
    """Return whether values of a type can be times since 1970: dates, numbers and texts, not times of a day."""
    is_kind = dtype.is_numeric() or dtype.is_temporal() or dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)
    return is_kind and dtype not in (pl.Time, pl.Duration)


def _is_whole(dtype: pl.DataType) -> bool:
    return dtype.is_integer() or dtype == pl.Boolean or (isinstance(dtype, pl.Decimal) and not dtype.scale)


def _number_types(source: _TypedSource, names: Mapping[str, str], nested: Collection[str]) -> dict[str, NumberType]:
    """Return the types of columns of numbers that are not read as stored: one type in all files, which supports arithmetic.

    Raises `DataError` if the numbers that order lists are integers only in some files and too large to be compared.
    """
    number_types: dict[str, NumberType] = {}
    for column, name in names.items():
        types = source.types(name, column in nested)
        whole = [file for file, dtype in types.items() if _is_whole(dtype)]
        if len(whole) == len(types):
            if len(types) > 1 or not {*types.values()} <= _INTEGERS:
                number_types[column] = "whole"
        elif len(types) > 1 or any(dtype.is_decimal() for dtype in types.values()):
            number_types[column] = "real"
            for file in whole if column in ORDERING else ():
                if source.largest(file, name) > LARGEST_EXACT:
                    stores = f"{source.role}: {file} stores {public_name(column)} as integers"
                    hint = "write all parts with the same type of numbers"
                    raise DataError(
                        f"{stores}, and they are too large to be compared exactly with the decimal numbers of other files", hint
                    )
    return number_types


def stored_schema(where: str, file: SourceFile, format: Format, options: ReadOptions) -> dict[str, pl.DataType]:
    """Return the columns of a file with their types; raise `DataError` if it cannot be read, or Polars does not know a type."""
    is_far_stream = isinstance(file.path, Remote) and format == "ipc"
    hint = f"{_COMPLETE} Arrow streams are read from local files only" if is_far_stream else _COMPLETE
    with refusing_unreadable(where, file, format, hint):
        if isinstance(file.path, Path) and format == "ipc":
            return dict(pl.read_ipc_schema(file.path))
        # here a name is not a pattern, unlike in functions of Polars that only read a schema
        return dict(typed_rows(file, format, options).collect_schema())


@contextmanager
def refusing_unreadable(where: str, file: SourceFile, format: str, hint: str = _COMPLETE) -> Iterator[None]:
    """Convert exceptions of Polars, including panics at broken files, into `DataError`."""
    try:
        with panics_held_back():
            yield
    except FAILURES as error:
        message = f"{where}: not a readable {format} file"
        if isinstance(error, pl.exceptions.PanicException):
            message = f"{where}: Polars cannot read this {format} file"
            hint = f"{hint} If so, write its columns in simple types: integers, numbers, text (string, not string_view), or lists of these"
        said = short(next(iter(in_words(error, file).splitlines()), type(error).__name__))
        raise DataError(f"{message} ({said})", hint) from error


def typed_rows(file: SourceFile, format: Format, options: ReadOptions) -> pl.LazyFrame:
    """Return the rows of a file with typed columns, or of a frame, as they are stored."""
    if isinstance(file.path, FrameFile):
        return file.path.frame
    storage = dict(options.storage) or None
    if format == "delta":
        return pl.scan_delta(file.address, storage_options=storage)
    if format == "iceberg":
        return scan_table(file.address, options.storage)
    return (pl.scan_parquet if format == "parquet" else pl.scan_ipc)(file.address, glob=False, storage_options=storage)


def temporary_rows(file: Path) -> pl.LazyFrame:
    """Return the rows of a temporary Arrow file written by receval, lazily."""
    return pl.scan_ipc(file, glob=False)


def stored_rows(file: Path) -> pl.LazyFrame:
    """Return the rows of a Parquet file that this process wrote, lazily."""
    return pl.scan_parquet(file, glob=False)


def panics_at(dtype: object) -> bool:
    """Return whether Polars panics at values of a type: decimal numbers of more than 38 digits."""
    return isinstance(dtype, pl.Decimal) and dtype.precision > _MOST_DIGITS


@contextmanager
def panics_held_back() -> Iterator[None]:
    """Suppress the output of a panic for the developers of Polars, before our own message.

    Only if the command line asks for it (RECEVAL_DEBUG is 0), because another program may write to standard error.
    """
    if os.environ.get("RECEVAL_DEBUG") != "0":
        yield
        return
    before, (end, start) = os.dup(2), os.pipe()
    os.set_blocking(start, False)  # output that does not fit is lost, and nothing blocks
    os.dup2(start, 2)
    with_faults = not faulthandler.is_enabled()
    if with_faults:  # some damage makes Polars end the process; then at least the place is printed
        faulthandler.enable(before)
    try:
        yield
    finally:
        if with_faults:
            faulthandler.disable()
        os.dup2(before, 2)
        os.close(before)
        os.close(start)
        with os.fdopen(end, "rb") as printed:
            text = printed.read()
        if text and b"panicked at" not in text:
            with suppress(OSError):  # output that standard error cannot take is lost
                os.write(2, text)
