"""Folders that belong to one process: locked as long as it lives, so that the next one knows and removes what dead ones left."""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from .errors import MachineError

if sys.platform != "win32":
    import fcntl

PARTS: Final = "receval-parts-"
_COPY: Final = "receval-copy-"
_ANY: Final = (PARTS, _COPY)
"""How the names of temporary folders begin."""


class OwnFolder:
    """A new folder of this process. `release` gives up the lock and leaves the folder, `remove` does both."""

    def __init__(self, prefix: str, parent: Path) -> None:
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            try:
                self._lock = locked(self.path)
            except (BlockingIOError, FileNotFoundError):  # another process took the new folder for a leftover before it was locked
                continue
            if os.path.exists(self.path):
                break
            self.release()

    def release(self) -> None:
        """Give up the lock."""
        unlock(self._lock)
        self._lock = None

    def remove(self) -> None:
        """Remove the folder, if it is still where it was."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()


@contextmanager
def folder_for_copies() -> Iterator[Path]:
    """A folder for temporary files, gone at the end of the context; leftovers of dead processes go too."""
    try:
        parent = Path(tempfile.gettempdir())
        remove_leftovers(parent)
        own = OwnFolder(_COPY, parent)
    except OSError as error:
        raise not_written(error) from error
    try:
        yield own.path
    finally:
        own.remove()


class _Copy(io.FileIO):
    """A new temporary file; `MachineError` if there is no room for it, which nobody takes for a fault of what is copied."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            raise not_written(error) from error


def new_copy(path: Path) -> BinaryIO:
    """A new temporary file to write to; `MachineError` if it cannot be written."""
    try:
        return io.BufferedWriter(_Copy(path, "wb"), 1 << 20)
    except OSError as error:
        raise not_written(error) from error


def not_written(error: Exception) -> MachineError:
    """The failure to write a temporary file."""
    return MachineError(
        f"temporary files cannot be written: {error}",
        "free disk space, or set the environment variable TMPDIR to a folder with more; receval doctor shows how much is free",
    )


def remove_leftovers(parent: Path) -> None:
    """Remove the temporary folders of processes that have ended without doing so."""
    for folder in dead_folders(parent, _ANY):
        shutil.rmtree(folder, ignore_errors=True)


def dead_folders(parent: Path, prefixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield each folder of that name which belongs to the same person and to no living process; it is locked meanwhile."""
    try:
        names = sorted(name for name in os.listdir(parent) if name.startswith(prefixes))
    except OSError:
        return
    for folder in (parent / name for name in names):
        try:
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
                continue
            lock = locked(folder)
        except OSError:  # its process lives, or it is gone already
            continue
        if lock is not None:
            try:
                yield folder
            finally:
                unlock(lock)


def locked(folder: Path, *, wait: bool = False) -> int | None:
    """Lock a folder and return the descriptor that holds the lock until it is closed; None where folders cannot be locked.

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
    """Give up a lock."""
    if descriptor is not None:
        os.close(descriptor)
