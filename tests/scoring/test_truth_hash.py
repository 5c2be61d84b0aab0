"""The fingerprint of the test rows: order and parts do not change it, anything else does."""

from __future__ import annotations

import polars as pl
import pytest
from receval.scoring.truth_hash import truth_hash

TEST = pl.DataFrame({"user": [1, 1, 2, 3], "item": [10, 11, 10, -7], "rating": [4.0, 0.0, 5.5, 1.0]})


def test_the_order_of_rows_and_parts_do_not_change_the_hash():
    parts = [truth_hash(part) for part in TEST.partition_by("user")]
    assert truth_hash(TEST.sample(fraction=1.0, shuffle=True, seed=1)) == parts[2] + (parts[0] + parts[1]) == truth_hash(TEST)


def test_text_ids_have_the_hash_of_integer_ids():
    assert truth_hash(TEST.cast({"user": pl.String, "item": pl.String})) == truth_hash(TEST)


@pytest.mark.parametrize(
    "other",
    [
        TEST.with_columns(item=pl.Series([11, 10, 10, -7])),  # ratings of two items exchanged
        TEST.with_columns(user=pl.Series([1, 2, 1, 3])),
        TEST.with_columns(rating=pl.Series([4.0, 0.0, 5.5, 1.0000000000000002])),
        TEST.drop("rating"),
        pl.concat([TEST, TEST.head(1)]),
        TEST.head(3),
        TEST.cast({"item": pl.String}).with_columns(item=pl.Series(["10", "11", "10", "-7 "])),
    ],
)
def test_other_test_rows_have_another_hash(other):
    assert truth_hash(other).fingerprint.hash != truth_hash(TEST).fingerprint.hash


def test_the_hash_never_changes_because_folders_store_it():
    assert truth_hash(TEST).fingerprint.hash == "a81f363febd2e854d21359d97ca8e27c"


def test_no_rows_and_empty_ids_have_a_hash():
    assert truth_hash(TEST.clear()).rows == 0
    empty = pl.DataFrame({"user": ["", "a"], "item": ["b", ""]})
    assert truth_hash(empty).sums != truth_hash(empty.with_columns(item=pl.Series(["", "b"]))).sums


@pytest.mark.parametrize("numbers", [[0, 9, 10, 99, 100, 10**9, 2**63 - 1], [5, -1, 12]])
def test_a_number_has_the_hash_of_its_digits_as_text(numbers):
    frame = pl.DataFrame({"user": numbers, "item": numbers[::-1]})
    assert truth_hash(frame) == truth_hash(frame.cast(pl.String))


def test_a_table_of_many_rows_has_the_sum_of_the_hashes_of_its_pieces():
    many = pl.DataFrame({"user": pl.int_range(40_000, eager=True) // 3, "item": pl.int_range(40_000, eager=True) * 7 % 1_000})
    pieces = many.with_columns(piece=pl.col("user") // 7_001).partition_by("piece", include_key=False)
    first, *others = map(truth_hash, pieces)
    assert sum(others, first) == truth_hash(many)
