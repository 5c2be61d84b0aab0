"""Plans of gates: the outcomes of evaluations that are drawn from stored users, judged as the gate judges."""

from __future__ import annotations

import numpy as np
import pytest
from receval.config.judgement import Compare, Gates
from receval.gates import planning
from receval.gates.demands import Baseline, Bases, Demands
from receval.gates.planning import plan_gates
from receval.results.gate_plan import GatePlan

from tests.gates.small import gate, result_of
from tests.sizes import some


def models(n: int = 800, seed: int = 0, churn: float = 0.3, gain: float = 0.0) -> dict[str, np.ndarray]:
    """Return two models: a third of all users have 0, and `churn` of them are drawn again by the new one."""
    random = np.random.default_rng(seed)
    old = random.beta(0.8, 2.4, n) * (random.random(n) < 0.7)
    return {"old": old, "new": np.where(random.random(n) < churn, np.minimum(random.permutation(old) + gain, 1), old)}


def plan(
    values: dict[str, np.ndarray], *rules: object, draws: int = 60, seed: int = 0, groups: tuple[str, ...] = (), **section: object
) -> GatePlan:
    demands = Demands.from_config(Gates.model_validate({"rules": rules, **section}), Compare(), Bases(Baseline("old")))
    return plan_gates(result_of(values, groups=groups), demands, draws=draws, seed=seed)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_SEARCH_DRAWS", 60)


def test_the_outcomes_of_each_point_add_up_and_a_larger_loss_passes_less_often_and_fails_more_often():
    (rule,) = plan(models(), "nDCG@10 max_loss 8%").rules
    assert [point.change for point in rule.points] == [pytest.approx(0.08 * multiple) for multiple in planning.MULTIPLES]
    for point in rule.points:
        assert point.passes + point.inconclusive + point.fails == pytest.approx(1)
    first, last = rule.points[0], rule.points[-1]
    assert first.passes > 0.3 > 0.05 >= last.passes
    assert first.fails <= 0.1 < 0.5 < last.fails


def test_a_plan_is_the_same_each_time_and_another_with_another_seed():
    values = models(200)
    first, again, other = (plan(values, "nDCG@10 max_loss 8%", seed=seed) for seed in (0, 0, 1))
    assert first == again != other


def test_drawn_evaluations_are_judged_by_the_gate_itself(monkeypatch):
    judged = []

    def spy(case, estimate, alpha, values, fail, *, verdict_only):
        judged.append((fail, alpha, verdict_only, estimate.n))
        return own(case, estimate, alpha, values, fail, verdict_only=verdict_only)

    own = planning.margin_test_of
    monkeypatch.setattr(planning, "margin_test_of", spy)
    plan(models(), "nDCG@10 max_loss 8%", fail="value", alpha=0.1)
    assert {(fail, alpha) for fail, alpha, *_ in judged} == {("value", 0.1)}
    assert sum(verdict_only and n == 800 for *_, verdict_only, n in judged) >= 60 * len(planning.MULTIPLES)


def test_the_setting_fail_of_the_gate_decides_how_often_it_fails(monkeypatch):
    monkeypatch.setattr(planning, "MULTIPLES", (2.0,))
    values = models(n=300)
    beyond, worse, by_value = (
        plan(values, "nDCG@10 max_loss 8%", fail=fail, draws=200).rules[0].at(2.0).fails
        for fail in ("shown_beyond", "shown_worse", "value")
    )
    assert beyond < worse <= by_value


@pytest.mark.release
def test_failures_are_corrected_for_all_rules_of_the_gate(monkeypatch):
    monkeypatch.setattr(planning, "MULTIPLES", (0.0, 2.0))
    values = models(n=300)
    rules = [{"measure": "nDCG@10", "max_loss": f"{percent}%"} for percent in (8, 7, 7.5, 8.5, 9)]
    alone, together = plan(values, rules[0], draws=300).rules[0], plan(values, *rules, draws=300).rules[0]
    assert together.at(2.0).fails < alone.at(2.0).fails
    assert together.at(0.0).passes == alone.at(0.0).passes


