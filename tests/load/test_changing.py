"""Files that change while they are read are refused in one sentence, at any time and for any change."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from blake3 import blake3
from receval import load_config
from receval import run as evaluate
from receval.evaluation import files, running
from receval.load import sniff, source_file
from receval.support.errors import DataError

from tests.load.conftest import look_at
from tests.sizes import each_once

CHANGES: dict[str, Callable[[Path], object]] = {
    "grown": lambda path: path.open("ab").write(b"9,9,9\n"),
    "cut": lambda path: os.truncate(path, 20),
    "emptied": lambda path: os.truncate(path, 0),
    "rewritten": lambda path: path.write_bytes(path.read_bytes().replace(b"0.9", b"0.1")),
    "replaced": lambda path: (path.with_name("new").write_bytes(path.read_bytes()), path.with_name("new").replace(path)),
    "removed": os.unlink,
    "a folder now": lambda path: (path.unlink(), path.mkdir()),
}
FRAME = pl.DataFrame({"user": [1, 1, 2, 2], "item": [10, 99, 98, 12], "score": [0.9, 0.8, 0.7, 0.6]})
WRITE = {"csv": "write_csv", "ndjson": "write_ndjson", "parquet": "write_parquet", "arrow": "write_ipc"}


@pytest.fixture
def config(write, tmp_path):
    """Return a function that writes a config with lists in a file of some format."""

    def config(ending="csv"):
        write("test.csv", "user,item\n1,10\n2,12\n")
        getattr(FRAME, WRITE[ending])(tmp_path / f"lists.{ending}")
        text = f"data: {{test: test.csv, recommendations: {{m: lists.{ending}}}}}\nevaluation: {{convention: receval, metrics: [MRR]}}\n"
        return write("config.yaml", text), tmp_path / f"lists.{ending}"

    return config


def changing(monkeypatch, module, name, change, path, before=True):
    """Make `change` to `path` when a function is called for the first time."""
    original, done = getattr(module, name), []

    def changed(*arguments, **options):
        if before and not done:
            done.append(change(path))
        made = original(*arguments, **options)
        if not before and not done:
            done.append(change(path))
        return made

    monkeypatch.setattr(module, name, changed)


STEPS = (
    (files, "_read", True),
    (running, "_measure_on_this_machine", True),
    (running, "_measure_on_this_machine", False),
    (running, "describe", True),
    (running, "describe", False),
)
"""Steps of a run; the file changes before or after."""


@pytest.mark.parametrize(
    ("ending", "change", "step"),
    dict.fromkeys(row for turned in range(3) for row in each_once(WRITE, CHANGES, range(len(STEPS)), turned=turned)),
)
def test_a_file_that_changes_between_two_reads_is_refused(ending, change, step, config, monkeypatch):
    path, lists = config(ending)
    module, name, before = STEPS[step]
    changing(monkeypatch, module, name, CHANGES[change], lists, before)
    with pytest.raises(
        DataError, match=rf"^data\.recommendations\.m: .*lists\.{ending} (changed|was removed) while it was read\n  run again"
    ):
        evaluate(load_config(path))


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_while_its_form_is_detected_is_refused(change, config, monkeypatch, tmp_path):
    config()
    changing(monkeypatch, sniff, "head", CHANGES[change], tmp_path / "test.csv")
    with pytest.raises(DataError, match=r"^data\.test: .*test\.csv (changed|was removed) while it was read"):
        look_at("data.test", "interactions", tmp_path / "test.csv")


def test_a_file_that_changes_before_it_is_hashed_is_refused(config, monkeypatch):
    path, lists = config()
    changing(monkeypatch, source_file, "_blocks", CHANGES["rewritten"], lists)
    with pytest.raises(DataError, match="changed while it was read"):
        evaluate(load_config(path))


def test_the_command_line_reports_a_changed_file_in_one_sentence_with_exit_code_3(config, monkeypatch, receval):
    path, lists = config()
    changing(monkeypatch, running, "describe", CHANGES["removed"], lists)
    code, out, err = receval("run", path)
    assert (code, out) == (3, "")
    assert err.startswith("receval: data.recommendations.m: ")
    assert "lists.csv was removed while it was read\n  run again" in err
    assert len(err.splitlines()) == 2


def test_other_failures_of_unchanged_files_keep_their_message(config, write):
    path, _ = config()
    write("lists.csv", "user,item,score\n1,10,0.9\n1,11\n")
    with pytest.raises(DataError, match=r"lists\.csv, line 3"):
        evaluate(load_config(path))


CUT = """
import os, sys
import receval.evaluation.running as running
from receval.cli.main import main
counting = running.FaultTally.add

def add(tally, batch):
    os.truncate(sys.argv[2], 1000)
    return counting(tally, batch)

running.FaultTally.add = add
sys.exit(main(["run", sys.argv[1]]))
"""


@pytest.mark.release
@pytest.mark.parametrize("ending", WRITE)
def test_a_large_file_that_is_truncated_during_a_pass_is_an_error_and_not_a_crash(ending, config, tmp_path):
    path, lists = config(ending)
    n = 3_000_000
    frame = pl.DataFrame({"user": pl.int_range(n, eager=True) // 10, "item": pl.int_range(n, eager=True) % 97})
    getattr(frame, WRITE[ending])(lists)
    done = subprocess.run([sys.executable, "-c", CUT, path, lists], capture_output=True, text=True)
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert "changed while it was read" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["a[1].ndjson", "a*b.ndjson", "what?.ndjson", "a[b/c*.jsonl"])
def test_ndjson_is_read_with_any_characters_in_its_name(name, config, write, receval, tmp_path):
    config()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    FRAME.write_ndjson(tmp_path / name)
    path = write(
        "config.yaml",
        f"data: {{test: test.csv, recommendations: {{m: '{name}'}}}}\nevaluation: {{convention: receval, metrics: [MRR]}}\nhealth: off\n",
    )
    code, out, err = receval("run", path, "--format", "csv")
    assert code == 0, err
    assert ",mean,,,,,0.75," in out


def test_values_belong_to_the_hash_in_the_result(config):
    path, lists = config()
    states = [lists.read_bytes(), lists.read_bytes().replace(b"1,10,0.9", b"1,10,0.1")]
    expected = {f"blake3:{blake3(state).hexdigest()}": value for state, value in zip(states, (0.75, 0.5), strict=True)}
    stop = threading.Event()

    def rewrite():
        for number in itertools.count():
            lists.write_bytes(states[number % 2])
            if stop.wait(0.04):
                return

    writer = threading.Thread(target=rewrite)
    writer.start()
    outcomes = []
    try:
        for _ in range(30):
            try:
                result = evaluate(load_config(path))
            except DataError as error:
                outcomes.append(str(error))
            else:
                (of_lists,) = [source for source in result.inputs if source.role == "data.recommendations.m"]
                outcomes.append((of_lists.files[0].hash, result.rows[0].value))
    finally:
        stop.set()
        writer.join()
    assert all(outcome in expected.items() or "while it was read" in outcome or "is empty" in outcome for outcome in outcomes)
