"""Encodings, byte-order marks, decimal commas and words for missing values; unreadable text is reported with line and byte."""

from __future__ import annotations

import gzip

import pytest
from receval.support.errors import ConfigError, DataError

from tests.load.conftest import EXPECTED, LISTS, look_at

ROWS = "".join(f"{user},{item},{score},é\n" for user, item, score in LISTS)
CSV = "user,item,score,title\n" + ROWS
JSON = "".join(f'{{"user": {user}, "item": {item}, "score": {score}, "title": "é"}}\n' for user, item, score in LISTS)
COLONS = CSV.replace(",", "::")


@pytest.mark.each_once
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize(("name", "text"), [("l.csv", CSV), ("l.ndjson", JSON), ("l.dat", COLONS), ("noending", CSV), ("l.csv.gz", CSV)])
def test_text_is_read_in_the_encoding_of_the_config(encoding, name, text, write, evaluate_lists):
    content = text.replace("\n", "\r\n").encode(encoding)
    write(name, gzip.compress(content) if name.endswith(".gz") else content)
    assert (
        evaluate_lists({"path": name, "encoding": encoding, "separator": "::"} if name == "l.dat" else {"path": name, "encoding": encoding})
        == EXPECTED
    )


@pytest.mark.parametrize(("name", "text"), [("l.csv", CSV), ("l.ndjson", JSON), ("l.dat", COLONS), ("bare.csv", ROWS.replace(",é", ""))])
@pytest.mark.parametrize("packed", [False, True])
def test_a_byte_order_mark_is_ignored(name, text, packed, write, evaluate_lists):
    content = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    write(f"{name}.gz" if packed else name, gzip.compress(content) if packed else content)
    assert evaluate_lists(f"{name}.gz" if packed else name) == EXPECTED


MANY = "1,10,0.5,e\n" * 200_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("l.csv", CSV.encode("latin-1"), r"l.csv, line 2: not UTF-8 text \(byte 0xE9\)"),
        ("l.csv", (CSV.replace("é", "e") + MANY + "1,10,1,é\n").encode("latin-1"), r"line 200006: not UTF-8 text \(byte 0xE9\)"),
        ("l.csv", CSV.encode("utf-16"), "the text is UTF-16"),
        ("l.ndjson", JSON.encode("latin-1"), "line 1: not UTF-8 text"),
        ("l.dat", COLONS.encode("latin-1"), "line 2: not UTF-8 text"),
        ("l.dat", (COLONS + MANY.replace(",", "::")).replace("é", "e").encode() + b"1::10::1::\xe9\n", "line 200006: not UTF-8 text"),
    ],
)
def test_text_that_is_not_utf_8_is_reported_with_line_byte_and_the_option_to_set(name, content, message, write, evaluate_lists):
    write(name, content)
    with pytest.raises(DataError, match=message) as caught:
        evaluate_lists(name)
    assert "set encoding:" in caught.value.hint


def test_a_wrong_encoding_names_the_line_and_an_unknown_one_is_refused(write, evaluate_lists):
    write("l.csv", CSV.encode("latin-1"))
    with pytest.raises(DataError, match=r"l.csv, near line .: not ascii text|l.csv, line 2: not UTF-8"):
        evaluate_lists({"path": "l.csv", "encoding": "ascii"})
    with pytest.raises(DataError, match="near line 1: not utf-16 text"):
        evaluate_lists({"path": "l.csv", "encoding": "utf-16"})
    with pytest.raises(ConfigError, match="unknown text encoding 'latin-99'"):
        evaluate_lists({"path": "l.csv", "encoding": "latin-99"})
    with pytest.raises(ConfigError, match="unknown text encoding 'base64'"):
        evaluate_lists({"path": "l.csv", "encoding": "base64"})


