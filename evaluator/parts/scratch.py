"""A folder for temporary files that is gone afterwards, whatever happens."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

if sys.platform != "win32":
    import fcntl

_PREFIX: Final = "receval-parts-"


class Scratch:
    """A folder for temporary files, made when first asked for and removed on exit.

    A process that was killed cannot remove its folder. A lock on the folder, which ends with the process, tells the next run that
    the folder is a leftover: making a folder removes all leftovers of the same person. `parent` is the folder to make it in, by
    default that of temporary files (`TMPDIR`). Without a handler for SIGTERM, that signal removes the folder and ends the process.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._folder: Path | None = None
        self._lock: int | None = None
        self._restore_signal: Callable[[], None] = lambda: None

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.clear()

    @property
    def folder(self) -> Path:
        """The folder; `OSError` if it cannot be made."""
        while self._folder is None:
            parent = self._parent or Path(tempfile.gettempdir())
            _remove_leftovers(parent)
            folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent))
            try:
                self._lock = _locked(folder)
            except (BlockingIOError, FileNotFoundError):  # another run took the new folder for a leftover before it was locked
                continue
            if not folder.exists():
                _unlock(self._lock)
                continue
            self._folder = folder
            self._restore_signal = _on_sigterm(self.clear)
        return self._folder

    def clear(self) -> None:
        """Remove the folder, if there is one; the next use makes a new one."""
        folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        _unlock(self._lock)
        self._lock = None
        self._restore_signal()
        self._restore_signal = lambda: None


def _remove_leftovers(parent: Path) -> None:
    """Remove the folders of processes that have ended without doing so."""
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            status = folder.lstat()
        except OSError:
            continue
        if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            continue
        try:
            lock = _locked(folder)
        except OSError:  # its process lives, or it is gone already
            continue
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            _unlock(lock)


def _locked(folder: Path) -> int | None:
    """Lock a folder and return the descriptor that holds the lock until it is closed; None where folders cannot be locked.

    `BlockingIOError` if another process holds the lock; other `OSError` if the folder cannot be opened.
    """
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return descriptor


def _unlock(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)


def _on_sigterm(clear: Callable[[], None]) -> Callable[[], None]:
    """Let SIGTERM clear before it ends the process, unless the program has a handler of its own; return what undoes this."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return lambda: None

    def end(number: int, frame: FrameType | None) -> None:
        clear()
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)

    def restore() -> None:
        if signal.getsignal(signal.SIGTERM) is end:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    return restore
