"""Files of one JSON object per line → how to scan them."""

from __future__ import annotations

import glob
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from ..errors import DataError
from . import lists, sniff
from .columns import ids_of, named, names_a_column
from .folders import kinds_held
from .how import How
from .opening import FAILURES
from .scan import Scan

_FLAT: Final = "write one value per row, or one text in which the values are separated"


def json_scan(role: str, table: str, paths: Sequence[Path], how: How) -> Scan:
    """How to scan files of one JSON object per line; `DataError` if they cannot be read as `how` says."""
    names: dict[str, None] = {}
    records: list[dict[str, Any]] = []
    for path in paths:
        found = _objects(path, sniff.head(path))
        _refuse_nested(path, found, table, how.labels)
        records += [record for _, record in found]
        names |= dict.fromkeys(name for _, record in found for name in record)
    where = f"{role}: {paths[0]}"
    stored = _all_keys(paths, tuple(names))
    columns, further = named(where, table, [*stored, *how.in_paths(stored)], how.columns, how.labels, True)
    held = how.used(columns | further, stored)
    having = [column for column, name in columns.items() if any(isinstance(record.get(name), list) for record in records)]
    values = {column: [value for record in records for value in _values(record.get(name))] for column, name in columns.items()}
    texts = {column: [_as_written(value) for value in found] for column, found in values.items()}
    return Scan(
        tuple(str(path) for path in paths),
        "ndjson",
        columns | further,
        {column: sniff.kind_of(column, texts[column], how.nulls) for column in columns}
        | kinds_held(where, columns, held)
        | dict.fromkeys(further, "text"),
        header=tuple(names),
        has_header=False,
        lists=lists.listed(where, table, having),
        loose=bool(how.nulls or how.decimal_comma),
        decimal_comma=bool(how.decimal_comma),
        nulls=how.nulls,
        partitions=held,
    )


def schema_of_objects(paths: Sequence[Path], max_rows: int | None = None) -> pl.Schema:
    """Return the keys of JSON objects and the types that hold the values of the first `max_rows` objects, or of all of them.

    Raises what Polars raises where an object cannot be read.
    """
    return pl.scan_ndjson([glob.escape(str(path)) for path in paths], infer_schema_length=max_rows).collect_schema()


def _all_keys(paths: Sequence[Path], names: tuple[str, ...]) -> tuple[str, ...]:
    """`names`, and the keys that occur only further on, such as a score that the first objects lack."""
    try:
        schema = schema_of_objects(paths)
    except FAILURES:
        return names  # the broken line is found, and named, when the rows are read
    return tuple(dict.fromkeys((*names, *schema)))


def _objects(path: Path, lines: Sequence[str]) -> list[tuple[int, dict[str, Any]]]:
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
        records.append((number, record))
    return records


def _refuse_nested(path: Path, records: Sequence[tuple[int, dict[str, Any]]], table: str, labels: Sequence[str]) -> None:
    """`DataError` if an id is an object or a fraction, or a label anything but a value."""
    ids = ids_of(table)
    for number, record in records:
        for name, value in record.items():
            if names_a_column(name, *ids):
                held = value if isinstance(value, list) and lists.may_hold_lists(table) else [value]
                wrong = [one for one in held if isinstance(one, dict | list | float)]
                if wrong:
                    raise DataError(f"{path}, line {number}: {wrong[0]!r} cannot be an id", "ids are integers or text")
        for name in labels:
            if isinstance(record.get(name), dict | list):
                raise DataError(f"{path}, line {number}: {name!r} is {record[name]!r}, where text was expected", _FLAT)


def _values(value: object) -> list[object]:
    return [one for one in (value if isinstance(value, list) else [value]) if one is not None]


def _as_written(value: object) -> str:
    return json.dumps(value)
