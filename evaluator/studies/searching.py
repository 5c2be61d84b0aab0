"""Search conventions, policies and orders of lists for those that print a number, in one pass over the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import isclose
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from .. import conventions
from ..config import Loaded
from ..conventions import AXES, PROTOCOL
from ..evaluation.files import Files, open_inputs
from ..evaluation.plan import Plan, Request
from ..metrics.definition import Definition
from ..results.audit import half_unit, prints, read_number
from ..results.found_settings import CONVENTION, Combination, FoundSettings, SettingMatch, Settings, boxes
from ..support.errors import ArgumentError, ConfigError
from ..support.synonyms import did_you_mean
from .auditing import NO_USERS, definitions_under, models_of, rows_and_remarks

SEARCHES: Final[Mapping[str, tuple[str, ...]]] = {
    "policies": ("duplicates", "seen_items", "unknown_items"),
    "order": ("list_order", "tie_order"),
}
"""The settings of each part of a search; every search has the conventions."""
_MOST_VALUES: Final = 300_000
_NEAREST: Final = 3
"""Number of nearest values to list if no value matches."""
_ALIKE: Final = 6
"""Nearest values that agree to this number of digits share a row."""
_NO_PROGRAM: Final = ("worst", "best")
"""Orders of tied items that are bounds: no program ranks so."""


class _Cell(Struct, frozen=True):
    """A value of one measure and model, and the combination of settings that gives it."""

    value: float
    measure: Definition
    model: str
    combination: Combination


class _Grid(Struct, frozen=True):
    """The settings to search, each with its values, and why others are left out."""

    values: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the settings, the convention first."""
        return (CONVENTION, *self.values)


class _Variants(Struct, frozen=True):
    """The definitions of all combinations: each different one once, and for each measure and combination its definition."""

    different: dict[Any, Definition] = field(default_factory=dict)
    of_measure: dict[tuple[Definition, Combination], Definition] = field(default_factory=dict)


