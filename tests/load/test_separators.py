"""Separators of several characters, as in MovieLens, and texts that only look like one."""

from __future__ import annotations

import gzip

import pytest
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED, look_at

RATINGS = "1::10::5::978300760\n1::11::4::978302109\n2::12::3::978301968\n"


@pytest.mark.parametrize(
    "text", [RATINGS, RATINGS.replace("\n", "\r\n"), "\ufeff" + RATINGS, RATINGS.replace("\n", "\n\n"), RATINGS.rstrip()]
)
def test_a_movielens_file_is_recognised_by_its_colons(text, write, evaluate_lists):
    write("ratings.dat", text)
    assert evaluate_lists(test="ratings.dat") == EXPECTED


def test_compressed_files_and_headers_work_with_colons_too(write, evaluate_lists):
    write("ratings.dat.gz", gzip.compress(RATINGS.encode()))
    write("a.txt", "user::item::rating\n1::10::5\n1::11::4\n")
    write("b.txt", "user::item::rating\n2::12::3\n")
    assert evaluate_lists(test="ratings.dat.gz") == evaluate_lists(test=["a.txt", "b.txt"]) == EXPECTED


@pytest.mark.parametrize("separator", ["||", "<>", "::", "¦", ", "])
def test_a_separator_of_several_characters_can_be_set(separator, write, evaluate_lists):
    write("ratings.txt", RATINGS.replace("::", separator))
    assert evaluate_lists(test={"path": "ratings.txt", "separator": separator}) == EXPECTED


def test_colons_within_ids_are_not_separators(write):
    path = write("l.csv", "std::map,10\nstd::set,11\n")
    source = look_at("data.recommendations.m", "lists", path, header=False)
    assert (source.scan.separator, source.scan.kinds) == (",", {"user": "text", "item": "integer"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RATINGS + "3::14::5::1::2\n", "line 4: 5 fields, where there are 4 columns"),
        (RATINGS + "3::14::five::1\n", "line 4: 'five' is not a number, and rating must be one"),
        (RATINGS + "3::::5::1\n", "line 4: no value for item"),
        (RATINGS + "3\n", "line 4: no value for item"),
        ("\nuser::item\n1::10\n", "line 1: the line is blank, but column names were expected"),
    ],
)
def test_a_wrong_line_is_reported(text, message, write, evaluate_lists):
    write("ratings.dat", text)
    with pytest.raises(DataError, match=message):
        evaluate_lists(test={"path": "ratings.dat", "separator": "::"})
