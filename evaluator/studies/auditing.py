"""Evaluate the measures of a config under many conventions in one pass over its files, and explain why two conventions differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from .. import conventions
from ..config import Loaded, missing
from ..config.contradictions import uses_relevance
from ..conventions import AXES, PROTOCOL
from ..evaluation.files import Files, open_inputs
from ..evaluation.plan import Options, Plan, Request
from ..evaluation.running import evaluate_models, remarks, versions
from ..metrics.definition import Definition
from ..results.audit import Audit, AuditCell, AuditedMeasure, ChoiceEffect, ConventionDifference, MeasureDifference, Values, same_value
from ..results.repeats import mean_row
from ..results.result import Row
from ..scoring.task import sums_hits
from ..stats.concluding import group_text
from ..support.errors import ConfigError

_Rows = Mapping[str, Mapping[Definition, Row]]
_Group = tuple[str, str]
"""A grouping and one of its groups."""
_GroupRows = Mapping[str, Mapping[tuple[Definition, _Group], Row]]
"""Model → the row of a measure in a group."""
NO_USERS: Final = Options(keep_users=False, complete=False)


def audit(loaded: Loaded, names: Sequence[str] = (), *, own_relevance: bool = False, by_group: bool = False) -> Audit:
    """Evaluate the measures of a config under the conventions called `names`, or under those of all libraries.

    `scripts` is a name for the conventions of all scripts together.
    The convention of the config comes first. With `own_relevance` each convention decides what is relevant, whatever the config sets. A
    model with several runs has the mean of its runs. A convention gives no value for a metric that its library does not have, or for
    which an input is missing. With `by_group` each measure is followed by the same measure in each group of the config. Raises
    `ConfigError` if a convention is wrong, and what `run` raises.
    """
    evaluation = loaded.config.evaluation
    chosen = tuple(dict.fromkeys((evaluation.convention, *(conventions.with_scripts(names) or conventions.builtin_names()))))
    measures = tuple(evaluation.definitions)
    if not measures:
        raise ConfigError("an audit compares measures, but evaluation.metrics has only formulas")
    under = definitions_under(loaded, own_relevance=own_relevance)
    found = {(name, measure): under(measure, name) for name in chosen for measure in measures}
    definitions = dict.fromkeys(definition for definition in found.values() if not isinstance(definition, str))
    if not definitions:
        labels = ", ".join(measure.label for measure in measures)
        raise ConfigError(f"none of the conventions {', '.join(chosen)} has one of the measures {labels}")
    by_file = (definition for definition in definitions if any(part.axes["list_order"] == "file" for part in definition.all))
    by_score = {definition: _by_score(definition) for definition in by_file}
    definitions = dict.fromkeys((*definitions, *by_score.values()))
    request = Request(loaded, Plan(tuple(definitions), by=tuple(evaluation.by) if by_group else ()), NO_USERS, whole_lists=True)
    rows, of_groups, said = open_inputs(request, _rows_of_all_and_groups)

    def cell(convention: str, measure: Definition, model: str, group: _Group | None) -> AuditCell:
        definition = found[convention, measure]
        if isinstance(definition, str):
            return AuditCell(None, reason=definition)

        def row(definition: Definition) -> Row | None:
            return rows[model][definition] if group is None else of_groups[model].get((definition, group))

        own = row(definition)
        if own is None or own.value is None:
            return AuditCell(None, 0 if own is None else own.n_users, reason="no user counts")
        other = row(by_score[definition]) if definition in by_score else own
        differs = other is not own and not same_value(own.value, None if other is None else other.value)
        return AuditCell(own.value, own.n_users, by_file_order=differs)

    def audited(measure: Definition, group: _Group | None = None) -> AuditedMeasure:
        cells = {(name, model): cell(name, measure, model, group) for name in chosen for model in rows}
        better = {name: definition.higher_is_better for name in chosen if not isinstance(definition := found[name, measure], str)}
        other = {name: is_better for name, is_better in better.items() if is_better is not measure.higher_is_better}
        label = measure.label if group is None else f"{measure.label} of {group_text(*group)}"
        return AuditedMeasure(label, measure.higher_is_better, cells, other, *(group or ()))

    def groups_of(measure: Definition) -> Iterator[_Group | None]:
        """Yield no group, and then each group in which a model has a value of the measure under some convention."""
        under_any = {found[name, measure] for name in chosen}
        own = {group for some in of_groups.values() for definition, group in some if definition in under_any}
        yield from (None, *(group for group in every if group in own))

    every = tuple(dict.fromkeys(group for some in of_groups.values() for _, group in some))
    runs = loaded.config.data.runs
    return Audit(
        own_convention=chosen[0],
        conventions=chosen,
        models=models_of(rows, runs),
        measures=tuple(audited(measure, group) for measure in measures for group in groups_of(measure)),
        remarks=said if own_relevance else (*on_relevance(loaded, definitions), *said),
        versions=versions(request),
        runs=runs,
    )


def relevance_text(loaded: Loaded) -> str:
    """Return the relevance that a config sets, which counts under every convention: `evaluation.relevance {threshold: 4}`; else empty."""
    relevance = loaded.config.evaluation.relevance
    parts = [f"threshold: {relevance.threshold:g}"] if relevance.threshold is not None else []
    parts += ["graded: true"] if relevance.graded else []
    return f"evaluation.relevance {{{', '.join(parts)}}}" if parts else ""


def on_relevance(loaded: Loaded, definitions: Iterable[Definition]) -> Iterator[str]:
    """Yield a sentence on the relevance that a config sets, if one of some measures uses relevance."""
    text = relevance_text(loaded)
    if text and any(uses_relevance(inner) for definition in definitions for inner in definition.all):
        yield f"{text} counts under every convention; without it each convention uses its own rule."


def models_of(rows: _Rows, runs: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the models, without their runs."""
    every = {name for names in runs.values() for name in names}
    return tuple(name for name in rows if name not in every)


