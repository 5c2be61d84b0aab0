"""Find folds among classified files: the same files several times, with another number in their paths."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..config.data import MARK
from .assembly import GuessedConfig, SourceEntry
from .choice import is_test_set
from .classification import ClassifiedFile
from .name_words import stem

_NUMBER: Final = re.compile(r"\d+")
_FOLD_WORD: Final = re.compile(rf"(?i)[-_. ]*(?:fold|split|cv)?[-_. ]*{re.escape(MARK)}")
"""The number of a fold in the name of a file, with its word: `_fold_{fold}` of `als_fold_{fold}`."""


class FoldFiles(Struct, frozen=True):
    """The names of the folds, the path with `{fold}` of each file of the first fold, and the paths of all other folds."""

    names: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)
    others: frozenset[str] = frozenset()


def find_folds(files: Sequence[ClassifiedFile]) -> FoldFiles:
    """Return the folds that most files belong to: at least two different test sets, each with lists; without any no names."""
    groups: dict[str, dict[str, ClassifiedFile]] = {}
    for file in files if not any("{" in file.path for file in files) else ():
        for pattern, number in _patterns(file):
            groups.setdefault(pattern, {})[number] = file
    found = FoldFiles()
    for tests in groups.values():
        names = sorted(tests, key=lambda name: (int(name), name))
        family = {pattern: group for pattern, group in groups.items() if group.keys() == tests.keys()}
        if len(names) > 1 and _are_test_sets(list(tests.values())) and any(group[names[0]].table == "lists" for group in family.values()):
            patterns: dict[str, str] = {}
            for pattern, group in family.items():
                patterns.setdefault(group[names[0]].path, pattern)
            if len(patterns) > len(found.patterns):
                others = frozenset(group[name].path for group in family.values() for name in names[1:])
                found = FoldFiles(tuple(names), patterns, others)
    return found


def _patterns(file: ClassifiedFile) -> Iterator[tuple[str, str]]:
    """Yield the path with `{fold}` for one of its numbers, and for all places of a number that is there several times; and the number."""
    if file.preview.place.query is not None:
        return
    numbers = list(_NUMBER.finditer(file.path))
    for found in numbers:
        yield f"{file.path[: found.start()]}{MARK}{file.path[found.end() :]}", found[0]
    for number in {found[0] for found in numbers}:
        yield _NUMBER.sub(lambda found, number=number: MARK if found[0] == number else found[0], file.path), number  # type: ignore[misc]


def _are_test_sets(files: Sequence[ClassifiedFile]) -> bool:
    """Return whether all files are test sets by their names, with different pairs."""
    return all(map(is_test_set, files)) and len({file.by_user.pairs for file in files}) == len(files)


def left_out_folds(folds: FoldFiles) -> dict[str, str]:
    """Return the path with `{fold}` of each file of folds that a config leaves out, with the reason and the command for these folds."""
    reasons = {}
    for pattern in folds.patterns.values():
        folder = os.path.dirname(pattern.partition(MARK)[0])
        command = f"; receval init {shlex.quote(folder)} writes a config of all folds" if folder else ""
        reasons[pattern] = f"folds {', '.join(folds.names)} have their own test sets{command}"
    return reasons


def with_folds(config: GuessedConfig, folds: FoldFiles) -> GuessedConfig | None:
    """Return the config of the first fold as one of all folds; `None` if its test set or a model is not in every fold."""
    entries = {"test": config.data.get("test"), **config.models}
    if config.problem or any(entry is None or entry.file.path not in folds.patterns for entry in entries.values()):
        return None

    def of_folds(entry: SourceEntry) -> SourceEntry:
        return replace(entry, file=replace(entry.file, path=folds.patterns.get(entry.file.path, entry.file.path)))

    models = {name: of_folds(entry) for name, entry in config.models.items()}
    names = _without_number(models)
    described = dict(config.descriptions)
    for old, entry in config.models.items():
        described[entry.file.path] = described[entry.file.path].replace(f"the model {old}:", f"the model {names[old]}:", 1)
    return replace(
        config,
        folds=folds.names,
        data={key: of_folds(entry) for key, entry in config.data.items()},
        models={names[name]: entry for name, entry in models.items()},
        alternatives=tuple((key, of_folds(entry)) for key, entry in config.alternatives),
        descriptions=(
            *((folds.patterns.get(path, path), what) for path, what in described.items()),
            ("folds", f"{', '.join(folds.names)}: each name replaces {MARK} in the paths; the first fold was looked at"),
        ),
    )


def _without_number(models: Mapping[str, SourceEntry]) -> dict[str, str]:
    """Return model → its name without the number of the first fold: `als_1` is als, and so is `als/fold_1`. If names are equal all stay."""
    names = {name: stem(entry.file.path) if MARK in stem(entry.file.path) else name for name, entry in models.items()}
    folders = {name: os.path.basename(os.path.dirname(entry.file.path)) for name, entry in models.items()}
    shorter = {name: (_without_fold(one) or _without_fold(folders[name])) for name, one in names.items()}
    return shorter if all(shorter.values()) and len({*shorter.values()}) == len(models) else {name: name for name in models}


def _without_fold(name: str) -> str:
    return _FOLD_WORD.sub("", name).strip("-_. ")
