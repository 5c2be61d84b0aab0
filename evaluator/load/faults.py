"""What makes a source unusable: null ids, numbers that are none, rows that cannot be read; and where it is."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

import narwhals as nw
import polars as pl

from ..engine.base import Engine, Kind, ReadError
from ..errors import DataError
from ..tables import Frame
from . import sniff
from .columns import IDS
from .ids import IdsAreText
from .source import Source

_LONGEST_ID: Final = 1 << 16
_CALLED: Final = {"position": "rank"}


def counted(frame: Frame, source: Source) -> Frame:
    """One row: the number of rows of `frame`, and how many have each fault. A part of the same pass as everything else."""
    columns = sorted(source.columns)
    counts = [nw.len().alias("rows")]
    if source.scan.format == "csv":
        blank = nw.all_horizontal(*(nw.col(column).is_null() for column in columns), ignore_nulls=False)
        counts.append(_number(blank).alias("blank"))
    for column in sorted(source.filled):
        empty = nw.col(column).is_null()
        if source.scan.kinds[column] == "text":
            empty = empty | (nw.col(column) == "")
        counts.append(_number(empty).alias(f"null_{column}"))
        if source.scan.kinds[column] == "number":
            counts.append(_number(~nw.col(column).cast(nw.Float64).is_finite()).alias(f"infinite_{column}"))
        elif source.scan.kinds[column] == "text":
            counts.append(nw.col(column).str.len_chars().max().alias(f"longest_{column}"))
    odd = [name for name in frame.collect_schema().names() if name.startswith("odd_")]
    counts += [_number(nw.col(name)).alias(name) for name in odd]
    return frame.select(*counts)


def faulty(frame: Frame, source: Source) -> Frame:
    """The rows of `frame` that lack a value or hold a number that is not finite; blank lines are none."""
    filled = sorted(source.filled)
    lacks = nw.any_horizontal(*(_lacks(source, column) for column in filled), ignore_nulls=False)
    blank = nw.all_horizontal(*(nw.col(column).is_null() for column in sorted(source.columns)), ignore_nulls=False)
    return frame.filter(lacks & ~blank).select("row", *(nw.col(column) for column in sorted(source.columns)))


def _lacks(source: Source, column: str) -> nw.Expr:
    value, kind = nw.col(column), source.scan.kinds[column]
    if kind == "number":
        return value.is_null() | ~value.cast(nw.Float64).is_finite().fill_null(False)
    return value.is_null() | (value == "").fill_null(True) if kind == "text" else value.is_null()


def refuse(source: Source, counts: dict[str, int | None]) -> int:
    """The number of rows, if `counts` holds no fault.

    Raises `FaultyRows` or `DataError` with the first place of a fault, `IdsAreText` if ids that seemed integers are not, and
    `BlankLines` if the only fault is rows without any value.
    """
    rows, blank = counts["rows"] or 0, counts.get("blank") or 0
    if rows == blank:
        raise DataError(f"{source.role}: {source.paths[0]}: there are no rows")
    texts = [column for column in IDS if _holds_text(source, column, counts)]
    if texts:
        raise IdsAreText(texts)
    missing = [column for column in sorted(source.filled) if (counts[f"null_{column}"] or 0) > blank]
    if missing:
        column = missing[0]
        empty = (counts[f"null_{column}"] or 0) - blank
        raise FaultyRows(
            f"{_place(source, _empty(source, column) & ~_all_null(source))}: no value for {_CALLED.get(column, column)}"
            f" (in {empty:,} of {rows:,} rows)",
            "remove these rows or fill them; an empty field, a missing field and null all count as no value",
            rows - blank,
        )
    for column in sorted(source.filled):
        if counts.get(f"infinite_{column}"):
            place = _place(source, ~pl.col(column).is_finite())
            many = counts[f"infinite_{column}"]
            raise FaultyRows(
                f"{place}: {_CALLED.get(column, column)} is not a finite number (in {many:,} of {rows:,} rows)",
                "NaN and infinity have no place in an order: remove these rows or give them a number",
                rows - blank,
            )
        if (counts.get(f"longest_{column}") or 0) > _LONGEST_ID:
            place = _place(source, pl.col(column).str.len_bytes() > _LONGEST_ID)
            raise DataError(f"{place}: an id of {counts[f'longest_{column}']:,} characters", "is a quotation mark left open?")
    if blank and not source.scan.skip_blank:
        raise BlankLines(source)
    return rows


def _holds_text(source: Source, column: str, counts: dict[str, int | None]) -> bool:
    """Whether a column of text that was read as integers holds something else.

    What is `odd` may be negative only, and a null may be a text that is no integer: both are looked at more closely.
    """
    if f"odd_{column}" not in counts:
        return False
    if not counts[f"odd_{column}"] and (counts[f"null_{column}"] or 0) <= (counts.get("blank") or 0):
        return False
    as_text: dict[str, Kind] = {**source.scan.kinds, column: "text"}
    text = pl.col(column)
    too_large = text.is_not_null() & text.cast(pl.Int64, strict=False).is_null()
    return _place(source.with_kinds(as_text), ~text.str.contains(sniff.PLAIN_INTEGER) | too_large) is not None


class FaultyRows(DataError):
    """Rows lack a value that they need, or hold a number that is not finite: they can be passed over, if that is wanted.

    `n_rows` are all rows of the source, without blank ones.
    """

    def __init__(self, message: str, hint: str, n_rows: int) -> None:
        super().__init__(message, hint)
        self.n_rows = n_rows


class BlankLines(Exception):
    """A text file has blank lines: it must be read again, passing over them."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.role)
        self.source = source


