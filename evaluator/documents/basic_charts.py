"""The basic charts, which need no extra: values with their intervals, and differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..stats.difference import Difference
from .chart_parts import left_text
from .difference_columns import drawn_cell
from .differences import digits_of
from .document import Figure, Panel, with_arrow
from .report import ReportContent
from .values import by_label

_MOST_MEASURES: Final = 6
_MOST_ROWS: Final = 60
_OF_VALUES: Final = "over_k"
"""The chart of values of pages with the extra; a config that leaves it out wants no basic chart of values either."""


def missing_text(ids: Iterable[str]) -> str:
    """Return the sentence on the charts that a page lacks without the extra, by their ids."""
    names = [chart.removesuffix("-chart").replace("-", "_") for chart in dict.fromkeys(ids)]
    are = "charts {} are" if len(names) > 1 else "chart {} is"
    why = "because the extra report was not installed where this page was made. receval doctor shows how to install it."
    return f"The {are.format(' and '.join(filter(None, (', '.join(names[:-1]), *names[-1:]))))} missing, {why}"


def basic_values(content: ReportContent) -> tuple[Figure, ...]:
    """Return the values of several models by measure, with 95 % intervals, as a chart for pages without the extra; empty if not wanted."""
    panels = []
    for label, points in by_label(content.points).items() if _OF_VALUES in content.charts else ():
        drawn = [point for point in points.values() if point.is_drawn][:_MOST_ROWS]
        rows = tuple((point.name, content.formats.point_cell(point, with_interval=True)) for point in drawn)
        panels += [Panel(with_arrow(label, content.higher_is_better[label]), rows)] if len(rows) > 1 else []
    if not panels:
        return ()
    most = max(1, min(_MOST_MEASURES, _MOST_ROWS // max(len(panel.rows) for panel in panels)))
    n_left = len(panels) - most
    left = left_text(n_left, f"measure{'s are' if n_left > 1 else ' is'} in the table")
    has_intervals = any(cell.drawn and cell.drawn.low is not None for panel in panels[:most] for _, cell in panel.rows)
    intervals = " with 95 % intervals" if has_intervals else ""
    caption = f"Values of the models{intervals}; each measure has its own scale, which need not start at 0.{left}"
    return (Figure("values-chart", caption, {}, panels=tuple(panels[:most])),)


def difference_panels(groups: Sequence[Sequence[Difference]], base: str | None, *, by_model: bool) -> tuple[Panel, ...]:
    """Return groups of differences as panels: `by_model` one of models for each measure, else of measures for one pair."""
    panels = []
    for some in groups:
        first = some[0].subject
        title = with_arrow(first.measure, first.higher_is_better) if by_model else f"{first.model} minus {first.base}"
        names = (
            _row_name(difference, base) if by_model else with_arrow(difference.subject.measure, difference.subject.higher_is_better)
            for difference in some
        )
        rows = tuple(zip(names, (drawn_cell(difference, digits_of([difference])) for difference in some), strict=True))
        panels.append(Panel(title, rows, with_zero=True))
    return tuple(panels)


def _row_name(difference: Difference, base: str | None) -> str:
    return difference.subject.model if base is not None else f"{difference.subject.model} against {difference.subject.base}"
