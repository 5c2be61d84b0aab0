"""Text files → how to scan them: separator, header, which column is which, and what their fields hold."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from ..engine.base import Kind, Scan
from ..errors import DataError
from . import lists, sniff, trec
from .columns import IDS, ids_of, named, names_a_column
from .how import How

_FLAT: Final = "write one value per row, or one text in which the values are separated"
_TYPED_NAME: Final = re.compile(r"(?P<name>[^:]+):(token|token_seq|float|float_seq)")
"""A column name of a RecBole file."""


@dataclass(frozen=True)
class _Table:
    """The first rows of a text file: the names of its columns, each row's fields by name, and how fields are told apart."""

    names: tuple[str, ...]
    rows: list[dict[str, str]]
    separator: str = ","
    quoted: bool = True
    has_header: bool = False
    named: bool = False
    """Whether the format names the columns, so that a header need not."""


def text_scan(role: str, table: str, paths: Sequence[Path], how: How) -> Scan:
    """How to scan files of separated text; `DataError` if they cannot be read as `how` says."""
    first, *others = tables = [_separated(role, table, path, how) for path in paths]
    for path, other in zip(paths[1:], others, strict=True):
        if other.names != first.names:
            raise DataError(f"{role}: {path} has the columns {', '.join(other.names)}, but {paths[0]} has {', '.join(first.names)}")
    rows = [row for one in tables for row in one.rows]
    columns, further = named(f"{role}: {paths[0]}", table, first.names, how.columns, how.labels, first.has_header or first.named)
    samples = {column: [row.get(name, "") for row in rows] for column, name in columns.items()}
    having = lists.in_text(columns, samples, how.split) if lists.may_hold_lists(table) else []
    holding = lists.listed(f"{role}: {paths[0]}", table, having)
    values = {
        column: [value for text in texts for value in lists.elements(text, how.split)] if column in holding else texts
        for column, texts in samples.items()
    }
    numbers = [value for column, texts in values.items() if column not in IDS for value in texts]
    comma = _decimal_comma(first.separator, numbers) if how.decimal_comma is None else how.decimal_comma
    return Scan(
        tuple(str(path) for path in paths),
        "csv" if first.quoted else "lines",
        columns | further,
        {column: _kind(column, texts, how.nulls) for column, texts in values.items()} | dict.fromkeys(further, "text"),
        first.separator,
        first.names,
        first.has_header,
        lists=holding,
        split=how.split,
        loose=comma or bool(how.nulls) or any(_is_word(value) for value in numbers),
        decimal_comma=comma,
        nulls=how.nulls,
    )


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
    columns, further = named(where, table, _all_keys(paths, tuple(names)), how.columns, how.labels, True)
    having = [column for column, name in columns.items() if any(isinstance(record.get(name), list) for record in records)]
    values = {column: [value for record in records for value in _values(record.get(name))] for column, name in columns.items()}
    texts = {column: [_as_written(value) for value in found] for column, found in values.items()}
    return Scan(
        tuple(str(path) for path in paths),
        "ndjson",
        columns | further,
        {column: _kind(column, texts[column], how.nulls) for column in columns} | dict.fromkeys(further, "text"),
        header=tuple(names),
        has_header=False,
        lists=lists.listed(where, table, having),
        loose=bool(how.nulls or how.decimal_comma),
        decimal_comma=bool(how.decimal_comma),
        nulls=how.nulls,
    )


def _separated(role: str, table: str, path: Path, how: How) -> _Table:
    lines = sniff.head(path)
    if how.format == "trec" or (how.format is None and how.separator is None and trec.recognised(table, lines)):
        return _trec(role, table, path, lines)
    separator = how.separator or ("\t" if how.format == "tsv" else sniff.separator_of(path, lines, how.split))
    quoted = len(separator.encode()) == 1
    kept = [line for line in lines if line.strip()]
    fields = [sniff.split(line, separator) for line in kept]
    first = fields[0]
    if sniff.has_header(first, how.header, how.split):
        if len(kept) == 1:
            raise DataError(f"{path}: the file has a header and no rows")
        names = _distinct(_untyped(first))
        return _Table(names, [dict(zip(names, row, strict=False)) for row in fields[1:]], separator, quoted, True)
    names = tuple(f"column_{index}" for index in range(1, len(first) + 1))
    return _Table(names, [dict(zip(names, row, strict=False)) for row in fields], separator, quoted)


def _trec(role: str, table: str, path: Path, lines: Sequence[str]) -> _Table:
    names = trec.layout(f"{role}: {path}", table)
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
    for number, row in rows:
        if len(row) != len(names):
            raise DataError(
                f"{role}: {path}, line {number}: {len(row)} fields, where a TREC file has {len(names)}: {' '.join(names)}",
                "data.test and data.train are qrels, recommendations are runs",
            )
    return _Table(names, [dict(zip(names, row, strict=True)) for _, row in rows], "", quoted=False, named=True)


def _untyped(header: list[str]) -> list[str]:
    """The names of a RecBole header, whose types are no part of them; those of any other header as they are."""
    found = [_TYPED_NAME.fullmatch(name.strip()) for name in header]
    return [match["name"] for match in found if match] if all(found) else header


def _distinct(header: list[str]) -> tuple[str, ...]:
    """The names of a header; of names that stand twice, those of columns that nobody can mean are made distinct."""
    names = [name.strip() for name in header]
    unknown = {name for name in names if names.count(name) > 1 and not names_a_column(name)}
    return tuple(f"{name} ({place})" if name in unknown else name for place, name in enumerate(names, 1))


def _decimal_comma(separator: str, numbers: Sequence[str]) -> bool:
    """Whether numbers are written as 3,5: some are, and none has a point."""
    commas = [value for value in numbers if re.fullmatch(r"\s*[+-]?\d*,\d+\s*", value)]
    return separator == ";" and bool(commas) and not any("." in value for value in numbers)


def _kind(column: str, sample: Sequence[str], nulls: Sequence[str]) -> Kind:
    if column not in IDS:
        return "number"
    return "integer" if all(sniff.is_integer(value) for value in sample if value and value not in nulls) else "text"


def _is_word(value: str) -> bool:
    return value.lower() in ("na", "n/a", "null", "none")


def _all_keys(paths: Sequence[Path], names: tuple[str, ...]) -> tuple[str, ...]:
    """`names`, and the keys that occur only further on, such as a score that the first objects lack."""
    try:
        schema = pl.scan_ndjson(list(paths), infer_schema_length=None).collect_schema()
    except (pl.exceptions.PolarsError, OSError):
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
