"""Files of one JSON object per line → how to scan them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ..errors import DataError
from . import list_columns, sniff
from .columns import named
from .json_values import refuse_odd_values
from .list_columns import fields_of, flattened, value_of
from .opening import FAILURES, unmapped
from .scan import Fields, ReadOptions, Scan
from .source_file import SourceFile, path_columns


def json_scan(role: str, table: str, files: Sequence[SourceFile], options: ReadOptions) -> Scan:
    """How to scan files of one JSON object per line; `DataError` if they cannot be read as `options` says."""
    names: dict[str, None] = {}
    records: list[dict[str, Any]] = []
    schema, split = _schema(files), options.list_separator
    fields = fields_of(schema) if list_columns.may_hold_lists(table) else {}
    for file in files:
        head = [_flat(record, fields) for record in first_objects(file)]
        records += head
        names |= dict.fromkeys(name for record in head for name in record)
    where = f"{role}: {files[0]}"
    stored = tuple(dict.fromkeys((*names, *(flattened(schema, fields) if fields else schema))))
    columns, label_columns = named(where, table, [*stored, *path_columns(files, stored)], options.columns, options.labels, True)
    held = {column: [record.get(name) for record in records] for column, name in columns.items()}
    listed = [column for column in columns if any(isinstance(one, list) for one in held[column])]
    refuse_odd_values(role, files, columns | label_columns, listed if list_columns.may_hold_lists(table) else (), fields)
    nested = list_columns.as_list_columns(where, table, listed)
    samples = {} if nested else _samples(table, held, options)
    in_text, syntax, in_lists = list_columns.text_lists(where, table, {column: columns[column] for column in samples}, samples, split)
    values = {column: [json.dumps(one) for one in _values(held[column])] for column in columns} | in_lists
    return sniff.scan_of(
        where,
        files,
        options,
        columns | label_columns,
        stored,
        format="ndjson",
        kinds={column: sniff.kind_of(column, values[column], options.nulls) for column in columns},
        header=tuple(names),
        has_header=False,
        lists=nested or in_text,
        fields={name: fields[name] for name in columns.values() if name in fields},
        lists_in_text=bool(in_text),
        list_syntax=syntax,
        numbers=sniff.number_types(values),
        loose=bool(options.nulls or options.decimal_comma),
        decimal_comma=bool(options.decimal_comma),
    )


def schema_of_objects(files: Sequence[SourceFile], max_rows: int | None = None) -> pl.Schema:
    """Return the keys of JSON objects and the types that hold the values of the first `max_rows` objects, or of all of them.

    Raises what Polars raises where an object cannot be read.
    """
    return pl.scan_ndjson([unmapped(file.address) for file in files], infer_schema_length=max_rows).collect_schema()


def _schema(files: Sequence[SourceFile]) -> Mapping[str, pl.DataType]:
    """All keys, also those that occur only further on, such as a score that the first objects lack."""
    try:
        return schema_of_objects(files)
    except FAILURES:
        return {}  # the broken line is found, and named, when the rows are read


def _flat(record: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """An object with the fields of lists of objects as lists of their own."""
    if not fields:
        return record
    structs = {column for column, _ in fields.values()}
    plain = {name: value for name, value in record.items() if name not in structs}
    return plain | {name: value_of(record, name, fields) for name, (column, _) in fields.items() if column in record}


def _samples(table: str, held: Mapping[str, Sequence[Any]], options: ReadOptions) -> dict[str, list[str]]:
    """The texts of every column of text, and the users as text, if the items are text that may hold lists."""
    if not list_columns.may_hold_lists(table) or not options.may_split or not _are_texts(held["item"]):
        return {}
    return {
        column: ["" if value is None else str(value) for value in values]
        for column, values in held.items()
        if column == "user" or _are_texts(values)
    }


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values if value is not None)


def first_objects(file: SourceFile) -> list[dict[str, Any]]:
    """The first objects of a file; `DataError` names the line of what is none."""
    records = []
    for number, line in enumerate(sniff.head(file), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{file.line(number)}: not JSON ({error})") from None
        if not isinstance(record, dict):
            raise DataError(f'{file.line(number)}: a JSON object was expected, such as {{"user": 1, "item": 2}}')
        records.append(record)
    return records


def _values(held: Sequence[object]) -> list[object]:
    """The values of a column, lists taken apart."""
    return [element for value in held for element in (value if isinstance(value, list) else [value]) if element is not None]
