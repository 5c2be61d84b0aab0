"""Write bytes to disk, all or nothing: the old files stay complete until all new ones are.

Several files of a folder are replaced in one step, or one by one with a journal that the next run finishes.

In one step: the folder with the new files is exchanged with the old folder. Other files are kept as hard links. This is for folders of
results, which have no other files, or only results of an earlier run and a few others.

One by one, everywhere else: the steps are written to a journal before the first file is replaced. A failure restores the old files; a
killed process leaves the journal, and the next run that writes to the folder completes the steps. Until then a reader finds old
files beside new ones, which is why folders of results are exchanged.

Targets in a store are written by `stores`, before local files are replaced.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import signal
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from ..support.errors import OutputError, ending_signals
from ..support.quoting import short
from ..support.temporary import OwnFolder, dead_folders, lock_folder, unlock
from .overwriting import MANIFEST, InputPath, Target, is_plain, refuse_overwriting

_PREFIX: Final = ".receval-"
_JOURNAL: Final = ".receval-journal"
_BEFORE: Final = ".receval-before"
_MANY: Final = 100
"""A folder with more other files is not a folder of results."""
_MOST_NEW: Final = 100
"""Most folders that are made for one output; more are a mistake, such as a path that a loop made."""
_HERE, _EXCHANGE = -100, 2
"""Numbers of the system call that exchanges two folders."""


class _Upload(Protocol):
    """The new objects of a target in a store: `stores.Upload`, which is imported when a target is there."""

    def add(self, files: Mapping[str, bytes | Path]) -> None: ...
    def publish(self) -> None: ...
    def remove(self) -> None: ...


class Stage:
    """A folder in each target folder for new files, until all are written.

    Entering it refuses targets that would replace one of the `inputs` of the command, makes the folders and tests writing, so that a path
    that cannot be written is found before any work, with an `OutputError`. Leaving it without `commit` leaves nothing behind. Remains of a
    killed process are completed or removed.
    """

    def __init__(self, targets: Iterable[Target], inputs: Iterable[InputPath]) -> None:
        self._targets, self._inputs = tuple(targets), inputs
        self._stages: dict[Path, OwnFolder] = {}
        self._made: list[Path] = []
        self._uploads: dict[Target, _Upload] = {}

    def __enter__(self) -> Stage:
        if self._targets:
            refuse_overwriting(self._targets, self._inputs)
        for target in self._targets:
            if (address := target.address) is not None:
                from .stores import Upload  # only here, because most targets are on this machine

                self._uploads[target] = upload = Upload(target, address)
                upload.open()
        for folder in dict.fromkeys(folder for target in self._targets if (folder := target.folder) is not None):
            try:
                self._make(folder)
                real = _real(folder)
                if real not in self._stages:
                    with suppress(OSError), alone(real.parent):  # a folder that was exchanged when its process was killed, if we may look
                        _finish_dead(real.parent)
                    with alone(real):
                        _finish_dead(real)
                        self._stages[real] = OwnFolder(_PREFIX, real)
            except OSError as error:
                self.__exit__()
                raise OutputError(
                    f"cannot write to the folder {folder}: {error.strerror}", "choose another one with -o, or output.dir"
                ) from None
        return self

    def _make(self, folder: Path) -> None:
        """Make a folder, and those above it."""
        missing = [part for part in (folder, *folder.parents) if not os.path.exists(part)]
        if len(missing) > _MOST_NEW:
            self.__exit__()
            raise OutputError(
                f"{short(str(folder))}: {len(missing):,} new folders inside each other are needed, but at most {_MOST_NEW} are made",
                "check the path of the output, or make the folder first",
            )
        for part in reversed(missing):
            part.mkdir(exist_ok=True)
            self._made.append(part)

    def __exit__(self, *_: object) -> None:
        for upload in self._uploads.values():
            upload.remove()
        self._uploads.clear()
        for stage in self._stages.values():
            if os.path.exists(stage.path / _JOURNAL):  # files were replaced that could not be put back
                stage.release()
            else:
                stage.remove()
        self._stages.clear()
        with suppress(OSError):
            for folder in reversed(self._made):
                folder.rmdir()
        self._made.clear()

    def place_of(self, path: Path) -> Path | None:
        """Return where to write a file before `commit`, which then takes it from there; `None` if it is not a file of a local folder."""
        stage = self._stages.get(_real(path.parent)) if is_plain(path) else None
        return None if stage is None else stage.path / path.name

    def commit(self, files: Mapping[Path, bytes | Path], gone: Iterable[Path] = ()) -> None:
        """Write all files and remove those in `gone`; if one fails, raise `OutputError` and change nothing.

        The content of a file is given as bytes or as another file. The files of a folder of results change in one step. Pipes and devices
        are written last, and directly.
        """
        gone = tuple(gone)
        foreign = [path for path in (*files, *gone) if not any(target.covers(path) for target in self._targets)]
        assert not foreign, f"{foreign[0]} was not compared with the inputs"
        files = self._add_to_stores(files)
        folders = [target for target in files if os.path.isdir(target)]
        if folders:
            raise OutputError(f"cannot write {folders[0]}: it is a folder")
        written: dict[Path, list[str]] = {}
        removed: dict[Path, list[str]] = {}
        plain = [path for path in files if is_plain(path)]
        try:
            for path in plain:
                folder = _real(path.parent)
                _fill(self._stages[folder].path / path.name, files[path], lasting=True)
                written.setdefault(folder, []).append(path.name)
            for upload in self._uploads.values():
                upload.publish()
            for path in gone:
                removed.setdefault(_real(path.parent), []).append(path.name)
            with ExitStack() as stack:
                for folder in sorted({*written, *removed}):
                    stack.enter_context(alone(folder))
                stack.enter_context(_undisturbed())
                self._replace(written, removed)
            for path in files:
                if path not in plain:
                    _fill(path, files[path])
        except OSError as error:
            raise OutputError(f"cannot write {self._target_of(error.filename) or 'the results'}: {error.strerror}") from None
        self._made.clear()

    def _add_to_stores(self, files: Mapping[Path, bytes | Path]) -> Mapping[Path, bytes | Path]:
        """Upload the files of targets in stores, without a change that a reader sees; return the others."""
        for target, upload in self._uploads.items():
            upload.add({path.name: content for path, content in files.items() if target.covers(path)})
        return {path: content for path, content in files.items() if not any(target.covers(path) for target in self._uploads)}

    def _target_of(self, name: str | None) -> str | None:
        """Return the file that a file of a stage replaces; any other name unchanged."""
        for folder, stage in self._stages.items():
            if name is not None and Path(name).is_relative_to(stage.path):
                return str(folder / Path(name).relative_to(stage.path))
        return name

    def _replace(self, written: Mapping[Path, list[str]], removed: Mapping[Path, list[str]]) -> None:
        done: list[_Replacement] = []
        with ExitStack() as undo:
            for folder in dict.fromkeys((*written, *removed)):
                done.append(_Replacement(folder, self._stages[folder], written.get(folder, []), removed.get(folder, [])))
                done[-1].make()
                undo.callback(done[-1].undo)
            undo.pop_all()
        for replacement in done:
            replacement.tidy()


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _fill(path: Path, content: bytes | Path, *, lasting: bool = False) -> None:
    """Write bytes, or the content of another file, which may be larger than memory; `lasting`: flush it to the disk."""
    is_there = path == content
    with open(path, "ab" if is_there else "wb") as file:
        if is_there:
            pass
        elif isinstance(content, Path):
            with open(content, "rb") as other:
                shutil.copyfileobj(other, file)
        else:
            file.write(content)
        if lasting:
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock a folder, or a file, against changes by other processes; wait for them."""
    while True:
        lock = lock_folder(folder, wait=True)
        if lock is None or os.path.samestat(os.fstat(lock), folder.stat()):
            break
        unlock(lock)  # another process exchanged the folder while this one waited
    try:
        yield
    finally:
        unlock(lock)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay an interrupt until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = (signal.SIGINT, *ending_signals())
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            os.kill(os.getpid(), came[0])


