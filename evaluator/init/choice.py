"""Choose the test set, the train set and the lists of models among classified files, by names, sizes, and the ids that they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..load.column_words import words_of
from .classification import ClassifiedFile
from .name_words import are_in_different_folders, stem, table_words
from .readings import read_beside

_TEST: Final = 0
_VALIDATION: Final = 1
_UNKNOWN: Final = 2
_TRAIN: Final = 3
"""Roles by the name of a file; the lower, the likelier it is the test set."""
_ROLES: Final = {"catalogue": ("item",), "policy": ("item",), "distances": ("item",), "people": ("user",), "interactions": ("user", "item")}
"""Kind of table → the roles of ids; the test set must share ids of at least one of them."""
_MOSTLY: Final = 0.5
"""A file with a larger share of the test pairs has all interactions, and is not a train set."""
_MIN_SHARE_IN_TEST: Final = 0.8
"""Smallest share of pairs in the test set for a file of predicted ratings."""
_GENERIC_WORDS: Final = (
    "recs", "rec", "recommendations", "reco", "recos", "predictions", "preds", "pred", "lists", "run", "runs", "results", "output"
)  # fmt: skip
"""Words that add nothing to the name of a model."""
_FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "surrounding white space": str.strip,
    "upper and lower case": str.casefold,
    "leading zeros": lambda text: re.sub(r"^0+(?=\d+$)", "", text),
    "a decimal .0": lambda text: re.sub(r"^(-?\d+)\.0+$", r"\1", text),
    "quotation marks": lambda text: text.strip("\"'"),
}
_WORTH_SAYING: Final = 0.01
"""Smallest share of ids that must differ only in spelling for a warning."""
_CANDIDATE_WORDS: Final = ("candidate", "candidates", "negative", "negatives", "sampled")
CANDIDATES: Final = (
    "by its name it has candidates for ranking, but it has no score or rank, so it is not a model: give the scores of the candidates"
)
Alternative = tuple[str, ClassifiedFile, str]
"""A key of the data section, a file that could have it instead of the one chosen, and a comment."""


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
        paths = " and ".join(file.path for file in interactions)
        learnt_from = f"by name, {paths} {'is' if len(interactions) == 1 else 'are'} the train interactions"
        lacking = "which has a user and an item column but no score or rank"
        return TrainTestFiles(problem=f"no file looks like a test set{f': {learnt_from}' if interactions else f', {lacking}'}")
    test = candidates[0]
    train, alternatives, doubts = _choose_train(test, [file for file in interactions if file is not test])
    reason = test.reason
    if _priority(test) < _UNKNOWN:
        rivals = [file.path for file in candidates[1:] if _priority(file) == _priority(test)]
        if rivals:
            as_comments = "is a comment" if len(rivals) == 1 else "are comments"
            could_be = f"{' or '.join(rivals)} could also be the test set, and {as_comments} in the config"
            doubts.insert(0, f"{test.path} is used as the test set; {could_be}")
    else:
        if train is None and not alternatives and lists and not any(_share_pairs(test, file) for file in lists):
            learnt = "contains no recommended pair: it seems to be the train set, and no other file could be the test set"
            return TrainTestFiles(problem=f"{test.path} {learnt}")
        reason = (
            f"smaller than {train.path}, and no file name contains test" if train else "users and items, and no file name contains test"
        )
        doubts.insert(0, f"no file name tells which file is the test set; {test.path} is used as it")
    reasons = {test.path: reason}
    if train:
        reasons[train.path] = train.reason if _priority(train) == _TRAIN else f"larger than {test.path}, and it contains other pairs"
    return TrainTestFiles(test, train, tuple(alternatives), tuple(doubts), reasons=reasons)


def resolve_bare_lists(files: Sequence[ClassifiedFile]) -> list[ClassifiedFile]:
    """Turn files that were classified as lists only by their equal lengths into interactions, unless they share test pairs."""
    tests = [file for file in files if file.table == "interactions" and _priority(file) < _UNKNOWN]
    return [
        replace(file, table="interactions")
        if file.is_told_by_length and not any(_share_pairs_beside(test, file) for test in tests)
        else file
        for file in files
    ]


def test_candidates(interactions: Sequence[ClassifiedFile], lists: Sequence[ClassifiedFile]) -> list[ClassifiedFile]:
    """Return the files that may be the test set, the likeliest by names and sizes first."""
    candidates = [file for file in interactions if _priority(file) < _TRAIN]
    if len(candidates) < 2:
        return candidates  # saves the search for lists
    return sorted(candidates, key=lambda file: _test_order(file, [*interactions, *lists]))


def _test_order(file: ClassifiedFile, files: Sequence[ClassifiedFile]) -> tuple[int, bool, int, bool, int, str]:
    """Return a sort key: by name, then files with lists, then those nearest to the top; without a clear name, the smallest first.

    A file has lists if some in its folders share users and items with it.
    """
    is_named, label = _priority(file) < _UNKNOWN, file.label
    elsewhere = _elsewhere(file, files)
    lists = [other for other in files if other.table == "lists" and other.path not in elsewhere]
    has_no_lists = all(_role_without_common_ids(file, other) for other in lists)
    has_other_words = stem(label) not in ("test", "validation", "valid")
    depth = len(PurePosixPath(label).parts) if is_named else 0
    return (_priority(file), has_no_lists, depth, has_other_words, 0 if is_named else file.n_rows[0], label)


def _choose_train(test: ClassifiedFile, rest: Sequence[ClassifiedFile]) -> tuple[ClassifiedFile | None, list[Alternative], list[str]]:
    """Choose the train set; return it with what the other files could be, and with doubts."""
    train: ClassifiedFile | None = None
    alternatives: list[Alternative] = []
    doubts: list[str] = []
    for file in sorted(rest, key=lambda file: _train_order(file, test)):
        priority, (n_shared, n_pairs, fraction) = _priority(file), _shared_pairs(test, file)
        if priority < _UNKNOWN:
            comment = "could also be the test set" if priority < _VALIDATION else "a validation set, by its name"
            alternatives.append(("test", file, comment))
        elif priority == _UNKNOWN and fraction > _MOSTLY:
            alternatives.append(("train", file, f"contains {fraction:.0%} of the test pairs: all interactions, not a train set"))
            if train is None:
                doubts.append(f"{file.path} contains {fraction:.0%} of the test pairs, so it is not used as the train set")
        elif train is not None:
            alternatives.append(("train", file, "could also be the train set"))
        elif priority == _UNKNOWN and file.n_rows[0] < test.n_rows[0]:
            alternatives.append(("train", file, "smaller than the test set"))
        else:
            train = file
            if fraction > 0:
                of_read = "" if test.by_user.is_whole and file.by_user.is_whole else " in the rows that were read"
                are = "is" if n_shared == 1 else "are"
                shared = f"{n_shared:,} of {n_pairs:,} distinct test pairs {are} also in it (of users in both files{of_read})"
                doubts.append(f"{file.path} is used as the train set, and {shared}")
    return train, alternatives, doubts


def _train_order(file: ClassifiedFile, test: ClassifiedFile) -> tuple[int, bool, bool, bool, bool, int, str]:
    """Sort train sets by name, then by folder, by columns and by the numbers in their names, those of the test set first, then by size."""
    is_elsewhere = are_in_different_folders(file.label, test.label)
    has_other_columns = [column.name for column in file.every] != [column.name for column in test.every]
    has_other_numbers = re.findall(r"\d+", file.label) != re.findall(r"\d+", test.label)  # u1.base belongs to u1.test
    is_other_train = stem(file.label) != "train"
    return (-_priority(file), is_elsewhere, is_other_train, has_other_columns, has_other_numbers, -file.n_rows[0], file.label)


def _priority(file: ClassifiedFile) -> int:
    """Order files by how likely they are the test set: `_TEST` by name or format, then `_VALIDATION`, `_UNKNOWN`, `_TRAIN`."""
    words = table_words(file.label)
    default = _TEST if file.is_trec and file.table == "interactions" else _UNKNOWN
    return next((rank for rank, word in ((_TEST, "test"), (_VALIDATION, "validation"), (_TRAIN, "train")) if word in words), default)


def is_test_set(file: ClassifiedFile) -> bool:
    """Return whether a file is a test set by its name or format."""
    return file.table == "interactions" and _priority(file) == _TEST


def is_named_test_set(file: ClassifiedFile) -> bool:
    """Return whether the name or the format of a file says that it is a test or validation set."""
    return _priority(file) < _UNKNOWN


def foreign_files(test: ClassifiedFile, files: Sequence[ClassifiedFile]) -> dict[str, str]:
    """Return the files that do not belong to the test set, with the reason.

    They are in the folder of another test set that has its own lists, or share no ids with this one. Lists without common ids are
    reported later, when the models are chosen.
    """
    foreign = _elsewhere(test, files)
    for file in files:
        roles = [role for role in _ROLES.get(file.table or "", ()) if role in file.columns]
        if file is not test and file.path not in foreign and roles and all(_have_no_common_ids(test, file, role) for role in roles):
            foreign[file.path] = f"it has no {' and no '.join(roles)} in common with {test.path}"
    return foreign


def _elsewhere(test: ClassifiedFile, files: Sequence[ClassifiedFile]) -> dict[str, str]:
    """Return the files whose nearest folder with a test set is neither the folder of `test` nor one above it, with the reason."""
    folders = {file.path: (folder := PurePosixPath(file.label).parent, *folder.parents) for file in (*files, test)}
    above = {folder for file in files if file.table == "lists" for folder in folders[file.path]}
    tests = [file for file in files if file.table == "interactions" and _priority(file) == _TEST and folders[file.path][0] in above]
    homes = {folders[file.path][0]: file for file in reversed(tests)}  # each folder of lists with its first test set
    elsewhere = {}
    for file in files:
        folder = next((folder for folder in folders[file.path] if folder in homes), folders[test.path][0])
        if folder not in folders[test.path] and test.by_user.pairs != (home := homes[folder]).by_user.pairs:
            beside = f"it is in a folder with another test set, {home.path}"
            elsewhere[file.path] = "another test set, with lists in its folder" if file is home else beside
    return elsewhere


def choose_models(
    test: ClassifiedFile, lists: Sequence[ClassifiedFile]
) -> tuple[dict[str, ClassifiedFile], list[ClassifiedFile], dict[str, str]]:
    """Choose the models among files that look like lists: those that share users and items with the test set.

    Return the lists by name of the model, files of predicted ratings, and files left out with the reason.
    """
    strange = [file for file in lists if _role_without_common_ids(test, file)]
    pairs = read_beside(test, strange) if strange else []
    roles = {file.path: role for both, file in zip(pairs, strange, strict=True) if (role := _role_without_common_ids(*both))}
    left_out = {path: f"it looks like lists, but has no {role} in common with {test.path}" for path, role in roles.items()}
    left_out |= {file.path: CANDIDATES for file in lists if file.path not in left_out and _holds_candidates(file)}
    usable = [file for file in lists if file.path not in left_out]
    scores = [(file, file.columns["score"]) for file in usable if "score" in file.columns and "position" not in file.columns]
    likely = [file for file, score in scores if "prediction" in score.usual_roles]
    predicted = [file for file in likely if _shared_pairs(file, test)[2] >= _MIN_SHARE_IN_TEST]
    if len(predicted) == len(usable):
        predicted = []
    models = [file for file in usable if file not in predicted]
    labels = [file.label for file in models]
    names = [_short_name(label) for label in labels]
    for longer in (stem, _name_with_folder, lambda label: PurePosixPath(label).name.replace(".", "_"), str):  # if names collide
        names = [name if names.count(name) == 1 else longer(label) for name, label in zip(names, labels, strict=True)]
    return dict(sorted(zip(names, models, strict=True), key=lambda pair: pair[0])), predicted, left_out


def _holds_candidates(file: ClassifiedFile) -> bool:
    """Return whether a file has the candidates that models rank, not lists: by its name, if no column orders them."""
    score = file.columns.get("score")
    is_label = score is not None and score.half_steps and "score" not in score.usual_roles
    is_ordered = "position" in file.columns or (score is not None and not is_label)
    return not is_ordered and any(word in _CANDIDATE_WORDS for word in words_of(stem(file.label)))


def _short_name(label: str) -> str:
    """Remove generic words from both ends of a file name: `recs_als` is als. A name of nothing else is kept."""
    parts = re.split(r"[-_]", stem(label))
    while parts and parts[0].lower() in _GENERIC_WORDS:
        parts = parts[1:]
    while parts and parts[-1].lower() in _GENERIC_WORDS:
        parts = parts[:-1]
    match = re.search(r"[-_]".join(map(re.escape, parts)), stem(label))
    return match[0] if parts and match else stem(label)


def _name_with_folder(label: str) -> str:
    """Name a file after its folder, and after itself too unless its name is generic."""
    folder = PurePosixPath(label).parent.name
    return folder if table_words(stem(label)) == ("lists",) else "_".join(filter(None, (folder, stem(label))))


def spelling_doubts(test: ClassifiedFile, others: Sequence[ClassifiedFile]) -> list[str]:
    """Return a sentence for each difference in spelling that keeps user or item ids from matching those of the test set."""
    sentences: dict[tuple[str, str], list[str]] = {}
    for other, role, (name, fold) in product(others, ("user", "item"), _FOLDS.items()):
        test_ids, ids = test.ids(role), other.ids(role)
        n_ids = len({fold(text) for text in test_ids} & {fold(text) for text in ids}) - len(test_ids & ids)
        if n_ids > _WORTH_SAYING * min(len(test_ids), len(ids)):
            unmatched = {fold(text): text for text in sorted(ids - test_ids, reverse=True)}
            first = next(text for text in sorted(test_ids - ids) if fold(text) in unmatched)
            differ = f"{n_ids:,} {role} ids of {test.path} and {other.path} differ in {name} only"
            sentences.setdefault((role, name), []).append(f"{differ}, such as {first!r} and {unmatched[fold(first)]!r}")
    more = {key: f" (also in {len(same) - 1} other file{'s' if len(same) > 2 else ''})" for key, same in sentences.items() if same[1:]}
    return [f"{same[0]}{more.get(key, '')}: ids are compared as written" for key, same in sentences.items()]


def _role_without_common_ids(test: ClassifiedFile, other: ClassifiedFile) -> str:
    """Return `user` or `item` if two files have no such id in common; empty if they share both."""
    return next((role for role in ("user", "item") if _have_no_common_ids(test, other, role)), "")


def _have_no_common_ids(test: ClassifiedFile, other: ClassifiedFile, role: str) -> bool:
    """Return whether no previewed user (or item) of one file occurs anywhere in the other."""
    test_ids, ids = test.ids(role), other.ids(role)
    return test_ids.isdisjoint(ids) and not other.contains_any(role, test_ids) and not test.contains_any(role, ids)


def _share_pairs(test: ClassifiedFile, lists: ClassifiedFile) -> bool:
    return not test.by_user.pairs.isdisjoint(lists.by_user.pairs)


def _share_pairs_beside(test: ClassifiedFile, lists: ClassifiedFile) -> bool:
    """Return whether lists have pairs of a test set, as they are read beside it: `318.0` may be 318."""
    return _share_pairs(test, lists) or _share_pairs(*read_beside(test, [lists])[0])


def _shared_pairs(test: ClassifiedFile, other: ClassifiedFile) -> tuple[int, int, float]:
    """Return, for the previewed rows, the test pairs in another file, the test pairs of its users, and their ratio."""
    pairs = [pair for pair in test.by_user.pairs if pair[0] in other.by_user.users]
    n_shared = sum(pair in other.by_user.pairs for pair in pairs)
    return n_shared, len(pairs), n_shared / len(pairs) if pairs else 0.0