def read_search(text: str) -> tuple[str, ...]:
    """Read the parts of a search, such as `policies,order`; raise `ArgumentError` for others."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for part in parts:
        if part not in SEARCHES:
            known = f"search takes {' and '.join(SEARCHES)}, not {part!r}{did_you_mean(part, SEARCHES, before=' — ')}"
            raise ArgumentError(known, option=f"--{known}")
    if not parts:
        none = f"search names no part: it takes {', '.join(SEARCHES)}"
        raise ArgumentError(none, option=f"--{none}")
    return parts


def search(loaded: Loaded, number: str, parts: Sequence[str], names: Sequence[str] = (), *, own_relevance: bool = False) -> FoundSettings:
    """Find the conventions and settings under which a measure of a config prints a number.

    Every combination of the conventions called `names` (default: all that receval knows) with the settings of the `parts` is tried; see
    `SEARCHES`. A setting that a measure names itself stays as it is, and so do policies of a measure of lists as delivered. Raises
    `ConfigError` and `DataError` as `audit` does.
    """
    evaluation = loaded.config.evaluation
    chosen = tuple(dict.fromkeys((evaluation.convention, *(conventions.with_scripts(names) or conventions.packaged_names()))))
    under = definitions_under(loaded, own_relevance=own_relevance)
    found = {(measure, name): under(measure, name) for measure in evaluation.definitions for name in chosen}
    defined = {key: definition for key, definition in found.items() if not isinstance(definition, str)}
    if not defined:
        raise ConfigError("there is nothing to search: no measure of the config has a value under one of the conventions")
    opening = (_with_axes(definition, {"seen_items": "drop", "unknown_items": "drop"}) for definition in defined.values())
    plan = Plan(tuple(dict.fromkeys((*defined.values(), *opening))))
    axes = tuple(axis for part in parts for axis in SEARCHES[part])
    searched = partial(_search, loaded=loaded, number=number, axes=axes, defined=defined)
    return open_inputs(Request(loaded, plan, NO_USERS, whole_lists=True), searched)


def _search(
    files: Files, loaded: Loaded, number: str, axes: Sequence[str], defined: Mapping[tuple[Definition, str], Definition]
) -> FoundSettings:
    grid = _grid(files, axes)
    variants = _variants(defined, grid)
    n_models = len(files.inputs.models)
    if len(variants.different) * n_models > _MOST_VALUES:
        raise ConfigError(
            f"this search has {len(variants.different):,} different combinations for {n_models:,} models, which are "
            f"{len(variants.different) * n_models:,} values; at most {_MOST_VALUES:,} are tried",
            "choose the model and the measure that the number belongs to, with --models and -m, or search only policies",
        )
    plan = Plan(tuple(variants.different.values()))
    rows, _ = rows_and_remarks(replace(files, request=replace(files.request, plan=plan)))
    models = models_of(rows, loaded.config.data.runs)
    cells = [
        _Cell(value, measure, model, combination)
        for (measure, combination), definition in variants.of_measure.items()
        for model in models
        if (value := rows[model][definition].value) is not None
    ]
    chosen, exact, scale = _matching(cells, number)
    order = partial(_order, number=number, scale=scale, exact=exact)
    matches = sorted(_matches(loaded, chosen, grid, exact=exact), key=order)
    tolerance = half_unit(read_number(number)[1])
    n_values, by_chance = _by_chance(cells, tolerance / scale)
    return FoundSettings(
        number,
        tolerance,
        tuple(matches),
        exact=exact,
        percent=scale == 100,
        searched={CONVENTION: tuple(dict.fromkeys(name for _, name in defined)), **grid.values},
        n_combinations=len(variants.of_measure),
        n_different=len(variants.different),
        n_values=n_values,
        n_printing=len({(candidate.measure, candidate.combination) for candidate in chosen}) if exact else 0,
        by_chance=by_chance,
        remarks=grid.remarks,
    )


def _grid(files: Files, axes: Sequence[str]) -> _Grid:
    """Return the values of each setting that can matter for the files."""
    prepared = files.prepared
    columns = {name for source in files.inputs.models.values() for name in ("score", "position") if name in source.columns}
    values, remarks = {}, []
    for axis in axes:
        tried, reason = [*AXES[axis].values], ""
        if axis == "seen_items" and "train" not in prepared.sources:
            reason = "data.train is not given"
        elif axis == "unknown_items" and not prepared.sources & {"train", "items"}:
            reason = "neither data.train nor data.items is given"
        elif axis in SEARCHES["order"] and not columns:
            reason = "the lists have no scores and no ranks"
        if axis == "unknown_items" and not (prepared.in_catalogue & ~prepared.in_train).any():
            tried.remove("drop_and_refill_untrained")  # then it is the same as drop_and_refill
        if axis == "duplicates" and "score" not in columns:
            tried.remove("sum_scores")
        if axis == "list_order" and len(columns) == 1:
            tried.remove("rank" if "score" in columns else "score")
        tried = [value for value in tried if axis != "tie_order" or value not in _NO_PROGRAM]
        if reason:
            remarks.append(f"{axis} was not searched: {reason}.")
        else:
            values[axis] = tuple(tried)
    return _Grid(values, tuple(remarks))


def _variants(defined: Mapping[tuple[Definition, str], Definition], grid: _Grid) -> _Variants:
    """Return the definitions of every measure under every combination; definitions that differ in no setting that they read are one."""
    variants = _Variants()
    for (measure, name), definition in defined.items():
        named = {*dict(measure.spec.params), *(SEARCHES["policies"] if measure.metric.as_delivered else ())}
        values = [(str(definition.axes[axis]),) if axis in named else tried for axis, tried in grid.values.items()]
        fixed = _likeness(definition, grid.values)
        for combination in product(*values):
            key = measure.metric.name, measure.k, fixed, combination
            if key not in variants.different:
                variants.different[key] = _with_axes(definition, dict(zip(grid.values, combination, strict=True)))
            variants.of_measure[measure, (name, *combination)] = variants.different[key]
    return variants


def _likeness(definition: Definition, searched: Iterable[str]) -> Any:
    """Return all settings that a measure reads, without the searched ones, and those of the metrics that it combines."""
    read = sorted({*PROTOCOL, *definition.metric.axes.values()} - set(searched))
    own = tuple(definition.axes[axis] for axis in read)
    params = tuple(sorted((*definition.numbers.items(), *definition.texts.items())))
    parts = tuple(_likeness(part, searched) for part in definition.components)
    return own, params, definition.relevance, definition.rows, parts


def _with_axes(definition: Definition, changes: Mapping[str, str]) -> Definition:
    """Return a measure, and the metrics that it combines, with other settings, which are in its name."""
    kept = tuple(pair for pair in definition.spec.params if pair[0] not in changes and pair[0] != CONVENTION)
    spec = replace(definition.spec, params=(*kept, *changes.items(), (CONVENTION, definition.convention)))
    components = tuple(_with_axes(part, changes) for part in definition.components)
    return replace(definition, spec=spec, axes={**definition.axes, **changes}, components=components)


def _distance(value: float, scale: int, number: str) -> float:
    return abs(value * scale - read_number(number)[0])


def _matching(cells: Sequence[_Cell], number: str) -> tuple[list[_Cell], bool, int]:
    """Return the cells that print a number, or else those with the nearest values; whether they print it; and 100 for a percentage."""
    _, places = read_number(number)
    for scale in (100,) if "%" in number else (1, 100):
        exact = [cell for cell in cells if prints(cell.value * scale, number)]
        if exact:
            return exact, True, scale
    scale = 100 if "%" in number else 1
    nearest: list[float] = []
    for distance in sorted({_distance(cell.value, scale, number) for cell in cells}):
        if not any(isclose(distance, other, rel_tol=1e-9, abs_tol=10.0 ** -(places + 6)) for other in nearest):
            nearest.append(distance)
        if len(nearest) == _NEAREST:
            break
    last = max(nearest, default=0.0)
    return [cell for cell in cells if _distance(cell.value, scale, number) <= last], False, scale


def _matches(loaded: Loaded, cells: Sequence[_Cell], grid: _Grid, *, exact: bool) -> Iterator[SettingMatch]:
    """Yield the combinations of the cells of each value, measure and model, in few sets of settings; values that all print are alike."""
    alike: dict[tuple[str, str, str], list[_Cell]] = {}
    for cell in cells:
        alike.setdefault(("" if exact else f"{cell.value:.{_ALIKE}g}", cell.measure.label, cell.model), []).append(cell)
    for some in alike.values():
        first = some[0]
        for settings in boxes(candidate.combination for candidate in some):
            ordered = {
                name: tuple(value for value in (grid.values.get(name) or sorted(own)) if value in own)
                for name, own in zip(grid.names, settings, strict=True)
            }
            yield SettingMatch(first.value, first.measure.label, first.model, ordered, _written(loaded, first.measure, settings, grid))


def _written(loaded: Loaded, measure: Definition, settings: Settings, grid: _Grid) -> str:
    """Return the measure with a combination of some settings that changes the fewest of the config, as it is written in this config."""
    evaluation = loaded.config.evaluation
    names, *others = settings
    plain = replace(measure.spec, params=tuple(pair for pair in measure.spec.params if pair[0] not in (CONVENTION, *grid.values)))
    best: tuple[int, str] | None = None
    for name in sorted(names, key=lambda name: (name != evaluation.convention, name)):
        under = evaluation.resolve(plain, name)
        changes = [(axis, min(values)) for axis, values in zip(grid.values, others, strict=True) if str(under.axes[axis]) not in values]
        convention = () if name == evaluation.convention else ((CONVENTION, name),)
        rank = len(changes) + len(convention)
        if best is None or rank < best[0]:
            best = rank, evaluation.resolve(replace(plain, params=(*plain.params, *changes, *convention))).label
    assert best is not None
    return best[1]


def _order(match: SettingMatch, number: str, scale: int, *, exact: bool) -> tuple[float, int, str]:
    """Return a key that sorts matches by their distance from the number, then by how many settings of the config they change."""
    return (0.0 if exact else _distance(match.value, scale, number)), match.written.count("="), match.written


def _by_chance(cells: Sequence[_Cell], tolerance: float) -> tuple[int, float]:
    """Return the number of different values, and how many of them a number within their range would match by chance.

    As if the values of each measure and model lay evenly between the lowest and the highest; a value alone adds nothing.
    """
    values: dict[tuple[str, str], set[str]] = {}
    for cell in cells:
        values.setdefault((cell.measure.label, cell.model), set()).add(f"{cell.value:.12g}")
    expected = 0.0
    for some in values.values():
        span = max(map(float, some)) - min(map(float, some))
        expected += min(2 * tolerance * len(some) / span, float(len(some))) if span else 0.0
    return sum(map(len, values.values())), expected
