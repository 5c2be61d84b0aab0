"""Lists in fields of text: as Python and NumPy print them; other texts that look like lists need an option."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import polars as pl
import pytest
from receval import load_config, run
from receval.load import list_columns
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED

USERS, ITEMS = [1, 2], [[10, 99], [98, 12]]


def csv_of(items: list[object], **more: list[object]) -> str:
    """Return the CSV that pandas writes."""
    return str(pd.DataFrame({"user": USERS, "items": items, **more}).to_csv(index=False))


WORDS = [[str(item) for item in items] for items in ITEMS]
PRINTED = {
    "lists of text": csv_of(WORDS),
    "lists of integers of NumPy": csv_of([[np.int64(item) for item in items] for items in ITEMS]),
    "lists of text of NumPy": csv_of([[np.str_(item) for item in items] for items in WORDS]),
    "tuples": csv_of([tuple(items) for items in ITEMS]),
    "tuples of text": csv_of([tuple(items) for items in WORDS]),
    "arrays": csv_of([np.array(items) for items in ITEMS]),
    "arrays of text": csv_of([np.array(items) for items in WORDS]),
    "lists with scores": csv_of([[99, 10], [12, 98]], scores=[[0.1, np.float64(0.2)], [1e-3, 2.0]]),
}


@pytest.mark.parametrize("name", PRINTED)
def test_lists_as_pandas_writes_them_into_csv_are_lists(name, write, evaluate_lists):
    write("lists.csv", PRINTED[name])
    assert evaluate_lists("lists.csv") == EXPECTED


@pytest.mark.parametrize("sign", [";", ",", "|", " "])
def test_a_separator_after_the_last_item_is_ignored_and_other_empty_items_are_missing(sign, write, evaluate_lists):
    source = {"path": "lists.csv", "split": sign}
    write("lists.csv", csv_of(["".join(f"{item}{sign}" for item in items) for items in ITEMS]))
    assert evaluate_lists(source) == EXPECTED
    write("lists.csv", csv_of([f"10{sign}99{sign}{sign}", "98"]))
    if sign == " ":  # several spaces are one separator
        evaluate_lists(source)
    else:
        with pytest.raises(DataError, match=r"line 2: no value for item \(in 1 of 4 rows\)"):
            evaluate_lists(source)


def test_lists_in_text_of_typed_files_and_of_json_are_lists(write, evaluate_lists):
    frame = pl.DataFrame({"user": USERS, "items": [str(items) for items in WORDS], "scores": ["(0.2, 0.1)", "[2, 1]"]})
    for method in ("write_parquet", "write_ipc", "write_ndjson"):
        file = io.BytesIO()
        getattr(frame, method)(file)
        name = f"lists.{method.removeprefix('write_')}"
        write(name, file.getvalue())
        assert evaluate_lists(name) == EXPECTED


TEXTS = {
    "['a', \"it's\", 'b\\'\"c', 'd, e', ' [f] ']": ["a", "it's", "b'\"c", "d, e", " [f] "],
    "['a' 'b'\n 'c']": ["a", "b", "c"],
    "[ 1 -2\n 3.]": ["1", "-2", "3."],
    "[1, None, nan, 2]": ["1", None, None, "2"],
    "[]": [],
    "[1]": ["1"],
    "(1,)": ["1"],
    "[np.int64(1), np.float32(2.5)]": ["1", "2.5"],
    "['np', 'None', 'nan']": ["np", "None", "nan"],
    "[a, b]": None,
    "[1, 2, ..., 9]": None,
    "[1 2 3 ... 7 8 9]": None,
    "[(1, 0.5), (2, 0.3)]": None,
    "{1, 2}": None,
    "['a', 'b'": None,
    "['a'b']": None,
    "[2020-01-01]": None,
    "(500)": None,
    "['tab\\t']": None,
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_printed_python_list_is_read_exactly_or_refused(text):
    assert list_columns.elements(text, None, "python") == TEXTS[text]
    frame = pl.DataFrame({"text": [text]}).lazy().select(list_columns.listed(pl.col("text"), None, "python"))
    if TEXTS[text] is None:
        with pytest.raises(pl.exceptions.InvalidOperationError):
            frame.collect()
    else:
        assert frame.collect().item().to_list() == TEXTS[text]


SPLIT = {
    "1,10 99\n2,98 12\n": "' '",
    '1,"10,99"\n2,"98,12"\n': "','",
    '1,"a10, b99"\n2,"c98, d12"\n': "', '",
    "1,10|99\n2,98|12\n": "'|'",
}
NESTED = ("1,\"{'10': 0.5, '99': 0.4}\"\n2,{'12': 0.5}\n", '1,"{10, 99}"\n2,"{98, 12}"\n')


@pytest.mark.parametrize("rows", SPLIT)
def test_text_that_looks_like_a_list_is_read_as_one_and_said(rows, write, evaluate_lists, tmp_path):
    write("lists.csv", "user,items\n" + rows)
    names = "a" in rows
    write("pairs.csv", "user,item\n1,a10\n2,d12\n" if names else "user,item\n1,10\n1,11\n2,12\n")
    assert evaluate_lists("lists.csv", test="pairs.csv")["MRR@10"] == 0.75
    found = run(load_config(tmp_path / "config.yaml"))
    assert f"separated by {SPLIT[rows]}" in "".join(found.remarks)
    assert evaluate_lists({"path": "lists.csv", "split": SPLIT[rows].strip("'")}, test="pairs.csv")["MRR@10"] == 0.75


@pytest.mark.parametrize("rows", NESTED)
def test_nested_text_is_refused(rows, write, evaluate_lists):
    write("lists.csv", "user,items\n" + rows)
    with pytest.raises(DataError, match=r"'items' contains text such as .* looks like a list of items") as error:
        evaluate_lists("lists.csv")
    assert "write it as JSON" in str(error.value)


def test_a_file_of_lists_under_another_name_is_read(write, evaluate_lists):
    write("lists.csv", 'user,skus\n1,"10, 99"\n2,"98, 12"\n')
    assert evaluate_lists("lists.csv") == EXPECTED


def test_dates_with_times_are_no_lists(write, evaluate_lists):
    write("lists.csv", 'customer_hash,day,skus\n1,25.10.2026 12:00,"10, 99"\n2,26.10.2026 12:00,"98, 12"\n')
    assert evaluate_lists("lists.csv") == EXPECTED


def test_the_suggested_split_reads_the_lists(write, evaluate_lists):
    write("lists.csv", "user,items\n1,10 99\n2,98 12\n")
    assert evaluate_lists({"path": "lists.csv", "split": " "}) == EXPECTED
    write("lists.csv", 'user,items\n1,"[10, ten]"\n2,"[none, 12]"\n')
    with pytest.raises(DataError, match=r"line 2: item holds '\[10, ten\]', which is not a JSON array\n.*split: ','"):
        evaluate_lists("lists.csv")
    assert evaluate_lists({"path": "lists.csv", "split": ","}) == EXPECTED
    write("lists.csv", 'user,items\n1,"[10, 99]"\n2,12\n')
    with pytest.raises(DataError, match=r"line 3: item holds '12', which is not a JSON array\n.*split: ',' if .* split: none"):
        evaluate_lists("lists.csv")
    assert evaluate_lists({"path": "lists.csv", "split": ","})["Recall@10"] == 0.75
    write("lists.parquet", parquet({"user": USERS, "items": ["10 99", "98 12"]}))
    assert evaluate_lists("lists.parquet") == EXPECTED
    assert evaluate_lists({"path": "lists.parquet", "split": " "}) == EXPECTED


def parquet(columns: dict[str, list[object]]) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file)
    return file.getvalue()


def test_texts_are_items_with_split_none_or_if_they_do_not_look_like_lists(write, evaluate_lists):
    write("lists.csv", "user,item\n1,10|99\n2,11|98\n")
    assert evaluate_lists("lists.csv", test="lists.csv") == {"MRR@10": 1, "Recall@10": 1}
    whole = {"path": "lists.csv", "split": "none"}
    assert evaluate_lists(whole, test=whole) == {"MRR@10": 1, "Recall@10": 1}
    write("films.csv", 'user,item\n1,"(500) Days, of Summer"\n1,Alien 3\n2,[REC] 2\n3,"Good, the Bad, and the Ugly, The"\n')
    assert evaluate_lists("films.csv", test="films.csv") == {"MRR@10": pytest.approx(1), "Recall@10": 1}


def test_a_late_list_that_cannot_be_read_is_refused_with_its_line(write, evaluate_lists):
    write("lists.csv", "user,items\n" + "1,\"['10', '99']\"\n" * 1_200 + "2,\"['98', 12\"\n")
    with pytest.raises(DataError, match=r"line 1202: item holds \"\['98', 12\", which is not a list as Python prints it"):
        evaluate_lists("lists.csv")
