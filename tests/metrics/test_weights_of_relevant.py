"""Relevant items that count with a weight: a column of the test rows or of the items."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
import receval
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.config import load_config
from receval.evaluation import running
from receval.evaluation.running import whole_users
from receval.support.errors import ConfigError, DataError

from tests.conftest import per_user, table, values
from tests.gates.small import gates

ROWS = {"rows": "rows.quantity"}
TEST = table(["user", "item", "quantity"], [("a", "x", 2.0), ("a", "y", 1.0), ("a", "x", 3.0), ("b", "z", 4.0), ("b", "q", 0.0)])
LISTS = table(["user", "item", "rank"], [("a", "x", 1), ("a", "w", 2), ("b", "q", 1), ("b", "z", 2)])
ITEMS = table(["item", "price"], [("x", 10.0), ("y", 30.0), ("z", 5.0), ("q", 5.0), ("w", 1.0)])
K = 3


def shop(seed: int) -> dict[str, pl.DataFrame]:
    """Return purchases, some of an item twice, with quantities of which some are missing, and lists of ten items."""
    chance = random.Random(seed)
    users, items, events = range(30), range(12), ("click", "order")
    bought = [
        (user, item, chance.randint(1, 5), chance.choice((None, 0.0, 1.0, 2.5, 7.25)), chance.choice(events))
        for user in users
        for item in chance.sample(items, chance.randint(1, 5))
        for _ in range(chance.choice((1, 1, 2)))
    ]
    lists = [(user, item, chance.random()) for user in users for item in chance.sample(items, chance.randint(0, 8))]
    lists.append((0, 99, 0.5))
    columns = {"user": pl.Int64, "item": pl.Int64, "rating": pl.Int64, "quantity": pl.Float64, "event": pl.String}
    return {
        "test": pl.DataFrame(bought, schema=columns, orient="row"),
        "lists": table(["user", "item", "score"], lists),
        "items": pl.DataFrame({"item": items, "price": [chance.choice((0.1, 3.0, None)) for _ in items]}),
    }


def literal(
    inputs: Mapping[str, pl.DataFrame], column: str, threshold: int, event: str | None = None
) -> dict[int, dict[str, float | None]]:
    """Return the values of each user by NumPy, from the formulas of the docs."""
    price = dict(inputs["items"].rows())
    weight: dict[tuple[int, int], float] = {}
    for user, item, rating, quantity, kind in inputs["test"].rows():
        if rating >= threshold and event in (None, kind):
            by_row = weight.get((user, item), 0.0) + (quantity or 0.0)
            weight[user, item] = by_row if column == "rows.quantity" else price[item] or 0.0
    ranked = inputs["lists"].sort("user", "score", "item", descending=[False, True, False])
    found: dict[int, dict[str, float | None]] = {}
    for user in sorted({owner for owner, _ in weight}):
        own = {item: value for (owner, item), value in weight.items() if owner == user}
        listed = ranked.filter(pl.col("user") == user)["item"].head(K).to_list()
        gained = np.array([own.get(item, 0.0) for item in listed])
        best = np.sort(np.array([*own.values()]))[::-1]
        by = np.log2(np.arange(2, 2 + 20))
        dcg, ideal = float((gained / by[: len(gained)]).sum()), float((best[:K] / by[: len(best[:K])]).sum())
        found[user] = {
            "Recall": gained.sum() / best.sum() if best.sum() else None,
            "Recall(denominator=min_r_k": gained.sum() / best[:K].sum() if best.sum() else None,
            "HitRate": gained.max(initial=0.0) / best.max() if best.sum() else None,
            "DCG": dcg,
            "nDCG": dcg / ideal if best.sum() else None,
            "nDCGRendle2020": dcg / ideal if best.sum() else None,
        }
    return found


@pytest.mark.each_once
@pytest.mark.parametrize("column", ["rows.quantity", "items.price"])
@pytest.mark.parametrize("threshold", [1, 4])
def test_weighted_measures_are_those_of_numpy_by_the_formulas_of_the_docs(evaluate, column, threshold):
    for seed in range(4):
        inputs = shop(seed)
        expected = literal(inputs, column, threshold)
        asked: dict[str, Any] = {"top_k": [K], "relevance": {"threshold": threshold}, "weights": {column.partition(".")[0]: column}}
        names = ["Recall", "Recall(denominator=min_r_k)", "HitRate", "DCG", "nDCG", "nDCGRendle2020"]
        found = per_user(evaluate(**inputs, metrics=names, **asked))
        assert found.keys() == expected.keys()
        for user, of_user in expected.items():
            for name, value in of_user.items():
                label = f"{name}{',' if '(' in name else '('}weight={column})@{K}"
                assert found[user][label] == (value if value is None else pytest.approx(value, abs=1e-12)), (user, label)


def test_groups_of_test_rows_have_the_weights_of_their_rows_so_that_the_weights_of_hits_add_up(evaluate):
    inputs = shop(7)
    asked = {"metrics": ["DCG", "Recall"], "top_k": [K], "weights": ROWS, "by": ["rows.event"]}
    found = evaluate(**inputs, **asked)
    for event in ("click", "order"):
        expected = literal(inputs, "rows.quantity", 1, event)
        within = per_user(evaluate(**inputs, metrics=[f"Recall(rows.event={event})"], top_k=[K], weights=ROWS))
        label = f"Recall(weight=rows.quantity,rows.event={event})@{K}"
        for user, row in within.items():
            value = expected[user]["Recall"] if user in expected else None
            assert row[label] == (value if value is None else pytest.approx(value, abs=1e-12))
        values_of = [of_user["Recall"] for of_user in expected.values() if of_user["Recall"] is not None]
        (row,) = [group_row for group_row in found.by_group if group_row.group == event and group_row.metric.startswith("Recall")]
        assert row.value == pytest.approx(np.mean(values_of), abs=1e-12)
    plain = literal(inputs, "rows.quantity", 1)
    parts = [literal(inputs, "rows.quantity", 1, event) for event in ("click", "order")]
    for user, of_user in plain.items():
        assert of_user["DCG"] == pytest.approx(sum(part[user]["DCG"] or 0.0 for part in parts if user in part), abs=1e-12)


def test_any_parts_and_orders_of_rows_give_the_same_weighted_values(evaluate, monkeypatch):
    inputs = shop(3)
    asked = {"metrics": ["Recall", "nDCG", "HitRate"], "top_k": [K], "weights": ROWS}
    whole = evaluate(**inputs, **asked)
    monkeypatch.setattr(running, "whole_users", partial(whole_users, rows_per_part=9))
    other = {name: frame.sample(fraction=1, shuffle=True, seed=5) for name, frame in inputs.items()}
    parts = evaluate(**other, **asked)
    assert parts.rows == whole.rows
    assert parts.per_user["model"].equals(whole.per_user["model"])


@pytest.mark.spark
def test_weighted_values_on_spark_are_those_of_other_engines(evaluate, spark):
    inputs = shop(3)
    asked = {"metrics": ["Recall", "nDCG"], "top_k": [K], "weights": ROWS}
    assert evaluate(**inputs, **asked, engine=spark).rows == evaluate(**inputs, **asked).rows


def test_the_weights_are_printed_in_every_measure_that_they_fit_and_the_others_are_named(evaluate):
    metrics = ["Recall@2", "Recall(weight=none)@2", "MAP@2", "F1@2", "HitRate(at_least=2)@2", "2*nDCG@2", "WeightedRecall@2"]
    found = evaluate(TEST, LISTS, metrics=metrics, weights=ROWS)
    assert [row.label for row in found.rows] == [
        "Recall(weight=rows.quantity)@2",
        "Recall(weight=none)@2",
        "MAP@2",
        "F1@2",
        "HitRate(at_least=2)@2",
        "WeightedRecall@2",
        "2*nDCG(weight=rows.quantity)@2",
    ]
    assert values(found)["Recall(weight=rows.quantity)@2"] == pytest.approx((5 / 6 + 1) / 2)
    assert values(found)["Recall(weight=none)@2"] == pytest.approx((1 / 2 + 1) / 2)
    assert (
        "Not weighted by rows.quantity: MAP, F1, HitRate(at_least=2). These weights are for Recall, HitRate, DCG and nDCG, and measures of "
        "value such as WeightedPrecision and Revenue."
    ) in found.remarks
    assert found.definitions["Recall(weight=rows.quantity)"].params == {"weight": "rows.quantity"}
    assert found.definitions["Recall(weight=none)"].params == {}
    assert found.definitions["WeightedRecall"].params["column"] == "rows.quantity"


def test_weights_of_items_also_weight_precision_by_name(evaluate):
    metrics, weights = ["WeightedPrecision@2", "Recall@2"], {"items": "items.price"}
    found = evaluate(TEST.drop("quantity"), LISTS, items=ITEMS, metrics=metrics, weights=weights)
    assert values(found)["WeightedPrecision@2"] == pytest.approx((10 / 11 + 1) / 2)
    assert values(found)["Recall(weight=items.price)@2"] == pytest.approx((10 / 40 + 1) / 2)


def test_a_convention_whose_ideal_list_has_no_weights_leaves_its_measure_as_it_is_and_says_so(evaluate):
    found = evaluate(TEST, LISTS, metrics=["nDCG@2", "DCG@2"], weights=ROWS, convention="rectools")
    assert values(found).keys() == {"nDCG@2", "DCG(weight=rows.quantity)@2"}
    assert any(remark.startswith("Not weighted by rows.quantity: nDCG. ") for remark in found.remarks)


def test_results_with_different_weights_have_no_measure_in_common(evaluate):
    one = evaluate(TEST, LISTS, metrics=["Recall@2"], weights=ROWS)
    other = evaluate(TEST.drop("quantity"), LISTS, metrics=["Recall@2"])
    with pytest.raises(DataError, match=r"the first has Recall\(weight=rows.quantity\)@2, the second Recall@2"):
        compare({"weighted": one, "plain": other}, ComparisonOptions())


def test_a_gate_names_a_weighted_measure_with_or_without_its_weight(evaluate):
    result = evaluate(TEST, LISTS, metrics=["Recall@2"], weights=ROWS)
    judged = gates(result, "Recall@2 >= 0.9", "Recall(weight=rows.quantity)@2 >= 0.95")
    assert [(gate.kind, gate.outcome) for gate in judged] == [("min", "pass"), ("min", "fail")]


@pytest.mark.parametrize(
    ("evaluation", "sentence"),
    [
        ({"weights": {"rows": "quantity"}}, "the weights of rows are a column of the test rows, written rows.quantity, not 'quantity'"),
        ({"weights": {"items": "rows.price"}}, "the weights of items are a column of data.items, written items.price, not 'rows.price'"),
        ({"weights": {"items": "items.price"}}, "needs the column 'price' of the items: give data.items"),
        ({"weights": {"rows": "rows.n", "items": "items.price"}}, "a relevant item has one weight: give rows or items, not both"),
        ({"weights": "rows.quantity"}, "say whose weights rows.quantity are: {rows: rows.quantity}"),
        ({"metrics": ["HitRate(at_least=2,weight=rows.n)@5"]}, "HitRate with a weight is that of the best hit: it takes no at_least"),
        ({"metrics": ["nDCG(ideal=k_items,weight=rows.n)@5"]}, "nDCG takes a weight only with ideal=relevant, not with k_items"),
        (
            {"metrics": ["Recall(weight=quantity)@5"]},
            "the column must be items.quantity (of data.items) or rows.quantity (of the test rows)",
        ),
        (
            {"weights": {"rows": "rows.n"}, "metrics": ["WeightedPrecision@5"]},
            "test rows have those of relevant items only: use items.COLUMN",
        ),
    ],
)
def test_wrong_weights_of_relevant_items_have_a_sentence(evaluation, sentence):
    with pytest.raises(ConfigError) as error:
        load_config({"data": {"test": "t.csv", "recommendations": "a.csv"}, "evaluation": {"metrics": ["Recall@5"], **evaluation}})
    assert sentence in str(error.value)


def test_a_weight_below_0_and_a_column_without_numbers_are_refused_and_missing_weights_are_counted(evaluate):
    refunded = TEST.with_columns(quantity=pl.Series([-2.0, *TEST["quantity"][1:]]))
    with pytest.raises(DataError, match=r"is below 0 in 1 of 5 rows, first '-2.0' \(user a, item x\); Recall takes no such"):
        evaluate(refunded, LISTS, metrics=["Recall@2"], weights=ROWS)
    with pytest.raises(DataError, match="is not a number"):
        evaluate(TEST.with_columns(quantity=pl.lit("many")), LISTS, metrics=["Recall@2"], weights=ROWS)
    some = evaluate(TEST.with_columns(quantity=pl.when(pl.col("quantity") > 1).then("quantity")), LISTS, metrics=["Recall@2"], weights=ROWS)
    assert "data.test: 2 of 5 test rows have no value in column quantity and count 0 in Recall." in some.remarks


def test_the_python_door_takes_weights_and_explains_them():
    result = receval.evaluate(test=TEST, recommendations=LISTS, metrics=["Recall@2"], weights=ROWS, health=False)
    assert "Recall(weight=rows.quantity)@2" in str(result)
    told = str(receval.explain(measure="Recall@2", user="a", test=TEST, recommendations=LISTS, weights=ROWS))
    assert all(part in told for part in ("rows.quantity", "sum of weight  5", "sum of weight  6"))
