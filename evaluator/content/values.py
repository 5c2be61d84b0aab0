"""Values of a result: tables of all models, shares of the best possible values, groups, and folds and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from ..document import Block, Cell, Column, Document, Heading, Mark, Paragraph, Table
from ..metrics import find
from ..names.aggregate_names import interval_level
from ..names.formula import is_formula
from ..names.yardstick_names import ORACLE
from ..results.result import FEW_USERS, Result, Row
from .numbers import decimals, number

_BESIDE: Final = 4
"""How many measures of groups, folds and runs stand beside each other, so that a table fits a screen."""
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Formats(Struct, frozen=True):
    """How many decimals the values of each measure have, by its label; `rounded` if somebody asked for so many."""

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

    def cell(self, row: Row | None, interval: Row | None = None, mark: Mark = "") -> Cell:
        """Return the value of a row, with half the width of its `interval` or its standard deviation over folds or runs behind ±."""
        if row is None:
            return Cell()
        spread = interval.value if interval else row.repeats_std
        return Cell(self.text(row.label, row.value), self.text(row.label, spread), mark, value=row.value)


def _counts(rows: Sequence[Row]) -> bool:
    """Return whether the values of one measure are numbers of things: those of coverage may be, and are if one is above 1."""
    if is_formula(rows[0].metric):
        return False
    metric = find(rows[0].metric.partition("(")[0])
    return metric.counts and ("form" not in metric.axes or any((row.value or 0.0) > 1 for row in rows))


def values_table(
    result: Result,
    formats: Formats,
    marks: Mapping[tuple[str, str], Mark],
    legend: Iterable[str] = (),
    intervals: Mapping[str, str] = _NOTHING,
) -> Table:
    """Return measures by models, below them the number of users; values are marked by model and label.

    The half widths of `intervals` (label of the mean → label of its interval) stand beside their means. Its notes are the `legend` of the
    marks, and what ± means.
    """
    rows = result.by_model()
    labels = [label for label in result.labels() if label not in intervals.values()]

    def cell(label: str, model: str) -> Cell:
        interval = rows[model].get(intervals.get(label, ""))
        return formats.cell(rows[model].get(label), interval, marks.get((model, label), ""))

    heads = (Cell(label, direction=result.higher_is_better[label]) for label in labels)
    lines = tuple((head, *(cell(head.text, model) for model in result.models)) for head in heads)
    users = (Cell("users"), *(Cell(f"{result.counts[model].averaged:,}") for model in result.models))
    columns = (Column("measure", "name"), *(Column(model, "value") for model in result.models))
    notes = (*legend, *_spreads(result, intervals, [cell for line in lines for cell in line]))
    return Table(columns, (*lines, users), notes=notes, apart=1, turns=True, corner="model")


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
        yield f"± half the width of the {float(100 * (level or 0)):g} % confidence interval of the mean."
    if any(row.repeats_std is not None for row in result.rows):
        yield "± standard deviation over folds or runs."


def shares_table(result: Result) -> Table | None:
    """Return what percentage of the best possible value each model reaches, for each measure that has one; `None` without any."""
    models = [model for model in result.models if model != ORACLE]
    table = result.by_model()
    shares = {label: [row.achieved if (row := table[model].get(label)) else None for model in models] for label in result.labels()}
    known = {label: some for label, some in shares.items() if any(share is not None for share in some)}
    if not known:
        return None
    title = "percent of achievable"
    columns = (Column(title, "name"), *(Column(model, "value") for model in models))
    rows = tuple((Cell(label), *(Cell(_percent(share), value=share) for share in some)) for label, some in known.items())
    return Table(columns, rows, turns=True, corner=title)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def groups(result: Result, digits: int | None = None) -> Document:
    """Return the values of groups with so many `digits`: a table for each thing that results are split by, a line per group and model."""
    formats = Formats.of(result.by_group, digits)
    rows: dict[str, list[Row]] = {}
    for row in result.by_group:
        rows.setdefault(row.by or "", []).append(row)
    blocks: list[Block] = []
    for by, of_one in rows.items():
        heads = (Column(by, "name"), Column("users", "key"), Column("model", "name"))
        blocks += [Heading(f"By {by}", 2), *_tables(heads, _lines(of_one, partial(_value, formats)))]
        shares = [row for row in of_one if row.achieved is not None and row.model not in result.yardsticks]
        if shares:
            blocks += [Paragraph("Percent of achievable:"), *_tables(heads, _lines(shares, lambda row, _: Cell(_percent(row.achieved))))]
    if any(row.few_users for row in result.by_group):
        where = " (of one fold or run at least)" if any(row.repeats is not None for row in result.by_group) else ""
        blocks.append(Paragraph(f"few: fewer than {FEW_USERS} users{where}, whose values say little."))
    return tuple(blocks)


def _value(formats: Formats, row: Row, head: Row) -> Cell:
    """Return a value; over other users than the first one of its line with their number."""
    return Cell(formats.shown(row) + (f" ({row.n_users:,})" if row.n_users != head.n_users else ""), value=row.value)


_Lines = Mapping[tuple[str, ...], Mapping[str, Cell]]
"""What the first cells of each line say → its values by label."""


def _lines(rows: Sequence[Row], cell: Callable[[Row, Row], Cell]) -> _Lines:
    """Return a line for each group and model, of cells made of a row and the first one of its line."""
    order = {group: number for number, group in enumerate(dict.fromkeys(row.group for row in rows))}
    first: dict[tuple[str | None, str], Row] = {}
    lines: dict[tuple[str, ...], dict[str, Cell]] = {}
    for row in sorted(rows, key=lambda row: order[row.group]):
        head = first.setdefault((row.group, row.model), row)
        key = (row.group or "", f"{head.n_users:,}{' (few)' if head.few_users else ''}", row.model)
        lines.setdefault(key, {})[row.label] = cell(row, head)
    return lines


def _tables(heads: tuple[Column, ...], lines: _Lines) -> Iterator[Table]:
    """Yield tables of lines, of whose values four measures stand beside each other."""
    labels = tuple(dict.fromkeys(label for values in lines.values() for label in values))
    for start in range(0, len(labels), _BESIDE):
        some = labels[start : start + _BESIDE]
        rows = tuple((*map(Cell, key), *(values.get(label, Cell()) for label in some)) for key, values in lines.items())
        yield Table((*heads, *(Column(label, "value") for label in some)), rows)


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
    note = Paragraph("The standard deviation is that of the sample: it divides by the number of values less 1.")
    return (Heading(f"By {' and '.join(kinds)}", 2), *_tables(heads, lines), note)


def _add(lines: dict[tuple[str, ...], dict[str, Cell]], row: Row, kinds: list[str], formats: Formats, *, spread: bool) -> None:
    """Add a value to its line; a mean over folds or runs to two of them, with its standard deviation (`spread`)."""
    for name, value in (("mean", row.value), ("std", row.repeats_std)) if spread else (("", row.value),):
        places = {"fold": row.fold, "run": row.run}
        if name:
            places["fold" if row.fold is None and "fold" in kinds else "run"] = name
        cell = Cell(formats.text(row.label, value), value=value)
        lines.setdefault((row.model, *(places[kind] or "" for kind in kinds)), {})[row.label] = cell
