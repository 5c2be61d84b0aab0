"""Count faults that make a source unusable while rows are read (missing ids, missing or infinite numbers), and report their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import polars as pl
from msgspec.structs import replace

from ..support.errors import DataError, NoRowsError
from . import opening, sniff
from .columns import IDS, LARGEST_EXACT, public_name
from .scan import Kind
from .source import FaultyRows, ReadAgain, Source
from .source_file import Place

_LONGEST_ID: Final = 1 << 16
_SHORT_TEXT: Final = 1_000
"""Longer texts may come from a quotation mark that is not closed."""
_FEW: Final = 5
"""Number of faulty rows that are listed."""


class FaultTally:
    """The numbers of rows of a source, and of rows with each fault, over all frames that were added."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.counts: dict[str, int | None] = {}

    def add(self, frame: pl.DataFrame | pl.LazyFrame) -> bool:
        """Count the rows of a frame of the source, and return whether a required value is missing or not finite."""
        if isinstance(frame, pl.DataFrame) and self._is_plain(frame):
            self.counts["rows"] = frame.height + (self.counts.get("rows") or 0)
            return False
        counted: Any = frame.select(self._counts(frame.collect_schema().names()))
        found = (counted.collect(engine="streaming") if isinstance(counted, pl.LazyFrame) else counted).row(0, named=True)
        self.counts = merged_counts(self.counts, found)
        return any(number for name, number in found.items() if name.startswith(("null_", "infinite_")))

    def add_beside(self, frame: pl.LazyFrame, wanted: pl.LazyFrame) -> pl.DataFrame:
        """Count the rows of a lazy frame of the source, and return the rows `wanted` of it, which the same pass collects."""
        counted, rows = pl.collect_all([frame.select(self._counts(frame.collect_schema().names())), wanted], engine="streaming")
        self.counts = merged_counts(self.counts, counted.row(0, named=True))
        return rows

    def _is_plain(self, frame: pl.DataFrame) -> bool:
        """Return whether a fast test finds nothing to count: no text is empty or long, and all numbers have a finite sum."""
        unsure = self._source.unsure_numbers
        for column in self._source.required:
            values = frame[column]
            if values.null_count():
                return False
            if values.dtype == pl.String:
                sizes = values.str.len_bytes().to_numpy()
                if len(sizes) and (sizes.min() == 0 or sizes.max() > _SHORT_TEXT):
                    return False
            elif not values.dtype.is_numeric():
                return False
            if column in unsure and len(values):
                numbers = values.to_numpy()
                if not -LARGEST_EXACT <= numbers.min() <= numbers.max() <= LARGEST_EXACT:  # nor is NaN
                    return False
            elif values.dtype.is_float():
                with np.errstate(invalid="ignore", over="ignore"):  # infinite values of both signs have no sum
                    if not np.isfinite(values.to_numpy().sum()):
                        return False
        odd = [frame[name] for name in frame.columns if name.startswith("odd_")]
        return not any(column.null_count() or column.any() for column in odd)

    def _counts(self, columns: list[str]) -> list[pl.Expr]:
        source, counts = self._source, [pl.len().alias("rows")]
        if _has_blank_lines(source):
            counts.append(_is_blank(source).sum().alias("blank"))
        for column in sorted(source.required):
            kind, value = source.scan.kinds[column], pl.col(column)
            empty = (value == "").sum() if kind == "text" else 0
            counts.append((value.null_count() + empty).alias(f"null_{column}"))
            if kind == "text":
                counts.append(value.str.len_chars().max().alias(f"longest_{column}"))
            if kind == "number":
                counts.append((~value.cast(pl.Float64).is_finite()).sum().alias(f"infinite_{column}"))
            if column in source.unsure_numbers:
                counts.append((value.is_finite() & (value.abs() > LARGEST_EXACT)).sum().alias(f"large_{column}"))
        return counts + [pl.col(name).sum() for name in columns if name.startswith("odd_")]


def merged_counts(counts: Mapping[str, int | None], others: Mapping[str, int | None]) -> dict[str, int | None]:
    """Merge the counts of two frames of a source: the maximum of `longest` counts, the sum of all others."""
    merged = dict(counts)
    for name, number in others.items():
        before = merged.get(name) or 0
        merged[name] = max(before, number or 0) if name.startswith("longest_") else before + (number or 0)
    return merged


