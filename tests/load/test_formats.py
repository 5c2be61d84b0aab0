"""Every format, compression, layout and spelling of columns gives the same values."""

from __future__ import annotations

import gzip
import io

import polars as pl
import pytest
import yaml
import zstandard
from receval import load_config, run
from receval.support.errors import DataError

from tests.conftest import per_user, values

TEST = pl.DataFrame({"user_id": [1, 1, 2], "item_id": [10, 11, 12], "rating": [5, 4, 3]})
LISTS = pl.DataFrame({"user_id": [1, 1, 2, 2], "item_id": [10, 99, 98, 12], "score": [0.9, 0.8, 0.7, 0.6]})
EXPECTED = {"MRR@10": 0.75, "Recall@10": 0.75}


def csv(frame: pl.DataFrame, **options) -> bytes:
    file = io.BytesIO()
    frame.write_csv(file, **options)
    return file.getvalue()


def binary(frame: pl.DataFrame, method: str, **options) -> bytes:
    file = io.BytesIO()
    getattr(frame, method)(file, **options)
    return file.getvalue()


FORMS = {
    "lists.csv": csv(LISTS),
    "lists.tsv": csv(LISTS, separator="\t"),
    "lists.txt": csv(LISTS, separator=";"),
    "piped.csv": csv(LISTS, separator="|"),
    "spaced.txt": csv(LISTS, separator=" "),
    "lists.csv.gz": gzip.compress(csv(LISTS)),
    "lists.tsv.zst": zstandard.compress(csv(LISTS, separator="\t")),
    "lists.parquet": binary(LISTS, "write_parquet"),
    "zstd.parquet": binary(LISTS, "write_parquet", compression="zstd"),
    "lists.arrow": binary(LISTS, "write_ipc"),
    "lists.feather": binary(LISTS, "write_ipc", compression="zstd"),
    "lists.ndjson": binary(LISTS, "write_ndjson"),
    "lists.jsonl.gz": gzip.compress(binary(LISTS, "write_ndjson")),
    "lists.ndjson.zst": zstandard.compress(binary(LISTS, "write_ndjson")),
    "noheader.csv": csv(LISTS, include_header=False),
    "windows.csv": csv(LISTS).replace(b"\n", b"\r\n"),
    "bom.csv": b"\xef\xbb\xbf" + csv(LISTS),
    "quoted.csv": csv(LISTS, quote_style="always"),
    "blank_lines.csv": csv(LISTS).replace(b"\n", b"\n\n"),
    "nolastnewline.csv": csv(LISTS).rstrip(),
    "camel.csv": csv(LISTS.rename({"user_id": "userId", "item_id": "ItemID", "score": "Prediction"})),
    "rated.csv": csv(LISTS.rename({"score": "rating"})),
    "more_columns.csv": csv(LISTS.with_columns(title=pl.lit("a, b"), n=1)),
    "small_types.parquet": binary(LISTS.cast({"user_id": pl.UInt8, "item_id": pl.Int16, "score": pl.Float32}), "write_parquet"),
    "whole_scores.csv": csv(LISTS.with_columns(score=pl.Series([9, 8, 7, 6]))),
    "ranked.csv": csv(LISTS.drop("score").with_columns(rank=pl.Series([1, 2, 1, 2])).sample(fraction=1, shuffle=True, seed=1)),
    "in_file_order.csv": csv(LISTS.drop("score")),
    "interleaved_in_file_order.csv": csv(LISTS.drop("score")[[2, 0, 3, 1]]),
    "noending": binary(LISTS, "write_parquet"),
}


@pytest.fixture
def evaluated(write, tmp_path):
    def evaluated(recommendations, **test):
        write("test.csv", csv(TEST))
        data = {"test": test or "test.csv", "recommendations": recommendations}
        write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["MRR", "Recall"]}}))
        return run(load_config(tmp_path / "config.yaml"))

    return evaluated


@pytest.mark.parametrize("name", FORMS)
def test_a_file_of_any_form_is_read(name, write, evaluated):
    write(name, FORMS[name])
    assert values(evaluated({"model": name})) == EXPECTED


