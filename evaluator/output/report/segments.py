"""The section of groups: values within each group of users or items, and differences within them."""

from __future__ import annotations

from ...content.values import Formats
from ...results.result import FEW_USERS, Row
from ..charts.points import ValuePoint, point
from .content import ReportContent
from .values import ARROWS, scale_of, value_cell
from .views import PageCell, PageColumn, PageTable, Section

DATA = ("group", "model", "measure", "value", "low", "high", "users")


def section(content: ReportContent) -> Section | None:
    """A table for each thing that results are split by; `None` if they are not."""
    names = {(id(one.result), one.model): one for one in content.models}
    points: dict[str, list[tuple[ValuePoint, Row]]] = {}
    for result in content.results.values():
        for row in result.by_group:
            if (id(result), row.model) in names:
                one = names[id(result), row.model]
                points.setdefault(row.by or "", []).append((point(one.name, row, one.is_yardstick), row))
    if not points:
        return None
    few = any(row.few_users for of_one in points.values() for _, row in of_one)
    prose = (f"“Few” marks groups with fewer than {FEW_USERS} users, whose values say little.",) if few else ()
    tables = tuple(_table(number, by, of_one) for number, (by, of_one) in enumerate(points.items(), 1))
    return Section("groups", "Groups", prose, tables=tables)


def _table(number: int, by: str, of_one: list[tuple[ValuePoint, Row]]) -> PageTable:
    labels = tuple(dict.fromkeys(row.label for _, row in of_one))
    formats = Formats.of([row for _, row in of_one])
    order = {group: place for place, group in enumerate(dict.fromkeys(row.group for _, row in of_one))}
    scales = {label: scale_of([one for one, row in of_one if row.label == label]) for label in labels}
    lines: dict[tuple[str, str], dict[str, ValuePoint]] = {}
    for one, row in sorted(of_one, key=lambda pair: order[pair[1].group]):
        lines.setdefault((row.group or "", one.name), {})[row.label] = one
    rows = []
    for (group, name), by_label in lines.items():
        first = next(iter(by_label.values())).row
        users = PageCell(f"{first.n_users:,}", "few" if first.few_users else "")
        rows.append(
            (PageCell(group), PageCell(name), users, *(value_cell(by_label.get(label), scales[label], formats) for label in labels))
        )
    directions = {row.label: row.higher_is_better for _, row in of_one}
    columns = (
        PageColumn(by, "name"),
        PageColumn("model", "text"),
        PageColumn("users"),
        *(PageColumn(f"{label}{ARROWS[directions[label]]}") for label in labels),
    )
    data = [[row.group, one.name, row.label, row.value, one.low, one.high, row.n_users] for one, row in of_one]
    return PageTable(f"groups-{number}", f"Values by {by}", columns, tuple(rows), DATA, data)
