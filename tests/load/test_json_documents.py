"""JSON as people write it: one document with records, with lists by user, or with columns."""

from __future__ import annotations

import gzip
import json

import pytest
import zstandard
from receval import load_config, run
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED, LISTS, TEST

RECORDS = [{"user_id": user, "item_id": item, "score": score} for user, item, score in LISTS]
BY_USER = {user: [row for row in LISTS if row[0] == user] for user in (1, 2)}
SHAPES = {
    "lists by user": {1: [10, 99], 2: [98, 12]},
    "scores by item by user": {1: {99: 0.8, 10: 0.9}, 2: {12: 0.6, 98: 0.7}},
    "pairs by user": {1: [[99, 0.8], [10, 0.9]], 2: [[12, 0.6], [98, 0.7]]},
    "records by user": {user: [{"item": item, "score": score} for _, item, score in reversed(rows)] for user, rows in BY_USER.items()},
    "records": RECORDS[::-1],
    "records with lists": [{"user": 1, "items": [10, 99]}, {"user": 2, "items": [98, 12]}],
    "records with lists of records": [
        {"user": 1, "recs": [{"item": 99, "score": 0.8}, {"item": 10, "score": 0.9}]},
        {"user": 2, "recs": [{"item": 12, "score": 0.6}, {"item": 98, "score": 0.7}]},
    ],
    "columns with an index": {name: {str(row): record[name] for row, record in enumerate(RECORDS)} for name in RECORDS[0]},
    "columns": {name: [record[name] for record in RECORDS] for name in RECORDS[0]},
    "ids in quotes": {"1": ["10", "99"], "2": ["98", "12"]},
}


@pytest.mark.each_once
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_document_of_any_shape_and_line_breaks_is_read(shape, indent, write, evaluate_lists):
    write("lists.json", json.dumps(SHAPES[shape], indent=indent))
    assert evaluate_lists("lists.json") == EXPECTED


def test_a_document_can_be_compressed_have_a_mark_an_encoding_or_no_ending(write, evaluate_lists):
    text = json.dumps(SHAPES["scores by item by user"])
    write("packed.json.gz", gzip.compress(text.encode()))
    write("marked.json", b"\xef\xbb\xbf" + text.encode())
    write("plain", text)
    write("lists.txt", text)
    assert evaluate_lists("packed.json.gz") == evaluate_lists("marked.json") == evaluate_lists("plain") == EXPECTED
    assert evaluate_lists({"path": "lists.txt", "format": "json"}) == EXPECTED
    write("packed.json.zst", zstandard.compress(text.encode()))
    write("indented.json.zst", zstandard.compress(json.dumps(SHAPES["scores by item by user"], indent=1).replace("\n", "\r\n").encode()))
    assert evaluate_lists("packed.json.zst") == evaluate_lists("indented.json.zst") == EXPECTED
    write("utf16.json", text.encode("utf-16"))
    assert evaluate_lists({"path": "utf16.json", "encoding": "utf-16"}) == EXPECTED


def test_a_document_with_broken_compression_is_refused(write, evaluate_lists):
    text = json.dumps({str(user): [f"{user * 7919 % 10007}"] for user in range(5000)}).encode()
    for name, packed in (("cut.json.zst", zstandard.compress(text)[:-20]), ("cut.json.gz", gzip.compress(text)[:-20])):
        write(name, packed)
        with pytest.raises(DataError, match=f"{name}.*(cannot be unpacked|not a readable)"):
            evaluate_lists(name)


def test_one_object_per_line_is_ndjson_even_in_a_json_file(write, evaluate_lists):
    write("lists.json", "".join(json.dumps(record) + "\n" for record in RECORDS))
    assert evaluate_lists("lists.json") == EXPECTED
    write("one.json", json.dumps(RECORDS[0]))
    assert evaluate_lists("one.json") == {"MRR@10": 0.5, "Recall@10": 0.25}


@pytest.mark.parametrize("truth", [{1: [10, 11], 2: [12]}, {1: {10: 5, 11: 4}, 2: {12: 3, 98: 0}}, {1: [[10, 5], [11, 4]], 2: [[12, 3]]}])
def test_the_test_set_may_be_a_document_whose_numbers_are_ratings(truth, write, evaluate_lists):
    write("test.json", json.dumps(truth))
    assert evaluate_lists(test="test.json") == EXPECTED


