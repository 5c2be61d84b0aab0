"""Separated text → how to scan it: separator, header, which column is which, and what their fields hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..errors import DataError, NoRowsError
from . import list_columns, sniff, trec
from .columns import is_certain_name, named, names_a_column, usual_roles
from .folders import path_column_kinds
from .quotes import Quotes
from .read_options import ReadOptions
from .scan import Format, Scan
from .source_file import SourceFile, partitions_of, path_columns

_TYPED_NAME: Final = re.compile(r"(?P<name>[^:]+):(token|token_seq|float|float_seq)")
"""A column name of a RecBole file."""
_DECIMAL_COMMA: Final = re.compile(r"\s*[+-]?\d*,\d+\s*")
_NO_NUMBER: Final = ("na", "n/a", "null", "none")
_LONGEST: Final = 60
"""The most characters of a line that a message shows."""


class Header(Struct, frozen=True):
    """Whether the first line names the columns, whether that is doubtful, and whether the config and the line contradict each other."""

    is_there: bool
    is_doubtful: bool = False
    is_contradicted: bool = False


def header_of(rows: Sequence[Sequence[str]], given: bool | None, columns: Collection[str | int], split: str | None) -> Header:
    """Decide whether the first of `rows`, the fields of the first lines, names the columns.

    It does if the config says so (`given`), if it holds a name that the config gives in `columns`, or if its fields have types as in
    RecBole's files. It does not if the config gives `columns` by position only: usual names of two columns contradict that. Else it
    does if it holds usual names of two columns, or of one and no number (or numbers in all rows below some word), or if it holds neither a
    number nor a list, whose items `split` separates.
    """
    first, *below = rows
    roles = [usual_roles(field) for field in first if names_a_column(field)]
    names_two = len(roles) > 1 and len(frozenset[str]().union(*roles)) > 1
    is_above_numbers = any(_is_above_numbers(index, first, below) for index in range(len(first)))
    if given is not None:
        return Header(given)
    if all(_TYPED_NAME.fullmatch(field.strip()) for field in first) or {field.strip() for field in first} & set(columns):
        return Header(True)
    if columns and all(isinstance(column, int) for column in columns):
        return Header(False, is_doubtful=bool(roles) or is_above_numbers, is_contradicted=names_two)
    values = [value for field in first for value in (field.split(split) if split else [field])]
    has_value = any(sniff.is_number(value) or value.startswith("[") for value in values)
    if not roles:
        return Header(not has_value)
    if names_two or is_above_numbers:
        return Header(True)
    return Header(not has_value, is_doubtful=has_value or not any(map(is_certain_name, first)))


def _is_above_numbers(index: int, first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a field of the first line is a word, and all rows have numbers below it."""
    values = [row[index] for row in below if index < len(row) and row[index]]
    return bool(values) and bool(first[index].strip()) and not sniff.is_number(first[index]) and all(map(sniff.is_number, values))


class TextTable(Struct, frozen=True):
    """The first rows of a text file: the names of its columns, each row's fields by name, and how fields are told apart."""

    names: tuple[str, ...]
    rows: list[dict[str, str]]
    separator: str = ","
    has_header: bool = False
    named: bool = False
    """Whether the format names the columns, so that a header need not."""
    typed: bool = False
    """Whether the header had types behind the names, as RecBole's files do."""
    doubts: tuple[str, ...] = ()

    @property
    def format(self) -> Format:
        """How engines read it: fields are quoted only where a single byte separates them."""
        return "csv" if len(self.separator.encode()) == 1 else "lines"


def text_scan(role: str, table: str, quoted: Quotes, options: ReadOptions) -> Scan:
    """How to scan files of separated text, whose quotation marks are settled; `DataError` if they cannot be read as `options` says."""
    files, split = quoted.files, options.list_separator
    tables = text_tables(role, table, quoted, options)
    first = tables[0]
    where, has_names = f"{role}: {files[0]}", first.has_header or first.named
    if first.typed:
        columns_given = {column: _bare(name) if isinstance(name, str) else name for column, name in options.columns.items()}
        options = replace(options, columns=columns_given, labels=[_bare(name) for name in options.labels])
    # Without a header paths hold columns only where the config names any.
    names = [*first.names, *(path_columns(files, first.names) if has_names or options.columns else ())]
    columns, label_columns = named(where, table, names, options.columns, options.labels, has_names)
    samples = {column: [row.get(name) or "" for one in tables for row in one.rows] for column, name in columns.items()}
    may_hold_lists = options.may_split and list_columns.may_hold_lists(table)
    nested, syntax, listed = list_columns.text_lists(where, table, columns if may_hold_lists else {}, samples, split, True)
    values = samples | listed
    kinds = {column: sniff.kind_of(column, texts, options.nulls) for column, texts in values.items()}
    partitions = partitions_of(files, columns | label_columns, first.names)
    numbers = [value for column, texts in values.items() if kinds[column] == "number" for value in texts]
    comma = options.decimal_comma
    if comma is None:  # numbers are written as 3,5 where some are, and none has a point
        has_commas = any(_DECIMAL_COMMA.fullmatch(value) for value in numbers)
        comma = first.separator == ";" and has_commas and not any("." in value for value in numbers)
    return Scan(
        paths=tuple(file.address for file in files),
        format=first.format,
        names=columns | label_columns,
        kinds=kinds | path_column_kinds(where, columns, partitions) | dict.fromkeys(label_columns, "text"),
        separator=first.separator,
        header=first.names,
        has_header=first.has_header,
        quotes=quoted.any,
        across_lines=quoted.across_lines,
        doubts=tuple(f"{role}: {doubt}" for one in tables for doubt in one.doubts),
        lists=nested,
        lists_in_text=bool(nested),
        numbers=sniff.number_types(values),
        split=split,
        list_syntax=syntax,
        loose=comma or bool(options.nulls) or any(value.lower() in _NO_NUMBER for value in numbers),
        decimal_comma=comma,
        nulls=options.nulls,
        partitions=partitions,
    )


