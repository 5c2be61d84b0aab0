"""Where a source that an engine could not read is broken: the first row, list or object that is not as it should be."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl
from msgspec.structs import replace

from ..errors import DataError
from . import opening, sniff
from .columns import IDS, public_name
from .json_values import is_id
from .list_fields import value_of
from .list_text import elements, fractions
from .recode import CountedLines, not_unpacked, opened
from .scan import ReadError, Scan
from .source import ReadAgain, Source
from .source_file import SourceFile, in_words
from .trec import is_comment

_LISTS: Final = (
    "write it as [3, 5], with strings in double quotes; or set split: ',' if that separates the items, or split: none for one item"
)
"""What to do about a text that should be a list."""


def another_way(source: Source, error: ReadError) -> ReadAgain | DataError:
    """How to read a source that an engine could not read, or else the sentence that says what is wrong with it.

    Numbers in text are read as text, so that words such as NA count as missing, and integers that have fractions among them as these.
    """
    if source.scan.is_text and not source.scan.loose:
        return ReadAgain(lambda one: one.scanned(loose=True))
    whole = [column for column, number_type in source.scan.numbers.items() if number_type == "whole"]
    if source.scan.is_text and whole:
        return ReadAgain(lambda one: one.with_numbers(whole, "real"))
    return explain(source, error)


def explain(source: Source, error: ReadError) -> DataError:
    """The sentence for a source that an engine could not read: the first broken row, or what the engine said."""
    for file in source.files:
        problem = _broken(file, source) or _uneven(file, source)
        if problem:
            return problem
    message = next(iter(in_words(error, *source.files).strip().splitlines()), "no reason given")
    return DataError(
        f"{source.role}: {', '.join(source.given)} cannot be read: {message}", "check that the file is complete and in this format"
    )


def _broken(file: SourceFile, source: Source) -> DataError | None:
    if not source.scan.is_text or sniff.is_zstd(file.local):
        return None
    try:
        with opened(file.local) as text:
            lines = CountedLines(text)
            if source.scan.format != "ndjson":
                return _first_broken_row(file, source, lines)
            for line in lines.encoded():
                if message := _wrong_with_object(line, source.scan):
                    return DataError(f"{source.role}: {file.line(lines.number)}: {message}")
    except UnicodeDecodeError as error:
        return sniff.not_utf8(f"{source.role}: {file.line(lines.number)}", error)
    except csv.Error as error:
        return DataError(f"{source.role}: {file.line(lines.number)}: {error}", "check for a quotation mark that is not closed")
    except (OSError, EOFError, zlib.error) as error:
        return not_unpacked(f"{source.role}: {file}", error, file)
    return None


def _first_broken_row(file: SourceFile, source: Source, lines: CountedLines) -> DataError | None:
    scan = source.scan
    line = 1
    for index, row in enumerate(_rows(lines, scan)):
        where, line = f"{source.role}: {file.line(line)}", lines.number + 1
        if row and (index > 0 or not scan.has_header) and (problem := _wrong_with(row, scan)):
            message, hint = problem
            return DataError(f"{where}: {message}", hint)
    return None


def _rows(lines: CountedLines, scan: Scan) -> Iterator[list[str]]:
    if scan.format == "csv" and scan.quotes:
        return sniff.csv_rows(lines, scan.separator)
    texts = (line.rstrip("\r\n") for line in lines)
    if not scan.separator:
        return ([] if is_comment(text) else text.split() for text in texts)
    return (text.split(scan.separator) if text.strip() else [] for text in texts)


def _wrong_with(row: list[str], scan: Scan) -> tuple[str, str | None] | None:
    """What is wrong with a row, and what to do about it."""
    width = len(scan.header)
    if (len(row) > width and not scan.ignores_rest) or (len(row) < width and (scan.format == "csv" or not scan.separator)):
        hint = "quote fields that contain a separator, and close every quotation mark" if scan.format == "csv" else None
        return f"{len(row)} fields, where there are {width} columns", hint
    for column, name in scan.names.items():
        if name in scan.header[: len(row)]:
            field = row[scan.header.index(name)]
            values = elements(field, scan.split, scan.list_syntax) if field and column in scan.lists else [field]
            if values is None:
                kind = "JSON array" if scan.list_syntax == "json" else "list as Python prints it"
                message = f"{public_name(column)} contains {field[:40]!r}, which is not a {kind} of values"
                return message, _LISTS
            if column in IDS and column in scan.lists and (odd_ids := _odd_ids(field, values, scan)):
                return f"{odd_ids[0]!r} cannot be an id", "ids are integers or text"
            wrong = [value for value in values if scan.kinds[column] == "number" and not _reads_as_number(value, scan)]
            if wrong:
                return f"{str(wrong[0])[:40]!r} is not a number, and {public_name(column)} must be one", None
    return None


def _odd_ids(text: str, values: Sequence[object], scan: Scan) -> Sequence[object]:
    """Those `values` of a list in a text that can be no ids."""
    if scan.split is None and scan.list_syntax == "python":
        return fractions(text)
    return [value for value in values if not is_id(value)]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number; write null")


def _wrong_with_object(line: bytes, scan: Scan) -> str | None:
    try:
        record = json.loads(line, parse_constant=_refuse_constant) if line.strip() else {}
    except UnicodeDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error})"
    if not isinstance(record, dict):
        return 'a JSON object was expected, such as {"user": 1, "item": 2}'
    for column, name in scan.names.items():
        held = value_of(record, name, scan.fields)
        if scan.lists_in_text and column in scan.lists and isinstance(held, str):
            text, held = held, elements(held, scan.split, scan.list_syntax)
            if held is None:
                return f"{public_name(column)} holds {text[:40]!r}, which is not a list of values"
            if column in IDS and (odd_ids := _odd_ids(text, held, scan)):
                return f"{odd_ids[0]!r} cannot be an id"
        if isinstance(held, list) and column not in scan.lists:
            return f"{public_name(column)} is a list, but not in earlier rows"
        for value in held if isinstance(held, list) else [held]:
            if isinstance(value, dict | list):
                return f"{public_name(column)} holds {json.dumps(value)[:40]}, where a single value was expected"
            if scan.kinds[column] == "number" and not (_reads_as_number if scan.lists_in_text else _is_number)(value, scan):
                return f"{value!r} is not a number, and {public_name(column)} must be one"
    return None


def _uneven(file: SourceFile, source: Source) -> DataError | None:
    """The first row whose lists are not of the same length."""
    columns = sorted(source.scan.lists)
    if len(columns) < 2:
        return None
    first, *others = columns
    length = {column: pl.col(source.scan.names[column]).list.len() for column in columns}
    try:
        frame = opening.raw(replace(source.scan, paths=(file.address,)))
        uneven = frame.filter(pl.any_horizontal(length[first].ne_missing(length[column]) for column in others))
        first_uneven = uneven.select(opening.RECORD, *(length[column].fill_null(0).alias(column) for column in columns)).head(1).collect()
    except opening.FAILURES:
        return None
    for row in first_uneven.rows(named=True):
        where = f"{source.role}: {source.place(file, row.pop(opening.RECORD))}"
        message = " but ".join(f"{count} {public_name(column)}{'s' if count != 1 else ''}" for column, count in row.items())
        return DataError(f"{where}: {message}", "the lists in a row must have the same length: one value per item")
    return None


def _is_number(value: object, scan: Scan) -> bool:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return True
    return scan.loose and isinstance(value, str) and _reads_as_number(value, scan)


def _reads_as_number(value: object, scan: Scan) -> bool:
    if not isinstance(value, str):
        return _is_number(value, scan)
    if value.lower() in opening.NO_VALUE or value in scan.nulls:
        return True
    text = value.replace(",", ".", 1) if scan.decimal_comma else value
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip() and "_" not in text
