"""Find the first broken row, list or object of a source that an engine could not read."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterator
from typing import Any, Final

import polars as pl
from msgspec.structs import replace

from ..support.errors import DataError
from . import opening, sniff
from .columns import IDS, public_name
from .list_columns import NESTED, elements, fractions, is_nested, value_of
from .made_columns import with_made_values
from .objects import is_id
from .recode import CountedLines, not_unpacked, open_bytes
from .scan import BOOLEANS, NO_VALUE, ReadError, Scan
from .source import ReadAgain, Source
from .source_file import SourceFile, in_words
from .text import is_comment

_LISTS: Final = (
    "write it as [3, 5], with strings in double quotes; or set split: ',' if that separates the items, or split: none for one item"
)
"""Hint for a text that should be a list."""
FAILING_FRAME: Final = "read it in Spark by itself, for example with show(), to see the whole error"
"""Hint for a table or a DataFrame that Spark cannot read."""
_Problem = tuple[str, str | None]
"""A problem and a hint."""


def another_way(source: Source, error: ReadError) -> ReadAgain | DataError:
    """Return other options to read a source that an engine could not read, or else the error that describes the problem.

    Numbers in text are then read as text, so that words such as NA count as missing, and integers among fractions as fractions.
    """
    if source.scan.is_text and not source.scan.loose:
        return ReadAgain(lambda role_source: role_source.with_scan(loose=True))
    whole = [column for column, number_type in source.scan.numbers.items() if number_type == "whole"]
    if source.scan.is_text and whole:
        return ReadAgain(lambda role_source: role_source.with_numbers(whole, "real"))
    return explain(source, error)


def explain(source: Source, error: ReadError) -> DataError:
    """Return the error for a source that an engine could not read: the first broken row, or the message of the engine."""
    for file in source.files:
        problem = _broken(file, source) or _uneven(file, source)
        if problem:
            return problem
    message = next(iter(in_words(error, *source.files).strip().splitlines()), "no reason given")
    hint = FAILING_FRAME if source.scan.format == "table" else "check that the file is complete and in this format"
    return DataError(f"{source.role}: {', '.join(source.given)} cannot be read: {message}", hint)


def _broken(file: SourceFile, source: Source) -> DataError | None:
    """Return the error for the first row or object of a text file that is not as the scan expects; `None` if there is none."""
    if not source.scan.is_text or sniff.starts(file.local, sniff.ZSTD):
        return None
    try:
        with open_bytes(file.local) as text:
            lines = CountedLines(text)
            for number, problem in (_wrong_objects if source.scan.format == "ndjson" else _wrong_rows)(lines, source.scan):
                return DataError(f"{source.role}: {file.line(number)}: {problem[0]}", problem[1])
    except UnicodeDecodeError as error:
        return sniff.not_utf8(f"{source.role}: {file.line(lines.number)}", error)
    except csv.Error as error:
        return DataError(f"{source.role}: {file.line(lines.number)}: {error}", "check for a quotation mark that is not closed")
    except (OSError, EOFError, zlib.error) as error:
        return not_unpacked(f"{source.role}: {file}", error, file)
    return None


def _wrong_rows(lines: CountedLines, scan: Scan) -> Iterator[tuple[int, _Problem]]:
    """Yield the line on which each broken row begins, and its problem."""
    if scan.format == "csv" and scan.quotes:
        rows = sniff.csv_rows(lines, scan.separator)
    else:
        separator = scan.separator or None
        texts = (line.rstrip("\r\n") for line in lines)
        most = 1 if scan.ragged else -1
        rows = ([] if not text.strip() or (not separator and is_comment(text)) else text.split(separator, most) for text in texts)
    line, width = 1, len(scan.header)
    cells = [(column, cell) for column, name in scan.names.items() for cell in scan.wide.get(name, (name,))]
    columns = [(column, scan.header.index(cell)) for column, cell in cells if cell in scan.header]
    for index, row in enumerate(rows):
        begun, line = line, lines.number + 1
        if not row or (index == 0 and scan.has_header):
            continue
        if (len(row) > width and not scan.ignores_rest) or (len(row) < width and (scan.format == "csv" or not scan.separator)):
            hint = "quote fields that contain a separator, and close every quotation mark" if scan.format == "csv" else None
            yield begun, (f"{len(row)} fields, where there are {width} columns", hint)
        problems = (_wrong_with(column, row[place], scan) for column, place in columns if place < len(row))
        yield from ((begun, problem) for problem in problems if problem)


def _wrong_objects(lines: CountedLines, scan: Scan) -> Iterator[tuple[int, _Problem]]:
    """Yield the line of each broken object, and its problem."""
    for line in lines.encoded():
        try:
            record = json.loads(line, parse_constant=_refuse_constant) if line.strip() else {}
        except UnicodeDecodeError:
            raise
        except (ValueError, RecursionError) as error:
            yield lines.number, (f"not JSON ({error})", None)
            continue
        if not isinstance(record, dict):
            yield lines.number, ('a JSON object was expected, such as {"user": 1, "item": 2}', None)
            continue
        made = with_made_values(record, scan.nested, scan.wide)
        problems = (_wrong_with(column, value_of(made, name, scan.fields), scan) for column, name in scan.names.items())
        yield from ((lines.number, (problem[0], None)) for problem in problems if problem)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number; write null")


def _wrong_with(column: str, held: Any, scan: Scan) -> _Problem | None:
    """Return the problem of a value or list of a column, with a hint; `None` if there is none."""
    name, is_object = public_name(column), scan.format == "ndjson"
    if scan.lists_in_text and column in scan.lists and isinstance(held, str) and (held or is_object):
        text, held = held, elements(held, scan.split, scan.list_syntax)
        if held is None:
            kind = "list of values" if is_object else "JSON array" if scan.list_syntax == "json" else "list as Python prints it"
            return f"{name} holds {text[:40]!r}, which is not a {kind}", NESTED if is_nested(text.strip() or " ") else _LISTS
        is_printed = scan.split is None and scan.list_syntax == "python"
        odd_ids = fractions(text) if is_printed else [value for value in held if not is_id(value)]
        if column in IDS and odd_ids and column not in scan.integers:
            return f"{odd_ids[0]!r} cannot be an id", "ids are integers or text"
    if column == "rating" and scan.label_separator:  # it is in the texts of items, and was looked at before
        return None
    if isinstance(held, list) and column not in scan.lists:
        return f"{name} is a list, but not in earlier rows", None
    for value in held if isinstance(held, list) else [held]:
        if isinstance(value, dict | list):
            return f"{name} holds {json.dumps(value)[:40]}, where a single value was expected", None
        if scan.kinds[column] == "number" and not _is_number(value, scan):
            return f"{value if is_object else str(value)[:40]!r} is not a number, and {name} must be one", None
    return None


def _is_number(value: object, scan: Scan) -> bool:
    """Return whether a value is a number or missing; a text that spells a number counts in text files, and in JSON if `loose`."""
    if not isinstance(value, str):
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    if scan.format == "ndjson" and not (scan.loose or scan.lists_in_text):
        return False
    text = value.replace(",", ".", 1) if scan.decimal_comma else value
    is_plain = text == text.strip() and "_" not in text
    is_word = value.lower() in NO_VALUE or (scan.booleans and value.lower() in BOOLEANS)
    return is_word or value in scan.nulls or (is_plain and sniff.is_number(text))


def _uneven(file: SourceFile, source: Source) -> DataError | None:
    """Return the first row whose lists are not of the same length."""
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
