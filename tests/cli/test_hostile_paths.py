"""Unreadable paths, impossible names and full disks: one sentence and an exit code from every command."""

from __future__ import annotations

import errno
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from receval.support.errors import system_error

CONFIG = "data: {test: t.csv, recommendations: {m: l.csv}}\nevaluation: {metrics: [Recall@2]}\nhealth: off\n"
LISTS = "user,item,score\n1,10,2\n2,11,1\n"
READING = [
    "run PATH",
    "validate PATH",
    "check PATH",
    "describe PATH",
    "audit PATH",
    "explain Recall@2 PATH --user 1",
    "gate PATH",
    "track PATH",
    "compare PATH",
    "compare PATH c.yaml",
    "report PATH -o r.md",
    "plot over_k PATH -o r.svg",
    "baseline set PATH",
    "init PATH",
    "init --from PATH",
    "run c.yaml --set data.test=PATH",
    "run c.yaml --set data.test=PATH/",
    "run c.yaml --set data.recommendations.m=PATH",
    "run c.yaml --recs x=PATH",
    "run c.yaml --set evaluation.convention=PATH.yaml",
    "run c.yaml --set evaluation.metrics=[nDCG(convention=PATH.yaml)@2]",
    "run c.yaml --plugin PATH.py",
    "report c.yaml --template PATH.j2 -o x.txt",
]
WRITING = [
    "run c.yaml -o PATH.json",
    "run c.yaml -o PATH/",
    "run c.yaml --set output.dir=PATH",
    "run c.yaml --store-failures PATH",
    "report c.yaml -o PATH.md",
    "plot over_k c.yaml -o PATH.svg",
    "init t.csv l.csv -o PATH",
    "init --demo PATH",
]
CODES = (2, 3)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder with a config and its files, which is the working folder."""
    for name, content in {"c.yaml": CONFIG, "t.csv": "user,item\n1,10\n2,11\n", "l.csv": LISTS}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands(path):
    return [[part.replace("PATH", path) for part in command.split()] for command in (*READING, *WRITING)]


def unprivileged():
    """Return how a command runs as a user without special rights; root has rights to give up."""
    if os.geteuid():
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root may read everything, and has no setpriv to give that up")
    rights = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}"]


def test_every_command_refuses_an_unreadable_folder_in_one_sentence(here):
    locked = here / "locked"
    locked.mkdir()
    for name in ("c.yaml", "l.csv", "p.py"):
        (locked / name).write_text(CONFIG)
    given = [*commands("locked/c.yaml"), ["init", "locked"], ["compare", "locked"], ["run", "c.yaml", "-o", "locked/"]]
    program = [*unprivileged(), sys.executable, str(Path(__file__).with_name("unprivileged.py")), json.dumps(given)]
    locked.chmod(0)
    try:
        if not os.geteuid():  # a process that gave up its rights may still read its own files
            os.chown(locked, 65534, 65534)
        done = json.loads(subprocess.run(program, capture_output=True, text=True, check=True, timeout=300).stdout)
    finally:
        locked.chmod(0o700)
    for arguments, (code, said) in zip(given, done, strict=True):
        assert code in CODES, (arguments, said)
        assert "Traceback" not in said


@pytest.mark.parametrize("path", ["x" * 300, "below/" + "y/" * 3000, "a\0b", "\udcff\udcfe"], ids=["long", "deep", "NUL", "not UTF-8"])
def test_every_command_refuses_an_impossible_file_name_in_one_sentence(path, here, receval):
    writable = path.startswith("\udcff")
    for command in (*READING, *(() if writable else WRITING)):
        code, _, err = receval(*(part.replace("PATH", path) for part in command.split()))
        assert code in CODES, (command, err)
        assert "Traceback" not in err


@pytest.mark.parametrize("key", ["data.test", "data.test.path", "data.recommendations.m", "output.dir", "evaluation.convention"])
def test_a_config_with_a_nul_character_is_refused(key, here, receval):
    code, _, err = receval("validate", "c.yaml", "--set", f'{key}="a\\0b"')
    assert (code, "NUL" in err) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_deleted_working_folder_is_reported_in_one_sentence(here, receval, monkeypatch):
    gone = here / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert receval("run", str(here / "c.yaml"))[0] == 0
    for command in (*READING, *WRITING):
        code, _, err = receval(*(part.replace("PATH", "p") for part in command.split()))
        assert code in (2, 3, 4), (command, err)
        assert "Traceback" not in err
    failure = system_error(FileNotFoundError(errno.ENOENT, "No such file or directory"))
    assert (failure.exit_code, failure.message) == (4, "the working folder no longer exists")


def pipe_in(monkeypatch, text):
    """Put a text into standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@contextmanager
