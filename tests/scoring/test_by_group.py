"""Values by group of users and of relevant items, worked by hand and compared with runs over the rows of one group."""

from __future__ import annotations

import math
import random
from statistics import fmean

import polars as pl
import pytest
from receval.results.repeats import over_folds
from receval.support.errors import DataError

from tests.conftest import per_user, table
from tests.variants import COLUMN
from tests.worlds import pairs, sides

# User a has the relevant items x z, b y, c z, d w. The lists: a: x w, b: z y, c: x y, d: w.
TEST = table(["user", "item"], [("a", "x"), ("a", "z"), ("b", "y"), ("c", "z"), ("d", "w")])
LISTS = table(
    ["user", "item", "score"],
    [("a", "x", 2.0), ("a", "w", 1.0), ("b", "z", 2.0), ("b", "y", 1.0), ("c", "x", 2.0), ("c", "y", 1.0), ("d", "w", 1.0)],
)
# Train has 3 rows of a, 1 of b, none of c, 6 of d.
TRAIN = table(["user", "item"], [*(("a", item) for item in "pqr"), ("b", "p"), *(("d", item) for item in "pqrstu")])
USERS = table(["user", "plan"], [("a", "free"), ("b", "paid"), ("c", None), ("z", "gone")])
ITEMS = table(["item", "categories", "kind"], [("x", "pop", "new"), ("y", "pop|rock", "new"), ("z", "rock", "old"), ("w", None, None)])
LOG3 = 1 / math.log2(3)


def by_group(result, label, model="model"):
    """Return grouping → group → value and number of users of a measure."""
    table = {}
    for row in result.by_group:
        if row.model == model and row.label == label:
            table.setdefault(row.by, {})[row.group] = (row.value, row.n_users)
    return table


def approx(groups):
    return {group: (value if value is None else pytest.approx(value, abs=1e-12), n) for group, (value, n) in groups.items()}


@pytest.fixture
def toy(evaluate):
    """Return a function that evaluates the toy, split into groups."""

    def toy(by, metrics=("Recall", "MRR", "Precision", "nDCG"), **options):
        return evaluate(TEST, LISTS, train=TRAIN, users=USERS, items=ITEMS, metrics=list(metrics), top_k=[2], by=by, **options)

    return toy


def test_users_are_split_by_a_column_and_those_without_a_value_are_a_group(toy):
    result = toy(["users.plan"])
    # Recall@2: a 1/2, b 1, c 0, d 1, whom data.users does not have
    assert by_group(result, "Recall@2") == {"users.plan": approx({"free": (0.5, 1), "paid": (1, 1), "(missing)": (0.5, 2)})}
    assert "2 test users have no plan in data.users: they are in the group (missing)." in result.notes()


def test_users_are_split_by_the_number_of_their_train_rows(toy):
    found = by_group(toy([{"train_count": [1, 3, 5]}]), "Recall@2")
    assert found == {"train_count": approx({"0": (0, 1), "1-2": (1, 1), "3-4": (0.5, 1), "5+": (1, 1)})}


def test_cold_users_have_no_train_row(toy):
    assert by_group(toy("cold"), "MRR@2") == {"cold": approx({"cold": (0, 1), "warm": (2.5 / 3, 3)})}


def test_a_group_by_number_of_train_rows_has_a_row_even_without_users(toy):
    found = by_group(toy([{"train_count": [2, 7]}], aggregates=["mean", "bootstrap95", "micro"]), "Recall@2")
    assert found == {"train_count": approx({"0-1": (0.5, 2), "2-6": (0.75, 2), "7+": (None, 0)})}


def test_relevant_items_are_split_by_a_column_with_several_values_per_item(toy):
    result = toy(["items.categories"])
    # pop: x of a at rank 1, y of b at rank 2. rock: z of a and of c, not listed; y of b. Without a category: w of d at rank 1.
    expected = {
        "Recall@2": {"pop": (1, 2), "rock": (1 / 3, 3), "(missing)": (1, 1)},
        "MRR@2": {"pop": (0.75, 2), "rock": (1 / 6, 3), "(missing)": (1, 1)},
        "Precision@2": {"pop": (0.5, 2), "rock": (1 / 6, 3), "(missing)": (0.5, 1)},
        "nDCG@2": {"pop": ((1 + LOG3) / 2, 2), "rock": (LOG3 / 3, 3), "(missing)": (1, 1)},
    }
    assert {label: by_group(result, label)["items.categories"] for label in expected} == {
        label: approx(groups) for label, groups in expected.items()
    }


