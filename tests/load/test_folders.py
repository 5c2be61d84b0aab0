"""Parts of a folder are read in the order of their names; values in folder names can be columns."""

from __future__ import annotations

import json

import polars as pl
import pytest
import yaml
from receval import load_config, run
from receval.support.errors import DataError

from tests.conftest import values
from tests.load.conftest import EXPECTED, LISTS, look_at

FRAME = pl.DataFrame(LISTS, schema=["user", "item", "score"], orient="row")
BY_USER = {user: FRAME.filter(user=user).drop("user", "score") for user in (1, 2)}


def write_part(frame: pl.DataFrame, path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".ndjson":
        path.write_text("".join(json.dumps(row) + "\n" for row in frame.rows(named=True)))
    else:
        getattr(frame, {".parquet": "write_parquet", ".csv": "write_csv", ".arrow": "write_ipc"}[path.suffix])(path)


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow", "ndjson"])
def test_the_parts_of_a_folder_are_one_file_in_the_order_of_their_names(ending, evaluate_lists, tmp_path):
    frame = FRAME.drop("score")
    write_part(frame[3:], tmp_path / "als" / f"part-00001.{ending}")
    write_part(frame[:3], tmp_path / "als" / f"part-00000.{ending}")
    for name in ("_SUCCESS", "_committed_1.json", ".part-00000.crc", "_temporary/part-0.parquet", ".hidden/x.csv", f"part-00002.{ending}"):
        path = tmp_path / "als" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"" if "00002" in name else b"nothing to read")
    assert evaluate_lists("als") == evaluate_lists("als/") == EXPECTED


def test_a_folder_is_one_model_with_its_name(write, tmp_path):
    for model in ("als", "knn"):
        write_part(FRAME[:2], tmp_path / "runs" / model / "a" / "part.parquet")
        write_part(FRAME[2:], tmp_path / "runs" / model / "b" / "part.parquet")
    write("test.csv", "user,item,rating\n1,10,5\n1,11,4\n2,12,3\n")

    def models(given):
        config = {"data": {"test": "test.csv", "recommendations": given}, "evaluation": {"metrics": ["MRR", "Recall"]}}
        write("config.yaml", yaml.safe_dump(config))
        result = run(load_config(tmp_path / "config.yaml"))
        return {model: values(result, model) for model in result.models}, result

    assert models("runs/*")[0] == models("runs/*/")[0] == models(["runs/als", "runs/knn"])[0] == {"als": EXPECTED, "knn": EXPECTED}
    assert models({"mine": "runs/als"})[0] == {"mine": EXPECTED}
    (_, lists) = models({"mine": "runs/als"})[1].inputs
    assert [file.path for file in lists.files] == ["runs/als/a/part.parquet", "runs/als/b/part.parquet"]


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow", "ndjson"])
@pytest.mark.parametrize("columns", [{}, {"user": "user"}, {"user": "uid"}])
def test_a_column_can_be_in_the_names_of_folders(ending, columns, evaluate_lists, tmp_path):
    for user, frame in BY_USER.items():
        write_part(frame, tmp_path / "lists" / f"day=2024-01-0{user}" / f"{columns.get('user', 'user')}={user}" / f"part.{ending}")
    assert evaluate_lists({"path": "lists", "columns": columns}) == EXPECTED


@pytest.mark.spark
def test_spark_reads_the_names_of_folders_too(spark, evaluate_lists, tmp_path):
    for user, frame in BY_USER.items():
        write_part(frame, tmp_path / "lists" / f"user={user}" / "part.parquet")
    assert evaluate_lists("lists", engine=spark) == EXPECTED


def test_escaped_folder_names_are_decoded_and_columns_of_files_override_them(evaluate_lists, tmp_path):
    for user, frame in BY_USER.items():
        write_part(frame.cast({"item": pl.String}), tmp_path / "lists" / f"user=u%20{user}" / "part.parquet")
        write_part(FRAME.filter(user=user), tmp_path / "both" / f"user={user + 5}" / "part.csv")
    source = look_at("data.recommendations.m", "lists", tmp_path / "lists")
    assert source.scan.kinds == {"user": "text", "item": "text"}
    assert {values["user"] for values in source.scan.partitions.values()} == {"u 1", "u 2"}
    assert evaluate_lists("both") == EXPECTED


def test_ratings_and_missing_values_can_be_in_the_names_of_folders(evaluate_lists, tmp_path):
    test = pl.DataFrame({"user": [1, 1, 2], "item": [10, 11, 12], "rating": ["5", "4", "3"]})
    for rating in ("5", "4", "3"):
        write_part(test.filter(rating=rating).drop("rating"), tmp_path / "test" / f"rating={rating}" / "p.csv")
    assert evaluate_lists(test="test") == EXPECTED
    (tmp_path / "test" / "rating=4").rename(tmp_path / "test" / "rating=__HIVE_DEFAULT_PARTITION__")
    with pytest.raises(DataError, match="no value for rating"):
        evaluate_lists(test="test")
    (tmp_path / "test" / "rating=5").rename(tmp_path / "test" / "rating=five")
    with pytest.raises(DataError, match="the folder rating=five is not a number, but rating must be one"):
        evaluate_lists(test="test")


def test_names_of_parent_folders_are_columns_only_if_the_config_names_them(evaluate_lists, tmp_path):
    for user, frame in BY_USER.items():
        write_part(frame, tmp_path / f"user={user}" / "part.parquet")
        write_part(FRAME.filter(user=user), tmp_path / f"rank={user}" / "part.parquet")
    assert evaluate_lists({"path": ["user=1/part.parquet", "user=2/part.parquet"], "columns": {"user": "user"}}) == EXPECTED
    assert evaluate_lists(["rank=1/part.parquet", "rank=2/part.parquet"]) == EXPECTED
    with pytest.raises(DataError, match="no user column"):
        evaluate_lists(["user=1/part.parquet", "user=2/part.parquet"])


def test_folders_that_cannot_be_read_are_refused(evaluate_lists, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "_SUCCESS").touch()
    with pytest.raises(DataError, match=r"there are no data files in the folder .*empty"):
        evaluate_lists("empty")
    write_part(FRAME, tmp_path / "mixed" / "a.csv")
    write_part(FRAME, tmp_path / "mixed" / "b.parquet")
    with pytest.raises(DataError, match=r"a.csv and .*b.parquet have different formats"):
        evaluate_lists("mixed")
