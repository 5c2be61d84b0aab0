"""Count the values that a source reads in another way than stored, in one pass before the rows are read, and refuse those it cannot."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from msgspec.structs import replace

from ..support.errors import DataError
from ..support.quoting import short
from . import opening
from .columns import public_name
from .scan import NO_VALUE, Scan
from .source import Source
from .typed import panics_held_back

AS_INTEGER = "as_integer"
PADDING = "padding"


def with_conversions(source: Source) -> Source:
    """Return a source with remarks on its values that fill lists up, and on whole numbers that are written as fractions.

    A source that reads values as they are stored is returned unchanged. Raises `DataError`, with the line, for an id that is no whole
    number although it should be, and for an item without a label. Unreadable sources are reported when the rows are read.
    """
    scan = source.scan
    if scan.format == "table" or not (scan.padding or scan.skips_gaps or scan.integers or scan.label_separator):
        return source
    counts = {"rows": pl.len(), PADDING: opening.is_padding(scan).sum() if scan.padding or scan.skips_gaps else pl.lit(0)}
    for column in sorted(scan.integers):
        counts[column] = (_kept(scan) & _written(scan, column).str.contains(".", literal=True)).sum()
    wrong = _wrong(scan)
    counts |= {f"wrong {column}": is_wrong.sum() for column, is_wrong in wrong.items()}
    try:
        with panics_held_back():
            values = opening.single_values(scan, opening.raw(scan))
            found = values.select(count.alias(name) for name, count in counts.items()).collect(engine="streaming").row(0, named=True)
            for column, is_wrong in wrong.items():
                if n := found[f"wrong {column}"]:
                    raise _error(source, column, is_wrong, n)
    except opening.FAILURES:
        return source
    converted = {PADDING: found[PADDING]} | {f"{column}_{AS_INTEGER}": found[column] for column in sorted(scan.integers)}
    said = [*_on_padding(source, found), *_on_integers(source, found)]
    return replace(source.with_scan(doubts=(*scan.doubts, *said)), converted={name: n for name, n in converted.items() if n})


def _kept(scan: Scan) -> pl.Expr:
    """Return an expression that is true for values that do not only fill lists up."""
    return ~opening.is_padding(scan) if scan.padding or scan.skips_gaps else pl.lit(True)


def _written(scan: Scan, column: str) -> pl.Expr:
    return pl.col(scan.names[column]).cast(pl.String).str.strip_chars()


def _wrong(scan: Scan) -> Mapping[str, pl.Expr]:
    """Return column → an expression that is true for values that cannot be read as the config says."""
    wrong: dict[str, pl.Expr] = {}
    for column in sorted(scan.integers):
        written = _written(scan, column)
        is_missing = written.is_null() | written.str.to_lowercase().is_in(NO_VALUE) | written.is_in(scan.nulls)
        is_missing |= written.is_in(scan.padding) if column == "item" else pl.lit(False)
        wrong[column] = ~is_missing & opening.value_of_column(scan, column).is_null()
    if scan.label_separator:
        written, item = _written(scan, "item"), opening.value_of_column(scan, "item").cast(pl.String)
        label = opening.value_of_column(scan, "rating").cast(pl.Float64, strict=False)
        is_missing = written.is_null() | (written == "") | written.is_in(scan.nulls) | written.is_in(scan.padding)
        wrong["rating"] = ~is_missing & (label.is_null() | ~label.is_finite() | item.is_null() | (item == "")).fill_null(True)
    return wrong


def _error(source: Source, column: str, is_wrong: pl.Expr, n: int) -> DataError:
    """Return the error for values that cannot be read as the config says, with the place of the first."""
    scan, label = source.scan, column == "rating"
    place, value = next(filter(None, (_first(source, index, scan.names[column], is_wrong) for index in range(len(source.files)))))
    more = f" (and {n - 1:,} more)" if n > 1 else ""
    if label:
        return DataError(
            f"{source.role}: {place}: {short(value)!r} is not an item with a number behind {scan.label_separator!r}{more}",
            f"write ITEM{scan.label_separator}NUMBER, or remove label_separator",
        )
    return DataError(
        f"{source.role}: {place}: {short(value)!r} is not a whole number, and columns.{public_name(column)} is read as integers{more}",
        "correct the value, or remove as: integer, and the ids are read as text",
    )


def _first(source: Source, index: int, name: str, is_wrong: pl.Expr) -> tuple[str, str] | None:
    """Return the place and the text of the first value in one file for which an expression is true."""
    file = source.files[index]
    scan = replace(source.scan, paths=(file.address,))
    values = opening.single_values(scan, opening.raw(scan)).filter(is_wrong)
    found = values.select(opening.RECORD, pl.col(name).cast(pl.String).alias("value")).sort(opening.RECORD).head(1).collect().rows()
    return (str(source.place(file, found[0][0])), found[0][1]) if found else None


def _on_padding(source: Source, found: Mapping[str, int]) -> list[str]:
    if not found[PADDING]:
        return []
    scan = source.scan
    values = [*(["empty"] if scan.skips_gaps else []), *(value or "empty" for value in scan.padding)]
    shown = " or ".join(dict.fromkeys(values))
    return [f"{source.role}: {found[PADDING]:,} of {found['rows']:,} items only fill lists up ({shown}) and are left out."]


def _on_integers(source: Source, found: Mapping[str, int]) -> list[str]:
    return [
        f"{source.role}: {found[column]:,} ids in column {source.scan.names[column]!r} are whole numbers written with a point "
        "(318.0), and are read as integers."
        for column in sorted(source.scan.integers)
        if found[column]
    ]
