"""Plans of comparisons over clusters, folds, runs and pooled ratios draw whole users with all their rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import receval
from receval.gates import planning

N = 150


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(planning.plan_gates.__kwdefaults__, "draws", 60)
    monkeypatch.setattr(planning, "_SEARCH_DRAWS", 60)


def lists(hits: np.ndarray) -> dict[int, list[int]]:
    return {user: [*range(int(found)), 99] for user, found in enumerate(hits)}


def hits(seed: int, share: float = 0.5) -> np.ndarray:
    return np.random.default_rng(seed).binomial(3, share, N)


def changed(seed: int = 1) -> np.ndarray:
    """Return the hits of a model that finds others for a third of the users."""
    return np.where(np.random.default_rng(seed).random(N) < 0.3, hits(2), hits(0))


TEST = {user: [0, 1, 2] for user in range(N)}


def checked(plan: receval.GatePlanResult) -> None:
    """Check that a plan has the shape of every plan: good candidates pass more often than bad ones, and the reverse for failures."""
    (rule,) = plan.rules
    assert not rule.skipped
    good, bad = rule.at(0.0), rule.at(2.0)
    assert good.passes > bad.passes
    assert good.fails < bad.fails


def test_clusters_are_drawn_whole_and_need_no_fewer_users():
    users = {"user": list(range(N)), "house": [f"h{user // 3}" for user in range(N)]}
    models = {"a": lists(hits(0)), "b": lists(changed())}
    result = receval.evaluate(test=TEST, recommendations=models, metrics="Recall@3", health=False, users=users, by="users.house")
    plan = result.plan_gate("Recall@3 max_loss 10%", baseline="a", models="b", cluster="users.house")
    checked(plan)
    alone = result.plan_gate("Recall@3 max_loss 10%", baseline="a", models="b")
    assert plan.rules[0].at(0.0).passes <= alone.rules[0].at(0.0).passes + 0.15
    far = result.plan_gate("Recall@3 max_loss 40%", baseline="a", models="b", cluster="users.house")
    assert far.rules[0].at(2.0) is None
    assert "no candidate with the changes of these users loses 40 % or 80 %, so these rows are missing" in " ".join(str(far).split())


def test_pooled_ratios_are_planned_beside_means():
    models = {"a": lists(hits(0)), "b": lists(changed())}
    result = receval.evaluate(test=TEST, recommendations=models, metrics="Recall@3", health=False, aggregates=["mean", "micro", "median"])
    checked(result.plan_gate("Recall@3 (micro) max_loss 20%", baseline="a", models="b"))
    (median,) = result.plan_gate("Recall@3 (median) max_loss 20%", baseline="a", models="b").rules
    assert median.skipped == "only means, sums and pooled ratios are planned, not the median"


@pytest.mark.release
def test_runs_are_drawn_with_their_spread_and_a_plan_says_how_many_are_needed():
    random = np.random.default_rng(0)
    chances = random.beta(4, 4, N)

    def runs(spread: float) -> list[dict[int, list[int]]]:
        return [lists(random.binomial(3, np.clip(chances + spread * step, 0, 1))) for step in (-1.5, -0.5, 0.5, 1.5)]

    def planned(spread: float) -> receval.GatePlanResult:
        models = {"a": {"runs": runs(spread)}, "b": {"runs": runs(spread)}}
        config = {"data": {"test": TEST, "recommendations": models}, "evaluation": {"metrics": ["Recall@3"]}, "health": "off"}
        return receval.evaluate(config).plan_gate("Recall@3 max_loss 10%", baseline="a", models="b")

    steady, unsteady = planned(0.0), planned(0.06)
    checked(steady)
    (few, many) = (plan.rules[0] for plan in (steady, unsteady))
    assert few.runs == 4
    assert few.at(0.0).passes > many.at(0.0).passes
    assert many.users_for_power is None
    assert (many.runs_for_power or 0) > 4
    assert f"but {many.runs_for_power:,} runs of each model are" in " ".join(str(unsteady).split())


@pytest.mark.release
@pytest.mark.parametrize("shared", [False, True])
def test_folds_are_planned_with_the_same_users_in_all_or_with_others(shared):
    def fold(number: int) -> dict[str, object]:
        users = np.arange(N) + (0 if shared else 1000 * number)
        frames = {
            name: pl.DataFrame(
                [(int(user), item) for user, count in zip(users, found, strict=True) for item in [*range(int(count)), 99]],
                schema=["user", "item"],
                orient="row",
            ).with_columns(rank=pl.col("item").cum_count().over("user"))
            for name, found in (("a", hits(number)), ("b", np.where(changed(number + 9) != hits(0), hits(number + 5), hits(number))))
        }
        test = pl.DataFrame({"user": np.repeat(users, 3), "item": np.tile([0, 1, 2], N)})
        return {"name": f"f{number}", "test": test, "recommendations": frames}

    config = {"data": {"folds": [fold(0), fold(1)]}, "evaluation": {"metrics": ["Recall@3"]}, "health": "off"}
    checked(receval.evaluate(config).plan_gate("Recall@3 max_loss 20%", baseline="a", models="b"))
