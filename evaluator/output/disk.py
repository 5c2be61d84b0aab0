"""Bytes → disk, all or nothing: what was there before stays whole until everything new is complete."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from ..errors import OutputError


class Stage:
    """A place beside each target folder where new files wait until all are written.

    Entering it makes the folders and writes to them, so that a path that cannot be written is found before any work;
    `OutputError` says which. Leaving it without `commit` leaves nothing behind.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(dict.fromkeys(folders))
        self._stages: dict[Path, Path] = {}
        self._made: list[Path] = []

    def __enter__(self) -> Stage:
        for folder in self._folders:
            try:
                self._made += _make(folder)
                self._stages[folder] = Path(tempfile.mkdtemp(prefix=".receval-", dir=folder))
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

        What a file gets are bytes, or the content of another file. Pipes and devices among them are written to last, and directly.
        """
        folders = [target for target in files if target.is_dir()]
        if folders:
            raise OutputError(f"cannot write {folders[0]}: it is a folder")
        staged: list[tuple[Path, Path]] = []
        try:
            for number, (target, content) in enumerate((path, content) for path, content in files.items() if is_plain(path)):
                waiting = self._stages[target.parent] / f"{number}"
                with open(waiting, "wb") as file:
                    _fill(file, content)
                    file.flush()
                    os.fsync(file.fileno())
                staged.append((waiting, target))
            aside = [(self._stages[path.parent] / f"{number}.gone", path) for number, path in enumerate(gone)]
            with _undisturbed():
                _swap(staged, aside)
            for path, content in files.items():
                if not is_plain(path):
                    with open(path, "wb") as file:
                        _fill(file, content)
        except OSError as error:
            raise OutputError(f"cannot write {error.filename or 'the results'}: {error.strerror}") from None
        self._made.clear()

    def _clear(self) -> None:
        for stage in self._stages.values():
            shutil.rmtree(stage, ignore_errors=True)
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
    return path.is_file() or not path.exists()


def _make(folder: Path) -> list[Path]:
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _swap(staged: list[tuple[Path, Path]], gone: list[tuple[Path, Path]]) -> None:
    """Put every waiting file in its place, and each of `gone` aside; if one cannot be, put back what was there."""
    copies: list[tuple[Path, Path]] = []
    done: list[Path] = []
    try:
        for waiting, target in staged:
            if target.exists():
                before = waiting.with_suffix(".before")
                shutil.copyfile(target, before)
                copies.append((before, target))
        for waiting, target in staged:
            os.replace(waiting, target)
            done.append(target)
        for aside, target in gone:
            os.replace(target, aside)
    except OSError:
        for aside, target in gone:
            if aside.exists():
                os.replace(aside, target)
        for target in done:
            target.unlink(missing_ok=True)
        for before, target in copies:
            if before.exists() and target in done:
                os.replace(before, target)
        raise


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
