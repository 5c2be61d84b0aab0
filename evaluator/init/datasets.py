"""Files that belong to another test set than the one that is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from . import id_spellings, name_words
from .records import File

_IDS: Final = {"catalogue": ("item",), "policy": ("item",), "distances": ("item",), "people": ("user",), "interactions": ("user", "item")}
"""Whose ids the test set must have some of; of interactions, either's."""


def rank(found: File) -> int:
    """How much a file says that it is the test set: 0 if its name or form does, 1 for a validation set, 2 if not, 3 for a train set."""
    said = name_words.of_file(found.glance.label)
    silent = 0 if found.glance.table == "interactions" else 2
    return next((rank for rank, word in ((0, "test"), (1, "validation"), (3, "train")) if word in said), silent)


def has_lists(test: File, files: Sequence[File]) -> bool:
    """Whether there are lists that belong to a test set, and have users and items in common with it."""
    elsewhere = _elsewhere(test, files)
    lists = [found for found in files if found.table == "lists" and found.glance.given not in elsewhere]
    return any(not id_spellings.strangers(test, found) for found in lists)


def others(test: File, files: Sequence[File]) -> dict[str, str]:
    """The files that do not belong to the test set, with the reason.

    Either they stand in the folder of another one, which has lists of its own, or they have no id in common with it; where lists have none
    is said when the models are chosen.
    """
    elsewhere = _elsewhere(test, files)
    rest = [found for found in files if found is not test and found.table in _IDS and found.glance.given not in elsewhere]
    return elsewhere | {found.glance.given: why for found in rest if (why := _strange(test, found))}


def _elsewhere(test: File, files: Sequence[File]) -> dict[str, str]:
    """The files nearer to another test set: its folder is the first above them that has one, and does not hold `test`."""
    here = _folder(test)
    homes = _homes(files)
    found = {}
    for file in files:
        folder = next((folder for folder in (_folder(file), *_folder(file).parents) if folder in homes), here)
        if folder not in (here, *here.parents) and not _same(test, homes[folder]):
            found[file.glance.given] = _reason(file, homes[folder])
    return found


def _homes(files: Sequence[File]) -> dict[PurePosixPath, File]:
    """The folders that have a test set by its name, and lists in them or below, each with the first of its test sets."""
    above = {folder for found in files if found.table == "lists" for folder in (_folder(found), *_folder(found).parents)}
    tests = [found for found in files if found.table == "interactions" and rank(found) == 0 and _folder(found) in above]
    return {_folder(found): found for found in reversed(tests)}


def _folder(found: File) -> PurePosixPath:
    return PurePosixPath(found.glance.label).parent


def _same(test: File, other: File) -> bool:
    assert test.shape is not None
    assert other.shape is not None
    return test.shape.pairs == other.shape.pairs


def _reason(found: File, home: File) -> str:
    if found is home:
        return "another test set, with lists in its folder"
    return f"it stands beside another test set, {home.glance.given}"


def _strange(test: File, found: File) -> str:
    """Why a file cannot belong to the test set, or nothing."""
    needed = [whose for whose in _IDS[found.table or ""] if whose in found.columns]
    if not needed or not all(id_spellings.apart_in(test, found, whose) for whose in needed):
        return ""
    return f"it has no {' and no '.join(needed)} in common with {test.glance.given}"
