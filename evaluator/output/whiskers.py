"""Intervals drawn in a line of text: `├──●──┤` around 0, with the band of the margin."""

from __future__ import annotations

from collections.abc import Sequence

from ..stats.records import Difference

_LEAST, _MOST = 13, 41
"""How many columns a picture has, at least and at most; odd, so that 0 is in the middle."""


def pictures(differences: Sequence[Difference], room: int) -> list[str] | None:
    """A picture of each difference in at most `room` columns, all to one scale with 0 in the middle.

    `│` is 0, `●` the difference, `├` and `┤` the ends of its interval, `░` lies within the margin. `None` without room or any interval.
    """
    width = min(room, _MOST) - (1 - min(room, _MOST) % 2)
    ends = [abs(end) for one in differences for end in (*(one.interval or ()), one.margin or 0.0)]
    scale = max(ends, default=0.0)
    if width < _LEAST or not scale:
        return None
    return [_picture(one, scale, width) for one in differences]


def _picture(one: Difference, scale: float, width: int) -> str:
    half = width // 2

    def column(value: float) -> int:
        return half + round(value / scale * half)

    cells = ["\u00a0"] * width  # an ordinary space at the end of a cell would be cut off, and the picture moved
    if one.margin is not None:
        for place in range(column(-one.margin), column(one.margin) + 1):
            cells[place] = "░"
    cells[half] = "│"
    if one.interval is not None and one.difference is not None:
        low, high = map(column, one.interval)
        cells[low : high + 1] = "─" * (high - low + 1)
        cells[low], cells[high] = "├", "┤"
        cells[column(one.difference)] = "●"
    return "".join(cells)
