"""Bytes → disk, all or nothing: what was there before stays whole until everything new is complete."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final

from ..errors import OutputError
from ..temporary import OwnFolder, dead_folders, locked, unlock
from .replacement import InOneStep, OneByOne, Replacement, finish, is_begun

_PREFIX: Final = ".receval-"


class Stage:
    """A folder in each target folder where new files wait until all are written.

    Entering it makes the folders and writes to them, so that a path that cannot be written is found before any work;
    `OutputError` says which. Leaving it without `commit` leaves nothing behind. What a killed process left is finished or removed.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(dict.fromkeys(folders))
        self._stages: dict[Path, OwnFolder] = {}
        self._made: list[Path] = []

    def __enter__(self) -> Stage:
        for folder in self._folders:
            try:
                self._made += _make(folder)
                real = _real(folder)
                if real not in self._stages:
                    _tidy_above(real)
                    with _alone(real):
                        _finish_dead(real)
                        self._stages[real] = OwnFolder(_PREFIX, real)
            except OSError as error:
                self._clear()
                raise OutputError(
                    f"cannot write to the folder {folder}: {error.strerror}", "choose another one with -o, or output.dir"
                ) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._clear()

    def commit(self, files: Mapping[Path, bytes | Path], gone: Iterable[Path] = ()) -> None:
        """Write all files, and remove those that are to be `gone`; `OutputError` if one cannot be, and then none has changed.

        What a file gets are bytes, or the content of another file. The files of a folder of results change in one step, see
        `replacement`. Pipes and devices are written to last, and directly.
        """
        folders = [target for target in files if os.path.isdir(target)]
        if folders:
            raise OutputError(f"cannot write {folders[0]}: it is a folder")
        try:
            written = self._write({path: content for path, content in files.items() if is_plain(path)})
            removed: dict[Path, list[str]] = {}
            for path in gone:
                removed.setdefault(_real(path.parent), []).append(path.name)
            with ExitStack() as stack:
                for folder in sorted({*written, *removed}):
                    stack.enter_context(_alone(folder))
                stack.enter_context(_undisturbed())
                self._replace(written, removed)
            for path, content in files.items():
                if not is_plain(path):
                    with open(path, "wb") as file:
                        _fill(file, content)
        except OSError as error:
            raise OutputError(f"cannot write {error.filename or 'the results'}: {error.strerror}") from None
        self._made.clear()

    def _write(self, files: Mapping[Path, bytes | Path]) -> dict[Path, list[str]]:
        """Write files where they wait; the names of each folder."""
        names: dict[Path, list[str]] = {}
        for path, content in files.items():
            folder = _real(path.parent)
            with open(self._stages[folder].path / path.name, "wb") as file:
                _fill(file, content)
                file.flush()
                os.fsync(file.fileno())
            names.setdefault(folder, []).append(path.name)
        return names

    def _replace(self, written: Mapping[Path, list[str]], removed: Mapping[Path, list[str]]) -> None:
        done: list[Replacement] = []
        try:
            for folder in dict.fromkeys((*written, *removed)):
                done.append(self._replaced(folder, written.get(folder, []), removed.get(folder, [])))
        except OSError:
            for replacement in reversed(done):
                replacement.undo()
            raise
        for replacement in done:
            replacement.tidy()

    def _replaced(self, folder: Path, files: list[str], gone: list[str]) -> Replacement:
        stage = self._stages[folder]
        if len(files) + len(gone) > 1:
            in_one_step = InOneStep(folder, stage.path, files, gone)
            if in_one_step.is_possible():
                try:
                    in_one_step.make()
                except OSError:  # no such step here: a mount, another system, a folder above that is not ours
                    pass
                else:
                    stage.release()
                    return in_one_step
        one_by_one = OneByOne(folder, stage.path, files, gone)
        one_by_one.make()
        return one_by_one

    def _clear(self) -> None:
        for stage in self._stages.values():
            if is_begun(stage.path):
                stage.release()
            else:
                stage.remove()
        self._stages.clear()
        for folder in reversed(self._made):
            try:
                folder.rmdir()
            except OSError:
                break
        self._made.clear()


def _fill(file: BinaryIO, content: bytes | Path) -> None:
    """Write bytes, or what another file holds, which may be larger than memory."""
    if isinstance(content, bytes):
        file.write(content)
        return
    with open(content, "rb") as other:
        shutil.copyfileobj(other, file)


def is_plain(path: Path) -> bool:
    """Whether `path` is, or will be, a regular file; a pipe or device is written to directly and never replaced."""
    return os.path.isfile(path) or not os.path.exists(path)


def destination(path: Path) -> Path:
    """The file that writing to `path` changes: the one that a link leads to."""
    return _real(path) if path.is_symlink() else path


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _make(folder: Path) -> list[Path]:
    missing = [part for part in (folder, *folder.parents) if not os.path.exists(part)]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _tidy_above(folder: Path) -> None:
    """Remove what a process left beside a folder that was killed while the folder was exchanged, if we may look there."""
    try:
        with _alone(folder.parent):
            _finish_dead(folder.parent)
    except OSError:
        pass


def _finish_dead(folder: Path) -> None:
    """Finish what killed processes began in a folder, and remove what they left."""
    for stage in dead_folders(folder, (_PREFIX,)):
        try:
            finish(stage)
        except (OSError, ValueError):
            continue


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Be the only process that changes a folder; waits for others."""
    while True:
        lock = locked(folder, wait=True)
        if lock is None or os.path.samestat(os.fstat(lock), folder.stat()):
            break
        unlock(lock)  # another process exchanged the folder while this one waited
    try:
        yield
    finally:
        unlock(lock)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off an interrupt until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            os.kill(os.getpid(), came[0])
