"""`Demands`: what is asked of a result, free of files and of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from ..comparison.questions import Questions
from ..config.comparing import Compare
from ..config.gate_rules import GateRule
from ..config.gating import Gates, Severity
from ..results.gates import Outcome
from ..results.result import Result
from ..stats.gate_kinds import GateOutcome
from ..stats.records import Settings

_OUTCOMES: Final[Mapping[Severity, GateOutcome]] = {"pass": "pass", "warn": "warn", "error": "fail"}


class Baseline(Struct, frozen=True, eq=False):
    """What models are compared with: the `result` of another run, or a model of the same one, if there is no `result`.

    `missing` says why there is none, if there is none.
    """

    name: str
    result: Result | None = None
    missing: str = ""
    if_missing: Severity = "error"


class Demands(Struct, frozen=True, eq=False):
    """The rules, the baseline, the models that are judged (all but yardsticks and bases, if none is named), and how users are paired."""

    rules: tuple[GateRule, ...]
    baseline: Baseline | None = None
    models: tuple[str, ...] = ()
    unproven: GateOutcome = "warn"
    questions: Questions = field(default_factory=Questions)

    @classmethod
    def of(cls, gates: Gates, compare: Compare, baseline: Baseline | None) -> Demands:
        """The demands of a config; of its section `compare` those users who count, and who belong together, matter here too."""
        by = tuple(group.name for group in gates.splits())
        settings = Settings(alpha=gates.alpha)
        questions = Questions(settings=settings, by=by, cluster=compare.cluster, common=compare.users == "common")
        return cls(gates.rules, baseline, gates.models, _OUTCOMES[gates.unproven], questions)


def outcome_of_missing(severity: Severity) -> Outcome:
    """The outcome of a gate without anything to compare with: what is let pass was not judged."""
    return "skipped" if severity == "pass" else _OUTCOMES[severity]
