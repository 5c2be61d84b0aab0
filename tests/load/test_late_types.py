"""An invalid id is refused with its line, both in the first lines, which decide the types, and far below them."""

from __future__ import annotations

import gzip
import json
import re

import pytest
import zstandard
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED, LISTS, look_at

FIRST = 1_000
"""Number of lines that decide the types."""
ODD = {
    "15.0": "15.0 cannot be an id",
    "15.7": "15.7 cannot be an id",
    "1e2": "100.0 cannot be an id",
    "[15]": "[15] cannot be an id",
    "[15.0]": "[15.0] cannot be an id",
    '{"a": 15}': "{'a': 15} cannot be an id",
    "true": "True cannot be an id",
    '"a\\u0000b"': "'a\\x00b' cannot be an id",
}
places = pytest.mark.parametrize("n_before", [1, 2 * FIRST], ids=["early", "late"])


def objects(n: int, item: str, **more: str) -> str:
    """Return `n` lines of valid objects, and one with the JSON `item`."""
    good = json.dumps({"user": 1, "item": 10, **more}) + "\n"
    return good * n + json.dumps({"user": 2, "item": "ITEM", **more}).replace('"ITEM"', item) + "\n"


@pytest.mark.each_once
@places
@pytest.mark.parametrize("item", ODD)
@pytest.mark.parametrize("spelling", ["item", "artículo"])
def test_an_odd_value_in_json_is_refused_as_id(spelling, item, n_before, write, evaluate_lists):
    source = {"path": "l.ndjson", "columns": {"item": spelling}}
    write("l.ndjson", objects(n_before, item).replace('"item"', json.dumps(spelling)))
    message = f"line {n_before + 1}: {ODD[item]}"
    if item.startswith("[") and n_before < FIRST:  # the first lines show that a row may have a list
        message = f"line 1: {spelling!r} is 10, but a list in other rows"
    with pytest.raises(DataError, match=re.escape(message)):
        evaluate_lists(source)


@places
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_an_odd_value_in_compressed_json_is_refused_as_id(pack, n_before, write, evaluate_lists):
    write("l.ndjson.gz" if pack is gzip.compress else "l.ndjson.zst", pack(objects(n_before, "15.0").encode()))
    with pytest.raises(DataError, match=f"line {n_before + 1}: 15.0 cannot be an id"):
        evaluate_lists("l.ndjson.gz" if pack is gzip.compress else "l.ndjson.zst")


@places
@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("[15.0]", "15.0 cannot be an id"),
        ('["a", 15.0]', "15.0 cannot be an id"),
        ('["a] 1.0", true]', "True cannot be an id"),
        ("[[15]]", "[15] cannot be an id"),
        ("15", "'items' is 15, but a list in other rows"),
        ('"[15]"', "'items' is '[15]', but a list in other rows"),
    ],
)
def test_an_odd_value_in_a_list_of_json_is_refused_as_id(items, message, n_before, write, evaluate_lists):
    write("l.ndjson", '{"user": 1, "items": [10]}\n' * n_before + f'{{"user": 2, "items": {items}}}\n')
    with pytest.raises(DataError, match=re.escape(f"line {n_before + 1}: {message}")):
        evaluate_lists("l.ndjson")


@places
@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("[15.0]", "15.0 cannot be an id"),
        ("[true]", "True cannot be an id"),
        ('[""a"", 1e3]', "1000.0 cannot be an id"),
        ("[15", "item holds '[15', which is not a JSON array"),
        ("15", "item holds '15', which is not a JSON array"),
        ("x", "item holds 'x', which is not a JSON array"),
    ],
)
def test_an_odd_value_in_a_list_in_text_is_refused_as_id(items, message, n_before, write, evaluate_lists):
    write("l.csv", "user,items\n" + '1,"[10]"\n' * n_before + f'2,"{items}"\n')
    with pytest.raises(DataError, match=re.escape(f"line {n_before + 2}: {message}")):
        evaluate_lists("l.csv")


def test_texts_that_look_like_odd_values_are_ids_like_others(write, evaluate_lists):
    items = ["10", '"item": 15.0', "[15]", "{", "\\", "true]"]
    write("t.ndjson", "".join(json.dumps({"user": "u", "item": item}) + "\n" for item in items))
    write("l.ndjson", "".join(json.dumps({"other": {"item": 1.5}, "user": "u", "item": item}) + "\n" for item in items))
    write("m.ndjson", json.dumps({"user": "u", "items": items}) + "\n")
    assert evaluate_lists("l.ndjson", test="t.ndjson") == evaluate_lists("m.ndjson", test="t.ndjson") == {"MRR@10": 1.0, "Recall@10": 1.0}


@places
def test_a_label_of_json_is_a_single_value(n_before, write):
    path = write("items.ndjson", '{"item": 10, "genre": "x"}\n' * n_before + '{"item": 11, "genre": ["x"]}\n')
    with pytest.raises(DataError, match=rf"line {n_before + 1}: 'genre' is \['x'\], where text was expected"):
        look_at("data.items", "catalogue", path, labels=["genre"])


def test_valid_json_is_read(write, evaluate_lists):
    rows = ((1, 10, 1), (1, 99, 0.5), (2, 98, 2), (2, 12, 1))
    write("l.ndjson", "".join(json.dumps({"user": u, "item": i, "score": s, "n": [1.5]}) + "\n" for u, i, s in rows))
    assert evaluate_lists("l.ndjson") == EXPECTED


@pytest.mark.parametrize("n_before", [0, 1_500])
@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('{"user": 1, "item": 99, "item": 10, "score": 2}', "item"),
        ('{"score": 1, "user": 1, "item": 10, "score": 2}', "score"),
    ],
)
def test_a_duplicate_key_in_an_object_is_refused_with_its_line(n_before, line, key, write, evaluate_lists):
    write("l.ndjson", '{"user": 1, "item": 10, "score": 1}\n' * n_before + f"{line}\n")
    with pytest.raises(DataError, match=f"l.ndjson, line {n_before + 1}: the key '{key}' is given twice"):
        evaluate_lists("l.ndjson")


def test_a_duplicate_key_is_refused_in_a_list_of_objects_but_not_in_unused_fields(write, evaluate_lists):
    write("l.ndjson", '{"user": 1, "recs": [{"item": 9, "score": 1}, {"item": 9, "item": 10, "score": 1}]}\n')
    with pytest.raises(DataError, match="line 1: the key 'item' is given twice"):
        evaluate_lists("l.ndjson")
    plain = [{"user": user, "item": item, "score": score, "more": {"item": 1, "user": 2}} for user, item, score in LISTS]
    write("l.ndjson", "".join(json.dumps(record) + "\n" for record in plain))
    assert evaluate_lists("l.ndjson") == EXPECTED


def test_a_number_that_is_not_valid_json_is_refused_with_its_line(write, evaluate_lists):
    write("l.ndjson", '{"user": 1, "item": 10, "score": 1}\n{"user": 2, "item": 12, "score": NaN}\n')
    with pytest.raises(DataError, match=r"l.ndjson, line 2: not JSON \(NaN is not a JSON number; write null\)"):
        evaluate_lists("l.ndjson")
