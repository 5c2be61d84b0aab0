"""A run with processes that measure: whatever ends it, it prints one sentence and leaves nothing behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.sizes import some

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="this system does not list processes")]

IN_SMALL_PARTS = """
import sys
from functools import partial
from receval.cli.main import main
from receval.evaluation import running
from receval.engines import partitions
running.whole_users = partial(running.whole_users, rows_per_part=2000)
partitions.n_sorting = lambda: 3
sys.exit(main())
"""
N_USERS = 60_000
N_PROCESSES = 2


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Return a folder with a config, a test file, and shuffled lists that need temporary files and some seconds."""
    return write_files(tmp_path_factory.mktemp("files"), N_USERS)


@pytest.fixture(scope="module")
def smaller_files(tmp_path_factory) -> Path:
    """Return such a folder for runs that nothing interrupts: as many processes, in a fraction of the time."""
    return write_files(tmp_path_factory.mktemp("smaller"), N_USERS // 6)


def write_files(folder: Path, n_users: int) -> Path:
    chance = np.random.default_rng(3)
    users = np.repeat(np.arange(n_users), 10)
    lists = pl.DataFrame({"user": users, "item": (users * 31 + np.tile(np.arange(10), n_users)) % 1000})
    lists.sample(fraction=1, shuffle=True, seed=3).write_parquet(folder / "lists.parquet")
    pl.DataFrame({"user": np.arange(n_users), "item": chance.integers(0, 1000, n_users)}).write_parquet(folder / "test.parquet")
    (folder / "config.yaml").write_text(
        "data: {test: test.parquet, recommendations: {model: lists.parquet}}\n"
        "evaluation: {metrics: [nDCG, Recall], top_k: [5, 10]}\nhealth: off\n"
        f"engine: {{memory: {n_users // 12}KB, workers: {N_PROCESSES}}}\n"
    )
    return folder


@contextmanager
def started(files: Path, scratch: Path) -> Iterator[subprocess.Popen[str]]:
    """Start the run in a group of its own, which a test can interrupt as a terminal does."""
    scratch.mkdir(exist_ok=True)
    command = [sys.executable, "-c", IN_SMALL_PARTS, "run", str(files / "config.yaml"), "-q", "-o", f"{scratch.parent}/out/"]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0) as process:
        try:
            yield process
        finally:
            process.kill()


def children(process: int) -> list[int]:
    """Return the processes that a process has started and that run."""
    try:
        lists = [task.joinpath("children").read_text() for task in Path(f"/proc/{process}/task").iterdir()]
    except OSError:
        return []
    return [int(number) for line in lists for number in line.split()]


def until(reached) -> None:
    deadline = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def at_work(process: subprocess.Popen[str], scratch: Path) -> list[int]:
    """Wait until rows are in temporary files and return the processes that measure."""
    until(lambda: any(scratch.glob("*/*.arrow")) or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    measuring = children(process.pid)
    assert len(measuring) == N_PROCESSES
    return measuring


def runs(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


@pytest.mark.release
@pytest.mark.parametrize(
    ("name", "code", "message"),
    some([("SIGINT", 130, "receval: interrupted\n"), ("SIGTERM", 128 + 15, ""), ("SIGHUP", 128 + 1, ""), ("SIGKILL", -9, "")], 2),
)
def test_a_signal_ends_all_processes_and_leaves_no_file(name, code, message, files, tmp_path):
    scratch = tmp_path / "scratch"
    with started(files, scratch) as process:
        measuring = at_work(process, scratch)
        os.killpg(process.pid, signal.Signals[name])
        out, err = process.communicate(timeout=30)
    until(lambda: not any(map(runs, measuring)))
    assert process.returncode in (code, -signal.Signals[name])
    assert (out, err) == ("", message)
    if name != "SIGKILL":  # what that one left is removed by the next run
        assert not [*scratch.iterdir(), *tmp_path.glob("out/*")]


@pytest.mark.release
def test_the_next_run_removes_what_a_killed_one_left_and_gives_the_result(files, smaller_files, tmp_path):
    scratch = tmp_path / "scratch"
    with started(files, scratch) as process:
        at_work(process, scratch)
        process.kill()
    assert list(scratch.iterdir())
    with started(smaller_files, scratch) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, list(scratch.iterdir())) == (0, "", []), err
    assert (tmp_path / "out" / "results.json").exists()


def test_a_process_that_is_killed_is_a_machine_error(files, tmp_path):
    scratch = tmp_path / "scratch"
    with started(files, scratch) as process:
        os.kill(at_work(process, scratch)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (4, "")
    assert "a worker process ended before its work was done (signal 9)" in err
    assert "set engine.workers to a lower number" in err
    assert not [*scratch.iterdir(), *tmp_path.glob("out/*")]


@pytest.mark.release
def test_a_full_disk_is_a_machine_error(files, tmp_path):
    before, ignored = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
        with started(files, tmp_path / "scratch") as process:
            out, err = process.communicate(timeout=60)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert (process.returncode, out) == (4, "")
    assert "File too large" in err
    assert not [*(tmp_path / "scratch").iterdir(), *tmp_path.glob("out/*")]


@pytest.mark.release
@pytest.mark.parametrize("limit", some([2_000_000, 3_000_000], 1))
def test_under_a_limit_on_address_space_it_gives_the_result_or_one_sentence(limit, smaller_files, tmp_path):
    command = [sys.executable, "-c", IN_SMALL_PARTS, "run", str(smaller_files / "config.yaml"), "--format", "csv"]
    shell = ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", *command]
    done = subprocess.run(shell, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.count("\n")) in ((0, 5), (4, 0)), done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
