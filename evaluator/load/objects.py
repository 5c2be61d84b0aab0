"""Files of one JSON object per line → how to scan them."""

from __future__ import annotations

import glob
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import DataError
from . import list_columns, sniff
from .columns import named
from .folders import path_column_kinds
from .json_values import refuse_odd_values
from .memory_maps import avoid_memory_maps
from .opening import FAILURES
from .read_options import ReadOptions
from .scan import Scan


def json_scan(role: str, table: str, paths: Sequence[Path], options: ReadOptions) -> Scan:
    """How to scan files of one JSON object per line; `DataError` if they cannot be read as `options` says."""
    names: dict[str, None] = {}
    records: list[dict[str, Any]] = []
    for path in paths:
        head = _objects(path, sniff.head(path))
        records += head
        names |= dict.fromkeys(name for record in head for name in record)
    where = f"{role}: {paths[0]}"
    stored = _all_keys(paths, tuple(names))
    columns, label_columns = named(where, table, [*stored, *options.path_columns(stored)], options.columns, options.labels, True)
    partitions = options.partitions_of(columns | label_columns, stored)
    nested = [column for column, name in columns.items() if any(isinstance(record.get(name), list) for record in records)]
    refuse_odd_values(role, paths, columns | label_columns, nested if list_columns.may_hold_lists(table) else ())
    values = {column: [value for record in records for value in _values(record.get(name))] for column, name in columns.items()}
    texts = {column: [_as_written(value) for value in held] for column, held in values.items()}
    return Scan(
        tuple(str(path) for path in paths),
        "ndjson",
        columns | label_columns,
        {column: sniff.kind_of(column, texts[column], options.nulls) for column in columns}
        | path_column_kinds(where, columns, partitions)
        | dict.fromkeys(label_columns, "text"),
        header=tuple(names),
        has_header=False,
        lists=list_columns.as_list_columns(where, table, nested),
        numbers=sniff.number_types(texts),
        loose=bool(options.nulls or options.decimal_comma),
        decimal_comma=bool(options.decimal_comma),
        nulls=options.nulls,
        partitions=partitions,
    )


def schema_of_objects(paths: Sequence[Path], max_rows: int | None = None) -> pl.Schema:
    """Return the keys of JSON objects and the types that hold the values of the first `max_rows` objects, or of all of them.

    Raises what Polars raises where an object cannot be read.
    """
    avoid_memory_maps()
    return pl.scan_ndjson([glob.escape(str(path)) for path in paths], infer_schema_length=max_rows).collect_schema()


def _all_keys(paths: Sequence[Path], names: tuple[str, ...]) -> tuple[str, ...]:
    """`names`, and the keys that occur only further on, such as a score that the first objects lack."""
    try:
        schema = schema_of_objects(paths)
    except FAILURES:
        return names  # the broken line is found, and named, when the rows are read
    return tuple(dict.fromkeys((*names, *schema)))


def _objects(path: Path, lines: Sequence[str]) -> list[dict[str, Any]]:
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}, line {number}: not JSON ({error})") from None
        if not isinstance(record, dict):
            raise DataError(f'{path}, line {number}: a JSON object was expected, such as {{"user": 1, "item": 2}}')
        records.append(record)
    return records


def _values(value: object) -> list[object]:
    return [element for element in (value if isinstance(value, list) else [value]) if element is not None]


def _as_written(value: object) -> str:
    return json.dumps(value)
