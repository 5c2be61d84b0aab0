"""Results in an object store: every output and every reader, and the old or the new folder after a kill at any request."""

from __future__ import annotations

import functools
import http.server
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
import obstore.exceptions
import pytest
import receval as library
from moto.moto_server.werkzeug_app import DomainDispatcherApplication
from moto.server import ThreadedMotoServer
from obstore.store import S3Store, from_url
from receval.storage import places, stores
from receval.support.errors import DataError, MissingExtraError, OutputError
from receval.support.extras import install_command

from tests.sizes import draws

TEST = "user,item\n1,5\n2,6\n3,7\n"
LISTS = "user,item,score\n1,5,2\n1,6,1\n2,5,2\n3,7,1\n"
OTHERS = "user,item,score\n1,7,2\n1,5,1\n2,6,2\n3,7,1\n"
CONFIG = """data: {test: test.csv, recommendations: {a: a.csv, b: b.csv}}
evaluation: {metrics: [MRR@2]}
health: off
"""
SET_OTHER = [sys.executable, "-m", "receval", "baseline", "set", "other", "--to", "s3://bucket/x", "--force"]
NAMES = {"ledger.csv",
    "manifest.json", "per_user.parquet", "results.csv", "results.json", "results.md", "results.parquet", "results_wide.csv",
}  # fmt: skip


class Store:
    """A bucket of a real server, what it was asked, and a function that is called before and after each request."""

    def __init__(self, endpoint: str) -> None:
        self.bucket: Any = from_url("s3://bucket", config={"endpoint_url": endpoint}, client_options={"allow_http": True})
        self.asked: list[str] = []
        self.at: Callable[[str, str], None] = lambda when, request: None

    def names(self, folder: str = "") -> list[str]:
        return sorted(entry["path"] for batch in obstore.list(self.bucket, folder or None) for entry in batch)

    def plain_names(self, folder: str) -> set[str]:
        return {name.removeprefix(f"{folder}/") for name in self.names(folder) if "/." not in name}

    def read(self, name: str) -> bytes:
        return bytes(obstore.get(self.bucket, name).bytes())

    def put(self, name: str, content: bytes) -> None:
        obstore.put(self.bucket, name, content)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def store(server, monkeypatch) -> Store:
    """Return a store with an empty bucket, which the environment configures."""
    access = {"ENDPOINT_URL": server, "ALLOW_HTTP": "true", "REGION": "us-east-1", "ACCESS_KEY_ID": "me", "SECRET_ACCESS_KEY": "hidden"}
    for name, value in access.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    urllib.request.urlopen(urllib.request.Request(f"{server}/moto-api/reset", method="POST"))
    urllib.request.urlopen(urllib.request.Request(f"{server}/bucket", method="PUT"))
    found, answer = Store(server), DomainDispatcherApplication.__call__

    def noted(self: object, environ: dict[str, str], start: object) -> object:
        request = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        found.asked.append(request)
        found.at("before", request)
        answered = answer(self, environ, start)
        found.at("after", request)
        return answered

    monkeypatch.setattr(DomainDispatcherApplication, "__call__", noted)
    return found


@pytest.fixture
def place(write, tmp_path: Path, monkeypatch, store) -> Iterator[Path]:
    for name, content in {"test.csv": TEST, "a.csv": LISTS, "b.csv": OTHERS, "c.yaml": CONFIG}.items():
        write(name, content)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not [folder for folder, _, _ in os.walk(tmp_path) if ":" in folder]


def test_a_run_writes_its_folder_into_a_store_with_plain_names(place, store, receval):
    assert receval("run", "c.yaml", "-o", "local/")[0] == 0
    code, _, err = receval("run", "c.yaml", "-o", "s3://bucket/x/")
    assert (code, err) == (0, "receval: wrote s3://bucket/x; next: receval report s3://bucket/x -o report.html\n")
    assert store.plain_names("x") == NAMES
    for name in NAMES - {"manifest.json"}:
        assert store.read(f"x/{name}") == (place / "local" / name).read_bytes()
    objects = json.loads(store.read("x/manifest.json"))["objects"]
    assert store.names("x/.receval") == sorted(f"x/{objects}{name}" for name in NAMES - {"manifest.json"})


