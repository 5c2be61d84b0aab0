"""No part of a folder or glob is skipped silently: links are followed, and unreadable parts are refused by name."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from receval.load import find
from receval.load.folders import parts_of
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED, LISTS, look_at

ROOT = not hasattr(os, "geteuid") or os.geteuid() == 0
NOBODY = 65534


@pytest.fixture
def parts(tmp_path):
    """Write two parts of lists, the second in its own folder."""

    def part(name, rows):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("user,item,score\n" + "".join(f"{user},{item},{score}\n" for user, item, score in rows))

    part("lists/a/part.csv", LISTS[:2])
    part("elsewhere/part.csv", LISTS[2:])
    return tmp_path


@pytest.fixture
def closed() -> Iterator[Path]:
    """Yield a folder of a user without special rights, who runs the test: `lists/a.csv`, and `lists/b/b.csv` in a folder to be closed."""
    folder = Path(tempfile.mkdtemp())
    (folder / "lists" / "b").mkdir(parents=True)
    for name in ("lists/a.csv", "lists/b/b.csv"):
        (folder / name).write_text("user,item\n1,10\n")
    if ROOT:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    yield folder
    if ROOT:
        os.seteuid(0)
    for path in folder.rglob("*"):
        path.chmod(0o700)
    shutil.rmtree(folder)


@pytest.mark.parametrize("given", ["lists", "lists/*/*.csv", "lists/**/*.csv", "lists/*", "lists/*/"])
def test_links_to_folders_are_followed(given, parts, evaluate_lists):
    (parts / "lists" / "b").symlink_to(parts / "elsewhere")
    assert evaluate_lists({"path": given}) == EXPECTED


@pytest.mark.parametrize("given", ["lists", "lists/a/*", "lists/**/*.csv"])
def test_links_to_files_are_followed(given, parts, evaluate_lists):
    (parts / "lists" / "a" / "second.csv").symlink_to(parts / "elsewhere" / "part.csv")
    assert evaluate_lists({"path": given}) == EXPECTED


@pytest.mark.parametrize("given", ["lists", "lists/*/*.csv", "lists/**/*.csv", "lists/a/lost.csv"])
def test_a_link_that_leads_nowhere_is_refused_by_its_name(given, parts, evaluate_lists):
    (parts / "lists" / "a" / "lost.csv").symlink_to("gone.csv")
    with pytest.raises(DataError, match=r"lists/a/lost\.csv is a link to gone\.csv, which cannot be read \(no such file or directory\)"):
        evaluate_lists({"path": given})


def test_a_link_to_itself_is_refused_by_its_name(parts, evaluate_lists):
    (parts / "lists" / "a" / "ring.csv").symlink_to("ring.csv")
    with pytest.raises(DataError, match=r"ring\.csv is a link to ring\.csv, which cannot be read"):
        evaluate_lists("lists")


def test_a_link_back_to_a_folder_above_it_is_refused_by_its_name(parts, evaluate_lists):
    (parts / "lists" / "a" / "up").symlink_to(parts / "lists")
    with pytest.raises(DataError, match=r"the link .*lists/a/up leads back to .*lists, which contains it"):
        evaluate_lists("lists")
    with pytest.raises(DataError, match="are the same file"):
        evaluate_lists({"path": "lists/**/*.csv"})


def test_a_part_that_a_link_duplicates_is_refused_by_both_names(parts, evaluate_lists):
    (parts / "lists" / "latest").symlink_to(parts / "lists" / "a")
    with pytest.raises(DataError, match=r"lists/a/part\.csv and .*lists/latest/part\.csv are the same file"):
        evaluate_lists("lists")


def test_a_pipe_among_parts_is_refused_by_its_name(parts, evaluate_lists):
    os.mkfifo(parts / "lists" / "a" / "pipe.csv")
    with pytest.raises(DataError, match=r"pipe\.csv is neither a file nor a folder"):
        evaluate_lists("lists")


@pytest.mark.parametrize("pattern", ["lists/a/*", "lists/**/*.csv", "lists/a/pipe*"])
def test_a_pipe_that_a_glob_matches_is_refused_by_its_name(pattern, parts, evaluate_lists):
    os.mkfifo(parts / "lists" / "a" / "pipe.csv")
    with pytest.raises(DataError, match=r"pipe\.csv is neither a file nor a folder"):
        evaluate_lists({"path": pattern})


def test_a_glob_that_matches_files_and_a_folder_is_refused_with_both(parts, evaluate_lists):
    (parts / "lists" / "b.csv").write_text("user,item,score\n2,98,0.7\n2,12,0.6\n")
    with pytest.raises(DataError, match=r"lists/\* matches files, such as .*lists/b\.csv, and the folder .*lists/a"):
        evaluate_lists("lists/*")
    (parts / "lists" / "a").rename(parts / "lists" / "_a")
    assert find("data.test", ["lists/*"], parts) == [parts / "lists" / "b.csv"]


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o600])
@pytest.mark.parametrize("pattern", ["lists/**/*.csv", "lists/*/*.csv", "lists/*/b.csv", "lists/b/*"])
def test_a_folder_that_may_not_be_read_is_refused_by_its_name(mode, pattern, closed):
    (closed / "lists" / "b").chmod(mode)
    said = r"lists/b/? cannot be read \(permission denied\)"
    with pytest.raises(DataError, match=said):
        parts_of("data.test", closed / "lists")
    with pytest.raises(DataError, match=said):
        find("data.test", [pattern], closed)


def test_a_file_in_a_folder_that_may_not_be_entered_is_refused_by_its_name(closed):
    (closed / "lists" / "b").chmod(0)
    with pytest.raises(DataError, match=r"lists/b/b\.csv cannot be read \(permission denied\)"):
        find("data.test", ["lists/b/b.csv"], closed)


def test_a_part_that_may_not_be_read_is_refused_by_its_name(closed):

    (closed / "lists" / "b" / "b.csv").chmod(0)
    with pytest.raises(DataError, match=r"lists/b/b\.csv cannot be read \(permission denied\)"):
        look_at("data.test", "interactions", closed / "lists")
