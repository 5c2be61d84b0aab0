"""The measures of a config under many conventions, in one pass over its files."""

from __future__ import annotations

from collections.abc import Sequence

from .. import conventions, provenance
from ..config import Loaded, missing
from ..errors import ConfigError
from ..metrics import Definition
from ..naming import MetricSpec
from ..results.audit import Audit, AuditCell, AuditedMeasure
from .evaluation import Progress, evaluated
from .plan import Plan

_NOT_THERE = "the library has no such metric"


def audit(loaded: Loaded, names: Sequence[str] = (), progress: Progress | None = None) -> Audit:
    """Evaluate the measures of a config under the conventions called `names`, or under all that receval knows.

    The convention of the config comes first. A convention gives no value for a metric that its library does not have, or for
    which an input is missing. Raises `ConfigError` if a convention is wrong, and what `run` raises.
    """
    usual = loaded.config.evaluation.convention
    asked = tuple(dict.fromkeys((usual, *(names or conventions.known()))))
    evaluation = loaded.config.evaluation
    written = {evaluation.resolve(spec): spec for spec in reversed(evaluation.written)}
    measures = evaluation.definitions
    if not measures:
        raise ConfigError("an audit compares measures, and evaluation.metrics asks for arithmetic of measures only")
    reasons: dict[tuple[int, str], str] = {}
    wanted: dict[tuple[int, str], Definition] = {}
    for name in asked:
        for place, measure in enumerate(measures):
            found = _under(loaded, measure, written[measure], name)
            reason = found if isinstance(found, str) else _missing(loaded, found)
            if reason or isinstance(found, str):
                reasons[place, name] = reason
            else:
                wanted[place, name] = found
    if not wanted:
        raise ConfigError(f"none of the conventions {', '.join(asked)} has any of the measures {', '.join(m.label for m in measures)}")
    with evaluated(loaded, Plan(tuple(wanted.values())), progress) as found_by:
        cells: dict[int, dict[tuple[str, str], AuditCell]] = {place: {} for place in range(len(measures))}
        for model, rows in found_by.by_definition.items():
            for (place, name), of_one in zip(wanted, rows, strict=True):
                row = of_one[0]
                cells[place][name, model] = AuditCell(row.value, row.n_users, "" if row.value is not None else "no user counts")
            for (place, name), reason in reasons.items():
                cells[place][name, model] = AuditCell(None, reason=reason)
        return Audit(
            own_convention=usual,
            conventions=asked,
            models=tuple(found_by.rows),
            measures=tuple(
                AuditedMeasure(measure.label, measure.higher_is_better, {(n, m): cells[place][n, m] for n in asked for m in found_by.rows})
                for place, measure in enumerate(measures)
            ),
            remarks=found_by.remarks(),
            versions=provenance.versions(found_by.engine.name),
        )


def _under(loaded: Loaded, measure: Definition, written: MetricSpec, name: str) -> Definition | str:
    """The measure as the convention called `name` defines it, or why it does not."""
    try:
        convention = conventions.load(name, loaded.folder)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    parts = measure.of if measure.spec.of else ()  # what a metric combines of itself need not be a metric of the library
    has = {measure.metric.name, *(one.metric.name for part in parts for one in part.all)} <= convention.metrics.keys()
    if not has and name != conventions.DEFAULT and name != loaded.config.evaluation.convention and convention.library:
        return _NOT_THERE
    try:
        return loaded.config.evaluation.resolve(written, name)
    except ValueError as error:
        return str(error)


def _missing(loaded: Loaded, definition: Definition) -> str:
    lacking = next(iter(missing(definition, loaded.config.data)), "")
    if lacking:
        return f"it needs {lacking.rpartition(': give ')[2].partition(',')[0]}"
    if definition.several:
        return "it has several values: name the group that is meant"
    return "" if definition.average != "micro" or definition.is_pooled else "it cannot be pooled"
