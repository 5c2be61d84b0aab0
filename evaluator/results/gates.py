"""`Gate`: one rule judged for one model, and `Verdicts`: all gates, from which text, JSON and the exit code are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from ..stats.concluding import group_text, users_text
from ..stats.difference import Failing, LimitKind, MarginKind, SlicesKind

Outcome = Literal["pass", "fail", "inconclusive", "skipped"]
"""`pass`: the rule is shown to hold; `fail`: it is violated as `gates.fail` says; `inconclusive`: neither; `skipped`: not judged."""
Consequence = Literal["none", "warn", "fail"]
"""Effect of an outcome on the run: nothing; the run fails with `--strict`, which makes it `fail`; the run fails."""


class AnchorVerdict(Struct, frozen=True):
    """The same rule judged against the anchor: the fields of a `Gate` that depend on the base of the comparison."""

    base: str
    outcome: Outcome
    n_users: int = 0
    paired: bool = False
    base_value: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    found: str = ""
    remark: str = ""


class SliceVerdict(Struct, frozen=True):
    """One slice that a rule on slices examined: the users of the second half in one group of each of the groupings in `conditions`.

    `base_value` and `value` are the means of its `n_users` there. `difference` and its upper bound `high`, corrected for all examined
    slices, are signed and scaled as in the `Gate`. `confirmed`: the slice is shown to lose more than the limit.
    """

    conditions: tuple[tuple[str, str], ...]
    n_users: int
    base_value: float | None
    value: float | None
    difference: float | None
    high: float | None
    confirmed: bool
    found: str = ""

    @property
    def sentence(self) -> str:
        """One line: `users.plan free and users.device phone: −11 %, at best −7.4 %, 250 users`."""
        name = " and ".join(group_text(by, group) for by, group in self.conditions)
        return f"{name}: {self.found}, {users_text(self.n_users)}"


class Gate(Struct, frozen=True):
    """One rule, judged for one measure of one model, over all users or over a group.

    For a limit (`min`, `max`) `low` and `high` bound the `value`. For a margin (`max_loss`, `min_gain`) `difference`, `low` and `high` are
    signed so that higher is better, whatever the direction of the measure; if `relative`, they and `limit` are shares of `base_value`.
    `paired`: users were paired; `identical`: their lists are the same, so the difference is exactly 0. `test` is the method, as in a
    `Difference`. Both bounds are one-sided at `level`. With `by_value` the value alone decides. `detectable` is the smallest margin that
    `n_users` can show with 80 % power, `users_needed` the number of users that the limit needs. `probability_within` is the probability
    that the rule is met, under a flat prior. For a rule on `slices` these fields are `None`, and `slices` has the examined slices;
    `n_searched` slices were looked at to find them.

    `fail` says when the margin fails (`gates.fail`), and if it does, `failed_by` is the strictest kind of failing that is shown after
    the correction. `p_fail` is the p value of what is refuted then (that there is no loss, or that the rule is met), `p_fail_adjusted` is
    corrected for all margins of the same `severity`.

    `consequence` is the effect of the `outcome` on the run, which depends on `severity` and `gates.inconclusive`. If there is an
    `anchor`, the outcome is that of both comparisons. `rule`, `found` and `remark` are cells of the table, `sentence` is complete alone;
    `notes` are footnotes.
    """

    rule: str
    model: str
    measure: str
    kind: LimitKind | MarginKind | SlicesKind
    limit: float
    relative: bool
    severity: Literal["error", "warn"]
    outcome: Outcome
    consequence: Consequence
    sentence: str
    base: str | None = None
    by: str | None = None
    group: str | None = None
    n_users: int = 0
    n_changed: int | None = None
    paired: bool = False
    by_value: bool = False
    test: str | None = None
    value: float | None = None
    base_value: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    p: float | None = None
    p_adjusted: float | None = None
    p_fail: float | None = None
    p_fail_adjusted: float | None = None
    fail: Failing | None = None
    failed_by: Failing | None = None
    identical: bool = False
    detectable: float | None = None
    users_needed: int | None = None
    probability_within: float | None = None
    anchor: AnchorVerdict | None = None
    n_searched: int | None = None
    slices: tuple[SliceVerdict, ...] = ()
    found: str = ""
    remark: str = ""
    notes: tuple[str, ...] = ()


class Verdicts(Struct, frozen=True):
    """All gates of a result, in the order of models and rules."""

    gates: tuple[Gate, ...]

    @property
    def passed(self) -> bool:
        """True if no gate fails the run."""
        return not self.failed()

    @property
    def none_judged(self) -> bool:
        """True if there are gates and all were skipped."""
        return bool(self.gates) and all(gate.outcome == "skipped" for gate in self.gates)

    def failed(self, strict: bool = False) -> bool:
        """Return whether a gate fails the run; with `strict`, also if one warns or if none was judged."""
        return any(gate.consequence == "fail" or (strict and gate.consequence == "warn") for gate in self.gates) or (
            strict and self.none_judged
        )

    def summary(self) -> str:
        """Return how many gates failed, were inconclusive and were skipped: `1 of 4 gates failed, 2 are inconclusive`."""
        n = len(self.gates)
        if self.none_judged:
            return "the only gate was not judged" if n == 1 else f"none of {n} gates was judged"
        counts = Counter(gate.outcome for gate in self.gates)
        are = "is" if counts["inconclusive"] == 1 else "are"
        were = "was" if counts["skipped"] == 1 else "were"
        words: dict[Outcome, str] = {"fail": "failed", "inconclusive": f"{are} inconclusive", "skipped": f"{were} not judged"}
        told = [(counts[outcome], word) for outcome, word in words.items() if counts[outcome]]
        if not told:
            return "1 gate passed" if n == 1 else "both gates passed" if n == 2 else f"all {n} gates passed"
        (first, word), *rest = told
        harmless = sum(gate.outcome == "fail" and gate.consequence == "warn" for gate in self.gates)
        only = f" ({harmless} of severity warn)" if harmless else ""
        subject = "the only gate" if n == 1 else f"{first} of {n} gates"
        return ", ".join((f"{subject} {word}{only}", *(f"{count} {verb}" for count, verb in rest)))

    def notes(self) -> Iterator[str]:
        """Yield the footnotes, each once."""
        yield from dict.fromkeys(note for gate in self.gates for note in gate.notes)


def in_this_version(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the cells of a stored gate to version 2; gates of version 1 have a `state`, and `warn` among their outcomes.

    Margins without `fail` are those of a version in which they failed only if the true loss was shown to be beyond the limit. The
    consequence keeps the effect that the old outcome had, so that a stored result ends as it did.
    """
    if "fail" not in cells and cells["kind"] in ("max_loss", "min_gain"):
        cells = {**cells, "fail": "shown_beyond"}
    if "state" not in cells:
        return dict(cells)
    rest = {name: value for name, value in cells.items() if name != "state"}
    was, state, kind = cells["outcome"], cells["state"], cells["kind"]
    by_value = kind in ("min", "max") or (state is None and cells.get("base") is not None)
    if was == "skipped" or (was == "warn" and not by_value and state is None):
        outcome: Outcome = "skipped"
    elif by_value:
        outcome = "pass" if was == "pass" else "fail"
    else:
        outcome = "pass" if state == "shown" else "fail" if state == "refuted" else "inconclusive"
    consequence: Consequence = "none" if was in ("pass", "skipped") else "warn" if was == "warn" else "fail"
    return {**rest, "outcome": outcome, "consequence": consequence, "by_value": by_value}
