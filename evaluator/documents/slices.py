"""Slices of users in which a model is worse or better than over all others: a table of each search, and what is confirmed."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from ..results.slices import Slices, SliceSearch, span_of, value_text
from ..stats.concluding import percent, users_text, with_sign
from .document import Block, Cell, Column, Document, Heading, Interval, Paragraph, Points, Section, Table, with_arrow

DATA: Final = ("slice", "direction", "users", "value", "others", "difference", "low", "high", "p_adjusted", "confirmed")
"""The columns of the data in a page."""
_FIELDS: Final = ("name", "direction", "n_users", "value", "others", "difference", "low", "high", "p_adjusted", "confirmed")
"""The fields of a slice in these columns."""


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
    digits = max((user_slice.digits for user_slice in search.slices if user_slice.digits is not None), default=None)
    data = [[getattr(user_slice, name) for name in _FIELDS] for user_slice in search.slices]
    rows = []
    for user_slice in search.slices:
        interval = Cell("–")
        if user_slice.low is not None and user_slice.high is not None:
            drawn = Interval(user_slice.difference, user_slice.low, user_slice.high)
            interval = Cell(span_of(user_slice.low, user_slice.high, digits), drawn=drawn)
        p = user_slice.p_adjusted
        mark = user_slice.direction if user_slice.confirmed and user_slice.direction in ("better", "worse") else ""
        rows.append(
            (
                Cell(user_slice.name),
                Cell(f"{user_slice.n_users:,}", value=user_slice.n_users),
                Cell(value_text(user_slice.value, digits), value=user_slice.value),
                Cell(value_text(user_slice.others, digits), value=user_slice.others),
                Cell("–" if user_slice.difference is None else with_sign(user_slice.difference, digits), value=user_slice.difference),
                interval,
                Cell("–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}", value=p),
                Cell(user_slice.direction if user_slice.confirmed else "no", mark=mark),
            )
        )
    return Table(columns, tuple(rows), id="slices-table", columns_of_data=DATA, data=data)
