"""Bad input gets one clear sentence with the place and the fix, and exit code 3; never a traceback or a silent number."""

from __future__ import annotations

import gzip
import io

import polars as pl
import pytest

GOOD = "user,item,score\n1,10,0.9\n1,11,0.8\n2,12,0.7\n"
CONFIG = "data:\n  test: {test}\n  recommendations: {{m: {lists}}}\nevaluation:\n  metrics: [nDCG{needs}]\n  relevance: {relevance}\n"
LONG = "9" * 2_000_000


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file)
    return file.getvalue()


NOTHING = pl.Series([], dtype=pl.Int64)

CASES = {
    "missing file": ("nowhere.csv", None, ["there is no file", "nowhere.csv", "paths in a config are relative to its file"]),
    "no match": ("no*.csv", None, ["no file matches", "no*.csv"]),
    "folder without data": ("empty", None, ["there are no data files in the folder"]),
    "empty": ("l.csv", "", ["l.csv: the file is empty"]),
    "only blank": ("l.csv", "\n\n  \n", ["the file is empty"]),
    "only a header": ("l.csv", "user,item,score\n", ["a header but no rows"]),
    "empty parquet": ("l.parquet", b"", ["the file is empty"]),
    "no rows in parquet": ("l.parquet", parquet(user=NOTHING, item=NOTHING), ["there are no rows"]),
    "truncated parquet": ("l.parquet", parquet(user=[1], item=[2])[:-20], ["not a readable parquet file", "check that it is complete"]),
    "truncated gzip": ("l.csv.gz", gzip.compress((GOOD * 9999).encode())[:-30], ["l.csv.gz"]),
    "not gzip": ("l.parquet", b"PAR1nonsense", ["not a readable parquet file"]),
    "text for parquet": ("l.parquet", GOOD, ["not a readable parquet file"]),
    "too many fields": ("l.csv", GOOD + "3,4,5,6,7\n", ["line 5: 5 fields, where there are 3 columns"]),
    "too few fields": ("l.csv", GOOD + "3,4\n", ["line 5: no value for score (in 1 of 4 rows)"]),
    "late broken row": ("l.csv", GOOD + "1,13,0.5\n" * 5000 + "3,4,5,6\n", ["line 5005: 4 fields"]),
    "text in a number column": ("l.csv", GOOD + "3,4,high\n", ["line 5: 'high' is not a number, and score must be one"]),
    "text rank": ("l.csv", "user,item,rank\n1,10,1\n2,11,first\n", ["line 3: 'first' is not a number, and rank must be one"]),
    "missing column": ("l.csv", "user,thing,score\n1,2,3\n", ["no item column; the columns are 'user', 'thing', 'score'", "--set data.recommendations.m.columns.item=thing"]),
    "columns in another language": ("l.csv", "kunde,artikel\n1,2\n", [
        "no user and no item column; the columns are 'kunde', 'artikel'", "--set data.recommendations.m.columns.user=kunde",
    ]),
    "a user as the key of each line": ("l.jsonl", '{"7":[1,2]}\n{"8":[1]}\n', [
        "l.jsonl: each line has a key of its own, such as '7', instead of the same columns", 'write {"user": 1, "items": [2, 3]} on each line',
    ]),
    "a hundred columns": ("l.csv", ",".join(f"c{n}" for n in range(100)) + "\n" + "1," * 99 + "1\n", ["'c8', 'c9' and 90 more\n"]),
    "missing column in parquet": ("l.parquet", parquet(score=[0.5], item=[2]), ["no user column; the columns are 'score', 'item'"]),
    "null id": ("l.csv", "user,item,score\n1,10,0.9\n1,,0.8\n2,12,0.7\n", ["line 3: no value for item (in 1 of 3 rows)"]),
    "null id in parquet": ("l.parquet", parquet(user=[1, 2], item=[5, None], score=[1.0, 2.0]), ["row 2: no value for item"]),
    "object without a known key": ("l.ndjson", '{"user":1,"item":10,"score":1}\n{"other":2}\n', ["line 2: no value for", "(in 1 of 2 rows)"]),
    "null score": ("l.parquet", parquet(user=[1, 2], item=[5, 6], score=[1.0, None]), ["row 2: no value for score"]),
    "NaN score": ("l.csv", GOOD + "3,4,nan\n", ["line 5: no value for score", "nan in columns of numbers"]),
    "infinite score": ("l.parquet", parquet(user=[1, 1], item=[5, 6], score=[1.0, float("-inf")]), ["row 2: score is not a finite number"]),
    "text score in parquet": ("l.parquet", parquet(user=[1], item=[5], score=["a"]), ["'score' is of type String, where score must be a number"]),
    "list column": ("l.parquet", parquet(user=[[1]], item=[[5, 6]]), ["the user column contains lists"]),
    "latin-1": ("l.csv", "user,item,score\n1,é,1\n".encode("latin-1"), ["line 2: not UTF-8 text", "iconv"]),
    "late latin-1": ("l.csv", (GOOD + "1,a,0.5\n" * 300_000 + "1,é,1\n").encode("latin-1"), ["line 300005: not UTF-8 text"]),
    "binary": ("l.csv", b"user,item\n\x00\x01\x02,\x00\n", ["not a text file"]),
    "long first line": ("l.csv", LONG, ["line 1: the line is longer than 1 MiB"]),
    "long second line": ("l.csv", "user,item,score\n1," + LONG + ",1\n", ["line 2: the line is longer than 1 MiB"]),
    "open quotation": ("l.csv", GOOD + "1,13,0.5\n" * 2000 + '3,"4,5\n' + "1,13,0.5\n" * 20_000, ["l.csv"]),
    "not JSON": ("l.ndjson", '{"user": 1, "item": 2}\n{"user": 1,\n', ["line 2: not JSON"]),
    "JSON list": ("l.ndjson", "[1, 2]\n", ["a JSON object was expected"]),
    "JSON text score": ("l.ndjson", '{"user": 1, "item": 2, "score": 1}\n{"user": 1, "item": 3, "score": "x"}\n', ["line 2: 'x' is not a number"]),
    "one column": ("l.csv", "user\n1\n", ["no item column"]),
    "no header, many columns": ("l.csv", "1,2,3,4,5\n1,2,3,4,5\n", ["is not clearly recognised", "--set data.recommendations.m.columns.user=1"]),
    "column out of range": ("{path: l.csv, header: true, columns: {user: 1, item: 9}}", GOOD, ["there is no column 9, only 3"]),
    "column that is not there": ("{path: l.csv, columns: {user: usr}}", GOOD, ["no column 'usr'", "did you mean 'user'?"]),
    "one column for two": ("{path: l.csv, columns: {user: item, item: item}}", GOOD, ["mapped to two roles"]),
    "different columns in parts": ("[l.csv, other.csv]", GOOD, ["other.csv has the columns a, b"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bad_lists_are_refused_in_one_sentence_with_exit_code_3(name, write, receval, tmp_path):
    given, content, message = CASES[name]
    write("test.csv", "user,item,rating\n1,10,5\n2,11,4\n")
    write("other.csv", "a,b\n1,2\n")
    (tmp_path / "empty").mkdir()
    if content is not None:
        write(given.removeprefix("{path: ").removeprefix("[").partition(",")[0], content)
    write("config.yaml", CONFIG.format(test="test.csv", lists=given, needs="", relevance="{}"))
    code, out, err = receval("run", tmp_path / "config.yaml")
    assert (code, out) == (3, ""), err
    assert "Traceback" not in err
    assert err.startswith("receval: ")
    assert "data.recommendations.m" in err or given.partition(",")[0].strip("[{") in err
    for part in message:
        assert part in err


@pytest.mark.parametrize(
    ("content", "relevance", "message"),
    [
        ("user,item\n1,10\n", "{threshold: 4}", "has no rating column, which evaluation.relevance.threshold needs"),
        ("user,item\n1,10\n", "{graded: true}", "has no rating column, which evaluation.relevance.graded needs"),
        ("user,item,rating\n1,10,3\n", "{threshold: 4}", "its only user has no relevant item, that is, a rating of at least 4"),
        ("user,item,rating\n1,10,0\n", "{}", "a rating above 0"),
        ("user,item,rating\n1,10,\n", "{}", "line 2: no value for rating"),
        ("user,item,rating\n1,10,good\n", "{}", "line 2: 'good' is not a number, and rating must be one"),
        ("user,item,rating\n,10,3\n", "{}", "line 2: no value for user"),
    ],
)
def test_bad_test_files_are_refused_in_one_sentence_with_exit_code_3(content, relevance, message, write, receval, tmp_path):
    write("test.csv", content)
    write("l.csv", GOOD)
    write("config.yaml", CONFIG.format(test="test.csv", lists="l.csv", needs="", relevance=relevance))
    code, out, err = receval("run", tmp_path / "config.yaml")
    assert (code, out) == (3, "")
    assert message in err


@pytest.mark.release
def test_a_200_megabyte_line_is_refused_quickly(write, receval, tmp_path):
    write("test.csv", "user,item\n1,a\n")
    write("l.csv", b"user,item,score\n1,a,1\n1," + b"x" * 200_000_000 + b",0.5\n")
    write("config.yaml", CONFIG.format(test="test.csv", lists="l.csv", needs="", relevance="{}"))
    code, _, err = receval("run", tmp_path / "config.yaml")
    assert code == 3
    assert "line 3" in err


def test_lists_without_any_hit_give_0_if_ids_match(write, receval, tmp_path):
    write("test.csv", "user,item\n1,10\n2,11\n")
    write("l.csv", "user,item,score\n1,11,1\n2,10,1\n")
    write("config.yaml", CONFIG.format(test="test.csv", lists="l.csv", needs="", relevance="{}"))
    code, out, _ = receval("run", tmp_path / "config.yaml", "--format", "csv")
    assert (code, ",m,nDCG@10,nDCG,10,mean,,,,,0.0," in out) == (0, True)
