"""Means over users that are weighted by a column of data.users."""

from __future__ import annotations

import math
import random
from functools import partial

import numpy as np
import polars as pl
import pytest
import receval
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from receval import run
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.config import load_config
from receval.conventions import load
from receval.evaluation import running
from receval.evaluation.running import whole_users
from receval.metrics import resolve
from receval.support.errors import ConfigError, DataError
from receval.syntax.measure_strings import parse

from tests.conftest import per_user, table, values
from tests.gates.small import gates
from tests.sizes import draws
from tests.worlds import worlds

METRICS = ["Recall", "nDCG", "MRR", "F1", "HitRate", "RPrecision", "ARP", "ILD", "Recall(no_relevant=zero)", "MAP(float_type=float32)"]
WEIGHTS = {"users": "users.weight"}
TEST = table(["user", "item"], [("a", "x"), ("a", "y"), ("b", "z"), ("c", "x")])
LISTS = table(["user", "item", "score"], [("a", "x", 0.9), ("b", "q", 0.8), ("b", "z", 0.7), ("c", "q", 0.9)])


def people(**weights: float | str | None) -> pl.DataFrame:
    """Return users with their weights."""
    return pl.DataFrame({"user": list(weights), "weight": list(weights.values())})


def with_weights(world: dict[str, pl.DataFrame], seed: int) -> tuple[dict[str, pl.DataFrame], dict[int, float]]:
    """Return a world whose users have weights, some 0 and some missing, and the weights."""
    chance = random.Random(seed)
    weights = {user: chance.choice((None, 0.0, 1.0, round(chance.paretovariate(1.2), 3), 1e6)) for user in world["users"]["user"]}
    weights[0] = 2.5
    known = world["users"].filter(pl.col("user") != 0)
    users = pl.concat([known, pl.DataFrame({"user": [0], "group": ["a"]})])
    held = {user: weight or 0.0 for user, weight in weights.items()}
    return {**world, "users": users.with_columns(weight=pl.Series([weights[user] for user in users["user"]], dtype=pl.Float64))}, held


def literal(of_users, label, weights, users=None):
    """Return Σ w·v / Σ w over the users with a value, by NumPy."""
    counted = [(row[label], weights.get(user, 0.0)) for user, row in of_users.items() if row[label] is not None]
    counted = [pair for pair, user in zip(counted, [u for u, row in of_users.items() if row[label] is not None], strict=True)
               if users is None or user in users]  # fmt: skip
    if not counted or math.isclose(sum(weight for _, weight in counted), 0.0):
        return None
    return float(np.average([value for value, _ in counted], weights=[weight for _, weight in counted]))


@settings(max_examples=draws(4, 12))
@given(world=worlds(), seed=st.integers(0, 99), convention=st.sampled_from(["receval", "recbole", "ranx", "clayrs"]))
def test_weighted_means_are_those_of_numpy_over_all_users_and_in_groups(evaluate, world, seed, convention):
    world, weights = with_weights(world, seed)
    measures = [name for name in METRICS if resolve(parse(name), load(convention)).average == "mean"]
    found = evaluate(
        **world, metrics=measures, top_k=[2, "none"], weights=WEIGHTS, by=["users.group"], convention=convention, relevance={"threshold": 2}
    )
    of_users, group = per_user(found), dict(world["users"].select("user", "group").rows())
    weighted = [row for row in found.rows if row.aggregate == "weighted"]
    assert weighted
    for row in weighted:
        assert row.value == pytest.approx(literal(of_users, row.measure, weights), abs=1e-12), row
    for row in (row for row in found.by_group if row.aggregate == "weighted"):
        users = {user for user in of_users if (group.get(user) or "(missing)") == row.group}
        assert row.value == pytest.approx(literal(of_users, row.measure, weights, users), abs=1e-12), row


@settings(max_examples=draws(2, 6))
@given(world=worlds(), seed=st.integers(0, 99))
def test_equal_weights_give_the_plain_mean_and_a_weight_of_0_leaves_a_user_out(evaluate, world, seed):
    world, _ = with_weights(world, seed)
    chance = random.Random(seed)
    asked = {"metrics": ["Recall", "nDCG", "HitRate"], "top_k": [3]}
    kept = {0, *(user for user in world["test"]["user"] if chance.random() < 0.5)}
    users = sorted({*world["test"]["user"], *world["lists"]["user"]})
    plain = values(evaluate(**{**world, "test": world["test"].filter(pl.col("user").is_in(list(kept)))}, **asked))
    ones = pl.DataFrame({"user": users, "weight": [3.0 if user in kept else 0.0 for user in users]})
    assert values(evaluate(**{**world, "users": ones}, **asked, weights=WEIGHTS)) == {
        f"{label} (weighted)": value if value is None else pytest.approx(value, rel=1e-15) for label, value in plain.items()
    }


