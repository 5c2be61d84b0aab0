"""A folder for temporary files that is gone afterwards, whatever happens."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType

from ..temporary import PARTS, OwnFolder, remove_leftovers


class Scratch:
    """A folder for temporary files, made when first asked for and removed on exit.

    A process that was killed cannot remove its folder. A lock on the folder, which ends with the process, tells the next run that
    the folder is a leftover: entering the context removes all leftovers of the same person, whether a folder is needed or not. `parent`
    is the folder to make it in, by default that of temporary files (`TMPDIR`). Without a handler for SIGTERM, that signal removes the
    folder and ends the process.
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
        """The folder; `OSError` if it cannot be made."""
        if self._own is None:
            self._own = OwnFolder(f"{PARTS}{os.getpid()}-", self._parent or Path(tempfile.gettempdir()))
            self._restore_signal = _on_sigterm(self.clear)
        return self._own.path

    def clear(self) -> None:
        """Remove the folder, if there is one; the next use makes a new one."""
        own, self._own = self._own, None
        if own is not None:
            own.remove()
        self._restore_signal()
        self._restore_signal = lambda: None


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
