"""Integer scores too large for double precision, such as times in nanoseconds, order lists exactly in every format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from receval.support.errors import DataError

BIG = 2**53
ITEMS = [30, 10, 20, 5]
SCORES = [BIG + 1, BIG + 3, BIG + 2, BIG]
"""In double precision items 30 and 5 would be tied, with 5 before 30, at ranks 3 and 4."""
TEST = "user,item\n1,30\n2,30\n"
EXPECTED = {"MRR@10": 1 / 3, "Recall@10": 1.0}
LISTS = pl.DataFrame(
    [(user, *row) for user in (1, 2) for row in zip(ITEMS, SCORES, strict=True)], schema=["user", "item", "score"], orient="row"
)
NESTED = LISTS.group_by("user", maintain_order=True).agg("item", "score")
SMALL = pl.DataFrame({"user": [9] * 2_000, "item": range(2_000), "score": [1] * 2_000})
"""More rows than the detection of types reads."""


def csv(frame: pl.DataFrame) -> str:
    return frame.write_csv()


def nested_csv() -> str:
    return "user,item,score\n" + "".join(f'{user},"{ITEMS}","{SCORES}"\n' for user in (1, 2))


FILES: dict[str, Callable[[Path], object]] = {
    "l.parquet": LISTS.write_parquet,
    "unsigned.parquet": LISTS.cast({"score": pl.UInt64}).write_parquet,
    "decimal.parquet": LISTS.cast({"score": pl.Decimal(38, 0)}).write_parquet,
    "wide.arrow": LISTS.cast({"score": pl.Int128}).write_ipc,
    "nested.parquet": NESTED.write_parquet,
    "shuffled.parquet": LISTS.sample(fraction=1, shuffle=True, seed=3).write_parquet,
    "l.csv": LISTS.write_csv,
    "late.csv": pl.concat([SMALL, LISTS]).write_csv,
    "late.csv.gz": lambda path: path.write_bytes(gzip.compress(csv(pl.concat([SMALL, LISTS])).encode())),
    "colons.dat": lambda path: path.write_text(csv(pl.concat([SMALL, LISTS])).replace(",", "::")),
    "comma.csv": lambda path: LISTS.write_csv(path, separator=";"),
    "nested.csv": lambda path: path.write_text(nested_csv()),
    "l.ndjson": LISTS.write_ndjson,
    "late.ndjson": pl.concat([SMALL, LISTS]).write_ndjson,
    "text.ndjson": lambda path: path.write_text(
        "".join(json.dumps({**row, "score": str(row["score"])}) + "\n" for row in LISTS.to_dicts())
    ),
    "nested.ndjson": NESTED.write_ndjson,
}


@pytest.mark.parametrize("name", FILES)
def test_large_integers_order_lists_exactly(name, write, evaluate_lists, tmp_path):
    write("test.csv", TEST)
    FILES[name](tmp_path / name)
    assert evaluate_lists(name, test="test.csv") == EXPECTED


@pytest.mark.parametrize("kind", [pl.Int64, pl.UInt64, pl.Int128, pl.Decimal(30, 0)])
def test_parts_with_large_integers_order_lists_as_one_file_does(kind, write, evaluate_lists, tmp_path):
    write("test.csv", TEST)
    LISTS[:3].write_ipc(tmp_path / "a.arrow")
    LISTS[3:].cast({"score": kind}).write_ipc(tmp_path / "b.arrow")
    assert evaluate_lists(["a.arrow", "b.arrow"], test="test.csv") == EXPECTED


def test_large_ranks_and_negative_scores_are_exact_too(write, evaluate_lists):
    write("test.csv", TEST)
    write("ranked.csv", csv(LISTS.with_columns(rank=2 * BIG - pl.col("score")).drop("score")))
    write("negative.csv", csv(LISTS.with_columns(score=pl.col("score") - 2 * BIG - 3)))
    assert evaluate_lists("ranked.csv", test="test.csv") == evaluate_lists("negative.csv", test="test.csv") == EXPECTED


def test_rows_without_a_score_can_be_left_out_beside_large_integers(write, evaluate_lists, tmp_path):
    write("test.csv", TEST)
    write("l.csv", csv(pl.concat([SMALL, LISTS])) + "3,3,NA\n")
    with pytest.raises(DataError, match="line 2010: no value for score"):
        evaluate_lists("l.csv", test="test.csv")


def test_large_fractions_are_compared_in_double_precision(write, evaluate_lists):
    write("test.csv", TEST)
    write("l.csv", csv(LISTS).replace("\n1,", ".5\n1,", 2))
    assert evaluate_lists("l.csv", test="test.csv")["Recall@10"] == 1.0
    write("l.csv", "user,item,score\n1,30,1e300\n1,5,1e200\n2,5,9e18\n2,30,1e19\n")
    assert evaluate_lists("l.csv", test="test.csv") == {"MRR@10": 1.0, "Recall@10": 1.0}


def test_large_integers_in_one_file_and_fractions_in_another_are_refused(write, evaluate_lists, tmp_path):
    write("test.csv", TEST)
    LISTS[:3].write_parquet(tmp_path / "a.parquet")
    LISTS[3:].cast({"score": pl.Float64}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(
        DataError, match=r"a\.parquet stores score as integers, and they are too large to be compared exactly with the decimal"
    ):
        evaluate_lists(["a.parquet", "b.parquet"], test="test.csv")
    LISTS[:3].with_columns(score=pl.col("score") - BIG).write_parquet(tmp_path / "a.parquet")
    assert evaluate_lists(["a.parquet", "b.parquet"], test="test.csv")["Recall@10"] == 1.0
