"""The measures of a config under many conventions, in one pass over its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from .. import conventions
from ..config import Loaded, missing
from ..errors import ConfigError
from ..metrics.definition import Definition
from ..names.measure_strings import MetricSpec
from ..results.audit import Audit, AuditCell, AuditedMeasure
from ..results.result import Row
from . import provenance
from .files import Files, with_files
from .job import Job, Options
from .plan import Plan
from .progress import Report, silent
from .request import Request
from .running import evaluate_models, remarks

_NO_SUCH_METRIC = "the library has no such metric"
_NO_USER = "no user counts"


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
    return with_files(request, questions.plan, lambda files: _audited(request, questions, files, report))


def evaluated(request: Request, plan: Plan, files: Files, report: Report) -> tuple[dict[str, dict[Definition, Row]], tuple[str, ...]]:
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
    rows, remarks = evaluated(request, questions.plan, files, report)
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
        remarks=remarks,
        versions=provenance.versions(request.engine.name, (definition.metric for definition in questions.plan.all)),
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
        raise ConfigError("an audit compares measures, and evaluation.metrics asks for arithmetic of measures only")
    definitions: dict[tuple[int, str], Definition] = {}
    reasons: dict[tuple[int, str], str] = {}
    for name in chosen:
        for index, measure in enumerate(measures):
            definition = under(loaded, measure, written[measure], name)
            reason = definition if isinstance(definition, str) else obstacle(loaded, definition)
            if reason or isinstance(definition, str):
                reasons[index, name] = reason
            else:
                definitions[index, name] = definition
    if not definitions:
        labels = ", ".join(measure.label for measure in measures)
        raise ConfigError(f"none of the conventions {', '.join(chosen)} has any of the measures {labels}")
    return _Questions(measures, chosen, definitions, reasons)


def under(loaded: Loaded, measure: Definition, written: MetricSpec, name: str) -> Definition | str:
    """The measure as the convention called `name` defines it, or why it does not."""
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
        return evaluation.resolve(written, name)
    except ValueError as error:
        return str(error)


def obstacle(loaded: Loaded, definition: Definition) -> str:
    """Why a measure cannot be computed with the files of a config; empty if it can."""
    for problem in missing(definition, loaded.config.data):
        return f"it needs {problem.rpartition(': give ')[2].partition(',')[0]}"
    if definition.several:
        return "it has several values: name the group that is meant"
    return "" if definition.average != "micro" or definition.is_pooled else "it cannot be pooled"
