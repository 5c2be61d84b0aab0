"""Intervals drawn in a line of text: `├──●──┤` around 0, with the band of the margin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace
from rich.cells import cell_len

from ..document import Cell, Column, Interval, Table
from .layout import head_of, texts_of
from .terminal import Screen

_SIGNS: Final = "├●┤░"
"""What a screen must be able to write."""
_LEAST, _MOST = 13, 41
"""How many columns a picture has, at least and at most; odd, so that 0 is in the middle."""


def with_pictures(table: Table, screen: Screen) -> Table:
    """Return the table with a picture behind each interval, if that is a terminal that has room and the signs for it."""
    index = next((index for index, column in enumerate(table.columns) if column.role == "interval"), None)
    if index is None or screen.width is None or not screen.is_terminal or not screen.encodes(_SIGNS):
        return table
    drawn = pictures([row[index].drawn for row in table.rows], screen.width - _width(table, screen) - 4)
    if drawn is None:
        return table
    columns = (*table.columns[: index + 1], Column(""), *table.columns[index + 1 :])
    rows = ((*row[: index + 1], Cell(picture), *row[index + 1 :]) for row, picture in zip(table.rows, drawn, strict=True))
    return replace(table, columns=columns, rows=tuple(rows))


def _width(table: Table, screen: Screen) -> int:
    """Return how many columns of the screen a table takes."""
    columns = ((head_of(column, screen), *texts_of(table, index, screen)) for index, column in enumerate(table.columns))
    return sum(max(map(cell_len, texts)) + 3 for texts in columns)


def pictures(intervals: Sequence[Interval | None], room: int) -> list[str] | None:
    """Return a picture of each interval in at most `room` columns, all to one scale with 0 in the middle.

    `│` is 0, `●` the value, `├` and `┤` the ends of its interval, `░` lies within the margin. `None` without room or any interval.
    """
    width = min(room, _MOST) - (1 - min(room, _MOST) % 2)
    known = [one for one in intervals if one is not None]
    scale = max((abs(end) for one in known for end in (one.low or 0.0, one.high or 0.0, one.margin or 0.0)), default=0.0)
    if width < _LEAST or not scale:
        return None
    return [_picture(one, scale, width) for one in intervals]


def _picture(one: Interval | None, scale: float, width: int) -> str:
    half = width // 2

    def column(value: float) -> int:
        return half + round(value / scale * half)

    cells = ["\u00a0"] * width  # an ordinary space at the end of a cell would be cut off, and the picture moved
    if one is not None and one.margin is not None:
        cells[column(-one.margin) : column(one.margin) + 1] = "░" * (column(one.margin) - column(-one.margin) + 1)
    cells[half] = "│"
    if one is not None and one.low is not None and one.high is not None and one.value is not None:
        low, high = column(one.low), column(one.high)
        cells[low : high + 1] = "─" * (high - low + 1)
        cells[low], cells[high] = "├", "┤"
        cells[column(one.value)] = "●"
    return "".join(cells)
