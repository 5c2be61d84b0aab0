"""Metrics that combine metrics: all valid combinations are computed, also pooled over users; others are refused."""

from __future__ import annotations

import math
import random
import re

import polars as pl
import pytest
import receval
from receval import load_config
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.metrics import METRICS
from receval.support.errors import ConfigError
from receval.syntax import formula

from tests.variants import COLUMN, needed
from tests.worlds import sides

TEST = pl.DataFrame([(1, "a", 5.0), (1, "b", 3.0), (2, "a", 4.0), (2, "c", 4.0)], schema=["user", "item", "rating"], orient="row")
LISTS = pl.DataFrame([(1, "a", 3.0), (1, "b", 2.0), (2, "b", 3.0), (2, "c", 2.0)], schema=["user", "item", "score"], orient="row")
OF_USER = pl.DataFrame([(1, "a", 4.0), (1, "b", 3.0), (2, "a", 4.0), (2, "c", 1.0)], schema=["user", "item", "prediction"], orient="row")
# Errors -1, 0 and 0, -3: MSE 1/2 and 9/2, pooled 10/4; RMSE the roots. nDCG@2 of user 1 is 1, of user 2, whose c is at rank 2,
# (1/log2 3) / (1 + 1/log2 3); pooled, the sums of DCG over those of the ideal.
RMSE = (math.sqrt(1 / 2), math.sqrt(9 / 2))
ROOT = math.sqrt(10 / 4)
SECOND = 1 / math.log2(3)
NDCG = (1.0, SECOND / (1 + SECOND))
POOLED_NDCG = (1 + SECOND + SECOND) / (2 * (1 + SECOND))


def harmonic(one, other):
    return 2 * one * other / (one + other)


def values(result):
    return {(row.measure, row.aggregate): row.value for row in result.rows}


@pytest.mark.parametrize(
    ("measure", "mean", "pooled"),
    [
        ("F1(RMSE,nDCG)@2", sum(map(harmonic, RMSE, NDCG)) / 2, harmonic(ROOT, POOLED_NDCG)),
        (
            "EucDistance(nDCG,RMSE)@2",
            sum(math.hypot(n - 1, r - 1) for n, r in zip(NDCG, RMSE, strict=True)) / 2,
            math.hypot(POOLED_NDCG - 1, ROOT - 1),
        ),
        ("Hypervolume(RMSE)@2", sum(RMSE) / 2, ROOT),
        ("F1(F1(RMSE,nDCG),MSE)@2", sum(map(harmonic, map(harmonic, RMSE, NDCG), (0.5, 4.5))) / 2,
         harmonic(harmonic(ROOT, POOLED_NDCG), 2.5)),
    ],
)  # fmt: skip
def test_combinations_of_combined_metrics(measure, mean, pooled, evaluate):
    result = evaluate(TEST, LISTS, metrics=[measure], predictions=OF_USER, aggregates=["mean", "micro"])
    assert values(result)[measure, "mean"] == pytest.approx(mean)
    assert values(result).get((measure, "micro")) == (None if pooled is None else pytest.approx(pooled))


def test_an_f_of_means_over_other_users_is_arithmetic_of_the_two_values(evaluate):
    result = evaluate(TEST, LISTS, metrics=["F1(RMSE,nDCG,of=means)@2"], predictions=OF_USER)
    assert [row.value for row in result.rows] == [pytest.approx(harmonic(sum(RMSE) / 2, sum(NDCG) / 2))]
    assert result.labels() == ("2*RMSE*nDCG@2/(RMSE + nDCG@2)",)


def test_a_user_without_a_value_of_a_component_has_none_of_the_combination():
    test, lists = (rows.vstack(rows.tail(1).with_columns(user=pl.lit(3, pl.Int64))) for rows in (TEST, LISTS))
    items = pl.DataFrame({"item": ["b", "c"], COLUMN: ["x", "y"]})
    of_ild, of_f1 = "ILD(single=left_out)@2", "F1(ILD(single=left_out),nDCG)@2"
    found = receval.evaluate(test=test, recommendations={"m": lists}, metrics=[of_ild, of_f1], items=items, categories=COLUMN)
    # User 1 lists a, which has no category, and b; user 2 lists b and c; user 3 only c.
    assert [found["m", measure].value for measure in (of_ild, of_f1)] == [1, pytest.approx(harmonic(1, NDCG[1]))]


