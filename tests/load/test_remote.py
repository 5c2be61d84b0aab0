"""Files in an object store and on the web, from a store and a server that are started here."""

from __future__ import annotations

import functools
import http.server
import io
import logging
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import obstore
import polars as pl
import pytest
import yaml
from blake3 import blake3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication
from moto.server import ThreadedMotoServer
from obstore.store import from_url
from receval import load_config, run
from receval.cli.main import main
from receval.load import remote
from receval.support.errors import DataError, MissingExtraError
from receval.support.extras import install_command

from tests.load.conftest import EXPECTED, LISTS, TEST

FRAME = pl.DataFrame(LISTS, schema=["user", "item", "score"], orient="row")
TEXT = FRAME.write_csv().encode()


def binary(frame: pl.DataFrame, method: str = "write_parquet") -> bytes:
    file = io.BytesIO()
    getattr(frame, method)(file)
    return file.getvalue()


OBJECTS = {
    "l.csv": TEXT,
    "l.run": "".join(f"{user} Q0 {item} {5 - score} {score} t\n" for user, item, score in LISTS).encode(),
    "noending": TEXT,
    "l.parquet": binary(FRAME),
    "l.arrow": binary(FRAME, "write_ipc"),
    "lists.parquet": binary(FRAME.group_by("user", maintain_order=True).agg("item", "score")),
    "als/part-0.parquet": binary(FRAME[:3]),
    "als/part-1.parquet": binary(FRAME[3:]),
    "als/_SUCCESS": b"x",
    "hive/user=1/p.parquet": binary(FRAME[:2].drop("user")),
    "hive/user=2/p.parquet": binary(FRAME[2:].drop("user")),
    "parts/a.csv": FRAME[:1].write_csv().encode(),
    "parts/b.csv": FRAME[1:].write_csv().encode(),
    "empty.parquet": b"",
    "empty.csv": b"",
    "odd.xyz": b"\0" + TEXT,
    "broken.parquet": b"PAR1 nonsense",
    "fault.csv": TEXT + b"3,,0.5\n",
    "delta/_delta_log/0.json": b"{}",
    "delta/part-0.parquet": binary(FRAME),
}


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    """Yield the options of a store with `OBJECTS` in the bucket `lists`."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {
        "endpoint_url": f"http://{host}:{port}", "allow_http": "true", "region": "us-east-1",
        "aws_access_key_id": "me", "aws_secret_access_key": "hidden",
    }  # fmt: skip
    urllib.request.urlopen(urllib.request.Request(f"{options['endpoint_url']}/lists", method="PUT"))
    config = {name: value for name, value in options.items() if name != "allow_http"}
    bucket = from_url("s3://lists", config=config, client_options={"allow_http": True})
    for name, content in OBJECTS.items():
        obstore.put(bucket, name, content)
    yield options
    server.stop()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; paths with `secret` need a token."""

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        if "secret" in self.path and self.headers.get("Authorization") != "Bearer token":
            self.send_error(403)
        else:
            super().do_GET()

    def do_HEAD(self) -> None:
        if "secret" in self.path:
            self.send_error(403)
        else:
            super().do_HEAD()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """Yield the address of a web server that serves a folder with `OBJECTS`."""
    for name, content in OBJECTS.items():
        path = tmp_path / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "web" / "secret.csv").write_bytes(TEXT)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path / "web")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "key", ["l.csv", "l.run", "noending", "l.parquet", "l.arrow", "lists.parquet", "als/", "hive/", "parts/*.csv", "als/**/*.parquet"]
)
def test_objects_folders_and_globs_of_a_store_are_read(key, store, evaluate_lists):
    assert evaluate_lists({"path": f"s3://lists/{key}", "storage_options": store}) == EXPECTED


@pytest.mark.parametrize("folder", ["als", "hive", "parts"])
def test_an_address_without_a_final_slash_is_a_folder_if_there_is_no_such_object(folder, store, evaluate_lists, requests):
    assert evaluate_lists({"path": f"s3://lists/{folder}", "storage_options": store}) == EXPECTED
    assert requests[0] == f"HEAD /lists/{folder}"


def test_the_environment_and_variables_of_the_config_configure_a_store(store, evaluate_lists, monkeypatch):
    for name, value in store.items():
        monkeypatch.setenv(f"AWS_{name.removeprefix('aws_').upper()}", value)
    assert evaluate_lists("s3://lists/l.parquet") == evaluate_lists("s3://lists/l.csv") == EXPECTED
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.setenv("WHERE", store["endpoint_url"])
    assert evaluate_lists({"path": "s3://lists/l.parquet", "storage_options": {"endpoint_url": "${WHERE}"}}) == EXPECTED


