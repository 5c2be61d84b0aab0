"""Decide how to scan separated text: separator, header, columns and their kinds.

TREC files are runs (`qid Q0 docno rank score tag`) and qrels (`qid iter docno rel`), separated by white space. As in trec_eval, lines
that begin with # are comments, and text behind the tag of a run is ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct

from ..support.errors import DataError, NoRowsError
from . import list_columns, sniff
from .columns import TYPED_NAME, MissingColumnsError, is_certain_name, named, names_a_column, usual_roles, without_type
from .made_columns import is_named_in, side_by_side
from .recode import Quotes
from .scan import TREC_COMMENT, TREC_RUN, Format, ReadOptions, Scan
from .source_file import SourceFile, path_columns

_DECIMAL_COMMA: Final = re.compile(r"\s*[+-]?\d*,\d+\s*")
_NO_NUMBER: Final = ("na", "n/a", "null", "none")
_QRELS: Final = ("qid", "iter", "docno", "rel")
_LAYOUTS: Final = {"lists": TREC_RUN, "policy": TREC_RUN, "predictions": TREC_RUN, "interactions": _QRELS}
_TREC_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_GRADE: Final = re.compile("-?[0-9]{1,3}")
"""A grade; a time stamp, the last column of other files with four columns, has more digits."""
_LONGEST: Final = 60
"""Number of characters of a line that a message shows."""


class Header(Struct, frozen=True):
    """The decision whether the first line names the columns, whether it is uncertain, and whether config and line contradict."""

    is_there: bool
    is_doubtful: bool = False
    is_contradicted: bool = False


def header_of(rows: Sequence[Sequence[str]], given: bool | None, columns: Collection[str | int], split: str | None) -> Header:
    """Decide whether the first of `rows`, the fields of the first lines, names the columns.

    It does if the config says so (`given`), if it contains a name that the config gives in `columns`, or if its fields have types as in
    RecBole's files. It does not if the config gives `columns` only by position: usual names of two columns contradict that. Otherwise it
    does if it contains usual names of two columns, or of one and no number (or numbers in all rows below some word), or if it contains
    neither a number nor a list, whose items `split` separates.
    """
    first, *below = rows
    if given is not None:
        return Header(given)
    held = [field.strip() for field in first]
    if all(map(TYPED_NAME.fullmatch, held)) or any(is_named_in(name, held) for name in columns):
        return Header(True)
    roles = [usual_roles(field) for field in first if names_a_column(field)]
    names_two = len(roles) > 1 and len(frozenset[str]().union(*roles)) > 1
    in_column = [[row[index] for row in below if index < len(row) and row[index]] for index in range(len(first))]
    is_above_numbers = any(
        field.strip() and values and not sniff.is_number(field) and all(map(sniff.is_number, values))
        for field, values in zip(first, in_column, strict=True)
    )
    if columns and all(isinstance(column, int) for column in columns):
        return Header(False, is_doubtful=bool(roles) or is_above_numbers, is_contradicted=names_two)
    has_value = any(
        sniff.is_number(value) or value.startswith("[") for field in first for value in (field.split(split) if split else [field])
    )
    if roles and (names_two or is_above_numbers):
        return Header(True)
    return Header(not has_value, is_doubtful=bool(roles) and (has_value or not any(map(is_certain_name, first))))


class TextTable(Struct, frozen=True):
    """The first rows of a text file: the names of its columns, the fields of each row by name, and the separator."""

    names: tuple[str, ...]
    rows: list[dict[str, str]]
    separator: str = ","
    has_header: bool = False
    named: bool = False
    """True if the format names the columns, so that no header is needed."""
    typed: bool = False
    """True if the header has types behind the names, as in RecBole's files."""
    ragged: bool = False
    """True if a row is a user and the rest of the line."""
    doubts: tuple[str, ...] = ()

    @property
    def format(self) -> Format:
        """The format for engines: fields can be quoted only if the separator is a single byte."""
        return "csv" if len(self.separator.encode()) == 1 and not self.ragged else "lines"


