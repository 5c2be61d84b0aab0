"""Fifteen files as pandas, Polars, ranx, RecBole and Spark write them go through `receval init` and `receval run` unchanged."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from receval import load_config

from tests.cli.inits import EVERY, LISTS, SCORED, STARS, TEST, text

ROWS = pd.DataFrame([(f"u{user}", f"i{item}", score) for user, item, score in SCORED], columns=["user_id", "item_id", "score"])
GROUPED = ROWS.groupby("user_id").agg(list).reset_index().rename(columns={"item_id": "items", "score": "scores"})
STRUCTS = pl.from_pandas(ROWS).group_by("user_id", maintain_order=True).agg(recs=pl.struct(pl.col("item_id").alias("item"), "score"))
TRUTH = pd.DataFrame([(f"u{user}", f"i{item}", rating) for user, item, rating, _ in TEST], columns=["user_id", "item_id", "rating"])
TEST_CSV = TRUTH.to_csv(index=False)
PLAIN_CSV = text(TEST, ("user_id", "item_id", "rating", "timestamp"))
RUN = {f"q{user}": {f"d{item}": score for other, item, score in reversed(SCORED) if other == user} for user in LISTS}
QRELS = {f"q{user}": {f"d{item}": 1 for other, item, *_ in TEST if other == user} for user in LISTS}
ATOMIC = text(TEST, ("user_id:token", "item_id:token", "rating:float", "timestamp:float"), "\t")


def binary(write: Callable[[io.BytesIO], Any]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def ranx_frame(held: dict[str, dict[str, float]]) -> pd.DataFrame:
    """Return the dataframe that ranx reads as a run or as qrels."""
    return pd.DataFrame(
        [(query, doc, value) for query, docs in held.items() for doc, value in docs.items()], columns=["q_id", "doc_id", "score"]
    )


def sequences() -> str:
    """Return lists as an atomic file of RecBole: sequences of tokens, separated by spaces."""
    return "user_id:token\titem_id_list:token_seq\n" + "".join(f"{user}\t{' '.join(map(str, items))}\n" for user, items in LISTS.items())


DOORS: dict[str, tuple[dict[str, Any], float]] = {
    "pandas to_json of records": ({"test.csv": TEST_CSV, "als.json": ROWS.to_json(orient="records")}, STARS),
    "pandas to_json": ({"test.json": TRUTH.to_json(), "als.json": ROWS.to_json()}, STARS),
    "pandas lists by user to_json": (
        {"test.csv": TEST_CSV, "als.json": ROWS.groupby("user_id")["item_id"].agg(list).to_json()},
        STARS,
    ),
    "pandas lists to_csv": ({"test.csv": TEST_CSV, "als.csv": GROUPED.to_csv(index=False)}, STARS),
    "pandas lists with an index to_csv": ({"test.csv": TEST_CSV, "als.csv": GROUPED[["user_id", "items"]].to_csv()}, STARS),
    "pandas arrays to_csv": (
        {
            "test.csv": PLAIN_CSV,
            "als.csv": pd.DataFrame({"user": list(LISTS), "items": [*map(np.array, LISTS.values())]}).to_csv(index=False),
        },
        STARS,
    ),
    "pandas lists to_parquet": ({"test.csv": TEST_CSV, "als.parquet": binary(GROUPED.to_parquet)}, STARS),
    "Polars write_json": ({"test.csv": TEST_CSV, "als.json": pl.from_pandas(ROWS).write_json()}, STARS),
    "Polars structs write_parquet": ({"test.csv": TEST_CSV, "als.parquet": binary(STRUCTS.write_parquet)}, STARS),
    "Polars structs write_ndjson": ({"test.csv": TEST_CSV, "als.ndjson": STRUCTS.write_ndjson()}, STARS),
    "Polars joined lists write_csv": (
        {"test.csv": TEST_CSV, "als.csv": pl.from_pandas(GROUPED).select("user_id", pl.col("items").list.join("|")).write_csv()},
        STARS,
    ),
    "ranx qrels and run as JSON": ({"qrels.json": json.dumps(QRELS), "run.json": json.dumps(RUN, indent=4)}, EVERY),
    "ranx qrels and run as Parquet": (
        {"qrels.parquet": binary(ranx_frame(QRELS).to_parquet), "run.parquet": binary(ranx_frame(RUN).to_parquet)},
        EVERY,
    ),
    "RecBole's top items with their scores as JSON": (
        {
            "ml.test.inter": ATOMIC,
            "bpr.json": json.dumps({user: [(item, score) for other, item, score in SCORED if other == user] for user in LISTS}),
        },
        STARS,
    ),
    "RecBole's sequences of tokens": ({"ml.test.inter": ATOMIC, "bpr.inter": sequences()}, STARS),
}


def test_the_tables_of_a_database_are_read_by_queries_that_a_config_has(receval, folder):
    pytest.importorskip("adbc_driver_sqlite")
    folder({"als.csv": text(SCORED, ("user_id", "item_id", "score"))})
    Path("data").mkdir()
    with closing(sqlite3.connect("data/shop.db")) as database, database:
        database.execute("create table test_ratings (user_id integer, item_id integer, rating integer, day integer)")
        database.executemany("insert into test_ratings values (?, ?, ?, ?)", TEST)
        database.execute("create table bpr (user_id integer, item_id integer)")
        database.executemany("insert into bpr values (?, ?)", [(user, item) for user, item, _ in SCORED])
        database.execute("create view best as select user_id, item_id, 1.0 / rowid as score from bpr")
        database.execute("create table empty (user_id integer)")
    Path("broken.db").write_bytes(b"SQLite format 3\x00 and then nothing")
    code, _, err = receval("init", "-o", "data/config.yaml")
    assert code == 0, err
    assert "data/shop.db: test_ratings: data.test: by its name; user=user_id, item=item_id, rating=rating, timestamp=day; 4 rows\n" in err
    assert "data/shop.db: empty: left out: the query has no rows\n" in err
    assert "broken.db: left out: " in err
    data = load_config("data/config.yaml").resolved()["data"]
    columns = {"user": "user_id", "item": "item_id", "rating": "rating", "timestamp": "day"}
    assert data["test"] == {"uri": "sqlite:///shop.db", "query": 'select * from "test_ratings" order by rowid', "columns": columns}
    assert data["recommendations"]["best"] == {"uri": "sqlite:///shop.db", "query": 'select * from "best"'}
    code, out, err = receval("run", "data/config.yaml", "--format", "csv")
    assert code == 0, err
    rows = csv.DictReader(io.StringIO(out))
    values = {row["model"]: float(row["value"]) for row in rows if row["metric"] == "MRR" and row["k"] == "5"}
    assert values == dict.fromkeys(("als", "best", "bpr"), pytest.approx(STARS))


def test_fifteen_kinds_of_files_are_tried():
    assert len(DOORS) == 15


@pytest.mark.parametrize("name", DOORS)
def test_a_file_as_a_library_writes_it_goes_through_init_and_run(name, init, receval):
    files, mrr = DOORS[name]
    done = init(files, *files)
    test, model = files
    (lists,) = done.data["recommendations"].values()
    assert (done.data["test"]["path"], lists["path"]) == (test, model)
    code, _, err = receval("run", "config.yaml")
    assert code == 0, err
    assert [value for (_, metric), value in done.values.items() if metric == "MRR@5"] == [pytest.approx(mrr)]
