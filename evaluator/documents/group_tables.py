"""The values of groups of users, items and test rows: a table for each grouping, and cross tables for combinations of two groupings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise, product
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..results.result import FEW_USERS, Row
from ..tables.prepared import CROSS
from .document import Block, Cell, Column, Document, Heading, Paragraph, Table, with_arrow
from .values import COLUMNS_OF_DATA, Formats, NamedModel, ValuePoint, share_cell

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})
_ShowValue = Callable[[ValuePoint], Cell]
_Lines = Mapping[tuple[str, ...], Mapping[str, Cell]]
"""Texts of the first cells of each row → its values by label."""


class Cross(Struct, frozen=True):
    """The combinations of two groupings: their names, the group of each that a combined group has, and the groups in order."""

    names: tuple[str, str]
    cells: Mapping[str, tuple[str, str]]
    down: tuple[str, ...]
    across: tuple[str, ...]

    @staticmethod
    def from_groups(by: str, groups: Iterable[str]) -> Cross | None:
        """Return the cross of a grouping such as `users.plan*rows.repeat`; `None` if it does not combine two.

        Also `None` if the name of a group has the sign between them, because then its two groups are not known.
        """
        names, cells = by.split(CROSS), {group: group.split(CROSS) for group in groups}
        if len(names) != 2 or any(len(pair) != 2 for pair in cells.values()):
            return None
        first, second = names
        pairs = {group: (pair[0], pair[1]) for group, pair in cells.items()}
        down = tuple(dict.fromkeys(group for group, _ in pairs.values()))
        return Cross((first, second), pairs, down, _merged([[other for group, other in pairs.values() if group == row] for row in down]))


def _merged(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the groups of all rows in one order, in which those of each row keep theirs; a row may lack some."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for row in rows:
        for group in row:
            sorter.add(group)
        for before, after in pairwise(row):
            sorter.add(before, after)  # from the end, so that a group that only some rows have, such as the missing one, comes last
    try:
        return tuple(sorter.static_order())[::-1]
    except CycleError:  # several results with different groups
        return tuple(dict.fromkeys(group for row in rows for group in row))


def points_by_group(models: Sequence[NamedModel]) -> Mapping[str, list[ValuePoint]]:
    """Return the values of each grouping of the results of some models."""
    names = {(id(model.result), model.model): model for model in models}
    points: dict[str, list[ValuePoint]] = {}
    for result in {id(model.result): model.result for model in names.values()}.values():
        for row in result.by_group:
            if (id(result), row.model) in names:
                points.setdefault(row.by or "", []).append(names[id(result), row.model].point(row))
    return points


def groups(models: Sequence[NamedModel], digits: int | None = None, *, with_intervals: bool = False) -> Document:
    """Return the values of groups: for each grouping a table with a row per group and model, or a column per group.

    A combination of two groupings has cross tables: one of the numbers of users, and one for each measure. Values have `digits` decimals if
    given. Groups in which no user counts are listed below. Intervals are shown only `with_intervals`.
    """
    points = points_by_group(models)
    formats = Formats.from_rows((point.row for some in points.values() for point in some), digits)
    blocks: list[Block] = []
    rows: list[Row] = []
    for n, (by, some) in enumerate(points.items(), 1):
        empty = _empty_groups(some)
        shown = [point for point in some if point.row.group not in empty]
        rows += [point.row for point in shown]
        cross = Cross.from_groups(by, dict.fromkeys(point.row.group or "" for point in shown)) if shown else None
        tables = list(_tables(by, shown, cross, formats, with_intervals=with_intervals))
        of_data = {"columns_of_data": ("group", *COLUMNS_OF_DATA), "data": [[point.row.group, *point.data] for point in some]}
        first = next((block for block in tables if isinstance(block, Table)), None)
        blocks.append(Heading(f"By {by}", 2))
        blocks += [replace(block, id=f"groups-{n}", **of_data) if block is first else block for block in tables]
        gone = _gone(by, empty, cross)
        if gone:
            blocks.append(Paragraph(f"No user counts in {'group' if len(gone) == 1 else 'groups'} {', '.join(gone)}."))
        shares = [point for point in shown if point.row.achieved is not None and not point.is_reference]
        if shares:
            blocks.append(Paragraph("Percent of achievable:"))
            blocks += _cross_tables(cross, shares, share_cell) if cross else [_table_of_groups(by, _lines(shares, share_cell))]
    if any(row.few_users for row in rows):
        where = " (of one fold or run at least)" if any(row.repeats is not None for row in rows) else ""
        blocks.append(Paragraph(f"few: fewer than {FEW_USERS} users{where}, whose values are very uncertain."))
    return tuple(blocks)


def _tables(by: str, shown: Sequence[ValuePoint], cross: Cross | None, formats: Formats, *, with_intervals: bool) -> Iterator[Block]:
    """Yield the table of a grouping, or the cross tables of a combination of two."""
    better = {point.label: point.row.higher_is_better for point in shown} if with_intervals else _NONE
    if cross is not None:
        yield from (Heading("users", 3), _table_of_users(cross, shown))
        yield from _cross_tables(cross, shown, lambda point: formats.cell(point.row, point.half_width if with_intervals else None), better)
    elif shown:
        yield _table_of_groups(by, _lines(shown, lambda point: formats.point_cell(point, with_interval=with_intervals)), better)


def _empty_groups(points: Iterable[ValuePoint]) -> list[str]:
    """Return the groups in which no user counts for any value."""
    users: dict[str, int] = {}
    for point in points:
        users[point.row.group or ""] = users.get(point.row.group or "", 0) + point.row.n_users
    return [group for group, n in users.items() if not n]


def _gone(by: str, empty: Sequence[str], cross: Cross | None) -> list[str]:
    """Return the groups to name because no table shows them; a combination without users is an empty cell of a cross table."""
    of_empty = Cross.from_groups(by, empty) if cross is not None and empty else None
    if cross is None or of_empty is None:
        return list(empty)
    return [
        *(group for group in of_empty.down if group not in cross.down),
        *(group for group in of_empty.across if group not in cross.across),
    ]


# Cross tables


def _heads(points: Iterable[ValuePoint]) -> dict[str | None, Row]:
    """Return the first value of each group, which has its number of users."""
    heads: dict[str | None, Row] = {}
    for point in points:
        heads.setdefault(point.row.group, point.row)
    return heads


def _few(row: Row, count: str = "") -> str:
    """Return the remark on a value: a number of users, and the mark of a small group."""
    said = ", ".join(part for part in (count, "few" if row.few_users else "") if part)
    return f"({said})" if said else ""


def _table_of_users(cross: Cross, points: Sequence[ValuePoint]) -> Table:
    """Return the number of users of each combination, with small ones marked."""
    users = {cross.cells[group or ""]: Cell(f"{row.n_users:,}", note=_few(row)) for group, row in _heads(points).items()}
    rows = tuple((Cell(group), *(users.get((group, other), Cell("0")) for other in cross.across)) for group in cross.down)
    long = tuple(
        (Cell(group), Cell(other), users[group, other]) for group, other in product(cross.down, cross.across) if (group, other) in users
    )
    narrow = Table((*(Column(name, "name") for name in cross.names), Column("users", "counts")), long)
    return Table((Column(cross.names[0], "name"), *(Column(other, "counts") for other in cross.across)), rows, narrow=narrow)


def _cross_tables(
    cross: Cross, points: Sequence[ValuePoint], cell: _ShowValue, better: Mapping[str, bool | None] = _NONE
) -> Iterator[Block]:
    """Yield a table for each measure below its name: the first grouping and the models down, the second grouping across.

    Values of small groups are marked, and those over other users than the first value of their combination have their number. A narrow
    screen has a row for each combination and a column for each model.
    """
    heads = {cross.cells[group or ""]: row for group, row in _heads(points).items()}
    by_label: dict[str, dict[tuple[str, str, str], ValuePoint]] = {}
    for point in points:
        by_label.setdefault(point.label, {})[*cross.cells[point.row.group or ""], point.name] = point
    names = tuple(dict.fromkeys(point.name for point in points))

    def shown(point: ValuePoint | None, head: Row | None, *, marked: bool) -> Cell:
        if point is None or head is None:
            return Cell()
        others = "" if point.row.n_users == head.n_users else f"{point.row.n_users:,}"
        return replace(cell(point), note=_few(point.row, others) if marked else f"({others})" if others else "")

    for label, values in by_label.items():
        columns = (Column(cross.names[0], "name"), Column("model", "name"), *(Column(other, "value") for other in cross.across))
        rows = tuple(
            (
                Cell(group),
                Cell(name),
                *(shown(values.get((*at, name)), heads.get(at), marked=True) for at in product((group,), cross.across)),
            )
            for group in cross.down
            for name in names
        )
        rules = dict.fromkeys(range(len(names), len(rows), len(names)), "") if len(names) > 1 else {}
        long = tuple(
            (Cell(at[0]), Cell(at[1], note=_few(heads[at])), *(shown(values.get((*at, name)), heads[at], marked=False) for name in names))
            for at in product(cross.down, cross.across)
            if at in heads
        )
        narrow = Table((*(Column(name, "name") for name in cross.names), *(Column(name, "value") for name in names)), long)
        yield from (Heading(with_arrow(label, better.get(label)), 3), Table(columns, rows, rules=rules, narrow=narrow))


def cross_tables_with_users(cross: Cross, rows: Sequence[Row], cell: Callable[[Row], Cell]) -> Iterator[Table]:
    """Yield a table for each measure with its own numbers of users, for a paper: the models below each group of the first grouping.

    Small groups have a sign that a note explains.
    """
    columns = (Column("", "name"), *(Column(other, "value", group=cross.names[1]) for other in cross.across))
    for label in dict.fromkeys(row.label for row in rows):
        found: dict[tuple[str, str], dict[str, Row]] = {}
        for row in rows:
            if row.label == label:
                found.setdefault(cross.cells[row.group or ""], {})[row.model] = row
        models = tuple(dict.fromkeys(model for some in found.values() for model in some))
        lines: list[tuple[Cell, ...]] = []
        rules: dict[int, str] = {}
        for group in cross.down:
            rules[len(lines)] = group
            cells = [found.get((group, other), {}) for other in cross.across]
            for model in models:
                shown = (replace(cell(some[model]), note="*" * bool(some[model].few_users)) if model in some else Cell() for some in cells)
                lines.append((Cell(model), *shown))
            users = (sorted({row.n_users for row in some.values()}) or [0] for some in cells)
            lines.append((Cell("users"), *(Cell("–".join(f"{n:,}" for n in dict.fromkeys((some[0], some[-1])))) for some in users)))
        every = [row for some in found.values() for row in some.values()]
        few = (f"* fewer than {FEW_USERS} users, whose values are very uncertain.",) if any(row.few_users for row in every) else ()
        caption = f"{with_arrow(label, every[0].higher_is_better)} by {' and '.join(cross.names)}."
        yield Table(columns, tuple(lines), caption, rules=rules, notes=few)


# Other tables


def _lines(points: Sequence[ValuePoint], cell: _ShowValue) -> _Lines:
    """Return a row for each group and model; a value over other users than the first one of its row has their number."""
    order = {group: number for number, group in enumerate(dict.fromkeys(point.row.group for point in points))}
    first: dict[tuple[str | None, str], Row] = {}
    lines: dict[tuple[str, ...], dict[str, Cell]] = {}
    for point in sorted(points, key=lambda point: order[point.row.group]):
        head = first.setdefault((point.row.group, point.name), point.row)
        key = (point.row.group or "", f"{head.n_users:,}{' (few)' if head.few_users else ''}", point.name)
        others = f"({point.row.n_users:,})" if point.row.n_users != head.n_users else ""
        lines.setdefault(key, {})[point.label] = replace(cell(point), note=others)
    return lines


def _labels(lines: _Lines) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for values in lines.values() for label in values))


def _table_of_groups(by: str, lines: _Lines, better: Mapping[str, bool | None] = _NONE) -> Table:
    """Return groups as rows, with groups as columns as its other form; `better` are the directions to show."""
    labels = _labels(lines)
    heads = (Column(by, "name"), Column("users", "key"), Column("model", "name"))
    rows = tuple((*map(Cell, key), *(values.get(label, Cell()) for label in labels)) for key, values in lines.items())
    return Table((*heads, *(Column(label, "value", better.get(label)) for label in labels)), rows, other=_groups_as_columns(lines))


def _groups_as_columns(lines: _Lines) -> Table:
    """Return a row for each measure and a column for each group and model, and as its other form one with models in rows.

    The users of each group are below.
    """
    groups, models = (tuple(dict.fromkeys(key[n] for key in lines)) for n in (0, 2))
    cells = {(group, model): values for (group, _, model), values in lines.items()}
    n_users = {(group, model): Cell(users) for group, users, model in lines}
    labels = _labels(lines)
    rows = ((Cell(label), *(values.get(label, Cell()) for values in cells.values())) for label in labels)
    columns = (Column("measure", "name"), *(Column(model, "value", group=group) for group, model in cells))
    return Table(
        columns, (*rows, (Cell("users"), *n_users.values())), apart=1, other=_models_as_rows(groups, models, labels, cells, n_users)
    )


def _models_as_rows(
    groups: Sequence[str],
    models: Sequence[str],
    labels: Sequence[str],
    cells: Mapping[tuple[str, str], Mapping[str, Cell]],
    n_users: Mapping[tuple[str, str], Cell],
) -> Table:
    """Return a row for each measure and model and a column for each group; users are in one row if all models have the same."""
    rows = (
        (Cell(label), Cell(model), *(cells.get((group, model), _NONE).get(label, Cell()) for group in groups))
        for label in labels
        for model in models
    )
    users = {model: tuple(n_users.get((group, model), Cell()) for group in groups) for model in models}
    alike = len(set(users.values())) == 1
    below = [(Cell("users"), Cell("" if alike else model), *users[model]) for model in (models[:1] if alike else models)]
    columns = (Column("measure", "name"), Column("model", "name"), *(Column(group, "value") for group in groups))
    return Table(columns, (*rows, *below), apart=len(below))
