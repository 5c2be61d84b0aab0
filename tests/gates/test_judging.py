"""The judging of rules: outcomes for each model, measure and group."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import asdict
from receval.comparison.comparison_options import ComparisonOptions
from receval.comparison.model_pair import ModelPair
from receval.comparison.pairing import Side
from receval.gates.demands import Baseline
from receval.metrics.registry import bounds_of
from receval.results.gates import Gate, Verdicts, in_this_version
from receval.stats.difference import Settings
from receval.stats.two_models import compare_paired
from receval.support.errors import ConfigError, DataError

from tests.gates.small import gate, gates, result_of

BASE = [0.5] * 200 + [0.25] * 200


def lost(mean, spread):
    """Return values whose loss against BASE has this mean, and varies by `spread` up and down."""
    return list(np.array(BASE) - mean + np.tile([spread, -spread], 200))


@pytest.mark.parametrize(
    ("mean", "spread", "outcome", "consequence"),
    [(0.0, 0.01, "pass", "none"), (0.005, 0.1, "inconclusive", "warn"), (0.01, 0.1, "inconclusive", "warn"), (0.05, 0.01, "fail", "fail")],
)
def test_a_loss_is_judged_by_its_bounds(mean, spread, outcome, consequence):
    one = gate(BASE, lost(mean, spread), "nDCG@10 max_loss 3%")
    assert (one.outcome, one.consequence) == (outcome, consequence)
    assert one.paired
    assert one.n_users == 400


@pytest.mark.parametrize("inconclusive", ["warn", "fail"])
def test_an_inconclusive_gate_warns_or_fails_the_run_as_set_and_stays_inconclusive(inconclusive):
    one = gate(BASE, lost(0.005, 0.1), "nDCG@10 max_loss 2%", inconclusive=inconclusive)
    assert (one.outcome, one.consequence) == ("inconclusive", inconclusive)


@pytest.mark.parametrize(
    ("today", "rule", "outcome"),
    [(lost(0.05, 0.01), {"max_loss": 0.01}, "fail"), (BASE, {"min": 0.9}, "fail"), (lost(0.005, 0.1), {"max_loss": 0.01}, "inconclusive")],
)
def test_a_rule_of_severity_warn_fails_but_never_fails_the_run(today, rule, outcome):
    one = gate(BASE, today, {"measure": "nDCG@10", "severity": "warn", **rule}, inconclusive="fail")
    assert (one.outcome, one.consequence) == (outcome, "warn")
    assert not Verdicts((one,)).failed()
    assert Verdicts((one,)).failed(strict=True)


@pytest.mark.parametrize(("mean", "outcome"), [(-0.05, "fail"), (0.05, "pass")])
def test_a_lower_error_is_better(mean, outcome):
    assert gate(BASE, lost(mean, 0.01), "RMSE max_loss 0.01", metric="RMSE").outcome == outcome


@pytest.mark.parametrize(("rule", "outcome"), [("nDCG@10 >= 0.375", "pass"), ("nDCG >= 0.38", "fail"), ("ndcg@10 <= 0.38", "pass")])
def test_a_limit_is_judged_by_the_observed_value(rule, outcome):
    (one,) = gates(result_of({"home": BASE}), rule)
    assert (one.outcome, one.value, one.base) == (outcome, 0.375, None)
    assert (one.by_value, one.remark) == (True, "judged by the value")


def test_a_gain_must_be_significant_and_several_are_corrected_together():
    today = lost(-0.013, 0.1)
    alone = gate(BASE, today, "nDCG@10 min_gain 0")
    assert alone.outcome == "pass"
    result = result_of({"home": today, "other": lost(0.0, 0.1)})
    together = gates(result, "nDCG@10 min_gain 0", base=result_of({"home": BASE, "other": BASE}))
    assert together[0].p_adjusted == pytest.approx(2 * alone.p)
    assert together[0].outcome == "inconclusive"


def test_losses_are_not_corrected():
    today = result_of({"home": lost(0.0, 0.01), "other": lost(0.005, 0.1)})
    both = gates(today, "nDCG@10 max_loss 2%", base=result_of({"home": BASE, "other": BASE}))
    assert both[0].low == gate(BASE, lost(0.0, 0.01), "nDCG@10 max_loss 2%").low
    assert both[0].p_adjusted is None


def test_rules_that_only_warn_do_not_make_a_failure_harder_to_show():
    strict, *stricts = rules = [{"measure": "nDCG@10", "max_loss": f"{limit}%"} for limit in (2, 1.99, 1.98, 1.97)]
    warns = [rule | {"severity": "warn"} for rule in stricts]
    result, base = result_of({"home": lost(0.0147, 0.1)}), result_of({"home": BASE})
    alone, *_ = gates(result, strict, base=base)
    assert alone.outcome == "fail"
    assert [verdict.outcome for verdict in gates(result, strict, *warns, base=base)] == ["fail", *["inconclusive"] * 3]
    assert [verdict.outcome for verdict in gates(result, *rules, base=base)] == ["inconclusive"] * 4


def test_a_repeated_rule_is_judged_once_and_does_not_make_a_failure_harder_to_show():
    result, base = result_of({"home": lost(0.0147, 0.1)}), result_of({"home": BASE})
    rule = "nDCG@10 max_loss 2%"
    assert gates(result, *[rule] * 4, base=base) == gates(result, rule, base=base)


def test_each_group_is_judged_alone_and_a_small_one_is_skipped_with_its_size():
    groups = ["free"] * 200 + ["paid"] * 199 + ["trial"]
    today = result_of({"home": [0.4] * 200 + [0.3] * 200}, groups=groups)
    base = result_of({"home": BASE}, groups=groups)
    rules = [{"measure": "nDCG@10", "max_loss": "2%", "by": "users.plan"}, "nDCG@10 >= 0.35 by users.plan"]
    judged = {(verdict.kind, verdict.group): verdict for verdict in gates(today, *rules, base=base)}
    assert {key: verdict.outcome for key, verdict in judged.items()} == {
        ("max_loss", "free"): "fail", ("max_loss", "paid"): "pass", ("max_loss", "trial"): "skipped",
        ("min", "free"): "pass", ("min", "paid"): "fail", ("min", "trial"): "skipped",
    }  # fmt: skip
    assert judged["max_loss", "trial"].remark == "1 user: a group of fewer than 100 is not judged"
    assert judged["max_loss", "free"].rule == "nDCG@10 loses at most 2 %, users.plan free"


def test_all_models_except_the_base_are_judged():
    result = result_of({"popular": BASE, "home": BASE, "other": BASE})
    assert [verdict.model for verdict in gates(result, "nDCG@10 max_loss 2%", base="popular")] == ["home", "other"]
    assert [verdict.model for verdict in gates(result, "nDCG@10 max_loss 2% against home")] == ["popular", "other"]
    assert [verdict.model for verdict in gates(result, "nDCG@10 >= 0.1", models=["other", "popular"])] == ["popular", "other"]
    assert [verdict.model for verdict in gates(result, {"measure": "nDCG@10", "min": 0.1, "models": "home"}, models="other")] == ["home"]


def test_each_model_is_compared_with_its_namesake_in_a_baseline_folder():
    base = result_of({"home": BASE, "other": BASE})
    assert [verdict.base for verdict in gates(result_of({"other": BASE}), "nDCG@10 max_loss 2%", base=base)] == ["main/other"]
    with pytest.raises(DataError, match="the baseline main has no model new: it has home, other"):
        gates(result_of({"new": BASE}), "nDCG@10 max_loss 2%", base=base)


def test_a_single_model_is_compared_with_a_single_model_of_another_name_if_it_is_named():
    today, base = result_of({"new": lost(0.005, 0.1)}), result_of({"home": BASE})
    with pytest.raises(DataError) as refused:
        gates(today, "nDCG@10 max_loss 2%", base=base)
    assert str(refused.value) == (
        "the baseline main has no model new: it has home\n"
        "  choose the model to compare with by gates.baseline.model, or the models to judge by gates.models"
    )
    (one,) = gates(today, "nDCG@10 max_loss 2%", base=Baseline("main", base, "home"))
    assert (one.base, one.difference) == ("main", pytest.approx(-0.005 / 0.375))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("Recal@20 >= 0.1", "rule 'Recal@20 min 0.1': the results have no measure 'Recal@20'"),
        ("nDCG@10 max_loss 2", "nDCG@10 is between 0 and 1: no max_loss of 2 is possible; 2% is a share of the baseline's value"),
        ("nDCG@10 max_loss 2% against popular", "there is no model named popular"),
        ("nDCG@10 max_loss 2%", "there is nothing to compare with"),
        ("nDCG@10 max_loss 100%", "max_loss of 100% can never fail: nDCG@10 is never below 0, so no loss can exceed 100%"),
        ("nDCG@10 >= 0.1 by users.plan", "the results have no values of nDCG@10 by users.plan"),
    ],
)
def test_a_rule_about_a_missing_measure_or_group_is_refused(rule, sentence):
    with pytest.raises(ConfigError) as refused:
        gates(result_of({"home": BASE}), rule)
    assert sentence in str(refused.value)


def test_a_measure_without_a_value_fails():
    nothing = [float("nan")] * 400
    assert gate(BASE, nothing, "nDCG@10 max_loss 2%").outcome == "fail"
    (one,) = gates(result_of({"home": nothing}), "nDCG@10 >= 0.1")
    assert (one.outcome, one.remark) == ("fail", "no value to judge")


def test_a_user_without_a_value_on_one_side_is_refused():
    with pytest.raises(DataError, match="they count different users; nDCG@10 counts 1 user for only one of them"):
        gate(BASE, [float("nan"), *BASE[1:]], "nDCG@10 max_loss 2%")


def test_one_user_gives_an_inconclusive_gate():
    one = gate([0.5], [0.5], "nDCG@10 max_loss 2%")
    assert (one.outcome, one.low) == ("inconclusive", None)


def test_models_without_common_users_are_refused():
    today, base = result_of({"home": BASE}, users=range(400, 800)), result_of({"home": BASE})
    with pytest.raises(DataError, match="home cannot be compared with main: no user counts for both"):
        gates(today, "nDCG@10 max_loss 2%", base=base)


def test_a_base_without_per_user_values_is_compared_unpaired_with_a_note():
    base = result_of({"home": BASE})
    base.per_user.clear()
    (one,) = gates(result_of({"home": BASE}), "nDCG@10 max_loss 2%", base=base)
    assert not one.paired
    assert one.outcome == "inconclusive"
    assert any("main has no per-user values" in note for note in one.notes)


def test_the_summary_counts_each_kind_of_outcome():
    plain = gate(BASE, BASE, "nDCG@10 max_loss 2%")

    def summary(*outcomes):
        return Verdicts(tuple(type(plain)(**{**asdict(plain), "outcome": outcome}) for outcome in outcomes)).summary()

    assert summary("pass") == "1 gate passed"
    assert summary("pass", "pass") == "both gates passed"
    assert summary("fail", "inconclusive", "inconclusive", "pass") == "1 of 4 gates failed, 2 are inconclusive"
    assert summary("inconclusive", "skipped") == "1 of 2 gates is inconclusive, 1 was not judged"
    assert summary("skipped", "skipped") == "none of 2 gates was judged"
    assert summary("skipped") == "the only gate was not judged"
    harmless = type(plain)(**{**asdict(plain), "outcome": "fail", "consequence": "warn"})
    assert Verdicts((plain, harmless)).summary() == "1 of 2 gates failed (1 of severity warn)"


def test_strict_needs_at_least_one_judged_gate():
    plain = gate(BASE, BASE, "nDCG@10 max_loss 2%")
    skipped = type(plain)(**{**asdict(plain), "outcome": "skipped", "consequence": "none"})
    passed = type(plain)(**{**asdict(plain), "outcome": "pass", "consequence": "none"})
    assert not Verdicts((skipped, skipped)).failed()
    assert Verdicts((skipped, skipped)).failed(strict=True)
    assert not Verdicts((passed, skipped)).failed(strict=True)
    assert not Verdicts(()).failed(strict=True)


ANCHOR = result_of({"home": lost(-0.03, 0.01)})
"""The baseline is worse by 0.03 than this anchor."""


@pytest.mark.parametrize(
    ("loss", "rule", "outcome", "of_anchor"),
    [
        (0.0, "nDCG@10 max_loss 2%", "fail", "fail"),  # 0.03 of 0.405 is a loss of 7.4 % from the anchor
        (0.0, "nDCG@10 max_loss 12%", "pass", "pass"),
        (0.0, "nDCG@10 max_loss 7.5%", "inconclusive", "inconclusive"),
        (0.05, "nDCG@10 max_loss 20%", "inconclusive", "inconclusive"),  # 19.8 % from the anchor, 13.3 % from the baseline
        (0.05, "nDCG@10 max_loss 10%", "fail", "fail"),
    ],
)
def test_a_rule_with_an_anchor_passes_only_if_it_passes_against_both(loss, rule, outcome, of_anchor):
    (one,) = gates(result_of({"home": lost(loss, 0.01)}), rule, base=result_of({"home": BASE}), anchor=ANCHOR)
    assert one.outcome == outcome
    assert (one.anchor.base, one.anchor.outcome) == ("spring", of_anchor)
    assert one.anchor.difference == pytest.approx(-(loss + 0.03) / 0.405)
    assert "; anchor spring: −" in one.found


def test_the_verdict_has_the_difference_from_the_anchor():
    (one,) = gates(result_of({"home": lost(0.0, 0.01)}), "nDCG@10 max_loss 2%", base=result_of({"home": BASE}), anchor=ANCHOR)
    assert one.found == "0 %, at worst −1.99 %; anchor spring: −7.4 %, at best −5.5 %"
    assert one.remark == "anchor spring: loss exceeds the limit of 2 %"
    assert "“nDCG@10 of home loses at most 2 % against spring” does not hold: −7.4 %" in one.sentence


def test_a_rule_can_exclude_the_anchor_and_one_against_another_model_never_has_it():
    rules = [{"measure": "nDCG@10", "max_loss": "2%", "anchor": False}, "nDCG@10 max_loss 50% against old", "nDCG@10 >= 0.1"]
    today = result_of({"home": lost(0.0, 0.01), "old": BASE})
    judged = gates(today, *rules, base=result_of({"home": BASE}), anchor=ANCHOR, models=["home"])
    assert [verdict.anchor for verdict in judged] == [None, None, None]


def test_a_missing_anchor_is_treated_as_a_missing_baseline():
    demands = {"base": result_of({"home": BASE}), "anchor": result_of({"other": BASE})}
    with pytest.raises(DataError, match="the anchor spring has no model home: it has other"):
        gates(result_of({"home": BASE}), "nDCG@10 max_loss 9%", **demands)
    for policy, consequence in (("warn", "warn"), ("pass", "none")):
        missing = Baseline("spring", missing="there is no anchor spring", if_missing=policy, is_anchor=True)
        (one,) = gates(result_of({"home": BASE}), "nDCG@10 max_loss 9%", base=demands["base"], anchor=missing)
        assert (one.outcome, one.consequence, one.anchor.outcome) == ("pass", consequence, "skipped")
        assert one.remark == "anchor spring: there is no anchor spring"


def test_a_measure_without_bounds_uses_the_observed_range_with_a_note():
    base = list(np.linspace(0.5, 2.5, 400))
    one = gate(base, base, "RMSE max_loss 1%", metric="RMSE")
    assert one.outcome == "inconclusive"
    assert one.low == pytest.approx(-3.0 * 2.5 / 401 / 1.5, rel=0.01)  # one more user from 0, the bound of RMSE, to 2.5
    assert one.notes == ("RMSE has no upper limit: bounds assume that no user is outside the observed range, 0 to 2.5.",)


def test_a_gate_against_a_baseline_of_zero_passes_with_a_note():
    (one,) = gates(result_of({"home": [0.5] * 400}), "nDCG@10 max_loss 2%", base=result_of({"home": [0.0] * 400}))
    assert one.outcome == "pass"
    assert one.notes[-1] == "nDCG@10 of the baseline is 0, so a share of it is 0 too: any loss exceeds the limit."


OLD = {"rule": "", "model": "home", "measure": "nDCG@10", "kind": "max_loss", "limit": 0.02, "relative": True, "severity": "error",
       "sentence": "", "base": "main"}  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "outcome", "consequence", "by_value"),
    [
        ({"state": "shown", "outcome": "pass"}, "pass", "none", False),
        ({"state": "likely", "outcome": "warn"}, "inconclusive", "warn", False),
        ({"state": "likely", "outcome": "fail"}, "inconclusive", "fail", False),
        ({"state": "unlikely", "outcome": "fail"}, "inconclusive", "fail", False),
        ({"state": "refuted", "outcome": "warn", "severity": "warn"}, "fail", "warn", False),
        ({"state": None, "outcome": "fail"}, "fail", "fail", True),
        ({"state": None, "outcome": "warn", "base": None}, "skipped", "warn", False),
        ({"state": None, "outcome": "skipped", "base": None}, "skipped", "none", False),
        ({"state": "likely", "outcome": "pass", "kind": "min", "base": None}, "pass", "none", True),
        ({"state": "unlikely", "outcome": "warn", "kind": "max", "base": None}, "fail", "warn", True),
    ],
)
def test_gates_of_version_1_keep_their_outcomes(cells, outcome, consequence, by_value):
    one = Gate(**in_this_version(OLD | cells))
    assert (one.outcome, one.consequence, one.by_value) == (outcome, consequence, by_value)
    assert in_this_version(asdict(one)) == asdict(one)


def test_a_comparison_of_results_counts_rare_changes_in_equivalence():
    base = np.repeat([0.0, 1.0], [950, 50])
    today = np.roll(base, 6)  # 6 users lose a hit, 6 gain one
    sides = [Side(name, result_of({"home": list(values)}), "home") for name, values in (("main", base), ("today", today))]
    one = ModelPair(*sides, ComparisonOptions()).difference("nDCG@10", 0.007)
    plain = compare_paired(one.subject, base, today, Settings(), 0.007)
    assert one.low < plain.low < plain.high < one.high
    assert plain.p_equivalent <= 0.05 < one.p_equivalent
    assert one.one_sided_low < plain.one_sided_low


def test_a_metric_with_settings_has_the_bounds_of_the_metric():
    assert bounds_of("nDCG(gain=linear)") == (0.0, 1.0)
    assert bounds_of("0.5*nDCG@10 + 0.5*Recall@10") == bounds_of("NotKnown(k=1)") == (-np.inf, np.inf)


@pytest.mark.parametrize("rule", ["nDCG@10 max_loss 2%", "nDCG@10 min_gain 0"])
def test_models_without_a_common_user_get_no_verdict(rule):
    half, nan = [0.5] * 200, [np.nan] * 200
    with pytest.raises(DataError, match="no user counts for both"):
        gates(result_of({"home": nan + half}), rule, base=result_of({"home": half + nan}))
