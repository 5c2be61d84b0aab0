"""A test → the `Gate` that says what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ..config.judgement import Inconclusive
from ..results.gates import AnchorVerdict, Consequence, Gate, Outcome
from ..stats.difference import Subject
from ..stats.gates import GateTest, gate_sentence, observed_text, remark, rule_text
from .judged_rules import RuleCase

_GRAVEST: Final[tuple[Outcome, ...]] = ("fail", "inconclusive", "pass", "skipped")
_CONSEQUENCES: Final[tuple[Consequence, ...]] = ("none", "warn", "fail")


class Judged(Struct, frozen=True, eq=False):
    """A case with its test, and the same case against an `anchor`. What was `skipped` has the reason, and what follows for the run."""

    case: RuleCase
    subject: Subject
    test: GateTest
    skipped: str = ""
    consequence: Consequence = "none"
    paired: bool = False
    notes: tuple[str, ...] = ()
    anchor: Judged | None = None
    name: str = ""

    @property
    def outcome(self) -> Outcome:
        """The outcome of this comparison alone; what has no value fails."""
        return "skipped" if self.skipped else self.test.outcome or "fail"

    @property
    def why(self) -> str:
        """Why this is the outcome."""
        return self.skipped or remark(self.test, self.subject.measure)

    @property
    def found(self) -> str:
        """What was observed."""
        return "" if self.skipped else observed_text(self.test)

    @property
    def sentence(self) -> str:
        """One sentence that stands alone."""
        if not self.skipped:
            return gate_sentence(self.subject, self.test)
        return f"“{rule_text(self.subject.measure, self.test)} of {self.subject.model}” is not judged: {self.skipped}."


def gate_of(judged: Judged, inconclusive: Inconclusive) -> Gate:
    """The gate of a test; `inconclusive` says what such an outcome does to the run."""
    subject, test, severity = judged.subject, judged.test, judged.case.rule.severity
    parts = (judged,) if judged.anchor is None else (judged, judged.anchor)
    outcome = min((part.outcome for part in parts), key=_GRAVEST.index)
    text = rule_text(subject.measure, test)
    return Gate(
        rule=text if subject.group is None else f"{text}, {subject.by} {subject.group}",
        model=subject.model,
        measure=subject.measure,
        kind=test.kind,
        limit=test.limit,
        relative=test.relative,
        severity=severity,
        outcome=outcome,
        consequence=_consequence(outcome, severity, inconclusive, parts),
        sentence=" ".join(part.sentence for part in parts),
        base=subject.base or None,
        by=subject.by,
        group=subject.group,
        n_users=test.n_users,
        n_changed=test.n_changed,
        paired=judged.paired,
        by_value=test.by_value,
        value=test.value,
        base_value=test.base_value,
        difference=test.difference,
        low=test.low,
        high=test.high,
        level=test.level,
        p=test.p,
        p_adjusted=test.p_adjusted,
        detectable=test.detectable,
        users_needed=test.users_needed,
        probability_within=test.probability_within,
        anchor=None if judged.anchor is None else _of_anchor(judged.anchor),
        found="; ".join(part for part in (judged.found, _from_anchor(judged.anchor, "found")) if part),
        remark="; ".join(part for part in (judged.why, _from_anchor(judged.anchor, "why")) if part),
        notes=tuple(note for part in parts for note in part.notes),
    )


def _consequence(outcome: Outcome, severity: str, inconclusive: Inconclusive, parts: Sequence[Judged]) -> Consequence:
    """What follows for the run: the gravest of the outcome and of what was skipped; a rule of severity `warn` never fails it."""
    of_outcome: Consequence = "fail" if outcome == "fail" else inconclusive if outcome == "inconclusive" else "none"
    gravest = max((of_outcome, *(part.consequence for part in parts)), key=_CONSEQUENCES.index)
    return "warn" if gravest == "fail" and severity == "warn" else gravest


def _of_anchor(anchor: Judged) -> AnchorVerdict:
    test = anchor.test
    return AnchorVerdict(
        anchor.name,
        anchor.outcome,
        test.n_users,
        anchor.paired,
        test.base_value,
        test.difference,
        test.low,
        test.high,
        anchor.found,
        anchor.why,
    )


def _from_anchor(anchor: Judged | None, name: str) -> str:
    """What was found against the anchor, or why its outcome is what it is, after the name of the anchor."""
    text = "" if anchor is None else getattr(anchor, name)
    return f"anchor {anchor.name}: {text}" if anchor is not None and text else ""
