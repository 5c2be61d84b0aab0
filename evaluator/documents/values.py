"""Values with their intervals, their tables (all models, shares of the best possible values, folds and runs), and their ledgers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..metrics import find
from ..results.result import Result, Row
from ..results.row import Ledger, shortened
from ..stats.concluding import users_text
from ..syntax.formula import is_formula
from ..syntax.short_names import ORACLE, interval_level, is_spread
from .document import Cell, Column, Document, Heading, Interval, Mark, Paragraph, Table, Terms
from .numbers import decimals, number, users_of_folds

_BESIDE: Final = 4
"""Number of measures side by side in tables of folds and runs."""
_NONE: Final[Mapping[str, Any]] = MappingProxyType({})
COLUMNS_OF_DATA: Final = ("model", "measure", "value", "low", "high", "users")
"""The columns of the data of values in a page; those of groups begin with the group."""
_REASONS: Final = {
    "without_list": "no list",
    "without_relevant": "no relevant item",
    "without_truth": "no test row",
    "without_value": "no value",
    "of_others": "of other files",
}
_PARTS: Final = ("model", "measure", "all", "covered", "warm")
"""The columns of the values over some of the users."""


class ValuePoint(Struct, frozen=True):
    """The value of a measure of one model; `low` and `high` are its 95 % interval, `None` if unknown."""

    name: str
    row: Row
    low: float | None
    high: float | None
    is_reference: bool = False

    @property
    def is_drawn(self) -> bool:
        """True if it is drawn: all but the best possible value, next to which the others would look alike."""
        return self.value is not None and self.row.model != ORACLE

    @property
    def label(self) -> str:
        """The measure with its cut-off and aggregate."""
        return self.row.label

    @property
    def value(self) -> float | None:
        """The value."""
        return self.row.value

    @property
    def half_width(self) -> float | None:
        """Half of the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def data(self) -> list[Any]:
        """The cells of `COLUMNS_OF_DATA`."""
        return [self.name, self.label, self.value, self.low, self.high, self.row.n_users]


class NamedModel(Struct, frozen=True, eq=False):
    """One model of one result, under its name in a report."""

    name: str
    result: Result
    model: str

    @property
    def is_reference(self) -> bool:
        """True for reference lists."""
        return self.model in self.result.yardsticks

    def point(self, row: Row) -> ValuePoint:
        """Return the value of a row, with its interval if it has one."""
        low, high = row.interval or (None, None)
        return ValuePoint(self.name, row, low, high, self.is_reference)


def models_of(result: Result) -> tuple[NamedModel, ...]:
    """Return the models of one result under their names."""
    return tuple(NamedModel(model, result, model) for model in result.models)


def points_of(models: Iterable[NamedModel]) -> tuple[ValuePoint, ...]:
    """Return the values over all users, model by model, in the order of the result, without measures of spread."""
    return tuple(
        model.point(row) for model in models for row in model.result.rows if row.model == model.model and not is_spread(row.aggregate)
    )


def by_label(points: Iterable[ValuePoint]) -> Mapping[str, Mapping[str, ValuePoint]]:
    """Return measure → model → point."""
    table: dict[str, dict[str, ValuePoint]] = {}
    for point in points:
        table.setdefault(point.label, {})[point.name] = point
    return table


class Formats(Struct, frozen=True):
    """Number of decimals of the values of each measure, by its label; `rounded`: the user set it."""

    places: Mapping[str, int]
    rounded: bool = False

    @staticmethod
    def from_rows(rows: Iterable[Row], digits: int | None = None) -> Formats:
        """Return the numbers of decimals that `rows` need, or `digits` for all but counts; an interval has that of its mean."""
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
        """Return a value of the measure with this label as text."""
        return number(value, self.places[label], self.rounded)

    def shown(self, row: Row | None) -> str:
        """Return the value of a row as text; a mean over folds or runs with its standard deviation."""
        cell = self.cell(row)
        return f"{cell.text} ± {cell.spread}" if cell.spread else cell.text

    def cell(self, row: Row | None, half: float | None = None, mark: Mark = "") -> Cell:
        """Return the value of a row, with ± half the width of its interval or the standard deviation over folds or runs."""
        if row is None:
            return Cell()
        spread = row.repeats_std if half is None else half
        return Cell(self.text(row.label, row.value), self.text(row.label, spread), mark, value=row.value)

    def point_cell(self, point: ValuePoint | None, mark: Mark = "", *, with_interval: bool = False) -> Cell:
        """Return a value; `with_interval`, its interval may be drawn."""
        if point is None or not with_interval:
            return self.cell(None if point is None else point.row, mark=mark)
        drawn = Interval(point.value, point.low, point.high, hollow=point.is_reference) if point.is_drawn else None
        return replace(self.cell(point.row, point.half_width, mark), drawn=drawn)


