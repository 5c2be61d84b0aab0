"""The section of values: measures and models, each value with its interval; and the charts over k and of two measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...content.best_values import BestValues
from ...content.values import Formats
from ...document import SIGNS
from ...stats.digits import plain
from ..charts.points import ValuePoint, by_label
from .content import ReportContent
from .views import PageCell, PageColumn, PageTable, Section
from .whiskers import CellScale, dot

ARROWS = {True: "\u00a0↑", False: "\u00a0↓", None: ""}
UNMARKED: Final = BestValues()
DATA = ("model", "measure", "value", "low", "high", "users")


def section(content: ReportContent) -> Section:
    """The table of values, those of a measure on one scale."""
    has_intervals = any(one.low is not None for one in content.points)
    prose = ["↑ more is better, ↓ less is better.", *content.marked.legend("Bold:")]
    if has_intervals:
        prose.append(
            "± is half of the 95 % interval of a mean over users, and the whiskers are that interval; a measure has one scale for all "
            "models. Whether two models differ is said under Differences: their users are the same, and whiskers do not know that."
        )
    achieved = _achieved(content)
    return Section("values", "Values", tuple(prose), tables=(_values(content), *([achieved] if achieved else [])))


def value_cell(one: ValuePoint | None, scale: CellScale, formats: Formats, marked: BestValues = UNMARKED) -> PageCell:
    """A value as text, with half of its interval, and as a dot with whiskers."""
    if one is None:
        return PageCell("")
    half = one.half_width
    remark = "" if half is None else f"±{plain(half, formats.places[one.label])}"
    picture = dot(scale, one.value, one.low, one.high, hollow=one.is_yardstick) if one.is_drawn else ""
    place = (one.name, one.label)
    sign = f" {SIGNS['untested']}" * (place in marked.untested)
    return PageCell(f"{formats.shown(one.row)}{sign}", remark, picture, place in marked.tested)


def scale_of(points: Sequence[ValuePoint]) -> CellScale:
    """The scale on which some values and their intervals stand."""
    return CellScale.over(number for one in points if one.is_drawn for number in (one.value, one.low, one.high))


def _values(content: ReportContent) -> PageTable:
    table = by_label(content.points)
    names = [one.name for one in content.models]
    better = content.higher_is_better
    cells: dict[tuple[str, str], PageCell] = {}
    for label, of_models in table.items():
        scale = scale_of(list(of_models.values()))
        cells |= {(label, name): value_cell(of_models.get(name), scale, content.formats, content.marked) for name in names}
    users = {one.name: PageCell(f"{one.result.counts[one.model].averaged:,}") for one in content.models}
    data = [[one.name, one.label, one.value, one.low, one.high, one.row.n_users] for one in content.points]
    heads = {label: f"{label}{ARROWS[better[label]]}" for label in table}
    if len(names) >= len(table):
        columns = (PageColumn("model", "name"), *(PageColumn(heads[label]) for label in table), PageColumn("users"))
        rows = tuple((PageCell(name), *(cells[label, name] for label in table), users[name]) for name in names)
    else:
        columns = (PageColumn("measure", "name"), *(PageColumn(name, "name") for name in names))
        rows = tuple((PageCell(heads[label]), *(cells[label, name] for name in names)) for label in table)
        rows += ((PageCell("users"), *(users[name] for name in names)),)
    return PageTable("values-table", "Values of all models", columns, rows, DATA, data)


def _achieved(content: ReportContent) -> PageTable | None:
    """What share of the best possible value each model reaches, where that is known."""
    table = {label: row for label, row in by_label(content.points).items() if any(one.row.achieved is not None for one in row.values())}
    if not table:
        return None
    names = [one.name for one in content.models if any(one.name in row for row in table.values()) and not one.is_yardstick]
    rows = tuple((PageCell(label), *(PageCell(_percent(row, name)) for name in names)) for label, row in table.items())
    data = [[name, label, row[name].row.achieved] for label, row in table.items() for name in names if name in row]
    columns = (PageColumn("measure", "name"), *(PageColumn(name, "name") for name in names))
    return PageTable("achieved-table", "Percent of achievable", columns, rows, ("model", "measure", "achieved"), data)


def _percent(row: Mapping[str, ValuePoint], name: str) -> str:
    share = row[name].row.achieved if name in row else None
    return "" if share is None else f"{100 * share:.1f} %"
