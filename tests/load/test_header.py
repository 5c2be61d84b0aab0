"""The first line is a header if it can only be one; if it could be data, a note says how it is read."""

from __future__ import annotations

import pytest
import yaml
from receval import load_config, run
from receval.support.errors import DataError

from tests.conftest import values
from tests.load.conftest import look_at

LISTS = "ann,dune\nbob,emma\ncid,ulysses\n"
TEST = "ann,dune\nbob,other\ncid,ulysses\n"
"""No header: the first item is relevant for two of three users; without the first lines for one of two."""
BY_POSITION = {"columns": {"user": 1, "item": 2}}


@pytest.fixture
def result(write, tmp_path):
    def result(test, lists, **more):
        data = {"test": {"path": "test.csv", **test}, "recommendations": {"m": {"path": "l.csv", **lists}}, **more}
        write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["Recall@1"]}, "health": "off"}))
        return run(load_config(tmp_path / "config.yaml"))

    return result


def doubts(text, write, table="interactions", **options):
    path = write("some.csv", text)
    source = look_at("data.test", table, path, **options)
    return source.scan.has_header, source.scan.doubts


def test_with_columns_by_position_the_first_line_is_data(write, result):
    write("test.csv", TEST)
    write("l.csv", LISTS)
    found = result(BY_POSITION, BY_POSITION)
    assert values(found, "m") == {"Recall@1": 2 / 3}
    assert not any("first line" in remark for remark in found.remarks)


def test_a_header_with_columns_by_position_must_be_declared(write, result):
    write("test.csv", "user_id,item_id\n" + TEST)
    write("l.csv", LISTS)
    with pytest.raises(
        DataError, match="first line, 'user_id,item_id', contains column names, but the config gives columns only by position"
    ):
        result(BY_POSITION, BY_POSITION)
    assert values(result(BY_POSITION | {"header": True}, BY_POSITION), "m") == {"Recall@1": 2 / 3}
    assert values(result(BY_POSITION | {"header": False}, BY_POSITION), "m") == {"Recall@1": 2 / 4}


def test_a_possible_header_with_columns_by_position_is_data_with_a_note(write, result):
    write("test.csv", "who,what,when\nann,dune,3\nbob,other,4\ncid,ulysses,5\n")
    write("l.csv", LISTS)
    found = result(BY_POSITION, BY_POSITION)
    assert values(found, "m") == {"Recall@1": 2 / 4}
    said = "data.test: the first line of test.csv, 'who,what,when', is read as data; set header: true if it contains column names."
    assert found.remarks[0] == said


def test_an_item_called_book_beside_a_number_is_data_with_a_note(write):
    said = "data.test: the first line of some.csv, '1,book,5', is read as data; set header: true if it contains column names."
    assert doubts("1,book,5\n2,dune,4\n", write) == (False, (said,))


def test_a_single_name_that_could_be_an_item_is_a_header_with_a_note(write):
    said = "data.test: the first line of some.csv, 'book', is read as column names; set header: false if it is data."
    assert doubts("book\ndune\nemma\n", write, "catalogue") == (True, (said,))
    assert doubts("book\ndune\nemma\n", write, "catalogue", header=False) == (False, ())


@pytest.mark.parametrize(
    "text",
    [
        "user,item\nann,dune\n",
        "user_id,item_id,rating\n1,10,5\n",
        "user,book\nann,dune\n",
        "user,item,0\n1,10,0.9\n",
        "user_id:token\titem_id:token\n1\t10\n",
    ],
)
def test_usual_names_are_a_header_without_a_note(text, write):
    assert doubts(text, write) == (True, ())


@pytest.mark.parametrize("text", ["item_id\nB01\nB02\n", "movieId,title\n1,Dune\n", "book,year\ndune,1965\n"])
def test_one_sure_name_or_one_above_numbers_is_a_header_without_a_note(text, write):
    assert doubts(text, write, "catalogue") == (True, ())


def test_names_in_the_config_are_a_header_without_a_note(write):
    assert doubts("who,book\nann,dune\n", write, columns={"user": "who"}) == (True, ())
    assert doubts("book,kind\ndune,novel\n", write, "catalogue", labels=["kind"]) == (True, ())


@pytest.mark.parametrize("text", ["1,10,5\n2,11,4\n", "ann,10\nbob,11\n", 'ann,"[1, 2]"\n'])
def test_numbers_and_lists_are_data_without_a_note(text, write):
    assert doubts(text, write) == (False, ())


def test_a_first_row_of_several_lines_has_a_note(write):
    said = "data.test: a quoted field of some.csv continues over a line end, so several lines are one row."
    assert doubts('user,item,title\n1,10,"a\nb"\n', write) == (True, (said,))