@pytest.mark.parametrize("key", ["l.csv", "l.parquet", "lists.parquet"])
def test_files_on_the_web_are_fetched(key, web, evaluate_lists):
    assert evaluate_lists(f"{web}/{key}") == EXPECTED
    assert evaluate_lists(f"{web}/{key}?signature=s3cr3t") == EXPECTED


def test_a_header_can_be_sent_to_a_web_server(web, evaluate_lists):
    assert evaluate_lists({"path": f"{web}/secret.csv", "storage_options": {"Authorization": "Bearer token"}}) == EXPECTED


def test_the_manifest_has_the_size_and_hash_of_remote_files_and_no_secret(store, web, write, tmp_path):
    write("test.csv", TEST)
    paths = {"a": "s3://lists/l.parquet", "b": "s3://lists/l.csv", "c": f"{web}/l.csv?signature=s3cr3t"}
    models = {name: {"path": path} | ({"storage_options": store} if name != "c" else {}) for name, path in paths.items()}
    write("config.yaml", yaml.safe_dump({"data": {"test": "test.csv", "recommendations": models}, "evaluation": {"metrics": ["MRR"]}}))
    loaded = load_config(tmp_path / "config.yaml")
    seen = {file.path: (file.bytes, file.hash) for given in run(loaded).inputs for file in given.files}
    for path, content in (("s3://lists/l.parquet", OBJECTS["l.parquet"]), ("s3://lists/l.csv", TEXT), (f"{web}/l.csv", TEXT)):
        assert seen[path] == (len(content), f"blake3:{blake3(content).hexdigest()}")
    assert "s3cr3t" not in str(run(loaded).inputs)
    printed = loaded.resolved_yaml()
    assert "hidden" not in printed + str(run(loaded).config)
    assert store["endpoint_url"] in printed


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("lists/nowhere.csv", "there is nothing at s3://lists/nowhere.csv"),
        ("lists/nowhere.parquet", "there is nothing at s3://lists/nowhere.parquet"),
        ("lists/nowhere/", "there are no data files in s3://lists/nowhere/"),
        ("lists/no*.parquet", "no object matches s3://lists/no"),
        ("nobucket/l.csv", "there is nothing at s3://nobucket/l.csv"),
        ("nobucket/", "there is nothing at s3://nobucket/"),
        ("lists/empty.parquet", "s3://lists/empty.parquet: the file is empty"),
        ("lists/empty.csv", "s3://lists/empty.csv: the file is empty"),
        ("lists/odd.xyz", "s3://lists/odd.xyz: cannot tell the format"),
        ("lists/broken.parquet", "s3://lists/broken.parquet: not a readable parquet file"),
        ("lists/fault.csv", "s3://lists/fault.csv, line 6: no value for item"),
        (
            "lists/delta/",
            "delta/_delta_log/0.json belongs to a table of the format delta, which decides which of its files count",
        ),
    ],
)
def test_a_missing_object_of_a_store_is_reported(key, message, store, evaluate_lists):
    with pytest.raises(DataError, match=message):
        evaluate_lists({"path": f"s3://{key}", "storage_options": store})


@pytest.mark.parametrize("key", ["l.csv", "l.parquet", "als/"])
def test_a_store_that_refuses_or_does_not_exist_is_reported(key, store, web, evaluate_lists):
    refusing = store | {"endpoint_url": f"{web}/secret"}
    with pytest.raises(DataError, match=r"cannot be read \(permission denied\)"):
        evaluate_lists({"path": f"s3://lists/{key}", "storage_options": refusing})
    with pytest.raises(DataError, match="cannot be reached"):
        evaluate_lists({"path": f"s3://lists/{key}", "storage_options": store | {"endpoint_url": "http://127.0.0.1:1"}})
    with pytest.raises(DataError, match=r"storage_options of s3://lists/.*: .*endpoint_uri"):
        evaluate_lists({"path": f"s3://lists/{key}", "storage_options": {"endpoint_uri": "x"}})


def test_a_web_server_that_refuses_or_does_not_exist_is_reported(web, evaluate_lists):
    with pytest.raises(DataError, match=r"nowhere\.csv cannot be fetched: the server says 404"):
        evaluate_lists(f"{web}/nowhere.csv")
    with pytest.raises(DataError, match=r"secret\.csv cannot be fetched: the server says 403"):
        evaluate_lists(f"{web}/secret.csv?token=s3cr3t")
    with pytest.raises(DataError, match=r"http://127\.0\.0\.1:1/l\.csv cannot be reached: .*refused"):
        evaluate_lists("http://127.0.0.1:1/l.csv")


