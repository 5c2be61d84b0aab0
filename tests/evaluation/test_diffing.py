"""`receval.diff`: values of a run, contributions that add up to them, and reasons as a literal reader finds them."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
import receval
from receval import ConfigError, DataError
from receval.engines.local import whole_users
from receval.metrics import METRICS
from receval.results.model_diff import REASONS
from receval.studies import diffing

from tests.sizes import each_once, some
from tests.variants import FORMULAS, needed
from tests.worlds import pairs

METRICS_OF_WORLDS = ["nDCG@3", "DCG@5", "Recall@3", "Precision@2", "RBP@4", "Hits@3", "MRR@3", "MAP@3", "RPrecision"]
NEED_SCORES = ("Correlation",)
World = dict[str, pl.DataFrame]


def world(seed: int, *, text: bool = False) -> World:
    """Return lists of two models with ties, duplicates and missing users, test rows with grades, and train rows."""
    chance = random.Random(seed)
    users, items = range(chance.randint(1, 25)), range(chance.randint(2, 15))

    def lists() -> list[tuple[int, int, float]]:
        some = [user for user in users if chance.random() < 0.9]
        listed = [(user, item) for user in some for item in chance.sample([*items, 50], chance.randint(1, len(items)))]
        listed += [item for item in listed if chance.random() < 0.1 and seed % 2]
        return [(user, item, chance.choice((0.5, chance.random()))) for user, item in listed]

    test = [(user, item, chance.randint(1, 5)) for user, item in pairs(chance, users, items, 0.4)] + [(0, 0, 5)]
    train = [*pairs(chance, users, items[1:], 0.15), (0, 1)]
    made = {
        "a": pl.DataFrame(lists() or [(0, 0, 0.5)], schema=["user", "item", "score"], orient="row"),
        "b": pl.DataFrame(lists() or [(0, 0, 0.5)], schema=["user", "item", "score"], orient="row"),
        "test": pl.DataFrame(test, schema=["user", "item", "rating"], orient="row").unique(["user", "item"], maintain_order=True),
        "train": pl.DataFrame(train, schema=["user", "item"], orient="row").unique(maintain_order=True),
    }
    as_text = [pl.format("id {}", column).alias(column) for column in ("user", "item")] if text else []
    return {name: frame.with_columns(as_text) for name, frame in made.items()}


def arguments(data: World, **more: Any) -> dict[str, Any]:
    relevance = {"threshold": 3, "graded": True}
    return {"test": data["test"], "train": data["train"], "metrics": METRICS_OF_WORLDS, "relevance": relevance, "health": False, **more}


def difference(data: World, **more: Any) -> receval.DiffResult:
    options = {
        name: more.pop(name) for name in ("show", "order", "measure", "show_users", "seed", "group", "least_relevant") if name in more
    }
    return receval.diff(data["a"], data["b"], **options, **arguments(data, **more))


@pytest.mark.parametrize(("seed", "text"), each_once(some(range(12), 6), [False, True]))
def test_contributions_add_up_to_the_difference_that_a_run_has(seed, text):
    data = world(seed, text=text)
    diff = difference(data)
    result = receval.evaluate(recommendations={"a": data["a"], "b": data["b"]}, **arguments(data))
    ours = diff.users.sort("user")
    base, model = (result.per_user[name].filter(pl.col("user").is_in(ours["user"].implode())).sort("user") for name in ("a", "b"))
    contributions = diff.contributions.partition_by("user", as_dict=True)
    for measure in METRICS_OF_WORLDS:
        assert ours[f"{measure} base"].equals(base[measure], check_names=False), measure
        assert ours[f"{measure} model"].equals(model[measure], check_names=False), measure
        if measure in diff.contributions.columns:
            for user, change in zip(ours["user"], ours[f"{measure} difference"], strict=True):
                parts = contributions[user,][measure].to_list() if (user,) in contributions else []
                assert math.fsum(parts) == change, (measure, user)
    assert {*METRICS_OF_WORLDS} - {*diff.contributions.columns} == {"MRR@3", "MAP@3"}


@pytest.mark.parametrize("seed", range(6))
def test_means_and_their_difference_are_those_of_compare(seed):
    data = world(seed)
    diff = difference(data)
    result = receval.evaluate(recommendations={"a": data["a"], "b": data["b"]}, **arguments(data))
    compared = {pair.subject.measure: pair for pair in result.compare("a", common=True).differences}
    for measure in diff.measures:
        assert compared[measure.measure].difference == measure.difference, measure.measure
        if measure.is_split:  # the items of all users together
            whole = sum(map(Fraction, diff.contributions[measure.measure].to_list()), Fraction())
            assert float(whole / measure.n_users) == measure.difference, measure.measure


def literal_reasons(data: World, k: int) -> dict[tuple[Any, Any], tuple[str, str]]:
    """Return the reason of each relevant pair under both models, found one pair at a time."""
    found: dict[tuple[Any, Any], tuple[str, str]] = {}
    ranked = {}
    for name in ("a", "b"):
        ordered = data[name].with_row_index().sort("score", "item", descending=[True, False])
        by_user = ordered.partition_by("user", as_dict=True)
        ranked[name] = {user: frame["item"].unique(maintain_order=True).to_list() for (user,), frame in by_user.items()}
    trained, train_items = {*data["train"].select("user", "item").iter_rows()}, {*data["train"]["item"]}
    for user, item, rating in data["test"].iter_rows():
        if rating < 3:
            continue
        reasons = []
        for name, other in (("a", "b"), ("b", "a")):
            own = ranked[name].get(user, [])
            if item in own:
                rank = own.index(item) + 1
                reasons.append("hit" if rank <= k else "below_cut" if rank <= 2 * k else "deep")
            elif (user, item) in trained:
                reasons.append("in_train")
            elif item not in train_items:
                reasons.append("cold")
            elif not any(item in ranking for ranking in ranked[name].values()):
                reasons.append("unknown")
            else:
                reasons.append("other_only" if item in ranked[other].get(user, []) else "not_listed")
        found[user, item] = (reasons[0], reasons[1])
    return found


@pytest.mark.parametrize(("seed", "text"), each_once(range(0, 24, 2), [False, True]))
def test_reasons_are_those_that_a_literal_reader_finds(seed, text):
    data = world(seed, text=text)
    diff = difference(data, measure="nDCG@3")
    expected = literal_reasons(data, k=3)
    relevant = diff.contributions.select("user", "item", "base reason", "model reason")
    assert {(user, item): (base, model) for user, item, base, model in relevant.iter_rows()} == expected
    for kind, (is_counted, side) in {
        "base": (lambda base, model: base != "hit", 0),
        "model": (lambda base, model: model != "hit", 1),
        "lost": (lambda base, model: base == "hit" != model, 1),
        "gained": (lambda base, model: model == "hit" != base, 0),
    }.items():
        counted = [pair[side] for pair in expected.values() if is_counted(*pair)]
        assert getattr(diff.missed, kind) == {reason: counted.count(reason) for reason in REASONS[1:]}, kind


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_any_order_of_rows_and_any_parts_give_the_same_bytes(seed, monkeypatch):
    data = world(seed + 100)
    first = difference(data, show=4, order=("loss", "gain", "random", "relevant"), show_users=True)
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=seed) for name, frame in data.items()}
    monkeypatch.setattr(diffing, "whole_users", lambda *given, **more: whole_users(*given, rows_per_part=5, **more))
    second = difference(shuffled, show=4, order=("loss", "gain", "random", "relevant"), show_users=True)
    assert first.to_dict() == second.to_dict()
    assert repr(first) == repr(second)


def test_a_promise_of_shares_holds_for_every_measure_that_makes_it():
    """Without one hit, which becomes another item, the value falls by the term of this hit."""
    families = ("accuracy", "ranking", "value")
    of_lists = (name for name, metric in METRICS.items() if metric.family in families and not (metric.per_model or metric.combines))
    names = [name for name in of_lists if name not in NEED_SCORES]
    names += [text for text in FORMULAS if text.partition("(")[0] in names]
    settings = {name: ",".join(f"{key}={value}" for key, value in needed(METRICS[name]).items()) for name in names if name in METRICS}
    names = [f"{name}({settings[name]})" if settings.get(name) else name for name in names]
    items = pl.DataFrame({"item": [f"i{n}" for n in range(8)], "price": [float(n + 1) for n in range(8)]})
    whole = {"u": [f"i{n}" for n in range(6)], "v": ["i7"]}
    test = pl.DataFrame({"user": ["u", "u", "u", "v"], "item": ["i0", "i2", "i5", "i7"], "rating": [3.0, 5.0, 4.0, 1.0]})
    columns = dict.fromkeys(("revenue", "profit", "weight"), "items.price")
    given: dict[str, Any] = {"test": test, "items": items, "value_columns": columns, "health": False, "top_k": 6}
    given["train"] = pl.DataFrame({"user": ["u"] * 8, "item": [f"i{n}" for n in range(8)]})
    seen = set()
    for lost in ("i0", "i2", "i5"):
        other = {**whole, "u": [item if item != lost else "i6" for item in whole["u"]]}
        diff = receval.diff(whole, other, relevance={"threshold": 1, "graded": True}, metrics=names, **given)
        for measure in diff.measures:
            name = measure.measure.partition("@")[0].partition("(")[0]
            if measure.is_split:
                seen.add(name)
                rows = diff.contributions.filter((pl.col("user") == "u") & (pl.col(measure.measure).abs() > 1e-12))
                if name != "WeightedPrecision":  # the weight of the other item changes what the others are divided by
                    assert rows["item"].to_list() in ([lost], []), name
    assert {"nDCG", "DCG", "Recall", "Precision", "Hits", "RBP", "SDCG", "Revenue", "RevenueShare", "WeightedRecall"} <= seen
    assert not {"MAP", "MRR", "ERR", "Profit", "BinG", "HitRate"} & seen


def test_users_of_a_group_and_with_many_relevant_items_can_be_chosen():
    data = world(7)
    every = difference(data).users
    cold = difference(data, group="cold=cold").users
    warm = difference(data, group="cold=warm").users
    assert {*cold["user"]} | {*warm["user"]} == {*every["user"]}
    assert not {*cold["user"]} & {*warm["user"]}
    assert difference(data, least_relevant=3).users["n_relevant"].min() >= 3
    with pytest.raises(DataError, match="cold has no group 'ice': its groups are cold, warm"):
        difference(data, group="cold=ice")


def test_users_at_random_depend_on_the_seed_and_not_on_the_number():
    data = world(11)
    three, five = (difference(data, order="random", show=n).shown["random"].users["user"].to_list() for n in (3, 5))
    assert five[:3] == three
    orders = {tuple(difference(data, order="random", show=5, seed=seed).shown["random"].users["user"]) for seed in range(6)}
    assert len(orders) > 1


def test_losses_of_a_measure_in_which_less_is_better_are_higher_values():
    test = pl.DataFrame({"user": ["u"], "item": ["x"]})
    train = pl.DataFrame({"user": ["w", "w", "v"], "item": ["x", "y", "x"]})
    diff = receval.diff({"u": ["y"]}, {"u": ["x"]}, test=test, train=train, metrics="ARP@1", health=False)
    (measure,) = diff.measures
    assert (measure.higher_is_better, measure.difference > 0, measure.n_worse) in ((False, True, 1), (None, True, 0))


def test_what_makes_no_sense_is_refused_in_a_sentence():
    data = world(3)
    with pytest.raises(ConfigError, match="a is named twice"):
        receval.diff("a", "a", recommendations={"a": data["a"], "b": data["b"]}, **arguments(data))
    with pytest.raises(ConfigError, match="there is no model named 'c'"):
        receval.diff("a", "c", recommendations={"a": data["a"], "b": data["b"]}, **arguments(data))
    with pytest.raises(ConfigError, match="ItemCoverage@3 is one value per model, so users have no difference in it"):
        difference(data, measure="ItemCoverage@3")
    with pytest.raises(DataError, match="no user has a value of nDCG@3 under both models"):
        receval.diff({"u": ["x"]}, {"v": ["x"]}, test={"u": ["x"], "v": ["x"]}, policy={"missing_lists": "drop"}, metrics="nDCG@3")
    with pytest.raises(ConfigError, match="order: 'worst' is none of loss, gain, relevant, random"):
        difference(data, order="worst")


def test_a_result_compares_the_lists_that_it_was_computed_from():
    data = world(5)
    result = receval.evaluate(recommendations={"als": data["a"], "knn": data["b"]}, **arguments(data))
    assert result.diff("als", "knn").users.equals(difference(data).users)
    assert "user" in result.diff("als", "knn")._repr_html_()