class _Replacement:
    """Replace files of `folder` by those in `stage`, and remove those in `gone`: all of them or none.

    Raises `OSError` if that is impossible. `_others` are other files, which are kept when the folder is exchanged.
    """

    def __init__(self, folder: Path, stage: OwnFolder, files: list[str], gone: list[str]) -> None:
        self._folder, self._own, self._files, self._gone = folder, stage, files, gone
        self._stage, self._outside = stage.path, folder.parent / stage.path.name
        self._before = self._stage / _BEFORE
        self._others: list[str] = []
        self._is_exchanged = False

    def make(self) -> None:
        """Exchange the folder for that of the new files if it is a folder of results; else move file by file."""
        if len(self._files) + len(self._gone) > 1 and self._is_of_results():
            with suppress(OSError):  # no exchange possible: a mount, another system, a parent folder of another user
                self._exchange()
        if not self._is_exchanged:
            self._move_each()

    def _is_of_results(self) -> bool:
        """Return whether it is a folder of results: our own, without subfolders, and without the current working folder in it."""
        status = self._folder.stat()
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX):
            return False
        entries = {entry.name: entry for entry in os.scandir(self._folder) if entry.name != self._stage.name}
        self._others = [name for name in entries if name not in (*self._files, *self._gone)]
        is_of_results = not self._others or (MANIFEST in entries and len(self._others) <= _MANY)
        has_folders = any(entry.is_dir() for entry in entries.values())
        return is_of_results and not has_folders and not _real(Path()).is_relative_to(self._folder)

    def _exchange(self) -> None:
        """Exchange the folders; the new one is prepared outside of the old one, with links to the other files."""
        os.rename(self._stage, self._outside)
        try:
            for name in self._others:
                os.link(self._folder / name, self._outside / name, follow_symlinks=False)
            shutil.copystat(self._folder, self._outside)
            os.chown(self._outside, -1, self._folder.stat().st_gid)
            exchange(self._outside, self._folder)
        except OSError:
            for name in self._others:
                (self._outside / name).unlink(missing_ok=True)
            os.rename(self._outside, self._stage)
            raise
        self._is_exchanged = True
        self._own.release()

    def _move_each(self) -> None:
        """Write the journal, then move the files."""
        self._before.mkdir()
        for name in self._files:
            if os.path.lexists(self._folder / name):
                try:
                    os.link(self._folder / name, self._before / name, follow_symlinks=False)
                except (OSError, NotImplementedError):  # a file system without links
                    shutil.copy2(self._folder / name, self._before / name, follow_symlinks=False)
        if len(self._files) + len(self._gone) > 1:
            journal = json.dumps({"files": self._files, "gone": self._gone})
            _fill(self._stage / f"{_JOURNAL}-new", journal.encode(), lasting=True)
            os.replace(self._stage / f"{_JOURNAL}-new", self._stage / _JOURNAL)
        try:
            _move(self._folder, self._stage, self._files, self._gone)
        except OSError:
            self.undo()
            raise

    def undo(self) -> None:
        """Restore the old files, and remove the new ones."""
        if self._is_exchanged:
            exchange(self._outside, self._folder)
            os.rename(self._outside, self._stage)
            return
        for name in (*self._files, *self._gone):
            if os.path.lexists(self._before / name):
                os.replace(self._before / name, self._folder / name)
            elif name in self._files and not os.path.lexists(self._stage / name):
                (self._folder / name).unlink(missing_ok=True)
        (self._stage / _JOURNAL).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove the old files and the journal."""
        if self._is_exchanged:
            for name in os.listdir(self._outside):
                if name not in (*self._files, *self._gone) and not os.path.lexists(self._folder / name):
                    os.rename(self._outside / name, self._folder / name)  # added by another process after the links were made
        shutil.rmtree(self._outside if self._is_exchanged else self._stage, ignore_errors=True)


def _move(folder: Path, stage: Path, files: Iterable[str], gone: Iterable[str]) -> None:
    for name in files:
        if os.path.lexists(stage / name):
            os.replace(stage / name, folder / name)
    for name in gone:
        if os.path.lexists(folder / name):
            os.replace(folder / name, stage / _BEFORE / name)


def _finish_dead(folder: Path) -> None:
    """Complete the journals of killed processes in a folder, and remove their remains, if possible."""
    for stage in dead_folders(folder, (_PREFIX,)):
        with suppress(OSError, ValueError):
            if os.path.exists(stage / _JOURNAL):
                with open(stage / _JOURNAL, encoding="utf-8") as file:
                    journal = json.load(file)
                _move(folder, stage, journal["files"], journal["gone"])
            shutil.rmtree(stage)


def exchange(first: Path, second: Path) -> None:
    """Exchange two folders of a file system in one step; raise `OSError` if that fails, or if the system does not support it."""
    sys.audit("os.rename", os.fspath(first), os.fspath(second), -1, -1)
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), str(second))
    if rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
