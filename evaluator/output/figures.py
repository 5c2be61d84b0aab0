"""Tables of numbers and histograms: blocks of a page, and how they are drawn on a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..render.terminal import UNBOUNDED, Screen

_BAR: Final = 30
"""How long the longest bar is where there is no terminal."""
_LEAST_BAR, _LONGEST_BAR = 4, 60


class Figures(Struct, frozen=True):
    """A table of numbers, which stand to the right; columns that do not fit a terminal follow in further tables."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Bars(Struct, frozen=True):
    """A histogram: for each row its label and its number, drawn as a bar with its share of all."""

    header: str
    rows: tuple[tuple[str, int], ...]


def bar_cells(bars: Bars, sign: str, width: int = _BAR) -> list[tuple[str, str, str, str]]:
    """The label, the number, its share and its bar of each row: the longest has `width` signs, and none but that of 0 is empty."""
    total, longest = sum(number for _, number in bars.rows), max((number for _, number in bars.rows), default=0)
    return [
        (label, f"{number:,}", f"{100 * number / max(total, 1):.1f} %", sign * -(-width * number // max(longest, 1)))
        for label, number in bars.rows
    ]


def bars_table(bars: Bars, screen: Screen) -> RenderableType:
    """A histogram as wide as a screen has room for, within limits."""
    cells = bar_cells(bars, "", 0)
    others = sum(max((cell_len(row[column]) for row in cells), default=0) + 2 for column in range(3)) + 2
    longest = _BAR if screen.width is None else max(min(screen.width - others, _LONGEST_BAR), _LEAST_BAR)
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for row in bar_cells(bars, "█" if screen.encodes("█") else "#", longest):
        table.add_row(*(Text(screen.visible(cell)) for cell in row))
    return Padding(table, (0, 0, 0, 2), expand=False)


def figures_table(figures: Figures, screen: Screen) -> Table:
    """A table of numbers, with frames if the screen has them."""
    table = Table(box=screen.box, safe_box=False, header_style="bold")
    for number, header in enumerate(figures.headers):
        table.add_column(Text(screen.visible(header)), justify="right" if number else "left", no_wrap=True)
    for row in figures.rows:
        table.add_row(*(Text(screen.visible(cell)) for cell in row))
    return table


def beside(figures: Figures, screen: Screen) -> list[Figures]:
    """The table, or where it is wider than the screen several with the first column and as many others as fit."""
    groups: list[tuple[int, ...]] = [()]
    for column in range(1, len(figures.headers)):
        wider = (*groups[-1], column)
        n_columns = UNBOUNDED.measure(figures_table(_columns(figures, wider), screen)).maximum
        fits = screen.width is None or n_columns <= screen.width or not groups[-1]
        groups = [*groups[:-1], wider] if fits else [*groups, (column,)]
    return [_columns(figures, group) for group in groups]


def _columns(figures: Figures, columns: Sequence[int]) -> Figures:
    """The first column of a table, and those at `columns`, without rows that say nothing there."""
    headers, *rows = [tuple(row[column] for column in (0, *columns)) for row in (figures.headers, *figures.rows)]
    return Figures(headers, tuple(row for row in rows if any(row[1:])))
