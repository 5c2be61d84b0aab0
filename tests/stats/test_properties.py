"""Properties of differences for any values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from receval.stats.concluding import adjust, judge_family
from receval.stats.difference import TESTS, Settings, Subject
from receval.stats.gates import margin_test
from receval.stats.paired import PairedSums
from receval.stats.rare_changes import ValueRange
from receval.stats.two_models import compare_paired

from tests.sizes import draws
from tests.stats.compares import compare_sums
from tests.stats.draws import draw_pair, pairs

SUBJECT = Subject("nDCG@10", "base", "model")
SETTINGS = Settings()
MARGINS = st.floats(0.001, 0.5)
SHARES = ValueRange(0.0, 1.0)
RANGES = st.sampled_from([None, SHARES])
FEW_RESAMPLES = 199


@given(pairs, st.sampled_from([True, False, None]))
def test_swapping_the_models_flips_every_sign_and_nothing_else(pair, higher_is_better):
    subject = replace(SUBJECT, higher_is_better=higher_is_better)
    there, back = (compare_paired(subject, *sides, SETTINGS, 0.05) for sides in (pair, pair[::-1]))
    signs = ("difference", "statistic", "effect_size")
    assert [getattr(there, name) for name in signs] == [None if (x := getattr(back, name)) is None else -x for name in signs]
    assert (there.interval, there.bounds) == ((-back.high, -back.low), (-back.one_sided_high, -back.one_sided_low))
    assert (there.p, there.p_equivalent, there.sd, there.se) == (back.p, back.p_equivalent, back.sd, back.se)
    assert (there.up, there.down) == (back.down, back.up)
    opposite = {"better": "worse", "worse": "better"}
    one, other = (judge_family([difference], SETTINGS)[0].verdict for difference in (there, back))
    assert other == opposite.get(one, one)


@pytest.mark.parametrize("test", TESTS)
def test_the_order_of_users_changes_no_bit(test):
    base, model = draw_pair(1, 80)
    order = np.random.default_rng(0).permutation(80)
    chosen = Settings(test=test, resamples=FEW_RESAMPLES)
    assert compare_paired(SUBJECT, base, model, chosen) == compare_paired(SUBJECT, base[order], model[order], chosen)


@pytest.mark.parametrize("aggregate", ["mean", "sum", "median", "p90", "geometric"])
def test_the_order_of_users_changes_no_bit_of_the_comparison_of_an_aggregate(aggregate):
    base, model = draw_pair(2, 80)
    order, subject = np.random.default_rng(0).permutation(80), replace(SUBJECT, aggregate=aggregate)
    chosen = Settings(resamples=FEW_RESAMPLES)
    assert compare_paired(subject, base, model, chosen) == compare_paired(subject, base[order], model[order], chosen)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("aggregate", ["mean", "sum", "median", "p90", "geometric"])
def test_the_same_values_are_identical(test, aggregate):
    base, _ = draw_pair(3, 40)
    difference = compare_paired(replace(SUBJECT, aggregate=aggregate), base, base, Settings(test=test, resamples=FEW_RESAMPLES), 0.01)
    (judged,) = judge_family([difference], SETTINGS)
    assert (judged.verdict, judged.difference, judged.p, judged.interval) == ("identical", 0, 1, (0, 0))
    assert judged.sentence == "nDCG@10 of model and of base is identical for 40 users."


@given(pairs, st.sampled_from([2.0**-4, 2.0, 2.0**7]))
def test_another_unit_scales_the_difference_and_does_not_change_the_test(pair, factor):
    base, model = (np.round(side, 3) for side in pair)
    one, other = (compare_paired(SUBJECT, unit * base, unit * model, SETTINGS) for unit in (1.0, factor))
    assert (one.p, one.effect_size, one.relative) == (other.p, other.effect_size, other.relative)
    assert (factor * one.difference, factor * one.sd, factor * one.low) == (other.difference, other.sd, other.low)


@given(pairs, st.integers(1, 200))
def test_more_users_without_a_difference_do_not_change_the_sum_of_differences(pair, n_more):
    base, model = pair
    more = np.linspace(0, 1, n_more)
    few = compare_paired(SUBJECT, base, model, SETTINGS)
    many = compare_paired(SUBJECT, np.append(base, more), np.append(model, more), SETTINGS)
    assert many.difference * many.n_users == pytest.approx(few.difference * few.n_users, rel=1e-12)
    assert (many.up, many.down, many.same) == (few.up, few.down, few.same + n_more)


@given(pairs)
def test_sums_and_values_give_the_same_comparison(pair):
    pair = tuple(np.tile(side, 10) for side in pair)  # so that at least ten users change
    assert compare_sums(SUBJECT, PairedSums.from_values(*pair), SETTINGS, 0.01) == compare_paired(SUBJECT, *pair, SETTINGS, 0.01)


@given(st.lists(st.floats(0, 1), max_size=9), st.sampled_from(["holm", "bh", "by", "none"]))
def test_a_corrected_p_value_is_never_smaller_and_keeps_the_order(p_values, method):
    adjusted = adjust(p_values, method)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    in_order = [adjusted[i] for i in sorted(range(len(p_values)), key=p_values.__getitem__)]
    assert in_order == sorted(in_order)


@given(pairs, MARGINS, MARGINS)
def test_models_equivalent_within_a_margin_are_equivalent_within_a_larger_one(pair, one, other):
    small, large = (compare_paired(SUBJECT, *pair, SETTINGS, margin) for margin in sorted((one, other)))
    assert small.p_equivalent >= large.p_equivalent
    assert small.probability_equivalent <= large.probability_equivalent
    assert (small.p_equivalent <= 0.05) == (-small.margin <= small.one_sided_low <= small.one_sided_high <= small.margin)


@given(pairs, MARGINS, MARGINS, st.booleans(), st.booleans(), RANGES)
def test_a_gate_that_passes_passes_with_a_larger_margin(pair, one, other, relative, higher_is_better, values):
    rank = {"fail": 0, "inconclusive": 1, "pass": 2}
    sums = PairedSums.from_values(*pair)
    small, large = (
        margin_test(sums, higher_is_better, "max_loss", margin, relative, values=values).outcome for margin in sorted((one, other))
    )
    assert rank[small] <= rank[large]


@given(pairs, MARGINS, st.booleans(), st.booleans(), RANGES)
def test_a_gate_never_contradicts_the_observed_values(pair, margin, relative, higher_is_better, values):
    test = margin_test(PairedSums.from_values(*pair), higher_is_better, "max_loss", margin, relative, values=values)
    allowed = margin * test.base_value if relative else margin
    loss = (test.base_value - test.value) * (1 if higher_is_better else -1)
    assert test.outcome != ("pass" if loss > allowed else "fail") or abs(loss - allowed) < 1e-9


@given(pairs, MARGINS, st.booleans(), RANGES)
def test_the_bounds_of_a_relative_margin_are_where_the_test_changes(pair, margin, higher_is_better, values):
    worse, test = (
        margin_test(PairedSums.from_values(*pair), higher_is_better, "max_loss", margin, relative=True, values=values, fail=fail)
        for fail in ("shown_worse", "shown_beyond")
    )
    if test.low is not None and abs(test.low + margin) > 1e-9:
        assert (test.outcome == "pass") == (test.low >= -margin)
    if test.high is not None and abs(test.high + margin) > 1e-9:
        assert (test.outcome == "fail") == (test.high < -margin)
    if test.high is not None and abs(test.high) > 1e-9:
        assert (worse.outcome == "fail") == (not test.meets and test.high < 0)


@given(pairs, MARGINS, st.booleans(), st.booleans())
def test_one_more_user_who_may_lose_all_never_makes_a_gate_laxer(pair, margin, relative, higher_is_better):
    sums = PairedSums.from_values(*pair)
    plain, careful = (margin_test(sums, higher_is_better, "max_loss", margin, relative, values=values) for values in (None, SHARES))
    assert careful.outcome in (plain.outcome, "inconclusive")
    assert careful.p >= plain.p
    if plain.low is not None and careful.low is not None:
        assert careful.low <= plain.low
        assert careful.high is None or careful.high >= plain.high


@settings(max_examples=draws(10, 30))
@given(pairs, st.sampled_from(["bootstrap", "bootstrap-t"]), MARGINS)
def test_test_and_interval_of_the_bootstrap_agree(pair, test, margin):
    found = compare_paired(SUBJECT, *pair, Settings(test=test, resamples=999), margin)
    assert found.low <= found.one_sided_low <= found.one_sided_high <= found.high
    assume(found.test == test)  # fewer than ten changed users have another test
    assert (found.p <= 0.04) <= (found.low > 0 or found.high < 0)
    assert 0 < found.p <= 1


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("aggregate", ["mean", "sum", "geometric"])
def test_a_difference_names_its_test(test, aggregate):
    subject, chosen = replace(SUBJECT, aggregate=aggregate), Settings(test=test, resamples=FEW_RESAMPLES)
    found = compare_paired(subject, *draw_pair(4, 60), chosen)
    assert found.test == test
    assert found.low < found.difference < found.high


def test_a_sum_is_the_mean_times_the_users():
    mean, total = (compare_paired(replace(SUBJECT, aggregate=name), *draw_pair(5, 64), SETTINGS) for name in ("mean", "sum"))
    assert (total.difference, total.low, total.se, total.value) == (64 * mean.difference, 64 * mean.low, 64 * mean.se, 64 * mean.value)
    assert (total.p, total.relative_low) == (mean.p, mean.relative_low)


def test_a_median_has_a_note_that_it_ignores_clusters():
    subject, clusters = replace(SUBJECT, aggregate="median"), np.arange(60) // 2
    notes = compare_paired(subject, *draw_pair(6, 60), Settings(resamples=FEW_RESAMPLES), clusters=clusters).notes
    assert notes == ("The interval of the median ignores clusters: it resamples single users.",)


def test_users_of_one_cluster_have_no_interval():
    found = compare_paired(SUBJECT, *draw_pair(7, 60), SETTINGS, clusters=np.zeros(60, dtype=np.int64))
    assert (found.p, found.interval, found.notes) == (None, None, ("All users are in one cluster: there is no interval.",))
