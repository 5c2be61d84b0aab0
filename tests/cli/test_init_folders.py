"""The config that `receval init` writes for a folder runs and gives the right number for every form of its files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.cli.inits import EVERY, HEADER, LISTS, PLAIN, RANKED, SCORED, STARS, TEST, TRAIN, models, pairs, text
from tests.sizes import some

FOLDERS: dict[str, tuple[dict[str, Any], dict[str, Any], float]] = {
    "a split and two models": (
        {**PLAIN, "bpr.parquet": pl.DataFrame(RANKED, schema=["user", "item", "rank"], orient="row")},
        {"test": {"path": "test.csv"}, "train": {"path": "train.csv"}, "models": {"als": "als.csv", "bpr": "bpr.parquet"}},
        STARS,
    ),
    "MovieLens without headers": (
        {
            "u.data": text(TRAIN + TEST, None, "\t"),
            "u1.base": text(TRAIN, None, "\t"),
            "u1.test": text(TEST, None, "\t"),
            "recs/als.tsv": text(SCORED, None, "\t"),
        },
        {
            "test": {
                "path": "u1.test",
                "separator": "\t",
                "header": False,
                "columns": {"user": 1, "item": 2, "rating": 3, "timestamp": 4},
            },
            "train": {
                "path": "u1.base",
                "separator": "\t",
                "header": False,
                "columns": {"user": 1, "item": 2, "rating": 3, "timestamp": 4},
            },
            "models": {"als": "recs/als.tsv"},
        },
        STARS,
    ),
    "semicolons and unusual names": (
        {
            "ground_truth.csv": text(TEST, ("customerKey", "beerCode", "stars", "when"), ";"),
            "history.csv": text(TRAIN, ("customerKey", "beerCode", "stars", "when"), ";"),
            "predictions/net.csv": text(SCORED, ("customerKey", "beerCode", "predicted_value"), ";"),
        },
        {
            "test": {
                "path": "ground_truth.csv",
                "separator": ";",
                "columns": {"user": "customerKey", "item": "beerCode", "rating": "stars", "timestamp": "when"},
            },
            "models": {"net": "predictions/net.csv"},
        },
        STARS,
    ),
    "no name says anything": (
        {
            "a.csv": text(pairs(TRAIN), ("user", "item")),
            "b.csv": text(pairs(TEST), ("user", "item")),
            "c.csv": text(SCORED, ("user", "item", "score")),
        },
        {"test": {"path": "b.csv"}, "train": {"path": "a.csv"}, "models": {"c": "c.csv"}},
        EVERY,
    ),
    "folders of runs": (
        {
            "test.tsv": text(pairs(TEST), ("user", "item"), "\t"),
            "runs/als/recs.tsv": text(SCORED, ("user", "item", "score"), "\t"),
            "runs/bpr/recs.tsv": text(RANKED, ("user", "item", "rank"), "\t"),
        },
        {"test": {"path": "test.tsv"}, "models": {"als": "runs/als/recs.tsv", "bpr": "runs/bpr/recs.tsv"}},
        EVERY,
    ),
    "lists in file order": (
        {"test.csv": text(pairs(TEST), ("user", "item")), "knn.csv": text(pairs(RANKED), ("user", "item"))},
        {"test": {"path": "test.csv"}, "models": {"knn": "knn.csv"}},
        EVERY,
    ),
    "a rating that is a score": (
        {"test.csv": text(TEST, HEADER), "svd.csv": text(SCORED, ("user_id", "item_id", "rating"))},
        {"test": {"path": "test.csv"}, "models": {"svd": "svd.csv"}},
        STARS,
    ),
    "text ids without headers": (
        {
            "test.txt": text([(f"u{user}", f"i{item}") for user, item, *_ in TEST], None, " "),
            "als.txt": text([(f"u{user}", f"i{item}", score) for user, item, score in SCORED], None, " "),
        },
        {
            "test": {"path": "test.txt", "separator": " ", "header": False, "columns": {"user": 1, "item": 2}},
            "models": {"als": "als.txt"},
        },
        EVERY,
    ),
    "rank and score without a header": (
        {"holdout.csv": text(pairs(TEST)), "als.csv": text([(*row, score[2]) for row, score in zip(RANKED, SCORED, strict=True)])},
        {"test": {"path": "holdout.csv", "header": False, "columns": {"user": 1, "item": 2}}, "models": {"als": "als.csv"}},
        EVERY,
    ),
    "NDJSON": (
        {
            "test.jsonl": "".join(f'{{"user": "{user}", "item": {item}, "rating": {rating}}}\n' for user, item, rating, _ in TEST),
            "top_n.jsonl": "".join(f'{{"user": "{user}", "item": {item}, "score": {score}}}\n' for user, item, score in SCORED),
        },
        {"test": {"path": "test.jsonl"}, "models": {"top_n": "top_n.jsonl"}},
        STARS,
    ),
    "packed": (
        {"test.csv.gz": gzip.compress(text(TEST, HEADER).encode()), "als.csv": PLAIN["als.csv"]},
        {"test": {"path": "test.csv.gz"}, "models": {"als": "als.csv"}},
        STARS,
    ),
    "parts": (
        {
            "test.csv": text(TEST, HEADER),
            **{
                f"recs/als/part-{user}.parquet": pl.DataFrame(
                    [row for row in SCORED if row[0] == user], ["user", "item", "score"], orient="row"
                )
                for user in LISTS
            },
        },
        {"test": {"path": "test.csv"}, "models": {"als": "recs/als/*.parquet"}},
        STARS,
    ),
    "typed headers": (
        {
            "ml.train.inter": text(TRAIN, ("user_id:token", "item_id:token", "rating:float", "timestamp:float"), "\t"),
            "ml.test.inter": text(TEST, ("user_id:token", "item_id:token", "rating:float", "timestamp:float"), "\t"),
            "bpr.csv": text(SCORED, ("user_id", "item_id", "score")),
        },
        {"models": {"bpr": "bpr.csv"}},
        STARS,
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_config_of_a_folder_runs_and_gives_the_number_worked_by_hand(name, init):
    files, expected, mrr = FOLDERS[name]
    done = init(files)
    assert done.said.keys() >= {key for key in files if "part-" not in key}
    for role in expected.keys() - {"models"}:
        assert done.data[role] == expected[role]
    assert models(done) == expected["models"]
    assert {model: done.values[model, "MRR@5"] for model in expected["models"]} == pytest.approx(dict.fromkeys(expected["models"], mrr))
    assert done.evaluation["relevance"].get("threshold") == (4 if mrr == STARS else None)


@pytest.mark.parametrize("name", some(FOLDERS, 5))
def test_the_same_files_give_the_same_config_to_standard_output_and_to_a_file(name, init, receval):
    written = init(FOLDERS[name][0]).config
    Path("config.yaml").unlink()
    code, out, _ = receval("init")
    assert code == 0
    assert out.splitlines()[2:] == written.splitlines()[2:]
    assert receval("init")[1] == out


def test_a_delta_table_is_one_table_without_its_old_files(init, folder):
    pytest.importorskip("deltalake")
    frame = pl.DataFrame(SCORED, schema=["user", "item", "score"], orient="row")
    folder({})
    for rows, mode in ((frame.with_columns(item=pl.lit(1)), "error"), (frame, "overwrite")):
        rows.write_delta(Path("als"), mode=mode)
    done = init({"test.csv": PLAIN["test.csv"]})
    assert done.data["recommendations"]["als"] == {"path": "als"}
    assert done.values["als", "MRR@5"] == pytest.approx(STARS)


def test_an_iceberg_table_is_one_table_without_its_old_files(init, folder):
    pytest.importorskip("polars_iceberg", reason="polars-iceberg is not installed")
    catalogs = pytest.importorskip("pyiceberg.catalog.sql", reason="the catalogue of the test needs sqlalchemy")
    frame = pl.DataFrame(SCORED, schema=["user", "item", "score"], orient="row")
    folder({})
    catalog = catalogs.SqlCatalog("c", uri="sqlite://", warehouse=f"file://{Path.cwd()}")
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.als", schema=frame.to_arrow().schema)
    table.append(frame.with_columns(item=pl.lit(1, pl.Int64)).to_arrow())
    table.overwrite(frame.to_arrow())
    catalog.engine.dispose()
    done = init({"test.csv": PLAIN["test.csv"]})
    assert done.data["recommendations"]["als"] == {"path": "shop/als"}
    assert done.values["als", "MRR@5"] == pytest.approx(STARS)


@pytest.mark.parametrize("below", ["folds/fold{}", "data/folds/fold{}"])
def test_lists_deep_in_the_folders_of_folds_are_found_from_the_folder_of_the_project(below, receval, folder):
    rows = {1: TEST, 2: [(user, item + 1, rating, when) for user, item, rating, when in TEST]}
    files = {f"{below.format(n)}/test.csv": text(rows[n], HEADER) for n in rows} | {"ratings.csv": text(TRAIN + TEST, HEADER)}
    folder({**files, **{f"{below.format(n)}/recs/als.csv": PLAIN["als.csv"] for n in rows}})
    code, _, err = receval("init", "-o", "config.yaml")
    assert (code, "not looked at" in err) == (0, False), err
    assert f"als: {below.format('{fold}')}/recs/als.csv" in Path("config.yaml").read_text()


def test_folders_too_deep_to_be_looked_at_are_named_with_the_command(receval, folder):
    folder({"test.csv": PLAIN["test.csv"], "my runs/a/b/c/d/als.csv": PLAIN["als.csv"]})
    code, _, err = receval("init")
    assert (code, "columns:" in err) == (3, False)
    assert err.endswith("  folders below my runs/a/b/c were not looked at; give them: receval init 'my runs'\n"), err


def test_the_folders_of_a_python_environment_are_not_looked_at(receval, folder):
    folder({"test.csv": PLAIN["test.csv"], "env/pyvenv.cfg": "", "env/share/als.csv": PLAIN["als.csv"]})
    assert "env" not in receval("init")[2]