def test_the_manifest_is_put_after_all_objects_and_on_a_condition(place, store, receval):
    receval("run", "c.yaml", "-o", "s3://bucket/x/")
    puts = [request.removeprefix("PUT /bucket/x/") for request in store.asked if request.startswith("PUT")]
    at = puts.index("manifest.json")
    assert puts.count("manifest.json") == 1
    assert all(name.startswith(".receval/") for name in puts[:at])
    assert len(puts[:at]) == len(NAMES)  # the others, and the test of writing
    assert {*puts[at + 1 :]} == NAMES - {"manifest.json"}


def test_every_reader_takes_a_folder_in_a_store(place, store, receval):
    receval("run", "c.yaml", "-o", "s3://bucket/main/", "-o", "main/")
    for command in (
        "compare {}main b=c.yaml", "compare {}main --baseline a", "report {}main -o r.html", "gate {}main --rule MRR@2>=0",
        "baseline show {}main", "user 1 {}main", "plot differences {}main -o p.json", "track {}main --to dvc",
        "gate c.yaml --rule MRR@2>=0 --baseline {}main", "gate {}main --baseline {}main --rule max_loss=1",
    ):  # fmt: skip
        code, out, err = receval(*command.format("s3://bucket/", "s3://bucket/").split())
        local = receval(*command.format("", "").split())
        assert (code, out.replace("s3://bucket/main", "main")) == local[:2], command
        assert "/tmp" not in err
    assert library.load_results("s3://bucket/main").rows == library.load_results("main").rows


def test_outputs_of_other_commands_are_written_into_a_store(place, store, receval):
    receval("run", "c.yaml", "-o", "s3://bucket/main/")
    done = receval("compare", "s3://bucket/main", "--baseline", "a", "-o", "s3://bucket/cmp/", "-o", "s3://bucket/c.html")
    assert done[0] == 0, done[2]
    assert {"comparison.json", "comparison.csv", "comparison.md", "files.manifest.json"} <= store.plain_names("cmp")
    assert receval("report", "s3://bucket/main", "-o", "s3://bucket/r/page.html")[0] == 0
    assert receval("gate", "s3://bucket/main", "--rule", "MRR@2>=0", "-o", "s3://bucket/v.json")[0] == 0
    assert receval("plot", "differences", "c.yaml", "-o", "s3://bucket/p.json")[0] == 0
    assert receval("user", "1", "c.yaml", "-o", "s3://bucket/u.md")[0] == 0
    assert receval("check", "c.yaml", "--store-failures", "s3://bucket/f")[0] == 0
    assert {"c.html", "r/page.html", "v.json", "p.json", "u.md"} <= {*store.names()}
    library.evaluate("c.yaml").save("s3://bucket/python")
    assert NAMES - {"per_user.parquet"} <= store.plain_names("python")


def test_a_config_names_an_output_and_a_baseline_in_a_store(place, store, receval, write):
    receval("run", "c.yaml", "-o", "today/")
    assert receval("baseline", "set", "today", "--to", "s3://bucket/main")[0] == 0
    write("g.yaml", CONFIG + "gates: {baseline: s3://bucket/main, rules: [MRR@2 max_loss 1%]}\noutput: {dir: s3://bucket/new}\n")
    assert receval("run", "g.yaml")[0] == 0
    assert store.plain_names("new") == NAMES
    assert receval("baseline", "set", "s3://bucket/new")[0] == 0  # to the baseline of its config
    assert store.read("main/results.json") == store.read("new/results.json")


def test_a_copy_of_a_folder_in_a_store_has_the_bytes_of_a_local_run(place, store, receval):
    receval("run", "c.yaml", "-o", "s3://bucket/x/", "-o", "local/")
    assert receval("baseline", "set", "s3://bucket/x", "--to", "copied")[0] == 0
    for name in NAMES:
        assert (place / "copied" / name).read_bytes() == (place / "local" / name).read_bytes()


def test_a_folder_that_another_program_copied_into_a_store_is_read_and_checked(place, store, receval):
    receval("run", "c.yaml", "-o", "local/")
    for name in NAMES:
        store.put(f"x/{name}", (place / "local" / name).read_bytes())
    assert library.load_results("s3://bucket/x").rows == library.load_results("local").rows
    store.put("x/results.json", b"{}")
    store.put("x/manifest.json", (place / "local" / "manifest.json").read_bytes() + b"\n")
    with pytest.raises(DataError, match="s3://bucket/x"):
        library.load_results("s3://bucket/x")


