"""Slices of users in which a model is worse or better than over all others: a table of each search, and what is confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from ..document import Block, Cell, Column, Document, Heading, Interval, Paragraph, Points, Section, Table, with_arrow
from ..results.slices import Slices, SliceSearch, span_of, value_text
from ..stats.concluding import percent, users_text, with_sign

DATA: Final = ("slice", "direction", "users", "value", "others", "difference", "low", "high", "p_adjusted", "confirmed")
"""The columns of the data in a page."""


def document(slices: Slices) -> Document:
    """Return a table of the tested slices of each search, the conclusions, and notes."""
    blocks: list[Block] = []
    for search in slices.searches:
        blocks += [Heading(with_arrow(search.title, search.higher_is_better)), Paragraph(_subtitle(slices, search))]
        blocks += [table(search)] if search.slices else []
    blocks.append(Points(tuple(slices.sentences())))
    return (*blocks, Paragraph(_method(slices)), *([Points(slices.notes)] if slices.notes else []))


def body(slices: Slices) -> Document:
    """Return the conclusions, the method and the tables, for a section of a comparison."""
    tables = tuple(replace(table(search), caption=search.title) for search in slices.searches if search.slices)
    notes = (Points(slices.notes),) if slices.notes else ()
    return (Points(tuple(slices.sentences())), Paragraph(_method(slices)), *tables, *notes)


def section(slices: Slices) -> Section:
    """Return the section of a report."""
    return Section("slices", "Slices of users", body(slices))


def _subtitle(slices: Slices, search: SliceSearch) -> str:
    confirming = search.n_users - search.n_finding
    halves = f"found on {search.n_finding:,}, tested on the other {confirming:,}"
    return f"{users_text(search.n_users)}: {halves} · {percent(slices.level)} intervals, corrected for {slices.family:,} slices"


def _method(slices: Slices) -> str:
    features = ", ".join(slices.features) if slices.features else "none"
    pairs = " and pairs of them" if slices.depth > 1 else ""
    return (
        "Users are those of both halves. All other columns are of the half that took no part in finding the slices; "
        "Δ is the mean of the slice there minus that of all other users. "
        f"Searched: groups by {features}{pairs}."
    )


def table(search: SliceSearch) -> Table:
    """Return a row for each tested slice: its users, its mean, that of the others, their difference, and if it is confirmed."""
    what = "value" if search.base is None else "difference"
    columns = (
        Column("slice", "name", wraps=True),
        Column("users", "value", yields=2),
        Column(what, "value", yields=4),
        Column("others", "value", yields=5),
        Column("Δ", "difference"),
        Column("corrected interval", "interval", yields=1),
        Column("p", "p", yields=3),
        Column("confirmed", "verdict"),
    )
    digits = max((one.digits for one in search.slices if one.digits is not None), default=None)
    rows = []
    for one in search.slices:
        has_interval = one.low is not None and one.high is not None
        drawn = Interval(one.difference, one.low, one.high) if has_interval else None
        p = one.p_adjusted
        mark = one.direction if one.confirmed and one.direction in ("better", "worse") else ""
        rows.append(
            (
                Cell(one.name),
                Cell(f"{one.n_users:,}", value=one.n_users),
                Cell(value_text(one.value, digits), value=one.value),
                Cell(value_text(one.others, digits), value=one.others),
                Cell("–" if one.difference is None else with_sign(one.difference, digits), value=one.difference),
                Cell(span_of(one.low, one.high, digits) if one.low is not None and one.high is not None else "–", drawn=drawn),
                Cell("–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}", value=p),
                Cell(one.direction if one.confirmed else "no", mark=mark),
            )
        )
    return Table(columns, tuple(rows), id="slices-table", columns_of_data=DATA, data=list(_data(search)))


def _data(search: SliceSearch) -> Iterator[list[object]]:
    for one in search.slices:
        values = (one.value, one.others, one.difference, one.low, one.high, one.p_adjusted, one.confirmed)
        yield [one.name, one.direction, one.n_users, *values]
