"""Tell which files belong to another dataset than the one that is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from .id_spellings import have_no_common_ids, role_without_common_ids
from .name_words import table_words
from .records import ClassifiedFile

TEST: Final = 0
VALIDATION: Final = 1
UNKNOWN: Final = 2
TRAIN: Final = 3
"""What the name of a file says; the lower, the likelier it is the test set."""

_ROLES: Final = {"catalogue": ("item",), "policy": ("item",), "distances": ("item",), "people": ("user",), "interactions": ("user", "item")}
"""Kind of table → the roles of ids of which the test set must share some, in at least one role."""


def test_priority(file: ClassifiedFile) -> int:
    """Order files by how likely they are the test set: `TEST` by name or format, then `VALIDATION`, `UNKNOWN`, `TRAIN`."""
    words = table_words(file.summary.label)
    default = TEST if file.summary.table == "interactions" else UNKNOWN
    return next((priority for priority, word in ((TEST, "test"), (VALIDATION, "validation"), (TRAIN, "train")) if word in words), default)


def has_lists(test: ClassifiedFile, files: Sequence[ClassifiedFile]) -> bool:
    """Whether some lists belong to a test set: they are in its folders, and share users and items with it."""
    elsewhere = _elsewhere(test, files)
    lists = [file for file in files if file.table == "lists" and file.summary.path not in elsewhere]
    return any(not role_without_common_ids(test, file) for file in lists)


def foreign_files(test: ClassifiedFile, files: Sequence[ClassifiedFile]) -> dict[str, str]:
    """Return the files that do not belong to the test set, with the reason.

    They are in the folder of another test set that has lists of its own, or they share no ids with this one. Lists without common ids
    are reported later, when the models are chosen.
    """
    elsewhere = _elsewhere(test, files)
    rest = [file for file in files if file is not test and file.table in _ROLES and file.summary.path not in elsewhere]
    return elsewhere | {file.summary.path: reason for file in rest if (reason := _no_common_ids(test, file))}


def _elsewhere(test: ClassifiedFile, files: Sequence[ClassifiedFile]) -> dict[str, str]:
    """Return the files whose nearest folder with a test set is neither the folder of `test` nor one above it."""
    here = _folder(test)
    homes = _homes(files)
    elsewhere = {}
    for file in files:
        folder = next((folder for folder in (_folder(file), *_folder(file).parents) if folder in homes), here)
        if folder not in (here, *here.parents) and not _have_same_pairs(test, homes[folder]):
            elsewhere[file.summary.path] = _reason(file, homes[folder])
    return elsewhere


def _homes(files: Sequence[ClassifiedFile]) -> dict[PurePosixPath, ClassifiedFile]:
    """Return the folders with a test set by name and with lists in them or below, each with its first test set."""
    above = {folder for file in files if file.table == "lists" for folder in (_folder(file), *_folder(file).parents)}
    tests = [file for file in files if file.table == "interactions" and test_priority(file) == TEST and _folder(file) in above]
    return {_folder(file): file for file in reversed(tests)}


def _folder(file: ClassifiedFile) -> PurePosixPath:
    return PurePosixPath(file.summary.label).parent


def _have_same_pairs(test: ClassifiedFile, other: ClassifiedFile) -> bool:
    assert test.pair_summary is not None
    assert other.pair_summary is not None
    return test.pair_summary.pairs == other.pair_summary.pairs


def _reason(file: ClassifiedFile, home: ClassifiedFile) -> str:
    if file is home:
        return "another test set, with lists in its folder"
    return f"it stands beside another test set, {home.summary.path}"


def _no_common_ids(test: ClassifiedFile, file: ClassifiedFile) -> str:
    """Return why a file cannot belong to the test set; empty if it can."""
    roles = [role for role in _ROLES[file.table or ""] if role in file.columns]
    if not roles or not all(have_no_common_ids(test, file, role) for role in roles):
        return ""
    return f"it has no {' and no '.join(roles)} in common with {test.summary.path}"