def test_files_of_a_glob_are_one_model_with_a_name_and_one_model_each_without(write, evaluated):
    write("part-1.csv", csv(LISTS[:3]))
    write("part-2.csv", csv(LISTS[3:]))
    assert values(evaluated({"model": "part-*.csv"})) == EXPECTED
    assert values(evaluated({"model": ["part-1.csv", "part-2.csv"]})) == EXPECTED
    assert evaluated("part-*.csv").models == ("part-1", "part-2")


def test_columns_are_mapped_by_name_or_position(write, evaluated):
    odd = LISTS.rename({"user_id": "who", "item_id": "what", "score": "how"})
    write("named.csv", csv(odd))
    write("bare.csv", csv(odd.select("how", "what", "who"), include_header=False))
    named = {"path": "named.csv", "columns": {"user": "who", "item": "what", "score": "how"}}
    placed = {"path": "bare.csv", "header": False, "columns": {"user": 3, "item": 2, "score": 1}}
    result = evaluated({"named": named, "placed": placed})
    assert values(result, "named") == values(result, "placed") == EXPECTED


def test_ids_are_text_everywhere_as_soon_as_one_file_has_text(write, evaluated):
    write("lists.csv", csv(LISTS.cast({"item_id": pl.String})).replace(b"99", b"x"))
    write("numbers.parquet", binary(LISTS, "write_parquet"))
    result = evaluated({"text": "lists.csv", "numbers": "numbers.parquet"})
    assert values(result, "text") == values(result, "numbers") == EXPECTED


@pytest.mark.parametrize("odd", ["010", "+10", "-0", "10.0", " 10", "9999999999999999999", "99999999999999999999"])
def test_an_id_that_is_not_a_plain_integer_keeps_its_spelling_in_any_row(odd, write, evaluated):
    many = pl.concat([LISTS, pl.DataFrame({"user_id": [3] * 3000, "item_id": range(3000), "score": [0.5] * 3000})])
    for place in (0, 3003):
        rows = many.cast({"item_id": pl.String}).with_row_index()
        changed = rows.with_columns(item_id=pl.when(pl.col("index") == place).then(pl.lit(odd)).otherwise("item_id")).drop("index")
        write("lists.csv", csv(changed))
        recall = 0.5 if place == 0 else 0.75
        assert values(evaluated({"model": "lists.csv"}))["Recall@10"] == recall


def test_leading_zeros_in_every_file_still_match(write, tmp_path):
    write("test.csv", "user,item\n001,07\n")
    write("lists.csv", "user,item,score\n001,07,1\n")
    write("config.yaml", "data: {test: test.csv, recommendations: {m: lists.csv}}\nevaluation: {metrics: [Recall]}\n")
    result = run(load_config(tmp_path / "config.yaml"))
    assert per_user(result, "m") == {"001": {"user": "001", "n_relevant": 1, "n_recommended": 1, "Recall@10": 1.0}}


def test_text_of_unknown_endings_is_read_and_ambiguous_columns_are_said(write, evaluated):
    write("lists.xyz", csv(LISTS))
    assert values(evaluated({"model": "lists.xyz"})) == EXPECTED
    write("zeros.xyz", "a\0b\n")
    with pytest.raises(DataError, match="set it in the config: format:"):
        evaluated({"model": "zeros.xyz"})
    assert values(evaluated({"model": {"path": "lists.xyz", "format": "csv"}})) == EXPECTED
    write("two.csv", csv(LISTS.with_columns(uid=pl.lit(1))))
    found = evaluated({"model": "two.csv"})
    assert values(found) == EXPECTED
    assert any("user = 'user_id'" in caution for caution in found.cautions)  # names of two columns fit, and one is constant


def test_test_files_without_ratings_make_every_row_relevant_and_zero_ratings_do_not(write, evaluated, tmp_path):
    write("lists.csv", csv(LISTS))
    write("bare.csv", csv(TEST.drop("rating")))
    write("zero.csv", csv(TEST.with_columns(rating=pl.Series([5, 0, 3]))))
    assert values(evaluated({"model": "lists.csv"}, path="bare.csv")) == EXPECTED
    assert values(evaluated({"model": "lists.csv"}, path="zero.csv"))["Recall@10"] == 1.0