def rows_and_remarks(files: Files) -> tuple[_Rows, tuple[str, ...]]:
    """Return the rows of every definition of a plan for every model, over all users, and remarks on the files."""
    rows, _, said = _rows_of_all_and_groups(files)
    return rows, said


def _rows_of_all_and_groups(files: Files) -> tuple[_Rows, _GroupRows, tuple[str, ...]]:
    """Return the rows of every definition of a plan for every model, over all users and in each group, and remarks on the files.

    The lists of each model are read in one pass. A model with several runs is before its runs, with their means.
    """
    definitions, models = files.request.plan.definitions, [run.values for run in evaluate_models(files)]
    rows = {
        model.name: {definition: values[0] for definition, values in zip(definitions, model.finished.rows, strict=True)} for model in models
    }
    of_groups = {model.name: _group_rows(files.request.plan, model.by_group) for model in models}
    for model, names in files.request.loaded.config.data.runs.items():
        common = [key for key in of_groups[names[0]] if all(key in of_groups[name] for name in names)]
        of_groups[model] = {key: mean_row([of_groups[name][key] for name in names], min) for key in common}
        means = {definition: mean_row([rows[name][definition] for name in names], min) for definition in definitions}
        rows = {part: of_one for name in rows for part, of_one in (*([(model, means)] if name == names[0] else []), (name, rows[name]))}
    return rows, of_groups, remarks(files, models)


def _group_rows(plan: Plan, rows: Sequence[Row]) -> dict[tuple[Definition, _Group], Row]:
    """Return the rows of groups by their definitions: those of a group are in the order of the definitions that have groups."""
    by_group: dict[_Group, list[Row]] = {}
    for row in rows:
        by_group.setdefault((row.by or "", row.group or ""), []).append(row)
    split = {
        by.name: [
            definition
            for definition in plan.definitions
            if (sums_hits(definition) if by.groups_relevant else not definition.metric.per_model)
        ]
        for by in plan.by
    }
    return {(definition, group): row for group, some in by_group.items() for definition, row in zip(split[group[0]], some, strict=True)}


def _by_score(definition: Definition) -> Definition:
    """Return a measure that reads ranks, or without them scores, instead of the order of rows; ties keep the order of rows."""
    axes = {**definition.axes, "list_order": "rank", "tie_order": "file"}
    return replace(definition, axes=axes, components=tuple(map(_by_score, definition.components)))


def definitions_under(loaded: Loaded, *, own_relevance: bool = False) -> Callable[[Definition, str], Definition | str]:
    """Return a function that defines a measure of a config under another convention, or returns the reason why this is impossible."""
    evaluation = loaded.config.evaluation
    written = {evaluation.resolve(spec): spec for spec in reversed(evaluation.written)}

    def under(measure: Definition, name: str) -> Definition | str:
        try:
            convention = conventions.load(name, loaded.folder)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        parts = measure.components if measure.spec.components else ()  # the library need not have the parts that a metric names itself
        library_has_it = {measure.metric.name, *(inner.metric.name for part in parts for inner in part.all)} <= convention.metrics.keys()
        if not library_has_it and name not in (conventions.DEFAULT, evaluation.convention) and convention.library:
            return convention.refusal(measure.metric.name) or "the library does not have the metric"
        try:
            definition = evaluation.resolve(written[measure], name, own_relevance=own_relevance)
        except ValueError as error:
            return str(error)
        return _obstacle(loaded, definition) or definition

    return under


