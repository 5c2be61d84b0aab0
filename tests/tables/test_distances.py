"""Distances of items, on four items and an unknown one: 0 has categories a b, 1 b, 2 none, 3 b c."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from receval.tables.distances import distance_of
from receval.tables.ids import Ids
from receval.tables.prepared import Prepared

CATEGORIES = ((0, 1), (0, 2), (1, 2), (3, 2), (3, 3))
TRAIN = pl.DataFrame({"user": ["u", "u", "v", "v", "w"], "item": [10, 11, 10, 11, 10]})
DISTANCES = pl.DataFrame({"item": [10, 11, 12, 99], "other": [11, 10, 99, 12], "distance": [0.25, 0.5, 2.0, 2.0]})


def prepared(first_code: int = 0) -> Prepared:
    rows = np.asarray([3, 2, 0, 0])
    codes = np.asarray([code + first_code for _, code in CATEGORIES])
    return Prepared(
        Ids(pl.Series([10, 11, 12, 13])),
        rows,
        rows,
        rows,
        rows > 0,
        np.asarray([True, True, True, True]),
        category_item=np.asarray([item for item, _ in CATEGORIES]),
        category_code=codes,
        train_by_item=TRAIN,
        distances=DISTANCES,
    )


@pytest.mark.parametrize("first_code", [0, 100], ids=["as bits", "more than bits hold"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("jaccard", [0.5, 2 / 3, None, None]),
        ("cosine", [1 - 1 / np.sqrt(2), 0.5, None, None]),
        ("hamming", [1.0, 2.0, 2.0, None]),
    ],
)
def test_each_distance_of_categories_has_its_values(kind, expected, first_code):
    distance = distance_of(prepared(first_code), kind)
    first, second = distance.index_of(pl.Series([10, 10, 10, 10])), distance.index_of(pl.Series([11, 13, 12, 77]))
    assert distances_of(distance.between(first, second)) == pytest.approx(expected)


def test_items_that_share_train_users_are_near_and_counts_are_cached():
    distance = distance_of(prepared(), "cooccurrence")
    first, second = np.asarray([0, 1, 0, 0, 0]), np.asarray([1, 0, 0, 2, -1])
    expected = pytest.approx([1 - 2 / np.sqrt(6), 1 - 2 / np.sqrt(6), 0.0, 1.0, 1.0])
    assert distances_of(distance.between(first[:1], second[:1])) == pytest.approx([1 - 2 / np.sqrt(6)])
    assert distances_of(distance.between(first, second)) == expected
    assert distances_of(distance.between(first, second)) == expected


def test_distances_of_a_file_are_symmetric_and_include_otherwise_unknown_items():
    distance = distance_of(prepared(), "file")
    first, second = distance.index_of(pl.Series([10, 11, 12, 10])), distance.index_of(pl.Series([11, 10, 99, 13]))
    assert distances_of(distance.between(first, second)) == [0.25, 0.5, 2.0, None]


def distances_of(values):
    return [None if np.isnan(value) else value for value in values]