def _counts(rows: Sequence[Row]) -> bool:
    """Return whether the values of one measure are counts: those of coverage are if one is above 1."""
    if is_formula(rows[0].metric):
        return False
    metric = find(rows[0].metric.partition("(")[0])
    return metric.is_count and ("form" not in metric.axes or any((row.value or 0.0) > 1 for row in rows))


# Tables over all users


def _by_measure(
    models: Sequence[NamedModel], labels: Iterable[str], cell: Callable[[NamedModel, str], Cell], said: Collection[int] = (), **rest: Any
) -> Table:
    """Return measures by models, with the number of users below; `cell` makes the cell of a model and the label of a measure.

    A number that is the same for all models is a note, unless it is `said` elsewhere; those of folds are also added up.
    """
    better = {label: way for model in models for label, way in model.result.higher_is_better.items()}
    lines = ((Cell(label, direction=better[label]), *(cell(model, label) for model in models)) for label in labels)
    counts = [model.result.counts[model.model].averaged for model in models]
    n_folds = max((len(model.result.folds) for model in models), default=0)
    columns = (Column("measure", "name"), *(Column(model.name, "value") for model in models))
    of_folds = _users_of_folds(models, counts, n_folds) if n_folds else ""
    if len(counts) > 1 and len(set(counts)) == 1:
        notes = () if counts[0] in said and not n_folds else (f"{of_folds or users_text(counts[0])} for each model.",)
        return Table(columns, tuple(lines), turns=True, corner="model", notes=notes, **rest)
    users = (Cell("users"), *(Cell(f"{n:,}") for n in counts))
    notes = (f"{of_folds}.",) if of_folds else ()
    return Table(columns, (*lines, users), apart=1, turns=True, corner="model", notes=notes, **rest)


def _users_of_folds(models: Sequence[NamedModel], counts: Sequence[int], n_folds: int) -> str:
    """Return the numbers of users of models in folds: each once, and added up over folds."""
    distinct = (model.result.distinct_users(row) for model in models for row in model.result.rows_by_model[model.model][:1])
    return users_of_folds([n for n in distinct if n is not None], n_folds, counts)


def values_of_result(
    result: Result,
    formats: Formats,
    marks: Mapping[tuple[str, str], Mark],
    legend: Iterable[str] = (),
    intervals: Mapping[str, str] = _NONE,
    said: Collection[int] = (),
) -> Table:
    """Return the values of all models of a result, marked by model and label.

    The half widths of `intervals` (label of the mean → label of its interval) are next to their means. The notes are the `legend` of the
    marks, the number of users unless it is among those that are `said` elsewhere, and the meaning of ±.
    """
    rows, united = result.by_model(), intervals.values()

    def cell(model: NamedModel, label: str) -> Cell:
        interval = rows[model.model].get(intervals.get(label, ""))
        return formats.cell(rows[model.model].get(label), None if interval is None else interval.value, marks.get((model.model, label), ""))

    table = _by_measure(models_of(result), [label for label in result.labels() if label not in united], cell, said)
    has_spreads = any(cell.spread for line in table.rows for cell in line)
    levels = dict.fromkeys(interval_level(row.aggregate) or 0 for row in result.rows if has_spreads and row.label in united)
    meanings = [f"half-width of the {float(100 * level):g} % confidence interval of the mean" for level in levels]
    meanings += [spread_of_repeats(result)] if any(row.repeats_std is not None for row in result.rows) else []
    return replace(table, notes=(*legend, *table.notes, *(f"± {meaning}." for meaning in meanings)))


