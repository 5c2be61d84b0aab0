"""Gates and checks as cases: what each is called, what it is about, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import Struct, field

from ...checks import CHECKS
from ...content.findings import titled
from ...quoting import on_one_line
from ...results.result import Result
from ..report.content import ReportContent

CaseOutcome = Literal["pass", "warn", "fail", "skipped"]
"""`skipped`: it could not be judged."""
_ENDED: Final[Mapping[str, CaseOutcome]] = {"warn": "warn", "fail": "fail"}
"""The case of a gate by its consequence: one that is inconclusive ends as `gates.inconclusive` says."""


class Case(Struct, frozen=True):
    """One gate or one check of one model: its id, its name, the model (empty: all), how it ended, why, and its numbers."""

    suite: Literal["gates", "checks"]
    id: str
    name: str
    model: str
    outcome: CaseOutcome
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict)


def cases(content: ReportContent) -> Iterator[Case]:
    """The gates, then the checks that were made, each with what was found or without."""
    yield from (_of_gate(gate) for gate in content.gates)
    for label, result in content.results.items():
        yield from _of_checks(label if len(content.results) > 1 else "", result)


def _of_gate(gate: Mapping[str, Any]) -> Case:
    numbers = {name: gate[name] for name in ("value", "limit", "low", "high") if gate.get(name) is not None}
    rule = on_one_line(gate["rule"])
    outcome = _ENDED.get(gate["consequence"], "skipped" if gate["outcome"] == "skipped" else "pass")
    return Case("gates", rule, rule, on_one_line(gate.get("model") or ""), outcome, on_one_line(gate.get("sentence") or ""), numbers)


def _of_checks(label: str, result: Result) -> Iterator[Case]:
    """A case per finding, and one per check that was made and found nothing; notes are passed cases."""
    if not result.examined:
        return
    for check in (check for check in CHECKS if check not in result.unmade):
        found = [finding for finding in result.findings if finding.check == check]
        name = f"{check} {CHECKS[check].finds}"
        if not found:
            yield Case("checks", check, name, label, "pass", "")
        for finding in found:
            outcome: CaseOutcome = {"error": "fail", "warn": "warn"}.get(finding.severity, "pass")  # type: ignore[assignment]
            model = "/".join(part for part in (label, finding.model) if part)
            numbers = {"count": finding.count, "total": finding.total, "share": finding.share}
            sentence = f"{titled(finding)} What to do: {finding.advice}." if outcome != "pass" else titled(finding)
            yield Case("checks", check, name, on_one_line(model), outcome, on_one_line(sentence), numbers)
