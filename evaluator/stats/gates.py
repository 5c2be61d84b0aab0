"""Gate tests, which decide whether a model may ship: margins and limits judged on one-sided bounds, and the result in words.

A loss that is not clearly different from 0 may still exist, and an observed loss below the margin proves nothing about all users. So a
rule passes only if the worse bound meets it. It fails if the better bound does not; by default also if the value does not, and the better
bound is a loss. Otherwise it is inconclusive. Long: a test and words for each kind of rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..exact_sums.exact import round_fraction
from ..support.errors import ConfigError
from .concluding import adjust, percent, plain
from .confidence import Confidence, StudentT
from .difference import Failing, GateOutcome, LimitKind, MarginKind, SlicesKind, Subject
from .estimates import Estimate, paired_estimate, relative_difference, skewness_of_mean, standard_deviation
from .paired import TOLERANCE, PairedSums
from .power import Needs, needs_for_margin, needs_text, provable_margin, users_for_margin
from .rare_changes import GuardedConfidence, RareChanges, ValueRange, guard, margin_to_show, reach_of, relative_bounds, users_to_show

_LEAST_SHARE: Final = 1e4
"""A margin below 1/10,000 of what these users can show has no practical meaning: it takes 1e8 times as many users."""
_FEW_USERS: Final = 10
"""With fewer users than this, values without spread prove nothing."""


IDENTICAL: Final = "the lists are the same for every user"


class GateTest(Struct, frozen=True):
    """Test of a value, or of a difference, against a rule.

    For a margin (`max_loss`, `min_gain`) `difference`, `low` and `high` are turned so that higher is better, and are shares of the base
    value if `relative`; for a limit (`min`, `max`) `low` and `high` bound the value. Both bounds are one-sided, at `level`; `None` if there
    is none. `outcome` is `None` if there is nothing to judge. `meets`: the observed value meets the rule, `None` if there is no value;
    `by_value`: this decides. `p` is the p value of the hypothesis that the rule is not met. `detectable` is the smallest margin that these
    users can show (80 %), `users_needed` the number that can show the margin if these cannot; `None` if the margin is so small that the
    number would be meaningless.

    `fail` says when the margin fails, and `failed_by` the strictest kind of failing that is shown. `p_fail` is the p value of what must be
    refuted for that: that there is no loss (`shown_worse`), or that the rule is met (`shown_beyond`); `None` if the value decides.
    `p_worse` and `p_beyond` are those two p values, whatever `fail` is. `n_corrected` is the number of margins that `p_fail` was corrected
    for, if that changed the outcome. `identical`: all lists are the same.
    """

    kind: MarginKind | LimitKind | SlicesKind
    limit: float
    relative: bool
    n_users: int
    base_value: float | None
    value: float | None
    difference: float | None
    low: float | None
    high: float | None
    level: float
    outcome: GateOutcome | None
    meets: bool | None
    by_value: bool = False
    p: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    users_needed: int | None = None
    needs: Needs | None = None
    n_changed: int | None = None
    untested: str = ""
    test: str | None = None
    fail: Failing | None = None
    failed_by: Failing | None = None
    p_fail: float | None = None
    p_fail_adjusted: float | None = None
    p_worse: float | None = None
    p_beyond: float | None = None
    n_corrected: int | None = None
    identical: bool = False

    @property
    def probability_within(self) -> float | None:
        """Probability that the rule is met, under a flat prior."""
        return None if self.p is None else 1 - self.p


def margin_test(
    sums: PairedSums,
    higher_is_better: bool,
    kind: MarginKind,
    limit: float,
    relative: bool = False,
    alpha: float = 0.05,
    values: ValueRange | None = None,
    fail: Failing = "shown_worse",
    *,
    verdict_only: bool = False,
) -> GateTest:
    """Judge a margin over paired users; a `relative` one is a share of the base value, and includes the error of that value.

    With a relative margin m the mean of b - (1 - m)·a is tested against 0, per user, not a quotient of means. `values` is the range of the
    values of a user, so that the bounds hold if few users changed; without it they are those of Student's t. With `verdict_only` what only
    describes the verdict, and takes most of the time, is left out: bounds as shares, and what these users can show.
    """
    estimate, sign = paired_estimate(sums, None if verdict_only else alpha), 1 if higher_is_better else -1
    if not relative or sums.n == 0:
        return estimate_test(estimate, higher_is_better, kind, limit, alpha, values=values, fail=fail, verdict_only=verdict_only)
    _check_margin(kind, limit)
    share = Fraction(limit) * (-1 if kind == "max_loss" else 1) * (-1 if sums.base < 0 else 1)
    factor = 1 + sign * share
    total = sums.difference(factor)
    mean = sign * round_fraction(total / sums.n)
    confidence: Confidence | None = None
    if sums.n > 1:
        squares = sums.difference_squares(factor)
        sd = standard_deviation(total, squares, sums.n, sums.rounding(factor))
        skewness = sign * skewness_of_mean(total, squares, sums.difference_cubes(factor), sums.n) if sd else 0.0
        se = sd / math.sqrt(sums.n)
        confidence = StudentT(mean, se, sums.n - 1, skewness, sums.is_sparse)
        if values is not None and values.is_finite:
            terms = values.term_range(float(factor))
            confidence = GuardedConfidence(confidence, RareChanges(mean, se, sums.n, terms if sign > 0 else terms.negated()))
    unit = abs(estimate.base_value or 0.0)
    plain_loss = _turned(guard(estimate, values), sign)
    test = _judged(kind, limit, estimate, mean, (confidence, plain_loss), 0.0, alpha, unit, values, fail, verdict_only)
    if verdict_only:
        return replace(test, relative=True)
    shares = relative_difference(sums, 2 * alpha)
    ends = (None, None) if shares is None else (shares.low, shares.high) if sign > 0 else (shares.high, shares.low)
    low, high = (None if end is None else sign * end for end in ends)
    if shares is not None and sums.n > 1 and values is not None and values.is_finite:
        rare_low, rare_high = relative_bounds(sums, values, sign, alpha)
        low = None if low is None or rare_low is None else min(low, rare_low)
        high = None if high is None or rare_high is None else max(high, rare_high)
    return replace(
        test,
        relative=True,
        difference=None if shares is None else sign * shares.value,
        low=low,
        high=high,
        detectable=_share(test.detectable, unit),
    )


def estimate_test(
    estimate: Estimate,
    higher_is_better: bool,
    kind: MarginKind,
    limit: float,
    alpha: float = 0.05,
    relative: bool = False,
    values: ValueRange | None = None,
    fail: Failing = "shown_worse",
    *,
    verdict_only: bool = False,
) -> GateTest:
    """Judge a margin on any estimate: of clusters, runs, unpaired users, or model-level values, which are judged by the value alone.

    A `relative` margin is here a share of the observed base value, as if that had no error. `values` and `verdict_only` are as in
    `margin_test`.
    """
    _check_margin(kind, limit)
    unit = abs(estimate.base_value or 0.0) if relative else 1.0
    required = (-limit if kind == "max_loss" else limit) * unit
    sign = 1 if higher_is_better else -1
    mean = None if estimate.difference is None else sign * estimate.difference
    turned = _turned(guard(estimate, values), sign)
    test = _judged(kind, limit, estimate, mean, (turned, turned), required, alpha, unit, values, fail, verdict_only)
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
    """Judge a limit by the value; its one-sided bounds are for information, if deviation and number of users are known."""
    _check_number(limit)
    confidence = None
    if value is not None and std is not None and n > 1 and (std > 0 or n >= _FEW_USERS):
        confidence = StudentT(value, std / math.sqrt(n), n - 1)
    low, high = _bounds(confidence, alpha)
    meets = None if value is None else value >= limit if kind == "min" else value <= limit
    p = None if confidence is None else confidence.below(limit) if kind == "min" else confidence.above(limit)
    return GateTest(kind, limit, False, n, None, value, None, low, high, 1 - alpha, _by_value(meets), meets, by_value=True, p=p)


def correct_gains(tests: Sequence[GateTest], alpha: float = 0.05) -> tuple[GateTest, ...]:
    """Correct several `min_gain` tests together by Holm: a gain that is no longer shown becomes inconclusive.

    Passing needs no correction for losses: all of them must pass, which is already a test of level α (Berger, 1982).
    """
    adjusted = iter(adjust([test.p for test in tests if test.kind == "min_gain" and test.p is not None], "holm"))
    judged = []
    for test in tests:
        if test.kind == "min_gain" and test.p is not None:
            p_adjusted = next(adjusted)
            outcome = "inconclusive" if test.outcome == "pass" and not test.by_value and p_adjusted > alpha else test.outcome
            test = replace(test, p_adjusted=p_adjusted, outcome=outcome)
        judged.append(test)
    return tuple(judged)


class _Turned(Struct, frozen=True, eq=False):
    """Confidence of the difference with the opposite sign."""

    inner: Confidence

    def below(self, number: float) -> float:
        return self.inner.above(-number)

    def above(self, number: float) -> float:
        return self.inner.below(-number)

    def at(self, share: float) -> float:
        return -self.inner.at(1 - share)


def _turned(confidence: Confidence | None, sign: int) -> Confidence | None:
    """Return the confidence of a difference turned so that higher is better."""
    return confidence if sign > 0 or confidence is None else _Turned(confidence)


def _judged(
    kind: MarginKind,
    limit: float,
    estimate: Estimate,
    mean: float | None,
    confidences: tuple[Confidence | None, Confidence | None],
    required: float,
    alpha: float,
    unit: float,
    values: ValueRange | None,
    fail: Failing,
    verdict_only: bool,
) -> GateTest:
    """Test a turned difference against the required value; `unit` is a limit of 1 in units of the measure.

    `confidences` are that of the difference to the required value, and that of the difference itself.
    """
    confidence, of_difference = confidences
    if values is None and estimate.n < _FEW_USERS and (estimate.sd == 0 or estimate.se == 0):
        confidence = of_difference = None
    strict = kind == "min_gain" and limit == 0
    scale = max(abs(estimate.base_value or 0.0), abs(estimate.value or 0.0))
    least = required - TOLERANCE * max(1.0, scale) * (-1 if strict else 1)
    low, high = _bounds(confidence, alpha)
    meets = None if mean is None else mean >= least
    has_power = confidence is not None and not verdict_only
    detectable, users = _power(estimate, limit * unit, alpha, values) if has_power else (None, None)
    is_by_value = estimate.n == 0 or bool(estimate.untested)
    loss = None if of_difference is None else of_difference.at(1 - alpha) < -TOLERANCE * max(1.0, scale)
    failed_by = None if meets is not False else _failed_by(high, least, is_worse=bool(loss))
    needs = None if estimate.runs is None or not has_power else needs_for_margin(estimate, limit * unit, alpha)
    p_beyond = None if is_by_value or confidence is None else confidence.above(least)
    p_worse = None if is_by_value or of_difference is None else of_difference.above(0.0)
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
        _by_value(meets) if is_by_value else _outcome(meets, low, least, failed_by, fail),
        meets,
        by_value=is_by_value,
        p=None if confidence is None else confidence.below(required),
        detectable=detectable,
        users_needed=(needs.users if needs is not None else users) if kind == "max_loss" else None,
        needs=needs if kind == "max_loss" else None,
        n_changed=estimate.n_changed,
        untested=estimate.untested,
        test=estimate.test if confidence is not None else None,
        fail=None if is_by_value else fail,
        failed_by=None if is_by_value else failed_by,
        p_fail=_p_of_failing(p_worse, p_beyond, fail),
        p_worse=p_worse,
        p_beyond=p_beyond,
    )


def _p_of_failing(p_worse: float | None, p_beyond: float | None, fail: Failing) -> float | None:
    """Return the p value of what must be refuted for a margin to fail; a required gain fails if even the gain is shown to be too small."""
    if p_worse is None or p_beyond is None or fail == "value":
        return None
    return min(p_worse, p_beyond) if fail == "shown_worse" else p_beyond


def _failed_by(high: float | None, least: float, *, is_worse: bool) -> Failing:
    """Return the strictest kind of failing that holds for a value beyond the limit."""
    return "shown_beyond" if high is not None and high < least else "shown_worse" if is_worse else "value"


_STRICTEST: Final[tuple[Failing, ...]] = ("shown_beyond", "shown_worse", "value")


def _outcome(meets: bool | None, low: float | None, least: float, failed_by: Failing | None, fail: Failing) -> GateOutcome | None:
    if meets is None:
        return None
    if meets and low is not None and low >= least:
        return "pass"
    return "fail" if failed_by is not None and _STRICTEST.index(failed_by) <= _STRICTEST.index(fail) else "inconclusive"


def _by_value(meets: bool | None) -> GateOutcome | None:
    return None if meets is None else "pass" if meets else "fail"


def _power(estimate: Estimate, margin: float, alpha: float, values: ValueRange | None) -> tuple[float | None, int | None]:
    """Return the smallest margin that can be shown, in units of the measure, and the users needed for this one if these cannot show it."""
    if estimate.se is None:
        return None, None
    units = estimate.n_units
    reach = reach_of(estimate, values) if values is not None and values.is_finite else None
    sd = estimate.se * math.sqrt(units)
    detectable = margin_to_show(sd, units, reach, alpha) if reach else provable_margin(estimate.se, alpha)
    if not detectable / _LEAST_SHARE < margin < detectable:
        return detectable or None, None
    return detectable, users_to_show(sd, reach, margin, alpha) if reach else users_for_margin(estimate.n, detectable, margin)


def _bounds(confidence: Confidence | None, alpha: float) -> tuple[float | None, float | None]:
    return (None, None) if confidence is None else (confidence.at(alpha), confidence.at(1 - alpha))


def _share(number: float | None, unit: float) -> float | None:
    return None if number is None or unit == 0 else number / unit


def _check_margin(kind: MarginKind, limit: float) -> None:
    _check_number(limit)
    if limit < 0:
        raise ConfigError(f"{kind} must be 0 or more, not {limit:g}", "use max_loss for losses, min_gain for gains")


def _check_number(limit: float) -> None:
    if not math.isfinite(limit):
        raise ConfigError(f"the limit of a rule must be a number, not {limit:g}")


_SIGNS: Final = {"min": "≥", "max": "≤"}


def rule_text(measure: str, test: GateTest) -> str:
    """Return the rule in words: `nDCG@10 loses at most 2 %`, `Recall@20 ≥ 0.25`."""
    if test.kind == "min" or test.kind == "max":
        return f"{measure} {_SIGNS[test.kind]} {plain(test.limit)}"
    if test.kind == "slices":
        return f"{measure} slices: none worse than {_size(test, test.limit)}"
    if test.kind == "min_gain" and test.limit == 0:
        return f"{measure} gains"
    return f"{measure} {'loses at most' if test.kind == 'max_loss' else 'gains at least'} {_size(test, test.limit)}"


def observed_text(test: GateTest) -> str:
    """Return the observed difference and the bound that decides, `−1.9 %, at worst −5.3 %`; for a limit the value itself."""
    if test.kind in ("min", "max"):
        return "" if test.value is None else plain(test.value)
    if test.difference is None:
        return ""
    if test.identical:
        return _size(test, 0.0)
    bound, word = (test.low, "worst") if test.meets else (test.high, "best")
    text = _size(test, test.difference, sign=True)
    return text if bound is None else f"{text}, at {word} {_size(test, bound, sign=True)}"


def remark(test: GateTest, measure: str = "the value") -> str:
    """Return the reason for the outcome in a few words; empty if it is plain."""
    if test.identical:
        return IDENTICAL
    if test.meets is None:
        return "no value to judge"
    if test.by_value:
        return "judged by the value" if test.kind in ("min", "max") else f"{test.untested or 'no value per user'}: judged by the value"
    if test.outcome == "pass":
        return ""
    if test.outcome == "fail":
        return _violation(test)
    if test.n_corrected is not None:
        return f"{_claim(test)} by this rule alone, but not after the correction for {test.n_corrected:,} margins (Holm)"
    if test.n_changed == 0:
        return _unchanged(test, measure)
    return _doubt(test)


def gate_sentence(subject: Subject, test: GateTest) -> str:
    """Return one sentence that needs no context."""
    observed, reason = observed_text(test), remark(test, subject.measure)
    place = subject.measure if subject.group is None else f"{subject.measure} of {subject.by} {subject.group}"
    of_model = rule_text(f"{place} of {subject.model}", test)
    against = "" if test.kind in ("min", "max") else f" against {subject.base}"
    verdict = {"pass": "holds", "fail": "does not hold", "inconclusive": "is inconclusive", None: "cannot be judged"}[test.outcome]
    explanation = "; ".join(part for part in (observed, reason) if part)
    return f"“{of_model}{against}” {verdict}{f': {explanation}' if explanation else ''}."


def _claim(test: GateTest) -> str:
    """Return what must be shown for a margin to fail."""
    if test.kind == "slices":
        return "a slice beyond the limit is confirmed"
    if test.kind == "min_gain":
        return f"a gain below the limit of {_size(test, test.limit)} is shown" if test.limit else "a loss is shown"
    return (
        f"a loss above the limit of {_size(test, test.limit)} is shown" if test.fail == "shown_beyond" and test.limit else "a loss is shown"
    )


def _violation(test: GateTest) -> str:
    """Return words for a rule that is violated: what is shown, and what only the value says."""
    if test.failed_by == "value":
        return f"only the value is beyond the limit of {_size(test, test.limit)}, no loss is shown (fail: value)"
    if test.failed_by == "shown_worse":
        return f"a loss is shown, and its value is above the limit of {_size(test, test.limit)}"
    if test.kind == "max_loss":
        return f"loss exceeds the limit of {_size(test, test.limit)}" if test.limit else "it is worse"
    return f"gain is below the limit of {_size(test, test.limit)}" if test.limit else "there is no gain"


def _unchanged(test: GateTest, measure: str) -> str:
    """Return the share of all users that can change at most although none of these did: the exact bound of a share observed as 0."""
    share = 1 - (1 - test.level) ** (1 / test.n_users)
    nobody = "the value of the only user did not change" if test.n_users == 1 else f"none of {test.n_users:,} users changed"
    start = f"{nobody}; so at most {_percentage(100 * share)} of all users change ({percent(test.level)} bound)"
    if test.kind == "min_gain":
        return start if test.high is None else f"{start}, and {measure} gains at most {_size(test, test.high)}"
    return start + ("" if test.low is None else f", and {measure} loses at most {_size(test, -test.low)}") + _takes(test)


def _doubt(test: GateTest) -> str:
    """Return the reason why a rule is neither shown to hold nor shown to be violated."""
    if test.kind == "min_gain":
        return f"a gain of {_size(test, test.limit)} is possible but not shown" if test.limit else "a gain is possible but not shown"
    if test.detectable is None:
        return "too few users for an interval" if test.low is None else "the true loss may be below or above the limit"
    if not test.meets:
        return f"the true loss may still be below {_size(test, test.limit)}{_takes(test)}"
    if test.relative and test.detectable >= 1:
        return f"to plan: {_users(test)} too few for any limit (80 % power){_takes(test)}"
    if test.detectable > test.limit:
        return f"to plan: {_users(test)} enough for a limit of {_size(test, test.detectable)} (80 % power){_takes(test)}"
    return f"the true loss may be below or above {_size(test, test.limit)}"


def _takes(test: GateTest) -> str:
    """Return what a next evaluation needs to show the limit; empty if these users are enough."""
    limit, needs = _size(test, test.limit), test.needs
    if needs is not None and test.detectable is not None and test.limit < test.detectable:
        return f"; {limit} needs about {needs_text(needs)}" if needs.users else f"; {needs_text(needs)}"
    return "" if test.users_needed is None else f"; {limit} needs about {test.users_needed:,} users"


def _users(test: GateTest) -> str:
    return "1 user is" if test.n_users == 1 else f"{test.n_users:,} users are"


def _percentage(number: float) -> str:
    return f"{number:.2g} %"


def _size(test: GateTest, number: float, sign: bool = False) -> str:
    """Format a loss, a gain or a margin with enough digits to show its side of the limit; the limit itself as it was given."""
    scale = 100 if test.relative else 1
    limit = -test.limit if test.kind == "max_loss" else test.limit
    text = plain(test.limit * scale) if number == test.limit else _apart(number * scale, limit * scale)
    return (f"+{text}" if sign and number > 0 else text) + (" %" if test.relative else "")


def _apart(number: float, limit: float) -> str:
    """Return two significant digits, or as many as are needed to differ from the limit."""
    digits = 2
    while float(f"{number:.{digits}g}") == limit != number and digits < 15:
        digits += 1
    rounded = abs(float(f"{number:.{digits}g}"))
    form = f"#.{digits}g" if 1e-4 <= rounded < 10**digits else ".0f" if 1 <= rounded < 1e7 else f".{digits}g"
    text = f"{number:{form}}"
    return text.removesuffix(".").replace("-", "−")
