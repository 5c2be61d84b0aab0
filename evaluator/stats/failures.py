"""Failures of margins after all rules are judged: corrected together; and the outcome of lists that are all the same."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .concluding import adjust
from .difference import GateOutcome
from .gates import GateTest


def correct_failures(tests: Sequence[GateTest], alpha: float = 0.05) -> tuple[GateTest, ...]:
    """Correct the failures of several margins together by Holm, so that any of them fails without reason in at most α of runs.

    A failure that is no longer shown becomes inconclusive; one that the value alone decides stays.
    """
    n = sum(test.p_fail is not None for test in tests)
    adjusted = iter(adjust([test.p_fail for test in tests if test.p_fail is not None], "holm"))
    judged = []
    for test in tests:
        if test.p_fail is not None:
            test = replace(test, p_fail_adjusted=next(adjusted))
            if test.outcome == "fail" and n > 1 and (test.p_fail_adjusted or 0.0) > alpha:
                test = replace(test, outcome="inconclusive", n_corrected=n)
        judged.append(test)
    return tuple(judged)


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
        failed_by="shown_beyond" if outcome == "fail" else None,
        detectable=None,
        users_needed=None,
        needs=None,
        identical=True,
    )