def test_a_column_of_items_that_is_not_split_has_one_value_per_item(toy):
    found = by_group(toy(["items.kind"]), "Recall@2")
    # new: x of a, y of b; old: z of a and of c
    assert found == {"items.kind": approx({"new": (1, 2), "old": (0, 2), "(missing)": (1, 1)})}


def test_pooled_values_and_medians_are_computed_from_the_users_of_a_group(toy):
    result = toy([{"train_count": [1]}, "items.categories"], metrics=["Recall"], aggregates=["micro", "median", "sum", "std"])
    # with train: a 1 of 2, b 1 of 1, d 1 of 1
    assert by_group(result, "Recall@2 (micro)")["train_count"]["1+"] == (pytest.approx(3 / 4), 3)
    assert by_group(result, "Recall@2 (median)")["train_count"]["1+"] == (1, 3)
    assert by_group(result, "Recall@2 (sum)")["train_count"]["1+"] == (2.5, 3)
    assert by_group(result, "Recall@2 (std)")["train_count"]["1+"] == (pytest.approx(math.sqrt(1 / 12)), 3)
    assert by_group(result, "Recall@2 (micro)")["items.categories"]["rock"] == (pytest.approx(1 / 3), 3)
    assert by_group(result, "Recall@2 (median)")["items.categories"]["rock"] == (0, 3)


def test_arithmetic_of_measures_is_computed_in_each_group(toy):
    result = toy(["users.plan", "items.kind"], metrics=["Recall@2 + 2*MRR@2", "Recall@2 + NumRetrieved@2"])
    assert by_group(result, "Recall@2 + 2*MRR@2") == {
        "users.plan": approx({"free": (2.5, 1), "paid": (2, 1), "(missing)": (1.5, 2)}),
        "items.kind": approx({"new": (2.5, 2), "old": (0, 2), "(missing)": (3, 1)}),
    }
    assert by_group(result, "Recall@2 + NumRetrieved@2").keys() == {"users.plan"}


def test_measures_that_cannot_be_split_by_a_group_have_a_note(toy):
    result = toy(["cold", "items.kind"], metrics=["Recall", "NumRetrieved", "ItemCoverage"])
    assert by_group(result, "ItemCoverage@2") == {}
    assert by_group(result, "NumRetrieved@2").keys() == {"cold"}
    assert "There are no values of ItemCoverage by cold: only measures with per-user values can be split." in result.notes()
    assert (
        "There are no values of NumRetrieved, ItemCoverage by items.kind: only measures based on hits can be split by items."
        in result.notes()
    )


def test_groups_of_fewer_than_100_users_are_marked(evaluate):
    users = range(301)
    test = table(["user", "item"], [(user, 1) for user in users])
    plans = table(["user", "plan"], [(user, "few" if user < 99 else "many") for user in users])
    result = evaluate(test, test, users=plans, metrics=["Recall"], by=["users.plan"])
    assert {row.group: (row.n_users, row.few_users) for row in result.by_group} == {"few": (99, True), "many": (202, False)}
    assert [row.few_users for row in result.rows] == [None]


def test_a_group_that_is_small_in_one_fold_is_marked_in_the_mean_over_folds(evaluate):
    plans = table(["user", "plan"], [(user, "a" if user % 2 else "b") for user in range(400)])

    def fold_values(users):
        test = table(["user", "item"], [(user, 1) for user in users])
        return evaluate(test, test, users=plans, metrics=["Recall"], by=["users.plan"])

    both = over_folds({"1": fold_values(range(200)), "2": fold_values(range(1, 220, 2))}, {})
    assert {row.group: (row.n_users, row.few_users) for row in both.by_group} == {"a": (210, False), "b": (100, False)}
    both = over_folds({"1": fold_values(range(190)), "2": fold_values(range(1, 220, 2))}, {})
    assert {row.group: (row.n_users, row.few_users) for row in both.by_group} == {"a": (205, True), "b": (95, True)}
    assert [row.few_users for row in both.rows] == [None]


