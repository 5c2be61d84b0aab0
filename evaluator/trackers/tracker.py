"""`Tracker`, the values that all of them log, and their names: `nDCG(gain=linear)@10` is `nDCG.gain-linear_at_10` in MLflow."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from msgspec import Struct

from ..documents.values import NamedModel, ValuePoint, points_of
from ..results.gates import Verdicts
from ..results.result import Result
from ..support.patterns import regex

_DIGITS: Final = 6
_LONGEST: Final = 200
"""MLflow allows 250 characters."""
_NOT_OF_MLFLOW: Final = regex(r"[^\w.\- ]", re.ASCII)
_NOT_OF_IDENTIFIERS: Final = regex(r"\W+", re.ASCII)


def for_mlflow(measures: Iterable[str]) -> Mapping[str, str]:
    """Return measure → name in MLflow, which allows letters, digits and `_ . -`, and makes folders at `/`."""
    return _distinct_names(measures, _mlflow_name)


def as_identifiers(names: Iterable[str]) -> Mapping[str, str]:
    """Return name → identifier, which W&B can sort and filter by; it has no dot, at which DVC would cut a key."""
    return _distinct_names(names, _identifier)


def _mlflow_name(measure: str) -> str:
    text = (
        measure.replace("/", "_over_")
        .replace("@", "_at_")
        .replace("(", ".")
        .replace(")", "")
        .replace("=", "-")
        .replace(", ", ".")
        .replace(",", ".")
    )
    return _NOT_OF_MLFLOW.sub("_", text)


def _identifier(name: str) -> str:
    text = _NOT_OF_IDENTIFIERS.sub("_", name.replace("@", "_at_").replace(")", "")).strip("_")
    return text if text[:1].isalpha() else f"_{text}"


def _distinct_names(names: Iterable[str], rule: Callable[[str], str]) -> dict[str, str]:
    """Convert names by a rule; names that become equal or too long get a hash as suffix, which does not depend on their order."""
    made = {name: rule(name) for name in names}
    counts = Counter(text.lower() for text in made.values())
    return {
        name: text
        if counts[text.lower()] == 1 and len(text) <= _LONGEST
        else f"{text[:_LONGEST]}_{hashlib.sha256(name.encode()).hexdigest()[:_DIGITS]}"
        for name, text in made.items()
    }


class PlainValue(Struct, frozen=True):
    """A value without an interval, such as one of an `Evaluator`."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None


MeasuredValue = ValuePoint | PlainValue
"""The value of a measure (`label`), and the bounds `low` and `high` of its 95 % interval if it has one."""


class Tracker(Protocol):
    """Log a result somewhere. A package registers a function from its options to a tracker under `receval.trackers`.

    A tracker that can log the values of an epoch also has `log_step(values, step) -> str`, with values by model; see `StepTracker`.
    """

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Log values, and `files` by name as artifacts; return the place of the result. Exceptions are reported in a sentence."""
        ...


@runtime_checkable
class StepTracker(Protocol):
    """Log the values of one step, such as an epoch, beside those of earlier steps."""

    def log_step(self, values: Mapping[str, Sequence[MeasuredValue]], step: int) -> str:
        """Log the values of each model at a step; return their place. Exceptions are reported in a sentence."""
        ...


def points_by_model(result: Result) -> Mapping[str, list[ValuePoint]]:
    """Return the existing values of each model over all users, with their intervals."""
    points: dict[str, list[ValuePoint]] = {model: [] for model in result.models}
    for point in points_of(NamedModel(model, result, model) for model in result.models):
        if point.value is not None:
            points[point.name].append(point)
    return points


def measures(result: Result) -> list[str]:
    """Return the measures of a result as printed."""
    return list(dict.fromkeys(row.label for row in result.rows))


def measures_of(values: Mapping[str, Sequence[MeasuredValue]]) -> list[str]:
    """Return the measures of the values of models."""
    return list(dict.fromkeys(value.label for of_model in values.values() for value in of_model))


def best_model(result: Result) -> str:
    """Return the model with the best value of the first measure that has a direction, by default the first model.

    Reference lists count only if there are no other models.
    """
    own = [model for model in result.models if model not in result.yardsticks] or list(result.models)
    label = next((label for label, better in result.higher_is_better.items() if better is not None), None)
    values = {row.model: row.value for row in result.rows if row.label == label and row.value is not None and row.model in own}
    best = max if label is not None and result.higher_is_better[label] else min
    return best(values, key=lambda model: values[model]) if values else own[0]


def run_name(result: Result, given: str | None) -> str:
    """Return the name of the run: the given one, or the names of the models."""
    own = [model for model in result.models if model not in result.yardsticks]
    return given or " ".join(own) or "receval"


def settings(result: Result) -> dict[str, str]:
    """Return the settings of the values: convention, threshold of relevance, version, and the hash of every file."""
    evaluation: Mapping[str, Any] = result.config.get("evaluation", {})
    relevance: Mapping[str, Any] = evaluation.get("relevance", {})
    told = {"convention": evaluation.get("convention", "receval"), "relevance_threshold": relevance.get("threshold", "above 0")}
    told |= {"receval": result.versions.get("receval", "")}
    hashes = {(source.role, number): file.hash for source in result.inputs for number, file in enumerate(source.files) if file.hash}
    roles = as_identifiers(dict.fromkeys(role.removeprefix("data.") for role, _ in hashes))
    for (role, number), digest in hashes.items():
        told[f"hash_{roles[role.removeprefix('data.')]}{f'_{number}' if number else ''}"] = digest
    return {name: str(value) for name, value in told.items()}


def gates_word(result: Result) -> str:
    """Return the outcome of all gates: `passed`, `inconclusive` or `failed`; `none` without gates.

    They are `failed` if one fails the run, `inconclusive` if one did not pass for another reason.
    """
    verdicts = Verdicts(result.gates)
    if not result.gates:
        return "none"
    return "failed" if verdicts.failed() else "inconclusive" if any(gate.outcome != "pass" for gate in result.gates) else "passed"


def numbers_of(points: Iterable[MeasuredValue], names: Mapping[str, str], joint: str) -> dict[str, float]:
    """Return values by name, with the bounds of their intervals: with `joint` `.`, `nDCG_at_10.low` and `nDCG_at_10.high`."""
    ends = (("", "value"), (f"{joint}low", "low"), (f"{joint}high", "high"))
    values = ((f"{names[point.label]}{ending}", getattr(point, field)) for point in points for ending, field in ends)
    return {name: number for name, number in values if number is not None}


def gates_of_model(result: Result, model: str, name: str) -> dict[str, str]:
    """Return the outcome of each gate of a model, by `name` and its number."""
    judged = (gate for gate in result.gates if gate.model == model)
    return {f"{name}{number}": f"{gate.outcome}: {gate.rule}" for number, gate in enumerate(judged, 1)}
