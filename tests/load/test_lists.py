"""One row per user with a list of items, in typed columns, in JSON, or in a field of text; the position is the rank."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED

RELEVANT = {1: [10, 11], 2: [12]}
USERS, ITEMS, SCORES = [1, 2], [[10, 99], [98, 12]], [[0.9, 0.8], [0.7, 0.6]]
FRAME = pl.DataFrame({"user": USERS, "items": ITEMS})
SCORED = FRAME.with_columns(scores=pl.Series(SCORES))
WORDS = FRAME.cast({"items": pl.List(pl.String)})
FIXED = SCORED.cast({"items": pl.Array(pl.Int32, 2), "scores": pl.Array(pl.Float32, 2)})
LARGE = FRAME.cast({"items": pl.List(pl.UInt64)})


def binary(frame: pl.DataFrame, method: str) -> bytes:
    file = io.BytesIO()
    getattr(frame, method)(file)
    return file.getvalue()


def objects(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


FORMS = {
    "items.parquet": binary(FRAME, "write_parquet"),
    "scored.parquet": binary(SCORED, "write_parquet"),
    "words.parquet": binary(WORDS, "write_parquet"),
    "fixed.parquet": binary(FIXED, "write_parquet"),
    "large.parquet": binary(LARGE, "write_parquet"),
    "scored.arrow": binary(SCORED, "write_ipc"),
    "items.ndjson": binary(FRAME, "write_ndjson"),
    "scored.ndjson": binary(SCORED, "write_ndjson"),
    "words.ndjson": binary(WORDS, "write_ndjson"),
    "array.csv": 'user,items\n1,"[10, 99]"\n2,"[98, 12]"\n',
    "words.csv": 'user,items\n1,"[""10"", ""99""]"\n2,"[""98"", ""12""]"\n',
    "scored.csv": 'user,items,scores\n1,"[10, 99]","[0.9, 0.8]"\n2,"[98, 12]","[0.7, 0.6]"\n',
    "bare.csv": '1,"[10, 99]"\n2,"[98,12]"\n',
    "even.csv": '1,"[10, 99, 97]"\n2,"[98, 12, 97]"\n',
    "names.csv": 'user,items\n1,"[10, 99]"\n2,"[98, 12]"\nu,"[""a,b"", ""c d""]"\n',
    "unquoted.tsv": "user\titems\n1\t[10, 99]\n2\t[98, 12]\n",
    "unquoted.txt": '1\t["10", "99"]\n2\t["98", "12"]\n',
    "colons.dat": "1::[10, 99]\n2::[98, 12]\n",
    "empty.csv": 'user,items\n1,"[10, 99]"\n2,"[98, 12]"\n3,[]\n',
    "empty.parquet": binary(pl.concat([FRAME, FRAME[:1].with_columns(items=pl.lit([], dtype=pl.List(pl.Int64)))]), "write_parquet"),
    "empty.ndjson": binary(FRAME, "write_ndjson") + b'{"user": 3, "items": []}\n',
}


@pytest.mark.parametrize("name", FORMS)
def test_lists_are_recognised_in_every_form(name, write, evaluate_lists):
    write(name, FORMS[name])
    assert evaluate_lists(name) == EXPECTED


@pytest.mark.parametrize(
    ("split", "text"),
    [
        (" ", "user,items\n1,10 99\n2,98 12\n"),
        (" ", "1,10 99\n2,98 12\n"),
        (" ", "user,items,scores\n1,10  99 ,.9 .8\n2, 98 12,.7 .6\n"),
        ("|", "user\titems\n1\t10|99\n2\t98 | 12\n"),
        (",", 'user,items\n1,"10,99"\n2,"98,12"\n'),
        (", ", "user;items\n1;10, 99\n2;98, 12\n"),
        (".", "user;items\n1;10.99\n2;98.12\n"),
        (" ", "1::10 99\n2::98 12\n"),
        (" ", 'user,items\n1,10 99\n2,98 12\n3," "\n'),
    ],
)
def test_a_list_in_text_is_split_at_the_separator_of_the_config(split, text, write, evaluate_lists):
    write("lists.txt", text)
    assert evaluate_lists({"path": "lists.txt", "split": split}) == EXPECTED


@pytest.mark.parametrize("name", ["t.ndjson", "t.parquet", "t.csv"])
def test_test_items_can_be_lists_with_one_rating_for_all_or_one_each(name, write, evaluate_lists):
    for ratings in ([[5, 4], [3]], [5, 3]):
        frame = pl.DataFrame({"user": [1, 2], "items": [[10, 11], [12]], "rating": ratings})
        rows = frame.rows()
        text = "user,items,rating\n" + "".join(f'{user},"{items}","{rating}"\n' for user, items, rating in rows)
        write(name, text if name.endswith("csv") else binary(frame, f"write_{name.partition('.')[2]}"))
        assert evaluate_lists(test=name) == EXPECTED


def test_a_user_with_an_empty_list_counts_as_without_a_list(write, evaluate_lists):
    write("lists.ndjson", objects({"user": 1, "items": [10, 99]}, {"user": 2, "items": []}))
    assert evaluate_lists("lists.ndjson") == {"MRR@10": 0.5, "Recall@10": 0.25}


def test_a_list_with_scores_is_ordered_by_score(write, evaluate_lists):
    write("lists.ndjson", objects({"user": 1, "items": [99, 10], "scores": [0.1, 0.2]}, {"user": 2, "items": [98, 12], "scores": [2, 1]}))
    assert evaluate_lists("lists.ndjson") == EXPECTED


def test_rows_of_a_user_in_several_files_are_joined_in_their_order(write, evaluate_lists):
    write("a.ndjson", objects({"user": 1, "items": [10]}, {"user": 2, "items": [98, 12]}))
    write("b.ndjson", objects({"user": 1, "items": [99]}))
    assert evaluate_lists(["a.ndjson", "b.ndjson"]) == EXPECTED
    for name, rows in (("a", FRAME[:1]), ("b", FRAME[1:].cast({"user": pl.Int32, "items": pl.List(pl.Int32)}))):
        write(f"{name}.parquet", binary(rows, "write_parquet"))
    assert evaluate_lists(["a.parquet", "b.parquet"]) == EXPECTED


GOOD = objects({"user": 1, "items": [10, 99], "scores": [0.9, 0.8]}) * 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("l.ndjson", GOOD + '{"user": 2, "items": [1, 2], "scores": [0.5]}\n', "line 4: 2 items but 1 score\n"),
        ("l.ndjson", GOOD + '{"user": 2, "items": [1, 2]}\n', "line 4: 2 items but 0 scores"),
        ("l.ndjson", GOOD + '{"user": 2, "items": [1, null], "scores": [0.5, 0.4]}\n', r"line 4: no value for item \(in 1 of 8 rows\)"),
        ("l.ndjson", GOOD + '{"user": 2, "items": [1, {"a": 2}], "scores": [0.5, 0.4]}\n', "line 4: {'a': 2} cannot be an id"),
        ("l.ndjson", GOOD + '{"user": 2, "items": [1], "scores": ["high"]}\n', "line 4: 'high' is not a number, and score must be one"),
        ("l.ndjson", '{"user": 1, "item": 2, "scores": [1]}\n', "score column contains lists, but the item column does not"),
        ("l.ndjson", '{"user": [1], "item": [2]}\n', "the user column contains lists"),
        ("l.parquet", binary(FRAME.with_columns(scores=pl.Series([[1.0, 2.0], [3.0]])), "write_parquet"), "row 2: 2 items but 1 score"),
        ("l.parquet", binary(FRAME.with_columns(items=pl.Series([[1, 2], [3, None]])), "write_parquet"), "row 2: no value for item"),
        ("l.parquet", binary(FRAME.with_columns(items=pl.Series([[[1]]] * 2)), "write_parquet"), "type .* cannot be an id"),
        ("l.csv", 'user,items\n1,"[10, 99]"\n2,"[98, 12"\n', "line 3: item holds '\\[98, 12', which is not a JSON array"),
        ("l.csv", 'user,items,score\n1,"[10, 99]","[1, 2]"\n2,"[98, 12]",[1]\n', "line 3: 2 items but 1 score"),
        ("l.csv", 'user,items,score\n1,"[10, 99]","[1, 2]"\n2,"[98, 12]","[1, ""x""]"\n', "line 3: 'x' is not a number"),
    ],
)  # fmt: skip
def test_invalid_lists_are_refused_with_their_place(name, content, message, write, evaluate_lists):
    write(name, content)
    with pytest.raises(DataError, match=message):
        evaluate_lists(name)


def test_text_lists_of_unequal_length_are_refused_with_their_line(write, evaluate_lists):
    write("l.csv", "user,items,score\n1,10 99,2 1\n2,98 12,1\n")
    with pytest.raises(DataError, match="line 3: 2 items but 1 score"):
        evaluate_lists({"path": "l.csv", "split": " "})
    write("l.csv", "user,items,score\n1,10 99,2\n2,98 12,1 x\n")
    with pytest.raises(DataError, match="line 3: 'x' is not a number"):
        evaluate_lists({"path": "l.csv", "split": " "})
