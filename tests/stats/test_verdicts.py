"""Verdicts of differences and their sentences."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from receval.stats.concluding import decimals, judge_family, percent, plain, with_sign, without_verdict
from receval.stats.difference import Settings, Subject
from receval.stats.estimates import SKEWED, UNPAIRED, Summary
from receval.stats.rare_changes import ValueRange
from receval.stats.resampling import WARNING, affordable_resamples, fewer_resamples
from receval.stats.two_models import compare_paired
from receval.support import errors

from tests.stats.compares import compare_runs, compare_unpaired, compare_wholes

SETTINGS = Settings()
N = 400


def judged(d, *, higher_is_better=True, margin=None, settings=SETTINGS, family=1, base=0.5):
    """Return the verdict on users with differences `d`, in a family of equal differences."""
    d = np.asarray(d, dtype=np.float64)
    subject = Subject("nDCG@10", "main", "today", higher_is_better)
    difference = compare_paired(subject, np.full(len(d), base), base + d, settings, margin)
    return judge_family([difference] * family, settings)[0]


def spread(mean, sd, n=N):
    """Return `n` differences with exactly this mean and deviation, half of them on either side."""
    return mean + sd * math.sqrt((n - 1) / n) * np.tile([1.0, -1.0], n // 2)


CASES = {
    "better": (
        judged(spread(0.05, 0.1)),
        "today is better than main: nDCG@10 is higher by 0.0500 (95 % interval 0.0402 to 0.0598); higher for 200 of 400 users, lower "
        "for 200.",
    ),
    "worse": (
        judged(spread(-0.02, 0.1)),
        "today is worse than main: nDCG@10 is lower by 0.0200 (95 % interval 0.0102 to 0.0298); "
        "lower for 200 of 400 users, higher for 200.",
    ),
    "lower is better": (
        judged(np.append(spread(-0.02, 0.1), np.zeros(100)), higher_is_better=False),
        "today is better than main: nDCG@10 is lower by 0.0160 (95 % interval 0.0081 to 0.0239); "
        "lower for 200 of 500 users, higher for 200.",
    ),
    "equivalent, and not 0": (
        judged(spread(0.0012, 0.004), margin=0.005),
        "nDCG@10 of today and of main is equivalent within 0.005: the difference is between +0.00087 and +0.00153 (90 % interval); it "
        "is not 0, but smaller than the margin.",
    ),
    "equivalent": (
        judged(spread(0.0005, 0.03), margin=0.005),
        "nDCG@10 of today and of main is equivalent within 0.005: the difference is between −0.0020 and +0.0030 (90 % interval).",
    ),
    "inconclusive": (
        judged(spread(-0.005, 0.1)),
        "No clear difference between main and today in nDCG@10: the difference is between −0.0148 and +0.0048 (95 % interval). "
        "400 users can detect 0.0140 with 80 % power.",
    ),
    "inconclusive, no direction": (
        judged(spread(-0.005, 0.1), higher_is_better=None),
        "No clear difference between main and today in nDCG@10: the difference is between −0.0148 and +0.0048 (95 % interval). "
        "400 users can detect 0.0140 with 80 % power.",
    ),
    "none, no direction": (
        judged(spread(0.05, 0.1), higher_is_better=None),
        "nDCG@10 of today is higher than that of main by 0.0500 (95 % interval 0.0402 to 0.0598); higher for 200 of 400 users, lower "
        "for 200; the measure has no better direction.",
    ),
    "inconclusive, few changed, all for the better": (
        judged(np.append(np.full(9, 0.1), np.zeros(391))),
        "No clear difference between main and today in nDCG@10: 9 of 400 users changed, all for the better: too few for a verdict "
        "(exact p 0.004).",
    ),
    "inconclusive, few changed": (
        judged(np.concatenate([np.full(4, 0.1), np.full(1, -0.1), np.zeros(395)])),
        "No clear difference between main and today in nDCG@10: 5 of 400 users changed, 4 for the better and 1 for the worse: "
        "too few for a verdict (exact p 0.375).",
    ),
    "none, one user": (
        judged([0.25]),
        "nDCG@10 of today is higher than that of main by 0.25, for one user only: this says nothing about other users.",
    ),
    "none, nobody": (judged([]), "nDCG@10 of today and of main cannot be compared: no user has a value for both."),
    "identical": (judged(np.zeros(N)), "nDCG@10 of today and of main is identical for 400 users."),
}


@pytest.mark.parametrize("case", CASES)
def test_each_verdict_has_its_sentence(case):
    difference, sentence = CASES[case]
    assert difference.verdict == {"none": None, "lower is better": "better"}.get(case.split(",")[0], case.split(",")[0])
    assert difference.sentence == sentence


@pytest.mark.parametrize("case", CASES)
def test_no_sentence_claims_too_much(case):
    assert not re.search("significan|no difference|probab|nan|None", CASES[case][0].sentence)


def test_a_difference_that_is_the_same_for_all_users_is_judged_by_its_sign_with_a_note():
    difference = judged(np.full(50, -0.02))
    assert (difference.verdict, difference.p, difference.statistic) == ("worse", 2.0**-49, None)
    assert difference.low == difference.high == difference.difference
    assert difference.sentence == "today is worse than main: nDCG@10 is lower by 0.02; lower for all 50 users."
    assert "the same for every user" in difference.notes[0]


def test_two_users_with_the_same_difference_prove_nothing():
    difference = judged(np.full(2, -0.02))
    assert (difference.verdict, difference.p, difference.test) == ("inconclusive", 0.5, "permutation")
    assert "Only 2 of 2 users changed: p is exact (all combinations of signs), the interval is approximate." in difference.notes


def test_differences_that_are_rounding_are_identical():
    assert judged(np.full(50, 1e-14)).verdict == "identical"


def test_skewed_differences_need_355_times_their_squared_skewness_of_users():
    # A share p of hits has the skewness (1 - 2p)/√(p(1 - p)): 4.13 at one in twenty, so that 355 · 4.13² = 6,054 users are enough.
    few, many = (judged(np.tile(np.append(1.0, np.zeros(19)), n)) for n in (302, 303))
    assert few.notes == (SKEWED,)
    assert many.notes == judged(np.append(spread(0.0, 0.1, 98), np.zeros(302))).notes == ()


@pytest.mark.parametrize("test", ["t", "bootstrap", "bootstrap-t", "wilcoxon", "permutation"])
def test_fewer_than_ten_changed_users_get_the_exact_test_of_signs_with_any_setting(test):
    # All nine signs are the same: 2 of 2⁹ combinations are as far from 0.
    found = compare_paired(Subject("HitRate@10", "a", "b"), np.zeros(500), np.append(np.ones(9), np.zeros(491)), Settings(test=test))
    assert (found.p, found.test) == (2 / 2**9, "permutation")


def rare(n_lost, values):
    """Return the verdict on 1,000 users of whom `n_lost` lose 0.1 and nobody gains."""
    d = np.append(np.full(n_lost, -0.1), np.zeros(1_000 - n_lost))
    pair = compare_paired(Subject("nDCG@10", "main", "today"), np.zeros(1_000), d, Settings(), values=values)
    return judge_family([pair], Settings())[0]


def test_a_verdict_on_rare_changes_allows_for_one_large_change_that_was_not_drawn():
    # κ = 1 + (√20 · 0.1 / 1.002)² = 1.2: the difference is two tenths of a largest change, which 0.975 of such counts exceed by far.
    assert (rare(20, None).verdict, rare(20, ValueRange(0.0, 1.0)).verdict) == ("worse", "inconclusive")
    # With 100 changed users the t test decides.
    assert rare(100, ValueRange(0.0, 1.0)).verdict == "worse"


def test_the_t_test_decides_for_few_users_if_most_changed():
    d = spread(0.05, 0.1, 40)
    subject = Subject("nDCG@10", "main", "today")
    found = compare_paired(subject, np.full(40, 0.5), 0.5 + d, Settings(), values=ValueRange(0.0, 1.0))
    assert found.p == compare_paired(subject, np.full(40, 0.5), 0.5 + d, Settings()).p


def test_a_few_changed_users_do_not_prove_equivalence():
    assert judged(np.concatenate([[0.1, -0.1, 0.1], np.zeros(4997)]), margin=0.01).verdict == "inconclusive"


def test_a_larger_family_needs_a_larger_difference():
    alone, among = (judged(spread(0.0105, 0.1), family=family) for family in (1, 5))
    assert (alone.verdict, among.verdict) == ("better", "inconclusive")
    assert among.p_adjusted == pytest.approx(5 * alone.p)
    assert (among.family, among.low) == (5, alone.low)
    assert among.notes == ("The interval excludes 0, but the test finds no difference (the interval is not corrected for 5 comparisons).",)
    assert among.detectable > alone.detectable


def test_without_a_correction_the_detectable_difference_is_that_of_one_comparison():
    alone, among = (judged(spread(0.01, 0.1), family=family, settings=Settings(correction="none")) for family in (1, 5))
    assert among.detectable == alone.detectable


def test_a_difference_that_may_be_smaller_than_the_margin_has_a_note():
    difference = judged(spread(0.02, 0.1), margin=0.015)
    assert difference.verdict == "better"
    assert difference.notes == ("The difference may be smaller than the margin of 0.015.",)


def test_values_of_whole_models_have_only_a_difference():
    difference = compare_wholes(Subject("ItemCoverage@10", "main", "today"), 0.125, 0.15, SETTINGS)
    family = judge_family([difference, CASES["better"][0]], SETTINGS)
    assert (family[0].verdict, family[0].p, family[0].interval, family[0].relative) == (None, None, None, pytest.approx(0.2))
    assert family[0].sentence == (
        "ItemCoverage@10 of today is higher than that of main by 0.025; there is no interval, so the error of this difference is unknown."
    )
    assert family[1].family == 1


def test_a_missing_value_of_a_whole_model_gives_no_difference():
    difference = compare_wholes(Subject("Gini", "main", "today"), None, 0.15, SETTINGS)
    assert difference.difference is None
    assert difference.sentence == "Gini of today and of main cannot be compared: one of the two has no value."


def test_unpaired_users_are_judged_with_a_note():
    sides = Summary(0.5, 0.2, 300), Summary(0.56, 0.2, 500)
    (difference,) = judge_family([compare_unpaired(Subject("nDCG@10", "main", "today"), *sides, SETTINGS)], SETTINGS)
    assert (difference.verdict, difference.test, difference.up, difference.notes) == ("better", "welch", None, (UNPAIRED,))
    assert difference.sentence == "today is better than main: nDCG@10 is higher by 0.060 (95 % interval 0.031 to 0.089)."
    unknown = compare_unpaired(Subject("nDCG@10", "main", "today"), Summary(0.5, None, 300), Summary(0.56, 0.2, 500), SETTINGS)
    assert (unknown.p, judge_family([unknown], SETTINGS)[0].verdict) == (None, None)


def test_users_with_a_value_on_one_side_have_a_note():
    base, model = np.full(50, 0.5), np.full(50, 0.5) + spread(0.1, 0.1, 50)
    base[:3] = math.nan
    difference = compare_paired(Subject("nDCG@10", "main", "today"), base, model, SETTINGS)
    assert (difference.n_users, difference.n_unpaired) == (47, 3)
    assert difference.notes == ("3 users have a value for only one of the two and are left out.",)


def test_a_group_is_part_of_the_sentence():
    subject = Subject("nDCG@10", "main", "today", by="users.plan", group="free")
    difference = compare_paired(subject, np.zeros(50), np.zeros(50), SETTINGS)
    assert judge_family([difference], SETTINGS)[0].sentence == "nDCG@10 of users.plan free of today and of main is identical for 50 users."


def test_differences_outside_of_the_family_have_no_verdict():
    difference = compare_paired(Subject("nDCG@10", "main", "today"), np.zeros(N), spread(0.05, 0.1), SETTINGS)
    shown = without_verdict(difference)
    assert (shown.verdict, shown.p_adjusted, shown.family) == (None, None, None)
    assert shown.sentence.startswith("nDCG@10 of today is higher than that of main by 0.0500")


def test_the_rank_test_has_a_warning_above_a_thousand_users():
    few, many = (judged(spread(0.05, 0.1, n), settings=Settings(test="wilcoxon")) for n in (1_000, 1_002))
    assert WARNING not in few.notes
    assert WARNING in many.notes


def test_the_notes_have_the_number_of_runs():
    values = [np.linspace(0, 1, 40) + shift for shift in (0, 0.01, 0.02)]
    cases = {
        "One run per model:": (values[:1], values[1:2]),
        "One of the models has only one run: the": (values[:1], values),
        "3 runs per model": (values, values),
        "": (values * 2, values * 2),
    }
    for start, (base, model) in cases.items():
        notes = " ".join(compare_runs(Subject("nDCG@10", "a", "b"), base, model, SETTINGS).notes)
        assert notes.startswith(start)
        assert bool(notes) == bool(start)


def test_one_run_of_each_model_is_the_paired_test():
    base, model = np.linspace(0, 1, 50), np.linspace(0, 1, 50) + spread(0.1, 0.1, 50)
    runs = compare_runs(Subject("nDCG@10", "a", "b"), [base], [model], SETTINGS)
    paired = compare_paired(Subject("nDCG@10", "a", "b"), base, model, SETTINGS)
    assert (runs.difference, runs.se, runs.p) == pytest.approx((paired.difference, paired.se, paired.p), rel=1e-12)


@pytest.mark.parametrize(
    "wrong", [{"test": "sign"}, {"correction": "tukey"}, {"alpha": 0.0}, {"alpha": math.nan}, {"resamples": 10}, {"seed": -1}]
)
def test_impossible_settings_are_refused_in_one_sentence(wrong):
    with pytest.raises(errors.ConfigError) as refused:
        Settings(**wrong)
    assert len(refused.value.problems) == 1


@pytest.mark.parametrize("margin", [0.0, -0.1, math.nan, math.inf])
def test_an_impossible_margin_is_refused(margin):
    with pytest.raises(errors.ConfigError, match="a margin must be above 0,"):
        judged(spread(0.1, 0.1), margin=margin)


def test_numbers_have_only_certain_digits():
    assert [decimals(width) for width in (0.0167, 0.0079, 0.01, 3.2, 47, None, 0.0)] == [3, 4, 3, 1, 0, None, None]
    assert [plain(0.0768, 3), plain(-0.0004, 3), plain(12345.6, 0), plain(-0.25)] == ["0.077", "0.000", "12,346", "−0.25"]
    assert [with_sign(0.004, 3), with_sign(-0.004, 3), with_sign(0.0, 2)] == ["+0.004", "−0.004", "0.00"]
    assert [percent(0.95), percent(2 * 0.95 - 1), percent(-0.053)] == ["95 %", "90 %", "−5.3 %"]


def test_the_json_form_has_every_field_of_a_comparison():
    wanted = """measure k aggregate base model n_users n_changed base_value value difference relative low high level sd statistic df p
        p_adjusted family correction test effect_size up same down margin p_equivalent
        probability_equivalent detectable verdict sentence notes"""
    assert set(wanted.split()) <= CASES["better"][0].cells().keys()


def test_many_users_get_fewer_resamples_with_a_note():
    few = Settings(resamples=199)
    assert [affordable_resamples(n, SETTINGS) for n in (0, 20_000, 100_000, 10_000_000)] == [9_999, 9_999, 2_000, 999]
    assert affordable_resamples(10_000_000, few) == 199
    assert fewer_resamples(100_000, SETTINGS) == ("2,000 resamples instead of 9,999, because more would take too long.",)
    assert fewer_resamples(100, SETTINGS) == ()
