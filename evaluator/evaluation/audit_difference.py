"""Why two conventions give different values: every choice in which they differ, changed one after the other, in one pass over the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..config import Loaded
from ..conventions import AXES, PROTOCOL
from ..errors import ConfigError
from ..metrics.definition import Definition
from ..names.measure_strings import MetricSpec
from ..results.audit_difference import ChoiceEffect, ConventionDifference, MeasureDifference, Values
from ..results.result import Row
from .auditing import evaluated, obstacle, under
from .files import open_inputs
from .plan import Plan
from .progress import Report, silent
from .request import Request

_Rows = Mapping[str, Mapping[Definition, Row]]


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
        reasons = "; ".join(f"{path.measure}: {path.reason}" for path in paths) or "the config asks for arithmetic of measures only"
        raise ConfigError(f"the conventions {first} and {second} cannot be compared: {reasons}")
    request, plan = Request.of(loaded), Plan(definitions)
    rows, remarks = open_inputs(request, plan, lambda files: evaluated(request, plan, files, report))
    return ConventionDifference(first, second, tuple(rows), tuple(_measured(path, rows) for path in paths), remarks)


def _path(loaded: Loaded, measure: Definition, written: MetricSpec, first: str, second: str) -> _Path:
    ends = []
    for name in (first, second):
        end = under(loaded, measure, written, name)
        reason = end if isinstance(end, str) else obstacle(loaded, end)
        if reason or isinstance(end, str):
            return _Path(measure.label, reason=f"{name}: {reason}")
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
    return not obstacle(loaded, definition)


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
