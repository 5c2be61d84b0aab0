"""Files are all written, or none."""

from __future__ import annotations

import os
from contextlib import nullcontext

import pytest
from receval.storage import stage as disk
from receval.storage.overwriting import is_plain
from receval.support.errors import OutputError

from tests.storage.steps import whole


def test_all_files_are_written_and_nothing_else_stays(tmp_path):
    folder = tmp_path / "a" / "b"
    with disk.Stage([whole(folder)], inputs=()) as stage:
        stage.commit({folder / "x": b"1", folder / "y": b"2"})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"x": b"1", "y": b"2"}


def test_files_of_other_programs_stay(tmp_path):
    (tmp_path / "mine").write_bytes(b"mine")
    with disk.Stage([whole(tmp_path)], inputs=()) as stage:
        stage.commit({tmp_path / "x": b"1"})
    assert (tmp_path / "mine").read_bytes() == b"mine"


def test_without_a_commit_nothing_is_left(tmp_path):
    with pytest.raises(KeyboardInterrupt), disk.Stage([whole(tmp_path / "a" / "b")], inputs=()):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_failure_names_the_file_and_not_its_temporary_path(tmp_path):
    name = f"{'x' * 300}.json"
    with disk.Stage([whole(tmp_path)], inputs=()) as stage, pytest.raises(OutputError) as failure:
        stage.commit({tmp_path / name: b"1"})
    assert "File name too long" in failure.value.message
    assert ".receval-" not in failure.value.message


def failing_at(failing):
    """Return an `os.replace` that finds the disk full at the call with this number (`None`: at no call)."""
    replace, calls = os.replace, []

    def fails(source, target):
        calls.append(target)
        if len(calls) == failing:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    return fails


@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_if_one_file_cannot_be_moved_all_are_as_before(failing, tmp_path, monkeypatch):
    (tmp_path / "with a folder files change one by one").mkdir()
    for name in "xy":
        (tmp_path / name).write_bytes(b"old")
    replace, fails = os.replace, failing_at(failing)
    with disk.Stage([whole(tmp_path)], inputs=()) as stage:
        monkeypatch.setattr(os, "replace", fails)
        with pytest.raises(OutputError, match="No space left"):
            stage.commit({tmp_path / name: b"new" for name in "xyz"})
        monkeypatch.setattr(os, "replace", replace)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == {"x": b"old", "y": b"old"}


@pytest.mark.parametrize("failing", [None, 1, 2, 3, 4])
def test_old_files_are_removed_only_together_with_the_new_ones(failing, tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    for name in ("old1", "old2", "mine"):
        (tmp_path / name).write_bytes(b"old")
    replace, fails = os.replace, failing_at(failing)
    with disk.Stage([whole(tmp_path)], inputs=()) as stage:
        monkeypatch.setattr(os, "replace", fails)
        with pytest.raises(OutputError) if failing else nullcontext():
            stage.commit({tmp_path / "new": b"new"}, gone=[tmp_path / "old1", tmp_path / "old2"])
        monkeypatch.setattr(os, "replace", replace)
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == ({"mine", "old1", "old2"} if failing else {"mine", "new"})


def test_a_folder_with_the_name_of_a_file_is_refused(tmp_path):
    (tmp_path / "x").mkdir()
    with disk.Stage([whole(tmp_path)], inputs=()) as stage, pytest.raises(OutputError, match="it is a folder"):
        stage.commit({tmp_path / "x": b"1"})


def test_devices_and_pipes_are_not_regular_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert not is_plain(tmp_path / "pipe")
    assert is_plain(tmp_path / "new")
