"""Processes that measure do what threads do, and end with the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from receval.engines import processes
from receval.engines.part import Part
from receval.engines.processes import Processes, n_processes, worth_starting
from receval.support.errors import DataError, MachineError

from tests.engines import work

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
FRAME = pl.DataFrame({"user": ["a", "b"], "item": [1, 2], "score": [0.5, None], "is": [True, False], "lists": [[1, 2], []]})


def parts(n):
    return iter(
        [Part(FRAME.with_columns(number=pl.lit(number)), {"test": FRAME.head(number % 2)}, np.array([0, 1])) for number in range(n)]
    )


@pytest.fixture(scope="module")
def two():
    with Processes(2, work.__name__) as some:
        yield some


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_results_come_in_the_order_of_the_parts_from_other_processes(two, n):
    found = list(two.measure(work.number_and_process, parts(n)))
    assert [number for number, _ in found] == list(range(n))
    assert os.getpid() not in {process for _, process in found}


def test_a_part_arrives_as_it_was_sent(two):
    for part, (lists, sides, starts) in zip(parts(3), two.measure(work.everything, parts(3)), strict=True):
        assert lists.equals(part.lists)
        assert sides["test"].equals(part.sides["test"])
        assert lists.schema == part.lists.schema
        assert sides["test"].schema == FRAME.schema
        assert starts.tolist() == [0, 1]


def test_an_error_of_a_part_is_raised_here_with_its_hint(two):
    with pytest.raises(DataError, match="part 3 is odd") as raised:
        list(two.measure(partial(work.fail_at, 3), parts(9)))
    assert raised.value.hint == "write another"
    assert len(list(two.measure(work.number_and_process, parts(4)))) == 4


def test_an_error_that_cannot_travel_comes_as_its_text(two):
    with pytest.raises(RuntimeError, match="Unsendable: of part 0"):
        list(two.measure(work.fail_unsendably, parts(2)))


def test_what_is_printed_meanwhile_does_not_get_between_answers(two):
    assert len(list(two.measure(work.print_something, parts(3)))) == 3


def test_work_that_only_this_process_knows_is_done_in_it(two):
    def here(part):
        return os.getpid()

    assert set(two.measure(here, parts(3))) == {os.getpid()}


@pytest.mark.parametrize("n_started", [0, 1])
def test_a_machine_without_room_for_all_processes_has_fewer(n_started, monkeypatch):
    started = []

    def start(module):
        if len(started) == n_started:
            raise OSError("no room")
        started.append(start_one(module))
        return started[-1]

    start_one = processes._Process
    monkeypatch.setattr(processes, "_Process", start)
    with Processes(3, work.__name__) as some:
        assert some.n == n_started
        assert [number for number, _ in some.measure(work.number_and_process, parts(3))] == [0, 1, 2]


@posix
def test_a_process_that_is_killed_is_one_sentence():
    with Processes(2, work.__name__) as some, pytest.raises(MachineError) as raised:
        list(some.measure(partial(work.kill_itself, os.getpid()), parts(5)))
    assert raised.value.message == "a worker process ended before its work was done (signal 9)"


@posix
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_the_processes_end_with_the_one_that_started_them(name, tmp_path):
    program = """
from receval.engines.processes import Processes
from tests.engines import work
from tests.engines.test_processes import parts
with Processes(2, work.__name__) as some:
    list(some.measure(work.sleep_and_tell, parts(6)))
"""
    environment = {**os.environ, "TOLD": str(tmp_path)}
    started = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[2], env=environment, stderr=subprocess.DEVNULL)
    _until(lambda: len(list(tmp_path.iterdir())) == 2)
    started.send_signal(signal.Signals[name])
    started.wait(20)
    _until(lambda: not any(_runs(int(path.name)) for path in tmp_path.iterdir()))


def _until(reached):
    deadline = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _runs(process: int) -> bool:
    """Return whether a process runs; one that has ended and is not yet buried does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text() if Path("/proc").is_dir() else not os.kill(process, 0)
    except OSError:
        return False


@pytest.mark.parametrize(
    ("asked", "memory", "n_threads", "expected"),
    [
        (None, 8 * 10**9, 2, 0),  # reading and two threads keep two cores busy
        (None, 8 * 10**9, 4, 2),
        (None, 8 * 10**9, 16, 14),
        (None, 10**9, 16, 2),
        (None, 10**8, 16, 0),
        (None, 10**12, 128, 32),
        (3, None, 1, 3),
        (0, None, 16, 0),
    ],
)
def test_cores_and_memory_decide_how_many_processes_have_room(asked, memory, n_threads, expected, monkeypatch):
    monkeypatch.setattr(processes.pl, "thread_pool_size", lambda: n_threads)
    assert n_processes(asked, memory) == expected


@pytest.mark.parametrize(("n_rows", "expected"), [(0, 0), (3_999_999, 0), (4_000_000, 2), (20_000_000, 10)])
def test_few_rows_are_not_worth_a_process(n_rows, expected):
    assert worth_starting(n_rows) == expected


@pytest.mark.parametrize("program", ["", None, "/usr/sbin/uwsgi"])
def test_a_program_that_embeds_python_starts_none(program, monkeypatch):
    monkeypatch.setattr(sys, "executable", program)
    assert n_processes(4) == 0