def test_faults_in_converted_text_name_the_original_file(write, evaluate_lists, tmp_path):
    write("l.csv", (CSV + "3,,0.5,é\n").encode("latin-1"))
    with pytest.raises(DataError, match=f"{tmp_path}/l.csv, line 6: no value for item"):
        evaluate_lists({"path": "l.csv", "encoding": "latin-1"})
    write("l.csv", (CSV + "3,14,high,é\n").encode("latin-1"))
    with pytest.raises(DataError, match=f"{tmp_path}/l.csv, line 6: 'high' is not a number"):
        evaluate_lists({"path": "l.csv", "encoding": "latin-1"})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "user;item;score\n1;10;0,9\n1;99;0,8\n2;98;0,7\n2;12;0,6\n"),
        ({}, "user;item;score\n1;10;9\n1;99;8,5\n2;98;0,7\n2;12;,6\n"),
        ({"decimal_comma": True}, "user\titem\tscore\n1\t10\t0,9\n1\t99\t0,8\n2\t98\t0,7\n2\t12\t0,6\n"),
        ({"decimal_comma": True}, 'user,item,score\n1,10,"0,9"\n1,99,"0,8"\n2,98,"0,7"\n2,12,"0,6"\n'),
        ({"decimal_comma": True}, "1::10::0,9\n1::99::0,8\n2::98::0,7\n2::12::0,6\n"),
    ],
)
def test_decimals_may_follow_a_comma(given, text, write, evaluate_lists):
    write("l.csv", text)
    assert evaluate_lists({"path": "l.csv", **given}) == EXPECTED


def test_a_decimal_point_among_decimal_commas_is_refused(write, evaluate_lists):
    rows = "1;10;0,9\n" * 1000
    write("l.csv", "user;item;score\n" + rows + "2;12;0;6\n")
    with pytest.raises(DataError, match="line 1002: 4 fields"):
        evaluate_lists("l.csv")
    write("l.csv", "user;item;score\n" + rows + "2;12;1.000,6\n")
    with pytest.raises(DataError, match=r"line 1002: '1\.000,6' is not a number"):
        evaluate_lists("l.csv")


@pytest.mark.each_once
@pytest.mark.parametrize("word", ["NA", "N/A", "null", "None", "nan", "NaN", ""])
@pytest.mark.parametrize("before", [0, 3000])
def test_words_for_missing_values_are_missing_in_number_columns(word, before, write, evaluate_lists):
    write("l.csv", "user,item,score\n" + "1,10,0.9\n" * (before + 1) + f"2,12,{word}\n")
    with pytest.raises(DataError, match=rf"line {before + 3}: no value for score \(in 1 of {before + 2:,} rows\)"):
        evaluate_lists("l.csv")
    write("l.ndjson", '{"user": 1, "item": 10, "score": 0.9}\n' * (before + 1) + f'{{"user": 2, "item": 12, "score": "{word}"}}\n')
    with pytest.raises(DataError, match=rf"line {before + 2}: no value for score \(in 1 of {before + 2:,} rows\)"):
        evaluate_lists("l.ndjson")


def test_na_is_an_id_unless_the_config_says_otherwise(write, evaluate_lists):
    write("t.csv", "user,item,rating\n1,10,5\n1,NA,4\n2,12,3\n")
    write("l.csv", "user,item,score\n1,NA,0.9\n1,99,0.8\n2,98,0.7\n2,12,0.6\n")
    assert evaluate_lists("l.csv", test="t.csv") == EXPECTED
    with pytest.raises(DataError, match=r"line 2: no value for item \(in 1 of 4 rows\)"):
        evaluate_lists({"path": "l.csv", "null_values": ["NA", "-"]}, test="t.csv")
    source = look_at("data.test", "interactions", write("t.csv", "1,NA,5\n2,7,-\n"), nulls=["NA", "-"])
    assert source.scan.kinds == {"user": "integer", "item": "integer", "rating": "number"}
    assert look_at("data.test", "interactions", source.files[0].local).scan.kinds["item"] == "text"
