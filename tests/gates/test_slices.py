"""Rules on slices: a slice of users that loses more than the limit fails the gate, if the other half of the users confirms it."""

from __future__ import annotations

import numpy as np
import pytest
from receval.config.judgement import Gates
from receval.support.errors import ConfigError

from .small import gates, result_of

RULE = "slices: none worse than 5%"


def world(n: int = 2_000, lost: float = 0.0, seed: int = 1, of_all: float = 0.0):
    """Return the base and a model in which the users of plan b have lost a share of the value; with the plans."""
    random = np.random.default_rng(seed)
    plans = random.choice(["a", "b", "c"], n)
    base = random.uniform(0.2, 0.8, n)
    model = np.clip(base + np.where(random.random(n) < 0.3, random.normal(0, 0.05, n), 0.0), 0, 1)
    model *= 1 - of_all - lost * (plans == "b")
    sides = {"home": base}, {"home": model}
    return tuple(result_of(side, groups=[str(plan) for plan in plans]) for side in sides)


def judged(base, today, rule=RULE, **section):
    (one,) = gates(today, rule, base=base, **section)
    return one


def test_a_slice_that_loses_more_than_the_limit_fails_and_is_named():
    gate = judged(*world(lost=0.2))
    assert (gate.outcome, gate.consequence, gate.kind) == ("fail", "fail", "slices")
    assert gate.found == "1 of 3 slices tested, 1 confirmed"
    assert gate.remark.startswith("worse for users.plan b: −")
    assert [(user_slice.conditions, user_slice.confirmed) for user_slice in gate.slices] == [((("users.plan", "b"),), True)]
    assert gate.slices[0].high < -0.05
    assert "“nDCG@10 slices: none worse than 5 %” of home against main does not hold: 1 of 3 slices tested" in gate.sentence


def test_no_slice_beyond_the_limit_passes_and_says_how_many_were_examined():
    gate = judged(*world(lost=0.02))
    assert (gate.outcome, gate.found, gate.remark) == ("pass", "0 of 3 slices tested, none confirmed", "")
    assert gate.n_searched == 3


def test_a_slice_must_be_shown_to_lose_more_than_the_limit_whatever_makes_a_margin_fail():
    gate = judged(*world(lost=0.06), fail="value")
    assert (gate.outcome, gate.found) == ("pass", "1 of 3 slices tested, none confirmed")
    assert gate.slices[0].difference < -0.05 < gate.slices[0].high < 0


def test_a_loss_of_all_users_is_a_loss_of_slices_too():
    assert judged(*world(of_all=0.2)).outcome == "fail"


def test_a_loss_in_units_of_the_measure_is_a_limit_too():
    base, today = world(lost=0.2)
    assert judged(base, today, "slices: none worse than 0.02").outcome == "fail"
    assert judged(base, today, "slices: none worse than 0.3").outcome == "pass"


def test_too_few_users_for_a_slice_are_inconclusive_and_fail_only_if_asked_for():
    base, today = world(n=120, lost=0.5)
    gate = judged(base, today)
    assert (gate.outcome, gate.consequence, gate.remark) == ("inconclusive", "warn", "too few users: a slice needs 50 in each half")
    assert judged(base, today, inconclusive="fail").consequence == "fail"


def test_results_without_groups_are_refused_with_the_next_step():
    base, today = (result_of({"home": [0.5] * 300}) for _ in range(2))
    with pytest.raises(ConfigError, match="no groups of users"):
        judged(base, today)


def test_results_without_per_user_values_are_refused_with_the_next_step():
    base, today = world()
    today.per_user.clear()
    with pytest.raises(ConfigError, match="no per-user values") as error:
        judged(base, today)
    assert "output.per_user" in str(error.value.hint)


def test_equal_models_pass():
    base, _ = world()
    assert judged(base, base).outcome == "pass"


@pytest.mark.parametrize(
    "written",
    [
        "nDCG@10 slices: none worse than 5%",
        {"nDCG@10 slices": "none worse than 5%"},
        {"measure": "nDCG@10", "slices": "none worse than 5%"},
        {"measure": "nDCG@10", "slices": "5%"},
    ],
)
def test_every_spelling_is_the_same_rule(written):
    (rule,) = Gates.model_validate({"rules": [written]}).rules
    assert str(rule) == "nDCG@10 slices: none worse than 5%"
    assert Gates.model_validate({"rules": [rule.model_dump(mode="json", exclude_none=True)]}).rules == (rule,)


def test_a_rule_on_slices_can_name_its_groups_and_its_base():
    (rule,) = Gates.model_validate({"rules": [{"slices": "none worse than 5% by users.plan against popular"}]}).rules
    assert (rule.measure, rule.by[0].name, rule.against) == ("", "users.plan", "popular")


def test_slices_that_lose_exactly_the_limit_do_not_fail_and_the_rule_is_corrected_with_the_others():
    gate = judged(*world(of_all=0.05))
    assert gate.outcome == "pass"
    failed = judged(*world(lost=0.2))
    assert failed.p_fail < 0.001
    both = gates(world(lost=0.2)[1], RULE, "nDCG@10 max_loss 90%", base=world(lost=0.2)[0])
    assert [verdict.p_fail_adjusted for verdict in both] == pytest.approx([failed.p_fail, 2 * both[1].p_fail])  # the second is smaller