def _obstacle(loaded: Loaded, definition: Definition) -> str:
    """Return the reason why a measure cannot be computed with the files of a config; empty if it can."""
    for problem in missing(definition, loaded.config.data):
        _, give, advice = problem.rpartition(": give ")
        return f"it needs {advice.partition(',')[0]}" if give else f"it needs {problem.partition(' needs ')[2].partition(':')[0]}"
    if definition.has_subvalues:
        return "it has several values: name the group"
    return "" if definition.average != "micro" or definition.is_pooled else "it cannot be pooled"


class _Path(Struct, frozen=True, eq=False):
    """The steps from one definition of a measure to another; `None` for a mixture that cannot be computed."""

    measure: str
    ends: tuple[Definition, ...] = ()
    steps: Mapping[str, tuple[Definition | None, Definition | None]] = {}
    """Setting → the first definition with only this setting changed, and with this one and all earlier ones changed."""
    reason: str = ""


def difference(loaded: Loaded, first: str, second: str) -> ConventionDifference:
    """Return the settings in which two conventions differ for the measures of a config, and how much each setting changes the values.

    From the first to the second convention the settings are changed one after the other, in the order in which an evaluation reads them
    (that of `AXES`), and each of them also alone. Raises `ConfigError` if a convention is wrong, and what `run` raises.
    """
    under = definitions_under(loaded)
    measures = loaded.config.evaluation.definitions
    paths = [_path(loaded, measure.label, [(name, under(measure, name)) for name in (first, second)]) for measure in measures]
    every = (end for path in paths for end in (*path.ends, *(step[place] for place in (0, 1) for step in path.steps.values())))
    definitions = dict.fromkeys(end for end in every if end is not None)
    if not definitions:
        reasons = "; ".join(f"{path.measure}: {path.reason}" for path in paths) or "the config has only formulas"
        raise ConfigError(f"the conventions {first} and {second} cannot be compared: {reasons}")
    rows, said = open_inputs(Request(loaded, Plan(tuple(definitions)), NO_USERS), rows_and_remarks)
    rows = {model: rows[model] for model in models_of(rows, loaded.config.data.runs)}
    said = (*on_relevance(loaded, definitions), *said)
    return ConventionDifference(first, second, tuple(rows), tuple(_measure_difference(path, rows) for path in paths), said)


def _path(loaded: Loaded, label: str, found: Sequence[tuple[str, Definition | str]]) -> _Path:
    """Return the steps between the definitions of a measure under two conventions, or the reason why one of them has none."""
    for name, end in found:
        if isinstance(end, str):
            return _Path(label, reason=f"{name}: {end}")
    start, end = (end for _, end in found if not isinstance(end, str))
    differing = _differing_axes(start, end)
    choices = tuple(axis for axis in AXES if axis in differing)

    def mixed(changed: Iterable[str]) -> Definition | None:
        definition = _mixture(start, end, changed)
        try:
            definition.metric.validate(definition.params, definition.k)
        except ValueError:
            return None
        return None if _obstacle(loaded, definition) else definition

    steps = {choice: (mixed((choice,)), mixed(choices[: number + 1])) for number, choice in enumerate(choices)}
    return _Path(label, (start, end), steps)


def _differing_axes(start: Definition, end: Definition) -> set[str]:
    """Return the axes on which two definitions of a measure, or of the metrics that it combines, differ."""
    relevant = {*PROTOCOL, *start.metric.axes.values()}
    parts = (_differing_axes(*pair) for pair in zip(start.components, end.components, strict=False))
    return {axis for axis in relevant if start.axes[axis] != end.axes[axis]}.union(*parts)


def _mixture(start: Definition, end: Definition, choices: Iterable[str]) -> Definition:
    """Return `start` with some of its settings, and those of the metrics that it combines, as in `end`."""
    axes = {**start.axes, **{axis: end.axes[axis] for axis in choices}}
    pairs = zip(start.components, end.components, strict=False)
    return replace(start, axes=axes, components=tuple(_mixture(*pair, choices) for pair in pairs))


def _measure_difference(path: _Path, rows: _Rows) -> MeasureDifference:
    """Return the values of a measure at both ends of a path and after every step."""

    def values(definition: Definition | None) -> Values:
        return {model: None if definition is None else rows[model][definition].value for model in rows}

    if not path.ends:
        return MeasureDifference(path.measure, values(None), values(None), reason=path.reason)
    start, end = path.ends
    steps = []
    for choice, (alone, so_far) in path.steps.items():
        pairs = zip(start.all, end.all, strict=False)  # the first combined metric that differs gives the values shown
        first, second = next(
            (definition.axes[choice], other.axes[choice]) for definition, other in pairs if definition.axes[choice] != other.axes[choice]
        )
        before, after, axis = str(first), str(second), AXES[choice]
        meanings = (axis.meanings.get(before, ""), axis.meanings.get(after, ""))
        steps.append(ChoiceEffect(choice, axis.decides, before, after, meanings, values(alone), values(so_far)))
    return MeasureDifference(path.measure, values(start), values(end), tuple(steps))
