"""The measures of a config under many conventions, in one pass over its files; and why two conventions give different values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from .. import conventions
from ..config import Loaded, missing
from ..conventions import AXES, PROTOCOL
from ..errors import ConfigError
from ..metrics.definition import Definition
from ..names.measure_strings import MetricSpec
from ..results.audit import Audit, AuditCell, AuditedMeasure, ChoiceEffect, ConventionDifference, MeasureDifference, Values
from ..results.result import Row
from .files import Files, open_inputs
from .job import Job, Options
from .plan import Plan
from .progress import Report, silent
from .request import Request
from .running import evaluate_models, remarks, versions

_NO_SUCH_METRIC = "the library does not have the metric"
_NO_USER = "no user counts"
_Rows = Mapping[str, Mapping[Definition, Row]]


class _Questions(Struct, frozen=True, eq=False):
    """The measures of a config, and for each of them and each convention the definition, or the reason why there is none."""

    measures: tuple[Definition, ...]
    conventions: tuple[str, ...]
    definitions: Mapping[tuple[int, str], Definition]
    reasons: Mapping[tuple[int, str], str]

    @property
    def plan(self) -> Plan:
        """The plan that computes every definition once, whichever conventions share it."""
        return Plan(tuple(dict.fromkeys(self.definitions.values())))


def audit(loaded: Loaded, names: Sequence[str] = (), report: Report = silent) -> Audit:
    """Evaluate the measures of a config under the conventions called `names`, or under all that receval knows.

    The convention of the config comes first. A convention gives no value for a metric that its library does not have, or for
    which an input is missing. Raises `ConfigError` if a convention is wrong, and what `run` raises.
    """
    questions = _questions(loaded, names)
    request = Request.of(loaded, whole_lists=True)
    return open_inputs(request, questions.plan, lambda files: _audited(request, questions, files, report))


def _evaluated(request: Request, plan: Plan, files: Files, report: Report) -> tuple[_Rows, tuple[str, ...]]:
    """The row of every definition of a plan for every model, in one pass over the lists of each, and remarks on the files."""
    job = Job.of(request, plan, Options(report, keep_users=False), files)
    models = [run.values for run in evaluate_models(job)]
    rows = {
        model.name: {definition: values[0] for definition, values in zip(plan.definitions, model.by_definition, strict=True)}
        for model in models
    }
    return rows, remarks(job, models)


def _audited(request: Request, questions: _Questions, files: Files, report: Report) -> Audit:
    """Evaluate every definition of every measure, and set the values in their places."""
    rows, said = _evaluated(request, questions.plan, files, report)
    measures = tuple(
        AuditedMeasure(
            measure.label,
            measure.higher_is_better,
            {(name, model): _cell(questions, index, name, rows[model]) for name in questions.conventions for model in rows},
        )
        for index, measure in enumerate(questions.measures)
    )
    return Audit(
        own_convention=questions.conventions[0],
        conventions=questions.conventions,
        models=tuple(rows),
        measures=measures,
        remarks=said,
        versions=versions(request.engine.name, (definition.metric for definition in questions.plan.all)),
    )


def _cell(questions: _Questions, index: int, convention: str, rows: Mapping[Definition, Row]) -> AuditCell:
    """The value of the measure at an index under a convention, given the rows of a model."""
    definition = questions.definitions.get((index, convention))
    if definition is None:
        return AuditCell(None, reason=questions.reasons[index, convention])
    row = rows[definition]
    return AuditCell(row.value, row.n_users, "" if row.value is not None else _NO_USER)


def _questions(loaded: Loaded, names: Sequence[str]) -> _Questions:
    """The definitions of the measures of a config under its own convention and those called `names`; `ConfigError` if there are none."""
    evaluation = loaded.config.evaluation
    chosen = tuple(dict.fromkeys((evaluation.convention, *(names or conventions.known()))))
    written = {evaluation.resolve(spec): spec for spec in reversed(evaluation.written)}
    measures = tuple(evaluation.definitions)
    if not measures:
        raise ConfigError("an audit compares measures, but evaluation.metrics has only formulas")
    definitions: dict[tuple[int, str], Definition] = {}
    reasons: dict[tuple[int, str], str] = {}
    for name in chosen:
        for index, measure in enumerate(measures):
            definition = _under(loaded, measure, written[measure], name)
            if isinstance(definition, str):
                reasons[index, name] = definition
            else:
                definitions[index, name] = definition
    if not definitions:
        labels = ", ".join(measure.label for measure in measures)
        raise ConfigError(f"none of the conventions {', '.join(chosen)} has one of the measures {labels}")
    return _Questions(measures, chosen, definitions, reasons)


def _under(loaded: Loaded, measure: Definition, written: MetricSpec, name: str) -> Definition | str:
    """The measure as the convention called `name` defines it, or why it does not or cannot be computed."""
    evaluation = loaded.config.evaluation
    try:
        convention = conventions.load(name, loaded.folder)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    parts = measure.components if measure.spec.components else ()  # what a metric combines of itself need not be a metric of the library
    library_has_it = {measure.metric.name, *(inner.metric.name for part in parts for inner in part.all)} <= convention.metrics.keys()
    if not library_has_it and name not in (conventions.DEFAULT, evaluation.convention) and convention.library:
        return _NO_SUCH_METRIC
    try:
        definition = evaluation.resolve(written, name)
    except ValueError as error:
        return str(error)
    return _obstacle(loaded, definition) or definition


def _obstacle(loaded: Loaded, definition: Definition) -> str:
    """Why a measure cannot be computed with the files of a config; empty if it can."""
    for problem in missing(definition, loaded.config.data):
        return f"it needs {problem.rpartition(': give ')[2].partition(',')[0]}"
    if definition.several:
        return "it has several values: name the group"
    return "" if definition.average != "micro" or definition.is_pooled else "it cannot be pooled"


class _Path(Struct, frozen=True, eq=False):
    """The way from one definition of a measure to another; `None` in the place of a mixture that cannot be computed."""

    measure: str
    first: Definition | None = None
    second: Definition | None = None
    choices: tuple[str, ...] = ()
    alone: tuple[Definition | None, ...] = ()
    so_far: tuple[Definition | None, ...] = ()
    reason: str = ""

    @property
    def definitions(self) -> list[Definition]:
        """What is to be computed."""
        return [one for one in (self.first, self.second, *self.alone, *self.so_far) if one is not None]


def difference(loaded: Loaded, first: str, second: str, report: Report = silent) -> ConventionDifference:
    """Say by which choices the measures of a config differ between two conventions, and how much each of them adds.

    From the first to the second convention the choices are changed one after the other, in the order in which an evaluation makes them
    (that of `AXES`), and each of them also alone. Raises `ConfigError` if a convention is wrong, and what `run` raises.
    """
    evaluation = loaded.config.evaluation
    written = {evaluation.resolve(spec): spec for spec in reversed(evaluation.written)}
    paths = [_path(loaded, measure, written[measure], first, second) for measure in evaluation.definitions]
    definitions = tuple(dict.fromkeys(definition for path in paths for definition in path.definitions))
    if not definitions:
        reasons = "; ".join(f"{path.measure}: {path.reason}" for path in paths) or "the config has only formulas"
        raise ConfigError(f"the conventions {first} and {second} cannot be compared: {reasons}")
    request, plan = Request.of(loaded), Plan(definitions)
    rows, said = open_inputs(request, plan, lambda files: _evaluated(request, plan, files, report))
    return ConventionDifference(first, second, tuple(rows), tuple(_measured(path, rows) for path in paths), said)


def _path(loaded: Loaded, measure: Definition, written: MetricSpec, first: str, second: str) -> _Path:
    ends = []
    for name in (first, second):
        end = _under(loaded, measure, written, name)
        if isinstance(end, str):
            return _Path(measure.label, reason=f"{name}: {end}")
        ends.append(end)
    start, end = ends
    differing = _differing(start, end)
    choices = tuple(axis for axis in AXES if axis in differing)
    mixtures = [_mixed(start, end, {choice}) for choice in choices]
    in_turn = [_mixed(start, end, set(choices[: number + 1])) for number in range(len(choices))]
    alone, so_far = (tuple(one if _can_be_computed(loaded, one) else None for one in some) for some in (mixtures, in_turn))
    return _Path(measure.label, start, end, choices, alone, so_far)


def _differing(start: Definition, end: Definition) -> set[str]:
    """The axes on which two definitions of a measure, or of the metrics that it combines, differ."""
    relevant = {*PROTOCOL, *start.metric.axes.values()}
    parts = (_differing(*pair) for pair in zip(start.components, end.components, strict=False))
    return {axis for axis in relevant if start.axes[axis] != end.axes[axis]}.union(*parts)


def _mixed(start: Definition, end: Definition, choices: Iterable[str]) -> Definition:
    """`start` with some of its choices, and those of the metrics that it combines, as in `end`."""
    axes = {**start.axes, **{axis: end.axes[axis] for axis in choices}}
    pairs = zip(start.components, end.components, strict=False)
    return replace(start, axes=axes, components=tuple(_mixed(*pair, choices) for pair in pairs))


def _can_be_computed(loaded: Loaded, definition: Definition) -> bool:
    try:
        definition.metric.validate(definition.params, definition.k)
    except ValueError:
        return False
    return not _obstacle(loaded, definition)


def _measured(path: _Path, rows: _Rows) -> MeasureDifference:
    def values(definition: Definition | None) -> Values:
        return {model: None if definition is None else rows[model][definition].value for model in rows}

    if path.first is None or path.second is None:
        return MeasureDifference(path.measure, values(None), values(None), reason=path.reason)
    steps = []
    for choice, alone, so_far in zip(path.choices, path.alone, path.so_far, strict=True):
        before, after = _values_of(choice, path.first, path.second)
        meanings = (AXES[choice].meanings.get(before, ""), AXES[choice].meanings.get(after, ""))
        steps.append(ChoiceEffect(choice, AXES[choice].decides, before, after, meanings, values(alone), values(so_far)))
    return MeasureDifference(path.measure, values(path.first), values(path.second), tuple(steps))


def _values_of(choice: str, start: Definition, end: Definition) -> tuple[str, str]:
    """What two definitions choose, or the first of the metrics that they combine where these differ."""
    pairs = zip(start.all, end.all, strict=False)
    before, after = next((one.axes[choice], other.axes[choice]) for one, other in pairs if one.axes[choice] != other.axes[choice])
    return str(before), str(after)
