"""Resources of the machine: memory, a folder for temporary files, and threads that work in parallel."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import chain, islice
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final, TypeVar

import polars as pl

from ..support.errors import ending_signals
from ..support.temporary import PARTS, OwnFolder, remove_leftovers

_UNKNOWN_MACHINE: Final = 8 * 10**9
"""Memory in bytes if the machine does not report it."""


@cache
def default_memory(root: Path = Path("/")) -> int:
    """Return a quarter of the memory of the machine, or of the container (cgroup) of this process.

    `root` is the folder that contains `proc` and `sys`.
    """
    return min([_machine_memory(), *_limits(root)]) // 4


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN_MACHINE


def _limits(root: Path) -> list[int]:
    """Return the memory limits of the cgroups of this process and of their parents; a text that is not a number is not a limit."""
    files = []
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            folder, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        group = Path(path.lstrip("/"))
        files += [folder / part / name for part in (group, *group.parents)]
    return [int(text) for file in files if (text := _text(file).strip()).isdecimal()]


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


class Scratch:
    """A folder for temporary files, created at first use and removed on exit.

    A process that was killed cannot remove its folder. A lock on the folder ends with the process, so the next run recognises leftovers:
    entering the context removes all leftovers of the same person, even if no folder is needed. `parent` is its parent folder, by default
    that of temporary files (`TMPDIR`). SIGTERM and SIGHUP, if the program has no handler for them, remove the folder and end the process.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._own: OwnFolder | None = None
        self._restore_signal: Callable[[], None] = lambda: None

    def __enter__(self) -> Scratch:
        remove_leftovers(self._parent or Path(tempfile.gettempdir()))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.clear()

    @property
    def folder(self) -> Path:
        """Folder, created at first use; `OSError` if it cannot be created."""
        if self._own is None:
            self._own = OwnFolder(f"{PARTS}{os.getpid()}-", self._parent or Path(tempfile.gettempdir()))
            self._restore_signal = _on_end(self.clear)
        return self._own.path

    def clear(self) -> None:
        """Remove the folder, if there is one; the next use creates a new one."""
        own, self._own = self._own, None
        if own is not None:
            own.remove()
        self._restore_signal()
        self._restore_signal = lambda: None


def _on_end(clear: Callable[[], None]) -> Callable[[], None]:
    """Let signals that end the process clear before, unless the program has handlers of its own; return a function that undoes this."""
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [number for number in ending_signals() if is_main and signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        clear()
        os.kill(os.getpid(), number)

    for number in numbers:
        signal.signal(number, end)

    def restore() -> None:
        for number in numbers:
            if signal.getsignal(number) is end:
                signal.signal(number, signal.SIG_DFL)

    return restore


MOST_THREADS: Final = 2
"""More parts at a time would take more memory and wait for each other: only work inside NumPy and Polars runs in parallel."""
S = TypeVar("S")
T = TypeVar("T")


def n_polars_threads() -> int:
    """Return the number of threads of Polars, which `POLARS_MAX_THREADS` limits."""
    return pl.thread_pool_size()


def side_by_side(work: Callable[[S], T], pieces: Iterator[S], n_threads: int | None = None) -> Iterator[T]:
    """Yield the result of `work` for each piece, in the order of the pieces; a single piece runs in the caller's thread.

    `n_threads` pieces are worked on in parallel, by default two if Polars has two threads or more. Errors of `pieces` or `work` are raised
    at once.
    """
    first = list(islice(pieces, 2))
    n = min(MOST_THREADS, pl.thread_pool_size()) if n_threads is None else n_threads
    if len(first) < 2 or n < 2:
        yield from map(work, chain(emptied(first), pieces))
        return
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(n) as pool:
        for piece in chain(emptied(first), pieces):
            waiting.append(pool.submit(work, piece))
            del piece
            if len(waiting) > n - 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def emptied(pieces: list[S]) -> Iterator[S]:
    """Yield the pieces of a list and remove them from it, so that their memory is freed."""
    while pieces:
        yield pieces.pop(0)