def spread_of_repeats(result: Result) -> str:
    """Return what the standard deviation beside a mean over folds or runs is of, with their numbers."""
    runs: dict[str, set[str]] = {}
    for row in result.repeated:
        if row.run is not None:
            runs.setdefault(row.model, set()).add(row.run)
    counts = sorted({len(of_model) for of_model in runs.values()})
    n_runs = f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} runs" if counts else ""
    if not result.folds:
        return f"standard deviation over {n_runs}"
    some = "" if {*runs} >= {*result.models} - {*result.yardsticks} else f" of {shortened(runs)}"
    return f"standard deviation over {len(result.folds)} folds{f', each the mean of {n_runs}{some}' if n_runs else ''}"


def values_of_models(
    models: Sequence[NamedModel], formats: Formats, marks: Mapping[tuple[str, str], Mark], *, with_intervals: bool
) -> Table:
    """Return the values of models of one or several results, marked by name and label, with the 95 % intervals to draw.

    Aggregates that are measures of spread are left out.
    """
    points = points_of(models)
    table = by_label(points)

    def cell(model: NamedModel, label: str) -> Cell:
        return formats.point_cell(table[label].get(model.name), marks.get((model.name, label), ""), with_interval=with_intervals)

    return _by_measure(models, table, cell, columns_of_data=COLUMNS_OF_DATA, data=[point.data for point in points])


def united_intervals(result: Result) -> Mapping[str, str]:
    """Return label of a mean → label of the interval to show with it: the first one in the config."""
    if any(row.repeats_std is not None for row in result.rows):
        return {}
    means = {row.measure for row in result.rows if row.aggregate == "mean"}
    found: dict[str, str] = {}
    for row in result.rows:
        if interval_level(row.aggregate) is not None and row.measure in means:
            found.setdefault(row.measure, row.label)
    return found


def shares_table(models: Sequence[NamedModel]) -> Table | None:
    """Return each model's share of the best possible value in percent, for each measure that has one; `None` without any."""
    models = [model for model in models if model.model != ORACLE]
    points = by_label(point for point in points_of(models) if point.row.achieved is not None)
    title = "percent of achievable"
    columns = (Column(title, "name"), *(Column(model.name, "value") for model in models))
    rows = tuple((Cell(label), *(share_cell(some.get(model.name)) for model in models)) for label, some in points.items())
    data = [[name, label, point.row.achieved] for label, some in points.items() for name, point in some.items()]
    return Table(columns, rows, turns=True, corner=title, columns_of_data=("model", "measure", "achieved"), data=data) if points else None


def share_cell(point: ValuePoint | None) -> Cell:
    """Return the share of the best possible value, in percent."""
    share = None if point is None else point.row.achieved
    return Cell("" if share is None else f"{100 * share:.1f} %", value=share)


# Folds and runs


def _tables(heads: tuple[Column, ...], lines: Mapping[tuple[str, ...], Mapping[str, Cell]]) -> Iterator[Table]:
    """Yield tables of lines, with four measures side by side in each."""
    labels = tuple(dict.fromkeys(label for values in lines.values() for label in values))
    for start in range(0, len(labels), _BESIDE):
        some = labels[start : start + _BESIDE]
        rows = tuple((*map(Cell, key), *(values.get(label, Cell()) for label in some)) for key, values in lines.items())
        yield Table((*heads, *(Column(label, "value") for label in some)), rows)


def repeated_rows(result: Result) -> tuple[list[Row], list[str]]:
    """Return the values over all users of each fold and run, and the columns (fold, run) that have several values."""
    rows = [row for row in result.repeated if row.by is None]
    return rows, [kind for kind in ("fold", "run") if any(getattr(row, kind) is not None for row in rows)]


