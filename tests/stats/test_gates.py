"""Margins and limits: which pass, fail or are inconclusive."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from receval.stats.difference import Failing, Subject
from receval.stats.estimates import Estimate, paired_estimate
from receval.stats.failures import correct_failures
from receval.stats.gates import (
    GateTest,
    correct_gains,
    estimate_test,
    gate_sentence,
    limit_test,
    margin_test,
    observed_text,
    remark,
    rule_text,
)
from receval.stats.paired import PairedSums
from receval.stats.rare_changes import ValueRange
from receval.support.errors import ConfigError
from scipy import stats

from tests.stats.draws import cautious, changing_pairs, pairs, skewed_t
from tests.stats.test_verdicts import spread

SUBJECT = Subject("nDCG@10", "main", "today")
BASE = np.full(400, 0.5)
SHARES = ValueRange(0.0, 1.0)


def paired(mean, sd=0.1):
    return PairedSums.from_values(BASE, BASE + spread(mean, sd))


OUTCOMES = [(0.0, "pass"), (-0.005, "inconclusive"), (-0.009, "inconclusive"), (-0.015, "fail"), (-0.03, "fail")]
"""Outcome of a loss of at most 0.01 by the mean difference; its bounds are ±0.0082 from there."""


@pytest.mark.parametrize(("mean", "outcome"), OUTCOMES)
def test_a_margin_is_judged_by_its_bounds(mean, outcome):
    test = margin_test(paired(mean), True, "max_loss", 0.01)
    assert test.outcome == outcome
    assert (test.low, test.high) == pytest.approx((mean - 0.00824, mean + 0.00824), abs=1e-5)


@pytest.mark.parametrize("values", [None, SHARES])
@pytest.mark.parametrize(("mean", "outcome"), OUTCOMES)
def test_a_measure_with_lower_is_better_is_judged_as_the_mirror_image(mean, outcome, values):
    test = margin_test(paired(mean), True, "max_loss", 0.01, values=values)
    mirrored = margin_test(paired(-mean), False, "max_loss", 0.01, values=values)
    assert mirrored.outcome == test.outcome
    assert (mirrored.difference, mirrored.low, mirrored.high, mirrored.p) == pytest.approx((test.difference, test.low, test.high, test.p))


@given(changing_pairs, st.floats(0.001, 0.5))
def test_an_absolute_margin_is_tested_by_the_t_corrected_for_skewness(pair, margin):
    base, model = pair
    sums = PairedSums.from_values(base, model)
    test = margin_test(sums, True, "max_loss", margin)
    assert test.p == pytest.approx(
        stats.t.sf(skewed_t(model - base, -margin, cautious(model - base, sums.n_changed)), len(base) - 1), rel=1e-9, abs=1e-14
    )
    assert test.probability_within == 1 - test.p


@given(changing_pairs, st.floats(0.001, 0.5), st.booleans())
def test_a_relative_margin_is_tested_per_user_in_the_same_way(pair, margin, higher_is_better):
    base, model = pair
    sums, sign = PairedSums.from_values(base, model), 1 if higher_is_better else -1
    test = margin_test(sums, higher_is_better, "max_loss", margin, relative=True)
    terms = sign * (model - (1 - sign * margin) * base)
    assert test.p == pytest.approx(stats.t.sf(skewed_t(terms, 0.0, cautious(terms, sums.n_changed)), len(base) - 1), rel=1e-7, abs=1e-13)


def test_a_loss_of_exactly_the_margin_by_all_users_is_inconclusive_if_one_more_user_may_lose_all():
    base = np.linspace(0.1, 1, 50)
    assert margin_test(PairedSums.from_values(base, base - 0.1), True, "max_loss", 0.1, values=SHARES).outcome == "inconclusive"
    # the highest bound is 0.1 + 3.0 · 0.9/51 = 0.153, the lowest one 0.1 - 3.0 · 1.1/51 = 0.035
    assert margin_test(PairedSums.from_values(base, base - 0.1), True, "max_loss", 0.154, values=SHARES).outcome == "pass"
    assert margin_test(PairedSums.from_values(base, base - 0.1), True, "max_loss", 0.035, values=SHARES).outcome == "fail"


def test_identical_values_prove_nothing_that_one_more_user_could_refute():
    sums = PairedSums.from_values(BASE, BASE)
    for kind, margin in (("max_loss", 0.0), ("min_gain", 0.0), ("max_loss", 0.007), ("min_gain", 0.007)):
        assert margin_test(sums, True, kind, margin, values=SHARES).outcome == "inconclusive"
    # of 400 users none changed: -ln(0.05)/401 = 0.00747 of all may lose 1
    assert margin_test(sums, True, "max_loss", 0.0075, values=SHARES).outcome == "pass"
    assert margin_test(sums, True, "min_gain", 0.0075, values=SHARES).outcome == "fail"


def test_the_remark_on_a_thousand_identical_users_has_the_needed_number_of_users():
    base = np.repeat([1.0, 0.0], [50, 950])
    test = margin_test(PairedSums.from_values(base, base), True, "max_loss", 0.02, relative=True, values=SHARES)
    assert (test.outcome, test.n_changed, test.users_needed) == ("inconclusive", 0, 2995)  # -ln(0.05)/(0.02·0.05) = 2995.7, less 1
    assert remark(test, "HitRate@10") == (
        "none of 1,000 users changed; so at most 0.3 % of all users change (95 % bound), and HitRate@10 loses at most 6.0 %; "
        "2 % needs about 2,995 users"
    )
    assert test.low == pytest.approx(-0.0596, abs=1e-4)
    assert margin_test(PairedSums.from_values(base, base), True, "max_loss", 0.0597, relative=True, values=SHARES).outcome == "pass"


@pytest.mark.each_once
@pytest.mark.parametrize("values", [None, SHARES])
@pytest.mark.parametrize(("kind", "relative"), [("max_loss", False), ("max_loss", True), ("min_gain", False), ("min_gain", True)])
def test_a_margin_fails_if_shown_beyond_or_if_worse_and_beyond_by_its_value_or_by_its_value_alone(kind, relative, values):
    for mean in np.linspace(-0.06, 0.06, 49):
        tests = [margin_test(paired(mean), True, kind, 0.02, relative, values=values, fail=fail) for fail in get_args(Failing)]
        one = tests[0]
        assert {test.failed_by for test in tests} == {one.failed_by}
        assert (one.failed_by is None) == one.meets
        assert kind == "min_gain" or (one.high < 0) == (one.p_fail < 0.05)
        worse, beyond, value = (test.outcome == "fail" for test in tests)
        assert (worse, value) == (beyond or (not one.meets and one.high < 0), not one.meets)
        assert len({test.outcome for test in tests if test.outcome != "fail"}) <= 1


def test_failures_are_corrected_together_and_say_so():
    small, large = (margin_test(paired(mean), True, "max_loss", 0.005) for mean in (-0.0105, -0.05))
    assert (small.outcome, small.p_fail) == ("fail", pytest.approx(0.018, abs=0.001))
    assert [test.outcome for test in correct_failures([small])] == ["fail"]
    tests = correct_failures([small, large, limit_test("min", 0.9, 0.5, 0.1, 400), small])
    assert [test.outcome for test in tests] == ["fail", "fail", "fail", "fail"]
    tests = correct_failures([small, large, small, small])
    assert [test.outcome for test in tests] == ["inconclusive", "fail", "inconclusive", "inconclusive"]
    assert tests[0].p_fail_adjusted == pytest.approx(3 * small.p_fail)
    assert remark(tests[0]) == "a loss is shown by this rule alone, but not after the correction for 4 margins (Holm)"
    by_value = margin_test(paired(-0.0105), True, "max_loss", 0.005, fail="value")
    assert [test.outcome for test in correct_failures([by_value] * 4)] == ["fail"] * 4


def test_a_loss_exceeds_its_limit_in_words_only_if_the_corrected_test_shows_it():
    alone, clear = (margin_test(paired(mean), True, "max_loss", 0.01) for mean in (-0.0203, -0.05))
    assert (alone.failed_by, alone.p_beyond) == ("shown_beyond", pytest.approx(0.02, abs=0.002))
    assert remark(correct_failures([alone])[0]) == "loss exceeds the limit of 0.01"
    tests = correct_failures([alone, clear, alone, alone])
    assert [(test.outcome, test.failed_by) for test in tests] == [
        ("fail", failed_by) for failed_by in ("shown_worse", "shown_beyond", "shown_worse", "shown_worse")
    ]
    assert remark(tests[0]) == "a loss is shown, and its value is above the limit of 0.01"
    assert remark(tests[1]) == "loss exceeds the limit of 0.01"
    by_value = margin_test(paired(-0.0105), True, "max_loss", 0.005, fail="value")
    assert [test.failed_by for test in correct_failures([by_value] * 4)] == ["value"] * 4


def test_an_inconclusive_rule_names_the_claim_that_the_correction_leaves_open():
    beyond = margin_test(paired(-0.0203), True, "max_loss", 0.01, fail="shown_beyond")
    gain = margin_test(paired(0.0097), True, "min_gain", 0.02)
    for test, claim in ((beyond, "a loss above the limit of 0.01 is shown"), (gain, "a gain below the limit of 0.02 is shown")):
        assert test.outcome == "fail"
        one = correct_failures([test] * 4)[0]
        assert remark(one) == f"{claim} by this rule alone, but not after the correction for 4 margins (Holm)"


def test_the_reason_of_a_failure_says_what_is_shown():
    why = [remark(margin_test(paired(mean), True, "max_loss", 0.01, fail="value")) for mean in (-0.03, -0.015)]
    assert why == ["loss exceeds the limit of 0.01", "a loss is shown, and its value is above the limit of 0.01"]
    rough = margin_test(PairedSums.from_values(BASE[:40], BASE[:40] + spread(-0.015, 0.1)[:40]), True, "max_loss", 0.01, fail="value")
    assert (rough.outcome, rough.failed_by) == ("fail", "value")
    assert remark(rough) == "only the value is beyond the limit of 0.01, no loss is shown (fail: value)"


def test_few_users_without_any_spread_prove_nothing():
    few = PairedSums.from_values(BASE[:9], BASE[:9])
    for values in (None, SHARES):
        assert margin_test(few, True, "max_loss", 0.01, values=values).outcome == "inconclusive"
        assert margin_test(few, True, "max_loss", 0.01, relative=True, values=values).outcome == "inconclusive"


def test_one_user_is_inconclusive_and_no_users_cannot_be_judged():
    one = margin_test(PairedSums.from_values([0.5], [0.4]), True, "max_loss", 0.05, values=SHARES)
    nobody = margin_test(PairedSums.zeros(), True, "max_loss", 0.05, relative=True, values=SHARES)
    assert (one.outcome, one.low, remark(one)) == ("inconclusive", None, "too few users for an interval")
    assert (nobody.outcome, remark(nobody)) == (None, "no value to judge")


def test_a_base_value_of_zero_has_an_outcome_but_no_shares():
    test = margin_test(
        PairedSums.from_values(np.zeros(400), np.abs(spread(0.1, 0.05))), True, "max_loss", 0.02, relative=True, values=SHARES
    )
    assert (test.outcome, test.difference, test.low, test.detectable) == ("pass", None, None, None)


def test_a_share_of_a_negative_base_value_is_a_share_of_its_size():
    worse = margin_test(PairedSums.from_values(-BASE, -BASE + spread(-0.02, 0.01)), True, "max_loss", 0.02, relative=True)
    within = margin_test(PairedSums.from_values(-BASE, -BASE + spread(-0.005, 0.01)), True, "max_loss", 0.02, relative=True)
    assert (worse.outcome, within.outcome) == ("fail", "pass")


def test_gains_are_superiority_tests():
    outcomes = [margin_test(paired(mean), True, "min_gain", 0.01).outcome for mean in (0.03, 0.015, 0.005, -0.02)]
    assert outcomes == ["pass", "inconclusive", "inconclusive", "fail"]


def test_several_gains_are_corrected_together_and_losses_are_not():
    gain, loss = (margin_test(paired(mean), True, kind, 0.0) for mean, kind in ((0.0102, "min_gain"), (0.0102, "max_loss")))
    assert gain.outcome == loss.outcome == "pass"
    assert [test.outcome for test in correct_gains([gain])] == ["pass"]
    tests = correct_gains([gain, loss, gain, gain])
    assert [test.outcome for test in tests] == ["inconclusive", "pass", "inconclusive", "inconclusive"]
    assert (tests[0].p_adjusted, tests[1].p_adjusted) == (pytest.approx(3 * gain.p), None)


def test_a_limit_is_judged_by_the_value_and_reports_bounds():
    test = limit_test("min", 0.25, 0.2616, 0.275, 350)
    assert (test.outcome, test.by_value, remark(test)) == ("pass", True, "judged by the value")
    assert test.low == pytest.approx(0.2616 - stats.t.ppf(0.95, 349) * 0.275 / math.sqrt(350))
    assert limit_test("min", 0.25, 0.2499, 0.275, 350).outcome == "fail"
    assert limit_test("max", 0.95, 0.95, None, 350).outcome == "pass"
    assert limit_test("max", 0.95, 0.9501, 0.1, 350).outcome == "fail"
    assert limit_test("min", 0.25, None, None, 0).outcome is None


def test_values_of_whole_models_are_judged_by_the_value():
    whole = Estimate(0, 0.5, 0.49, -0.01)
    tests = [
        estimate_test(whole, True, "max_loss", limit, relative=relative)
        for limit, relative in ((0.02, False), (0.001, False), (0.03, True))
    ]
    assert [test.outcome for test in tests] == ["pass", "fail", "pass"]
    assert remark(tests[0]) == "no value per user: judged by the value"


@pytest.mark.parametrize("values", [None, SHARES])
def test_a_margin_test_on_an_estimate_equals_that_on_its_sums(values):
    sums = paired(-0.005)
    of_sums = margin_test(sums, True, "max_loss", 0.01, values=values)
    assert estimate_test(paired_estimate(sums, 0.05), True, "max_loss", 0.01, values=values) == of_sums


@pytest.mark.parametrize("limit", [math.nan, math.inf, -0.01])
def test_an_impossible_limit_is_refused(limit):
    with pytest.raises(ConfigError):
        margin_test(paired(0.0), True, "max_loss", limit, relative=True)
    with pytest.raises(ConfigError):
        estimate_test(Estimate(0, 1.0, 1.0, 0.0), True, "max_loss", limit)


def test_a_limit_that_is_not_a_number_is_refused():
    with pytest.raises(ConfigError, match="the limit of a rule must be a number, not nan"):
        limit_test("min", math.nan, 0.5, 0.1, 100)


EXAMPLE = GateTest("max_loss", 0.02, True, 350, 0.2666, 0.2616, -0.0188, -0.0533, 0.0157, 0.95, "inconclusive", True, p=0.44,
                   detectable=0.05157, users_needed=2_328)  # fmt: skip


def test_the_words_of_a_gate():
    assert rule_text("Recall@20", EXAMPLE) == "Recall@20 loses at most 2 %"
    assert observed_text(EXAMPLE) == "−1.9 %, at worst −5.3 %"
    assert remark(EXAMPLE) == "to plan: 350 users are enough for a limit of 5.2 % (80 % power); 2 % needs about 2,328 users"
    assert gate_sentence(SUBJECT, EXAMPLE) == (
        "“nDCG@10 of today loses at most 2 % against main” is inconclusive: −1.9 %, at worst −5.3 %; "
        "to plan: 350 users are enough for a limit of 5.2 % (80 % power); 2 % needs about 2,328 users."
    )
    failed = replace(EXAMPLE, difference=-0.053, low=-0.085, high=-0.021, outcome="fail", meets=False)
    assert (observed_text(failed), remark(failed)) == ("−5.3 %, at best −2.1 %", "loss exceeds the limit of 2 %")
    limit = limit_test("min", 0.25, 0.2616, None, 350)
    assert (rule_text("Recall@20", limit), observed_text(limit)) == ("Recall@20 ≥ 0.25", "0.2616")


def test_the_words_of_an_inconclusive_rule():
    alone = replace(EXAMPLE, n_users=1, detectable=2.15, users_needed=None)
    assert remark(alone) == "to plan: 1 user is too few for any limit (80 % power)"
    assert remark(replace(EXAMPLE, detectable=0.015, users_needed=None)) == "the true loss may be below or above 2 %"
    beyond = replace(EXAMPLE, difference=-0.045, low=-0.07, high=-0.019, meets=False)
    assert remark(beyond) == "the true loss may still be below 2 %; 2 % needs about 2,328 users"
    assert remark(replace(EXAMPLE, kind="min_gain")) == "a gain of 2 % is possible but not shown"
    assert remark(replace(EXAMPLE, kind="min_gain", limit=0.0)) == "a gain is possible but not shown"
    assert remark(replace(EXAMPLE, kind="min_gain", outcome="fail")) == "gain is below the limit of 2 %"


def test_the_needed_number_of_users_passes_in_80_percent_of_draws():
    few = margin_test(paired(0.0), True, "max_loss", 0.005, values=SHARES)
    n = few.users_needed
    rng = np.random.default_rng(1)
    passed = [
        margin_test(
            PairedSums.from_values(np.full(n, 0.5), 0.5 + 0.1 * rng.standard_normal(n)), True, "max_loss", 0.005, values=SHARES
        ).outcome
        == "pass"
        for _ in range(300)
    ]
    assert np.mean(passed) == pytest.approx(0.8, abs=0.06)


def test_a_loss_has_enough_digits_to_show_that_it_exceeds_the_limit():
    missed = replace(EXAMPLE, difference=-0.020004, high=-0.003, outcome="fail", meets=False)
    assert observed_text(missed).startswith("−2.0004 %")
    assert observed_text(replace(EXAMPLE, difference=3.5917, low=2.21)) == "+359 %, at worst +221 %"
    assert observed_text(replace(missed, difference=-1.0, high=-0.99973)) == "−100 %, at best −100 %"


@given(pairs)
def test_a_relative_margin_of_0_equals_an_absolute_one(pair):
    sums = PairedSums.from_values(*pair)
    absolute, relative = (margin_test(sums, True, "max_loss", 0.0, relative=relative) for relative in (False, True))
    assert (absolute.outcome, absolute.p) == (relative.outcome, relative.p)