def test_groups_of_users_have_the_share_of_the_best_possible_value(toy):
    result = toy(["users.plan", "items.kind"], metrics=["Recall", "MRR"], yardsticks=["oracle"])
    shares = {(row.by, row.group, row.label): row.achieved for row in result.by_group if row.model == "model"}
    for (by, group, label), share in shares.items():
        value = by_group(result, label)[by][group][0]
        best = by_group(result, label, "(oracle)")[by][group][0]
        assert share == (None if by == "items.kind" else pytest.approx(value / best))
    assert {by for by, _, _ in shares} == {"users.plan", "items.kind"}


def test_groups_have_no_share_of_the_best_value_if_a_measure_leaves_users_out(evaluate):
    lists, options = (
        LISTS.filter(pl.col("user") != "b"),
        {"users": USERS, "metrics": ["Recall@2"], "by": ["users.plan"], "yardsticks": ["oracle"]},
    )
    shares = {}
    for how in ("zero", "drop"):
        result = evaluate(TEST, lists, **options, policy={"missing_lists": how})
        shares[how] = {row.group: row.achieved for row in result.by_group if row.model == "model"}
    assert shares == {"zero": {"free": 0.5, "paid": 0, "(missing)": 0.5}, "drop": {"free": None, "(missing)": None}}


def test_values_of_reference_lists_are_split_too(toy):
    result = toy(["users.plan", "items.kind"], metrics=["Recall"], yardsticks=["oracle"])
    assert by_group(result, "Recall@2", "(oracle)") == {
        "users.plan": approx({"free": (1, 1), "paid": (1, 1), "(missing)": (1, 2)}),
        "items.kind": approx({"new": (1, 2), "old": (1, 2), "(missing)": (1, 1)}),
    }


def test_a_column_of_more_than_1000_values_is_refused(evaluate):
    users = table(["user", "name"], [(user, f"name {user}") for user in range(1001)])
    rows = table(["user", "item"], [(1, 1)])
    with pytest.raises(DataError, match=r"users\.name has 1,001 groups, but at most 1,000 are possible"):
        evaluate(rows, rows, users=users, metrics=["Recall"], by=["users.name"])


METRICS = ["Precision", "Recall", "MAP", "nDCG", "MRR", "F1", "HitRate", "EPC", "DCG", "nDCG(convention=recbole)", "RBP"]


@pytest.fixture
def world():
    chance = random.Random(5)
    users, items = range(40), range(20)
    lists = [
        (user, item, chance.randint(0, 5) / 3) for user in (*users, 99) for item in chance.sample([*items, 100], chance.randint(0, 12))
    ]
    test = [(user, item, chance.randint(0, 5)) for user, item in pairs(chance, users, (*items, 101), 0.4)]
    return {
        "test": table(["user", "item", "rating"], test),
        "lists": table(["user", "item", "score"], lists),
        **sides(chance, users, items),
    }


def test_a_group_of_users_has_the_mean_of_its_users(evaluate, world):
    result = evaluate(**world, metrics=METRICS, top_k=[3, "none"], by=[f"users.{COLUMN}", "cold"])
    groups = dict(world["users"].drop_nulls().iter_rows())
    trained = set(world["train"]["user"])
    members = {
        f"users.{COLUMN}": lambda user, group: groups.get(user, "(missing)") == group,
        "cold": lambda user, group: (user in trained) == (group == "warm"),
    }
    assert {row.group for row in result.by_group} == {"a", "b", "(missing)", "cold", "warm"}
    users = per_user(result)
    for row in result.by_group:
        values = [of_user[row.label] for user, of_user in users.items() if members[row.by](user, row.group)]
        values = [value for value in values if value is not None]
        assert (row.n_users, row.value) == (len(values), pytest.approx(fmean(values), abs=1e-12) if values else None), row


