"""Tables of metrics that read every test row, on frames small enough to count by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace
from receval.metrics.definition import Lists, Truth
from receval.support.errors import DataError
from receval.tables.graph import Choice, Tables
from receval.tables.ids import Ids
from receval.tables.prepared import Prepared
from receval.tables.rows import PartData

LISTS = Lists("rank", "item_asc", "float64", "keep_all", "keep", "keep")
GRADED = Truth("above_zero", None, True, "best", "none")
CHOICE = Choice(LISTS, GRADED, "real")

TEST = pl.DataFrame(
    [("a", "w", -1.0), ("a", "x", 2.0), ("a", "y", 1.0), ("a", "z", 1.0), ("b", "x", 0.0), ("b", "y", 3.0)],
    schema=["user", "item", "rating"],
    orient="row",
)
SCORED = pl.DataFrame(
    [("a", "w", 9.0), ("a", "new", 8.0), ("a", "y", 7.0), ("a", "x", 6.0), ("b", "y", 1.0), ("b", "y", 0.5)],
    schema=["user", "item", "score"],
    orient="row",
)


def tables(lists: pl.DataFrame = SCORED, **sides: pl.DataFrame) -> Tables:
    frames = {name: frame.with_row_index("row") for name, frame in {"lists": lists, "test": TEST, **sides}.items()}
    none = np.empty(0, dtype=np.int64)
    prepared = Prepared(Ids(pl.Series("item", [], dtype=pl.String)), none, none, none, none > 0, none > 0)
    return Tables({"part": PartData(frames), "prepared": prepared})


def test_a_rating_below_0_is_judged_or_only_pooled():
    found = tables().get("judged", CHOICE, negative="judged")
    assert found["rank"].tolist() == [1, 3, 4, 1, 2]
    assert found["judged"].tolist() == [1, 2, 3, 1, 2]
    assert found["found"].tolist() == [0, 1, 2, 1, 2]
    assert found["n_other"].tolist() == [1, 1, 1, 1, 1]
    pooled = tables().get("judged", CHOICE, negative="pooled")
    assert pooled["judged"].tolist() == [0, 1, 2, 1, 2]
    assert pooled["pooled"].tolist() == [1, 1, 1, 0, 0]
    assert pooled["n_other"].tolist() == [0, 0, 0, 1, 1]


def test_hits_have_the_ideal_dcg_up_to_their_rank():
    found = tables().get("graded", CHOICE)
    assert found["rank"].tolist() == [3, 4, 1, 2]
    assert found["gained"].tolist() == [1, 3, 3, 6]
    best = 2 + 1 / np.log2(3) + 0.5  # the grades 2, 1, 1
    assert found["ideal_dcg"] == pytest.approx([best, best, 3, 3])
    assert found["cost"].tolist() == [4, 5, 3, 4]


@pytest.mark.parametrize("graded", [True, False])
def test_grade_changes_are_at_the_last_rank_of_each_grade(graded):
    choice = Choice(LISTS, replace(GRADED, graded=graded), "real")
    found = tables().get("grade_changes", choice)
    assert found.user.tolist() == ([0, 0, 1] if graded else [0, 1])
    assert found["rank"].tolist() == ([1, 3, 1] if graded else [3, 1])
    ideal = 2 + 1 / np.log2(3) + 0.5 if graded else 1 + 1 / np.log2(3) + 0.5
    assert found["ndcg"] == pytest.approx(([0] if graded else []) + [0.5 / ideal, 1])


def test_the_cascade_continues_with_the_probability_that_hits_above_leave():
    found = tables().get("cascade", CHOICE, max_grade=2.0)
    assert found["satisfied"] == pytest.approx([0.25, 0.75, 1, 1])
    assert found["reached"] == pytest.approx([1, 0.75, 1, 0])


def test_scores_and_ratings_are_compared_at_the_best_rank_of_each_item():
    found = tables().get("agreement", CHOICE, k=0, method="spearman")
    assert found.user.tolist() == [0, 0, 0, 1]
    assert found["score"].tolist() == [1, -1, 0, 0]  # w x y of a; y of b
    assert found["rating"].tolist() == [-1, 1, 0, 0]
    pairs = tables().get("agreement", CHOICE, k=3, method="kendall")  # x of a is below rank 3
    assert (pairs.user.tolist(), pairs["score"].tolist(), pairs["rating"].tolist()) == ([0], [1], [-1])


def test_predictions_come_from_their_file_or_from_the_scores():
    predictions = pl.DataFrame({"user": ["b", "a", "a"], "item": ["x", "w", "w"], "prediction": [4.0, 1.0, 2.0]})
    nan = float("nan")
    found = tables(predictions=predictions).get("ratings", CHOICE)
    np.testing.assert_equal(found["prediction"], [2, nan, nan, nan, 4, nan])
    np.testing.assert_equal(tables().get("ratings", CHOICE)["prediction"], [9, 6, 7, nan, nan, 1])
    ranked = SCORED.drop("score")
    assert np.isnan(tables(ranked, predictions=predictions).get("ratings", CHOICE)["prediction"]).sum() == 4
    with pytest.raises(DataError, match="no scores"):
        tables(ranked).get("ratings", CHOICE)