def test_without_obstore_the_extra_is_named(evaluate_lists, monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(MissingExtraError, match="reading s3:// needs obstore") as caught:
        evaluate_lists("s3://lists/l.csv")
    assert caught.value.hint == install_command("remote")


def test_recs_can_add_an_address(web, write, tmp_path, capfd):
    write("test.csv", TEST)
    write("lists.csv", TEXT)
    write("config.yaml", "data: {test: test.csv, recommendations: {m: lists.csv}}\nevaluation: {metrics: [MRR]}\n")
    assert main(["run", str(tmp_path / "config.yaml"), "--recs", f"far={web}/l.parquet", "--format", "csv"]) == 0
    assert ",far,MRR@10,MRR,10,mean,,,,,0.75" in capfd.readouterr().out


@pytest.mark.spark
def test_spark_evaluates_files_of_a_store(spark, store, evaluate_lists):
    assert evaluate_lists({"path": "s3://lists/l.parquet", "storage_options": store}, engine=spark) == EXPECTED


@pytest.fixture
def requests(store, monkeypatch) -> list[str]:
    """Return the requests that the store gets: the method and the path, and `listing`."""
    seen: list[str] = []
    answer = DomainDispatcherApplication.__call__

    def noted(self: object, environ: dict[str, str], start: object) -> object:
        seen.append("listing" if "list-type" in environ["QUERY_STRING"] else f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        return answer(self, environ, start)

    monkeypatch.setattr(DomainDispatcherApplication, "__call__", noted)
    return seen


@pytest.mark.parametrize("key", ["als/", "als/part-*.parquet", "als/**/*.parquet", "hive/", "parts/*.csv"])
def test_a_folder_or_glob_of_a_store_takes_one_listing_and_one_request_a_file(key, store, evaluate_lists, requests):
    assert evaluate_lists({"path": f"s3://lists/{key}", "storage_options": store}) == EXPECTED
    folder = key.partition("/")[0]
    files = [name for name in OBJECTS if name.startswith(f"{folder}/") and "_SUCCESS" not in name]
    assert sorted(requests) == [*(f"GET /lists/{name}" for name in sorted(files)), "listing"]


def test_a_file_of_a_store_takes_two_requests(store, evaluate_lists, requests):
    assert evaluate_lists({"path": "s3://lists/l.parquet", "storage_options": store}) == EXPECTED
    assert requests == ["HEAD /lists/l.parquet", "GET /lists/l.parquet"]


@pytest.mark.parametrize("key", ["l.parquet", "als/", "parts/*.csv"])
def test_large_files_are_read_where_they_are_with_the_same_values(store, evaluate_lists, requests, monkeypatch, key):
    monkeypatch.setattr(remote, "_MOST_COPIED", 10)
    assert evaluate_lists({"path": f"s3://lists/{key}", "storage_options": store}) == EXPECTED
    assert [request for request in requests if request.startswith("HEAD")]


@pytest.mark.parametrize(
    ("address", "way"),
    [
        ("hdfs://node/l.parquet", "mount it as a folder"),
        ("dbfs:/l.parquet", "/Volumes/"),
        ("hf://datasets/me/l.parquet", "https://"),
        ("iceberg://catalog.table", "pyiceberg"),
        ("ftp://me:secret@host/l.csv", "download the file"),
        ("postgresql://me:secret@host/shop", "set uri and query"),
        ("file:///l.csv", "without file://"),
    ],
)
def test_addresses_that_are_not_read_are_named_with_another_way(evaluate_lists, address, way):
    with pytest.raises(DataError, match="addresses with ") as raised:
        evaluate_lists(address)
    assert way in (raised.value.hint or "")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("key", ["a//b.csv", "./b.csv", "a/../b.csv", "..", "a//", "/", "a/b\nc.csv", "a//*.csv", "../*.csv"])
@pytest.mark.parametrize("scheme", ["s3", "gs", "az", "abfss"])
def test_a_path_that_no_object_can_have_is_an_address_to_correct(scheme, key, evaluate_lists):
    with pytest.raises(DataError, match="is not the address of an object: its path has ") as raised:
        evaluate_lists(f"{scheme}://lists/{key}")
    assert raised.value.hint == "write the path as the store lists it"
