"""Contents of files: sizes, ratings, times, and users and items in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec import to_builtins

from ..results.description import FORMAT_VERSION, CountSummary, Description, TableDescription, TimeSpan
from ..tables.time_units import SECONDS, USUAL_DATES, YEARS, per_second
from .document import Bars, Block, Column, Document, Heading, Points, Table, Terms
from .numbers import decimals, number

_Format = Callable[[float], str]
"""Formats the numbers of one file."""
_FACTS: Final[tuple[tuple[str, Callable[[TableDescription, _Format], str]], ...]] = (
    ("rows", lambda table, _: f"{table.rows:,}"),
    ("rows left out", lambda table, _: f"{table.left_out:,}" if table.left_out else ""),
    ("users", lambda table, _: f"{table.users:,}" if table.users or not table.items else ""),
    ("items", lambda table, _: f"{table.items:,}"),
    ("density", lambda table, _: "" if table.density is None else _percent(table.density)),
    ("lowest rating or score", lambda table, text: "" if table.numbers is None else text(table.numbers.least)),
    ("mean rating or score", lambda table, text: "" if table.numbers is None else text(table.numbers.mean)),
    ("highest rating or score", lambda table, text: "" if table.numbers is None else text(table.numbers.most)),
    ("first time", lambda table, _: "" if table.times is None else _time(table.times, table.times.first)),
    ("last time", lambda table, _: "" if table.times is None else _time(table.times, table.times.last)),
    ("unit of times", lambda table, _: "" if table.times is None or table.times.unit == SECONDS.name else table.times.unit),
    ("days", lambda table, _: _days(table.times)),
    ("rows without a time", lambda table, _: f"{table.times.untimed:,}" if table.times is not None and table.times.untimed else ""),
)
_COUNTS: Final[tuple[tuple[str, Callable[[CountSummary, _Format], str]], ...]] = (
    ("least", lambda counts, text: text(counts.least)),
    ("25 %", lambda counts, text: text(counts.quantiles["25"])),
    ("median", lambda counts, text: text(counts.quantiles["50"])),
    ("75 %", lambda counts, text: text(counts.quantiles["75"])),
    ("90 %", lambda counts, text: text(counts.quantiles["90"])),
    ("99 %", lambda counts, text: text(counts.quantiles["99"])),
    ("most", lambda counts, text: text(counts.most)),
    ("mean", lambda counts, text: text(counts.mean)),
    ("Gini", lambda counts, _: f"{counts.gini:.3f}"),
    ("share of the top 1 %", lambda counts, _: _percent(counts.top_1)),
    ("share of the top 20 %", lambda counts, _: _percent(counts.top_20)),
)
MOST_COLUMNS: Final = 8
"""More files than this are rows, not columns: with folds there are many."""


_WIDE_BIN: Final = 0.1
"""Edges of bins that are all wider differ in two decimals."""
_USUAL: Final = 2
"""Usual number of decimals at most."""


def document(description: Description) -> Document:
    """Return the facts of all files side by side, a histogram of ratings or scores for each, and what the files have in common."""
    tables = description.tables
    names = [table.name for table in tables]
    texts = _formats([(table.numbers.least, table.numbers.mean, table.numbers.most) if table.numbers else () for table in tables])
    facts = ((label, *map(shown, tables, texts)) for label, shown in _FACTS)
    blocks: list[Block] = [Heading("Content of the files", 2), _figures(names, (row for row in facts if any(row[1:])))]
    for title, counts in (("Rows per user", [table.per_user for table in tables]), ("Rows per item", [table.per_item for table in tables])):
        if not any(counts):
            continue  # the only file is one of items
        texts = _formats([(count.least, *count.quantiles.values(), count.most, count.mean) if count else () for count in counts])
        rows = (
            (label, *("" if count is None else shown(count, text) for count, text in zip(counts, texts, strict=True)))
            for label, shown in _COUNTS
        )
        blocks += [Heading(title, 2), _figures(names, rows)]
    for table in tables:
        if table.numbers is not None:
            column = table.numbers.column
            wide = all(bar.high - bar.low > _WIDE_BIN for bar in table.numbers.histogram)
            edge = _format([edge for bar in table.numbers.histogram for edge in (bar.low, bar.high)], fine=not wide)
            bins = ((edge(bar.low), edge(bar.high), bar) for bar in table.numbers.histogram)
            bars = tuple((low if bar.low == bar.high else f"{low} to {high}", bar.rows) for low, high, bar in bins)
            blocks += [Heading(f"{column.capitalize()}s of {table.name}", 2), Bars(column, bars)]
    in_common = []
    for overlap in description.overlaps:
        one, other = description.table(overlap.one), description.table(overlap.other)
        users = "" if other.items and not other.users else _share(overlap.users, one.users)  # a file of items has no users
        in_common.append((f"{overlap.one} in {overlap.other}", users, _share(overlap.items, one.items)))
    if in_common:
        blocks += [Heading("Overlap of the files", 2), _figures(("users", "items"), in_common)]
    readings = tuple((table.name, table.reading) for table in tables if table.reading)
    if readings:
        blocks += [Heading("How the files are read", 2), Terms(readings, code=False)]
    return (*blocks, *([Points(description.remarks)] if description.remarks else []))


def plain(description: Description) -> dict[str, Any]:
    """Return the fields of a description, with full precision; see `FORMAT_VERSION`."""
    return {"format_version": FORMAT_VERSION, **to_builtins(description)}


def _figures(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Table:
    """Return a table of right-aligned figures of several kinds, below heads; with many heads each of them is a row."""
    heads, lines = tuple(heads), tuple(rows)
    if len(heads) > MOST_COLUMNS:
        turned = ((head, *(line[place] for line in lines)) for place, head in enumerate(heads, 1))
        return Table.from_texts((Column("file", "key"), *(Column(line[0], "counts") for line in lines)), turned)
    return Table.from_texts((Column("", "key"), *(Column(head, "counts") for head in heads)), lines)


def _share(n: int, total: int) -> str:
    return f"{n:,} of {total:,} ({_percent(n / total)})" if total else ""


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.1f} %" if percent >= 1 or percent == 0 else f"{percent:.2g} %"


def _formats(of_files: Sequence[Sequence[float]]) -> list[_Format]:
    """Return a format for the numbers of each file, or one for all files if files are rows: a column has one number of decimals."""
    if len(of_files) > MOST_COLUMNS:
        of_files = [[value for values in of_files for value in values]] * len(of_files)
    return [_format(values, fine=all(abs(value) <= 1 for value in values)) for values in of_files]


def _format(values: Sequence[float], *, fine: bool) -> _Format:
    """Return a format with the fewest decimals that change none of the values: at most two, unless the numbers are `fine`."""
    most = decimals(values) if fine else min(decimals(values), _USUAL)
    places = next((places for places in range(most) if all(round(value, places) == value for value in values)), most)
    return lambda value: number(value, places)


def _time(times: TimeSpan, time: float) -> str:
    """Return a time as a date if it may be a time since 1970; else the number unchanged."""
    seconds = time / per_second(times.unit)
    if not _is_date(times, seconds):
        return _format((time,), fine=False)(time)
    return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds)):%Y-%m-%d}"


def _is_date(times: TimeSpan, seconds: float) -> bool:
    """Return whether a time is shown as a date: a usual one, or a later one such as 9999-12-31 if the first time is a usual one."""
    least, most = USUAL_DATES
    first = times.first / per_second(times.unit)
    return least <= seconds <= most or (least <= first <= most < seconds < YEARS[1])


def _days(times: TimeSpan | None) -> str:
    if times is None:
        return ""
    first, last = (time / per_second(times.unit) for time in (times.first, times.last))
    return f"{(last - first) / 86_400:,.1f}" if _is_date(times, first) and _is_date(times, last) else ""
