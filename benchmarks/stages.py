"""Measure the stages of a run: what one core must do, and what any number of cores share.

    python benchmarks/stages.py                 # 20 million rows in order; makes benchmarks/data once
    python benchmarks/stages.py shuffled 16     # a row of run.py, and the number of cores to calculate for

Prints processor time by stage, with two processes that measure (`engine.workers`) and two threads that sort, and the time that follows
for a number of cores: one core starts, cuts, merges and ends; all cores share reading, sorting, sending and measuring. It is a lower bound,
without waiting and page faults. The largest process is one that measures.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import run
from receval.cli.main import main
from receval.engines import partitions, processes
from receval.evaluation import running

N_PROCESSES: Final = 2


class Stages:
    """Processor seconds by stage, added up over threads."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._lock = threading.Lock()

    def timed(self, name: str, function: Callable[..., Any], clock: Callable[[], float] = time.thread_time) -> Callable[..., Any]:
        """Return the function, whose time is added to a stage."""

        def call(*arguments: Any, **options: Any) -> Any:
            start = clock()
            try:
                return function(*arguments, **options)
            finally:
                with self._lock:
                    self.seconds[name] = self.seconds.get(name, 0.0) + clock() - start

        return call


def measure(config: str) -> dict[str, float]:
    """Run a config in this process, and return the processor seconds of each stage."""
    stages, began, before = Stages(), time.process_time(), children_seconds()
    processes._packed = stages.timed("send", processes._packed)
    processes._send = stages.timed("send", processes._send)
    processes._receive = stages.timed("receive", processes._receive)
    partitions.n_sorting = lambda: N_PROCESSES
    whole = stages.timed("all of the pass", running._measure_on_this_machine, time.process_time)
    running._measure_on_this_machine = stages.timed("cut and merge", whole)
    if main(["run", config, "-q", "--set", f"engine.workers={N_PROCESSES}"]):
        raise SystemExit(1)
    found, serial, in_processes = stages.seconds, stages.seconds["cut and merge"], children_seconds() - before
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000  # later ones would begin with the memory of this process
    print(f"{'largest process':18}{largest:7,} MB")
    return {
        "start and end": time.process_time() - began - found["all of the pass"] + time_to_import(),
        "cut and merge": serial,
        "read and sort": found["all of the pass"] - serial - found["send"] - found["receive"],
        "send and receive": found["send"] + found["receive"],
        "measure": in_processes - N_PROCESSES * time_to_import(),
    }


def time_to_import() -> float:
    """Return the processor seconds that a process of receval takes before its first work."""
    before = children_seconds()
    with processes.Processes(1, running.PassTask.__module__) as one:
        one._all[0].ask(b"\x80\x05N.")  # a pickled None: loaded once the modules are
    return children_seconds() - before


def children_seconds() -> float:
    """Return the processor seconds of all processes that this one started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def report(name: str, n_cores: int) -> None:
    """Print the stages of a row of the table, and what follows for a number of cores."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(run.config_of(run.CASES[name], Path(folder)))
    for stage, seconds in found.items():
        print(f"{stage:18}{seconds:7.2f} s")
    shared = found["read and sort"] + found["send and receive"] + found["measure"]
    bound = found["start and end"] + max(found["cut and merge"], shared / n_cores)
    print(f"with {n_cores} cores at least {bound:.2f} s")


if __name__ == "__main__":
    report(sys.argv[1] if len(sys.argv) > 1 else "parquet", int(sys.argv[2]) if len(sys.argv) > 2 else 16)
