"""Values of a result: tables of all models, shares of the best possible values, groups, and folds and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..document import Block, Cell, Column, Document, Heading, Interval, Mark, Paragraph, Table
from ..metrics import find
from ..names.formula import is_formula
from ..names.short_names import ORACLE, interval_level
from ..results.result import FEW_USERS, Result, Row
from .numbers import decimals, number
from .points import NamedModel, ValuePoint, by_label, models_of, points_of, points_of_groups

_BESIDE: Final = 4
"""Number of measures of groups, folds and runs that stand beside each other."""
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_NO_DIRECTIONS: Final[Mapping[str, bool | None]] = MappingProxyType({})
_DATA: Final = ("model", "measure", "value", "low", "high", "users")
"""The columns that programs read of a page; those of groups have the group before them."""


class Formats(Struct, frozen=True):
    """Number of decimals of the values of each measure, by its label; `rounded` if somebody asked for so many."""

    places: Mapping[str, int]
    rounded: bool = False

    @staticmethod
    def of(rows: Iterable[Row], digits: int | None = None) -> Formats:
        """Return as many decimals as the values of `rows` need, or `digits` for all but counts; an interval has those of its mean."""
        by_measure: dict[str, list[Row]] = {}
        for row in rows:
            by_measure.setdefault(row.measure if interval_level(row.aggregate) is not None else row.label, []).append(row)
        places = {}
        for some in by_measure.values():
            whole = _counts(some)
            fitting = decimals((value for row in some for value in (row.value, row.repeats_std)), whole)
            chosen = fitting if digits is None or (whole and fitting == 0) else digits
            places.update(dict.fromkeys((row.label for row in some), chosen))
        return Formats(places, digits is not None)

    def text(self, label: str, value: float | None) -> str:
        """Return a value of the measure of that label as text."""
        return number(value, self.places[label], self.rounded)

    def shown(self, row: Row | None) -> str:
        """Return the value of a row as text; a mean over folds or runs with its standard deviation."""
        cell = self.cell(row)
        return f"{cell.text} ± {cell.spread}" if cell.spread else cell.text

    def cell(self, row: Row | None, half: float | None = None, mark: Mark = "") -> Cell:
        """Return the value of a row, with half the width of its interval, or its standard deviation over folds or runs, behind ±."""
        if row is None:
            return Cell()
        spread = row.repeats_std if half is None else half
        return Cell(self.text(row.label, row.value), self.text(row.label, spread), mark, value=row.value)

    def point_cell(self, one: ValuePoint | None, mark: Mark = "") -> Cell:
        """Return a value without its interval."""
        return self.cell(None if one is None else one.row, mark=mark)

    def drawn_cell(self, one: ValuePoint | None, mark: Mark = "") -> Cell:
        """Return a value with its interval, which may be drawn."""
        if one is None:
            return Cell()
        drawn = Interval(one.value, one.low, one.high, hollow=one.is_yardstick) if one.is_drawn else None
        return replace(self.cell(one.row, one.half_width, mark), drawn=drawn)


def _counts(rows: Sequence[Row]) -> bool:
    """Return whether the values of one measure are numbers of things: those of coverage may be, and are if one is above 1."""
    if is_formula(rows[0].metric):
        return False
    metric = find(rows[0].metric.partition("(")[0])
    return metric.counts and ("form" not in metric.axes or any((row.value or 0.0) > 1 for row in rows))


def values_table(models: Sequence[NamedModel], labels: Iterable[str], cell: Callable[[NamedModel, str], Cell]) -> Table:
    """Return measures by models, and below them the number of users; `cell` makes that of a model and the label of a measure."""
    better = {label: way for one in models for label, way in one.result.higher_is_better.items()}
    lines = ((Cell(label, direction=better[label]), *(cell(one, label) for one in models)) for label in labels)
    users = (Cell("users"), *(Cell(f"{one.result.counts[one.model].averaged:,}") for one in models))
    columns = (Column("measure", "name"), *(Column(one.name, "value") for one in models))
    return Table(columns, (*lines, users), apart=1, turns=True, corner="model")


def values_of_result(
    result: Result,
    formats: Formats,
    marks: Mapping[tuple[str, str], Mark],
    legend: Iterable[str] = (),
    intervals: Mapping[str, str] = _NOTHING,
) -> Table:
    """Return the values of all models of a result, marked by model and label.

    The half widths of `intervals` (label of the mean → label of its interval) stand beside their means. Its notes are the `legend` of the
    marks, and what ± means.
    """
    rows = result.by_model()

    def cell(one: NamedModel, label: str) -> Cell:
        interval = rows[one.model].get(intervals.get(label, ""))
        return formats.cell(rows[one.model].get(label), None if interval is None else interval.value, marks.get((one.model, label), ""))

    table = values_table(models_of(result), [label for label in result.labels() if label not in intervals.values()], cell)
    return replace(table, notes=(*legend, *_spreads(result, intervals, [cell for line in table.rows for cell in line])))


def values_of_models(
    models: Sequence[NamedModel], formats: Formats, marks: Mapping[tuple[str, str], Mark], *, with_intervals: bool
) -> Table:
    """Return the values of models, of one result or several, marked by name and label, with the 95 % intervals that may be drawn.

    There are none of aggregates that say how far values spread.
    """
    points = points_of(models)
    table = by_label(points)
    make = formats.drawn_cell if with_intervals else formats.point_cell
    made = values_table(models, table, lambda one, label: make(table[label].get(one.name), marks.get((one.name, label), "")))
    return replace(made, columns_of_data=_DATA, data=[_data(one) for one in points])


def _data(one: ValuePoint) -> list[Any]:
    return [one.name, one.label, one.value, one.low, one.high, one.row.n_users]


def united_intervals(result: Result) -> Mapping[str, str]:
    """Return the measures beside whose mean an interval may stand, with the label of that: the first one asked for."""
    if any(row.repeats_std is not None for row in result.rows):
        return {}
    means = {row.measure for row in result.rows if row.aggregate == "mean"}
    found: dict[str, str] = {}
    for row in result.rows:
        if interval_level(row.aggregate) is not None and row.measure in means:
            found.setdefault(row.measure, row.label)
    return found


def _spreads(result: Result, intervals: Mapping[str, str], cells: Iterable[Cell]) -> Iterator[str]:
    """Yield what stands behind ±."""
    united = intervals.values() if any(cell.spread for cell in cells) else ()
    for level in dict.fromkeys(interval_level(row.aggregate) for row in result.rows if row.label in united):
        yield f"± half-width of the {float(100 * (level or 0)):g} % confidence interval of the mean."
    if any(row.repeats_std is not None for row in result.rows):
        yield "± standard deviation over folds or runs."


def shares_table(models: Sequence[NamedModel]) -> Table | None:
    """Return what percentage of the best possible value each model reaches, for each measure that has one; `None` without any."""
    models = [one for one in models if one.model != ORACLE]
    points = by_label(point for point in points_of(models) if point.row.achieved is not None)
    if not points:
        return None
    shares = {label: {name: one.row.achieved for name, one in some.items()} for label, some in points.items()}
    title = "percent of achievable"
    columns = (Column(title, "name"), *(Column(one.name, "value") for one in models))
    rows = tuple((Cell(label), *(_share(some.get(one.name)) for one in models)) for label, some in shares.items())
    data = [[name, label, share] for label, some in shares.items() for name, share in some.items()]
    return Table(columns, rows, turns=True, corner=title, columns_of_data=("model", "measure", "achieved"), data=data)


def _share(share: float | None) -> Cell:
    return Cell("" if share is None else f"{100 * share:.1f} %", value=share)


def groups(models: Sequence[NamedModel], digits: int | None = None, *, with_intervals: bool = False) -> Document:
    """Return the values of groups with so many `digits`: tables for each thing that results are split by, a line per group and model.

    Either four measures stand beside each other, or all, `with_intervals` that may be drawn.
    """
    points = points_of_groups(models)
    formats = Formats.of([one.row for some in points.values() for one in some], digits)
    make, beside = (formats.drawn_cell, None) if with_intervals else (formats.point_cell, _BESIDE)
    blocks: list[Block] = []
    for n, (by, some) in enumerate(points.items(), 1):
        heads = (Column(by, "name"), Column("users", "key"), Column("model", "name"))
        data = [[one.row.group, *_data(one)] for one in some]
        better = {one.label: one.row.higher_is_better for one in some} if with_intervals else {}
        first, *others = _tables(heads, _lines(some, make), beside, better)
        blocks += [Heading(f"By {by}", 2), replace(first, id=f"groups-{n}", columns_of_data=("group", *_DATA), data=data), *others]
        shares = [one for one in some if one.row.achieved is not None and not one.is_yardstick]
        if shares:
            lines = _lines(shares, lambda one: _share(one.row.achieved))
            blocks += [Paragraph("Percent of achievable:"), *_tables(heads, lines, beside)]
    rows = [one.row for some in points.values() for one in some]
    if any(row.few_users for row in rows):
        where = " (of one fold or run at least)" if any(row.repeats is not None for row in rows) else ""
        blocks.append(Paragraph(f"few: fewer than {FEW_USERS} users{where}, whose values are very uncertain."))
    return tuple(blocks)


_Lines = Mapping[tuple[str, ...], Mapping[str, Cell]]
"""Texts of the first cells of each line → its values by label."""


def _lines(points: Sequence[ValuePoint], cell: Callable[[ValuePoint], Cell]) -> _Lines:
    """Return a line for each group and model; a value over other users than the first one of its line has their number."""
    order = {group: number for number, group in enumerate(dict.fromkeys(one.row.group for one in points))}
    first: dict[tuple[str | None, str], Row] = {}
    lines: dict[tuple[str, ...], dict[str, Cell]] = {}
    for one in sorted(points, key=lambda one: order[one.row.group]):
        head = first.setdefault((one.row.group, one.name), one.row)
        key = (one.row.group or "", f"{head.n_users:,}{' (few)' if head.few_users else ''}", one.name)
        others = f"({one.row.n_users:,})" if one.row.n_users != head.n_users else ""
        lines.setdefault(key, {})[one.label] = replace(cell(one), note=others)
    return lines


def _tables(
    heads: tuple[Column, ...], lines: _Lines, beside: int | None = _BESIDE, better: Mapping[str, bool | None] = _NO_DIRECTIONS
) -> Iterator[Table]:
    """Yield tables of lines, of whose values so many measures stand beside each other, or all; `better` are the directions to show."""
    labels = tuple(dict.fromkeys(label for values in lines.values() for label in values))
    for start in range(0, len(labels), beside or len(labels)):
        some = labels[start : start + (beside or len(labels))]
        rows = tuple((*map(Cell, key), *(values.get(label, Cell()) for label in some)) for key, values in lines.items())
        yield Table((*heads, *(Column(label, "value", better.get(label)) for label in some)), rows)


def repeats(result: Result, digits: int | None = None) -> Document:
    """Return the values over all users of each fold and run: a line for each of a model, then their mean and standard deviation.

    Nothing where there are no several.
    """
    over_all = [row for row in result.repeated if row.by is None]
    if not over_all:
        return ()
    formats = Formats.of((*result.rows, *over_all), digits)
    kinds = [kind for kind in ("fold", "run") if any(getattr(row, kind) is not None for row in over_all)]
    lines: dict[tuple[str, ...], dict[str, Cell]] = {}
    folds = list(dict.fromkeys(row.fold for row in over_all))
    for model in result.models:
        of_model = [row for row in over_all if row.model == model]
        for row in sorted(of_model, key=lambda row: (folds.index(row.fold), row.run is None)):
            _add(lines, row, kinds, formats, spread=row.fold is not None and row.repeats is not None)
        for row in (row for row in result.rows if row.model == model and row.repeats is not None):
            _add(lines, row, kinds, formats, spread=True)
    heads = tuple(Column(name, "name") for name in ("model", *kinds))
    note = Paragraph("Standard deviations are sample standard deviations (n − 1).")
    return (Heading(f"By {' and '.join(kinds)}", 2), *_tables(heads, lines), note)


def _add(lines: dict[tuple[str, ...], dict[str, Cell]], row: Row, kinds: list[str], formats: Formats, *, spread: bool) -> None:
    """Add a value to its line; a mean over folds or runs to two of them, with its standard deviation (`spread`)."""
    for name, value in (("mean", row.value), ("std", row.repeats_std)) if spread else (("", row.value),):
        places = {"fold": row.fold, "run": row.run}
        if name:
            places["fold" if row.fold is None and "fold" in kinds else "run"] = name
        cell = Cell(formats.text(row.label, value), value=value)
        lines.setdefault((row.model, *(places[kind] or "" for kind in kinds)), {})[row.label] = cell