def refuse(source: Source, counts: dict[str, int | None], *, tolerant: bool = False) -> int:
    """Return the number of rows, if `counts` has no fault.

    Raises `DataError` with the first place of a fault. Raises `ReadAgain` if ids that seemed integers are not, if integers may have been
    read inexactly, if the only faults are rows without any value, or if it is `tolerant` and rows can be skipped.
    """
    rows, blank = counts.get("rows") or 0, counts.get("blank") or 0
    if rows == blank:
        if source.may_be_empty and not blank:
            return 0
        raise NoRowsError(f"{source.role}: {source.name}: there are no rows")
    texts = [IDS[column] for column in IDS if _holds_text(source, column, counts)]
    if texts:
        raise ReadAgain(
            lambda role_source: role_source.with_kinds({name: "text" for name, whose in IDS.items() if whose in texts}), everywhere=True
        )
    large = [column for column in sorted(source.unsure_numbers) if counts.get(f"large_{column}")]
    if large:
        raise ReadAgain(lambda role_source: role_source.with_numbers(large, "whole"))
    required = sorted(source.required)
    faults = [Fault(column, False, n) for column in required if (n := (counts.get(f"null_{column}") or 0) - blank) > 0]
    faults += [Fault(column, True, n) for column in required if (n := counts.get(f"infinite_{column}") or 0)]
    if faults:
        _refuse_rows(source, faults, rows - blank, tolerant)
    for column in required:
        if (counts.get(f"longest_{column}") or 0) > _LONGEST_ID:
            place = _place(source, pl.col(column).str.len_bytes() > _LONGEST_ID)
            raise DataError(
                f"{place}: an id of {counts[f'longest_{column}']:,} characters", "check for a quotation mark that is not closed"
            )
    if blank and not source.scan.skip_blank:
        raise ReadAgain(lambda role_source: role_source.with_scan(skip_blank=True))
    return rows


def _holds_text(source: Source, column: str, counts: dict[str, int | None]) -> bool:
    """Return whether a column of text that was read as integers contains other values.

    An `odd` value may only be negative, and a null may be a text that is not an integer: both are checked again.
    """
    if f"odd_{column}" not in counts:
        return False
    if not counts[f"odd_{column}"] and (counts.get(f"null_{column}") or 0) <= (counts.get("blank") or 0):
        return False
    as_text: dict[str, Kind] = {**source.scan.kinds, column: "text"}
    text = pl.col(column)
    too_large = text.is_not_null() & text.cast(pl.Int64, strict=False).is_null()
    return _place(source.with_kinds(as_text), ~text.str.contains(sniff.PLAIN_INTEGER) | too_large) is not None


class Fault(NamedTuple):
    """A column with `n` values that are missing or not finite."""

    column: str
    infinite: bool
    n: int

    @property
    def message(self) -> str:
        """The problem, for messages."""
        return f"{public_name(self.column)} is not a finite number" if self.infinite else f"no value for {public_name(self.column)}"

    def condition(self, source: Source) -> pl.Expr:
        """Return an expression that is true for rows with this fault; NaN of one reader may be null of another."""
        kind = "number" if self.infinite else "text" if source.scan.kinds[self.column] == "text" else "integer"
        return ~opening.is_there(self.column, kind) & ~_is_blank(source)


_DROP: Final = "evaluation.policy.missing_values: drop"


def _refuse_rows(source: Source, faults: Sequence[Fault], n_rows: int, tolerant: bool) -> NoReturn:
    """Raise the error with the first faulty row, or, if `tolerant`, `ReadAgain` with the first few of them."""
    first_faults: dict[Place, Fault] = {}
    for place, flags in _faulty_records(source, [fault.condition(source) for fault in faults], _FEW):
        first_faults.setdefault(place, next(fault for fault, holds in zip(faults, flags, strict=True) if holds))
        if len(first_faults) == _FEW:
            break
    first_faults = first_faults or {Place(source.files[0]): faults[0]}
    faulty = FaultyRows(n_rows, tuple((place, fault.message) for place, fault in first_faults.items()))
    if tolerant:
        raise ReadAgain(lambda role_source: role_source.without_faulty_rows(faulty))
    (place, first), *_ = first_faults.items()
    hint = (
        f"NaN and infinity cannot be ordered: remove these rows, give them a number, or set {_DROP}"
        if first.infinite
        else f"remove or fill these rows, or set {_DROP}; an empty field, a missing field and null are missing values, "
        "NA and nan in columns of numbers too"
    )
    raise DataError(f"{source.role}: {place}: {first.message} (in {first.n:,} of {n_rows:,} rows)", hint)


def _has_blank_lines(source: Source) -> bool:
    """Return whether a row may be a blank line, which only text without keys has."""
    return source.scan.format in ("csv", "lines")


def _is_blank(source: Source) -> pl.Expr:
    """Return an expression that is true for rows that are blank lines."""
    return pl.all_horizontal(pl.col(sorted(source.columns)).is_null()) if _has_blank_lines(source) else pl.lit(False)


def _place(source: Source, condition: pl.Expr) -> str | None:
    """Return the first record of the source for which `condition` is true, as `role: file, line 12`; `None` if there is none."""
    return next((f"{source.role}: {place}" for place, _ in _faulty_records(source, [condition], 1)), None)


def _faulty_records(source: Source, conditions: Sequence[pl.Expr], n: int) -> Iterator[tuple[Place, list[bool | None]]]:
    """Yield the first `n` records of each file for which a condition is true, and which conditions are; rows on Spark have no numbers."""
    named = [condition.alias(f"{index}") for index, condition in enumerate(conditions)]
    for file in source.files if source.scan.format != "table" else ():
        frame = opening.open_rows(replace(source.scan, paths=(file.address,), skip_blank=False), records=True)
        faulty = frame.select(opening.RECORD, *named).filter(pl.any_horizontal(pl.exclude(opening.RECORD)))
        for record, *flags in faulty.sort(opening.RECORD).head(n).collect().iter_rows():
            yield source.place(file, record), flags
