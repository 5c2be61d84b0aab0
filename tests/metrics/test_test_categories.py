"""Categories of test rows: the same as categories of items whose ids say the user, whatever else the rows repeat."""

from __future__ import annotations

import random

import polars as pl
import pytest
import receval
from receval.support.errors import ConfigError

from tests.conftest import table

MEASURES = ["AlphaNDCG", "AlphaNDCG(ideal=every_category)", "NRBP", "MAPIA", "PrecisionIA", "ERRIA(ideal=greedy)", "SRecall(of=relevant)"]


def with_test_categories(measure: str) -> str:
    """Return a measure with the categories of test rows."""
    name, _, inside = measure.partition("(")
    return f"{name}({inside.removesuffix(')')},categories_of=test)" if inside else f"{name}(categories_of=test)"


def values(result, model="m"):
    """Return the per-user values of a model as rows, without the names of the measures."""
    frame = result.per_user[model].sort("user")
    return frame.drop("user", "n_relevant", "n_recommended").rows()


def test_categories_of_test_rows_are_those_of_an_item_that_only_its_user_has():
    chance = random.Random(3)
    users, items = [f"u{n}" for n in range(30)], [f"i{n}" for n in range(9)]
    rows = [(u, i, c, chance.randint(0, 2)) for u in users for i in items for c in "abc" if chance.random() < 0.3]
    lists = [(u, i, chance.random()) for u in users for i in chance.sample(items, chance.randint(1, 9))]
    test, listed = table(["user", "item", "subtopic", "rating"], rows), table(["user", "item", "score"], lists)
    own = pl.format("{}/{}", "user", "item")
    relevant = test.filter(pl.col("rating") >= 1).with_columns(item=own)
    alone = receval.evaluate(
        test=relevant.unique(["user", "item"]).select("user", "item"),
        recommendations={"m": listed.with_columns(item=own)},
        items=relevant.select("item", "subtopic").unique(),
        categories="subtopic",
        metrics=MEASURES,
        top_k=[2, 5],
        health=False,
    )
    together = receval.evaluate(
        test={"frame": test, "categories": "subtopic"},
        recommendations={"m": listed},
        relevance=1,
        metrics=list(map(with_test_categories, MEASURES)),
        top_k=[2, 5],
        health=False,
    )
    # ids with the user have another order only between users, so that greedy lists are the same
    assert values(together) == values(alone)


def test_rows_of_a_pair_with_different_categories_are_not_called_repeated():
    test = table(["user", "item", "subtopic"], [("u", "a", "x"), ("u", "a", "y"), ("u", "b", "x"), ("u", "b", "x"), ("v", "a", "x")])
    lists = table(["user", "item", "score"], [("u", "a", 1.0), ("v", "a", 1.0)])

    def repeated(metric):
        rows = {"frame": test, "categories": "subtopic"} if "categories" in metric else test
        result = receval.evaluate(test=rows, recommendations={"m": lists}, metrics=[metric])
        return [finding.sentence for finding in result.findings if finding.check == "T01"]

    assert repeated("NRBP(categories_of=test)") == ["1 of 5 test rows (20.0 %) repeat a user-item pair."]
    assert repeated("Recall@2") == ["2 of 5 test rows (40.0 %) repeat a user-item pair."]  # no measure reads the categories


def test_a_row_without_a_category_makes_its_item_relevant_and_covers_nothing():
    test = table(["user", "item", "subtopic"], [("u", "a", None), ("u", "b", "x"), ("v", "a", "")])
    lists = table(["user", "item", "score"], [("u", "a", 2.0), ("u", "b", 1.0), ("v", "a", 1.0)])
    metrics = ["Recall@1", "SRecall(of=relevant,categories_of=test)@1", "SRecall(of=relevant,categories_of=test)@2"]
    given = {"frame": test, "categories": "subtopic"}
    result = receval.evaluate(test=given, recommendations={"m": lists}, metrics=metrics, health=False)
    assert values(result) == [(0.5, 0.0, 1.0), (1.0, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("measure", "test", "problem"),
    [
        ("NRBP(categories_of=test)", {}, "needs the categories of the test rows: give {'frame': TABLE"),
        ("SRecall(categories_of=test)@3", {"categories": "c"}, "only relevant items have categories of test rows"),
        ("ERRIA(categories_of=test,intent=profile)@3", {"categories": "c"}, "ERRIA(intent=profile) needs categories of items"),
        ("ERRIA(ideal=greedy,intent=profile)@3", {}, "ERRIA(intent=profile) has no ideal list"),
        ("ERRIA(ideal=every_category)@none", {}, "ERRIA(ideal=every_category) needs a cut-off"),
        ("NRBP(categories_of=test)", {"categories": ["c", "d"]}, "categories of the test rows are in one column"),
    ],
)
def test_what_cannot_be_computed_is_refused_in_one_sentence(measure, test, problem):
    rows = {"frame": table(["user", "item", "c"], [("u", "a", "x")]), **test}
    items = table(["item", "genre"], [("a", "x")])
    with pytest.raises(ConfigError) as refused:
        receval.evaluate(
            test=rows, recommendations={"m": {"u": ["a"]}}, items=items, categories="genre", train={"u": ["b"]}, metrics=[measure]
        )
    assert problem in str(refused.value)
