"""Waiting for a change of files: with a clock that the test moves, so that nothing sleeps."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from receval.storage.watching import stamps_of, wait_for_change


class Steps:
    """A clock: at each wait it does the next of some steps, then nothing; too many waits are an error."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps, self.n_waits = list(steps), 0

    def __call__(self, seconds: float) -> None:
        self.n_waits += 1
        assert self.n_waits < 100, "no change was seen"
        if self.steps:
            self.steps.pop(0)()


def nothing() -> None: ...


def changed(path: Path, *steps: Callable[[], object]) -> tuple[Sequence[Path], int]:
    clock = Steps(*steps)
    return wait_for_change(stamps_of([path]), lambda: [path], clock), clock.n_waits


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text("a")
    return path


def test_a_written_file_is_a_change_once_it_is_stable(file):
    assert changed(file, nothing, lambda: file.write_text("bc")) == ((file,), 3)


def test_a_file_that_grows_is_waited_for(file):
    grows = [lambda n=n: file.write_text("b" * n) for n in range(2, 7)]
    assert changed(file, *grows) == ((file,), 6)


def test_a_file_that_an_editor_renames_into_place_is_one_change(file, tmp_path):
    new = tmp_path / "new"
    new.write_text("a")
    os.utime(new, ns=(os.stat(file).st_atime_ns, os.stat(file).st_mtime_ns))  # only the inode differs
    assert changed(file, lambda: new.rename(file)) == ((file,), 2)


def test_a_gap_between_removal_and_rename_is_waited_for(file):
    content = file.read_text()
    found, n_waits = changed(file, file.unlink, nothing, nothing, lambda: file.write_text(content + "!"))
    assert (found, n_waits) == ((file,), 5)


def test_a_removed_file_is_a_change_after_five_seconds(file):
    assert changed(file, file.unlink) == ((file,), 10)


def test_a_file_that_appears_in_a_folder_is_a_change(tmp_path, file):
    more = tmp_path / "more.csv"
    clock = Steps(lambda: more.write_text("x"))
    paths = lambda: list(tmp_path.iterdir())  # noqa: E731
    assert wait_for_change(stamps_of(paths()), paths, clock) == (more,)