@pytest.mark.parametrize("column", [COLUMN, "categories"])
def test_a_group_of_items_has_the_values_of_a_test_file_of_its_items(evaluate, world, column):
    result = evaluate(**world, metrics=METRICS, top_k=[3, "none"], by=[f"items.{column}"], relevance={"threshold": 2})
    named = world["items"].select("item", name=pl.col(column)).with_columns(pl.col("name").str.split("|")).explode("name").drop_nulls()
    found = {(row.group, row.label): (row.value, row.n_users) for row in result.by_group}
    groups = dict.fromkeys(group for group, _ in found)
    assert len(groups) > 2
    assert "(missing)" in groups
    for group in groups:
        items = named.filter(name=group)["item"].implode() if group != "(missing)" else named["item"].implode()
        inside = pl.col("item").is_in(items)
        rows = world["test"].filter(~inside if group == "(missing)" else inside)
        alone = evaluate(**{**world, "test": rows}, metrics=METRICS, top_k=[3, "none"], relevance={"threshold": 2})
        for row in alone.rows:
            of_users = (of_user for of_user in per_user(alone).values() if of_user["n_relevant"] > 0)
            values = [of_user[row.label] for of_user in of_users if of_user[row.label] is not None]
            assert found[group, row.label] == (pytest.approx(fmean(values), abs=1e-12), len(values)), (group, row.label)


def test_a_group_named_missing_is_merged_with_users_without_a_group(evaluate):
    named = table(["user", "plan"], [("a", "(missing)"), ("b", "paid"), ("c", None)])
    result = evaluate(TEST, LISTS, users=named, metrics=["Recall@2"], by=["users.plan"])
    assert by_group(result, "Recall@2") == {"users.plan": approx({"paid": (1, 1), "(missing)": (0.5, 3)})}


def test_users_with_several_groups_are_counted_in_a_note(evaluate):
    named = table(["user", "plan"], [("a", "paid"), ("a", "free"), ("b", "paid"), ("b", "paid"), ("c", "free"), ("d", "free")])
    result = evaluate(TEST, LISTS, users=named, metrics=["Recall@2"], by=["users.plan"])
    assert "1 user has several values of plan in data.users: the first in text order is used." in result.notes()
    assert by_group(result, "Recall@2")["users.plan"].keys() == {"free", "paid"}


def counted(n_rows, *, relevant=None, by=4, evaluate):
    """Evaluate users with these numbers of train rows, and one test row each; `relevant` users rate it 5, others 1."""
    test = table(
        ["user", "item", "rating"], [(user, 1, 5.0 if relevant is None or user in relevant else 1.0) for user in range(len(n_rows))]
    )
    train = table(["user", "item"], [(user, item) for user, n in enumerate(n_rows) for item in range(100, 100 + n)])
    lists = table(["user", "item"], [(user, 1) for user in range(len(n_rows))])
    return evaluate(test, lists, train=train, metrics=["Recall@1"], relevance={"threshold": 4}, by=[{"train_count": by}])


def sizes(result):
    return {row.group: row.n_users for row in result.by_group}


def test_a_number_makes_groups_of_about_equal_size_and_ties_stay_together(evaluate):
    assert sizes(counted([1, 2, 3, 4, 5, 6, 7, 8], evaluate=evaluate)) == {"0-2": 2, "3-4": 2, "5-6": 2, "7+": 2}
    assert sizes(counted([8, 7, 6, 5, 4, 3, 2, 1], by=2, evaluate=evaluate)) == {"0-4": 4, "5+": 4}
    # below 2 there are 3 of 8 users, below 5 there are 6: the parts of 2, 4 and 6 users end at 3, 3 and 6
    fewer = counted([1, 1, 1, 2, 2, 2, 5, 9], evaluate=evaluate)
    assert sizes(fewer) == {"0-1": 3, "2-4": 3, "5+": 2}
    assert "train_count has 3 groups instead of 4, because many users have the same number of train rows." in fewer.remarks


def test_groups_of_users_who_are_not_in_train_are_explained_by_that(evaluate):
    test, train = table(["user", "item"], [("1", 1), ("2", 1)]), table(["user", "item"], [("1.0", 2), ("2.0", 2)])
    result = evaluate(test, test, train=train, metrics=["Recall@1"], by=[{"train_count": 2}])
    assert "train_count has 1 group instead of 2, because no user of the test set is in train." in result.remarks


def test_groups_of_equal_size_are_built_from_the_counted_users(evaluate):
    assert sizes(counted([1, 2, 3, 4, 50, 60, 70, 80], relevant={0, 1, 2, 3}, by=2, evaluate=evaluate)) == {"0-2": 2, "3+": 2}


def test_users_with_the_same_number_of_train_rows_are_one_group(evaluate):
    result = counted([3, 3, 3], evaluate=evaluate)
    assert sizes(result) == {"0+": 3}
    assert "train_count has 1 group instead of 4, because many users have the same number of train rows." in result.remarks