def test_a_new_state_removes_the_files_and_objects_of_the_old_one_and_keeps_others(place, store, receval, monkeypatch):
    receval("run", "c.yaml", "-o", "s3://bucket/x/")
    store.put("x/notes.txt", b"mine")
    store.put("x/.receval/results/killed/results.csv", b"")
    old = json.loads(store.read("x/manifest.json"))["objects"]
    assert receval("run", "c.yaml", "-o", "s3://bucket/x/", "--set", "output.per_user=false")[0] == 0
    assert store.plain_names("x") == {*NAMES - {"per_user.parquet"}, "notes.txt"}
    assert not store.names(f"x/{old.rstrip('/')}")
    assert "x/.receval/results/killed/results.csv" in store.names()  # perhaps its run still writes
    monkeypatch.setattr(stores, "_KEPT", timedelta(seconds=-10))
    receval("run", "c.yaml", "-o", "s3://bucket/x/")
    assert "x/.receval/results/killed/results.csv" not in store.names()
    assert len(store.names("x/.receval")) == len(NAMES) - 1


def test_of_two_runs_that_end_at_once_the_last_one_counts_whole(place, store, receval):
    receval("run", "c.yaml", "-o", "s3://bucket/x/")
    receval("run", "c.yaml", "-o", "other/", "--set", "evaluation.metrics=[Recall@2]")
    first: list[str] = []

    def between(when: str, request: str) -> None:
        if when == "before" and request == "PUT /bucket/x/manifest.json" and not first:
            first.append(request)
            subprocess.run(SET_OTHER, check=True, capture_output=True)

    store.at = between
    assert receval("run", "c.yaml", "-o", "s3://bucket/x/")[0] == 0
    store.at = lambda when, request: None
    assert first
    assert {row.metric for row in library.load_results("s3://bucket/x").rows} == {"MRR"}
    assert len(store.names("x/.receval")) == len(NAMES) - 1  # each state was removed by the run that replaced it


def test_a_reader_whose_objects_are_removed_meanwhile_reads_the_new_state(place, store, receval):
    receval("run", "c.yaml", "-o", "s3://bucket/x/")
    receval("run", "c.yaml", "-o", "other/", "--set", "evaluation.metrics=[Recall@2]")
    replaced: list[str] = []

    def meanwhile(when: str, request: str) -> None:
        if when == "after" and request == "GET /bucket/x/manifest.json" and not replaced:
            replaced.append(request)
            subprocess.run(SET_OTHER, check=True, capture_output=True)

    places._copies.clear()
    store.at = meanwhile
    assert {row.metric for row in library.load_results("s3://bucket/x").rows} == {"Recall"}


@pytest.mark.release
@pytest.mark.slow
def test_a_process_killed_at_any_request_leaves_the_old_or_the_new_folder(place, store, receval):
    receval("run", "c.yaml", "-o", "old/")
    receval("run", "c.yaml", "-o", "new/", "--set", "evaluation.metrics=[Recall@2]")
    of = {name: library.load_results(name).rows for name in ("old", "new")}
    command = [sys.executable, "-m", "receval", "baseline", "set", "new", "--to", "s3://bucket/x", "--force"]
    receval("baseline", "set", "old", "--to", "s3://bucket/x")
    store.asked.clear()
    subprocess.run(command, check=True, capture_output=True)
    n_requests, seen = len(store.asked), []
    every = 1 if os.environ.get("RECEVAL_KILLS") == "all" else draws(13, 5)
    for number in range(0, 2 * n_requests, every):
        receval("baseline", "set", "old", "--to", "s3://bucket/x", "--force")
        counted = iter(range(10_000))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pid = process.pid

        def kill(when: str, request: str, number: int = number, counted: Iterator[int] = counted, pid: int = pid) -> None:
            if (when == "after") == bool(number % 2) and next(counted) == number // 2:
                os.kill(pid, signal.SIGKILL)

        store.at = kill
        process.wait()
        store.at = lambda when, request: None
        rows = library.load_results("s3://bucket/x").rows
        seen.append(next((name for name in of if of[name] == rows), "half"))
    assert {*seen} == {"old", "new"}
    assert seen == sorted(seen, key=["old", "new"].index)  # once new, it stays
    receval("baseline", "set", "new", "--to", "s3://bucket/x", "--force")
    assert store.read("x/results.json") == (place / "new/results.json").read_bytes()


