"""Processes of this machine that measure parts side by side: what the lock of the interpreter lets no threads do.

This process reads, cuts and merges; `benchmarks/stages.py` prints what each stage takes. Parts go to a process through its standard input,
and results come back through its standard output. So nothing is left behind however a run ends: a process whose input ends ends itself.

The pool of `concurrent.futures` does neither: its processes wait on after a run that was killed, and a script without a main guard is run
again in each of them.
"""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from queue import LifoQueue
from struct import Struct as Layout
from typing import IO, Any, Final, TypeVar

import numpy as np
import polars as pl
from msgspec import Struct

from ..support.errors import MachineError
from .part import Part
from .resources import default_memory, side_by_side

T = TypeVar("T")
Work = Callable[[Part], T]

_LEAST_CORES: Final = 4
"""On two cores threads are faster: starting processes takes more than they save."""
_OTHER_CORES: Final = 2
"""Cores for reading, and for cutting and merging."""
_ROWS_PER_PROCESS: Final = 2_000_000
"""Starting a process costs as much as measuring some million rows."""
_BYTES_PER_PROCESS: Final = 400 * 10**6
"""With parts of a million rows a process has 200 MB, with text ids 400 MB; `benchmarks/stages.py` prints it."""
_MOST_PROCESSES: Final = 32
_LARGEST_WORK: Final = 200 * 10**6
"""Every process holds the tables that the work needs beside the parts; larger ones stay in this process, which then measures in threads."""
_PIPE: Final = 1 << 20
_COUNT: Final = Layout("<Q")


