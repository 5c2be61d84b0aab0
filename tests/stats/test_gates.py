"""Margins and limits: what is shown, likely, unlikely, refuted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from receval.errors import ConfigError
from receval.stats.estimates import Estimate, paired_estimate
from receval.stats.gate_sentences import can_show, gate_sentence, observed_text, remark, rule_text
from receval.stats.gates import GateTest, corrected_gains, estimate_test, limit_test, margin_test
from receval.stats.paired import PairedSums
from receval.stats.power import users_for_margin
from receval.stats.records import Subject
from scipy import stats

from tests.stats.draws import changing_pairs, pairs, skewed_t
from tests.stats.test_verdicts import spread

SUBJECT = Subject("nDCG@10", "main", "today")
BASE = np.full(400, 0.5)


def paired(mean, sd=0.1):
    return PairedSums.of(BASE, BASE + spread(mean, sd))


STATES = {"shown": (0.0, "pass"), "likely": (-0.005, "warn"), "unlikely": (-0.015, "fail"), "refuted": (-0.03, "fail")}
"""By the state of a loss of at most 0.01 the mean difference; its bounds are ±0.0082 from there."""


@pytest.mark.parametrize("state", STATES)
def test_a_margin_is_judged_by_its_bounds(state):
    mean, outcome = STATES[state]
    test = margin_test(paired(mean), True, "max_loss", 0.01)
    assert (test.state, test.outcome()) == (state, outcome)
    assert (test.low, test.high) == pytest.approx((mean - 0.00824, mean + 0.00824), abs=1e-5)


@pytest.mark.parametrize("state", STATES)
def test_a_measure_of_which_less_is_better_is_judged_as_its_mirror_image(state):
    mean, outcome = STATES[state]
    test, mirrored = margin_test(paired(mean), True, "max_loss", 0.01), margin_test(paired(-mean), False, "max_loss", 0.01)
    assert (mirrored.state, mirrored.outcome()) == (state, outcome)
    assert (mirrored.difference, mirrored.low, mirrored.high, mirrored.p) == pytest.approx((test.difference, test.low, test.high, test.p))


def test_what_is_likely_passes_warns_or_fails_as_set():
    test = margin_test(paired(-0.005), True, "max_loss", 0.01)
    assert [test.outcome(unproven) for unproven in ("pass", "warn", "fail")] == ["pass", "warn", "fail"]


@given(changing_pairs, st.floats(0.001, 0.5))
def test_an_absolute_margin_is_tested_by_the_t_that_is_corrected_for_skewness(pair, margin):
    base, model = pair
    sums = PairedSums.of(base, model)
    test = margin_test(sums, True, "max_loss", margin)
    assert test.p == pytest.approx(stats.t.sf(skewed_t(model - base, -margin, int(sums.is_sparse)), len(base) - 1), rel=1e-9, abs=1e-14)
    assert test.probability_within == 1 - test.p


@given(changing_pairs, st.floats(0.001, 0.5), st.booleans())
def test_a_relative_margin_is_tested_per_user_in_the_same_way(pair, margin, higher_is_better):
    base, model = pair
    sums, sign = PairedSums.of(base, model), 1 if higher_is_better else -1
    test = margin_test(sums, higher_is_better, "max_loss", margin, relative=True)
    terms = sign * (model - (1 - sign * margin) * base)
    assert test.p == pytest.approx(stats.t.sf(skewed_t(terms, 0.0, int(sums.is_sparse)), len(base) - 1), rel=1e-7, abs=1e-13)


def test_a_loss_of_exactly_the_margin_by_all_users_is_within_it():
    base = np.linspace(0.1, 1, 50)
    assert margin_test(PairedSums.of(base, 0.98 * base), True, "max_loss", 0.02, relative=True).state == "shown"
    assert margin_test(PairedSums.of(base, base - 0.1), True, "max_loss", 0.1).state == "shown"
    assert margin_test(PairedSums.of(base, base - 0.1), True, "max_loss", 0.0999).state == "refuted"


def test_no_loss_is_shown_of_identical_values_and_no_gain():
    sums = PairedSums.of(BASE, BASE)
    assert margin_test(sums, True, "max_loss", 0.0).state == "shown"
    assert margin_test(sums, True, "min_gain", 0.0).state == "refuted"
    assert margin_test(sums, True, "min_gain", 0.0, relative=True).state == "refuted"


def test_few_users_without_any_spread_prove_nothing():
    few = PairedSums.of(BASE[:9], BASE[:9])
    assert margin_test(few, True, "max_loss", 0.01).state == "likely"
    assert margin_test(few, True, "max_loss", 0.01, relative=True).state == "likely"


def test_one_user_shows_nothing_and_nobody_has_nothing_to_judge():
    one = margin_test(PairedSums.of([0.5], [0.4]), True, "max_loss", 0.05)
    nobody = margin_test(PairedSums.zeros(), True, "max_loss", 0.05, relative=True)
    assert (one.state, one.outcome(), one.low) == ("unlikely", "fail", None)
    assert (nobody.state, nobody.outcome(), remark(nobody)) == (None, None, "no value to judge")


def test_a_base_value_of_zero_has_no_shares_but_a_state():
    test = margin_test(PairedSums.of(np.zeros(400), np.abs(spread(0.1, 0.05))), True, "max_loss", 0.02, relative=True)
    assert (test.state, test.difference, test.low, test.detectable) == ("shown", None, None, None)


def test_a_share_of_a_negative_base_value_is_a_share_of_its_size():
    worse = margin_test(PairedSums.of(-BASE, -BASE + spread(-0.02, 0.01)), True, "max_loss", 0.02, relative=True)
    within = margin_test(PairedSums.of(-BASE, -BASE + spread(-0.005, 0.01)), True, "max_loss", 0.02, relative=True)
    assert (worse.state, within.state) == ("refuted", "shown")


def test_gains_are_superiority_tests():
    states = [margin_test(paired(mean), True, "min_gain", 0.01).state for mean in (0.03, 0.015, 0.005, -0.02)]
    assert states == ["shown", "likely", "unlikely", "refuted"]


def test_several_gains_are_corrected_together_and_losses_are_not():
    gain, loss = (margin_test(paired(mean), True, kind, 0.0) for mean, kind in ((0.0102, "min_gain"), (0.0102, "max_loss")))
    assert gain.state == loss.state == "shown"
    assert [test.state for test in corrected_gains([gain])] == ["shown"]
    first, second, third, fourth = corrected_gains([gain, loss, gain, gain])
    assert (first.state, second.state, third.state, fourth.state) == ("likely", "shown", "likely", "likely")
    assert (first.p_adjusted, second.p_adjusted) == (pytest.approx(3 * gain.p), None)


def test_a_limit_is_judged_by_its_value_with_bounds_beside_it():
    test = limit_test("min", 0.25, 0.2616, 0.275, 350)
    assert (test.state, test.outcome()) == ("likely", "pass")
    assert test.low == pytest.approx(0.2616 - stats.t.ppf(0.95, 349) * 0.275 / math.sqrt(350))
    assert limit_test("min", 0.25, 0.2499, 0.275, 350).outcome() == "fail"
    assert limit_test("max", 0.95, 0.95, None, 350).outcome() == "pass"
    assert limit_test("max", 0.95, 0.9501, 0.1, 350).state == "unlikely"
    assert limit_test("min", 0.25, None, None, 0).outcome() is None


def test_values_of_whole_models_are_judged_by_the_value():
    whole = Estimate(0, 0.5, 0.49, -0.01)
    tests = [
        estimate_test(whole, True, "max_loss", limit, relative=relative)
        for limit, relative in ((0.02, False), (0.001, False), (0.03, True))
    ]
    assert [test.outcome() for test in tests] == ["pass", "fail", "pass"]
    assert remark(tests[0]) == "no value per user: judged by the value"


def test_a_margin_on_an_estimate_is_that_on_its_sums():
    sums = paired(-0.005)
    assert estimate_test(paired_estimate(sums, 0.05), True, "max_loss", 0.01) == margin_test(sums, True, "max_loss", 0.01)


@pytest.mark.parametrize("limit", [math.nan, math.inf, -0.01])
def test_an_impossible_limit_is_refused(limit):
    with pytest.raises(ConfigError):
        margin_test(paired(0.0), True, "max_loss", limit, relative=True)
    with pytest.raises(ConfigError):
        estimate_test(Estimate(0, 1.0, 1.0, 0.0), True, "max_loss", limit)


def test_a_limit_that_is_no_number_is_refused():
    with pytest.raises(ConfigError, match="the limit of a rule is a number, not nan"):
        limit_test("min", math.nan, 0.5, 0.1, 100)


EXAMPLE = GateTest("max_loss", 0.02, True, 350, 0.2666, 0.2616, -0.0188, -0.0533, 0.0157, 0.95, "likely", True, p=0.44, detectable=0.05157)


def test_a_gate_is_told_in_words():
    assert rule_text("Recall@20", EXAMPLE) == "Recall@20 loses at most 2 %"
    assert observed_text(EXAMPLE) == "−1.9 %, at worst −5.3 %"
    assert remark(EXAMPLE) == "likely, not shown: 350 users can show 5.2 %"
    assert gate_sentence(SUBJECT, EXAMPLE) == (
        "“nDCG@10 of today loses at most 2 % against main” is not shown: "
        "−1.9 %, at worst −5.3 % (likely, not shown: 350 users can show 5.2 %)."
    )
    refuted = replace(EXAMPLE, difference=-0.053, low=-0.085, high=-0.021, state="refuted", meets=False)
    assert (observed_text(refuted), remark(refuted)) == ("−5.3 %, at best −2.1 %", "worse by more than that")
    limit = limit_test("min", 0.25, 0.2616, None, 350)
    assert (rule_text("Recall@20", limit), observed_text(limit)) == ("Recall@20 ≥ 0.25", "0.2616")


def test_what_so_many_users_can_show_and_how_many_it_takes():
    assert can_show("Recall@20", EXAMPLE) == "350 users can show a margin of 5.2 % in Recall@20 (80 %); 2 % takes 2,328."
    assert users_for_margin(350, 5.157, 2) == EXAMPLE.users_needed == 2_328


def test_a_loss_is_printed_to_the_digit_that_shows_the_miss():
    missed = replace(EXAMPLE, difference=-0.020004, high=-0.003, state="refuted", meets=False)
    assert observed_text(missed).startswith("−2.0004 %")
    assert observed_text(replace(EXAMPLE, difference=3.5917, low=2.21)) == "+359 %, at worst +221 %"


@given(pairs)
def test_a_relative_margin_of_nothing_is_an_absolute_one(pair):
    sums = PairedSums.of(*pair)
    absolute, relative = (margin_test(sums, True, "max_loss", 0.0, relative=relative) for relative in (False, True))
    assert (absolute.state, absolute.p) == (relative.state, relative.p)