def test_without_permission_the_folder_stays_and_the_error_says_it_before_any_work(place, store, receval, monkeypatch):
    code, _, err = receval("run", "c.yaml", "-o", "s3://nobody/x/")
    assert code == 2
    assert "s3://nobody/x cannot be written: there is no such bucket" in err
    code, _, err = receval("run", "missing.yaml", "-o", "s3://bucket/x/")
    assert (code, store.names()) == (2, [])


def test_a_failed_run_leaves_no_objects(place, store, receval, write):
    write("a.csv", "user,item,score\n1,,x\n")
    assert receval("run", "c.yaml", "-o", "s3://bucket/x/")[0] == 3
    assert store.names() == []


def test_without_the_extra_a_store_needs_it(place, monkeypatch, receval):
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.setitem(sys.modules, "obstore.exceptions", None)
    code, _, err = receval("run", "c.yaml", "-o", "s3://bucket/x/")
    assert code == 4
    assert "writing s3:// needs obstore, which is not installed" in err
    assert install_command("remote") in err
    with pytest.raises(MissingExtraError, match="reading s3:// needs obstore"):
        library.load_results("s3://bucket/x")


def test_a_secret_in_an_address_is_not_printed(place, store, receval):
    for command in ("run c.yaml -o s3://me:hidden@bucket/x/", "report s3://me:hidden@bucket/x -o r.html"):
        code, _, err = receval(*command.split())
        assert code == 0
        assert "hidden" not in err


def test_no_output_replaces_an_input_in_a_store(place, store, receval, write):
    for name in ("test.csv", "a.csv", "b.csv"):
        store.put(f"in/{name}", (place / name).read_bytes())
    write("s.yaml", CONFIG.replace("test: test.csv", "test: s3://bucket/in/test.csv").replace("a: a.csv", "a: s3://bucket/in/a*.csv"))
    refused = {
        "run s.yaml -o s3://bucket/in/test.csv": "would overwrite s3://bucket/in/test.csv, which is data.test",
        "run s.yaml -o s3a://bucket/in/test.csv": "would overwrite s3://bucket/in/test.csv, which is data.test",
        "run s.yaml -o s3://bucket/in/a2.csv": "the next run would read the results as input",
    }
    for command, said in refused.items():
        code, _, err = receval(*command.split())
        assert (code, said in err) == (2, True), err
    assert store.read("in/test.csv") == TEST.encode()
    receval("run", "s.yaml", "-o", "s3://bucket/main/")
    for command in ("compare s3://bucket/main b=c.yaml -o s3://bucket/main/", "report s3://bucket/main -o s3://bucket/main/results.md"):
        code, _, err = receval(*command.split())
        assert (code, "would " in err) == (2, True), err
    code, _, err = receval("baseline", "set", "s3://bucket/main", "--to", "s3://bucket/main/")
    assert (code, "is the folder itself" in err) == (2, True)


def test_a_baseline_does_not_replace_a_folder_of_other_files(place, store, receval):
    receval("run", "c.yaml", "-o", "today/")
    store.put("x/results.csv", b"mine")
    code, _, err = receval("baseline", "set", "today", "--to", "s3://bucket/x")
    assert code == 2
    assert "s3://bucket/x is not a result folder: it contains a results.csv" in err
    assert store.read("x/results.csv") == b"mine"


def test_a_missing_baseline_in_a_store_is_missing_as_a_local_one_is(place, store, receval):
    command = ("gate", "c.yaml", "--rule", "MRR@2 max_loss 1%", "--baseline", "s3://bucket/main")
    code, _, err = receval(*command)
    assert code == 3
    assert "there is no baseline s3://bucket/main" in err
    assert receval(*command, "--if-missing", "pass")[0] == 0
    code, _, err = receval("report", "s3://bucket/main", "-o", "r.html")
    assert (code, "s3://bucket/main: the folder does not exist" in err) == (3, True)


