"""Results are the old ones or the new ones, complete, after any failure and any kill."""

from __future__ import annotations

import errno
import itertools
import json
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache

import pytest
from receval.storage import stage as disk
from receval.storage.overwriting import destination
from receval.support.errors import OutputError

from tests.conftest import ROOT
from tests.sizes import each_once
from tests.storage.steps import GONE, NAMES, WORLDS, Steps, contents, make, whole, write


@cache
def steps():
    """Return the one audit hook of all tests of a process: Python cannot remove one."""
    return Steps()


OLD = {f"results/{name}": "old" for name in (*NAMES, GONE)}
NEW = {f"results/{name}": "new" for name in NAMES}
MINE = {
    "with notes": {"results/notes.txt": "mine", "results/link.txt": "mine"},
    "with a folder": {"results/plots/notes.txt": "mine"},
}
IN_ONE_STEP = ("new", "results", "with notes")


def results(files):
    """Return the files in the folder of results, without folders of files that wait to be moved."""
    return {path: content for path, content in files.items() if ".receval-" not in path}


def states(world):
    """Return the old and the new state of a world."""
    mine = MINE.get(world, {})
    return ({} if world == "new" else OLD) | mine, NEW | mine


@pytest.mark.release
@pytest.mark.parametrize("world", WORLDS)
def test_a_process_that_is_killed_at_any_step_leaves_the_old_results_or_the_new_ones(world, tmp_path):
    done = subprocess.run([sys.executable, "-m", "tests.storage.steps", tmp_path, world], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(ends) > 10
    for end in ends:
        assert end["next"] in states(world), f"step {end['at']}, when the next run has begun"
        if world in IN_ONE_STEP:
            assert results(end["then"]) in states(world), f"step {end['at']}"
    assert results(ends[-1]["then"]) == states(world)[1]
    assert {results(end["next"]) == states(world)[0] for end in ends} == {True, False}, "some steps come before the change, some after"


@pytest.mark.parametrize(("world", "is_portable"), each_once(WORLDS, [False, True]))
def test_a_step_that_fails_leaves_the_old_results_or_the_new_ones(world, is_portable, tmp_path, monkeypatch):
    if is_portable:
        monkeypatch.setattr(sys, "platform", "other")
    monkeypatch.chdir(tmp_path)

    def fail():
        raise OSError(errno.ENOSPC, "No space left on device")

    for at in itertools.count(1):
        folder = make(world, tmp_path / "above")
        refused = False
        with steps().acting(tmp_path / "above", at, fail):
            try:
                write(folder)
            except OutputError:
                refused = True
        then = results(contents(tmp_path / "above"))
        assert then == states(world)[0 if refused else 1], f"step {at}"
        if at > steps().number:
            break
        with disk.Stage([whole(folder)], inputs=()):
            pass
        assert contents(tmp_path / "above") in states(world), f"step {at}"
    assert at > 10


@pytest.mark.parametrize("world", WORLDS)
def test_the_next_run_completes_a_change_that_could_not_be_undone(world, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "other")
    for at in itertools.count(1):
        folder = make(world, tmp_path / "above")
        broken = False

        def fail():
            nonlocal broken
            broken = True
            steps().at += 1  # the next step fails too
            raise OSError(errno.EIO, "Input/output error")

        with steps().acting(tmp_path / "above", at, fail), suppress(OutputError):
            write(folder)
        with disk.Stage([whole(folder)], inputs=()):
            pass
        assert results(contents(tmp_path / "above")) in states(world), f"step {at}"
        if not broken:
            break


def test_two_folders_and_a_file_change_together_or_not_at_all(tmp_path):
    above = tmp_path / "above"
    names = ("a/x", "a/y", "b/x", "b/y", "c.csv")

    def fail():
        raise OSError(errno.ENOSPC, "No space left on device")

    outcomes = set()
    for at in itertools.count(1):
        make("new", above)
        for name in names:
            (above / name).parent.mkdir(exist_ok=True)
            (above / name).write_bytes(b"old")
        folders = [whole(above / "a"), whole(above / "b"), whole(above)]
        with steps().acting(above, at, fail), suppress(OutputError), disk.Stage(folders, inputs=()) as stage:
            stage.commit({above / name: b"new" for name in names})
        outcomes.add(frozenset(results(contents(above)).values()))
        assert results(contents(above)).keys() == set(names)
        if at > steps().number:
            break
    assert outcomes == {frozenset({"old"}), frozenset({"new"})}


def test_the_folder_is_replaced_in_one_step_and_keeps_its_rights(tmp_path):
    folder = make("with notes", tmp_path / "above")
    folder.chmod(0o750)
    before = folder.stat()
    write(folder)
    after = folder.stat()
    assert before.st_ino != after.st_ino
    assert (before.st_mode, before.st_uid, before.st_gid) == (after.st_mode, after.st_uid, after.st_gid)


@pytest.mark.parametrize("world", ["with a folder", "where we are"])
def test_a_folder_that_is_a_working_folder_is_not_replaced(world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = make(world, tmp_path / "above")
    before = folder.stat().st_ino
    write(folder)
    assert folder.stat().st_ino == before
    assert contents(tmp_path / "above") == states(world)[1]


def test_a_file_that_another_program_adds_meanwhile_stays(tmp_path, monkeypatch):
    folder = make("with notes", tmp_path / "above")
    exchange = disk.exchange

    exchange = disk.exchange

    def exchanged(first, second):
        (folder / "late.txt").write_text("late")
        exchange(first, second)

    monkeypatch.setattr(disk, "exchange", exchanged)
    write(folder)
    assert contents(tmp_path / "above") == NEW | MINE["with notes"] | {"results/late.txt": "late"}


@pytest.mark.parametrize("world", ["results", "with a folder"])
def test_runs_that_write_to_one_folder_at_once_leave_the_results_of_one(world, tmp_path):
    folder = make(world, tmp_path / "above")

    def write_all(number):
        for _ in range(20):
            with disk.Stage([whole(folder)], inputs=()) as stage:
                stage.commit({folder / name: str(number).encode() for name in NAMES})

    writers = [threading.Thread(target=write_all, args=(number,)) for number in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    files = contents(tmp_path / "above")
    assert len({content for path, content in files.items() if path.removeprefix("results/") in NAMES}) == 1
    assert not [path for path in (tmp_path / "above").rglob("*") if ".receval-" in str(path)]


def test_a_write_to_a_link_changes_its_target_and_keeps_the_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.csv").symlink_to("there/r.csv")
    target = destination(tmp_path / "link.csv")
    with disk.Stage([whole(target.parent)], inputs=()) as stage:
        stage.commit({target: b"new"})
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "there" / "r.csv").read_bytes() == b"new"
