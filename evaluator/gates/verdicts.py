"""A test → the `Gate` that says what came of it."""

from __future__ import annotations

from msgspec import Struct

from ..results.gates import Gate, Outcome
from ..stats.gate_kinds import GateOutcome
from ..stats.gate_sentences import can_show, gate_sentence, observed_text, remark, rule_text
from ..stats.gates import GateTest
from ..stats.records import Subject
from .judged_rules import RuleCase


class Judged(Struct, frozen=True, eq=False):
    """A case with its test. What could not be tested has its `outcome` already, and the `reason`."""

    case: RuleCase
    subject: Subject
    test: GateTest
    outcome: Outcome | None = None
    reason: str = ""
    paired: bool = False
    notes: tuple[str, ...] = ()


def gate_of(judged: Judged, unproven: GateOutcome) -> Gate:
    """The gate of a test; `unproven` is the outcome of what holds by the values, but is not shown to."""
    subject, test, rule = judged.subject, judged.test, judged.case.rule
    outcome = judged.outcome or _outcome(test, unproven)
    text = rule_text(subject.measure, test)
    can = can_show(subject.measure, test) if test.users_needed is not None and test.state in ("likely", "unlikely") else None
    return Gate(
        rule=text if subject.group is None else f"{text}, {subject.by} {subject.group}",
        model=subject.model,
        measure=subject.measure,
        kind=test.kind,
        limit=test.limit,
        relative=test.relative,
        severity=rule.severity,
        outcome="warn" if outcome == "fail" and rule.severity == "warn" else outcome,
        sentence=f"“{text} of {subject.model}” is not judged: {judged.reason}." if judged.reason else gate_sentence(subject, test),
        base=subject.base or None,
        by=subject.by,
        group=subject.group,
        n_users=test.n_users,
        paired=judged.paired,
        value=test.value,
        base_value=test.base_value,
        difference=test.difference,
        low=test.low,
        high=test.high,
        level=test.level,
        state=test.state,
        p=test.p,
        p_adjusted=test.p_adjusted,
        detectable=test.detectable,
        users_needed=test.users_needed,
        probability_within=test.probability_within,
        found="" if judged.reason else observed_text(test),
        remark=judged.reason or remark(test),
        notes=(*([can] if can else []), *judged.notes),
    )


def _outcome(test: GateTest, unproven: GateOutcome) -> Outcome:
    """What there is no value of does not hold."""
    return test.outcome(unproven) or "fail"