def test_a_manifest_that_leads_out_of_its_folder_writes_nothing_there(place, store, receval):
    receval("run", "c.yaml", "-o", "local/")
    content = json.loads((place / "local/manifest.json").read_bytes())
    content.pop("sha256")
    content["outputs"].append({"path": "../../out.txt", "bytes": 1, "sha256": "0"})
    store.put("x/manifest.json", json.dumps(content).encode())
    store.put("out.txt", b"x")
    with pytest.raises(DataError):
        library.load_results("s3://bucket/x")
    assert "GET /out.txt" not in store.asked


def test_copies_of_folders_are_removed_at_the_end_of_the_process(place, store, receval):
    receval("run", "c.yaml", "-o", "s3://bucket/x/")
    code = "import receval, tempfile, os; receval.load_results('s3://bucket/x'); print(len(os.listdir(tempfile.gettempdir())))"
    environment = {**os.environ, "TMPDIR": str(place / "tmp")}
    (place / "tmp").mkdir()
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, os.listdir(place / "tmp")) == ("1\n", [])


def test_python_refuses_an_output_on_the_web(place):
    with pytest.raises(OutputError, match="https://host/x is an address that results cannot be written to"):
        library.evaluate("c.yaml").save("https://host/x")


def test_a_folder_on_a_web_server_is_read(place, store, receval):
    receval("run", "c.yaml", "-o", "web/main/")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(place / "web"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert library.load_results(f"{address}/main/").rows == library.load_results("web/main").rows
        code, _, err = receval("gate", "web/main", "--baseline", f"{address}/nothing", "--rule", "MRR@2 max_loss 1%")
        assert (code, f"there is no baseline {address}/nothing" in err) == (3, True)
        server.shutdown()


def test_a_store_without_conditional_requests_is_written_all_the_same(place, store, receval, monkeypatch):
    put = S3Store.put

    def unconditional(bucket: Any, key: str, content: Any, **options: Any) -> Any:
        if options:
            raise obstore.exceptions.NotSupportedError("Operation not supported")
        return put(bucket, key, content)

    monkeypatch.setattr(S3Store, "put", unconditional)
    for _ in range(2):
        assert receval("run", "c.yaml", "-o", "s3://bucket/x/")[0] == 0
    assert len(store.names("x/.receval")) == len(NAMES) - 1


def test_an_answer_that_was_lost_is_not_taken_for_another_run(place, store, receval, monkeypatch):
    put = S3Store.put

    def put_twice(bucket: Any, key: str, content: Any, **options: Any) -> Any:
        done = put(bucket, key, content, **options)
        return put(bucket, key, content, **options) if options else done

    receval("run", "c.yaml", "-o", "s3://bucket/x/")
    monkeypatch.setattr(S3Store, "put", put_twice)
    assert receval("run", "c.yaml", "-o", "s3://bucket/x/")[0] == 0
    assert len(store.names("x/.receval")) == len(NAMES) - 1  # those of the state before were removed


def test_a_file_too_large_to_copy_in_the_store_is_uploaded_under_its_name(place, store, receval, monkeypatch):
    def too_large(*_: Any) -> None:
        raise obstore.exceptions.GenericError("The specified copy source is larger than the maximum allowable size")

    monkeypatch.setattr(S3Store, "copy", too_large)
    assert receval("run", "c.yaml", "-o", "s3://bucket/x/")[0] == 0
    assert store.plain_names("x") == NAMES


@pytest.mark.parametrize("address", ["s3://", "s3://bucket/../x", "s3://bucket/a\x01b"])
def test_an_address_that_no_object_can_have_is_refused_in_a_sentence(address, place, store, receval):
    for command in (("run", "c.yaml", "-o", address), ("compare", address, "c.yaml"), ("baseline", "show", address)):
        code, out, err = receval(*command)
        assert (code, out) == (2 if command[0] == "run" else 3, ""), err
        assert "Traceback" not in err
        assert "has no bucket" in err or "is not the address of an object" in err or "there is no" in err or "does not exist" in err
    assert store.names() == []


def test_an_address_on_the_web_that_is_not_valid_is_refused_in_a_sentence(place, receval):
    code, _, err = receval("compare", "https://[x", "c.yaml")
    assert (code, "https://[x is not a valid address" in err) == (3, True)


OPTIONS = """
output:
  storage_options: {endpoint_url: "${PLACE}", allow_http: true, region: us-east-1, access_key_id: me, secret_access_key: "${SECRET}"}
"""


def test_a_config_has_the_options_of_the_store_of_its_outputs_and_baselines(place, store, receval, write, server, monkeypatch):
    for name in ("ENDPOINT_URL", "ALLOW_HTTP", "REGION", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.delenv(f"AWS_{name}")
    monkeypatch.setenv("PLACE", server)
    monkeypatch.setenv("SECRET", "never-written")
    write("o.yaml", CONFIG + OPTIONS)
    rule = ("--rule", "MRR@2 max_loss 1%", "--baseline", "s3://bucket/main")
    for command in (
        ("run", "o.yaml", "-o", "s3://bucket/main/", "-o", "s3://bucket/r.html", "-o", "local/"),
        ("gate", "o.yaml", *rule, "-o", "s3://bucket/v.json"),
        ("run", "o.yaml", "--set", "gates={baseline: s3://bucket/main, rules: [MRR@2 max_loss 1%]}"),
        ("compare", "o.yaml", "--baseline", "s3://bucket/main", "-o", "s3://bucket/c/", "-o", "s3://bucket/c.html"),
        ("report", "o.yaml", "-o", "s3://bucket/p.html"),
        ("run", "o.yaml", "--set", "compare={baseline: s3://bucket/main}", "-o", "s3://bucket/b.html", "--set", "track=[dvc]"),
        ("gate", "o.yaml", *rule, "--set", "compare={baseline: s3://bucket/main}", "-o", "s3://bucket/g.html"),
        ("plot", "differences", "o.yaml", "-o", "s3://bucket/p.json"),
        ("slices", "o.yaml", "--by", "cold", "-o", "s3://bucket/s.json", "--set", "data.train=a.csv"),
        ("diff", "o.yaml", "a", "b", "-o", "s3://bucket/d.json"),
        ("user", "1", "o.yaml", "-o", "s3://bucket/u.md"),
        ("check", "o.yaml", "--store-failures", "s3://bucket/f"),
    ):
        code, _, err = receval(*command)
        assert code == 0, (command, err)
        assert "permission denied" not in err, (command, err)
    pages = [store.read(f"{name}.html") for name in "rcpbg"] + [path.read_bytes() for path in place.rglob("report.html")]
    assert len(pages) == 6
    assert [b"cannot be read" in page or b"cannot be reached" in page for page in pages] == [False] * 6
    library.evaluate("o.yaml").save("s3://bucket/python")
    assert {"r.html", "v.json", "c.html", "p.html", "p.json", "s.json", "d.json", "u.md"} <= {*store.names()}
    assert {folder for folder in ("main", "c", "python") if store.plain_names(folder)} == {"main", "c", "python"}
    for written in [store.read("main/manifest.json"), *(path.read_bytes() for path in (place / "local").glob("*.json"))]:
        assert b"never-written" not in written
        assert server.encode() not in written
    wrong = f"output.storage_options={{endpoint_url: '{server}', no_such_option: x}}"
    for command in (("gate", "c.yaml", *rule), ("run", "c.yaml", "-o", "s3://bucket/main/")):
        code, _, err = receval(*command, "--set", wrong)
        assert (code, "storage_options of s3://bucket/main" in err) == (2 if "-o" in command else 3, True), err


def test_masked_options_of_a_stored_config_do_not_replace_those_of_the_environment(place, store, receval, write, server, monkeypatch):
    monkeypatch.setenv("PLACE", server)
    monkeypatch.setenv("SECRET", "never-written")
    write("o.yaml", CONFIG + OPTIONS)
    assert receval("run", "o.yaml", "-o", "local/", "--set", "output.enriched=true")[0] == 0
    for command in (("user", "1", "local", "-o", "s3://bucket/u.md"), ("diff", "local", "a", "b", "-o", "s3://bucket/d.json")):
        code, _, err = receval(*command)
        assert code == 0, err
    library.load_results("local").save("s3://bucket/again")
    assert library.load_results("s3://bucket/again").models == ("a", "b")