def no_room():
    """Limit files to 20 kB, as on a full disk."""
    before, ignored = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("kind", ["stdin", "pipe", "encoding", "json"])
def test_a_full_disk_for_temporary_files_is_a_machine_error(kind, here, receval, monkeypatch):
    rows = [(user, 10, 1.5) for user in range(5000)]
    text = "user,item,score\n" + "".join(f"{user},{item},{score}\n" for user, item, score in rows)
    (here / "big.csv").write_text(text)
    (here / "big.json").write_text(json.dumps([{"user": user, "item": item, "score": score} for user, item, score in rows]))
    arguments = ["run", "c.yaml"]
    match kind:
        case "stdin":
            pipe_in(monkeypatch, text)
            arguments += ["--recs", "x=-"]
        case "pipe":
            os.mkfifo("pipe")
            threading.Thread(target=lambda: _fill(here / "pipe", text), daemon=True).start()
            arguments += ["--recs", "x=pipe"]
        case "encoding":
            arguments += ["--set", "data.recommendations.m={path: big.csv, encoding: latin-1}"]
        case "json":
            arguments += ["--set", "data.recommendations.m=big.json"]
    with no_room():
        code, _, err = receval(*arguments)
    assert (code, "temporary files cannot be written" in err, "Traceback" in err) == (4, True, False), err


def _fill(pipe, text):
    with suppress(BrokenPipeError):
        pipe.write_text(text)


def test_an_unwritable_folder_for_temporary_files_is_a_machine_error(here, receval, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(here / "missing"))
        pipe_in(patch, LISTS)
        code, _, err = receval("run", "c.yaml", "--recs", "x=-")
    assert (code, "temporary files cannot be written" in err) == (4, True)
    assert receval("run", "c.yaml")[0] == 0


@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson", "arrow"])
def test_a_file_name_that_looks_like_a_pattern_is_read_literally(ending, here, receval):
    import polars as pl

    right = pl.DataFrame({"user": [1, 2], "item": [10, 11], "score": [1.0, 2.0]})
    other = pl.DataFrame({"user": ["a"], "item": ["b"], "rank": [1], "more": [0.5]})
    for frame, name in ((right, "l[1]"), (other, "l1")):
        write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "ndjson": frame.write_ndjson, "arrow": frame.write_ipc}[ending]
        write(f"{name}.{ending}")
    code, out, err = receval("run", "c.yaml", "--set", f"data.recommendations={{m: 'l[1].{ending}'}}", "--format", "csv")
    assert (code, ",m,Recall@2,Recall,2,mean,,,,,1.0," in out) == (0, True), err


@pytest.mark.parametrize("given", ["'*.csv'", "['lists/']", "{m: lists/}", "{m: {path: 'lists/*.csv', format: csv}}"])
def test_a_file_name_that_is_not_valid_text_is_refused_everywhere(given, here, receval):
    (here / "lists").mkdir()
    for folder in (here, here / "lists"):
        (folder / "\udcff.csv").write_text(LISTS)
    for command in ("run", "check", "describe"):
        code, _, err = receval(command, "c.yaml", "--set", f"data.recommendations={given}")
        assert (code, "is not UTF-8 text," in err) == (3, True), err
    assert receval("init")[0] == 3


@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson", "arrow"])
def test_a_working_folder_whose_name_is_not_valid_text_can_be_used(ending, here, receval, monkeypatch):
    import polars as pl

    folder = here / "\udcff"
    folder.mkdir()
    for name in ("c.yaml", "t.csv"):
        shutil.copy(here / name, folder)
    monkeypatch.chdir(folder)
    frame = pl.DataFrame({"user": [1, 2], "item": [10, 11], "score": [1.0, 2.0]})
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "ndjson": frame.write_ndjson, "arrow": frame.write_ipc}[ending]
    write(f"l.{ending}")
    code, out, err = receval("run", "c.yaml", "--set", f"data.recommendations={{m: l.{ending}}}", "--format", "csv")
    assert (code, ",m,Recall@2,Recall,2,mean,,,,,1.0," in out) == (0, True), err
