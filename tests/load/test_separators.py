"""Separators of several characters, as MovieLens has them, and those that only look like one."""

from __future__ import annotations

import gzip

import pytest
from receval.errors import DataError

from tests.load.conftest import EXPECTED, look_at

RATINGS = "1::10::5::978300760\n1::11::4::978302109\n2::12::3::978301968\n"


@pytest.mark.parametrize(
    "text", [RATINGS, RATINGS.replace("\n", "\r\n"), "\ufeff" + RATINGS, RATINGS.replace("\n", "\n\n"), RATINGS.rstrip()]
)
def test_a_file_of_movielens_is_told_by_its_colons(text, write, door):
    write("ratings.dat", text)
    assert door(test="ratings.dat") == EXPECTED


def test_a_packed_file_and_one_with_a_header_are_read_too(write, door):
    write("ratings.dat.gz", gzip.compress(RATINGS.encode()))
    write("a.txt", "user::item::rating\n1::10::5\n1::11::4\n")
    write("b.txt", "user::item::rating\n2::12::3\n")
    assert door(test="ratings.dat.gz") == door(test=["a.txt", "b.txt"]) == EXPECTED


@pytest.mark.parametrize("separator", ["||", "<>", "::", "¦", ", "])
def test_a_separator_of_several_characters_may_be_said(separator, write, door):
    write("ratings.txt", RATINGS.replace("::", separator))
    assert door(test={"path": "ratings.txt", "separator": separator}) == EXPECTED


def test_colons_within_ids_separate_nothing(write):
    path = write("l.csv", "std::map,10\nstd::set,11\n")
    source = look_at("data.recommendations.m", "lists", path, header=False)
    assert (source.scan.separator, source.scan.kinds) == (",", {"user": "text", "item": "integer"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RATINGS + "3::14::5::1::2\n", "line 4: 5 fields, where there are 4 columns"),
        (RATINGS + "3::14::five::1\n", "line 4: 'five' is not a number, and rating must be one"),
        (RATINGS + "3::::5::1\n", "line 4: no value for item"),
        (RATINGS + "3\n", "line 4: no value for item"),
        ("\nuser::item\n1::10\n", "line 1: the line is blank, but column names were expected"),
    ],
)
def test_a_line_that_is_wrong_is_named(text, said, write, door):
    write("ratings.dat", text)
    with pytest.raises(DataError, match=said):
        door(test={"path": "ratings.dat", "separator": "::"})
