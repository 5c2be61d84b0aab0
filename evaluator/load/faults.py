"""What makes a source unusable: null ids, and numbers that are none; and where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import polars as pl
from msgspec.structs import replace

from ..errors import DataError, NoRowsError
from . import opening, sniff
from .columns import IDS, public_name
from .scan import Kind
from .source import FaultyRows, ReadAgain, Source
from .source_file import Place

_LONGEST_ID: Final = 1 << 16
_FEW: Final = 5
"""How many faulty rows are named."""


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
        raise ReadAgain(lambda one: one.with_text_ids(texts), everywhere=True)
    large = [column for column in sorted(source.unsure_numbers) if counts.get(f"large_{column}")]
    if large:
        raise ReadAgain(lambda one: one.with_numbers(large, "whole"))
    missing = [column for column in sorted(source.required) if (counts[f"null_{column}"] or 0) > blank]
    infinite = [column for column in sorted(source.required) if counts.get(f"infinite_{column}")]
    if missing or infinite:
        faults = [Fault(column, False, (counts[f"null_{column}"] or 0) - blank) for column in missing]
        faults += [Fault(column, True, counts[f"infinite_{column}"] or 0) for column in infinite]
        first_faults = _first_faults(source, faults) or {Place(source.files[0]): faults[0]}
        faulty = FaultyRows(rows - blank, tuple((place, fault.message) for place, fault in first_faults.items()))
        if tolerant:
            raise ReadAgain(lambda one: one.without_faulty_rows(faulty))
        raise _sentence(source, faulty, next(iter(first_faults.values())))
    for column in sorted(source.required):
        if (counts.get(f"longest_{column}") or 0) > _LONGEST_ID:
            place = _place(source, pl.col(column).str.len_bytes() > _LONGEST_ID)
            raise DataError(
                f"{place}: an id of {counts[f'longest_{column}']:,} characters", "check for a quotation mark that is not closed"
            )
    if blank and not source.scan.skip_blank:
        raise ReadAgain(lambda one: one.scanned(skip_blank=True))
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
        """An expression that holds for rows with this fault; what is NaN to one reader may be null to another."""
        if self.infinite:
            return ~pl.col(self.column).is_finite().fill_null(False) & ~_all_null(source)
        null = pl.col(self.column).is_null()
        is_empty = null | (pl.col(self.column) == "") if source.scan.kinds[self.column] == "text" else null
        return is_empty & ~_all_null(source)


def _sentence(source: Source, faulty: FaultyRows, first: Fault) -> DataError:
    """The error that names the first faulty row."""
    hint = (
        "NaN and infinity cannot be ordered: remove these rows or give them a number"
        if first.infinite
        else "remove or fill these rows; an empty field, a missing field and null are missing values, NA and nan in columns of numbers too"
    )
    place, problem = faulty.places[0]
    return DataError(f"{source.role}: {place}: {problem} (in {first.n:,} of {faulty.n_rows:,} rows)", hint)


def _first_faults(source: Source, faults: Sequence[Fault]) -> dict[Place, Fault]:
    """The first few faulty records in the order of the files, and the first fault of each."""
    first_faults: dict[Place, Fault] = {}
    for place, flags in _faulty_records(source, [fault.condition(source) for fault in faults], _FEW):
        first_faults.setdefault(place, next(fault for fault, holds in zip(faults, flags, strict=True) if holds))
        if len(first_faults) == _FEW:
            break
    return first_faults


def _all_null(source: Source) -> pl.Expr:
    """Whether a row is a blank line, which only text without keys can hold."""
    if source.scan.format not in ("csv", "lines"):
        return pl.lit(False)
    return pl.all_horizontal(pl.col(sorted(source.columns)).is_null())


def _place(source: Source, condition: pl.Expr) -> str | None:
    """The first record of the source for which `condition` holds, as `role: file, line 12`; `None` if there is none."""
    return next((f"{source.role}: {place}" for place, _ in _faulty_records(source, [condition], 1)), None)


def _faulty_records(source: Source, conditions: Sequence[pl.Expr], n: int) -> Iterator[tuple[Place, list[bool | None]]]:
    """The first `n` records of each file for which some condition holds, and which do; the rows of a table elsewhere have no numbers."""
    named = [condition.alias(f"{index}") for index, condition in enumerate(conditions)]
    for file in source.files if source.scan.format != "table" else ():
        frame = opening.opened(replace(source.scan, paths=(file.address,), skip_blank=False), records=True)
        faulty = frame.select(opening.RECORD, *named).filter(pl.any_horizontal(pl.exclude(opening.RECORD)))
        for record, *flags in faulty.sort(opening.RECORD).head(n).collect().iter_rows():
            yield source.place(file, record), flags
