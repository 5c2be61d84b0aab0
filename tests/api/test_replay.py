"""What RePlay has beside its metrics: metrics of lists alone, side data, weights of lists, the order of arguments, and Experiment."""

from __future__ import annotations

import math

import polars as pl
import pytest
import receval
from receval import functional
from receval.metrics import METRICS
from receval.metrics.registry import _spellings
from receval.support.errors import ConfigError

TEST = {"ann": [1, 2], "bob": [3]}
ALS = pl.DataFrame({"user": ["ann", "ann", "bob", "cyd"], "item": [1, 9, 3, 9], "score": [0.8, 0.4, 0.2, 0.1]})
BEFORE = pl.DataFrame({"user": ["ann", "ann", "bob"], "item": [1, 9, 3], "score": [0.02, 0.4, 0.4]})
TRAIN = {"ann": [9], "bob": [1]}


@pytest.fixture(autouse=True)
def registry():
    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)
    _spellings.cache_clear()


def test_a_metric_of_lists_alone_averages_over_users_with_a_list_and_needs_no_test():
    @receval.metric("MeanScore", bounds=(0, math.inf), needs_test=False)
    def mean_score(listed):
        """The mean score of a list."""
        return sum(item.score for item in listed) / len(listed)

    result = receval.evaluate(recommendations=ALS, metrics=[mean_score], top_k=2, health=False)
    assert (result.rows[0].value, result.rows[0].n_users) == (pytest.approx((0.6 + 0.2 + 0.1) / 3), 3)
    tested = receval.evaluate(test=TEST, recommendations=ALS, metrics=[mean_score], top_k=2, health=False)
    assert tested.rows[0].value == result.rows[0].value


def test_a_metric_of_lists_alone_may_not_take_relevant_items():
    with pytest.raises(ValueError, match=r"a metric of lists alone .* may not take relevant"):
        receval.metric("Odd", needs_test=False)(lambda listed, relevant: 0.0)


def test_a_metric_may_take_the_items_of_train():
    @receval.metric("ShareSeen")
    def share_seen(listed, train):
        """The share of the list that is in train."""
        return sum(item.id in train for item in listed) / len(listed)

    result = receval.evaluate(test=TEST, recommendations=ALS, train=TRAIN, metrics=[share_seen], top_k=2, health=False)
    assert result.rows[0].value == 0.25  # ann: 9 of two; bob: none
    with pytest.raises(ConfigError, match="train"):
        receval.evaluate(test=TEST, recommendations=ALS, metrics=[share_seen], top_k=2)


def test_a_metric_may_take_the_scores_of_the_previous_policy():
    @receval.metric("OwnReward")
    def own_reward(listed, previous):
        """Weighted hits by 1 / rank."""
        weights = [min(max(item.score / previous[item.id], 0.1), 10) if previous.get(item.id) else 10 for item in listed]
        return sum(w * item.relevant / item.rank for w, item in zip(weights, listed, strict=True)) / sum(weights)

    result = receval.evaluate(test=TEST, recommendations=ALS, previous_policy=BEFORE, metrics=[own_reward], top_k=2, health=False)
    assert result.per_user["model"]["OwnReward@2"].to_list() == [pytest.approx(10 / 11), 1.0]


def test_enriched_lists_have_the_weights_raw_and_capped():
    (frame,) = receval.enriched(test=TEST, recommendations=ALS, previous_policy=BEFORE, metrics=["nDCG"]).values()
    found = {(row["user"], row["item"]): (row["weight"], row["capped_weight"]) for row in frame.iter_rows(named=True)}
    assert found == {
        ("ann", 1): (pytest.approx(40), 10.0),
        ("ann", 9): (1.0, 1.0),
        ("bob", 3): (0.5, 0.5),
        ("cyd", 9): (None, 10.0),
    }
    (narrow,) = receval.enriched(test=TEST, recommendations=ALS, previous_policy=BEFORE, metrics=["NCISPrecision(threshold=2)@2"]).values()
    assert narrow["capped_weight"].to_list() == [2.0, 1.0, 0.5, 2.0]
    (plain,) = receval.enriched(test=TEST, recommendations=ALS, metrics=["nDCG"]).values()
    assert "weight" not in plain.columns


@pytest.mark.parametrize(
    "lists", [ALS, ALS.to_dicts(), ALS.rename({"user": "user_id", "item": "item_id", "score": "prediction"}), {"ann": [(1, 0.8), (9, 0.4)]}]
)
def test_a_call_in_the_order_of_replay_is_refused(lists):
    true = [{"user_id": "ann", "item_id": 1}]
    with pytest.raises(ConfigError, match="the arguments seem to be in RePlay's order") as raised:
        functional.precision(lists, true, k=2)
    assert "write precision(true, pred, …)" in str(raised.value.hint)


def test_scores_in_both_arguments_or_ratings_in_the_first_are_no_sign_of_another_order():
    rated = pl.DataFrame({"user_id": ["ann"], "item_id": [1], "rating": [5]})
    lists = pl.DataFrame({"user_id": ["ann"], "item_id": [1], "score": [5.0]})
    assert functional.precision(rated, lists, k=1) == functional.precision(lists, lists, k=1) == 1.0
    assert functional.precision(rated, {"ann": [1]}, k=1) == 1.0


def test_an_experiment_keeps_named_results_and_prints_them_as_a_table():
    experiment = receval.Experiment(test=TEST, metrics=["Recall@1", "MRR@2"])
    assert experiment.add_result("als", ALS)["Recall@1"] == 0.75
    experiment.add_result("late", {"ann": [9, 1], "bob": [1]})
    assert experiment.results["name"].to_list() == ["als", "late"]
    assert experiment.results.select("Recall@1", "MRR@2").rows() == [(0.75, 1.0), (0.0, 0.25)]
    lines = [line.split() for line in str(experiment).splitlines() if line.strip()]
    assert lines[0] == ["name", "Recall@1", "MRR@2"]
    assert ["als", "0.7500", "1.0000"] in lines
    with pytest.raises(ConfigError, match="there is a result named 'als' already"):
        experiment.add_result("als", ALS)