def n_processes(asked: int | None = None, memory: int | None = None) -> int:
    """Return how many processes the machine has room for; 0: measure in this process.

    `asked` decides, if it is not `None`. Otherwise the number follows from the cores that Polars uses, which `POLARS_MAX_THREADS` and
    containers limit, and from the `memory` that they may have together, by default half of the machine's.
    """
    if not _can_start():
        return 0
    if asked is not None:
        return min(asked, _MOST_PROCESSES)
    cores, memory = pl.thread_pool_size(), 2 * default_memory() if memory is None else memory
    n = min(cores - _OTHER_CORES, memory // _BYTES_PER_PROCESS, _MOST_PROCESSES)
    return n if cores >= _LEAST_CORES and n > 1 else 0


def worth_starting(n_rows: int) -> int:
    """Return how many processes are worth starting for so many rows of lists."""
    n = n_rows // _ROWS_PER_PROCESS
    return n if n > 1 else 0


def _can_start() -> bool:
    """Return whether `sys.executable` is a Python: a program that embeds Python may be anything else."""
    return "python" in os.path.basename(sys.executable or "").lower()


class _Process:
    """One process, which loads a module while this process goes on."""

    def __init__(self, module: str) -> None:
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)  # an empty one is the working folder
        environment = {**os.environ, "PYTHONPATH": path, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        # A group of its own: Ctrl-C in the terminal is for this process, which then ends the others.
        group = {"process_group": 0} if os.name == "posix" else {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
        code = f"import {module}; from {__name__} import serve; serve()"
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment, **group
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._in, self._out = self._popen.stdin, self._popen.stdout
        for pipe in (self._in, self._out):
            _widen(pipe)
        self._work: bytes | None = None

    def load(self, work: bytes) -> None:
        """Let it load pickled work, unless that is what it loaded last."""
        if self._work is not work:
            self.ask(work)
            self._work = work

    def ask(self, message: object) -> Any:
        """Send a message and return the answer; what failed there is raised here. `MachineError` if the process has ended."""
        try:
            _send(self._in, message)
            failed, answer = _receive(self._out)
        except (EOFError, OSError):
            raise MachineError(
                f"a worker process ended before its work was done ({self._ended()})",
                "there may not be enough memory for all processes: set engine.workers to a lower number, or to 0 for one process",
            ) from None
        if failed:
            raise answer
        return answer

    def _ended(self) -> str:
        code = self._popen.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def end(self) -> None:
        """End it, whatever it does."""
        self._popen.kill()
        self._popen.wait()
        for pipe in (self._in, self._out):
            with suppress(OSError):
                pipe.close()


class Processes:
    """Up to `n` processes, started at once, fewer if the machine has no room for them; leaving the context ends them.

    `module` is imported in them at once, beside this module: it is what the work that comes needs.
    """

    def __init__(self, n: int, module: str) -> None:
        self._all: list[_Process] = []
        with suppress(OSError):
            for _ in range(n):
                self._all.append(_Process(module))
        self.n = len(self._all)
        self._idle: LifoQueue[_Process] = LifoQueue()
        for process in self._all:
            self._idle.put(process)

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._all:
            process.end()

    def measure(self, work: Work[T], parts: Iterator[Part]) -> Iterator[T]:
        """Yield what the work makes of each part, in the order of the parts; in threads of this process where it cannot be elsewhere."""
        elsewhere = self._elsewhere(work)
        return side_by_side(work, parts) if elsewhere is None else side_by_side(elsewhere, parts, self.n)

    def _elsewhere(self, work: Work[T]) -> Work[T] | None:
        """Return what does the work for a part in an idle process, from as many threads as there are processes.

        `None` if other processes cannot load the work, or do not start: a function of a script or of a notebook is known in this process
        only, and large tables would be in memory once per process.
        """
        if not self.n:
            return None
        try:
            content = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
            if len(content) > _LARGEST_WORK:
                return None
            self._all[0].load(content)
        except Exception:
            return None

        def done(part: Part) -> T:
            process = self._idle.get()
            try:
                process.load(content)
                result: T = process.ask(_packed(part))
                return result
            finally:
                self._idle.put(process)

        return done


def serve() -> None:
    """Do work for another process until it closes standard input: the work first, then parts."""
    source, target = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a library prints must not get between answers
    work: Work[Any] | None = None
    while True:
        try:
            message = _receive(source)
        except EOFError:
            return
        try:
            if isinstance(message, bytes):
                work, answer = pickle.loads(message), None
            else:
                assert work is not None
                answer = work(_unpacked(*message))
            failed = False
        except BaseException as error:
            failed, answer = True, _that_travels(error)
        del message
        try:
            _send(target, (failed, answer))
        except OSError:
            return


def _that_travels(error: BaseException) -> BaseException:
    """Return an error that can be pickled: itself, or one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


# Messages


def _send(target: IO[bytes], message: object) -> None:
    """Write a message: how many pieces, their sizes, then the pieces; arrays are written from where they are."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, 5, buffer_callback=buffers.append)
    pieces: Sequence[bytes | memoryview] = [head, *(buffer.raw() for buffer in buffers)]
    sizes = np.array([len(pieces), *(len(piece) for piece in pieces)], np.uint64)
    for piece in (sizes.tobytes(), *pieces):
        rest = memoryview(piece)
        while rest:
            rest = rest[target.write(rest) :]


def _receive(source: IO[bytes]) -> Any:
    """Read a message; `EOFError` at the end."""
    (n,) = _COUNT.unpack(_read(source, _COUNT.size))
    sizes = np.frombuffer(_read(source, _COUNT.size * n), np.uint64)
    head, *buffers = (_read(source, int(size)) for size in sizes)
    return pickle.loads(head, buffers=buffers)


def _read(source: IO[bytes], size: int) -> memoryview:
    content = np.empty(size, np.uint8).data  # not filled with zeros first, as a bytearray is
    rest = content
    while rest:
        n = source.readinto(rest)  # type: ignore[attr-defined]
        if not n:
            raise EOFError
        rest = rest[n:]
    return content


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold more than 64 KiB, where the system can: then both sides wait less often."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


class _Frame(Struct, frozen=True):
    """A frame as it travels: its columns in order, those of numbers without missing values as arrays, which are not copied.

    The others are an Arrow stream in `others`, which is written and read without the lock of the interpreter.
    """

    columns: Mapping[str, Any]
    others: Any

    @classmethod
    def from_frame(cls, frame: pl.DataFrame) -> _Frame:
        """Return a frame as it travels."""
        plain = {column.name: column.to_numpy() for column in frame if _is_plain(column)}
        others = [name for name in frame.columns if name not in plain]
        stream = io.BytesIO()
        if others:
            frame.select(others).write_ipc_stream(stream, compat_level=pl.CompatLevel.oldest())
        return cls({name: plain.get(name) for name in frame.columns}, np.frombuffer(stream.getvalue(), np.uint8) if others else None)

    def frame(self) -> pl.DataFrame:
        """Return the frame."""
        others = pl.DataFrame() if self.others is None else pl.read_ipc_stream(io.BytesIO(self.others.data))
        return pl.DataFrame({name: others[name] if array is None else array for name, array in self.columns.items()})


def _is_plain(column: pl.Series) -> bool:
    return column.dtype.is_numeric() and not column.null_count() and column.n_chunks() == 1


def _packed(part: Part) -> tuple[_Frame, Mapping[str, _Frame], Any]:
    """Return a part as it travels."""
    return _Frame.from_frame(part.lists), {role: _Frame.from_frame(frame) for role, frame in part.sides.items()}, part.starts


def _unpacked(lists: _Frame, sides: Mapping[str, _Frame], starts: Any) -> Part:
    return Part(lists.frame(), {role: frame.frame() for role, frame in sides.items()}, starts)
