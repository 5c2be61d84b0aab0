"""Lists of structs, `[{item, score}]`, as Spark's ALS and Polars write them: each field becomes a list."""

from __future__ import annotations

import io

import polars as pl
import pytest
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED

STRUCTS = [[{"item": 99, "score": 0.8}, {"item": 10, "score": 0.9}], [{"item": 12, "score": 0.6}, {"item": 98, "score": 0.7}]]
FRAME = pl.DataFrame({"user": [1, 2], "recs": STRUCTS})
ALS = pl.DataFrame({"userId": [1, 2], "recommendations": [[{"movieId": r["item"], "rating": r["score"]} for r in row] for row in STRUCTS]})
FIXED = FRAME.cast({"recs": pl.Array(pl.Struct({"item": pl.Int32, "score": pl.Float32}), 2)})


def binary(frame: pl.DataFrame, method: str) -> bytes:
    file = io.BytesIO()
    getattr(frame, method)(file)
    return file.getvalue()


FORMS = {
    "als.parquet": binary(ALS, "write_parquet"),
    "structs.parquet": binary(FRAME, "write_parquet"),
    "fixed.parquet": binary(FIXED, "write_parquet"),
    "structs.arrow": binary(FRAME, "write_ipc"),
    "structs.ndjson": binary(FRAME, "write_ndjson"),
    "structs.json": binary(FRAME, "write_json"),
    "words.parquet": binary(FRAME.cast({"recs": pl.List(pl.Struct({"item": pl.String, "score": pl.Float64}))}), "write_parquet"),
    "large.parquet": binary(FRAME.cast({"recs": pl.List(pl.Struct({"item": pl.UInt64, "score": pl.Float64}))}), "write_parquet"),
}


@pytest.mark.parametrize("name", FORMS)
def test_lists_of_structs_are_lists_of_items_with_their_scores(name, write, evaluate_lists):
    write(name, FORMS[name])
    assert evaluate_lists(name) == EXPECTED


def test_fields_with_other_names_are_mapped_like_columns(write, evaluate_lists):
    maps = pl.DataFrame({"user": [1, 2], "recs": [[{"key": r["item"], "value": r["score"]} for r in row] for row in STRUCTS]})
    write("maps.parquet", binary(maps, "write_parquet"))
    assert evaluate_lists("maps.parquet") == EXPECTED  # the only list of ids, and numbers that fall
    assert evaluate_lists({"path": "maps.parquet", "columns": {"item": "key", "score": "value"}}) == EXPECTED


def test_a_field_with_the_name_of_a_column_is_addressed_with_a_dot(write, evaluate_lists):
    grouped = FRAME.with_columns(score=pl.lit(1.0))
    write("grouped.parquet", binary(grouped, "write_parquet"))
    assert evaluate_lists("grouped.parquet") == EXPECTED  # the score beside the list is not one for each item
    whole = evaluate_lists({"path": "grouped.parquet", "columns": {"item": "item", "score": "score"}})
    assert whole == {"MRR@10": 1, "Recall@10": 0.75}  # all tied: items 10 and 12 come first
    assert evaluate_lists({"path": "grouped.parquet", "columns": {"score": "recs.score"}}) == EXPECTED


def test_parts_may_store_the_fields_in_other_types(write, evaluate_lists):
    second = pl.DataFrame({"user": [2], "recs": [[{"score": row["score"], "item": row["item"]} for row in STRUCTS[1]]]})
    second = second.cast({"recs": pl.List(pl.Struct({"score": pl.Float32, "item": pl.Int16}))})
    write("p0.parquet", binary(FRAME[:1], "write_parquet"))
    write("p1.parquet", binary(second, "write_parquet"))
    assert evaluate_lists(["p0.parquet", "p1.parquet"]) == EXPECTED


def test_a_missing_value_in_a_struct_is_reported_with_its_row(write, evaluate_lists):
    odd = pl.DataFrame({"user": [1, 2], "recs": [STRUCTS[0], [{"item": None, "score": 0.6}]]})
    write("odd.parquet", binary(odd, "write_parquet"))
    with pytest.raises(DataError, match=r"odd.parquet, row 2: no value for item \(in 1 of 3 rows\)"):
        evaluate_lists("odd.parquet")
    write("odd.ndjson", binary(FRAME, "write_ndjson") + b'{"user": 3, "recs": [{"item": 4, "score": "high"}]}\n')
    with pytest.raises(DataError, match=r"odd.ndjson, line 3: 'high' is not a number, and score must be one"):
        evaluate_lists("odd.ndjson")
