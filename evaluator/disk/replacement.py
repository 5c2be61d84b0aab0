"""Several files of a folder are replaced: in one step, or one by one with a journal that the next run finishes.

In one step: the folder with the new files changes places with the old folder. Files of other people come along as hard links. This is for
folders of results, which hold nothing else, or results of an earlier run and a few other files.

One by one, everywhere else: what is to be done is written down before the first file is replaced. A failure puts the old files back; a
process that is killed leaves the journal, and the next run that writes to the folder does the rest.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

_HERE: Final = -100
_EXCHANGE: Final = 2
_JOURNAL: Final = ".receval-journal"
_BEFORE: Final = ".receval-before"
_MANIFEST: Final = "manifest.json"
_MANY: Final = 100
"""Folders with more files of other people than that are no folders of results."""


class InOneStep:
    """Exchange `folder` for `stage`, a folder in it that holds the new `files`; of the old ones those in `gone` do not come along."""

    def __init__(self, folder: Path, stage: Path, files: Iterable[str], gone: Iterable[str]) -> None:
        self._folder, self._stage = folder, stage
        self._ours = {*files, *gone}
        self._others: list[str] = []
        self._outside = folder.parent / stage.name

    def is_possible(self) -> bool:
        """Whether the folder is one of results: ours, without folders in it, and not one that somebody works in."""
        status = self._folder.stat()
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX):
            return False
        entries = [entry for entry in os.scandir(self._folder) if entry.name != self._stage.name]
        self._others = [entry.name for entry in entries if entry.name not in self._ours]
        is_of_results = not self._others or (any(entry.name == _MANIFEST for entry in entries) and len(self._others) <= _MANY)
        return (
            is_of_results and not any(entry.is_dir() for entry in entries) and not Path(os.path.realpath(".")).is_relative_to(self._folder)
        )

    def make(self) -> None:
        """Exchange the folders; the one with the new files is made ready outside of the other, where links to the other files are added."""
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

    def undo(self) -> None:
        """Exchange them again."""
        exchange(self._outside, self._folder)
        os.rename(self._outside, self._stage)

    def tidy(self) -> None:
        """Remove the old folder."""
        for name in os.listdir(self._outside):
            late = name not in self._ours and not os.path.lexists(self._folder / name)
            if late:  # somebody put it there when the others were linked already
                os.rename(self._outside / name, self._folder / name)
        shutil.rmtree(self._outside, ignore_errors=True)


class OneByOne:
    """Move the `files` of `stage` into `folder` and those in `gone` out of it."""

    def __init__(self, folder: Path, stage: Path, files: Sequence[str], gone: Sequence[str]) -> None:
        self._folder, self._stage, self._files, self._gone = folder, stage, files, gone
        self._before = stage / _BEFORE

    def make(self) -> None:
        """Note what is to be done, and do it."""
        self._before.mkdir()
        for name in self._files:
            if os.path.lexists(self._folder / name):
                _copy(self._folder / name, self._before / name)
        if len(self._files) + len(self._gone) > 1:
            _write_journal(self._stage, self._files, self._gone)
        try:
            _replace(self._folder, self._stage, self._files, self._gone)
        except OSError:
            self.undo()
            raise

    def undo(self) -> None:
        """Put back what was there, and remove what was not."""
        for name in (*self._files, *self._gone):
            if os.path.lexists(self._before / name):
                os.replace(self._before / name, self._folder / name)
            elif name in self._files and not os.path.lexists(self._stage / name):
                (self._folder / name).unlink(missing_ok=True)
        (self._stage / _JOURNAL).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove the old files and the journal."""
        shutil.rmtree(self._stage, ignore_errors=True)


Replacement = InOneStep | OneByOne
"""New files in the place of old ones, all of them or none; `OSError` where that cannot be."""


def finish(stage: Path) -> None:
    """Do what the journal of a killed process says, if it left one in `stage`, and remove the folder; `OSError` if that cannot be."""
    if os.path.exists(stage / _JOURNAL):
        with open(stage / _JOURNAL, encoding="utf-8") as file:
            journal = json.load(file)
        _replace(stage.parent, stage, journal["files"], journal["gone"])
    shutil.rmtree(stage)


def is_begun(stage: Path) -> bool:
    """Whether files were replaced that could not be put back: then the journal has to stay."""
    return os.path.exists(stage / _JOURNAL)


def _replace(folder: Path, stage: Path, files: Iterable[str], gone: Iterable[str]) -> None:
    for name in files:
        if os.path.lexists(stage / name):
            os.replace(stage / name, folder / name)
    for name in gone:
        if os.path.lexists(folder / name):
            os.replace(folder / name, stage / _BEFORE / name)


def _write_journal(stage: Path, files: Sequence[str], gone: Sequence[str]) -> None:
    whole = stage / f"{_JOURNAL}-new"
    with open(whole, "w", encoding="utf-8") as file:
        json.dump({"files": files, "gone": gone}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(whole, stage / _JOURNAL)


def _copy(file: Path, copy: Path) -> None:
    try:
        os.link(file, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system without links
        shutil.copy2(file, copy, follow_symlinks=False)


def exchange(first: Path, second: Path) -> None:
    """Let two folders of a file system change places in one step; `OSError` if they cannot, or if the system knows no such step."""
    sys.audit("os.rename", os.fspath(first), os.fspath(second), -1, -1)
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), str(second))
    if rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
