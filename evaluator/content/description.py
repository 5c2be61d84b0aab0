"""Contents of files: sizes, ratings, times, and users and items in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec import to_builtins

from ..document import Bars, Block, Column, Document, Heading, Points, Table
from ..results.description import FORMAT_VERSION, CountSummary, Description, TableDescription, TimeSpan

_DATES: Final = (10**8, 4 * 10**9)
"""The range of numbers that are shown as seconds since 1970: from 1973 to 2096."""
_FACTS: Final[tuple[tuple[str, Callable[[TableDescription], str]], ...]] = (
    ("rows", lambda table: f"{table.rows:,}"),
    ("rows left out", lambda table: f"{table.left_out:,}" if table.left_out else ""),
    ("users", lambda table: f"{table.users:,}"),
    ("items", lambda table: f"{table.items:,}"),
    ("density", lambda table: "" if table.density is None else _percent(table.density)),
    ("lowest rating or score", lambda table: "" if table.numbers is None else _number(table.numbers.least)),
    ("mean rating or score", lambda table: "" if table.numbers is None else _number(table.numbers.mean)),
    ("highest rating or score", lambda table: "" if table.numbers is None else _number(table.numbers.most)),
    ("first time", lambda table: "" if table.times is None else _time(table.times.first)),
    ("last time", lambda table: "" if table.times is None else _time(table.times.last)),
    ("days", lambda table: _days(table.times)),
    ("rows without a time", lambda table: f"{table.times.untimed:,}" if table.times is not None and table.times.untimed else ""),
)
_COUNTS: Final[tuple[tuple[str, Callable[[CountSummary], str]], ...]] = (
    ("least", lambda counts: f"{counts.least:,}"),
    ("25 %", lambda counts: _number(counts.quantiles["25"])),
    ("median", lambda counts: _number(counts.quantiles["50"])),
    ("75 %", lambda counts: _number(counts.quantiles["75"])),
    ("90 %", lambda counts: _number(counts.quantiles["90"])),
    ("99 %", lambda counts: _number(counts.quantiles["99"])),
    ("most", lambda counts: f"{counts.most:,}"),
    ("mean", lambda counts: _number(counts.mean)),
    ("Gini", lambda counts: f"{counts.gini:.3f}"),
    ("share of the top 1 %", lambda counts: _percent(counts.top_1)),
    ("share of the top 20 %", lambda counts: _percent(counts.top_20)),
)


_WIDE_BIN: Final = 0.1
"""Edges of bins that are all wider differ in two decimals."""


def document(description: Description) -> Document:
    """Return the facts of all files side by side, a histogram of ratings or scores for each, and what the files have in common."""
    tables = description.tables
    names = [table.name for table in tables]
    facts = ((label, *(shown(table) for table in tables)) for label, shown in _FACTS)
    blocks: list[Block] = [Heading("Content of the files", 2), _figures(names, (row for row in facts if any(row[1:])))]
    for title, counts in (("Rows per user", [table.per_user for table in tables]), ("Rows per item", [table.per_item for table in tables])):
        rows = ((label, *("" if one is None else shown(one) for one in counts)) for label, shown in _COUNTS)
        blocks += [Heading(title, 2), _figures(names, rows)]
    for table in tables:
        if table.numbers is not None:
            column = table.numbers.column
            wide = all(one.high - one.low > _WIDE_BIN for one in table.numbers.histogram)
            edge = "{:,.2f}".format if wide else _number  # of wide bins all edges have the same decimals
            bins = ((edge(one.low), edge(one.high), one) for one in table.numbers.histogram)
            bars = tuple((low if one.low == one.high else f"{low} to {high}", one.rows) for low, high, one in bins)
            blocks += [Heading(f"{column.capitalize()}s of {table.name}", 2), Bars(column, bars)]
    in_common = []
    for overlap in description.overlaps:
        one = description.table(overlap.one)
        in_common.append((f"{overlap.one} in {overlap.other}", _share(overlap.users, one.users), _share(overlap.items, one.items)))
    if in_common:
        blocks += [Heading("Overlap of the files", 2), _figures(("users", "items"), in_common)]
    return (*blocks, *([Points(description.remarks)] if description.remarks else []))


def plain(description: Description) -> dict[str, Any]:
    """Return the fields of a description, with full precision; see `FORMAT_VERSION`."""
    return {"format_version": FORMAT_VERSION, **to_builtins(description)}


def _figures(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Table:
    """Return a table of right-aligned figures of several kinds, below heads."""
    return Table.of_texts((Column("", "key"), *(Column(head, "counts") for head in heads)), rows)


def _share(n: int, total: int) -> str:
    return f"{n:,} of {total:,} ({_percent(n / total)})" if total else ""


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.1f} %" if percent >= 1 or percent == 0 else f"{percent:.2g} %"


def _number(number: float) -> str:
    """Return a number for people: whole numbers without a fraction, others with four digits or two decimals."""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{number:,.0f}"
    return f"{number:,.2f}" if 1 <= abs(number) < 1e15 else f"{number:.4g}"


def _time(seconds: float) -> str:
    """Return a time as a date if it may be seconds since 1970; else the number unchanged."""
    if not _DATES[0] <= seconds <= _DATES[1]:
        return _number(seconds)
    return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds)):%Y-%m-%d}"


def _days(times: TimeSpan | None) -> str:
    if times is None or not _DATES[0] <= times.first <= times.last <= _DATES[1]:
        return ""
    return f"{(times.last - times.first) / 86_400:,.1f}"
