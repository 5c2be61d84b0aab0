"""What the plain suite tries of products and lists has every value, and before a release everything."""

from __future__ import annotations

from itertools import product

import pytest

from tests import sizes


@pytest.mark.parametrize("turned", [0, 2])
def test_every_value_of_each_kind_is_in_some_combination(turned, monkeypatch):
    monkeypatch.setattr(sizes, "FULL", False)
    for lengths in product(range(1, 6), repeat=3):
        rows = sizes.each_once(*map(range, lengths), turned=turned)
        assert len(rows) == max(lengths)
        for place, length in enumerate(lengths):
            assert {row[place] for row in rows} == {*range(length)}


def test_two_kinds_of_the_same_values_meet_in_different_ones(monkeypatch):
    monkeypatch.setattr(sizes, "FULL", False)
    assert all(one != other for one, other in sizes.each_once("abcd", "abcd"))


def test_some_values_are_spread_over_all_and_before_a_release_all_are_taken(monkeypatch):
    monkeypatch.setattr(sizes, "FULL", False)
    assert sizes.some(range(11), 3) == [0, 5, 10]
    assert sizes.some("ab", 3) == ["a", "b"]
    assert sizes.some("abc", 1) == ["a"]
    monkeypatch.setattr(sizes, "FULL", True)
    assert sizes.some(range(11), 3) == [*range(11)]
    assert sizes.each_once("ab", "xyz") == [*product("ab", "xyz")]
    assert sizes.draws(2, 7) == 7


def test_every_second_row_is_left_to_a_release():
    for first in (0, 1):
        rows = sizes.half(["a", ("b", 2), "c"], first)
        assert [row.values for row in rows] == [("a",), ("b", 2), ("c",)]
        assert [bool(row.marks) for row in rows] == [place % 2 != first for place in range(3)]
