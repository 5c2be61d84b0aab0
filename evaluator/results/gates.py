"""`Gate`: one rule judged for one model, and `Verdicts`: all of them; text, JSON and the exit code are readings of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from ..stats.gate_kinds import GateState, LimitKind, MarginKind

Outcome = Literal["pass", "warn", "fail", "skipped"]


class Gate(Struct, frozen=True):
    """One rule, judged for one measure of one model, over all users or over a group.

    Of a limit (`min`, `max`) `low` and `high` bound the `value`. Of a margin (`max_loss`, `min_gain`) `difference`, `low` and `high` are
    turned so that more is better, whatever the direction of the measure, and shares of `base_value` if `relative`, as `limit` is;
    `paired` says whether users were paired. Both bounds are one-sided at `level`. `detectable` is the smallest margin that `n_users` can
    show (80 %), `users_needed` how many it takes to show the limit. `probability_within` is the probability that the rule is met, under a
    flat prior.

    `rule`, `found` and `remark` are the cells of the table, `sentence` stands alone; `notes` are footnotes.
    """

    rule: str
    model: str
    measure: str
    kind: LimitKind | MarginKind
    limit: float
    relative: bool
    severity: Literal["error", "warn"]
    outcome: Outcome
    sentence: str
    base: str | None = None
    by: str | None = None
    group: str | None = None
    n_users: int = 0
    paired: bool = False
    value: float | None = None
    base_value: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    state: GateState | None = None
    p: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    users_needed: int | None = None
    probability_within: float | None = None
    found: str = ""
    remark: str = ""
    notes: tuple[str, ...] = ()


class Verdicts(Struct, frozen=True):
    """All gates of a result, in the order of models and rules."""

    gates: tuple[Gate, ...]

    @property
    def passed(self) -> bool:
        """Whether no gate failed."""
        return not self.failed()

    def failed(self, strict: bool = False) -> bool:
        """Whether a gate failed, or with `strict` warned."""
        return any(gate.outcome == "fail" or (strict and gate.outcome == "warn") for gate in self.gates)

    def summary(self) -> str:
        """How many gates failed, warned and were skipped: `1 of 4 gates failed, 2 warned`."""
        n = len(self.gates)
        counts = Counter(gate.outcome for gate in self.gates)
        were = "was" if counts["skipped"] == 1 else "were"
        words: dict[Outcome, str] = {"fail": "failed", "warn": "warned", "skipped": f"{were} not judged"}
        told = [(counts[outcome], word) for outcome, word in words.items() if counts[outcome]]
        if not told:
            return "1 gate passed" if n == 1 else f"all {n} gates passed"
        (first, word), *rest = told
        return ", ".join((f"{first} of {n} gate{'' if n == 1 else 's'} {word}", *(f"{count} {verb}" for count, verb in rest)))

    def notes(self) -> Iterator[str]:
        """The footnotes, each once."""
        yield from dict.fromkeys(note for gate in self.gates for note in gate.notes)
