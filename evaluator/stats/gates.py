"""Whether a model may ship: margins and limits judged on one-sided bounds.

That a loss cannot be told from 0 is no evidence that there is none. So a margin is `shown` only if the worst that the data allow is within
it; a gate is never laxer than a comparison of the values themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..errors import ConfigError
from ..sums.exact import rounded
from .confidence import Confidence, StudentT
from .corrections import adjust
from .estimates import Estimate, paired_estimate, relative_difference, skewness_of_mean, standard_deviation
from .gate_kinds import GateOutcome, GateState, LimitKind, MarginKind
from .paired import TOLERANCE, PairedSums
from .power import Needs, needs_for_margin, provable_margin, users_for_margin

_LEAST_SHARE: Final = 1e4
"""A margin that is smaller than a part in so many of what users can show is of no practical meaning: it takes 1e8 times as many."""
_FEW_USERS: Final = 10
"""Fewer users without any spread prove nothing."""


class GateTest(Struct, frozen=True):
    """How a value, or a difference, stands to a rule.

    Of a margin (`max_loss`, `min_gain`) `difference`, `low` and `high` are turned so that more is better, and are shares of the base value
    if it is `relative`; of a limit (`min`, `max`) `low` and `high` bound the value. Both bounds are one-sided, at `level`; `None` where
    there is none. `meets` says whether the value itself meets the rule, `None` if there is no value; `by_value`, that this decides. `p`
    is the p value of the hypothesis that the rule is not met. `detectable` is the smallest margin that so many users can show (80 %).
    """

    kind: MarginKind | LimitKind
    limit: float
    relative: bool
    n_users: int
    base_value: float | None
    value: float | None
    difference: float | None
    low: float | None
    high: float | None
    level: float
    state: GateState | None
    meets: bool | None
    by_value: bool = False
    p: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    needs: Needs | None = None

    @property
    def users_needed(self) -> int | None:
        """How many users it takes to show the margin (80 %), if nothing is lost.

        `None` of no margin, where these users suffice, and of a margin so small that the number says nothing.
        """
        if self.kind != "max_loss" or not self.detectable or not self.detectable / _LEAST_SHARE < self.limit < self.detectable:
            return None
        return users_for_margin(self.n_users, self.detectable, self.limit) if self.needs is None else self.needs.users

    @property
    def probability_within(self) -> float | None:
        """The probability that the rule is met, under a flat prior."""
        return None if self.p is None else 1 - self.p

    def outcome(self, unproven: GateOutcome = "warn") -> GateOutcome | None:
        """Pass, warn or fail; `unproven` is the outcome of what is likely, but not shown. `None` if there is nothing to judge."""
        if self.meets is None:
            return None
        if self.by_value or self.state is None:
            return "pass" if self.meets else "fail"
        return "pass" if self.state == "shown" else unproven if self.state == "likely" else "fail"


def margin_test(
    sums: PairedSums, higher_is_better: bool, kind: MarginKind, limit: float, relative: bool = False, alpha: float = 0.05
) -> GateTest:
    """Judge a margin over paired users; a `relative` one is a share of the base value, whose own error is taken in.

    With a relative margin m the mean of b - (1 - m)·a is tested against 0, per user, not a quotient of means.
    """
    estimate, sign = paired_estimate(sums, alpha), 1 if higher_is_better else -1
    if not relative or sums.n == 0:
        return estimate_test(estimate, higher_is_better, kind, limit, alpha)
    _check_margin(kind, limit)
    share = Fraction(limit) * (-1 if kind == "max_loss" else 1) * (-1 if sums.base < 0 else 1)
    factor = 1 + sign * share
    total = sums.difference(factor)
    mean = sign * rounded(total / sums.n)
    scale = max(abs(estimate.base_value or 0.0), abs(estimate.value or 0.0))
    confidence = None
    if sums.n > 1:
        squares = sums.difference_squares(factor)
        sd = standard_deviation(total, squares, sums.n, sums.rounding(factor))
        skewness = sign * skewness_of_mean(total, squares, sums.difference_cubes(factor), sums.n) if sd else 0.0
        confidence = StudentT(mean, sd / math.sqrt(sums.n), sums.n - 1, skewness, sums.is_sparse)
    test = _judged(kind, limit, estimate, mean, confidence, 0.0, alpha, strict=kind == "min_gain" and limit == 0, scale=scale)
    shares = relative_difference(sums, 2 * alpha)
    ends = (None, None) if shares is None else (shares.low, shares.high) if sign > 0 else (shares.high, shares.low)
    return replace(
        test,
        relative=True,
        difference=None if shares is None else sign * shares.value,
        low=None if ends[0] is None else sign * ends[0],
        high=None if ends[1] is None else sign * ends[1],
        detectable=test.detectable / abs(estimate.base_value) if test.detectable is not None and estimate.base_value else None,
    )


def estimate_test(
    estimate: Estimate, higher_is_better: bool, kind: MarginKind, limit: float, alpha: float = 0.05, relative: bool = False
) -> GateTest:
    """Judge a margin on any estimate: of clusters, runs, unpaired users, or values of whole models, which are judged by the value alone.

    A `relative` margin is here a share of the base value as it is, as if that had no error.
    """
    _check_margin(kind, limit)
    unit = abs(estimate.base_value or 0.0) if relative else 1.0
    required = (-limit if kind == "max_loss" else limit) * unit
    sign = 1 if higher_is_better else -1
    mean = None if estimate.difference is None else sign * estimate.difference
    confidence = estimate.confidence if sign > 0 or estimate.confidence is None else _Turned(estimate.confidence)
    scale = max(abs(estimate.base_value or 0.0), abs(estimate.value or 0.0))
    test = _judged(
        kind, limit, estimate, mean, confidence, required, alpha, strict=kind == "min_gain" and limit == 0, scale=scale, unit=unit
    )
    if not relative:
        return test
    return replace(
        test,
        relative=True,
        difference=_share(test.difference, unit),
        low=_share(test.low, unit),
        high=_share(test.high, unit),
        detectable=_share(test.detectable, unit),
    )


def limit_test(kind: LimitKind, limit: float, value: float | None, std: float | None, n: int, alpha: float = 0.05) -> GateTest:
    """Judge a limit of one value: by the value, with its one-sided bounds for information where deviation and users are known."""
    _check_number(limit)
    confidence = None
    if value is not None and std is not None and n > 1 and (std > 0 or n >= _FEW_USERS):
        confidence = StudentT(value, std / math.sqrt(n), n - 1)
    low, high = _bounds(confidence, alpha)
    meets = None if value is None else value >= limit if kind == "min" else value <= limit
    state = None
    if value is not None and low is not None and high is not None:
        worst, best = (low, high) if kind == "min" else (-high, -low)
        state = _state(worst, value if kind == "min" else -value, best, limit if kind == "min" else -limit, 0.0)
    p = None if confidence is None else confidence.below(limit) if kind == "min" else confidence.above(limit)
    return GateTest(kind, limit, False, n, None, value, None, low, high, 1 - alpha, state, meets, by_value=True, p=p)


def corrected_gains(tests: Sequence[GateTest], alpha: float = 0.05) -> tuple[GateTest, ...]:
    """Correct `min_gain` tests that are made together by Holm: a gain that is no longer shown is likely.

    Margins of loss are not corrected: all of them must pass, which is a test of level α as it is (Berger, 1982).
    """
    adjusted = iter(adjust([test.p for test in tests if test.kind == "min_gain" and test.p is not None], "holm"))
    corrected = []
    for test in tests:
        if test.kind == "min_gain" and test.p is not None:
            p_adjusted = next(adjusted)
            state = "likely" if test.state == "shown" and p_adjusted > alpha else test.state
            test = replace(test, p_adjusted=p_adjusted, state=state)
        corrected.append(test)
    return tuple(corrected)


class _Turned(Struct, frozen=True, eq=False):
    """The confidence of the difference with the other sign."""

    inner: Confidence

    def below(self, number: float) -> float:
        return self.inner.above(-number)

    def above(self, number: float) -> float:
        return self.inner.below(-number)

    def at(self, share: float) -> float:
        return -self.inner.at(1 - share)


def _judged(
    kind: MarginKind,
    limit: float,
    estimate: Estimate,
    mean: float | None,
    confidence: Confidence | None,
    required: float,
    alpha: float,
    *,
    strict: bool,
    scale: float,
    unit: float = 1.0,
) -> GateTest:
    """The test of a turned difference against what is required; with `strict`, more than that is."""
    if estimate.n < _FEW_USERS and (estimate.sd == 0 or estimate.se == 0):
        confidence = None
    tolerance = TOLERANCE * max(1.0, scale) * (-1 if strict else 1)
    low, high = _bounds(confidence, alpha)
    state: GateState | None = None
    if mean is not None and estimate.n > 0:
        state = _state(-math.inf if low is None else low, mean, math.inf if high is None else high, required, tolerance)
    return GateTest(
        kind,
        limit,
        False,
        estimate.n,
        estimate.base_value,
        estimate.value,
        mean,
        low,
        high,
        1 - alpha,
        state,
        None if mean is None else mean >= required - tolerance,
        by_value=estimate.n == 0,
        p=None if confidence is None else confidence.below(required),
        detectable=provable_margin(estimate.se, alpha) if estimate.se and confidence is not None else None,
        needs=None if estimate.runs is None or confidence is None else needs_for_margin(estimate, limit * unit, alpha),
    )


def _state(worst: float, value: float, best: float, required: float, tolerance: float) -> GateState:
    least = required - tolerance
    if worst >= least and value >= least:
        return "shown"
    if value >= least:
        return "likely"
    return "unlikely" if best >= least else "refuted"


def _bounds(confidence: Confidence | None, alpha: float) -> tuple[float | None, float | None]:
    return (None, None) if confidence is None else (confidence.at(alpha), confidence.at(1 - alpha))


def _share(number: float | None, unit: float) -> float | None:
    return None if number is None or unit == 0 else number / unit


def _check_margin(kind: MarginKind, limit: float) -> None:
    _check_number(limit)
    if limit < 0:
        raise ConfigError(f"{kind} is 0 or more, not {limit:g}", "write a loss as max_loss, a gain as min_gain")


def _check_number(limit: float) -> None:
    if not math.isfinite(limit):
        raise ConfigError(f"the limit of a rule is a number, not {limit:g}")