def text_scan(role: str, table: str, quoted: Quotes, options: ReadOptions) -> Scan:
    """Return the scan of separated text after `settle_quotes`; raise `DataError` if it cannot be read with `options`."""
    files, tables = quoted.files, text_tables(role, table, quoted, options)
    first = tables[0]
    split = first.separator if first.ragged else options.list_separator
    where, has_names = f"{role}: {files[0]}", first.has_header or first.named
    # Without a header, paths have columns only if the config names some.
    names = [*first.names, *(path_columns(files, first.names) if has_names or options.columns else ())]
    may_hold_lists = options.may_split and list_columns.may_hold_lists(table)
    options, wide = side_by_side(where, names, options)
    try:
        numbers_of_words = _numbers(tables, options) if table == "lists" and not wide else ()
        columns, label_columns = named(where, table, [*names, *wide], options, has_names, numbers_of_words)
    except MissingColumnsError as error:
        texts = {name: [row.get(name) or "" for part in tables for row in part.rows] for name in first.names}
        raise list_columns.with_lists_in(error, where, texts if may_hold_lists else {}) from None
    rows = [row for part in tables for row in part.rows]
    samples = {column: [row.get(cell) or "" for row in rows for cell in wide.get(name, (name,))] for column, name in columns.items()}
    nested = list_columns.as_list_columns(where, table, [column for column, name in columns.items() if name in wide])
    texts = samples if may_hold_lists and not nested else {}
    lists, in_lists = list_columns.text_lists(where, table, columns, texts, split, nested=nested, one_suffices=True)
    values = samples | in_lists
    kinds = {column: sniff.kind_of(column, texts, options.nulls) for column, texts in values.items()}
    booleans = sniff.booleans_in(values.get("rating", ()))
    numbers = [value for column, texts in values.items() if kinds[column] == "number" for value in texts]
    comma = options.decimal_comma
    if comma is None:  # decimals follow a comma if some number has one and none has a point
        has_commas = any(_DECIMAL_COMMA.fullmatch(value) for value in numbers)
        comma = first.separator == ";" and has_commas and not any("." in value for value in numbers)
    return sniff.scan_of(
        where,
        files,
        options,
        columns | label_columns,
        first.names,
        values,
        format=first.format,
        kinds=kinds,
        separator=first.separator,
        header=first.names,
        has_header=first.has_header,
        quotes=quoted.any,
        across_lines=quoted.across_lines,
        doubts=tuple(f"{role}: {doubt}" for part in tables for doubt in part.doubts),
        **lists,
        wide=wide,
        split=split,
        ragged=first.ragged,
        booleans=booleans,
        loose=comma or booleans or bool(options.nulls) or any(value.lower() in _NO_NUMBER for value in numbers),
        decimal_comma=comma,
    )


def _numbers(tables: Sequence[TextTable], options: ReadOptions) -> list[str]:
    """Return the columns all of whose first values are numbers; none if a column has lists, where a number belongs to the whole list."""
    texts = {name: [value for part in tables for row in part.rows if (value := row.get(name))] for name in tables[0].names}
    if options.list_separator is not None or any(value.lstrip().startswith("[") for values in texts.values() for value in values):
        return []
    numbers = {
        name: [text for text in values if text not in options.nulls and text.lower() not in _NO_NUMBER] for name, values in texts.items()
    }
    return [
        name
        for name, values in numbers.items()
        if values and all(sniff.is_number(text) or _DECIMAL_COMMA.fullmatch(text) for text in values)
    ]


def separator_of(table: str, file: SourceFile, options: ReadOptions, lines: list[str] | None = None) -> str:
    """Return the separator of a text file, by its first `lines`; empty for a TREC file, which has white space."""
    lines = sniff.head(file) if lines is None else lines
    if options.format == "ragged":
        return options.separator or sniff.separator_of_ragged(lines)
    if options.format == "trec" or (options.format is None and options.separator is None and is_trec(table, lines)):
        return ""
    return options.separator or ("\t" if options.format == "tsv" else sniff.separator_of(file.local, lines, options.list_separator))


def text_tables(role: str, table: str, quoted: Quotes, options: ReadOptions) -> list[TextTable]:
    """Return the first rows of each file; raise `DataError` if they differ in their columns."""
    tables = [_separated(role, table, file, quoted, options) for file in quoted.files]
    for file, other in zip(quoted.files, tables, strict=True):
        if other.names != tables[0].names:
            names, first_names = (", ".join(part.names) for part in (other, tables[0]))
            hint = "a folder or a glob is read as one table: name the files to read"
            raise DataError(f"{role}: {file} has the columns {names}, but {quoted.files[0]} has {first_names}", hint)
    return tables


def _separated(role: str, table: str, file: SourceFile, quoted: Quotes, options: ReadOptions) -> TextTable:
    lines = sniff.head(file)
    sniff.refuse_features(file, lines)
    separator = separator_of(table, file, options, lines)
    if not separator:
        return _trec(role, table, file, lines)
    if options.format == "ragged":
        return _ragged(role, table, file, lines, separator, options)
    fields = sniff.rows(lines, separator, quoted.any)
    in_filter = [name for name in options.filter_columns if name in map(str.strip, fields[0])]
    labels = [label for label in options.labels if not label.isdecimal()]  # the others may be positions
    header = header_of(fields, options.header, [*options.names, *labels, *in_filter], options.list_separator)
    first_line = repr(next(line for line in lines if line.strip())[:_LONGEST])
    if header.is_contradicted:
        message = f"{role}: {file}: the first line, {first_line}, contains column names, but the config gives columns only by position"
        raise DataError(message, "set header: true if it is a header, header: false if it is data")
    if header.is_there and len(fields) == 1 and len(quoted.files) == 1:
        raise NoRowsError(f"{file}: the file has a header but no rows")
    if header.is_there and len(separator.encode()) > 1 and not lines[0].strip():
        message = f"{role}: {file.line(1)}: the line is blank, but column names were expected"
        raise DataError(message, "remove the blank line")
    held = [name.strip() for name in fields[0]]
    bare = [without_type(name) for name in held]
    typed = all(name != field for name, field in zip(bare, held, strict=True))
    names = tuple(f"column_{index}" for index in range(1, len(held) + 1))
    if header.is_there:  # duplicate names are made distinct if they are not those of used columns
        named = bare if typed else held
        unknown = {name for name, n in Counter(named).items() if n > 1 and not names_a_column(name)}
        names = tuple(f"{name} ({place})" if name in unknown else name for place, name in enumerate(named, 1))
    doubts = []
    if header.is_doubtful:
        taken = "is read as column names; set header: false if it is data"
        read = "is read as data; set header: true if it contains column names"
        doubts.append(f"the first line of {file.local.name}, {first_line}, {taken if header.is_there else read}.")
    if quoted.across_lines and list_columns.may_hold_lists(table):
        doubts.append(f"a quoted field of {file.local.name} continues over a line end, so several lines are one row.")
    if separator == ":":  # as when the rows are read
        fields = [[field.strip(" ") for field in row] for row in fields]
    rows = [dict(zip(names, row, strict=False)) for row in fields[header.is_there :]]
    return TextTable(names, rows, separator, header.is_there, typed=typed, doubts=tuple(doubts))


