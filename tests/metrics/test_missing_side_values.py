"""Side inputs with missing or odd values: the rule of each docstring, worked by hand, and the notes of the output."""

from __future__ import annotations

import polars as pl
import pytest
from receval.support.errors import DataError

from tests.conftest import model_values, per_user, table, values

LISTS = table(["user", "item", "score"], [("a", "x", 4.0), ("a", "y", 2.0), ("a", "new", 1.0), ("b", "y", 3.0)])
TEST = table(["user", "item"], [("a", "x"), ("b", "z")])
TRAIN = table(["user", "item"], [("c", "x"), ("d", "x"), ("d", "y"), ("c", "z"), ("b", "z")])


def has_note(result, *words: str) -> bool:
    """Return whether one of the notes contains all of `words`."""
    return any(all(word in note for word in words) for note in result.notes())


def test_an_item_without_a_category_has_no_distance_and_covers_nothing_and_is_counted(evaluate):
    items = pl.DataFrame({"item": ["x", "y", "new"], "categories": ["A|B", "", None]})
    result = evaluate(TEST, LISTS, items=items, metrics=["ILD", "ILD(distance=hamming)", "CategoricalDiversity"], top_k=[3])
    assert per_user(result)["a"] == {
        **per_user(result)["a"],
        "ILD@3": 0.0,  # no pair has categories
        "ILD(distance=hamming)@3": pytest.approx((2 + 2 + 0) / 3),  # xy, x-new, y-new
        "CategoricalDiversity@3": pytest.approx(2 / 3),
    }
    assert has_note(result, "2 of 3 items have no category")


def test_items_of_the_category_file_that_are_in_no_list_count_only_in_the_catalogue(evaluate):
    items = pl.DataFrame({"item": ["x", "y", "p", "q"], "categories": ["A", "B", "C", "C"]})
    result = evaluate(TEST, LISTS, items=items, metrics=["SRecall(relevance=none)", "ItemCoverage"], top_k=[3])
    assert per_user(result)["a"]["SRecall(relevance=none)@3"] == pytest.approx(2 / 3)  # no listed item has C, new has no category
    assert values(result)["ItemCoverage@3"] == 0.5  # x y of four; new is outside


def test_pairs_without_a_distance_are_left_out_and_counted(evaluate):
    distances = table(["item", "other", "distance"], [("y", "x", 0.25)])
    result = evaluate(TEST, LISTS, distances=distances, metrics=["ILD(distance=file)"], top_k=[3])
    assert per_user(result)["a"]["ILD(distance=file)@3"] == 0.25  # only xy, in either order
    assert has_note(result, "2 of 3 pairs of listed items have no distance in data.distances")


def test_a_list_without_any_distance_counts_as_the_axis_says(evaluate):
    distances = table(["item", "other", "distance"], [("p", "q", 0.25)])
    metrics = [f"ILD(distance=file,single={single})" for single in ("zero", "one", "left_out")]
    result = evaluate(TEST, LISTS, distances=distances, metrics=metrics, top_k=[3])
    assert [per_user(result)["a"][f"{label.replace(',single=zero', '')}@3"] for label in metrics] == [0.0, 1.0, None]


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        ("REO(by=kind,group=odl)", "data.items: column kind: there is no group 'odl'; the groups are 'new', 'old'\n  did you mean 'old'?"),
        ("REO(by=empty,group=old)", "data.items: column empty: there is no group 'old'; nothing has a group there"),
        (
            "BiasDisparityBD(users=sex,items=kind,user_group=f,item_group=x)",
            "data.items: column kind: there is no group 'x'; the groups are 'new', 'old'",
        ),
        ("DeltaGap(by=sex,group=x)", "data.users: column sex: there is no group 'x'; the groups are 'f', 'm'"),
        ("DeltaGap(group=9)", "shares=0.2;0.6;0.2: there is no group '9'; the groups are '1', '2', '3'"),
    ],
)
def test_a_measure_of_an_empty_group_is_refused_in_one_sentence(evaluate, measure, sentence):
    users = pl.DataFrame({"user": ["a", "b"], "sex": ["f", "m"]})
    items = pl.DataFrame({"item": ["x", "y"], "kind": ["new", "old"], "empty": pl.Series([None, None], dtype=pl.String)})
    with pytest.raises(DataError) as caught:
        evaluate(TEST, LISTS, train=TRAIN, users=users, items=items, metrics=[measure], top_k=[3])
    assert str(caught.value) == sentence


def test_a_group_with_one_member_is_compared_with_a_note(evaluate):
    users = pl.DataFrame({"user": ["a", "b"], "sex": ["f", "m"]})
    result = evaluate(TEST, LISTS, users=users, metrics=["UserMADRanking(by=sex)"], top_k=[3])
    assert model_values(result) == {"UserMADRanking(by=sex)@3": 1.0}  # nDCG of a 1, of b 0
    assert has_note(result, "data.users", "the sex f, m have one member")