def explain(source: Source, error: ReadError) -> DataError:
    """The sentence for a source that an engine could not read: the first broken row, or what the engine said."""
    for path in source.paths if source.scan.format in ("csv", "ndjson") else ():
        found = (_first_broken_row if source.scan.format == "csv" else _first_broken_object)(path, source)
        if found:
            return found
    said = str(error).strip().splitlines()[0]
    return DataError(f"{source.role}: {', '.join(source.given)} cannot be read: {said}", "is the file complete, and in this format?")


def _number(condition: nw.Expr) -> nw.Expr:
    return condition.cast(nw.Int64).sum()


def _empty(source: Source, column: str) -> pl.Expr:
    null = pl.col(column).is_null()
    return null | (pl.col(column) == "") if source.scan.kinds[column] == "text" else null


def _all_null(source: Source) -> pl.Expr:
    return pl.all_horizontal(pl.col(sorted(source.columns)).is_null())


def _place(source: Source, condition: pl.Expr) -> str | None:
    """The first row of the source for which `condition` holds, as `role: file, line 12`; `None` if there is none."""
    from ..engine.polars import PolarsEngine

    engine: Engine = PolarsEngine()
    for path in source.scan.paths:
        frame: pl.LazyFrame = engine.scan(replace(source.scan, paths=(path,))).to_native()
        found = frame.filter(condition).select(pl.col("row").min()).collect().item()
        if found is not None:
            text = source.scan.format in ("csv", "ndjson")
            number = found + 1 + (source.scan.has_header and source.scan.format == "csv")
            return f"{source.role}: {path}, {'line' if text else 'row'} {number}"
    return None


def _first_broken_row(path: Path, source: Source) -> DataError | None:
    scan = source.scan
    width = len(scan.header)
    if sniff.is_zstd(path):
        return None
    numbers = {scan.header.index(name): column for column, name in scan.names.items() if scan.kinds[column] == "number"}
    with _open(path) as file:
        lines = _Counted(file)
        rows = csv.reader(lines, delimiter=scan.separator)
        line = 1
        try:
            for index, row in enumerate(rows):
                where, line = f"{source.role}: {path}, line {line}", lines.number + 1
                if not row or (index == 0 and scan.has_header):
                    continue
                if len(row) != width:
                    hint = "quote fields that hold a separator, and close every quotation mark"
                    return DataError(f"{where}: {len(row)} fields, where there are {width} columns", hint)
                for place, column in numbers.items():
                    if row[place] and not _reads_as_number(row[place]):
                        name = _CALLED.get(column, column)
                        return DataError(f"{where}: {row[place][:40]!r} is not a number, and {name} must be one")
        except UnicodeDecodeError:
            return DataError(
                f"{source.role}: {path}, line {lines.number}: not UTF-8 text", "save the file as UTF-8, or convert it with iconv"
            )
        except csv.Error as error:
            return DataError(f"{source.role}: {path}, line {lines.number}: {error}", "is a quotation mark left open?")
        except (OSError, EOFError) as error:
            return DataError(f"{source.role}: {path}: cannot be unpacked ({error})", "is the file complete?")
    return None


def _first_broken_object(path: Path, source: Source) -> DataError | None:
    if sniff.is_zstd(path):
        return None
    numbers = {name: column for column, name in source.scan.names.items() if source.scan.kinds[column] == "number"}
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            where = f"{source.role}: {path}, line {number}"
            try:
                record = json.loads(line) if line.strip() else {}
            except ValueError as error:
                return DataError(f"{where}: not JSON ({error})")
            for name, column in numbers.items():
                value = record.get(name)
                if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                    return DataError(f"{where}: {value!r} is not a number, and {_CALLED.get(column, column)} must be one")
    return None


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path) if sniff.is_gzip(path) else open(path, "rb")  # type: ignore[return-value]


class _Counted:
    """The lines of a file, decoded and counted as they are read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for line in self.file:
            self.number += 1
            yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip() and "_" not in text
