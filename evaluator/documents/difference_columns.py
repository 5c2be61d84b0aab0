"""The columns of tables of differences: `COLUMNS` is the list, and each has the function that makes a cell.

An entry added here appears on the screen, in Markdown, in the page and in LaTeX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..stats.concluding import group_text, plain, with_sign
from ..stats.difference import Difference
from .document import Cell, Interval, Role


class Shown(Struct, frozen=True):
    """Settings of one table of differences: decimals, a column in percent, and the judged measures."""

    digits: int
    percent_digits: int
    judged: tuple[str, ...]


class DifferenceColumn(Struct, frozen=True):
    """A column of differences: title, role, the function that makes a cell, and when it is left out (see `Column.yields`)."""

    title: str
    role: Role
    cell: Callable[[Difference, Shown], Cell]
    yields: int = 0


def _interval_cell(row: Difference, shown: Shown) -> Cell:
    if row.interval is None:
        return Cell("–")
    low, high = row.interval
    drawn = Interval(row.difference, low, high, row.margin, mark=row.verdict or "")
    return Cell(f"{with_sign(low, shown.digits)} to {with_sign(high, shown.digits)}", drawn=drawn)


def drawn_cell(row: Difference, digits: int) -> Cell:
    """Return a difference with its interval and verdict as a note, and what to draw."""
    interval = _interval_cell(row, Shown(digits, digits, ()))
    note = ", ".join(filter(None, (interval.text, row.verdict)))
    return replace(interval, text="–" if row.difference is None else with_sign(row.difference, digits), note=note)


def _p_cell(row: Difference, shown: Shown) -> Cell:
    """Return the corrected p value; empty for a measure that is not tested."""
    p = row.p_adjusted
    return Cell("" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}", value=p)


def _counts_cell(row: Difference, shown: Shown) -> Cell:
    """Return the numbers of users whose value is better, the same, and worse."""
    known = row.up is not None and row.same is not None and row.down is not None
    return Cell(f"{row.up:,}/{row.same:,}/{row.down:,}" if known else "")


def _verdict_cell(row: Difference, shown: Shown) -> Cell:
    if row.subject.measure not in shown.judged or (row.n_unpaired and row.interval and not row.is_tested):
        return Cell("(not tested)")
    return Cell(row.verdict or "–", mark=row.verdict or "")


def _percent(share: float | None, shown: Shown) -> str:
    """Return a share of the base value in percent; a dash if there is none."""
    return "–" if share is None else with_sign(100 * share, shown.percent_digits)


def _relative_interval_cell(row: Difference, shown: Shown) -> Cell:
    """Return the interval in percent (Fieller); a dash if the base value is too uncertain."""
    if row.relative_low is None or row.relative_high is None:
        return Cell("–")
    return Cell(f"{_percent(row.relative_low, shown)} to {_percent(row.relative_high, shown)}")


def number_cell(value: float | None, digits: int, *, sign: bool = False) -> Cell:
    """Return a cell with a number; a dash if there is none."""
    return Cell("–" if value is None else with_sign(value, digits) if sign else plain(value, digits), value=value)


COLUMNS: tuple[DifferenceColumn, ...] = (
    DifferenceColumn("measure", "key", lambda row, shown: Cell(row.subject.measure, direction=row.subject.higher_is_better)),
    DifferenceColumn("base", "value", lambda row, shown: number_cell(row.base_value, shown.digits), 2),
    DifferenceColumn("value", "value", lambda row, shown: number_cell(row.value, shown.digits), 3),
    DifferenceColumn("Δ", "difference", lambda row, shown: number_cell(row.difference, shown.digits, sign=True)),
    DifferenceColumn("verdict", "verdict", _verdict_cell),
    DifferenceColumn("interval", "interval", _interval_cell),
    DifferenceColumn("p", "p", _p_cell, 4),
    DifferenceColumn("up/same/down", "counts", _counts_cell, 6),
)
"""The columns of differences. `base` and `value` are headed by the model if all rows have the same one, `interval` by its level."""
RELATIVE: Final = (
    DifferenceColumn("Δ %", "difference", lambda row, shown: Cell(_percent(row.relative, shown), value=row.relative), 1),
    DifferenceColumn("interval (%)", "interval", lambda row, shown: _relative_interval_cell(row, shown), 5),
)
"""The optional columns of differences in percent of the base value, behind the verdict."""
GROUP: Final = DifferenceColumn("group", "key", lambda row, shown: Cell(group_text(row.subject.by or "", row.subject.group or "")))
GROUP_OF_ONE: Final = DifferenceColumn("group", "key", lambda row, shown: Cell(row.subject.group or ""))
"""The column of groups of one grouping, which is its title."""
MODEL: Final = DifferenceColumn("model", "name", lambda row, shown: Cell(row.subject.model))
PAIR: Final = DifferenceColumn("model", "name", lambda row, shown: Cell(f"{row.subject.model} against {row.subject.base}"))
"""The column of models if their bases differ."""
USERS: Final = DifferenceColumn("users", "value", lambda row, shown: Cell(f"{row.n_users:,}", value=row.n_users), 7)
