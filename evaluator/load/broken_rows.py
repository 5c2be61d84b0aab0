"""Where a source that an engine could not read is broken: the first row, list or object that is not as it should be."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from ..errors import DataError
from . import sniff
from .columns import IDS, public_name
from .json_values import is_id
from .lines import CountedLines
from .opening import NO_VALUE
from .recode import opened
from .scan import ReadError, Scan
from .source import Source


def explain(source: Source, error: ReadError) -> DataError:
    """The sentence for a source that an engine could not read: the first broken row, or what the engine said."""
    for path in source.scan.paths:
        problem = _broken(Path(path), source) or _uneven(path, source)
        if problem:
            return problem.saying({path: source.display_path(path)})
    message = str(error).strip().splitlines()[0]
    return DataError(f"{source.role}: {', '.join(source.given)} cannot be read: {message}", "is the file complete, and in this format?")


def _broken(path: Path, source: Source) -> DataError | None:
    if not source.scan.is_text or sniff.is_zstd(path):
        return None
    if source.scan.format == "ndjson":
        return _first_broken_object(path, source)
    with opened(path) as file:
        return _first_broken_row(path, source, CountedLines(file))


def _first_broken_row(path: Path, source: Source, lines: CountedLines) -> DataError | None:
    scan = source.scan
    line = 1
    try:
        for index, row in enumerate(_rows(lines, scan)):
            where, line = f"{source.role}: {path}, line {line}", lines.number + 1
            if row and (index > 0 or not scan.has_header) and (problem := _wrong_with(row, scan)):
                message, hint = problem
                return DataError(f"{where}: {message}", hint)
    except UnicodeDecodeError as error:
        return sniff.not_utf8(f"{source.role}: {path}", lines.number, error)
    except csv.Error as error:
        return DataError(f"{source.role}: {path}, line {lines.number}: {error}", "is a quotation mark left open?")
    except (OSError, EOFError, zlib.error) as error:
        return DataError(f"{source.role}: {path}: cannot be unpacked ({error})", "is the file complete?")
    return None


def _rows(lines: CountedLines, scan: Scan) -> Iterator[list[str]]:
    if scan.format == "csv" and scan.quotes:
        return csv.reader(lines, delimiter=scan.separator)
    texts = (line.rstrip("\r\n") for line in lines)
    return (text.split(scan.separator or None) if text.strip() else [] for text in texts)


def _wrong_with(row: list[str], scan: Scan) -> tuple[str, str | None] | None:
    """What is wrong with a row, and what to do about it."""
    width = len(scan.header)
    if len(row) > width or (len(row) < width and (scan.format == "csv" or not scan.separator)):
        hint = "quote fields that hold a separator, and close every quotation mark" if scan.format == "csv" else None
        return f"{len(row)} fields, where there are {width} columns", hint
    for column, name in scan.names.items():
        if name in scan.header[: len(row)]:
            field = row[scan.header.index(name)]
            values = _values(field, column in scan.lists, scan.split)
            if values is None:
                message = f"{public_name(column)} holds {field[:40]!r}, which is no JSON array of values"
                return message, "write it as [3, 5], strings in double quotes"
            odd_ids = [value for value in values if column in IDS and column in scan.lists and not is_id(value)]
            if odd_ids:
                return f"{odd_ids[0]!r} cannot be an id", "ids are integers or text"
            wrong = [value for value in values if scan.kinds[column] == "number" and not _reads_as_number(value, scan)]
            if wrong:
                return f"{str(wrong[0])[:40]!r} is not a number, and {public_name(column)} must be one", None
    return None


def _values(field: str, listed: bool, split: str | None) -> list[object] | None:
    """The values that a field holds; `None` if it should be a JSON array and is none."""
    if not listed or not field:
        return [field]
    if split is not None:
        return [value.strip() for value in field.split(split)]
    try:
        values = json.loads(field)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, list) and not any(isinstance(value, dict | list) for value in values) else None


def _first_broken_object(path: Path, source: Source) -> DataError | None:
    number = 0
    try:
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                if message := _wrong_with_object(line, source.scan):
                    return DataError(f"{source.role}: {path}, line {number}: {message}")
    except UnicodeDecodeError as error:
        return sniff.not_utf8(f"{source.role}: {path}", number, error)
    except (OSError, EOFError, zlib.error) as error:
        return DataError(f"{source.role}: {path}: cannot be unpacked ({error})", "is the file complete?")
    return None


def _wrong_with_object(line: bytes, scan: Scan) -> str | None:
    try:
        record = json.loads(line) if line.strip() else {}
    except UnicodeDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error})"
    if not isinstance(record, dict):
        return 'a JSON object was expected, such as {"user": 1, "item": 2}'
    for column, name in scan.names.items():
        held = record.get(name)
        if isinstance(held, list) and column not in scan.lists:
            return f"{public_name(column)} is a list, and in the rows before it is not"
        for value in held if isinstance(held, list) else [held]:
            if isinstance(value, dict | list):
                return f"{public_name(column)} holds {json.dumps(value)[:40]}, where a single value was expected"
            if scan.kinds[column] == "number" and not _is_number(value, scan):
                return f"{value!r} is not a number, and {public_name(column)} must be one"
    return None


def _uneven(path: str, source: Source) -> DataError | None:
    """The first row whose lists are not of the same length."""
    from . import opening

    columns = sorted(source.scan.lists)
    if len(columns) < 2:
        return None
    first, *others = columns
    length = {column: pl.col(source.scan.names[column]).list.len() for column in columns}
    try:
        frame = opening.raw(replace(source.scan, paths=(path,)))
        uneven = frame.filter(pl.any_horizontal(length[first].ne_missing(length[column]) for column in others))
        first_uneven = uneven.select(opening.RECORD, *(length[column].fill_null(0).alias(column) for column in columns)).head(1).collect()
    except opening.FAILURES:
        return None
    for row in first_uneven.rows(named=True):
        where = source.location(path, row.pop(opening.RECORD))
        message = " but ".join(f"{count} {public_name(column)}{'s' if count != 1 else ''}" for column, count in row.items())
        return DataError(f"{where}: {message}", "the lists of a row must be of the same length: one value for each item")
    return None


def _is_number(value: object, scan: Scan) -> bool:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return True
    return scan.loose and isinstance(value, str) and _reads_as_number(value, scan)


def _reads_as_number(value: object, scan: Scan) -> bool:
    if not isinstance(value, str):
        return _is_number(value, scan)
    if value.lower() in NO_VALUE or value in scan.nulls:
        return True
    text = value.replace(",", ".", 1) if scan.decimal_comma else value
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip() and "_" not in text