def test_combined_metrics_by_group_use_the_users_of_the_group(evaluate):
    users = pl.DataFrame({"user": [1, 2], COLUMN: ["x", "y"]})
    result = evaluate(
        TEST, LISTS, metrics=["F1(RMSE,nDCG)@2"], predictions=OF_USER, users=users, by=[f"users.{COLUMN}"], aggregates=["micro"]
    )
    found = {row.group: row.value for row in result.by_group}
    assert [found["x"], found["y"]] == pytest.approx([harmonic(r, n) for r, n in zip(RMSE, NDCG, strict=True)])


def test_the_pooled_rmse_is_compared_as_a_root_and_not_as_mse(evaluate):
    """Guard against the ratio of the sums of squared errors, which is MSE and not RMSE."""
    other = OF_USER.with_columns(prediction=pl.col("prediction") + 1)  # errors 0, 1 and 1, -2: 6/4
    models = {"one": LISTS, "two": LISTS}
    predictions = {"one": OF_USER, "two": other}
    result = evaluate(TEST, models, metrics=["RMSE", "MSE"], predictions=predictions, aggregates=["micro"])
    found = {difference.subject.measure: difference for difference in compare({"all": result}, ComparisonOptions()).differences}
    rmse, mse = found["RMSE (micro)"], found["MSE (micro)"]
    assert (rmse.base_value, rmse.value) == (pytest.approx(ROOT), pytest.approx(math.sqrt(6 / 4)))
    assert (mse.base_value, mse.value) == (pytest.approx(10 / 4), pytest.approx(6 / 4))
    assert (rmse.interval, mse.interval is None) == (None, False)


OF_USERS = [
    f"{entry.name}({','.join(f'{key}={value}' for key, value in given.items())})" if given else entry.name
    for entry in METRICS.values()
    if not entry.per_model
    for given in [needed(entry)]
]


def test_every_valid_combination_is_computed(evaluate):
    """Combine each metric with itself, with a ratio, and with a root, as means over users and pooled; valid metrics never fail in a run."""
    chance = random.Random(1)
    users, items = range(6), range(9)
    test = [(user, item, float(chance.randint(1, 5))) for user in users for item in chance.sample(items, 4)]
    lists = [(user, item, chance.random()) for user in users for item in chance.sample(items, 6)]
    asked = [text % name for name in OF_USERS for text in ("F1(%s,RMSE)@3", "EucDistance(nDCG,%s)@3", "Hypervolume(%s)@3")]
    result = evaluate(
        pl.DataFrame(test, schema=["user", "item", "rating"], orient="row"),
        pl.DataFrame(lists, schema=["user", "item", "score"], orient="row"),
        metrics=asked,
        aggregates=["mean", "micro", "std"],
        **sides(chance, users, items),
    )
    assert {row.measure for row in result.rows if row.aggregate == "mean"} == {formula.read(text).text for text in asked}


@pytest.mark.parametrize(
    ("measure", "instead"),
    [
        ("F1(ItemCoverage,Recall)@5", "2*ItemCoverage@5*Recall@5/(ItemCoverage@5 + Recall@5)"),
        ("F1(R2,MAE)", "2*R2*MAE/(R2 + MAE)"),
        ("EucDistance(MRR,Gini,MAP(denominator=r))", "(MRR@10 + Gini@10 + MAP(denominator=r)@10)/3"),
        ("Hypervolume(Gini)@2", "Gini@2"),
    ],
)
def test_a_value_of_the_whole_model_is_refused_with_an_alternative(measure, instead, write):
    def config(asked):
        sources = "test: t.csv, recommendations: {m: l.csv}, train: t.csv, predictions: {m: p.csv}"
        return load_config(write("c.yaml", f"data: {{{sources}}}\nevaluation: {{metrics: ['{asked}']}}\n"))

    with pytest.raises(ConfigError, match=f"cannot combine it; .* {re.escape(instead)}( alone)?$"):
        config(measure)
    config(instead)
