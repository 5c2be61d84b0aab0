"""Tables of Apache Iceberg: the newest snapshot is read; a table is recognised by its metadata or declared."""

from __future__ import annotations

import logging
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from blake3 import blake3
from receval import load_config, run
from receval.support.errors import DataError, MissingExtraError
from receval.support.extras import install_command

from tests.load.conftest import EXPECTED, LISTS, TEST

pytest.importorskip("pyiceberg", reason="pyiceberg is not installed")
pytest.importorskip("polars_iceberg", reason="polars-iceberg is not installed")
catalogs = pytest.importorskip("pyiceberg.catalog.sql", reason="the catalogue of the tests needs sqlalchemy")

FRAME = pl.DataFrame(LISTS, schema=["user", "item", "score"], orient="row")


def catalog(folder: Path, warehouse: str = "", **options: str) -> Any:
    """Return a catalogue in a folder, whose tables are below it or in a `warehouse`."""
    found = catalogs.SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=warehouse or f"file://{folder}", **options)
    found.create_namespace("shop")
    return found


def table(shop: Any, *frames: pl.DataFrame, name: str = "recs") -> Any:
    """Return a new table with a snapshot for each frame."""
    made = shop.create_table(f"shop.{name}", schema=frames[0].to_arrow().schema)
    for frame in frames:
        made.append(frame.to_arrow())
    return made


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Any]:
    made = catalog(tmp_path)
    yield made
    made.engine.dispose()


@pytest.mark.parametrize("given", ["shop/recs", "shop/recs/", {"path": "shop/recs", "format": "iceberg"}, ["shop/recs"]])
def test_an_iceberg_table_is_recognised_by_its_metadata(given, shop, evaluate_lists):
    table(shop, FRAME)
    assert evaluate_lists(given) == EXPECTED


def test_the_newest_snapshot_is_read_without_deleted_rows_and_its_files_are_in_the_manifest(shop, write, tmp_path):
    made = table(shop, FRAME[:2], FRAME[2:], pl.DataFrame({"user": [1], "item": [97], "score": [5.0]}))
    made.delete("item = 97")
    write("test.csv", TEST)
    write("config.yaml", yaml.safe_dump({"data": {"test": "test.csv", "recommendations": "shop/recs"}, "evaluation": {"metrics": ["MRR"]}}))
    result = run(load_config(tmp_path / "config.yaml"))
    assert [(row.model, row.value) for row in result.rows] == [("recs", EXPECTED["MRR@10"])]
    newest = Path(made.metadata_location.removeprefix("file://"))
    data = sorted(task.file.file_path.removeprefix("file://") for task in made.scan().plan_files())
    assert [str(tmp_path / file.path) for file in result.inputs[1].files] == [str(newest), *data]
    assert all(file.hash == f"blake3:{blake3((tmp_path / file.path).read_bytes()).hexdigest()}" for file in result.inputs[1].files)
    said = next(remark for remark in result.remarks if "snapshot" in remark)
    snapshot = made.current_snapshot().snapshot_id
    assert said.startswith(f"data.recommendations.recs: the Iceberg table is read at snapshot {snapshot} of 20")
    assert said.endswith(f" UTC, by {newest.name}.")


def test_a_named_metadata_file_is_an_earlier_version(shop, evaluate_lists):
    made = table(shop, FRAME)
    earlier = made.metadata_location.removeprefix("file://")
    made.append(pl.DataFrame({"user": [1], "item": [97], "score": [5.0]}).to_arrow())
    assert evaluate_lists(earlier) == EXPECTED
    assert evaluate_lists("shop/recs") != EXPECTED


def test_the_hint_of_a_catalogue_decides_which_version_is_the_newest(shop, evaluate_lists, tmp_path):
    made = table(shop, FRAME)
    name = Path(made.metadata_location).name
    made.append(pl.DataFrame({"user": [1], "item": [97], "score": [5.0]}).to_arrow())
    hint = tmp_path / "shop" / "recs" / "metadata" / "version-hint.text"
    for text in (name, name.removesuffix(".metadata.json")):
        hint.write_text(f"{text}\n")
        assert evaluate_lists("shop/recs") == EXPECTED
    hint.write_text("7")
    with pytest.raises(DataError, match=r"recs: there is no metadata of an Iceberg table"):
        evaluate_lists("shop/recs")


def test_two_newest_versions_are_refused(shop, evaluate_lists, tmp_path):
    newest = Path(table(shop, FRAME).metadata_location.removeprefix("file://"))
    shutil.copy(newest, newest.with_name(f"{newest.name.partition('-')[0]}-other.metadata.json"))
    with pytest.raises(DataError, match="have the same version") as raised:
        evaluate_lists("shop/recs")
    assert "table.metadata_location" in raised.value.hint


