"""What a file in a form that the config sets is refused for, and what is counted and said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from receval import evaluate, load
from receval.load.opening import open_rows
from receval.support.errors import DataError

from tests.load.conftest import look_at
from tests.load.test_set_forms import evaluated, parquet, values


def source_of(folder: Path, name: str, content: str | bytes, table: str = "lists", **options: Any) -> load.Source:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load.with_conversions(look_at("data.recommendations.m", table, path, **options))


def test_what_is_padding_is_counted_and_said(tmp_path):
    source = source_of(tmp_path, "l.csv", "user,rec_1,rec_2\n1,5,\n2,-1,7\n", columns={"item": "rec_*"}, padding=("-1",))
    assert source.converted == {"padding": 2}
    assert source.scan.doubts == ("data.recommendations.m: 2 of 4 items only fill lists up (empty or -1) and are left out.",)
    assert open_rows(source.scan).select("user", "item").collect().rows() == [(1, 5), (2, 7)]


def test_the_other_sign_of_scores_is_said(tmp_path):
    options = {"columns": {"score": "distance"}, "ascending": frozenset({"score"})}
    source = source_of(tmp_path, "l.csv", "user,item,distance\n1,5,0.25\n", **options)
    (said,) = source.scan.doubts
    assert said == (
        "data.recommendations.m: lower is better in column 'distance' (order: ascending), so its numbers are read with the other sign."
    )
    assert open_rows(source.scan).select("score").collect().rows() == [(-0.25,)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.csv", "user,item\n1,318.0\n2,318.5\n"),
        ("l.ndjson", '{"user": 1, "item": 318}\n{"user": 2, "item": 318.5}\n'),
        ("l.csv", "user,item\n1,7\n2,x318\n"),
        ("l.ndjson", '{"user": 1, "item": 318}\n{"user": 2, "item": true}\n'),
    ],
)
def test_what_is_no_whole_number_is_refused_with_its_line(name, content, tmp_path):
    with pytest.raises(DataError, match=r"line [23]: .* is not a whole number, and columns.item is read as integers"):
        source_of(tmp_path, name, content, integers=frozenset({"item"}))


def test_a_fraction_in_any_part_of_a_source_is_refused(tmp_path):
    for number, item in enumerate((3.0, 3.5)):
        (tmp_path / f"{number}.parquet").write_bytes(parquet([(1, item)], ["user", "item"]))
    with pytest.raises(DataError, match=r"1.parquet, row 1: '3.5' is not a whole number"):
        load.with_conversions(look_at("l", "lists", tmp_path / "0.parquet", tmp_path / "1.parquet", integers=frozenset({"item"})))


@pytest.mark.parametrize(("cell", "shown"), [("n7", "n7"), ("n7-x", "n7-x"), ("-1", "-1"), ("n7-nan", "n7-nan"), ("n7-", "n7-")])
def test_an_item_without_a_number_as_label_is_refused_with_its_line(cell, shown, tmp_path):
    content = f"user,item\n1,n7-0 n8-1\n2,n1-1 {cell}\n"
    with pytest.raises(DataError, match=rf"t.csv, line 3: '{shown}' is not an item with a number behind '-'"):
        source_of(tmp_path, "t.csv", content, "interactions", split=" ", label_separator="-")


def test_the_last_separator_is_that_of_the_label(tmp_path):
    source = source_of(tmp_path, "t.csv", "user,item\n1,n-7-0 n-9-1.5\n", "interactions", split=" ", label_separator="-")
    assert open_rows(source.scan).select("user", "item", "rating").collect().rows() == [(1, "n-7", 0), (1, "n-9", 1.5)]


def test_columns_side_by_side_are_of_one_length(tmp_path):
    with pytest.raises(DataError, match=r"2 columns 'rec_\*', but 1 columns 's_\*'"):
        source_of(tmp_path, "l.csv", "user,rec_1,rec_2,s_1\n1,5,6,1\n", columns={"item": "rec_*", "score": "s_*"})


@pytest.mark.parametrize("columns", [{"item": ("rec_1", "user")}, {"item": "rec_*", "score": ("rec_1", "s_1")}])
@pytest.mark.parametrize("form", ["csv", "parquet", "ndjson"])
def test_a_column_side_by_side_has_one_role(columns, form, tmp_path):
    frame = pl.DataFrame({"user": [1], "rec_1": [5], "rec_2": [6], "s_1": [1.0]})
    contents = {"csv": frame.write_csv(), "parquet": parquet(frame), "ndjson": frame.write_ndjson()}
    with pytest.raises(DataError, match="is mapped to two roles"):
        source_of(tmp_path, f"l.{form}", contents[form], columns=columns)


@pytest.mark.spark
@pytest.mark.slow
def test_a_dataframe_of_spark_is_refused_with_the_way(spark_session):
    lists = spark_session.native.createDataFrame([(1, 5), (1, -1)], ["user", "item"])
    test = spark_session.native.createDataFrame([(1, 5)], ["user", "item"])
    with pytest.raises(DataError, match=r"Spark reads the columns of .* as they are stored"):
        evaluate(test=test, recommendations={"m": {"frame": lists, "padding": -1}}, metrics=["MRR"])


def test_a_column_of_the_very_name_wins(tmp_path):
    source = source_of(tmp_path, "l.csv", "user,rec_*,rec_1\n1,5,6\n", columns={"item": "rec_*"})
    assert open_rows(source.scan).select("item").collect().rows() == [(5,)]
    dotted = source_of(tmp_path, "d.ndjson", '{"user": 1, "a.b": 5, "a": {"b": 6}}\n', columns={"item": "a.b"})
    assert open_rows(dotted.scan).select("item").collect().rows() == [(5,)]


def test_numbers_in_names_are_ordered_as_numbers(tmp_path):
    head, row = (",".join(f"{start}{number}" for number in (10, 2, 1)) for start in ("rec", "9"))
    source = source_of(tmp_path, "l.csv", f"user,{head}\n1,{row}\n", columns={"item": "rec*"})
    assert open_rows(source.scan).select("item").collect().rows() == [(91,), (92,), (910,)]


@pytest.mark.parametrize("item", [["rec_1", "rec_9"], "top_*"])
def test_columns_that_are_not_there_are_refused(item, tmp_path):
    with pytest.raises(DataError, match=r"no column"):
        source_of(tmp_path, "l.csv", "user,rec_1,rec_2\n1,5,6\n", columns={"item": tuple(item) if isinstance(item, list) else item})


def test_a_path_that_leads_nowhere_is_refused_with_the_columns(tmp_path):
    with pytest.raises(DataError, match=r"no column 'output.item'; the columns are"):
        source_of(tmp_path, "l.ndjson", '{"user": 1, "output": {"items": [5]}}\n', columns={"item": "output.item"})


def test_a_key_that_is_given_twice_inside_of_an_object_is_refused(tmp_path):
    with pytest.raises(DataError, match="line 1: the key 'items' is given twice"):
        source_of(tmp_path, "l.ndjson", '{"user": 1, "output": {"items": [5], "items": [6]}}\n', columns={"item": "output.items"})


def test_fractions_side_by_side_are_no_ids_without_as(tmp_path):
    rows = pl.DataFrame({"user": [1, 2], "rec_1": [5, 6], "rec_2": [7.0, None]})
    with pytest.raises(DataError, match="'rec_2' is of type Float64 and cannot be an id") as refused:
        source_of(tmp_path, "l.parquet", parquet(rows), columns={"item": "rec_*"})
    assert "as: integer" in str(refused.value)


@pytest.mark.parametrize("words", [("True", "False"), ("true", "FALSE"), ("yes", "no")])
def test_ratings_in_words_are_one_and_zero(words, tmp_path):
    yes, no = words
    forms = {"t.csv": f"user,item,rating\n1,5,{yes}\n1,6,{no}\n1,7,\n", "t.txt": f"user::item::rating\n1::5::{yes}\n1::6::{no}\n1::7::\n"}
    forms["t.ndjson"] = (
        "".join(f'{{"user": 1, "item": {item}, "rating": "{word}"}}\n' for item, word in ((5, yes), (6, no))) + '{"user": 1, "item": 7}\n'
    )
    for name, content in forms.items():
        source = source_of(tmp_path, name, content, "interactions")
        assert open_rows(source.scan).select("rating").collect().to_series().to_list() == [1, 0, None]


def test_ratings_in_json_can_be_booleans(tmp_path):
    source = source_of(
        tmp_path, "t.ndjson", '{"user": 1, "item": 5, "rating": true}\n{"user": 1, "item": 6, "rating": false}\n', "interactions"
    )
    assert open_rows(source.scan).select("rating").collect().to_series().to_list() == [1, 0]


def test_a_column_that_is_null_is_not_there(tmp_path):
    source = source_of(tmp_path, "t.csv", "user,item,rating\n1,5,0\n", "interactions", absent=frozenset({"rating"}))
    assert source.columns == {"user", "item"}
    bare = source_of(tmp_path, "t.tsv", "1\t5\t0\n", "interactions", header=False, absent=frozenset({"rating"}))
    assert bare.columns == {"user", "item"}


def test_plain_files_are_read_with_the_same_plan(tmp_path):
    source = source_of(tmp_path, "l.csv", "user,item,score\n1,5,0.5\n")
    assert not source.scan.is_converted
    assert source.converted == {}
    assert source.scan.doubts == ()


MODELS = "Algorithm,user,item,score\nb,1,10,3\na=1,1,99,2\nb,2,12,1\na=1,2,12,5\n"


def test_a_column_of_models_gives_a_model_per_value_in_any_order_of_rows(write, tmp_path):
    found = []
    for lines in (MODELS.splitlines(), [MODELS.splitlines()[0], *MODELS.splitlines()[:0:-1]]):
        write("all.csv", "\n".join(lines) + "\n")
        write("t.csv", "user,item\n1,10\n2,12\n")
        result = evaluated(tmp_path, {"path": "all.csv", "columns": {"model": "Algorithm"}}, "t.csv")
        found.append(values(result))
        assert [source.role for source in result.inputs] == ["data.test", "data.recommendations.a=1", "data.recommendations.b"]
        assert "data.recommendations: each value of column 'Algorithm' is a model." in result.remarks
    assert found[0] == found[1]
    assert {model: value for label, model, value in found[0][0] if label == "MRR@3"} == {"a=1": 0.5, "b": 1}


def test_rows_without_a_model_are_refused_or_left_out(write, tmp_path):
    write("all.csv", f"{MODELS},2,7,1\n")
    write("t.csv", "user,item\n1,10\n2,12\n")
    lists = {"path": "all.csv", "columns": {"model": 1}}
    with pytest.raises(DataError, match="1 rows have no name of a model in column '1'"):
        evaluated(tmp_path, lists, "t.csv")
    result = evaluated(tmp_path, {**lists, "where": "not Algorithm is null"}, "t.csv")
    assert {row.model for row in result.rows} == {"a=1", "b"}


def test_models_that_differ_only_in_case_are_refused(write, tmp_path):
    write("all.csv", f"{MODELS}B,2,7,1\n")
    write("t.csv", "user,item\n1,10\n2,12\n")
    with pytest.raises(DataError, match="two models in column 'Algorithm' have names that differ only in case"):
        evaluated(tmp_path, {"path": "all.csv", "columns": {"model": "Algorithm"}}, "t.csv")


def test_models_of_a_column_are_compared_like_those_of_files(write, receval):
    write("all.csv", MODELS)
    write("t.csv", "user,item\n1,10\n2,12\n")
    data = "{test: t.csv, recommendations: {path: all.csv, columns: {model: Algorithm}}}"
    config = write("c.yaml", f"{{data: {data}, evaluation: {{metrics: [MRR]}}}}")
    assert receval("validate", config)[1].strip().endswith("is valid: 1 measure")
    code, out, err = receval("diff", config, "a=1", "b")
    assert (code, "b beside a=1" in out) == (0, True), err