def test_any_parts_give_the_same_weighted_means(evaluate, monkeypatch):
    chance = random.Random(4)
    rows = [(user, item, chance.random()) for user in range(80) for item in chance.sample(range(12), 4)]
    test = table(["user", "item"], [(user, item) for user in range(80) for item in chance.sample(range(12), 3)])
    users = pl.DataFrame({"user": range(80), "weight": [chance.paretovariate(1) for _ in range(80)]})
    asked = {"users": users, "metrics": ["Recall", "nDCG", "2*Recall@3 - nDCG@3"], "top_k": [3], "weights": WEIGHTS}
    whole = evaluate(test, table(["user", "item", "score"], rows), **asked)
    for n in (7, 40):
        monkeypatch.setattr(running, "whole_users", partial(whole_users, rows_per_part=n))
        parts = evaluate(test.sample(fraction=1, shuffle=True, seed=n), table(["user", "item", "score"], rows[::-1]), **asked)
        assert parts.rows == whole.rows
        assert parts.per_user["model"].equals(whole.per_user["model"])


def test_a_sentence_says_how_many_users_of_equal_weight_there_are_and_how_many_have_no_weight(evaluate):
    users = people(a=3.0, b=1.0, d=50.0)
    found = evaluate(TEST, LISTS, users=users, metrics=["Recall@2", "Recall(average=mean)@2"], weights=WEIGHTS)
    assert values(found) == {"Recall@2 (weighted)": (3 * 0.5 + 1) / 4, "Recall(average=mean)@2": 0.5}
    assert "data.users: 1 of 3 test users has no value in column weight and counts 0 in weighted means." in found.remarks
    assert "Means are weighted by users.weight: the 3 test users count like 1.6 of equal weight (Kish)." in found.remarks
    assert found.definitions["Recall"].params["weights"] == "users.weight"


def test_a_user_in_several_rows_has_the_highest_weight(evaluate):
    users = pl.concat([people(a=3.0, b=1.0, c=2.0), people(a=1.0)])
    found = evaluate(TEST, LISTS, users=users, metrics=["Recall@2"], weights=WEIGHTS)
    assert values(found) == {"Recall@2 (weighted)": pytest.approx((3 * 0.5 + 1) / 6)}


def test_weights_that_are_all_0_give_no_value_and_say_why(evaluate):
    found = evaluate(TEST, LISTS, users=people(a=0.0, b=0.0, c=None, d=4.0), metrics=["Recall@2"], weights=WEIGHTS, by=["users.weight"])
    assert values(found) == {"Recall@2 (weighted)": None}
    assert {row.value for row in found.by_group} == {None}
    assert "Weighted means have no value: all weights in data.users, column weight, are 0." in found.remarks


@pytest.mark.parametrize(
    ("users", "problem", "hint"),
    [
        (people(a=1.0, b=-2.0, c=1.0), "column 'weight' is below 0 in 1 of 3 rows, first '-2.0' (user b)", 'where: "weight >= 0"'),
        (people(a="1", b="much", c="2"), "column 'weight' is not a number in 1 of 3 rows, first 'much' (user b)", "null_values"),
        (people(x=1.0), "none of the 3 test users has a value in column 'weight'", "both files write user ids alike"),
    ],
)
def test_weights_that_cannot_be_used_are_refused_with_their_place(evaluate, users, problem, hint):
    with pytest.raises(DataError) as error:
        evaluate(TEST, LISTS, users=users, metrics=["Recall@2"], weights=WEIGHTS)
    assert problem in error.value.message
    assert hint in (error.value.hint or "")
    assert "Profit" not in (error.value.hint or "")


