"""Vectors of items: the same from every way to write them, and one sentence for what is wrong."""

from __future__ import annotations

import polars as pl
import pytest
import receval
from receval.support.errors import ConfigError, DataError

MEASURES = ["ILD(distance=vectors)@3", "ILS(distance=vectors)@2"]
NUMBERS = [[1.5, 0.0, -2.0], [0.1, 3.0, 1e-9], [4.0, 4.0, 4.0]]


def values(items, vector):
    given = {"frame" if isinstance(items, pl.DataFrame) else "path": items, "vector": vector}
    lists = {"u": ["a", "b", "c"]}
    result = receval.evaluate(test={"u": ["a"]}, recommendations={"m": lists}, items=given, metrics=MEASURES, health=False)
    return [row.value for row in result.rows]


def frame(column, dtype=None):
    return pl.DataFrame({"item": ["a", "b", "c"], "vector": pl.Series(column, dtype=dtype)})


def test_lists_texts_and_columns_of_numbers_are_the_same_vectors(tmp_path):
    expected = values(frame(NUMBERS), "vector")
    assert expected[0] > 0
    frame(NUMBERS).write_parquet(tmp_path / "items.parquet")
    frame([" ".join(map(str, vector)) for vector in NUMBERS]).write_csv(tmp_path / "items.csv")
    columns = frame(NUMBERS).with_columns(pl.col("vector").list.to_struct(fields=["x", "y", "z"])).unnest("vector")
    assert values(str(tmp_path / "items.parquet"), "vector") == expected
    assert values(str(tmp_path / "items.csv"), "vector") == expected
    assert values(frame(NUMBERS, pl.Array(pl.Float64, 3)), "vector") == expected
    assert values(frame([str(vector) for vector in NUMBERS]), "vector") == expected
    assert values(columns, ["x", "y", "z"]) == expected
    # the length of a vector changes no cosine
    assert values(frame([[1e200 * number for number in vector] for vector in NUMBERS]), "vector") == pytest.approx(expected, rel=1e-12)


def test_an_item_with_several_equal_rows_has_one_vector():
    twice = pl.concat([frame(NUMBERS), frame(NUMBERS)])
    assert values(twice, "vector") == values(frame(NUMBERS), "vector")


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (["1 2", "3 x", "5 6"], "the vector '3 x' of item b is not a list of finite numbers"),
        (["1 2", "3 nan", "5 6"], "the vector '3 nan' of item b is not a list of finite numbers"),
        (["1 2", "3 4", "5 6 7"], "the vector '5 6 7' of item c has 3 numbers, where other items have 2"),
    ],
)
def test_a_vector_that_cannot_be_compared_is_refused(column, problem):
    with pytest.raises(DataError) as refused:
        values(frame(column), "vector")
    assert problem in str(refused.value)


def test_an_item_with_two_vectors_is_refused():
    with pytest.raises(DataError) as refused:
        values(pl.concat([frame(["1 2", "3 4", "5 6"]), frame(["1 2", "3 4", "5 7"])]), "vector")
    assert "the vector '5 6' of item c is one of several vectors of this item" in str(refused.value)


def test_measures_of_vectors_without_vectors_say_what_to_give():
    with pytest.raises(ConfigError) as refused:
        receval.evaluate(test={"u": ["a"]}, recommendations={"m": {"u": ["a"]}}, items=frame(NUMBERS), metrics=MEASURES)
    assert "needs the vectors of the items: set items.vector to their column, or to a list of columns" in str(refused.value)


def test_items_without_any_vector_have_no_distance():
    assert values(frame(["", None, " "]), "vector") == [0.0, 0.0]  # no pair has a distance, as in a list of one item