def test_renamed_columns_partitions_and_lists_are_read(shop, evaluate_lists):
    from pyiceberg.transforms import IdentityTransform

    renamed = table(shop, FRAME[:2].rename({"score": "points"}), name="renamed")
    with renamed.update_schema() as update:
        update.rename_column("points", "score")
    with renamed.update_spec() as update:
        update.add_field("user", IdentityTransform())
    renamed.append(FRAME[2:].to_arrow())
    table(shop, FRAME.group_by("user", maintain_order=True).agg("item", "score"), name="lists")
    table(shop, FRAME.group_by("user").agg(recommendations=pl.struct("item", "score")), name="structs")
    assert evaluate_lists("shop/renamed") == evaluate_lists("shop/lists") == evaluate_lists("shop/structs") == EXPECTED


@pytest.mark.parametrize("given", ["shop/recs/data/*.parquet", "shop/**/*.parquet", "shop"])
def test_data_files_of_an_iceberg_table_are_refused_without_its_metadata(given, shop, evaluate_lists):
    table(shop, FRAME)
    with pytest.raises(DataError, match=r"is part of the Iceberg table .*recs, whose metadata decides which of its files count"):
        evaluate_lists(given)


def test_an_invalid_iceberg_table_is_refused(shop, evaluate_lists, tmp_path):
    table(shop, FRAME.drop("score"), name="unordered")
    with pytest.raises(DataError, match="the rows of an Iceberg table have no order, and there is neither a rank nor a score column"):
        evaluate_lists("shop/unordered")
    shop.create_table("shop.empty", schema=FRAME.to_arrow().schema)
    with pytest.raises(DataError, match="empty: there are no rows"):
        evaluate_lists("shop/empty")
    (tmp_path / "broken" / "metadata").mkdir(parents=True)
    with pytest.raises(DataError, match="broken: there is no metadata of an Iceberg table"):
        evaluate_lists({"path": "broken", "format": "iceberg"})
    (tmp_path / "broken" / "metadata" / "v1.metadata.json").write_text("{}")
    with pytest.raises(DataError, match=r"broken: not a readable Iceberg table \("):
        evaluate_lists("broken")
    table(shop, FRAME, name="lost")
    next((tmp_path / "shop" / "lost" / "data").glob("*.parquet")).unlink()
    with pytest.raises(DataError, match="lost"):
        evaluate_lists("shop/lost")


def test_a_fault_in_an_iceberg_table_is_reported_with_its_row(shop, evaluate_lists):
    table(shop, FRAME.with_columns(score=pl.Series([0.9, 0.8, None, 0.6])))
    with pytest.raises(DataError, match=r"recs, row 3: no value for score \(in 1 of 4 rows\)"):
        evaluate_lists("shop/recs")


def test_without_pyiceberg_the_extra_is_named(shop, evaluate_lists, monkeypatch):
    table(shop, FRAME)
    monkeypatch.setitem(sys.modules, "pyiceberg.table", None)
    with pytest.raises(MissingExtraError, match="reading Iceberg tables needs pyiceberg") as caught:
        evaluate_lists("shop/recs")
    assert caught.value.hint == install_command("iceberg")


def test_a_table_of_a_store_is_read_and_hashed(evaluate_lists, tmp_path):
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/lake", method="PUT"))
        store = {"s3.endpoint": endpoint, "s3.access-key-id": "me", "s3.secret-access-key": "hidden", "s3.region": "us-east-1"}
        made = table(catalog(tmp_path, "s3://lake", **store), FRAME)
        keys = {"aws_access_key_id": "me", "aws_secret_access_key": "hidden", "region": "us-east-1"}
        options = {"endpoint_url": endpoint, "allow_http": "true", **keys}
        assert evaluate_lists({"path": made.metadata_location, "storage_options": options}) == EXPECTED
        for folder in ("s3://lake/shop/recs/", "s3://lake/shop/recs"):
            assert evaluate_lists({"path": folder, "format": "iceberg", "storage_options": options}) == EXPECTED
        with pytest.raises(DataError, match="belongs to a table of the format iceberg") as raised:
            evaluate_lists({"path": "s3://lake/shop/", "storage_options": options})
        assert raised.value.hint == "give the folder of the table with format: iceberg"
    finally:
        server.stop()


@pytest.mark.spark
def test_spark_reads_the_rows_of_an_iceberg_table(spark, shop, evaluate_lists):
    table(shop, FRAME)
    assert evaluate_lists("shop/recs", engine=spark) == EXPECTED
