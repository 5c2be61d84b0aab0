"""Measures of value: columns of items and of test rows, odd values, and equal metrics if all values are 1."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import polars as pl
import pytest
import receval
from receval import conventions, load_config, run
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.conventions import PROTOCOL
from receval.evaluation import files
from receval.metrics import resolve
from receval.support.errors import ConfigError, DataError
from receval.syntax.measure_strings import parse

from tests.conftest import per_user, table, values
from tests.sizes import each_once, some

TEST = table(["user", "item", "paid"], [("a", "x", 9.0), ("a", "y", 6.0), ("b", "z", 1.0)])
LISTS = table(["user", "item", "score"], [("a", "x", 0.9), ("a", "q", 0.8), ("b", "z", 0.9)])
ITEMS = table(["item", "price"], [("x", 10.0), ("y", 4.0), ("z", 0.5), ("q", 20.0)])


def world(seed: int) -> dict[str, pl.DataFrame]:
    """Return files with repeated rows, ties, missing prices, and users on one side only."""
    chance = random.Random(seed)
    users, items = range(12), range(15)
    test = [(user, item, chance.randint(0, 5), chance.choice((0.1, 0.2, 0.7, 3.3))) for user in users for item in chance.sample(items, 4)]
    test += chance.sample(test, 10)
    lists = [(user, item, chance.randint(0, 6) / 3) for user in (*users, 99) for item in chance.sample([*items, 77], 8)]
    lists += chance.sample(lists, 9)
    prices = [(item, chance.choice((0.1, 0.2, 0.3, 1e6, None))) for item in items]
    return {
        "test": table(["user", "item", "rating", "paid"], test),
        "lists": table(["user", "item", "score"], lists),
        "items": pl.DataFrame(prices, schema={"item": pl.Int64, "price": pl.Float64}, orient="row"),
    }


def test_revenue_is_the_sum_of_all_prices_that_were_paid_for_hits_whatever_the_order_of_rows(evaluate):
    for seed in range(5):
        inputs = world(seed)
        price = {item: Fraction(price or 0.0) for item, price in inputs["items"].rows()}
        first_paid: dict[tuple[int, int], float] = {}
        for user, item, rating, paid in inputs["test"].rows():
            if rating > 0:
                first_paid[user, item] = max(paid, first_paid.get((user, item), 0.0))
        listed = inputs["lists"].sort("user", "score", "item", descending=[False, True, False]).group_by("user", maintain_order=True)
        expected: dict[int, list[float]] = {}
        for (user,), rows in listed:
            cut = [(user, item) for item in rows["item"].head(3)]
            hits = {pair for pair in cut if pair in first_paid}
            total = sum(price[item] for buyer, item in first_paid if buyer == user)
            of_hits = sum(price[item] for _, item in hits)
            expected[user] = [
                float(of_hits),
                float(sum(Fraction(first_paid[pair]) for pair in hits)),
                float(of_hits) / float(total) if total else math.nan,
                float(of_hits) / float(in_list) if (in_list := sum(price.get(item, Fraction(0)) for _, item in cut)) else 0.0,
            ]
        names = ["Revenue(column=items.price)", "Revenue(column=rows.paid)", "RevenueShare(column=items.price)"]
        names.append("WeightedPrecision(column=items.price)")
        for shuffle in (None, 1, 2):
            frames = {
                name: frame if shuffle is None else frame.sample(fraction=1, shuffle=True, seed=shuffle) for name, frame in inputs.items()
            }
            found = per_user(evaluate(**frames, metrics=names, top_k=[3, "none"]))
            assert len(found) == 12
            for user, row in found.items():
                got = [math.nan if (one := row[f"{name}@3"]) is None else one for name in names]
                assert got == pytest.approx(expected[user], abs=0, rel=0, nan_ok=True), user


EQUAL = {
    "Revenue(column=%s)": "Hits",
    "Profit(column=%s)": "Hits",
    "RevenueShare(column=%s)": "Recall(denominator=r)",
    "WeightedRecall(column=%s)": "Recall(denominator=r)",
    "WeightedHitRate(column=%s)": "HitRate",
    "WeightedPrecision(column=%s)": "Precision(denominator=list_length)",
}


@pytest.mark.parametrize(("convention", "column"), some(each_once(sorted(conventions.builtin_names()), ["items.one", "rows.one"]), 13))
def test_with_a_value_of_1_for_everything_they_equal_the_metrics_without_values_under_every_convention(convention, column, evaluate):
    inputs = world(7)
    items = table(["item", "one"], [(item, 1) for item in (*range(15), 77)])
    settings = conventions.load(convention)
    axes = settings.axes_of("Revenue")
    if column == "rows.one" and axes["truth_duplicates"] == "sum":
        return  # the value of a repeated pair is 2

    def alike(plain: str) -> str:
        """Return the metric of receval with the axes that measures of value have under the convention."""
        name, _, own = plain.removesuffix(")").partition("(")
        differ = [f"{axis}={axes[axis]}" for axis in PROTOCOL if settings.axes_of(name)[axis] != axes[axis]]
        return resolve(parse(f"{name}({','.join([*filter(None, [own]), *differ])})"), settings).spec.title

    names = {valued % column: alike(plain) for valued, plain in EQUAL.items() if column == "items.one" or "Precision" not in valued}
    test = inputs["test"].with_columns(one=pl.lit(1))
    measures = [name for pair in names.items() for name in pair]
    result = evaluate(test, inputs["lists"], items=items, metrics=measures, top_k=[3, "none"], convention=convention)
    tested = set(inputs["test"]["user"])
    for row in (row for user, row in per_user(result).items() if user in tested):  # others have no relevant item, so no share of its value
        for valued, plain in names.items():
            for k in ("3", "none"):
                assert row[f"{valued}@{k}"] == row[f"{plain}@{k}"], (valued, plain, k)


def test_revenue_does_not_depend_on_the_order_of_hits_so_that_users_who_did_not_change_count_as_unchanged(evaluate):
    items = table(["item", "price"], [("x", 0.1), ("y", 0.2), ("z", 0.3), ("q", 0.7)])
    test = table(["user", "item"], [("a", item) for item in "xyzq"])
    orders = {
        order: table(["user", "item", "score"], [("a", item, 1 - n / 10) for n, item in enumerate(order)]) for order in ("xyzq", "qzyx")
    }
    result = evaluate(test, orders, items=items, metrics=["Revenue(column=items.price)", "RevenueShare(column=items.price)"], top_k=[4])
    one, other = (frame.row(0) for frame in result.per_user.values())
    assert one == other
    assert one[-1] == 1.0


def test_a_measure_takes_its_column_from_the_config_and_is_named_without_it(evaluate):
    columns = {"revenue": "items.price", "weight": "rows.paid"}
    found = values(evaluate(TEST, LISTS, items=ITEMS, metrics=["Revenue", "WeightedRecall"], top_k=[2], value_columns=columns))
    assert found["Revenue@2"] == (10 + 0.5) / 2
    assert found["WeightedRecall@2"] == (9 / 15 + 1) / 2
    both = evaluate(
        TEST, LISTS, items=ITEMS, metrics=["Revenue(column=items.price)", "Revenue(column=rows.paid)"], top_k=[2], value_columns=columns
    )
    assert list(values(both)) == ["Revenue@2", "Revenue(column=rows.paid)@2"]
    assert both.definitions["Revenue"].params == {"column": "items.price"}


def test_a_rating_may_be_the_value(evaluate):
    test = TEST.rename({"paid": "rating"})
    assert values(evaluate(test, LISTS, metrics=["Revenue(column=rows.rating)"], top_k=[2])) == {"Revenue(column=rows.rating)@2": 5.0}


def test_arithmetic_and_groups_of_items_know_measures_of_value(evaluate):
    columns = {"revenue": "items.price", "profit": "items.margin"}
    items = ITEMS.with_columns(margin=pl.col("price") / 2, brand=pl.Series(["n", "m", "n", "m"]))
    result = evaluate(
        TEST,
        LISTS,
        items=items,
        metrics=["Profit@2/Revenue@2", "RevenueShare@2"],
        by=["items.brand"],
        value_columns=columns,
        aggregates=["mean"],
    )
    assert values(result)["Profit@2/Revenue@2"] == 0.5
    by_brand = {(row.group, row.label): row.value for row in result.by_group}
    assert by_brand["n", "RevenueShare@2"] == 1.0
    assert by_brand["m", "RevenueShare@2"] == 0.0


def test_models_are_compared_in_revenue(evaluate):
    other = table(["user", "item", "score"], [("a", "y", 0.9), ("b", "q", 0.9)])
    result = evaluate(TEST, {"one": LISTS, "two": other}, items=ITEMS, metrics=["Revenue(column=items.price)"], top_k=[2])
    (found,) = compare({"all": result}, ComparisonOptions()).differences
    assert found.difference == pytest.approx((4 + 0) / 2 - (10 + 0.5) / 2)


@pytest.mark.parametrize(
    ("measure", "columns", "problem"),
    [
        (
            "Revenue@5",
            {},
            "Revenue@5 needs the column that has the value of each relevant item: "
            "set evaluation.value_columns.revenue to rows.COLUMN (of the test rows) or items.COLUMN (of data.items)",
        ),
        ("Profit@5", {"revenue": "items.price"}, "set evaluation.value_columns.profit to"),
        ("F1(RevenueShare,WeightedRecall)@5", {"revenue": "items.price"}, "set evaluation.value_columns.weight to"),
        ("Revenue(column=price)@5", {}, r"the column must be items.price (of data.items) or rows.price (of the test rows), not 'price'"),
        ("Revenue(column=test.paid)@5", {}, "a column of the test rows is written rows.paid, not 'test.paid'"),
        ("Revenue(column=item.price)@5", {}, "did you mean 'items.price'?"),
        ("Revenue@5", {"revenue": "price"}, r"the column must be items.price (of data.items) or rows.price"),
        (
            "WeightedPrecision@5",
            {},
            "the value of each listed item: set evaluation.value_columns.weight to items.COLUMN (of data.items)",
        ),
        ("WeightedPrecision@5", {"weight": "rows.paid"}, "test rows have those of relevant items only: use items.COLUMN"),
        ("WeightedPrecision(column=rows.paid)@5", {}, "test rows have those of relevant items only: use items.COLUMN"),
    ],
)
def test_a_column_that_is_not_named_or_not_possible_is_refused_before_any_file_is_read(measure, columns, problem, evaluate):
    with pytest.raises(ConfigError) as error:
        evaluate(TEST, LISTS, items=ITEMS, metrics=[measure], value_columns=columns)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("column", "prices", "metric", "problem"),
    [
        ("items.prise", [1, 1, 1, 1], "Revenue", "no column 'prise'"),
        ("items.item", [1, 1, 1, 1], "Revenue", "column 'item' holds the item ids"),
        ("items.price", ["1", "12,50", "1", "free"], "Revenue", "column 'price' is not a number in 2 of 4 rows, first '12,50' (item y)"),
        ("items.price", [1.0, math.inf, 1.0, 1.0], "Profit", "column 'price' is beyond 1e15 in 1 of 4 rows, first 'inf' (item y)"),
        (
            "items.price",
            [1, -2, 1, 1],
            "Revenue",
            "column 'price' is below 0 in 1 of 4 rows, first '-2' (item y); Revenue takes no such values",
        ),
        ("items.price", [1, -2, 1, 1], "WeightedRecall", "WeightedRecall takes no such values"),
        ("items.price", [None, None, None, 7], "Revenue", "none of the 3 test items has a value in column 'price'"),
    ],
)
def test_values_that_cannot_be_added_up_are_refused_with_their_number_and_the_first(column, prices, metric, problem, evaluate):
    items = ITEMS.with_columns(price=pl.Series(prices))
    with pytest.raises(DataError) as error:
        evaluate(TEST, LISTS, items=items, metrics=[f"{metric}(column={column})@2"])
    assert problem in str(error.value)


def test_a_refused_value_of_a_test_row_names_its_user_and_item(evaluate):
    test = TEST.with_columns(paid=pl.Series([3.0, -1.0, 2.0]))
    with pytest.raises(DataError, match=r"column 'paid' is below 0 in 1 of 3 rows, first '-1.0' \(user a, item y\); Revenue takes"):
        evaluate(test, LISTS, metrics=["Revenue(column=rows.paid)@2"])
    found = evaluate(test, table(["user", "item", "score"], [("a", "y", 1.0)]), metrics=["Profit(column=rows.paid)@2"])
    assert values(found)["Profit(column=rows.paid)@2"] == -0.5


def test_missing_values_count_0_and_are_counted(evaluate):
    items = table(["item", "price"], [("x", 10.0), ("y", None), ("q", math.nan), ("q", 3.0), ("q", 2.0)])
    result = evaluate(TEST, LISTS, items=items, metrics=["Revenue(column=items.price)", "WeightedPrecision(column=items.price)"], top_k=[2])
    assert values(result)["Revenue(column=items.price)@2"] == 5.0
    assert values(result)["WeightedPrecision(column=items.price)@2"] == (10 / 13 + 0) / 2
    assert result.remarks[0] == "data.items: 1 item has several values in column price: the highest is used."
    assert result.remarks[1] == ("data.items: 2 of 3 test items have no value in column price and count 0 in Revenue, WeightedPrecision.")
    assert "model: 1 of 3 recommended items has no weight and counts 0 in WeightedPrecision." in result.remarks
    test = TEST.with_columns(paid=pl.Series([None, 6.0, 1.0]))
    result = evaluate(test, LISTS, metrics=["Revenue(column=rows.paid)"], top_k=[2])
    assert values(result)["Revenue(column=rows.paid)@2"] == 0.5
    assert result.remarks[0] == "data.test: 1 of 3 test rows has no value in column paid and counts 0 in Revenue."


def test_the_columns_are_in_the_resolved_config_and_one_that_no_measure_uses_is_no_fault(write):
    write("t.csv", "user,item,price\na,x,1\n")
    write("l.csv", "user,item,score\na,x,1\n")
    path = write(
        "c.yaml",
        "data: {test: t.csv, recommendations: {m: l.csv}}\n"
        "evaluation:\n  metrics: [Revenue]\n  value_columns: {revenue: rows.price, profit: rows.margin}\n",
    )
    loaded = load_config(path)
    assert loaded.warnings == ()
    assert loaded.resolved()["evaluation"]["value_columns"] == {"revenue": "rows.price", "profit": "rows.margin"}
    assert values(run(loaded), "m")["Revenue@10"] == 1.0


def test_a_run_without_measures_of_value_reads_no_column_for_them(evaluate, monkeypatch):
    needs = []
    plain = files.prepare_sides
    monkeypatch.setattr(files, "prepare_sides", lambda frames, need, *more: needs.append((frames, need)) or plain(frames, need, *more))
    evaluate(TEST, LISTS, items=ITEMS, metrics=["nDCG", "Accuracy"], top_k=[2])
    ((frames, need),) = needs
    assert (need.item_values, need.row_values) == ((), ())
    assert frames.test.columns == ["user", "item", "row"]
    assert frames.items.columns == ["item", "row"]


def test_python_takes_frames_and_the_columns():
    result = receval.evaluate(
        test=TEST, recommendations=LISTS, items=ITEMS, metrics="Revenue@2", value_columns={"revenue": "items.price"}, health=False
    )
    assert values(result)["Revenue@2"] == 5.25
    from receval.functional import revenue

    named = {"user_col": "user", "item_col": "item"}
    assert revenue(TEST, LISTS, k=2, column="rows.paid", **named) == 5.0
    with pytest.raises(ConfigError, match=r"set value_columns\.revenue to rows\.COLUMN"):
        revenue(TEST, LISTS, k=2, **named)


def test_rows_of_a_pair_whose_value_does_not_count_are_said_with_the_policy_that_adds_them_up(evaluate):
    test = table(["user", "item", "paid"], [("a", "x", 9.0), ("a", "x", 2.0), ("a", "x", 1.0), ("b", "z", 1.0)])
    given = {"metrics": ["Revenue"], "top_k": [2], "value_columns": {"revenue": "rows.paid"}}
    (said,) = (remark for remark in evaluate(test, LISTS, **given).remarks if "highest value" in remark)
    assert said.startswith("model: 2 of 4 test rows repeat a pair and add no value: only the highest value of a pair counts;")
    summed = evaluate(test, LISTS, **given, policy={"truth_duplicates": "sum"})
    assert (values(summed)["Revenue@2"], [remark for remark in summed.remarks if "highest" in remark]) == ((12.0 + 1.0) / 2, [])
