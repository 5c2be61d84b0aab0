"""Choose the test set and the train set among files of interactions, and tell which files belong to another test set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from .id_spellings import have_no_common_ids, role_without_common_ids
from .name_words import are_in_different_folders, stem, table_words
from .records import ClassifiedFile

TEST: Final = 0
VALIDATION: Final = 1
UNKNOWN: Final = 2
TRAIN: Final = 3
"""What the name of a file says; the lower, the likelier it is the test set."""
_ROLES: Final = {"catalogue": ("item",), "policy": ("item",), "distances": ("item",), "people": ("user",), "interactions": ("user", "item")}
"""Kind of table → the roles of ids of which the test set must share some, in at least one role."""
Alternative = tuple[str, ClassifiedFile, str]
"""A key of the data section, a file that could have it instead of the one chosen, and a comment."""
_MOSTLY: Final = 0.5
"""A file that holds a larger share of the test pairs holds all interactions, and is no train set."""


class TrainTestFiles(Struct, frozen=True):
    """The test set and the train set with the reasons by path, alternatives, and doubts. Without a test set `problem` says why."""

    test: ClassifiedFile | None = None
    train: ClassifiedFile | None = None
    alternatives: tuple[Alternative, ...] = ()
    doubts: tuple[str, ...] = ()
    problem: str = ""
    reasons: dict[str, str] = field(default_factory=dict)


def choose_train_test(interactions: Sequence[ClassifiedFile], lists: Sequence[ClassifiedFile]) -> TrainTestFiles:
    """Choose the test and the train set by names, then by sizes, then by the pairs they share."""
    candidates = test_candidates(interactions, lists)
    if not candidates:
        paths = " and ".join(file.summary.path for file in interactions)
        learnt_from = f"by name, {paths} {'is' if len(interactions) == 1 else 'are'} the train interactions"
        lacking = "which has a user and an item column but no score or rank"
        return TrainTestFiles(problem=f"no file looks like a test set{f': {learnt_from}' if interactions else f', {lacking}'}")
    test = candidates[0]
    train, alternatives, doubts = _choose_train(test, [file for file in interactions if file is not test])
    if test_priority(test) < UNKNOWN:
        reason, test_doubts = test.reason, _rival_doubts(test, candidates[1:])
    else:
        if train is None and not alternatives and not any(_share_pairs(test, file) for file in lists):
            learnt = "contains no recommended pair: it seems to be the train set, and no other file could be the test set"
            return TrainTestFiles(problem=f"{test.summary.path} {learnt}")
        reason = (
            f"smaller than {train.summary.path}, and no file name contains test"
            if train
            else "users and items, and no file name contains test"
        )
        test_doubts = (f"no file name tells which file is the test set; {test.summary.path} is used as it",)
    reasons = {test.summary.path: reason}
    if train:
        by_size = f"larger than {test.summary.path}, and it contains other pairs"
        reasons[train.summary.path] = train.reason if test_priority(train) == TRAIN else by_size
    return TrainTestFiles(test, train, alternatives, (*test_doubts, *doubts), reasons=reasons)


def resolve_bare_lists(files: Sequence[ClassifiedFile]) -> list[ClassifiedFile]:
    """Turn lists that only their equal lengths gave away into interactions, unless they share pairs with a test set by name."""
    tests = [file for file in files if file.table == "interactions" and test_priority(file) < UNKNOWN]
    return [
        replace(file, table="interactions") if file.is_told_by_length and not any(_share_pairs(test, file) for test in tests) else file
        for file in files
    ]


def shared_fraction(test: ClassifiedFile, other: ClassifiedFile) -> float:
    """Return the fraction of the test pairs that another file holds, over its users, as far as the files were previewed."""
    n_shared, n_pairs = _shared_pairs(test, other)
    return n_shared / n_pairs if n_pairs else 0.0


def _shared_pairs(test: ClassifiedFile, other: ClassifiedFile) -> tuple[int, int]:
    """Count the test pairs that another file holds, and those of its users."""
    pairs = [pair for pair in test.by_user.pairs if pair[0] in other.by_user.users]
    return sum(pair in other.by_user.pairs for pair in pairs), len(pairs)


def _share_pairs(test: ClassifiedFile, lists: ClassifiedFile) -> bool:
    return not test.by_user.pairs.isdisjoint(lists.by_user.pairs)


def test_candidates(interactions: Sequence[ClassifiedFile], lists: Sequence[ClassifiedFile]) -> list[ClassifiedFile]:
    """Return the files that may be the test set, the likeliest by names and sizes first."""
    candidates = [file for file in interactions if test_priority(file) < TRAIN]
    if len(candidates) < 2:
        return candidates  # saves the search for lists
    return sorted(candidates, key=lambda file: _test_order(file, [*interactions, *lists]))


def _test_order(file: ClassifiedFile, files: Sequence[ClassifiedFile]) -> tuple[int, bool, int, bool, int, str]:
    """Sort by name, then files with lists, then those nearest to the top; without a telling name the smallest first."""
    is_named, label = test_priority(file) < UNKNOWN, file.summary.label
    has_other_words = stem(label) not in ("test", "validation", "valid")
    depth = len(PurePosixPath(label).parts) if is_named else 0
    return (test_priority(file), not has_lists(file, files), depth, has_other_words, 0 if is_named else file.summary.n_rows, label)


def _choose_train(
    test: ClassifiedFile, rest: Sequence[ClassifiedFile]
) -> tuple[ClassifiedFile | None, tuple[Alternative, ...], tuple[str, ...]]:
    """Choose the train set; return it with what the other files could be, and with doubts."""
    train: ClassifiedFile | None = None
    alternatives: list[Alternative] = []
    doubts: list[str] = []
    for file in sorted(rest, key=lambda file: _train_order(file, test)):
        priority, path, fraction = test_priority(file), file.summary.path, shared_fraction(test, file)
        if priority < UNKNOWN:
            comment = "could also be the test set" if priority < VALIDATION else "a validation set, by its name"
            alternatives.append(("test", file, comment))
        elif priority == UNKNOWN and fraction > _MOSTLY:
            alternatives.append(("train", file, f"holds {fraction:.0%} of the test pairs: all interactions, not a train set"))
            if train is None:
                doubts.append(f"{path} holds {fraction:.0%} of the test pairs, so it is not used as the train set")
        elif train is not None:
            alternatives.append(("train", file, "could also be the train set"))
        elif priority == UNKNOWN and file.summary.n_rows < test.summary.n_rows:
            alternatives.append(("train", file, "smaller than the test set"))
        else:
            train = file
            if fraction > 0:
                n_shared, n_pairs = _shared_pairs(test, file)
                doubts.append(f"{path} is used as the train set, and {n_shared:,} of {n_pairs:,} test pairs are also in it")
    return train, tuple(alternatives), tuple(doubts)


def _train_order(file: ClassifiedFile, test: ClassifiedFile) -> tuple[int, bool, bool, bool, int, str]:
    """Sort train sets by name, then those in the folder of the test set, those called train, those with its columns, and the largest."""
    label = file.summary.label
    is_elsewhere = are_in_different_folders(label, test.summary.label)
    has_other_columns = [column.name for column in file.summary.columns] != [column.name for column in test.summary.columns]
    return (-test_priority(file), is_elsewhere, stem(label) != "train", has_other_columns, -file.summary.n_rows, label)


def _rival_doubts(test: ClassifiedFile, candidates: Sequence[ClassifiedFile]) -> tuple[str, ...]:
    """Return a sentence on files whose names say test as clearly as that of the test set, if there are any."""
    rivals = [file.summary.path for file in candidates if test_priority(file) == test_priority(test)]
    if not rivals:
        return ()
    stand = "stands" if len(rivals) == 1 else "stand"
    return (f"{test.summary.path} is used as the test set; {' or '.join(rivals)} could also be it, and {stand} in the config as a comment",)


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
    above = {folder for file in files if file.table == "lists" for folder in (_folder(file), *_folder(file).parents)}
    tests = [file for file in files if file.table == "interactions" and test_priority(file) == TEST and _folder(file) in above]
    homes = {_folder(file): file for file in reversed(tests)}  # each folder of lists with its first test set
    elsewhere = {}
    for file in files:
        folder = next((folder for folder in (_folder(file), *_folder(file).parents) if folder in homes), here)
        if folder not in (here, *here.parents) and test.by_user.pairs != (home := homes[folder]).by_user.pairs:
            beside = f"it is in a folder with another test set, {home.summary.path}"
            elsewhere[file.summary.path] = "another test set, with lists in its folder" if file is home else beside
    return elsewhere


def _folder(file: ClassifiedFile) -> PurePosixPath:
    return PurePosixPath(file.summary.label).parent


def _no_common_ids(test: ClassifiedFile, file: ClassifiedFile) -> str:
    """Return why a file cannot belong to the test set; empty if it can."""
    roles = [role for role in _ROLES[file.table or ""] if role in file.columns]
    if not roles or not all(have_no_common_ids(test, file, role) for role in roles):
        return ""
    return f"it has no {' and no '.join(roles)} in common with {test.summary.path}"