def test_a_single_group_cannot_be_compared_and_has_a_note(evaluate):
    users = pl.DataFrame({"user": ["a", "b"], "sex": ["f", "f"]})
    items = pl.DataFrame({"item": ["x", "y"], "kind": ["k", "k"]})
    metrics = ["UserMADRanking(by=sex)", "REO(by=kind)", "ExposureParity(by=kind)"]
    result = evaluate(TEST, LISTS, users=users, items=items, metrics=metrics, top_k=[3])
    assert model_values(result) == {"UserMADRanking(by=sex)@3": None, "REO(by=kind)@3": 0.0, "ExposureParity(by=kind)@3": 1.0}
    assert has_note(result, "sex has 1 group: there is nothing to compare")
    assert has_note(result, "kind has 1 group: there is nothing to compare")


def test_users_and_items_without_a_group_are_left_out_of_the_comparison(evaluate):
    test = table(["user", "item"], [("a", "x"), ("b", "z"), ("c", "y")])
    users = pl.DataFrame({"user": ["a", "b", "c"], "sex": ["f", "m", None]})
    items = pl.DataFrame({"item": ["x", "y", "z"], "kind": ["k", "", "l"]})
    lists = pl.concat([LISTS, table(["user", "item", "score"], [("c", "q", 1.0)])])
    result = evaluate(test, lists, users=users, items=items, metrics=["UserMADRanking(by=sex)", "REO(by=kind)"], top_k=[3])
    # nDCG of a 1, of b 0; k: x of a, 1/1; l: z of b, 0/1: std .5, mean .5
    assert model_values(result) == {"UserMADRanking(by=sex)@3": 1.0, "REO(by=kind)@3": 1.0}


def test_a_previous_score_of_zero_or_below_and_an_unknown_pair_have_the_stated_weights_and_are_counted(evaluate):
    lists = table(["user", "item", "score"], [("a", "x", 4.0), ("a", "y", 2.0), ("a", "new", 1.0), ("a", "z", 0.5)])
    policy = table(["item", "score"], [("x", 0.0), ("y", -1.0), ("z", 0.25)])
    result = evaluate(TEST, lists, previous_policy=policy, metrics=["NCISPrecision"], top_k=["none"])
    # before 0: 10; a negative ratio: 1/10; unknown: 10; z: 2. The hit is x
    assert per_user(result)["a"]["NCISPrecision@none"] == pytest.approx(10 / (10 + 0.1 + 10 + 2))
    assert has_note(result, "data.previous_policy", "1 score is 0")
    assert has_note(result, "data.previous_policy", "1 score is below 0")
    assert has_note(result, "1 of 4 recommended pairs are not in data.previous_policy")


def test_an_item_that_is_not_in_train_has_the_stated_popularity_and_novelty(evaluate):
    lists = table(["user", "item", "score"], [("a", "x", 4.0), ("a", "new", 1.0)])
    metrics = ["ARP", "ARP(unseen=one)", "MeanPopRank", "EPC(relevance=none,discount=none,population=lists)", "APLT", "Surprisal"]
    result = per_user(evaluate(TEST, lists, train=TRAIN, metrics=metrics, top_k=[2]))["a"]
    assert result["ARP@2"] == 1.0  # x is in two rows: (2 + 0)/2
    assert result["ARP(unseen=one)@2"] == 1.5
    assert result["MeanPopRank@2"] == pytest.approx((2.5 / 3 + 0) / 2)  # x and z share the places 2 and 3 of three
    assert result["EPC(relevance=none,discount=none,population=lists)@2"] == pytest.approx((1 / 3 + 1) / 2)  # of three users
    assert result["APLT@2"] == 0.0  # x in the head, new in neither
    assert result["Surprisal@2"] == pytest.approx((0.5849625007211562 + 1.584962500721156) / 2)  # log2(3/2), log2(3/1)


def test_a_user_without_a_reference_list_counts_as_the_axis_says(evaluate):
    baseline = table(["user", "item", "score"], [("a", "y", 1.0), ("other", "x", 1.0)])
    metrics = ["Intersection", "Unexpectedness", "Unexpectedness(absent=one)", "Precision(population=baseline)"]
    result = evaluate(TEST, LISTS, baseline=baseline, metrics=metrics, top_k=[2])
    found = per_user(result)
    assert [found["a"][f"{name}@2"] for name in metrics] == [0.5, 0.5, 0.5, 0.5]
    assert [found["b"][f"{name}@2"] for name in metrics] == [0.0, 0.0, 1.0, None]
    assert found["other"]["Precision(population=baseline)@2"] == 0.0


@pytest.mark.parametrize("metric", ["R2", "ExplainedVariance", "RMSE"])
def test_a_prediction_whose_square_overflows_is_refused(evaluate, metric):
    test = table(["user", "item", "rating"], [("a", "x", 3.0), ("a", "y", 4.0), ("b", "x", 5.0), ("b", "z", 1.0)])
    lists = table(["user", "item", "score"], [("a", "x", 1e200), ("a", "y", 4.0), ("b", "x", 5.0), ("b", "z", 1.0)])
    with pytest.raises(DataError, match=f"{metric} is too large for a number"):
        evaluate(test, lists, predictions=lists, metrics=[metric])
