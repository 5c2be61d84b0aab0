"""`Tracker`, and what all of them log of a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ..content.points import NamedModel, ValuePoint, points_of
from ..results.gates import Verdicts
from ..results.result import Result
from .names import as_identifiers


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
    hashes = {(source.role, number): file.sha256 for source in result.inputs for number, file in enumerate(source.files) if file.sha256}
    roles = as_identifiers(dict.fromkeys(role.removeprefix("data.") for role, _ in hashes))
    for (role, number), digest in hashes.items():
        told[f"sha256_{roles[role.removeprefix('data.')]}{f'_{number}' if number else ''}"] = digest
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
