"""A side gives the rows of users."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from receval.engines import SideTable
from receval.engines import local as module

from .collecting import table


def test_adjacent_users_are_a_slice_of_the_side_table():
    frame = table([1, 1, 2, 5, 5, 7])
    side = SideTable(frame)
    rows = side.rows_of(pl.Series([2, 5]))
    assert np.shares_memory(rows["item"].to_numpy(), side.frame["item"].to_numpy())
    assert rows["row"].to_list() == [2, 3, 4]


def test_users_that_are_not_adjacent_are_gathered():
    rows = SideTable(table([1, 1, 2, 5, 5, 7])).rows_of(pl.Series([5, 1]))
    assert rows["row"].to_list() == [0, 1, 3, 4]


def test_a_side_in_any_order_is_sorted_once_and_its_rows_stay_in_order():
    side = SideTable(table([5, 1, 5, 2, 1]))
    assert side.frame["user"].to_list() == [1, 1, 2, 5, 5]
    assert side.rows_of(pl.Series([5]))["row"].to_list() == [0, 2]


def test_a_side_whose_users_are_together_keeps_its_order():
    side = SideTable(table([5, 5, 1, 2]))
    assert side.frame["user"].to_list() == [5, 5, 1, 2]
    assert side.rows_of(pl.Series([1, 5]))["user"].to_list() == [5, 5, 1]


def test_unknown_users_have_no_rows():
    side = SideTable(table(["a", "b"]))
    assert side.rows_of(pl.Series(["c", "", "b"]))["user"].to_list() == ["b"]
    assert side.rows_of(pl.Series([], dtype=pl.String)).schema == side.frame.schema
    assert SideTable(table([])).rows_of(pl.Series([1])).is_empty()


def test_rows_without_a_user_are_left_out():
    side = SideTable(pl.DataFrame({"user": ["a", None, "b"], "item": [1, 2, 3], "row": [0, 1, 2]}))
    assert side.frame["row"].to_list() == [0, 2]


@pytest.mark.parametrize("n_colliding_seeds", [1, 3])
def test_texts_that_share_a_hash_are_different_users(monkeypatch, n_colliding_seeds):
    real = module.user_keys

    def few_keys(users, seed=0):
        return real(users, seed) % (3 if seed < n_colliding_seeds else 9973)

    monkeypatch.setattr(module, "user_keys", few_keys)
    frame = table([f"user {number}" for number in range(40) for _ in range(2)])
    side = SideTable(frame)
    for number in range(60):
        rows = side.rows_of(pl.Series([f"user {number}"]))
        assert rows["user"].to_list() == [f"user {number}"] * 2 * (number < 40)


def test_a_side_read_in_pieces_gives_rows_in_one_piece():
    rows = [([1, 1, 2], [10, 11, 12]), ([2, 3], [13, 14]), ([4], [15])]
    side = SideTable(pl.concat([pl.DataFrame({"user": users, "item": items}) for users, items in rows], rechunk=False))
    assert side.frame.n_chunks() == 3
    together, apart = side.rows_of(pl.Series([2, 3])), side.rows_of(pl.Series([1, 4]))
    assert (together["item"].to_list(), apart["item"].to_list()) == ([12, 13, 14], [10, 11, 15])
    assert (together.n_chunks(), apart.n_chunks(), side.frame.n_chunks()) == (1, 1, 1)
