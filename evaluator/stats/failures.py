"""Failures of margins after all rules are judged: corrected together; and the outcome of lists that are all the same."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .concluding import adjust
from .difference import Failing, GateOutcome
from .gates import GateTest


def correct_failures(tests: Sequence[GateTest], alpha: float = 0.05) -> tuple[GateTest, ...]:
    """Correct the failures of several margins together by Holm, so that any of them fails without reason in at most α of runs.

    A failure that is no longer shown becomes inconclusive; one that the value alone decides stays. `failed_by` is what the corrected tests
    show: losses, and losses beyond the limit, are two families.
    """
    failures, losses, beyond = (_corrected([getattr(test, name) for test in tests]) for name in ("p_fail", "p_worse", "p_beyond"))
    n = sum(test.p_fail is not None for test in tests)
    judged = []
    for test, p_fail, p_worse, p_beyond in zip(tests, failures, losses, beyond, strict=True):
        corrected_test = replace(test, p_fail_adjusted=p_fail)
        if test.outcome == "fail" and n > 1 and p_fail is not None and p_fail > alpha:
            corrected_test = replace(corrected_test, outcome="inconclusive", n_corrected=n)
        judged.append(replace(corrected_test, failed_by=_failed_by(test, p_worse, p_beyond, alpha)))
    return tuple(judged)


def _failed_by(test: GateTest, p_worse: float | None, p_beyond: float | None, alpha: float) -> Failing | None:
    """Return the strictest kind of failing that corrected p values show; it is never stricter than that of the rule alone."""
    failed_by = test.failed_by
    if test.fail == "shown_beyond":
        return failed_by  # the outcome is the corrected test
    if failed_by == "shown_beyond" and p_beyond is not None and p_beyond > alpha:
        failed_by = "shown_worse"
    if failed_by == "shown_worse" and test.fail == "value" and p_worse is not None and p_worse > alpha:
        failed_by = "value"
    return failed_by


def _corrected(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p values corrected by Holm; those that are `None` do not count."""
    adjusted = iter(adjust([p for p in p_values if p is not None], "holm"))
    return [None if p is None else next(adjusted) for p in p_values]


def as_identical(test: GateTest) -> GateTest:
    """Return a test of lists that are the same for every user: the difference is exactly 0, whatever the number of users."""
    outcome: GateOutcome = "pass" if test.kind != "min_gain" else "fail"
    return replace(
        test,
        difference=0.0,
        low=0.0,
        high=0.0,
        outcome=outcome,
        meets=outcome == "pass",
        p=None,
        p_fail=None,
        p_worse=None,
        p_beyond=None,
        failed_by="shown_beyond" if outcome == "fail" else None,
        detectable=None,
        users_needed=None,
        needs=None,
        identical=True,
    )