def test_numbers_by_item_are_read_as_predictions(write, tmp_path):
    write("test.csv", TEST)
    write("als.json", json.dumps(SHAPES["lists by user"]))
    write("predicted.json", json.dumps({1: {10: 4.5, 11: 4}, 2: {12: 5}}))
    write(
        "config.yaml",
        "data: {test: test.csv, recommendations: {als: als.json}, predictions: predicted.json}\nevaluation: {metrics: [RMSE]}\nhealth: off",
    )
    (row,) = run(load_config(tmp_path / "config.yaml")).rows
    assert row.value == pytest.approx((0.125**0.5 + 2) / 2)  # the errors are 0.5 and 0 of user 1, and 2 of user 2


def test_keys_that_are_plain_integers_are_compared_as_integers_and_others_as_text(write, tmp_path):
    write("test.csv", TEST)
    write("config.yaml", "data: {test: test.csv, recommendations: {m: m.json}}\nevaluation: {metrics: [MRR]}\nhealth: off\n")
    for key, remark in (("7", False), ("u7", True), ("07", True)):
        write("m.json", json.dumps({"1": [10], key: [11]}))
        result = run(load_config(tmp_path / "config.yaml"))
        assert result.rows[0].value == pytest.approx(0.5)
        assert any("User ids are compared as text" in note for note in result.remarks) is remark


def test_a_long_document_is_read_completely(write, tmp_path):
    long = json.dumps({user: [f"{item:0200}" for item in range(user, user + 40)] for user in range(400)})
    assert len(long) > 3 << 20
    write("test.json", long)
    write("m.json", long)
    write("config.yaml", "data: {test: test.json, recommendations: {m: m.json}}\nevaluation: {metrics: [Recall@40]}\nhealth: off\n")
    result = run(load_config(tmp_path / "config.yaml"))
    assert result.rows[0].value == 1
    assert {source.rows for source in result.inputs} == {16_000}


WRONG = {
    "a key twice": ('{"1": [10], "1": [11]}', "l.json, line 1: the key '1' is given twice"),
    "an item twice": ('{"1": {\n"10": 1, "10": 2}}', "the key '10' appears twice in one object"),
    "cut short": ('{"1": [10],\n"2": [11', "l.json, line 2: "),
    "more behind it": ('[{"user": 1, "item": 2}]\n\n]', "line 3: there is text after the end of the document"),
    "an item of none": ('{"1": [10, null]}', r"record 2: no value for item \(in 1 of 2 rows\)"),
    "a score of none": ('{"1": {"10": 1, "11": null}}', "record 2: no value for score"),
    "a score that is NaN": ('{"1": {"10": 1, "11": NaN}}', "record 2: no value for score"),
    "an infinite score": ('{"1": {"10": 1, "11": 1e999}}', "record 2: a number is not finite"),
    "a fraction as an item": ('{"1": [10.5]}', "user '1': 10.5 cannot be an id"),
    "three in a pair": ('{"1": [[10, 1, 2]]}', r"user '1': \[10, 1, 2\] is neither an item nor a pair"),
    "a number for a user": ('{"1": [10],\n"2": 3}', "user '2': 3 is not a list of items"),
    "text for a score": ('{"1": {"title": "Alien"}}', r"user '1': \[\"title\", \"Alien\"\] is neither an item nor a pair"),
    "rows without names": ("[[1, 10]]", r"record 1: a JSON object was expected, not \[1, 10\]"),
    "columns of other lengths": ('{"user": [1, 2], "item": [3]}', "key 'item': 1 values, where 'user' has 2"),
    "columns of other rows": ('{"user": {"0": 1}, "item": {"1": 2}}', "key 'item': its rows differ from those of 'user'"),
    "a record without a score": ('[{"user": 1, "item": 2, "score": 1},\n{"user": 1, "item": 3}]', r"record 2: no value for score"),
    "a record with a word for a score": ('[{"user": 1, "item": 2, "score": "high"}]', "record 1: 'high' is not a number"),
    "nothing": ("{}", "there are no rows"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_document_without_rows_is_refused_with_the_place(name, write, evaluate_lists):
    content, said = WRONG[name]
    write("l.json", content)
    with pytest.raises(DataError, match=said) as error:
        evaluate_lists("l.json")
    assert "ndjson" not in str(error.value)


def test_a_document_by_user_is_refused_as_catalogue(write, tmp_path):
    write("test.csv", TEST)
    write("m.csv", TEST)
    write("items.json", json.dumps({10: {"year": 1979}, 11: {"year": 1985}}))
    config = "data: {test: test.csv, items: items.json, recommendations: {m: m.csv}}\nevaluation: {metrics: [ItemCoverage]}\n"
    write("config.yaml", config)
    with pytest.raises(DataError, match=r"data.items: .*items.json, key '10': not a column name"):
        run(load_config(tmp_path / "config.yaml"))
    write("items.json", json.dumps([{"item": 10}, {"item": 11}, {"item": 12}]))
    assert run(load_config(tmp_path / "config.yaml")).rows[0].value == 1
