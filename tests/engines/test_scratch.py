"""Temporary files are removed afterwards."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys

import pytest
from receval.engines import Scratch
from receval.support.errors import MachineError

from .collecting import parts_of, table

HOLD = """
import sys, time
from pathlib import Path
from receval.engines import Scratch
with Scratch(Path(sys.argv[1])) as scratch:
    (scratch.folder / "rows").write_text("much")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Start another process that holds a folder."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_no_folder_is_made_before_it_is_needed(tmp_path):
    with Scratch(tmp_path) as scratch:
        assert not list(tmp_path.iterdir())
        (scratch.folder / "rows").write_text("much")
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_is_removed_after_an_exception(tmp_path):
    def fail():
        with Scratch(tmp_path) as scratch:
            (scratch.folder / "rows").write_text("much")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_folder_is_removed_after_a_signal_that_ends_the_process(number, tmp_path, holder):
    holder.send_signal(number)
    assert holder.wait(10) == -number
    assert not list(tmp_path.iterdir())


def test_the_next_run_removes_only_the_leftovers_of_a_killed_run(tmp_path, holder):
    other = tmp_path / "receval-text"
    other.mkdir()
    with Scratch(tmp_path) as scratch:
        assert scratch.folder
        assert len(list(tmp_path.iterdir())) == 3, "the other process lives"
    holder.kill()
    holder.wait()
    (left,) = tmp_path.glob("receval-parts-*")
    assert (left / "rows").exists()
    with Scratch(tmp_path) as scratch:
        folder = scratch.folder
        assert set(tmp_path.iterdir()) == {folder, other}
    assert list(tmp_path.iterdir()) == [other]


def test_signal_handlers_are_restored(tmp_path):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    with Scratch(tmp_path) as scratch:
        assert scratch.folder
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


def test_a_full_disk_is_reported_in_one_sentence(tmp_path):
    lists = table([number % 100 for number in range(20_000)])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        with pytest.raises(MachineError, match="temporary files cannot be written") as caught:
            parts_of(lists, rows_per_part=2_000, memory=1, scratch=Scratch(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert "TMPDIR" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_reported_in_one_sentence(tmp_path):
    missing = tmp_path / "missing"
    with pytest.raises(MachineError, match="temporary files cannot be written"):
        parts_of(table([number % 100 for number in range(2000)]), rows_per_part=200, memory=1, scratch=Scratch(missing))
