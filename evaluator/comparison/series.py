"""Results in their order → a `History`: each run against the run that was accepted last; and results → a `Leaderboard`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from ..results.candidates import other_candidates
from ..results.result import Result, columns_of
from ..results.row import Row, shortened
from ..results.series import History, Leaderboard, Line, Order, Point, Run
from ..stats.accepted import against_accepted, pairs_of_runs
from ..stats.concluding import judge_family
from ..stats.difference import Difference, Settings
from ..support.errors import ConfigError, DataError, worded
from ..support.synonyms import did_you_mean
from .bases import own_models
from .comparing import compare, other_definitions, other_inputs, other_truths
from .comparison_options import ComparisonOptions, all_named, rows_of
from .model_pair import ModelPair
from .pairing import Side


def ordered(results: Mapping[str, Result], order: Order | None = None) -> tuple[dict[str, Result], Order]:
    """Return results in the order of the dates in their configs (`report.date`) if all have one, else of their names; and which it is.

    Numbers in names count as numbers. Raises `DataError` if two results have the same place, or if `order` is `date` and some have none.
    """
    dates = {name: date_of(result) for name, result in results.items()}
    by_name = worded("--order name", argument="order='name'")
    if order != "name":
        undated = [name for name, date in dates.items() if date is None]
        if undated and order == "date":
            raise DataError(
                f"{shortened(sorted(undated))} {'has' if len(undated) == 1 else 'have'} no report.date, by which runs are ordered",
                f"{by_name} orders by the names of folders; receval run --set report.date=YYYY-MM-DD stores a date",
            )
        order = "name" if undated else "date"
    keys = {name: _name_key(name) if order == "name" else dates[name] for name in results}
    sequence = sorted(results, key=lambda name: (keys[name], name))
    for one, other in pairwise(sequence):
        if keys[one] == keys[other]:
            what = f"the same report.date, {dates[one]}" if order == "date" else "names with the same place in their order"
            cure = f"{by_name} orders by names" if order == "date" else "label one of them: LABEL=FOLDER"
            raise DataError(f"{one} and {other} have {what}", cure)
    return {name: results[name] for name in sequence}, order


def date_of(result: Result) -> str | None:
    """Return the date in the config of a result; `None` without one, or if it is the day of each report."""
    date = (result.config.get("report") or {}).get("date")
    return None if date in (None, "today") else str(date)


def _name_key(name: str) -> list[tuple[int, str]]:
    """Return what orders a name: its texts and numbers."""
    parts = ((text, number.lstrip("0")) for text, number in re.findall(r"(\D+)|(\d+)", name))
    return [(-1, text) if text else (len(number), number) for text, number in parts]


def history_of(results: Mapping[str, Result], options: ComparisonOptions, order: Order = "name", accepted: Collection[str] = ()) -> History:
    """Return the lines of all models of results in their order; `accepted` names runs that people accept whatever is shown.

    Raises `ConfigError` for an unknown run or measure, and with fewer than two results.
    """
    if len(results) < 2:
        raise ConfigError("a history needs two runs or more", "give more folders of results: runs/*/")
    for name in accepted:
        if name not in results:
            raise ConfigError(f"the accepted run is {name}, but no result has this name", did_you_mean(name, tuple(results)))
    settings, notes = options.settings, dict[str, list[str]]()
    by_model = _sides_by_model(results)
    made = [line for model, sides in by_model.items() for line in _lines(model, sides, options)]
    family = max(1, sum(pairs_of_runs(len(line.points)) for line, pairs in made if pairs.is_tested))
    scanned = [_scanned(line, pairs, settings, family, accepted) for line, pairs in made]
    for _, pairs in made:
        for note, name in pairs.notes:
            notes.setdefault(note, []).append(name)
    found = [point.difference for line in scanned for point in line.points if point.difference is not None]
    judged = iter(judge_family(found, settings, family))
    lines = tuple(
        replace(line, points=tuple(p if p.difference is None else replace(p, difference=next(judged)) for p in line.points))
        for line in scanned
    )
    runs = tuple(Run(name, result.run_id, date_of(result)) for name, result in results.items())
    said = (
        *(f"{shortened([*dict.fromkeys(names)])}: {note}" for note, names in notes.items()),
        *_other_measures(by_model, {line.measure for line, _ in made}),
    )
    return History(runs, order, lines, settings, family if found else 0, said)


class _Pairs:
    """Differences between the runs of a line; a pair of runs is paired once for all measures of a model."""

    def __init__(self, label: str, sides: Mapping[str, Side], options: ComparisonOptions, known: dict[tuple[str, str], ModelPair]) -> None:
        self.label, self._sides, self._options, self._known = label, sides, options, known
        self.notes: list[tuple[str, str]] = []
        self.paired: set[str] = set()
        names = [*sides]
        self.is_tested = len(names) > 1 and self._pair(names[0], names[1]).is_testable(label)

    def _pair(self, base: str, run: str) -> ModelPair:
        if (base, run) not in self._known:
            self._known[base, run] = ModelPair(self._sides[base], self._sides[run], self._options)
        return self._known[base, run]

    def difference(self, base: str, run: str) -> Difference:
        """Return the difference of a run from another, not yet judged; record notes, and whether users are paired."""
        pair = self._pair(base, run)
        difference = pair.difference(self.label, None)
        for role in other_inputs(pair.base, pair.model, [pair.row(pair.base, self.label).metric]):
            self.notes.append(
                (f"evaluated with a different {role} than the accepted run; this also changes the measures that use it.", run)
            )
        if difference.n_unpaired:
            self.notes.append(("some users count for only one of this run and the accepted one, and are left out.", run))
        self.paired |= set() if pair.pairing is None else {run}
        return difference


def _sides_by_model(results: Mapping[str, Result]) -> dict[str, list[Side]]:
    """Return the runs of each model, in order; if each result has one model, these are one, whatever their names."""
    own = {name: own_models(result) for name, result in results.items()}
    if all(len(models) == 1 for models in own.values()):
        names = {models[0] for models in own.values()}
        title = names.pop() if len(names) == 1 else "the model"
        return {title: [Side(name, results[name], models[0]) for name, models in own.items()]}
    found: dict[str, list[Side]] = {}
    for name, models in own.items():
        for model in models:
            found.setdefault(model, []).append(Side(name, results[name], model))
    return found


def _other_measures(by_model: Mapping[str, Sequence[Side]], shown: Collection[str]) -> Iterator[str]:
    """Yield a sentence on the shown measures that not all runs of a model have."""
    for model, sides in by_model.items():
        lacking: dict[tuple[str, ...], list[str]] = {}
        rows = {side.name: rows_of(side.result, side.model) for side in sides}
        for label in dict.fromkeys(label for of_run in rows.values() for label in of_run if label in shown):
            without = tuple(run for run, of_run in rows.items() if label not in of_run)
            if without:
                lacking.setdefault(without, []).append(label)
        for runs, labels in lacking.items():
            have = "has" if len(runs) == 1 else "have"
            yield f"{model}: {shortened(runs)} {have} no {shortened(labels)}: not compared in {_THESE[len(labels) > 1]}."


def _lines(model: str, sides: list[Side], options: ComparisonOptions) -> Iterator[tuple[Line, _Pairs]]:
    """Yield the series of each measure of a model, without differences."""
    rows = {side.name: rows_of(side.result, side.model) for side in sides}
    labels = tuple(dict.fromkeys(label for of_side in rows.values() for label in of_side))
    if options.measures:
        definitions = {name: one for side in sides for name, one in side.result.definitions.items()}
        labels = all_named(options.measures, labels, definitions=definitions)
    known: dict[tuple[str, str], ModelPair] = {}
    for label in labels:
        with_row = [side for side in sides if label in rows[side.name]]
        of_label = {side.name: rows[side.name][label] for side in with_row}
        for number, (changes, some) in enumerate(_series(with_row, of_label), 1):
            first, *others = (_point(side.name, of_label[side.name]) for side in some)
            better = of_label[some[0].name].higher_is_better
            pairs = _Pairs(label, {side.name: side for side in some}, options, known)
            yield Line(model, label, better, number, changes, (replace(first, accepted=True), *others)), pairs


def _series(sides: Sequence[Side], rows: Mapping[str, Row]) -> Iterator[tuple[tuple[str, ...], list[Side]]]:
    """Yield what changed before each series, and its sides: each can be compared with the one before, and with the first.

    Both are asked because candidates may be unknown: then they can be those of either. A run goes on with the latest series that it can be
    compared with, so one run on other data does not end a series.
    """
    found: list[tuple[tuple[str, ...], list[Side]]] = []
    order = {side.name: place for place, side in enumerate(sides)}
    for side in sides:
        row = rows[side.name]
        latest = sorted(found, key=lambda one: order[one[1][-1].name], reverse=True)
        alike = (some for _, some in latest if not any(other_truths(some[-1], side)))  # asked first, because it is fast
        goes_on = next((some for some in alike if not _changes_of(some, side, row)), None)
        if goes_on is None:
            found.append((_changes_of(latest[0][1], side, row) if latest else (), [side]))
        else:
            goes_on.append(side)
    yield from found


def _changes_of(series: Sequence[Side], run: Side, row: Row) -> tuple[str, ...]:
    return _changes(series[-1], run, row) or _changes(series[0], run, row)


def _changes(before: Side, run: Side, row: Row) -> tuple[str, ...]:
    """Return sentences on what makes a value of two runs incomparable."""
    settings = [*other_definitions(before, run, [row.metric])]
    mine, other = (side.result.definitions[row.metric].convention for side in (before, run))
    if settings and mine != other:
        settings = [f"the convention is {other} in {run.name} and {mine} in {before.name}"]
    more = [f"and {len(settings) - _MOST_SETTINGS} more settings"] if len(settings) > _MOST_SETTINGS else []
    texts = [*other_truths(before, run), *settings[:_MOST_SETTINGS], *more]
    numbers = other_candidates((before.result, before.model), (run.result, run.model))
    if numbers is not None:
        these, those = (f"{n:,} sampled candidates" if n else "the whole catalogue" for n in numbers)
        texts.append(f"{run.name} ranks {those} and {before.name} {these}")
    return tuple(texts)


def _point(run: str, row: Row) -> Point:
    low, high = row.interval or (None, None)
    return Point(run, row.value, low, high, row.n_users)


def _scanned(line: Line, pairs: _Pairs, settings: Settings, family: int, accepted: Collection[str]) -> Line:
    """Return a line with the difference of each run from the one accepted before, not yet judged together."""
    if line.higher_is_better is None:
        return line
    runs = [point.run for point in line.points]
    steps = {step.run: step for step in against_accepted(runs, pairs.difference, settings, family, accepted)}
    first, *others = line.points
    found = (
        replace(point, accepted=steps[point.run].accepted, difference=steps[point.run].difference, paired=point.run in pairs.paired)
        for point in others
    )
    return replace(line, points=(first, *found))


_THESE: Final = ("this measure", "these measures")
_MOST_SETTINGS: Final = 3
_MOST_VALUES: Final = 50_000_000
"""Per-user values that are read once for all pairs of models: 400 MB."""


def _in_memory(results: Mapping[str, Result]) -> dict[str, Result]:
    """Return results with their per-user values in memory, which each pair of models would read again, unless they are too many."""
    tables = [(result, model) for result in results.values() for model in result.per_user]
    users = (max((row.n_users for row in result.rows_by_model.get(model, ())), default=0) for result, model in tables)
    n_values = sum(n * len(columns_of(result.per_user, model)) for n, (result, model) in zip(users, tables, strict=True))
    if n_values > _MOST_VALUES:
        return dict(results)
    return {name: replace(result, per_user=dict(result.per_user.items())) for name, result in results.items()}


def leaderboard_of(results: Mapping[str, Result], options: ComparisonOptions) -> Leaderboard:
    """Return all models of results, whatever their order, with letters of those that are not clearly different.

    Raises `DataError` for results with other test data, definitions or candidates, by name.
    """
    results = dict(sorted(results.items(), key=lambda pair: (_name_key(pair[0]), pair[0])))
    results = _in_memory(results)
    comparison = compare(results, replace(options, all_pairs=True, common=True))
    own: dict[str, tuple[str, str]] = {}
    for label, result in results.items():
        models = own_models(result)
        for model in models:
            name = model if len(results) == 1 else label if len(models) == 1 else f"{label}/{model}"
            own |= {name: (label, model)} if name in comparison.models else {}
    rows = {
        name: {measure: rows_of(results[label], model)[measure] for measure in comparison.measures} for name, (label, model) in own.items()
    }
    first = comparison.judged[0]
    sign = 1.0 if comparison.higher_is_better[first] is False else -1.0
    values = {name: of_name[first].value for name, of_name in rows.items()}
    places = sorted(rows, key=lambda name: (values[name] is None, sign * (values[name] or 0.0)))
    runs = {name: Run(label, results[label].run_id, date_of(results[label])) for name, (label, _) in own.items()}
    return Leaderboard({name: rows[name] for name in places}, {name: runs[name] for name in places}, comparison)
