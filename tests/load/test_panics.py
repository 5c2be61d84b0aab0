"""Files that make Polars panic: every command refuses them in one sentence, and no rows are lost silently."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest
from receval.load.opening import batches
from receval.load.scan import ReadOptions
from receval.load.source_file import SourceFile
from receval.load.typed import stored_schema

pa = pytest.importorskip("pyarrow")
SCORES = pa.array([1.0, 2.0])
UNREADABLE = {
    "run-end encoded": {"user": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array([1, 2]))},
    "list view": {"item": lambda: pa.array([[10], [11]], pa.list_view(pa.int64())), "score": lambda: pa.array([[1.0], [2.0]])},
    "wide decimal": {"score": lambda: pa.array([1, 2]).cast(pa.decimal256(50, 2))},
    "interval": {"score": lambda: pa.array([(1, 2, 3), (1, 2, 3)], pa.month_day_nano_interval())},
    "union": {"score": lambda: pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [SCORES, pa.array(["a", "b"])])},
    "map": {"item": lambda: pa.array([[(1, 2)], [(3, 4)]], pa.map_(pa.int64(), pa.int64()))},
}
READABLE = {
    "string view": {"user": lambda: pa.array(["1", "2"], pa.string_view())},
    "dictionary": {"user": lambda: pa.array(["1", "2"]).dictionary_encode()},
    "wide decimal that nothing reads": {"weight": lambda: pa.array([1, 2]).cast(pa.decimal256(50, 2))},
}
COMMANDS = ["run c.yaml", "check c.yaml", "describe c.yaml", "audit c.yaml", "explain Recall@2 c.yaml --user 1", "init l.arrow t.csv"]


@pytest.fixture
def lists(tmp_path, monkeypatch):
    """Return a function that writes lists with columns of some types, and their config."""

    def lists(columns):
        made = {"user": pa.array([1, 2]), "item": pa.array([10, 11]), "score": SCORES} | {name: make() for name, make in columns.items()}
        table = pa.table(made)
        with pa.ipc.new_file("l.arrow", table.schema) as file:
            file.write_table(table)

    (tmp_path / "t.csv").write_text("user,item\n1,10\n2,11\n")
    (tmp_path / "c.yaml").write_text("data: {test: t.csv, recommendations: {m: l.arrow}}\nevaluation: {metrics: [Recall@2]}\n")
    monkeypatch.chdir(tmp_path)
    return lists


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_type_that_cannot_be_read_is_refused_in_a_sentence_by_every_command(name, lists, receval, monkeypatch):
    monkeypatch.setenv("RECEVAL_DEBUG", "0")  # like the command line
    lists(UNREADABLE[name])
    for command in COMMANDS:
        code, _, err = receval(*command.split())
        assert (code, "panicked" in err, "Traceback" in err) == (3, False, False), (command, err)
        assert "l.arrow: " in err, (command, err)
        assert command.startswith("init") or len(err.splitlines()) == 2, (command, err)


@pytest.mark.each_once
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("columns", [["user", "item"], ["user"], ["item"]])
def test_compressed_string_view_without_long_texts_is_refused_by_every_command(columns, compression, lists, receval, monkeypatch):
    """Use a file at which Polars 2.1 panics, because there is no buffer of long texts to decompress."""
    monkeypatch.setenv("RECEVAL_DEBUG", "0")
    lists({})
    views = {"user": pa.array(["1", "2"], pa.string_view()), "item": pa.array(["10", "11"], pa.string_view())}
    made = {"user": pa.array([1, 2]), "item": pa.array([10, 11]), "score": SCORES} | {name: views[name] for name in columns}
    table = pa.table(made)
    with pa.ipc.new_file("l.arrow", table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table)
    for command in COMMANDS:
        code, _, err = receval(*command.split())
        assert (code, "panicked" in err, "Traceback" in err) == (3, False, False), (command, err)
        assert command.startswith("init") or "text (string, not string_view)" in err, (command, err)


@pytest.mark.parametrize("name", READABLE)
def test_readable_types_are_read(name, lists, receval):
    lists(READABLE[name])
    code, out, err = receval("run", "c.yaml", "--format", "csv", "--set", "health=off")
    assert (code, ",m,Recall@2,Recall,2,mean,,,,,1.0," in out) == (0, True), err


@pytest.mark.parametrize("arguments", [[], ["--debug"]])
def test_the_output_of_a_panic_is_shown_only_with_debug(arguments, lists):
    lists(UNREADABLE["run-end encoded"])
    done = subprocess.run([sys.executable, "-m", "receval", *arguments, "run", "c.yaml"], capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert ("panicked" in done.stderr, "Traceback" in done.stderr) == (bool(arguments), bool(arguments)), done.stderr


def test_the_output_of_a_library_that_is_not_a_panic_is_shown(lists, monkeypatch, capfd):
    lists({})
    monkeypatch.setenv("RECEVAL_DEBUG", "0")
    read = pl.read_ipc_schema

    def talks(path):
        os.write(2, b"a word\n" * 20_000)  # more than a pipe holds
        return read(path)

    monkeypatch.setattr(pl, "read_ipc_schema", talks)
    assert list(stored_schema("l", SourceFile.from_path(Path("l.arrow")), "ipc", ReadOptions())) == ["user", "item", "score"]
    assert capfd.readouterr().err.startswith("a word\na word\n")


def test_a_panic_while_reading_is_raised(lists, capfd):
    """Guard against `LazyFrame.collect_batches`, which ends at a panic as if there were no more rows."""
    lists(UNREADABLE["wide decimal"])
    with pytest.raises(pl.exceptions.PanicException):
        list(batches(pl.scan_ipc("l.arrow"), 1))


def test_batches_have_all_rows_in_order_and_an_error_is_raised_at_its_row():
    frame = pl.LazyFrame({"n": range(10)})
    assert pl.concat(batches(frame, 3))["n"].to_list() == [*range(10)]
    assert [batch.height for batch in batches(frame, 100)] == [10]
    assert sum(batch.height for batch in batches(frame.head(0), 3)) == 0
    with pytest.raises(pl.exceptions.InvalidOperationError):
        list(batches(frame.select(pl.lit("x").cast(pl.Int64)), 3))


def test_an_abandoned_reader_ends_its_thread(tmp_path):
    before = threading.active_count()
    rows = batches(pl.LazyFrame({"n": range(100_000)}), 10)
    next(rows)
    assert threading.active_count() == before + 1
    rows.close()
    assert threading.active_count() == before
