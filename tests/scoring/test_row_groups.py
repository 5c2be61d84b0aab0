"""Values by group of test rows: worked by hand, beside runs over the rows of one group, and beside literal strata and windows."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from statistics import fmean

import polars as pl
import pytest
import receval
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.scoring import by_group as measure_by_group
from receval.support.errors import ConfigError, DataError

from tests.conftest import per_user, table
from tests.scoring.test_by_group import approx, by_group
from tests.sizes import draws
from tests.worlds import pairs, worlds

# Baskets: user a had milk and bread before, and now takes milk, eggs and jam; b had eggs, and takes eggs; c is new, and takes tea.
TRAIN = table(["user", "item"], [("a", "milk"), ("a", "bread"), ("b", "eggs"), ("b", "eggs")])
TEST = table(
    ["user", "item", "event"],
    [("a", "milk", "order"), ("a", "eggs", "cart"), ("a", "jam", None), ("b", "eggs", "order"), ("c", "tea", "cart")],
)
LISTS = table(
    ["user", "item", "score"],
    [("a", "eggs", 3), ("a", "milk", 2), ("a", "bread", 1), ("b", "milk", 2), ("b", "eggs", 1), ("c", "milk", 2), ("c", "bread", 1)],
)
LOG3 = 1 / math.log2(3)


@pytest.fixture
def baskets(evaluate):
    """Return a function that evaluates the baskets by groupings."""
    return lambda by, metrics=("Recall", "nDCG", "MRR"), **options: evaluate(
        TEST, LISTS, train=TRAIN, metrics=list(metrics), top_k=[2], by=by, **options
    )


def test_a_column_splits_the_relevant_items_and_ranks_stay(baskets):
    result = baskets(["rows.event"])
    # order: a finds milk at rank 2, b eggs at rank 2; cart: a finds eggs at rank 1, c misses tea; without an event: a misses jam
    assert by_group(result, "Recall@2") == {"rows.event": approx({"cart": (0.5, 2), "order": (1, 2), "(missing)": (0, 1)})}
    assert by_group(result, "MRR@2") == {"rows.event": approx({"cart": (0.5, 2), "order": (0.5, 2), "(missing)": (0, 1)})}
    assert by_group(result, "nDCG@2") == {"rows.event": approx({"cart": (0.5, 2), "order": (LOG3, 2), "(missing)": (0, 1)})}
    assert "rows.event: 2 test rows in cart, 2 in order." in result.notes()
    assert "1 test row has no event: it is in the group (missing)." in result.notes()


def test_pairs_of_train_are_repeated_and_others_explored_as_in_next_basket_recommendation(baskets):
    result = baskets(["rows.repeat", "rows.new_item"])
    # repeated: a's milk (found), b's eggs (found); explored: a's eggs (found) and jam, c's tea; new: jam and tea
    assert by_group(result, "Recall@2") == {
        "rows.repeat": approx({"repeat": (1, 2), "explore": (0.25, 2)}),
        "rows.new_item": approx({"new": (0, 2), "known": (1, 2)}),
    }


def test_a_measure_of_one_group_has_the_value_of_that_group(baskets):
    named = ["Recall(rows.event=cart)", "Recall(rows.repeat=explore)@1", "F1(rows.event=order)", "Recall(rows.event='(missing)')"]
    result = baskets(["rows.event", "rows.repeat"], metrics=[*named, "Recall", "F1", "Recall@1"])
    values = {row.label: row.value for row in result.rows}
    assert values["Recall(rows.event=cart)@2"] == by_group(result, "Recall@2")["rows.event"]["cart"][0]
    assert values["Recall(rows.repeat=explore)@1"] == by_group(result, "Recall@1")["rows.repeat"]["explore"][0]
    assert values["F1(rows.event=order)@2"] == by_group(result, "F1@2")["rows.event"]["order"][0]
    assert values["Recall(rows.event='(missing)')@2"] == 0
    assert {row.n_users for row in result.rows if row.label == "Recall(rows.event=cart)@2"} == {2}


def test_an_explanation_names_the_group(tmp_path):
    for name, frame in (("test", TEST), ("a", LISTS)):
        frame.write_csv(tmp_path / f"{name}.csv")
    asked = {"test": str(tmp_path / "test.csv"), "recommendations": str(tmp_path / "a.csv"), "measure": "Recall(rows.event=cart)@2"}
    explained = receval.explain(user="a", **asked)
    assert explained.value == 1
    chosen = [(choice.name, choice.value, choice.meaning) for choice in explained.choices]
    assert ("rows.event", "cart", "only test rows of this group make items relevant") in chosen


def test_a_measure_of_two_groups_needs_both(baskets):
    result = baskets([], metrics=["Recall(rows.event=order,rows.repeat=repeat)", "Recall(rows.event=cart,rows.repeat=repeat)"])
    assert [(row.value, row.n_users) for row in result.rows] == [(1, 2), (None, 0)]


def test_combined_groupings_have_a_value_for_each_cell_with_users(baskets):
    result = baskets([["cold", "rows.repeat"], "rows.event*cold", "rows.event*rows.repeat"], metrics=["Recall"])
    assert by_group(result, "Recall@2") == {
        "cold*rows.repeat": approx({"cold*explore": (0, 1), "warm*repeat": (1, 2), "warm*explore": (0.5, 1)}),
        "rows.event*cold": approx({"cart*cold": (0, 1), "cart*warm": (1, 1), "order*warm": (1, 2), "(missing)*warm": (0, 1)}),
        "rows.event*rows.repeat": approx({"cart*explore": (0.5, 2), "order*repeat": (1, 2), "(missing)*explore": (0, 1)}),
    }


def test_models_whose_order_is_the_other_way_round_in_every_group_are_named(evaluate):
    # user 1 has 1 click and 9 orders, user 2 has 9 clicks and 1 order: b finds the rarer event of each, a some of the more frequent
    rows = [(1, 0, "click"), *((1, n, "order") for n in range(1, 10)), *((2, n, "click") for n in range(1, 10)), (2, 0, "order")]
    found = {"a": [(1, n) for n in range(1, 7)] + [(2, n) for n in range(1, 7)], "b": [(1, 0), (2, 0)]}
    lists = {model: table(["user", "item"], hits) for model, hits in found.items()}
    result = evaluate(table(["user", "item", "event"], rows), lists, metrics=["Recall@9"], by=["rows.event"])
    assert by_group(result, "Recall@9", "a") == {"rows.event": approx({"click": (1 / 3, 2), "order": (1 / 3, 2)})}
    assert by_group(result, "Recall@9", "b") == {"rows.event": approx({"click": (1 / 2, 2), "order": (1 / 2, 2)})}
    sentence = "Recall@9: a is better than b over all users, but worse in each of the 2 groups of rows.event: the value over all"
    assert [note for note in result.notes() if note.startswith(sentence)]


def test_every_pair_of_models_with_another_order_in_the_groups_is_named_and_ties_are_not(evaluate):
    rows = [(1, 0, "click"), *((1, n, "order") for n in range(1, 10)), *((2, n, "click") for n in range(1, 10)), (2, 0, "order")]
    pooled, rare = [(user, n) for user in (1, 2) for n in range(1, 7)], [(1, 0), (2, 0)]
    lists = {name: table(["user", "item"], hits) for name, hits in {"a": pooled, "b": rare, "c": rare, "d": pooled}.items()}
    notes = evaluate(table(["user", "item", "event"], rows), lists, metrics=["Recall@9"], by=["rows.event"]).notes()
    found = [note.split(" over all users")[0] for note in notes if "worse in each of the 2 groups" in note]
    assert found == [f"Recall@9: {better} is better than {other}" for better in "ad" for other in "bc"]


def test_a_group_in_which_both_models_tie_does_not_silence_a_reversal(evaluate):
    rows = [(1, 0, "click"), *((1, n, "order") for n in range(1, 10)), *((2, n, "click") for n in range(1, 10)), (2, 0, "order")]
    found = {"a": [(1, n) for n in range(1, 7)] + [(2, n) for n in range(1, 7)], "b": [(1, 0), (2, 0)]}
    tied = [*rows, (3, 0, "gift")]
    lists = {model: table(["user", "item"], [*hits, (3, 0)]) for model, hits in found.items()}
    notes = evaluate(table(["user", "item", "event"], tied), lists, metrics=["Recall@9"], by=["rows.event"]).notes()
    start = (
        "Recall@9: a is better than b over all users, but worse in each of the 2 groups of rows.event with a difference and enough users"
    )
    assert [note for note in notes if note.startswith(start)]


METRICS = ["Precision", "Recall", "MAP", "nDCG", "MRR", "F1", "HitRate", "DCG", "RBP", "Recall(average=micro)"]


@settings(max_examples=draws(4, 12))
@given(world=worlds(), convention=st.sampled_from(["receval", "recbole", "rectools", "ranx", "replay"]), seed=st.integers(0, 99))
def test_a_group_of_rows_has_the_values_of_a_test_file_of_its_rows(evaluate, world, convention, seed):
    chance = random.Random(seed)
    rows = world["test"].with_columns(
        event=pl.Series([chance.choice(("click", "cart", None)) for _ in range(len(world["test"]))], dtype=pl.String)
    )
    more = rows.filter(pl.Series([chance.random() < 0.3 for _ in range(len(rows))])).with_columns(event=pl.lit("again"))
    world = {**world, "test": pl.concat([rows, more])}
    asked = {"metrics": METRICS, "top_k": [2, "none"], "convention": convention}
    result = evaluate(**world, **asked, by=["rows.event"], relevance={"threshold": 2})
    found = {(row.group, row.label): (row.value, row.n_users) for row in result.by_group}
    for group in dict.fromkeys(group for group, _ in found):
        inside = pl.col("event").is_null() if group == "(missing)" else pl.col("event") == group
        alone = evaluate(**{**world, "test": world["test"].filter(inside)}, **asked, relevance={"threshold": 2})
        users = [of_user for of_user in per_user(alone).values() if of_user["n_relevant"] > 0]
        for row in (row for row in alone.rows if row.aggregate == "mean"):
            values = [of_user[row.label] for of_user in users if of_user[row.label] is not None]
            assert found[group, row.label] == (pytest.approx(fmean(values), abs=1e-12), len(values)), (group, row.label)


@settings(max_examples=draws(4, 12))
@given(world=worlds(), seed=st.integers(0, 99))
def test_hits_of_all_groups_add_up_to_the_hits_of_the_whole(evaluate, world, seed):
    chance = random.Random(seed)
    test = world["test"].with_columns(
        event=pl.Series([chance.choice("abc") for _ in range(len(world["test"]))]),
        timestamp=pl.Series([1_700_000_000 + chance.randrange(10_000_000) for _ in range(len(world["test"]))]),
    )
    groupings = [
        "rows.event",
        "rows.repeat",
        "rows.new_item",
        "rows.rating",
        "rows.popularity:3",
        "rows.timestamp:7d",
        "rows.timestamp:1mo",
    ]
    for by in (groupings[:6], groupings[6:], ["rows.event*rows.repeat", "rows.repeat*rows.rating"]):
        result = evaluate(**{**world, "test": test}, metrics=["Hits@2", "Hits"], aggregates=["sum"], by=by, top_k=["none"])
        whole = {row.label: row.value for row in result.rows}
        for name in {row.by for row in result.by_group}:
            for label, value in whole.items():
                assert sum(row.value or 0 for row in result.by_group if (row.by, row.label) == (name, label)) == value, (name, label)


@settings(max_examples=draws(1, 3))
@given(world=worlds(), convention=st.sampled_from(["receval", "recbole", "ranx", "trec_eval"]), seed=st.integers(0, 99))
def test_users_with_equal_hits_are_measured_together_and_no_value_changes(evaluate, world, convention, seed):
    chance = random.Random(seed)
    rows = [world["test"].with_columns(event=pl.Series([chance.choice("ab") for _ in range(len(world["test"]))])) for _ in range(2)]
    of_hits = ["Precision", "Recall", "F1", "HitRate", "RPrecision", "MAP", "MRR", "DCG", "nDCG", "RBP", "Hits", "Recall(average=micro)"]
    asked = {
        "metrics": [*of_hits, "nDCG(grades=ones)", "Recall(rows.repeat=explore)"],
        "top_k": [1, 3, "none"],
        "by": ["rows.event", "items.categories", "rows.event*rows.repeat", "train_count:2*rows.event*items.categories", "train_count:2"],
        "aggregates": ["mean", "micro", "std", "p25", "geometric"],
        "convention": convention,
    }
    for test in (rows[0], pl.concat(rows).drop("rating")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measure_by_group, "fits_classes", lambda _: False)
            one_by_one = evaluate(**{**world, "test": test}, **asked)
        together = evaluate(**{**world, "test": test}, **asked)
        assert len(together.by_group) > 0
        assert together.by_group == one_by_one.by_group


def test_windows_of_time_begin_on_the_day_of_the_first_row(evaluate):
    start = datetime(2024, 5, 30, 15, 0, tzinfo=UTC)
    days = [0, 1, 6, 7, 20, None]
    seconds = [None if day is None else int((start + timedelta(days=day)).timestamp()) for day in days]
    lists = table(["user", "item"], [(1, 7)])
    for scale in (1, 1_000, 1_000_000_000):
        times = [None if time is None else time * scale for time in seconds]
        test = pl.DataFrame({"user": [1] * 6, "item": range(6), "timestamp": times})

        def groups(by, test=test):
            return {row.group: row.n_users for row in evaluate(test, lists, metrics=["Recall@1"], by=[by]).by_group}

        assert list(groups("rows.timestamp:7d")) == ["2024-05-30", "2024-06-06", "2024-06-13", "(missing)"]
        assert list(groups("rows.timestamp:1w")) == list(groups({"rows.timestamp": "7d"}))
        assert list(groups("rows.timestamp:1mo")) == ["2024-05", "2024-06", "(missing)"]
        assert list(groups("rows.timestamp:1y")) == ["2024", "(missing)"]
        assert list(groups("rows.timestamp:36h")) == ["2024-05-30 15:00", "2024-06-05 15:00", "2024-06-19 03:00", "(missing)"]
        edges = {"rows.timestamp": ["2024-05-31", "2024-06-06T12:00"]}
        assert list(groups(edges)) == ["before 2024-05-31", "from 2024-05-31", "from 2024-06-06T12:00", "(missing)"]


def test_strata_of_popularity_have_about_as_many_test_rows_each(evaluate):
    chance = random.Random(4)
    train = table(["user", "item"], [(user, item) for user in range(60) for item in range(40) if chance.random() < (item + 1) / 45])
    test = table(["user", "item"], pairs(chance, range(60), range(42), 0.2))
    result = evaluate(
        test, test, train=pl.concat([train, train]), metrics=["Hits"], top_k=[50], aggregates=["sum"], by=["rows.popularity:4"]
    )
    users = {item: train.filter(item=item)["user"].n_unique() for item in range(42)}
    counted = by_group(result, "Hits@50 (sum)")["rows.popularity"]
    for name, (hits, _) in counted.items():
        low, _, high = name.removesuffix("+").partition("-")
        rows = [item for item in test["item"] if int(low) <= users[item] <= (int(high) if high else math.inf if "+" in name else int(low))]
        assert hits == len(rows)
    assert len(counted) == 4
    assert max(hits for hits, _ in counted.values()) < 1.4 * min(hits for hits, _ in counted.values())


def otto(test, lists, weights):
    """Return the metric of the OTTO contest, literally: Σ weight · Σ hits / Σ min(20, n) over the users with such an event."""
    score = 0.0
    for event, weight in weights.items():
        hits = possible = 0
        for user in sorted({user for user, _, of_row in test if of_row == event}):
            items = {item for session, item, of_row in test if (session, of_row) == (user, event)}
            hits += len(items & set(lists.get(user, [])[:20]))
            possible += min(20, len(items))
        score += weight * hits / possible
    return score


def test_the_score_of_the_otto_contest_is_a_formula(evaluate):
    chance = random.Random(9)
    events = {"clicks": 0.1, "carts": 0.3, "orders": 0.6}
    test = [(user, item, event) for event in events for user, item in pairs(chance, range(50), range(60), 0.4) if chance.random() < 0.8]
    lists = {user: chance.sample(range(80), 30) for user in range(45)}
    ranked = [(user, item, 100 - rank) for user, items in lists.items() for rank, item in enumerate(items)]
    terms = (f"{weight}*Recall(denominator=min_r_k,average=micro,rows.event={event})@20" for event, weight in events.items())
    result = evaluate(table(["user", "item", "event"], test), table(["user", "item", "score"], ranked), metrics=[" + ".join(terms)])
    assert result.rows[0].value == pytest.approx(otto(test, lists, events), abs=1e-12)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("rows.timestamp", r"rows\.timestamp needs windows: a length in hours, days, weeks, months or years \(rows\.timestamp:7d"),
        ("rows.timestamp:7 days", r"rows\.timestamp needs windows"),
        ("rows.timestamp:2024-07-01,2024-06-01", r"ascending dates"),
        ("rows.popularity", r"rows\.popularity needs a number of groups from 2 to 100, such as rows\.popularity:5"),
        ("rows.popularity:1", r"rows\.popularity needs a number"),
        ({"rows.event": 3}, r"rows\.event has a group for each value, and takes no 3: write rows\.event"),
        ("rows.event*rows.event", r"a combination needs two or more different groupings"),
        ("rows.repeat", r"rows\.repeat comes from data\.train: give data\.train"),
        ("rows.repeat*rows.event", r"rows\.repeat comes from data\.train: give data\.train"),
    ],
)
def test_a_grouping_that_cannot_be_is_refused_with_what_to_write(evaluate, by, message):
    with pytest.raises(ConfigError, match=message):
        evaluate(TEST, LISTS, metrics=["Recall@2"], by=[by])


def test_a_column_or_a_group_that_does_not_exist_is_refused(evaluate):
    with pytest.raises(DataError, match=r"no column 'evnt'"):
        evaluate(TEST, LISTS, metrics=["Recall@2"], by=["rows.evnt"])
    with pytest.raises(DataError, match=r"has no rating column, which rows\.rating needs"):
        evaluate(TEST, LISTS, metrics=["Recall@2"], by=["rows.rating"])
    with pytest.raises(DataError, match=r"there is no group 'ordr'; the groups are 'cart', 'order'"):
        evaluate(TEST, LISTS, metrics=["Recall(rows.event=ordr)@2"])
    with pytest.raises(ConfigError, match=r"rows\.timestamp has no groups of its own: write it with windows"):
        evaluate(TEST, LISTS, metrics=["Recall(rows.timestamp=2024)@2"])
    with pytest.raises(ConfigError, match=r"only measures based on hits can be restricted to test rows"):
        evaluate(TEST, LISTS, train=TRAIN, metrics=["NumRetrieved(rows.event=cart)@2"])
    users = table(["user", "item", "session"], [(1, item, f"s{item}") for item in range(1001)])
    with pytest.raises(DataError, match=r"data\.test: evaluation\.by: rows\.session has 1,001 groups"):
        evaluate(users, LISTS.with_columns(user=pl.lit(1)), metrics=["Recall@2"], by=["rows.session"])
    many = table(["user", "item", "item_name", "place"], [(1, n, f"i{n}", f"p{n}") for n in range(29)])
    with pytest.raises(DataError, match=r"rows\.item_name\*rows\.place has 900 cells, but at most 200 are possible"):
        evaluate(many, LISTS.with_columns(user=pl.lit(1)), metrics=["Recall@2"], by=["rows.item_name*rows.place"])