def repeats(result: Result, digits: int | None = None) -> Document:
    """Return the values over all users of each fold and run of a model, then their mean and standard deviation.

    Empty without folds and runs.
    """
    over_all, kinds = repeated_rows(result)
    if not over_all:
        return ()
    formats = Formats.from_rows((*result.rows, *over_all), digits)
    folds = list(dict.fromkeys(row.fold for row in over_all))
    in_order = sorted(over_all, key=lambda row: (folds.index(row.fold), row.run is None))
    in_order += [row for row in result.rows if row.repeats is not None]
    lines: dict[tuple[str, ...], dict[str, Cell]] = {}
    for row in (row for model in result.models for row in in_order if row.model == model):
        # A mean over folds or runs has two lines, the second one with its standard deviation.
        for name, value in (("", row.value),) if row.repeats is None else (("mean", row.value), ("std", row.repeats_std)):
            places = {"fold": row.fold, "run": row.run}
            if name:
                places["fold" if row.fold is None and "fold" in kinds else "run"] = name
            key = (row.model, *(places[kind] or "" for kind in kinds))
            lines.setdefault(key, {})[row.label] = Cell(formats.text(row.label, value), value=value)
    heads = tuple(Column(name, "name") for name in ("model", *kinds))
    note = Paragraph("Standard deviations are sample standard deviations (n − 1).")
    return (Heading(f"By {' and '.join(kinds)}", 2), *_tables(heads, lines), note)


# Users that were counted


def ledger(result: Result) -> Document:
    """Return the ledgers: measures with the same users share a row; below, the values over some of the users if they differ."""
    rows = [(row, row.ledger) for row in (*result.rows, *result.repeated) if row.ledger is not None]
    formats = Formats.from_rows(row for row, _ in rows)
    grouped: dict[tuple[str, Ledger], list[str]] = {}
    parts = []
    for row, account in rows:
        alike = replace(account, covered=0, covered_value=None, warm=None, warm_value=None)
        grouped.setdefault((row.source, alike), []).append(row.label)
        if account.covered_value is not None or account.warm_value is not None:
            some = ((account.covered_value, account.covered), (account.warm_value, account.warm))
            texts = ("" if value is None else f"{formats.text(row.label, value)} ({n:,})" for value, n in some)
            parts.append((row.source, row.label, f"{formats.text(row.label, row.value)} ({account.counted:,})".strip(), *texts))
    alone = Counter(model for model, _ in grouped)
    lines = tuple(
        (model, f"{_sentence(account)} ({'all measures' if alone[model] == 1 else ', '.join(dict.fromkeys(labels))})")
        for (model, account), labels in grouped.items()
    )
    if not lines:  # only formulas, whose users are those of their measures
        return ()
    head = (Heading("Users that were counted", 2), Terms(lines, code=False))
    of_some = {"covered": "over users with a list (covered)", "warm": "over users in train (warm)"}
    # Without a train file none is warm.
    shown = [n for n, name in enumerate(_PARTS) if name not in of_some or any(part[n] for part in parts)]
    about = " and ".join(of_some[_PARTS[n]] for n in shown if _PARTS[n] in of_some)
    columns = [Column(_PARTS[n], "name" if n < 2 else "value") for n in shown]
    table = Table.from_texts(columns, [[part[n] for n in shown] for part in parts])
    return (*head, Paragraph(f"Values (and numbers of users) {about}, if these are not all:"), table) if parts else head


def _sentence(account: Ledger) -> str:
    """Return a ledger as a sentence; users with a list and no test row are apart, because they are not among the test users.

    185 test users, 190 with a list, 170 both: 176 count, 14 (no list) filled in; 9 (no relevant item) left out; 20 with a list have no
    test row.
    """
    text = f"{account.in_truth:,} test users, {account.in_lists:,} with a list, {account.in_both:,} both: {account.counted:,} count"
    n_untested = account.left_out_without_truth
    account = replace(account, left_out_without_truth=0)
    for kind, total, joint, done in (("filled", account.filled, ", ", "filled in"), ("left_out", account.left_out, "; ", "left out")):
        counts = {word: n for reason, word in _REASONS.items() if (n := getattr(account, f"{kind}_{reason}", 0))}
        words = ", ".join(f"{n:,} {word}" if len(counts) > 1 else word for word, n in counts.items())
        text += f"{joint}{total:,} ({words}) {done}" if total else ""
    return text + (f"; {n_untested:,} with a list {'has' if n_untested == 1 else 'have'} no test row" if n_untested else "")
