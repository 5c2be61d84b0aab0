"""Files with types of their own (Parquet, Arrow IPC, Delta) → how to scan them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

import polars as pl

from ..errors import DataError
from . import list_columns, sniff
from .columns import CAST_IDS, IDS, LARGEST_EXACT, ORDERING, named, public_name
from .folders import path_column_kinds
from .json_values import FLAT
from .list_fields import fields_of, flattened, with_fields
from .read_options import ReadOptions
from .scan import Format, Kind, NumberType, Scan
from .source_file import SourceFile, partitions_of, path_columns
from .typed_file import panics_at, refusing_unreadable, scan, stored_schema

_INTEGERS: Final = {pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64}
"""The types of integers that are computed with as they are stored."""
_Schemas = Mapping[SourceFile, Mapping[str, pl.DataType]]
_Largest = Callable[[SourceFile, str], int]
_ROWS: Final = 1_000
"""So many rows are looked at to tell whether text holds lists."""


def typed_scan(role: str, table: str, files: Sequence[SourceFile], format: Format, options: ReadOptions) -> Scan:
    """How to scan Parquet or IPC files, or Delta tables; `DataError` if one is none, or cannot be read as `options` says."""
    where, split = f"{role}: {files[0]}", options.list_separator
    schemas: _Schemas = {file: stored_schema(f"{role}: {file}", file, format, options) for file in files}
    fields = fields_of(schemas[files[0]]) if list_columns.may_hold_lists(table) else {}
    if fields:
        schemas = {file: flattened(schema, fields) for file, schema in schemas.items()}
    stored = {name for schema in schemas.values() for name in schema}
    of_paths = path_columns(files, stored)
    names, label_columns = _columns(role, table, schemas, of_paths, options)
    for file, schema in schemas.items():
        for name in (name for name in options.labels if name not in of_paths):
            if schema[name].is_nested() or schema[name] in (pl.Binary, pl.Object) or panics_at(schema[name]):
                message = f"{role}: {file}: column {name!r} is of type {schema[name]}, where text was expected"
                raise DataError(message, FLAT)
    typed = {column: name for column, name in names.items() if name not in of_paths}
    nested = _nested_columns(role, table, schemas, typed)
    if format == "delta" and table == "lists" and not nested and not {"position", "score"} & names.keys():
        raise DataError(
            f"{where}: the rows of a Delta table have no order, and there is neither a rank nor a score column", "add one of them"
        )
    partitions = partitions_of(files, names | label_columns, stored)
    samples = {} if nested else _texts(role, table, schemas, typed, format, options)
    if format == "ipc":
        _refuse_what_panics(role, schemas, [*typed.values(), *label_columns.values()], {typed[column] for column in samples}, options)
    in_text, syntax, values = list_columns.text_lists(where, table, {column: typed[column] for column in samples}, samples, split)
    kinds: dict[str, Kind] = {column: "text" if column in IDS else "number" for column in in_text}

    def largest(file: SourceFile, name: str) -> int:
        """The largest of the integers of a column, or of its lists, signs left out."""
        value = pl.col(name).explode() if schemas[file][name].is_nested() else pl.col(name)
        with refusing_unreadable(f"{role}: {file}", file, format):
            rows = with_fields(scan(file, format, options), fields, [name])
            return rows.select(value.cast(pl.Int128).abs().max()).collect().item() or 0

    for column in typed.keys() - in_text:
        kinds[column] = _kind_in_all(column, typed[column], schemas, column in nested, role, largest)
    stored_numbers = {column: name for column, name in typed.items() if kinds[column] == "number" and column not in in_text}
    return Scan(
        paths=tuple(file.address for file in files),
        format=format,
        names=names | label_columns,
        kinds=kinds | path_column_kinds(where, names, partitions) | dict.fromkeys(label_columns, "text"),
        lists=nested or in_text,
        fields={name: fields[name] for name in names.values() if name in fields},
        lists_in_text=bool(in_text),
        split=split,
        list_syntax=syntax,
        numbers=sniff.number_types(values) | _number_types(role, stored_numbers, schemas, nested, largest),
        nulls=options.nulls,
        partitions=partitions,
        storage=options.storage,
    )


def _columns(
    role: str, table: str, schemas: _Schemas, of_paths: Sequence[str], options: ReadOptions
) -> tuple[dict[str, str], dict[str, str]]:
    """The names of the columns that have a role, and of the labels; `DataError` if files differ in them."""
    names: dict[str, str] = {}
    label_columns: dict[str, str] = {}
    first = next(iter(schemas))
    for file, schema in schemas.items():
        found, label_columns = named(f"{role}: {file}", table, [*schema, *of_paths], options.columns, options.labels, None)
        names = names or found
        if found != names:
            has, others = (", ".join(sorted(columns.values())) for columns in (found, names))
            raise DataError(f"{role}: of {file} the columns {has} would be read, but in {first} {others}", "set them in the config")
    return names, label_columns


def _nested_columns(role: str, table: str, schemas: _Schemas, names: Mapping[str, str]) -> frozenset[str]:
    """The canonical columns that hold lists, in a table of which a row may; elsewhere they are refused by their type."""
    nested = []
    for file, schema in schemas.items():
        nested_here = [column for column, name in names.items() if isinstance(schema[name], pl.List | pl.Array)]
        allowed = list_columns.may_hold_lists(table) and "item" in nested_here
        nested.append(list_columns.as_list_columns(f"{role}: {file}", table, nested_here) if allowed else frozenset())
        if nested[-1] != nested[0]:
            raise DataError(
                f"{role}: {file} contains lists in different columns than {next(iter(schemas))}", "write all parts in the same way"
            )
    return nested[0]


def _texts(
    role: str, table: str, schemas: _Schemas, names: Mapping[str, str], format: Format, options: ReadOptions
) -> dict[str, list[str]]:
    """The first texts of every column of text, and of users beside them, if the items are text that may hold lists."""
    if (
        not list_columns.may_hold_lists(table)
        or not options.may_split
        or not all(schema[names["item"]] == pl.String for schema in schemas.values())
    ):
        return {}
    looked_at = {
        column: name
        for column, name in names.items()
        if all(schema[name] == pl.String or (column == "user" and not _is_no_id(schema[name])) for schema in schemas.values())
    }
    file = next(iter(schemas))
    with refusing_unreadable(f"{role}: {file}", file, format):
        first = scan(file, format, options).select(pl.col(name).cast(pl.String).alias(column) for column, name in looked_at.items())
        frame = first.head(_ROWS).collect()
    return {column: frame[column].fill_null("").to_list() for column in looked_at}


def _refuse_what_panics(role: str, schemas: _Schemas, names: Sequence[str], sampled: Collection[str], options: ReadOptions) -> None:
    """`DataError` for text of an Arrow file at which Polars panics, such as compressed string_view without any long text.

    A first row is read of each file, with what a panic prints held back; of the first file not what was `sampled`.
    """
    for number, (file, schema) in enumerate(schemas.items()):
        texts = [name for name in names if schema.get(name) == pl.String and (number > 0 or name not in sampled)]
        if texts:
            with refusing_unreadable(f"{role}: {file}", file, "ipc"):
                scan(file, "ipc", options).select(texts).head(1).collect()


def _kind_in_all(column: str, name: str, schemas: _Schemas, listed: bool, role: str, largest: _Largest) -> Kind:
    """The kind of a column over all files: text as soon as one stores it so."""
    kinds = [
        _kind(f"{role}: {file}", column, name, _single(schema[name], listed), partial(largest, file, name))
        for file, schema in schemas.items()
    ]
    return "text" if "text" in kinds else kinds[0]


def _number_types(
    role: str, names: Mapping[str, str], schemas: _Schemas, nested: Collection[str], largest: _Largest
) -> dict[str, NumberType]:
    """The types of columns of numbers that are read otherwise than stored: alike in all files, and such as can be computed with.

    `DataError` if the numbers that order lists are integers in one file and not in another, and too large to be compared.
    """
    number_types: dict[str, NumberType] = {}
    for column, name in names.items():
        types = {file: _single(schema[name], column in nested) for file, schema in schemas.items()}
        whole = [file for file, dtype in types.items() if dtype.is_integer() or (isinstance(dtype, pl.Decimal) and not dtype.scale)]
        if len(whole) == len(types):
            if len(types) > 1 or not {*types.values()} <= _INTEGERS:
                number_types[column] = "whole"
        elif len(types) > 1 or any(dtype.is_decimal() for dtype in types.values()):
            number_types[column] = "real"
            for file in whole if column in ORDERING else ():
                if largest(file, name) > LARGEST_EXACT:
                    raise DataError(
                        f"{role}: {file} stores {public_name(column)} as integers, too large to be compared with other files' fractions",
                        "write all parts with the same type of numbers",
                    )
    return number_types


def _single(dtype: pl.DataType, listed: bool) -> pl.DataType:
    """The type of a value of a column, or of its lists."""
    return pl.Series(dtype=dtype).explode().dtype if listed else dtype


def _kind(where: str, column: str, name: str, dtype: pl.DataType, largest: Callable[[], int]) -> Kind:
    if panics_at(dtype):
        raise DataError(f"{where}: column {name!r} is of type {dtype}, which Polars cannot read", "write numbers of fewer digits, or text")
    if column in IDS:
        if dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
            return "integer"
        if dtype == pl.UInt64 or (isinstance(dtype, pl.Decimal) and not dtype.scale):
            return "integer" if largest() < 2**63 else "text"
        if _is_no_id(dtype):
            raise DataError(f"{where}: column {name!r} is of type {dtype} and cannot be an id", CAST_IDS)
        return "text"
    if column == "timestamp":
        return "time"
    if not dtype.is_numeric():
        raise DataError(f"{where}: column {name!r} is of type {dtype}, where {column} must be a number")
    return "number"


def _is_no_id(dtype: pl.DataType) -> bool:
    """Whether a column of ids cannot have this type: no whole number, and nothing that has one text."""
    is_number = dtype.is_numeric() and not dtype.is_integer() and not (isinstance(dtype, pl.Decimal) and not dtype.scale)
    return dtype.is_nested() or is_number or dtype in (pl.Binary, pl.Object, pl.Null, pl.Duration)