def _ragged(role: str, table: str, file: SourceFile, lines: Sequence[str], separator: str, options: ReadOptions) -> TextTable:
    """Return the users and the rest of the first lines."""
    if not list_columns.may_hold_lists(table):
        raise DataError(f"{role}: {file}: ragged lines are a user and items, and this is another kind of table", "set another format")
    if options.header and sum(bool(line.strip()) for line in lines) == 1:
        raise NoRowsError(f"{file}: the file has a header but no rows")
    rows = [line.strip(" ").partition(separator) for line in lines[bool(options.header) :] if line.strip()]
    held = [{"user": user.strip(), "item": rest} for user, _, rest in rows]
    return TextTable(("user", "item"), held, separator, bool(options.header), named=True, ragged=True)


def _trec(role: str, table: str, file: SourceFile, lines: Sequence[str]) -> TextTable:
    names = trec_layout(f"{role}: {file}", table)
    rows = list(trec_rows(lines))
    for number, row in rows:
        if not has_trec_width(row, names):
            message = f"{role}: {file.line(number)}: {len(row)} fields, where a TREC file has {len(names)}: {' '.join(names)}"
            raise DataError(message, "data.test and data.train are qrels, recommendations are runs")
    if not rows:
        raise DataError(f"{role}: {file}: the first {len(lines):,} lines are comments or blank", "check that this is a TREC file")
    numbers = [names.index(name) for name in ("rank", "score", "rel") if name in names]
    comments = [(number, line.split()) for number, line in enumerate(lines, 1) if is_comment(line)]
    doubts = tuple(
        f"line {number} of {file.local.name} starts with # and is read as a comment, although it has the fields of a row."
        for number, row in comments
        if has_trec_width(row, names) and all(_TREC_NUMBER.fullmatch(row[index]) for index in numbers)
    )[:1]
    return TextTable(names, [dict(zip(names, row, strict=False)) for _, row in rows], "", named=True, doubts=doubts)


def trec_layout(where: str, table: str) -> tuple[str, ...]:
    """Return the columns of the TREC file for a kind of table; raise `DataError` if there is no such file."""
    if table not in _LAYOUTS:
        raise DataError(
            f"{where}: TREC files can only contain judgements (qrels) and recommendations (runs)", "set the format of this file"
        )
    return _LAYOUTS[table]


def is_comment(line: str) -> bool:
    """Return whether a line is a comment."""
    return line.lstrip().startswith(TREC_COMMENT)


def trec_rows(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of every line that is neither blank nor a comment."""
    return ((number, line.split()) for number, line in enumerate(lines, 1) if line.strip() and not is_comment(line))


def has_trec_width(row: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether a row has the fields of these columns; a run may have more behind its tag."""
    return len(row) == len(names) or (tuple(names) == TREC_RUN and len(row) > len(TREC_RUN))


def is_trec(table: str, lines: Sequence[str]) -> bool:
    """Return whether the first lines are a TREC run (second field Q0) or qrels (second field 0, and a small grade)."""
    if table not in _LAYOUTS:
        return False
    fits = _is_run_row if _LAYOUTS[table] == TREC_RUN else _is_judgement
    rows = trec_rows(lines)  # the first row shows of most files that they are not of TREC
    first = next(rows, None)
    return first is not None and fits(first[1]) and all(fits(row) for _, row in rows)


def _is_judgement(row: Sequence[str]) -> bool:
    """Return whether a row of qrels has 0 as its second field, and a small grade."""
    return len(row) == len(_QRELS) and row[1].upper() in ("0", "Q0") and _GRADE.fullmatch(row[3]) is not None


def _is_run_row(row: Sequence[str]) -> bool:
    """Return whether a row has Q0 as its second field; with words behind the tag, rank and score must also be numbers."""
    if not has_trec_width(row, TREC_RUN) or row[1].upper() != "Q0":
        return False
    return len(row) == len(TREC_RUN) or bool(_TREC_NUMBER.fullmatch(row[3]) and _TREC_NUMBER.fullmatch(row[4]))
