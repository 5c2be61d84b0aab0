"""Temporary folders of one process, locked while it lives, so that later processes recognise and remove the folders of dead ones."""

from __future__ import annotations

import atexit
import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from .errors import MachineError

if sys.platform != "win32":
    import fcntl

PARTS: Final = "receval-parts-"
COPY: Final = "receval-copy-"
_ANY: Final = (PARTS, COPY)
"""Prefixes of the names of temporary folders."""
PROCESS_SCRATCH: Final = ExitStack()
"""Temporary files that live as long as this process."""
atexit.register(PROCESS_SCRATCH.close)


class OwnFolder:
    """A new folder of this process; `release` releases the lock and leaves the folder, `remove` does both."""

    def __init__(self, prefix: str, parent: Path) -> None:
        self._process = os.getpid()
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            try:
                self._lock = lock_folder(self.path)
            except (BlockingIOError, FileNotFoundError):  # another process removed the new folder as a leftover before it was locked
                continue
            if os.path.exists(self.path):
                break
            self.release()

    def release(self) -> None:
        """Release the lock."""
        unlock(self._lock)
        self._lock = None

    def remove(self) -> None:
        """Remove the folder, if it still exists, and release the lock; a forked process leaves the folders of its parent."""
        if os.getpid() == self._process:
            shutil.rmtree(self.path, ignore_errors=True)
        self.release()


@contextmanager
def folder_for_copies() -> Iterator[Path]:
    """Yield a folder for temporary files, removed at the end of the context; leftovers of dead processes are removed too."""
    try:
        parent = Path(tempfile.gettempdir())
        remove_leftovers(parent)
        own = OwnFolder(COPY, parent)
    except OSError as error:
        raise write_error(error) from error
    try:
        yield own.path
    finally:
        own.remove()


class _Copy(io.FileIO):
    """A new temporary file that raises `MachineError` on a write error, so that nobody blames the data that is copied."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            raise write_error(error) from error


def new_copy(path: Path) -> BinaryIO:
    """Open a new temporary file for writing; `MachineError` if it cannot be written."""
    try:
        return io.BufferedWriter(_Copy(path, "wb"), 1 << 20)
    except OSError as error:
        raise write_error(error) from error


def write_error(error: Exception) -> MachineError:
    """Return the error for a temporary file that cannot be written."""
    return MachineError(
        f"temporary files cannot be written: {error}",
        "free disk space, or set the environment variable TMPDIR to a folder with more; receval doctor shows how much is free",
    )


def remove_leftovers(parent: Path) -> None:
    """Remove the temporary folders of processes that ended without doing so."""
    for folder in dead_folders(parent, _ANY):
        shutil.rmtree(folder, ignore_errors=True)


def dead_folders(parent: Path, prefixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield each folder with one of these prefixes that belongs to the same person and to no living process; it is locked meanwhile."""
    try:
        names = sorted(name for name in os.listdir(parent) if name.startswith(prefixes))
    except OSError:
        return
    for folder in (parent / name for name in names):
        try:
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
                continue
            lock = lock_folder(folder)
        except OSError:  # its process lives, or the folder is gone
            continue
        if lock is not None:
            try:
                yield folder
            finally:
                unlock(lock)


def lock_folder(folder: Path, *, wait: bool = False) -> int | None:
    """Lock a folder and return the descriptor that holds the lock until it is closed; `None` if folders cannot be locked.

    `BlockingIOError` if another process holds the lock and we do not `wait`; other `OSError` if the folder cannot be opened.
    """
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError) or not isinstance(error, OSError):
            raise
        return None
    return descriptor


def unlock(descriptor: int | None) -> None:
    """Release a lock."""
    if descriptor is not None:
        os.close(descriptor)
