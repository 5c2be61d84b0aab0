"""`Tracker`, what all of them log of a result, and under which names: `nDCG(gain=linear)@10` is `nDCG.gain-linear_at_10` in MLflow."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

from ..content.values import NamedModel, ValuePoint, points_of
from ..results.gates import Verdicts
from ..results.result import Result

_DIGITS: Final = 6
_LONGEST: Final = 200
"""MLflow takes 250 characters."""
_NOT_OF_MLFLOW: Final = re.compile(r"[^\w.\- ]", re.ASCII)
_NOT_OF_IDENTIFIERS: Final = re.compile(r"\W+", re.ASCII)


def for_mlflow(measures: Iterable[str]) -> Mapping[str, str]:
    """Measure → its name in MLflow, which takes letters, digits and `_ . -`, and makes folders at `/`."""
    return _told_apart(measures, _of_mlflow)


def as_identifiers(names: Iterable[str]) -> Mapping[str, str]:
    """Name → an identifier, by which W&B sorts and filters, and which has no dot, at which DVC would cut a key."""
    return _told_apart(names, _identifier)


def _of_mlflow(measure: str) -> str:
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


def _told_apart(names: Iterable[str], rule: Callable[[str], str]) -> dict[str, str]:
    """Names by a rule; those that it makes one of several, or cuts, get digits of their own, whatever their order."""
    made = {name: rule(name) for name in names}
    counts = Counter(text.lower() for text in made.values())
    return {
        name: text
        if counts[text.lower()] == 1 and len(text) <= _LONGEST
        else f"{text[:_LONGEST]}_{hashlib.sha256(name.encode()).hexdigest()[:_DIGITS]}"
        for name, text in made.items()
    }


class Tracker(Protocol):
    """Logs a result somewhere. A package announces a function of its options that gives one, under `receval.trackers`."""

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Log values, and `files` by name as artifacts; what it raises is told in a sentence. Gives where it went."""
        ...


def points_by_model(result: Result) -> Mapping[str, list[ValuePoint]]:
    """Each model's values over all users that there are, with their intervals."""
    points: dict[str, list[ValuePoint]] = {model: [] for model in result.models}
    for one in points_of(NamedModel(model, result, model) for model in result.models):
        if one.value is not None:
            points[one.name].append(one)
    return points


def measures(result: Result) -> list[str]:
    """The measures of a result as they are printed."""
    return list(dict.fromkeys(row.label for row in result.rows))


def run_name(result: Result, given: str | None) -> str:
    """The name of the run: the one that was given, or the models."""
    own = [model for model in result.models if model not in result.yardsticks]
    return given or " ".join(own) or "receval"


def settings(result: Result) -> dict[str, str]:
    """What the values depend on: convention, what is relevant, versions, and the hash of every file."""
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
    """How the gates ended: `passed`, `inconclusive`, `failed`; `none` where none was judged.

    Gates are `failed` if one of them fails the run, `inconclusive` if something else kept one of them from passing.
    """
    verdicts = Verdicts(result.gates)
    if not result.gates:
        return "none"
    return "failed" if verdicts.failed() else "inconclusive" if any(gate.outcome != "pass" for gate in result.gates) else "passed"


def numbers_of(points: Iterable[ValuePoint], names: Mapping[str, str], joint: str) -> dict[str, float]:
    """Values by their names, and the ends of their intervals: with `joint` `.` those of `nDCG_at_10` are `nDCG_at_10.low` and `.high`."""
    ends = (("", "value"), (f"{joint}low", "low"), (f"{joint}high", "high"))
    told = ((f"{names[one.label]}{ending}", getattr(one, field)) for one in points for ending, field in ends)
    return {name: number for name, number in told if number is not None}


def gates_of_model(result: Result, model: str, name: str) -> dict[str, str]:
    """How the gates of a model ended, by `name` and their number."""
    judged = (gate for gate in result.gates if gate.model == model)
    return {f"{name}{number}": f"{gate.outcome}: {gate.rule}" for number, gate in enumerate(judged, 1)}
