"""Measurement of whole processes in turn, and the lines of a table that compares them."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

HEADER = "| what | floor, s | receval, s | ratio | at most | floor, MB | receval, MB |\n|---|---:|---:|---:|---:|---:|---:|"


class Measurement(NamedTuple):
    """Time and largest resident memory of a process."""

    seconds: float
    megabytes: float
    processor: float


def measure(command: Sequence[str]) -> Measurement:
    """Run a command to its end, with compiled Python files like an installed program; raise `SystemExit` if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
    return Measurement(time.perf_counter() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


def in_turn(floor: Sequence[str], command: Sequence[str], repeats: int, *, processor: bool = False) -> tuple[Measurement, Measurement]:
    """Return median time and largest memory of both; they take turns, so that a slow moment of the machine affects both.

    With `processor` the seconds are those of the processor, which other work changes less.
    """
    measure(floor)  # the first reading fills the page cache
    runs = [(measure(floor), measure(command)) for _ in range(repeats)]
    if processor:
        runs = [(run._replace(seconds=run.processor), other._replace(seconds=other.processor)) for run, other in runs]
    return _summary([pair[0] for pair in runs]), _summary([pair[1] for pair in runs])


def median(command: Sequence[str], repeats: int) -> Measurement:
    """Return median time and largest memory of a command."""
    return _summary([measure(command) for _ in range(repeats)])


def _summary(runs: Sequence[Measurement]) -> Measurement:
    seconds, processor = (statistics.median(getattr(run, name) for run in runs) for name in ("seconds", "processor"))
    return Measurement(seconds, max(run.megabytes for run in runs), processor)


def line(name: str, target: str, floor: Measurement, run: Measurement) -> str:
    """Return one line of the table."""
    ratio = run.seconds / floor.seconds
    return f"| {name} | {floor.seconds:.2f} | {run.seconds:.2f} | {ratio:.2f} | {target} | {floor.megabytes:,.0f} | {run.megabytes:,.0f} |"


def receval(*arguments: str) -> list[str]:
    """Return a command of receval."""
    return [sys.executable, "-m", "receval.cli", *arguments]
