"""What makes a source unusable: null ids, and numbers that are none. It is counted while rows are read, and refused with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import polars as pl
from msgspec.structs import replace

from ..errors import DataError, NoRowsError
from . import opening, sniff
from .columns import IDS, LARGEST_EXACT, public_name
from .scan import Kind
from .source import FaultyRows, ReadAgain, Source
from .source_file import Place

_LONGEST_ID: Final = 1 << 16
_SHORT_TEXT: Final = 1_000
"""Texts of as many bytes are no cause to look for a quotation mark that was left open."""
_FEW: Final = 5
"""How many faulty rows are named."""


class FaultTally:
    """The number of rows of a source, and of rows with each fault, over all frames that were added."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.counts: dict[str, int | None] = {}

    def add(self, frame: pl.DataFrame | pl.LazyFrame) -> bool:
        """Count the rows of a frame of the source, and return whether a value that must be there is missing or not finite."""
        if isinstance(frame, pl.DataFrame) and self._is_plain(frame):
            self.counts["rows"] = frame.height + (self.counts.get("rows") or 0)
            return False
        counted: Any = frame.select(self._counts(frame.collect_schema().names()))
        found = (counted.collect(engine="streaming") if isinstance(counted, pl.LazyFrame) else counted).row(0, named=True)
        self.counts = merged_counts(self.counts, found)
        return any(number for name, number in found.items() if name.startswith(("null_", "infinite_")))

    def _is_plain(self, frame: pl.DataFrame) -> bool:
        """Return whether a frame has nothing to count, seen at a glance: no text is empty or long, and all numbers have a finite sum."""
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
    """Return the counts of two frames of a source together: the longest of each, the sum of everything else."""
    merged = dict(counts)
    for name, number in others.items():
        before = merged.get(name) or 0
        merged[name] = max(before, number or 0) if name.startswith("longest_") else before + (number or 0)
    return merged


def refuse(source: Source, counts: dict[str, int | None], *, tolerant: bool = False) -> int:
    """Return the number of rows, if `counts` holds no fault.

    `DataError` names the first place of a fault. `ReadAgain` if ids that seemed integers are not, if integers may not have been read
    exactly, if the only fault is rows without any value, and if it is `tolerant` and rows can be passed over.
    """
    rows, blank = counts.get("rows") or 0, counts.get("blank") or 0
    if rows == blank:
        if source.may_be_empty and not blank:
            return 0
        raise NoRowsError(f"{source.role}: {source.name}: there are no rows")
    texts = [IDS[column] for column in IDS if _holds_text(source, column, counts)]
    if texts:
        raise ReadAgain(lambda one: one.with_kinds({name: "text" for name, whose in IDS.items() if whose in texts}), everywhere=True)
    large = [column for column in sorted(source.unsure_numbers) if counts.get(f"large_{column}")]
    if large:
        raise ReadAgain(lambda one: one.with_numbers(large, "whole"))
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
        raise ReadAgain(lambda one: one.scanned(skip_blank=True))
    return rows


def _holds_text(source: Source, column: str, counts: dict[str, int | None]) -> bool:
    """Return whether a column of text that was read as integers holds something else.

    What is `odd` may be negative only, and a null may be a text that is no integer: both are looked at more closely.
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
    """A column with `n` values that are not there, or not finite."""

    column: str
    infinite: bool
    n: int

    @property
    def message(self) -> str:
        """What is wrong, for messages."""
        return f"{public_name(self.column)} is not a finite number" if self.infinite else f"no value for {public_name(self.column)}"

    def condition(self, source: Source) -> pl.Expr:
        """Return an expression that holds for rows with this fault; what is NaN to one reader may be null to another."""
        kind = "number" if self.infinite else "text" if source.scan.kinds[self.column] == "text" else "integer"
        return ~opening.is_there(self.column, kind) & ~_is_blank(source)


def _refuse_rows(source: Source, faults: Sequence[Fault], n_rows: int, tolerant: bool) -> NoReturn:
    """Raise the error that names the first faulty row, or `ReadAgain` if it is `tolerant`: then the first few are told."""
    first_faults: dict[Place, Fault] = {}
    for place, flags in _faulty_records(source, [fault.condition(source) for fault in faults], _FEW):
        first_faults.setdefault(place, next(fault for fault, holds in zip(faults, flags, strict=True) if holds))
        if len(first_faults) == _FEW:
            break
    first_faults = first_faults or {Place(source.files[0]): faults[0]}
    faulty = FaultyRows(n_rows, tuple((place, fault.message) for place, fault in first_faults.items()))
    if tolerant:
        raise ReadAgain(lambda one: one.without_faulty_rows(faulty))
    (place, first), *_ = first_faults.items()
    hint = (
        "NaN and infinity cannot be ordered: remove these rows, give them a number, or set evaluation.policy.missing_values: drop"
        if first.infinite
        else "remove or fill these rows, or set evaluation.policy.missing_values: drop to leave them out; empty fields and null are "
        "missing values, NA and nan in columns of numbers too"
    )
    raise DataError(f"{source.role}: {place}: {first.message} (in {first.n:,} of {n_rows:,} rows)", hint)


def _has_blank_lines(source: Source) -> bool:
    """Return whether a row may be a blank line, which only text without keys can hold."""
    return source.scan.format in ("csv", "lines")


def _is_blank(source: Source) -> pl.Expr:
    """Return an expression that holds for rows that are blank lines."""
    return pl.all_horizontal(pl.col(sorted(source.columns)).is_null()) if _has_blank_lines(source) else pl.lit(False)


def _place(source: Source, condition: pl.Expr) -> str | None:
    """Return the first record of the source for which `condition` holds, as `role: file, line 12`; `None` if there is none."""
    return next((f"{source.role}: {place}" for place, _ in _faulty_records(source, [condition], 1)), None)


def _faulty_records(source: Source, conditions: Sequence[pl.Expr], n: int) -> Iterator[tuple[Place, list[bool | None]]]:
    """The first `n` records of each file for which some condition holds, and which do; the rows of a table elsewhere have no numbers."""
    named = [condition.alias(f"{index}") for index, condition in enumerate(conditions)]
    for file in source.files if source.scan.format != "table" else ():
        frame = opening.opened(replace(source.scan, paths=(file.address,), skip_blank=False), records=True)
        faulty = frame.select(opening.RECORD, *named).filter(pl.any_horizontal(pl.exclude(opening.RECORD)))
        for record, *flags in faulty.sort(opening.RECORD).head(n).collect().iter_rows():
            yield source.place(file, record), flags
