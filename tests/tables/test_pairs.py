"""Rows of one table are found in another, and duplicates are noticed, for any ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from receval.tables.array import Array
from receval.tables.ids import Ids, Lookup, Pairs, has_duplicates, make_pairs
from receval.tables.rows import starts_of, within_users

IDS = {
    "small": lambda number: number,
    "negative": lambda number: -number - 5,
    "wide": lambda number: number * 2**58 - 2**60,
    "text": lambda number: f"item {number}",
}


@dataclass(frozen=True)
class Table:
    """Users and items, like a table of a part."""

    user: Array
    item: pl.Series

    @property
    def item_hashes(self) -> Array:
        return self.item.hash(7).to_numpy()


def tables(kind: str, *rows: list[tuple[int, int]]) -> list[Table]:
    return [Table(np.array([user for user, _ in some], dtype=np.int64), pl.Series([IDS[kind](item) for _, item in some])) for some in rows]


@pytest.mark.parametrize("kind", IDS)
def test_rows_are_found_by_user_and_item(kind):
    lists, truth = [(0, 3), (0, 1), (1, 3), (1, 4), (2, 1)], [(0, 1), (1, 1), (1, 3), (2, 4), (3, 1)]
    rows, pairs = make_pairs(tables(kind, lists, truth), n_users=4)
    row, pair = Lookup(pairs).find(rows)
    assert row.tolist() == [1, 2]
    assert pair.tolist() == [0, 2]


def test_pairs_with_equal_hashes_are_different():
    user, item = np.array([0, 0, 0], dtype=np.int64), pl.Series(["x", "y", "z"])
    lists = Pairs(user, item, np.array([7, 7, 7], dtype=np.int64), None)
    truth = Pairs(user[:2], pl.Series(["z", "y"]), np.array([7, 7], dtype=np.int64), None)
    row, pair = Lookup(truth).find(lists)
    assert list(zip(row.tolist(), pair.tolist(), strict=True)) == [(1, 1), (2, 0)]
    assert not has_duplicates(lists, np.array([0, 3]))


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize(
    ("rows", "repeats"),
    [
        ([(0, 1), (0, 2), (1, 1), (1, 2)], False),  # two lists of one length
        ([(0, 1), (0, 2), (1, 3), (1, 3)], True),
        ([(0, 1), (0, 2), (0, 3), (1, 1)], False),  # lists of two lengths
        ([(0, 1), (0, 2), (0, 1), (1, 1)], True),
        ([(0, 1), (1, 1), (3, 1)], False),  # user 2 has no list
        ([], False),
    ],
)
def test_a_duplicate_is_noticed(kind, rows, repeats):
    (pairs,) = make_pairs(tables(kind, rows) if rows else [Table(np.empty(0, np.int64), pl.Series([], dtype=pl.Int64))], n_users=4)
    assert has_duplicates(pairs, starts_of(pairs.user, 4)) is repeats


def test_unknown_ids_have_the_index_minus_one():
    ids = Ids(pl.Series([10, 12, 15]))
    assert ids.index_of(pl.Series([15, 11, 9, 16, 10, -(2**62), 2**62])).tolist() == [2, -1, -1, -1, 0, -1, -1]


def test_neighbours_of_different_users_are_left_out_even_beside_users_without_rows():
    user = np.array([1, 1, 3, 3, 3], dtype=np.int64)  # users 0, 2 and 4 have no rows
    assert within_users(np.ones(4, dtype=np.bool_), starts_of(user, 5)).tolist() == [True, False, True, True]