def separator_of(table: str, file: SourceFile, options: ReadOptions, lines: list[str] | None = None) -> str:
    """The separator of a text file, whose first `lines` are looked at; empty for a TREC file, which white space separates."""
    lines = sniff.head(file) if lines is None else lines
    if options.format == "trec" or (options.format is None and options.separator is None and trec.recognised(table, lines)):
        return ""
    return options.separator or ("\t" if options.format == "tsv" else sniff.separator_of(file.local, lines, options.list_separator))


def text_tables(role: str, table: str, quoted: Quotes, options: ReadOptions) -> list[TextTable]:
    """The first rows of each file; `DataError` if they differ in their columns."""
    tables = [_separated(role, table, file, quoted, options) for file in quoted.files]
    for file, other in zip(quoted.files, tables, strict=True):
        if other.names != tables[0].names:
            names, first_names = (", ".join(one.names) for one in (other, tables[0]))
            raise DataError(f"{role}: {file} has the columns {names}, but {quoted.files[0]} has {first_names}")
    return tables


def _separated(role: str, table: str, file: SourceFile, quoted: Quotes, options: ReadOptions) -> TextTable:
    lines = sniff.head(file)
    separator = separator_of(table, file, options, lines)
    if not separator:
        return _trec(role, table, file, lines)
    fields = sniff.rows(lines, separator, quoted.any)
    header = header_of(fields, options.header, [*options.columns.values(), *options.labels], options.list_separator)
    if header.is_contradicted:
        message = f"{role}: {file}: the first line, {_shown(lines)}, contains column names, but the config gives columns only by position"
        raise DataError(message, "set header: true if it is a header, header: false if it is data")
    has_header = header.is_there
    if has_header and len(fields) == 1 and len(quoted.files) == 1:
        raise NoRowsError(f"{file}: the file has a header but no rows")
    if has_header and len(separator.encode()) > 1 and not lines[0].strip():
        message = f"{role}: {file.line(1)}: the line is blank, but column names were expected"
        raise DataError(message, "remove the blank line")
    bare = [_bare(name.strip()) for name in fields[0]]
    typed = all(name != field.strip() for name, field in zip(bare, fields[0], strict=True))
    untyped = bare if typed else fields[0]
    names = _distinct(untyped) if has_header else tuple(f"column_{index}" for index in range(1, len(untyped) + 1))
    rows = [dict(zip(names, row, strict=False)) for row in fields[has_header:]]
    doubts = _doubts(file.local.name, lines, header, quoted.across_lines and list_columns.may_hold_lists(table))
    return TextTable(names, rows, separator, has_header, typed=typed, doubts=doubts)


def _shown(lines: Sequence[str]) -> str:
    """The first line that is not blank, for messages."""
    return repr(next(line for line in lines if line.strip())[:_LONGEST])


def _doubts(name: str, lines: Sequence[str], header: Header, across_lines: bool) -> tuple[str, ...]:
    """What is not certain about the rows of a file."""
    doubts = []
    if header.is_doubtful:
        taken = "is read as column names; set header: false if it is data"
        read = "is read as data; set header: true if it contains column names"
        doubts.append(f"the first line of {name}, {_shown(lines)}, {taken if header.is_there else read}.")
    if across_lines:
        doubts.append(f"a quoted field of {name} continues over a line end, so several lines are one row.")
    return tuple(doubts)


def _trec(role: str, table: str, file: SourceFile, lines: Sequence[str]) -> TextTable:
    names = trec.layout(f"{role}: {file}", table)
    rows = trec.numbered_rows(lines)
    for number, row in rows:
        if not trec.has_width(row, names):
            raise DataError(
                f"{role}: {file.line(number)}: {len(row)} fields, where a TREC file has {len(names)}: {' '.join(names)}",
                "data.test and data.train are qrels, recommendations are runs",
            )
    if not rows:
        raise DataError(f"{role}: {file}: the first {len(lines):,} lines are comments or blank", "check that this is a TREC file")
    doubts = [
        f"line {number} of {file.local.name} starts with # and is read as a comment, although it has the fields of a row."
        for number in trec.disabled_rows(lines, names)[:1]
    ]
    return TextTable(names, [dict(zip(names, row, strict=False)) for _, row in rows], "", named=True, doubts=tuple(doubts))


def _bare(name: str) -> str:
    """The name of a column of a RecBole file without its type; any other name as it is."""
    match = _TYPED_NAME.fullmatch(name)
    return match["name"] if match else name


def _distinct(header: list[str]) -> tuple[str, ...]:
    """The names of a header; of names that stand twice, those of columns that nobody can mean are made distinct."""
    names = [name.strip() for name in header]
    unknown = {name for name in names if names.count(name) > 1 and not names_a_column(name)}
    return tuple(f"{name} ({place})" if name in unknown else name for place, name in enumerate(names, 1))
