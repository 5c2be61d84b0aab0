"""Count how many rows the row filter of a source keeps, in one pass before the rows are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, NoReturn

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..support.errors import DataError, NoRowsError
from ..support.quoting import short
from ..syntax.row_filter import columns_of, in_filter, parse_filter
from ..tables.time_units import counts_by_unit, unit_of_counts
from . import opening
from .broken_rows import explain
from .columns import says_what_happened, true_of
from .row_filters import TextComparison, compared_with_numbers, date_layout, kept_rows, no_number, text_comparisons
from .scan import FILTER_COLUMN, ReadError, Scan
from .sniff import is_number
from .source import Source
from .source_file import Place
from .typed import panics_held_back

_MODEL_COLUMNS: Final = frozenset({"model", "model_name", "algorithm", "recommender"})
_MOST_MODELS: Final = 1_000
"""Largest number of models in one file."""
_MOST_EVENTS: Final = 20
"""Largest number of distinct values of an event column."""
_WANTED_EVENTS: Final = (
    "test", "purchase", "purchased", "buy", "bought", "order", "ordered", "transaction", "conversion", "checkout", "sale", "payment",
    "booking", "subscribe", "like", "play", "watch", "click",
)  # fmt: skip
"""Words of events that a recommender probably predicts, the likeliest first."""
_MOST_VALUES: Final = 5
"""Number of values of a column that a message lists."""


def with_filter_remark(source: Source) -> Source:
    """Return a source with a remark on how many of its rows its filter keeps; without a filter, the source unchanged.

    Raises `DataError` if a text is compared with a number and is not one, or with a date of another layout, and `NoRowsError` if no row is
    kept. Unreadable sources are reported when the rows are read.
    """
    scan = source.scan
    if not scan.where:
        return source
    condition = parse_filter(scan.where)
    try:
        with panics_held_back():
            frame, texts = _filter_rows(scan)
            odd = {name: no_number(texts[name], decimal_comma=scan.decimal_comma) for name in sorted(compared_with_numbers(condition))}
            counts = [is_odd.sum().alias(f"odd {name}") for name, is_odd in odd.items()]
            first = [pl.col(texts[name]).filter(is_odd).first().alias(f"first {name}") for name, is_odd in odd.items()]
            wrong = {comparison: comparison.wrong(texts[comparison.column]) for comparison in text_comparisons(condition)}
            counts += [of_wrong.sum().alias(f"wrong {index}") for index, of_wrong in enumerate(wrong.values())]
            counts += [(pl.col(texts[comparison.column]) != "").sum().alias(f"texts {index}") for index, comparison in enumerate(wrong)]
            kept = pl.col("rows").filter(kept_rows(condition, texts, decimal_comma=scan.decimal_comma)).sum()
            found = frame.select(pl.col("rows").sum(), kept.alias("kept"), *counts, *first).collect(engine="streaming").row(0, named=True)
    except opening.FAILURES:
        return source
    where = f"{source.role}: {source.name}"
    for name in odd:
        if n := found[f"odd {name}"]:
            text, rows = short(found[f"first {name}"]), "1 row has" if n == 1 else f"{n:,} rows have"
            raise DataError(
                f"{where}: where compares {name} with a number, but {rows} a text that is not a number, first {text!r}",
                f"put the value into quotes to compare texts: {in_filter(name)} == '{text}'",
            )
    for index, comparison in enumerate(wrong):
        if n := found[f"wrong {index}"]:
            _refuse_other_layout(source, comparison, n, found[f"texts {index}"])
    if found["rows"] and not found["kept"]:
        raise NoRowsError(f"{where}: none of {found['rows']:,} rows is kept by where: {scan.where}", _values(scan))
    return source.with_scan(
        doubts=(*scan.doubts, f"{source.role}: {found['kept']:,} of {found['rows']:,} rows are used (where: {scan.where}).")
    )


def _refuse_other_layout(source: Source, comparison: TextComparison, n: int, n_texts: int) -> NoReturn:
    """Raise `DataError` for the first of `n` texts that a comparison would compare wrongly, with its row; the column has `n_texts`."""
    name, sign, value = comparison
    place, held = _first_wrong(source, comparison)
    layout, wanted = date_layout(held) or "other", date_layout(value)
    what_to_do = (
        f"write the date as the column does, {layout}"
        if layout != "other" and n == n_texts
        else f"compare the numbers of the column with a number: {in_filter(name)} {sign} {_as_number(source, comparison, held)}"
        if is_number(held)
        else "rewrite the column in this way, or write the rows to keep into a file of their own"
    )
    if n < n_texts and wanted not in (None, "other"):
        what_to_do = f"rewrite the dates of the column as {wanted}, or name texts that mean a missing value in null_values"
    only_some = f" ({n:,} of {n_texts:,} values)" if n < n_texts else ""
    raise DataError(
        f"{source.role}: {place}: where: {name} contains text such as {short(held)!r}{only_some}, and {sign} compares it with "
        f"{short(value)!r} character by character",
        f"this {'orders' if comparison.is_ordered else 'finds'} dates only if both are written as YYYY-MM-DD; {what_to_do}",
    )


def _first_wrong(source: Source, comparison: TextComparison) -> tuple[Place | str, str]:
    """Return the place of the first text that a comparison would compare wrongly, and the text."""
    frame, texts = _filter_rows(source.scan)
    text = texts[comparison.column]
    wrong = frame.with_columns(wrong=comparison.wrong(text)).filter("wrong").select(opening.RECORD, text)
    record, held = wrong.sort(opening.RECORD).head(1).collect().row(0)
    for file in source.files:
        n = len(source.files) > 1 and opening.raw(replace(source.scan, paths=(file.address,), where="")).select(pl.len()).collect().item()
        if len(source.files) == 1 or record < n:
            return source.place(file, record), held
        record -= n
    return source.name, held


def _as_number(source: Source, comparison: TextComparison, held: str) -> str:
    """Return a date in ISO 8601 as a number since 1970 in the unit of the times that a column has, with the date; else one of these."""
    try:
        moment = datetime.fromisoformat(comparison.value.strip())
    except ValueError:
        return held
    frame, texts = _filter_rows(source.scan)
    numbers = pl.col(texts[comparison.column]).str.strip_chars().cast(pl.Float64, strict=False)
    unit, are_dates = unit_of_counts(frame.select(counts_by_unit(numbers)).collect().row(0, named=True))
    if not are_dates:
        return held
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{round(zoned.timestamp() * unit.per_second)} ({zoned.astimezone(UTC):%Y-%m-%d %H:%M} UTC)"


def model_column(source: Source) -> str | None:
    """Return the column of a source whose name says that it names models; `None` if there is none, or if a filter chooses rows."""
    scan = source.scan
    if scan.format == "table" or scan.where:
        return None
    try:
        with panics_held_back():
            names = scan.header or opening.raw(scan).collect_schema().names()
    except opening.FAILURES:
        return None
    return next((name for name in names if name.lower() in _MODEL_COLUMNS and name not in scan.columns.values()), None)


def models_in(source: Source, column: str, where: str) -> list[str]:
    """Return the names in the column of models of a file of lists, sorted.

    The last test of the filter of `source` is that of the column; `where` is the part before it, which keeps rows of all models. Raises
    `DataError` if a name is missing, if names differ only in case, or if there are too many.
    """
    scan, place = source.scan, f"{source.role}: {source.name}"
    try:
        with panics_held_back():
            frame, texts = _filter_rows(scan)
            if where:
                frame = frame.filter(kept_rows(parse_filter(where), texts, decimal_comma=scan.decimal_comma))
            counted = frame.group_by(pl.col(texts[column]).fill_null("")).len().collect(engine="streaming").rows()
    except opening.FAILURES as error:
        raise explain(source, ReadError(str(error))) from error
    counts = dict(sorted(counted))
    if not counts:
        raise NoRowsError(f"{place}: there are no rows")
    if n := counts.get(""):
        raise DataError(f"{place}: {n:,} rows have no name of a model in column {column!r}", "fill it, or leave these rows out with where")
    if len(counts) > _MOST_MODELS:
        raise DataError(f"{place}: column {column!r} has {len(counts):,} values, which are too many for models", "choose another column")
    if len({name.lower() for name in counts}) < len(counts):
        raise DataError(f"{place}: two models in column {column!r} have names that differ only in case", "rename one of them")
    return list(counts)


class EventColumn(Struct, frozen=True):
    """A column of events (click, view, …): its values with their numbers of rows, the most frequent first, and the number of rows read."""

    name: str
    counts: tuple[tuple[str, int], ...]
    n_rows: int

    @property
    def text(self) -> str:
        """The values with their numbers, in words."""
        return f"column {self.name!r} has {', '.join(f'{short(value)} {n:,}' for value, n in self.counts)}"

    @property
    def likely_filter(self) -> str:
        """The filter that keeps the event that a recommender probably predicts."""
        return likely_filter(self.name, self.counts)


def likely_filter(column: str, counts: Sequence[tuple[str, int]]) -> str:
    """Return the filter that keeps the event that a recommender probably predicts, or the rarest; `counts` begin with the most frequent."""
    words = {value: re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", " ", value).lower().split() for value, _ in counts}
    likely = [value for word in _WANTED_EVENTS for value, _ in counts if word in words[value]]
    value = true_of(words) or (likely or [value for value, _ in counts][::-1])[0]
    is_number = all(re.fullmatch(r"[-+]?\d+", text.strip()) for text, _ in counts)
    return f"{in_filter(column)} == " + (value if is_number else "'{}'".format(value.replace("'", "''")))


def events(source: Source, most_rows: int | None = None) -> EventColumn | None:
    """Return the values of the event column with their numbers of rows; `None` if there is no such column.

    All rows are counted, including those that a filter leaves out, or the first `most_rows`.
    """
    scan = source.scan
    if scan.format == "table":
        return None
    try:
        with panics_held_back():
            names = scan.header or opening.raw(scan).collect_schema().names()
            column = next((name for name in names if says_what_happened(name) and name not in scan.columns.values()), None)
            if column is None:
                return None
            key = f"{FILTER_COLUMN}event"
            scan = replace(scan, names={**scan.columns, key: column}, kinds={**scan.kinds, key: "text"}, where="")
            rows = opening.raw(scan).select(pl.col(column).cast(pl.String).alias("value"))
            rows = rows if most_rows is None else rows.head(most_rows)
            counted = rows.group_by("value").len().sort(["len", "value"], descending=[True, False]).collect(engine="streaming").rows()
    except opening.FAILURES:
        return None
    named = tuple((value, n) for value, n in counted if value)
    if not 1 < len(named) <= _MOST_EVENTS or not says_what_happened(column, [value for value, _ in named]):
        return None
    return EventColumn(column, named, sum(n for _, n in counted))


def like_stars(least: float, most: float, ratings: Iterable[float]) -> bool:
    """Return whether ratings look like one to five stars."""
    values = set(ratings)
    return least >= 0.5 and 4 <= most <= 5 and len(values) >= 3 and all(2 * value == int(2 * value) for value in values)


def _filter_rows(scan: Scan) -> tuple[pl.LazyFrame, dict[str, str]]:
    """Return the columns of the filter as text, with `rows` (the number of rows of a record); and name in the filter → column."""
    plain = replace(scan, where="")
    frame = opening.raw(scan)
    if scan.format in ("csv", "lines"):
        frame = frame.filter(~opening.is_blank(plain))
    frame, texts = opening.with_filter_texts(scan, frame)
    n_rows = pl.col(scan.names[min(scan.lists)]).list.len().fill_null(1) if scan.lists else pl.lit(1)
    return frame.select(opening.RECORD, n_rows.cast(pl.Int64).alias("rows"), *texts.values()), texts


def _values(scan: Scan) -> str:
    """Return a hint with the most frequent values of the columns of a filter."""
    frame, texts = _filter_rows(scan)
    hints = []
    for name in columns_of(parse_filter(scan.where)):
        counted = frame.group_by(texts[name]).len().sort(["len", texts[name]], descending=[True, False]).head(_MOST_VALUES).collect()
        values = (f"{short(value) if value else 'no value'} ({n:,})" for value, n in counted.iter_rows())
        hints.append(f"{name}: {', '.join(values)}")
    return f"the most frequent values are {'; '.join(hints)}"