def test_what_weights_do_not_change_is_named(evaluate):
    items = table(["item", "price"], [(item, 1.0) for item in "xyzq"])
    measures = ["Recall@2", "ItemCoverage@2", "AUC", "Precision(average=micro)@2", "F1(of=means)@2", "Recall(divisor=train_users)@2"]
    asked = {"users": people(a=1.0, b=2.0, c=3.0), "items": items, "train": TEST, "weights": WEIGHTS}
    found = evaluate(TEST, LISTS, metrics=measures, **asked)
    assert [row.aggregate for row in found.rows] == ["weighted", "system", "micro", "micro", "mean", "mean"]
    assert (
        "Not weighted by users.weight: ItemCoverage, AUC, F1(of=means), Recall(divisor=train_users). "
        "Only means of per-user values have weights."
    ) in found.remarks
    found = evaluate(TEST, LISTS, metrics=["Recall@2"], aggregates=["mean", "median", "std"], **asked)
    assert list(values(found)) == ["Recall@2 (weighted)", "Recall@2 (median)", "Recall@2 (std)"]
    assert "Not weighted by users.weight: the aggregates median, std. Only the mean has weights." in found.remarks


@pytest.mark.parametrize(
    ("evaluation", "sentence"),
    [
        ({"weights": {"users": "revenue"}}, "a column of data.users, written users.revenue, not 'revenue'"),
        ({"weights": {"users": "items.price"}}, "a column of data.users, written users.price, not 'items.price'"),
        ({"weights": "users.revenue"}, "say whose weights users.revenue are: {users: users.revenue}"),
        ({"weights": WEIGHTS, "aggregates": ["mean", "micro"]}, "beside evaluation.weights: write average=micro in the measure"),
        ({"weights": WEIGHTS, "metrics": ["F1(of=means,average=weighted)@5"]}, "it takes no average=weighted"),
        ({"metrics": ["Recall(average=weighted)@5"]}, "set evaluation.weights.users to users.COLUMN"),
    ],
)
def test_wrong_weights_in_a_config_have_a_sentence(evaluation, sentence):
    data = {"test": "t.csv", "users": "u.csv", "recommendations": "a.csv"}
    with pytest.raises(ConfigError) as error:
        load_config({"data": data, "evaluation": {"metrics": ["Recall@5"], **evaluation}})
    assert sentence in str(error.value)


def test_a_measure_whose_own_average_is_another_can_ask_for_the_weighted_mean(evaluate):
    asked = {"users": people(a=3.0, b=1.0, c=1.0), "metrics": ["AUC(average=weighted)", "AUC(average=mean)"], "train": TEST}
    found = evaluate(TEST, LISTS, **asked, weights=WEIGHTS)
    of_users = {user: row["AUC(average=mean)"] for user, row in per_user(found).items()}
    expected = np.average([of_users[user] for user in "abc"], weights=[3, 1, 1])
    assert values(found)["AUC(average=weighted) (weighted)"] == pytest.approx(expected)


def test_weights_without_data_users_name_the_door_of_the_user(receval, write):
    write("t.csv", "user,item\na,x\n")
    write("a.csv", "user,item,rank\na,x,1\n")
    given = ("run", "--test", "t.csv", "--recs", "a.csv", "-m", "Recall@1", "--set", "evaluation.weights.users=users.revenue")
    code, out, err = receval(*given)
    assert (code, out) == (2, "")
    assert "users.revenue comes from data.users: give --set data.users=FILE" in err
    with pytest.raises(ConfigError, match=r"users\.revenue comes from users: give users"):
        receval_evaluate(users=None)


def receval_evaluate(users):
    return receval.evaluate(test=TEST, recommendations=LISTS, users=users, metrics="Recall@2", weights=WEIGHTS_OF_REVENUE, health=False)


WEIGHTS_OF_REVENUE = {"users": "users.revenue"}


def test_python_takes_weights():
    found = receval_evaluate(people(a=3.0, b=1.0, c=1.0).rename({"weight": "revenue"}))
    assert {row.label: row.value for row in found.rows} == {"Recall@2 (weighted)": 0.5}


def two_models(evaluate, n=150, **given):
    """Return a result of two models over users with weights."""
    chance = random.Random(n)
    test = table(["user", "item"], [(user, item) for user in range(n) for item in chance.sample(range(12), 3)])
    lists = {
        name: table(["user", "item", "score"], [(u, i, 5.0 - r) for u in range(n) for r, i in enumerate(chance.sample(range(12), 5))])
        for name in ("base", "model")
    }
    users = pl.DataFrame(
        {"user": range(n), "weight": [chance.paretovariate(1.5) for _ in range(n)], "home": [u % 40 for u in range(n)], "one": [1.0] * n}
    )
    return evaluate(test, lists, users=users, **{"metrics": ["Recall@5", "nDCG@5"], "weights": WEIGHTS} | given)


