"""Rules become verdicts: what passes, warns, fails and is skipped, for each model, measure and group."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import asdict
from receval.errors import ConfigError, DataError
from receval.results.gates import Verdicts

from tests.gates.small import gate, gates, result_of

BASE = [0.5] * 200 + [0.25] * 200


def lost(mean, spread):
    """Values whose loss against BASE has this mean, and varies by `spread` up and down."""
    return list(np.array(BASE) - mean + np.tile([spread, -spread], 200))


@pytest.mark.parametrize(
    ("mean", "spread", "state", "outcome"),
    [(0.0, 0.01, "shown", "pass"), (0.005, 0.1, "likely", "warn"), (0.01, 0.1, "unlikely", "fail"), (0.05, 0.01, "refuted", "fail")],
)
def test_a_loss_is_judged_by_its_bounds(mean, spread, state, outcome):
    one = gate(BASE, lost(mean, spread), "nDCG@10 max_loss 2%")
    assert (one.state, one.outcome) == (state, outcome)
    assert one.paired
    assert one.n_users == 400


@pytest.mark.parametrize(("unproven", "outcome"), [("pass", "pass"), ("warn", "warn"), ("error", "fail")])
def test_what_is_likely_passes_warns_or_fails_as_set(unproven, outcome):
    assert gate(BASE, lost(0.005, 0.1), "nDCG@10 max_loss 2%", unproven=unproven).outcome == outcome


def test_a_rule_of_severity_warn_never_fails():
    assert gate(BASE, lost(0.05, 0.01), {"measure": "nDCG@10", "max_loss": 0.01, "severity": "warn"}).outcome == "warn"
    assert gate(BASE, BASE, {"measure": "nDCG@10", "min": 0.9, "severity": "warn"}).outcome == "warn"


@pytest.mark.parametrize(("mean", "outcome"), [(-0.05, "fail"), (0.05, "pass")])
def test_less_is_better_of_an_error(mean, outcome):
    assert gate(BASE, lost(mean, 0.01), "RMSE max_loss 0.01", metric="RMSE").outcome == outcome


@pytest.mark.parametrize(("rule", "outcome"), [("nDCG@10 >= 0.375", "pass"), ("nDCG >= 0.38", "fail"), ("ndcg@10 <= 0.38", "pass")])
def test_a_limit_is_judged_by_the_value(rule, outcome):
    (one,) = gates(result_of({"home": BASE}), rule)
    assert (one.outcome, one.value, one.base) == (outcome, 0.375, None)


def test_a_gain_must_be_shown_and_several_are_corrected_together():
    today = lost(-0.0085, 0.1)
    alone = gate(BASE, today, "nDCG@10 min_gain 0")
    assert (alone.state, alone.outcome) == ("shown", "pass")
    result = result_of({"home": today, "other": lost(0.0, 0.1)})
    together = gates(result, "nDCG@10 min_gain 0", base=result_of({"home": BASE, "other": BASE}))
    assert together[0].p_adjusted == pytest.approx(2 * alone.p)
    assert (together[0].state, together[0].outcome) == ("likely", "warn")


def test_losses_are_not_corrected():
    today = result_of({"home": lost(0.0, 0.01), "other": lost(0.005, 0.1)})
    both = gates(today, "nDCG@10 max_loss 2%", base=result_of({"home": BASE, "other": BASE}))
    assert both[0].low == gate(BASE, lost(0.0, 0.01), "nDCG@10 max_loss 2%").low
    assert both[0].p_adjusted is None


def test_each_group_is_judged_by_itself_and_a_small_one_is_skipped_with_its_number():
    groups = ["free"] * 200 + ["paid"] * 199 + ["trial"]
    today = result_of({"home": [0.4] * 200 + [0.25] * 200}, groups=groups)
    base = result_of({"home": BASE}, groups=groups)
    rules = [{"measure": "nDCG@10", "max_loss": "2%", "by": "users.plan"}, "nDCG@10 >= 0.3 by users.plan"]
    judged = {(one.kind, one.group): one for one in gates(today, *rules, base=base)}
    assert {key: one.outcome for key, one in judged.items()} == {
        ("max_loss", "free"): "fail", ("max_loss", "paid"): "pass", ("max_loss", "trial"): "skipped",
        ("min", "free"): "pass", ("min", "paid"): "fail", ("min", "trial"): "skipped",
    }  # fmt: skip
    assert judged["max_loss", "trial"].remark == "1 user: a group of fewer than 100 is not judged"
    assert judged["max_loss", "free"].rule == "nDCG@10 loses at most 2 %, users.plan free"


def test_all_models_are_judged_but_those_that_others_are_compared_with():
    result = result_of({"popular": BASE, "home": BASE, "other": BASE})
    assert [one.model for one in gates(result, "nDCG@10 max_loss 2%", base="popular")] == ["home", "other"]
    assert [one.model for one in gates(result, "nDCG@10 max_loss 2% against home")] == ["popular", "other"]
    assert [one.model for one in gates(result, "nDCG@10 >= 0.1", models=["other", "popular"])] == ["popular", "other"]
    assert [one.model for one in gates(result, {"measure": "nDCG@10", "min": 0.1, "models": "home"}, models="other")] == ["home"]


def test_from_a_folder_each_model_is_compared_with_the_one_of_its_name_and_the_only_with_the_only():
    base = result_of({"home": BASE, "other": BASE})
    assert [one.base for one in gates(result_of({"other": BASE}), "nDCG@10 max_loss 2%", base=base)] == ["main/other"]
    assert [one.base for one in gates(result_of({"new": BASE}), "nDCG@10 max_loss 2%", base=result_of({"home": BASE}))] == ["main"]
    with pytest.raises(DataError, match="the baseline main has no model new: it has home, other"):
        gates(result_of({"new": BASE}), "nDCG@10 max_loss 2%", base=base)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("Recal@20 >= 0.1", "rule 'Recal@20 min 0.1': no measure of the results is called 'Recal@20'"),
        ("nDCG@10 max_loss 2", "nDCG@10 is between 0 and 1: no max_loss of 2 is possible; 2% is a share of the baseline's value"),
        ("nDCG@10 max_loss 2% against popular", "no model is called popular"),
        ("nDCG@10 max_loss 2%", "there is nothing to compare with"),
        ("nDCG@10 >= 0.1 by users.plan", "the results have no values of nDCG@10 by users.plan"),
    ],
)
def test_a_rule_about_what_the_results_do_not_have_is_refused(rule, sentence):
    with pytest.raises(ConfigError) as refused:
        gates(result_of({"home": BASE}), rule)
    assert sentence in str(refused.value)


def test_what_has_no_value_fails():
    nothing = [float("nan")] * 400
    assert gate(BASE, nothing, "nDCG@10 max_loss 2%").outcome == "fail"
    (one,) = gates(result_of({"home": nothing}), "nDCG@10 >= 0.1")
    assert (one.outcome, one.remark) == ("fail", "no value to judge")


def test_a_user_without_a_value_on_one_side_is_refused():
    with pytest.raises(DataError, match="they do not count the same users; nDCG@10 counts 1 users for one of them only"):
        gate(BASE, [float("nan"), *BASE[1:]], "nDCG@10 max_loss 2%")


def test_one_user_shows_nothing():
    one = gate([0.5], [0.5], "nDCG@10 max_loss 2%")
    assert (one.state, one.outcome, one.low) == ("likely", "warn", None)


def test_nobody_in_common_is_refused():
    today, base = result_of({"home": BASE}, users=range(400, 800)), result_of({"home": BASE})
    with pytest.raises(DataError, match="home cannot be compared with main: no user counts for both"):
        gates(today, "nDCG@10 max_loss 2%", base=base)


def test_a_base_without_values_of_users_is_compared_unpaired_and_said_so():
    base = result_of({"home": BASE})
    base.per_user.clear()
    (one,) = gates(result_of({"home": BASE}), "nDCG@10 max_loss 2%", base=base)
    assert not one.paired
    assert (one.state, one.outcome) == ("likely", "warn")
    assert any("main has no values of users" in note for note in one.notes)


def test_the_summary_counts_each_kind_of_outcome():
    plain = gate(BASE, BASE, "nDCG@10 max_loss 2%")

    def summary(*outcomes):
        return Verdicts(tuple(type(plain)(**{**asdict(plain), "outcome": outcome}) for outcome in outcomes)).summary()

    assert summary("pass") == "1 gate passed"
    assert summary("pass", "pass") == "all 2 gates passed"
    assert summary("fail", "warn", "warn", "pass") == "1 of 4 gates failed, 2 warned"
    assert summary("warn", "skipped") == "1 of 2 gates warned, 1 was not judged"
    assert summary("skipped", "skipped") == "2 of 2 gates were not judged"