def test_a_verdict_alone_is_that_of_the_whole_gate():
    for seed in some(range(20), 7):
        values = models(n=200, seed=seed, churn=0.05 * seed)
        for rule in ("nDCG@10 max_loss 8%", "nDCG@10 max_loss 0.01", "nDCG@10 min_gain 1%"):
            whole = gate(values["old"], values["new"], rule)
            demands = Demands.from_config(Gates.model_validate({"rules": [rule]}), Compare(), Bases(Baseline("old")))
            judging = planning.Judging(result_of(values), demands)
            (case,) = planning.cases_of(demands.rules[0], judging.result, "new")
            pair = judging.pair_of(planning.base_of(demands.rules[0], "new", judging.result, demands.bases.baseline), [case])
            test = planning._tested(case, pair, pair.estimate("nDCG@10"), demands, verdict_only=True)
            assert (test.outcome, test.p_fail) == (whole.outcome, whole.p_fail)


def test_the_number_of_users_for_a_pass_is_smaller_for_a_larger_limit():
    tight, loose = (plan(models(), f"nDCG@10 max_loss {limit}%").rules[0].users_for_power for limit in (4, 12))
    assert loose * 4 < tight


def test_a_required_gain_is_planned_by_true_gains():
    (rule,) = plan(models(), "nDCG@10 min_gain 5%").rules
    assert rule.at(0.0).passes < rule.at(2.0).passes
    assert rule.needed_at == pytest.approx(0.1)


def test_a_limit_of_zero_is_planned_in_what_the_users_can_show_and_no_number_of_users_is_enough():
    (rule,) = plan(models(), "nDCG@10 max_loss 0").rules
    assert rule.unit > 0
    assert rule.points
    assert rule.users_for_power is None


def test_two_models_that_differ_too_much_are_drawn_in_both_directions():
    (near,) = plan(models(), "nDCG@10 max_loss 8%").rules
    (far,) = plan(models(gain=0.5), "nDCG@10 max_loss 2%").rules
    only_up = models()
    only_up["new"] = np.maximum(only_up["old"], only_up["new"])
    (up,) = plan(only_up, "nDCG@10 max_loss 8%").rules
    assert (near.both_ways, far.both_ways, up.both_ways) == (False, True, True)
    assert up.at(0.0).passes > up.at(2.0).passes


@pytest.mark.parametrize(
    ("change", "rule", "why"),
    [
        (lambda values: {**values, "new": values["old"]}, "nDCG@10 max_loss 5%", "the value of no user differs between the two"),
        (lambda values: values, "nDCG@10 >= 0.1", "judged by the value alone"),
    ],
)
def test_a_rule_that_cannot_be_planned_says_why(change, rule, why):
    (one,) = plan(change(models()), rule).rules
    assert not one.points
    assert why in one.skipped


def test_rules_keep_their_order_and_groups_are_planned_with_their_users():
    groups = tuple("ab"[number % 2] for number in range(800))
    rules = ("nDCG@10 >= 0.1", "nDCG@10 max_loss 9% by users.plan", "nDCG@10 max_loss 8%")
    made = plan(models(), *rules, groups=groups).rules
    assert [(rule.kind, rule.group, rule.n_users) for rule in made] == [
        ("min", None, 0), ("max_loss", "a", 400), ("max_loss", "b", 400), ("max_loss", None, 800),
    ]  # fmt: skip
    assert all(rule.points for rule in made[1:])


def test_lower_is_better_for_an_error():
    values = {name: 1 + of for name, of in models().items()}
    demands = Demands.from_config(Gates.model_validate({"rules": ["RMSE max_loss 2%"]}), Compare(), Bases(Baseline("old")))
    (rule,) = plan_gates(result_of(values, metric="RMSE"), demands, draws=60).rules
    assert rule.at(0.0).passes > rule.at(2.0).passes
    assert rule.at(2.0).fails > rule.at(0.0).fails
