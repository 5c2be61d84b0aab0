"""What makes a source unusable: null ids, and numbers that are none; and where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import narwhals as nw
import polars as pl

from ..engine.base import Kind
from ..errors import DataError
from ..tables import Frame
from . import sniff
from .columns import IDS, called
from .ids import IdsAreText
from .source import Source

_LONGEST_ID: Final = 1 << 16


def counted(frame: Frame, source: Source) -> Frame:
    """One row: the number of rows of `frame`, and how many have each fault. A part of the same pass as everything else."""
    columns = sorted(source.columns)
    counts = [nw.len().alias("rows")]
    if source.scan.format in ("csv", "lines"):
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
            f"{_place(source, _empty(source, column) & ~_all_null(source))}: no value for {called(column)} (in {empty:,} of {rows:,} rows)",
            "remove these rows or fill them; an empty field, a missing field and null count as no value, NA and nan where a number belongs",
            rows - blank,
        )
    for column in sorted(source.filled):
        if counts.get(f"infinite_{column}"):
            place = _place(source, ~pl.col(column).is_finite())
            many = counts[f"infinite_{column}"]
            raise FaultyRows(
                f"{place}: {called(column)} is not a finite number (in {many:,} of {rows:,} rows)",
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


def _number(condition: nw.Expr) -> nw.Expr:
    return condition.cast(nw.Int64).sum()


def _empty(source: Source, column: str) -> pl.Expr:
    null = pl.col(column).is_null()
    return null | (pl.col(column) == "") if source.scan.kinds[column] == "text" else null


def _all_null(source: Source) -> pl.Expr:
    return pl.all_horizontal(pl.col(sorted(source.columns)).is_null())


def _place(source: Source, condition: pl.Expr) -> str | None:
    """The first record of the source for which `condition` holds, as `role: file, line 12`; `None` if there is none."""
    from ..engine import files

    for path in source.scan.paths:
        frame = files.opened(replace(source.scan, paths=(path,), skip_blank=False), records=True)
        found = frame.filter(condition).select(pl.col(files.RECORD).min()).collect().item()
        if found is not None:
            return source.place(path, found)
    return None