def differences(found, **options):
    return {
        (difference.subject.measure, difference.subject.group): difference
        for difference in compare({"x": found}, ComparisonOptions(**options)).differences
    }


def test_the_interval_of_a_difference_is_the_jackknife_over_users(evaluate):
    found = two_models(evaluate, by=["users.home"])
    one = differences(found)["Recall@5 (weighted)", None]
    sides = [frame.sort("user") for frame in map(found.per_user.get, ("base", "model"))]
    a, b = (side["Recall@5"].to_numpy() for side in sides)
    w = sides[0]["Recall@5 denominator"].to_numpy()
    whole = np.average(b - a, weights=w)
    left_out = np.array([np.average(np.delete(b - a, place), weights=np.delete(w, place)) for place in range(len(w))])
    se = math.sqrt((len(w) - 1) / len(w) * ((left_out - whole) ** 2).sum())
    assert one.difference == pytest.approx(whole)
    assert one.se == pytest.approx(se)


def test_equal_weights_have_the_error_of_the_plain_mean_also_over_clusters(evaluate):
    weighted = two_models(evaluate, weights={"users": "users.one"}, by=["users.home"])
    plain = two_models(evaluate, weights={}, by=["users.home"])
    one, other = differences(weighted)["Recall@5 (weighted)", None], differences(plain)["Recall@5", None]
    assert (one.difference, one.se) == pytest.approx((other.difference, other.se))
    alone = differences(weighted, cluster="users.home")["Recall@5 (weighted)", None]
    assert alone.se == pytest.approx(differences(plain, cluster="users.home")["Recall@5", None].se, rel=0.02)
    assert alone.se != one.se


def test_a_sum_of_weighted_means_is_compared_like_them(evaluate):
    found = differences(two_models(evaluate, metrics=["Recall@5", "2*Recall@5 + 1"]))
    one, double = found["Recall@5 (weighted)", None], found["2*Recall@5 + 1", None]
    assert (double.difference, double.se) == pytest.approx((2 * one.difference, 2 * one.se))


def test_over_folds_neither_a_weighted_mean_nor_a_sum_of_them_has_an_interval(evaluate, tmp_path):
    two_models(evaluate)
    one = {"test": "test.parquet", "users": "users.parquet", "recommendations": {"base": "lists_0.parquet", "model": "lists_1.parquet"}}
    folds = [{"name": name, **one} for name in ("first", "second")]
    evaluation = {"metrics": ["Recall@5", "2*Recall@5"], "weights": WEIGHTS}
    (tmp_path / "folds.yaml").write_text(yaml.safe_dump({"data": {"folds": folds}, "evaluation": evaluation, "health": "off"}))
    found = differences(run(load_config(tmp_path / "folds.yaml")))
    for label in ("Recall@5 (weighted)", "2*Recall@5"):
        assert (found[label, None].interval, found[label, None].p) == (None, None)


def test_a_gate_names_a_weighted_mean_with_or_without_its_aggregate(evaluate):
    judged = gates(two_models(evaluate), "Recall@5 max_loss 90% against base", "Recall@5 (weighted) >= 0.99", models=["model"])
    assert [(gate.kind, gate.outcome) for gate in judged] == [("max_loss", "pass"), ("min", "fail")]


def test_measures_of_a_group_of_rows_are_weighted_and_compared(evaluate):
    test = TEST.with_columns(event=pl.Series(["click", "cart", "click", "cart"]))
    users = people(a=3.0, b=1.0, c=2.0)
    found = evaluate(test, LISTS, users=users, metrics=["Recall@2", "Recall(rows.event=click)@2"], by=["rows.event"], weights=WEIGHTS)
    assert values(found)["Recall(rows.event=click)@2 (weighted)"] == 1.0
    by_group = {(row.group, row.label): row.value for row in found.by_group}
    assert by_group["click", "Recall@2 (weighted)"] == 1.0
    assert by_group["cart", "Recall@2 (weighted)"] == 0.0


@pytest.mark.spark
def test_spark_gives_the_same_weighted_means(evaluate, spark):
    local, on_spark = two_models(evaluate, by=["users.home"]), two_models(evaluate, by=["users.home"], engine=spark)
    assert on_spark.rows == local.rows
    assert on_spark.by_group == local.by_group
