"""Find folds among classified files: the same files several times, with another number in their paths."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..config.data import MARK
from ..config.run_files import SEED
from ..results.row import shortened
from ..support.patterns import regex
from .choice import is_test_set
from .classification import ClassifiedFile
from .guessed_config import GuessedConfig, SourceEntry
from .name_words import stem
from .seeds import seedless

_NUMBER: Final = regex(r"\d+")
_FOLD_WORD: Final = regex(rf"(?i)[-_. ]*(?:fold|split|cv)?[-_. ]*{re.escape(MARK)}")
"""The number of a fold in the name of a file, with its word: `_fold_{fold}` of `als_fold_{fold}`."""


_MOST_ARGUMENTS: Final = 6
"""A command with more arguments is not shown."""


class FoldFiles(Struct, frozen=True):
    """The names of the folds, the path with `{fold}` of each file of the first fold, and the paths of all other folds."""

    names: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)
    others: frozenset[str] = frozenset()


def find_folds(files: Sequence[ClassifiedFile]) -> FoldFiles:
    """Return the folds that most files belong to: at least two different test sets, each with lists; without any no names."""
    groups: dict[str, dict[str, ClassifiedFile]] = {}
    for file in files if not any("{" in file.path.replace(SEED, "") for file in files) else ():
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


def left_out_folds(folds: FoldFiles, files: Sequence[ClassifiedFile], config: GuessedConfig) -> dict[str, str]:
    """Return the path with `{fold}` of each file of folds that a config leaves out, with the reason; the first has the command for them.

    The command names the folders or files of the folds among all `files`, and the files of the config that belong to no test set.
    """
    own = {*folds.patterns, *folds.others}
    outside = [file.path for file in files if file.path not in own]
    sides = [entry.file.path for key, entry in config.data.items() if key not in ("test", "train") and entry.file.path not in own]
    reason = f"folds {', '.join(folds.names)} have their own test sets"
    reasons = dict.fromkeys(folds.patterns.values(), reason)
    for patterns in _complete_groups(folds, files):
        arguments = dict.fromkeys([*(_argument(pattern, outside) for pattern in patterns), *map(shlex.quote, sides)])
        if len(arguments) <= _MOST_ARGUMENTS and not any(SEED in argument for argument in arguments):
            reasons[patterns[0]] = f"{reason}; receval init {' '.join(arguments)} writes a config of all folds"
    return reasons


def _complete_groups(folds: FoldFiles, files: Sequence[ClassifiedFile]) -> list[list[str]]:
    """Return groups of the files of folds that a config can be of: those of each folder with a test set and lists, else all."""
    firsts = {folds.patterns[file.path]: file for file in files if file.path in folds.patterns}
    folders: dict[str, list[str]] = {}
    for pattern in firsts:
        folders.setdefault(_folder(pattern), []).append(pattern)
    tests, lists = (
        {pattern for pattern, file in firsts.items() if fits(file)} for fits in (is_test_set, lambda file: file.table == "lists")
    )
    complete = [some for some in folders.values() if not tests.isdisjoint(some) and not lists.isdisjoint(some)]
    return complete or [list(folds.patterns.values())]


def _folder(pattern: str) -> str:
    return os.path.dirname(pattern.partition(MARK)[0])


def _argument(pattern: str, outside: Sequence[str]) -> str:
    """Return what to write on a command line for a path with `{fold}`: its folder, or a glob if others than files of folds are in it."""
    before, _, after = pattern.partition(MARK)
    folder, rest = _folder(pattern), after.partition("/")[0]
    if folder and not any(path.startswith(f"{folder}/") for path in outside):
        return shlex.quote(folder)
    plain = f"{before}*{rest}"
    sign = "[0-9]*" if any(fnmatch(path, plain) or fnmatch(path, f"{plain}/*") for path in outside) else "*"
    return f"{shlex.quote(before)}{sign}{shlex.quote(rest) if rest else ''}"


def lists_of_no_fold(config: GuessedConfig, folds: FoldFiles) -> dict[str, str]:
    """Return the lists that no fold has, with the reason to leave them out, if the test set of a config is that of a fold."""
    reason = f"no fold ({', '.join(folds.names)}) has such a file"
    is_of_fold = "test" in config.data and config.data["test"].file.path in folds.patterns
    return {entry.file.path: reason for entry in config.models.values() if is_of_fold and entry.file.path not in folds.patterns}


def with_folds(config: GuessedConfig, folds: FoldFiles) -> GuessedConfig | None:
    """Return the config of the first fold as one of all folds; `None` if its test set or a model is not in every fold."""
    entries = {"test": config.data.get("test"), **config.models}
    if config.problem or any(entry is None or entry.file.path not in folds.patterns for entry in entries.values()):
        return None

    def folds_entry(entry: SourceEntry) -> SourceEntry:
        return replace(entry, file=replace(entry.file, path=folds.patterns.get(entry.file.path, entry.file.path)))

    models = {name: folds_entry(entry) for name, entry in config.models.items()}
    names = _without_number(models)
    described = dict(config.descriptions)
    for old, entry in config.models.items():
        described[entry.file.path] = described[entry.file.path].replace(f"the model {old}:", f"the model {names[old]}:", 1)
    return replace(
        config,
        folds=folds.names,
        data={key: folds_entry(entry) for key, entry in config.data.items()},
        models={names[name]: entry for name, entry in models.items()},
        alternatives=tuple((key, folds_entry(entry)) for key, entry in config.alternatives),
        descriptions=(
            *((folds.patterns.get(path, path), what) for path, what in described.items()),
            ("folds", f"{', '.join(folds.names)}: each name replaces {MARK} in the paths; the first fold was looked at"),
        ),
    )


def with_uncounted(config: GuessedConfig, paths: Sequence[str], of_seeds: Mapping[str, Sequence[str]]) -> GuessedConfig:
    """Return a config that says how many files it leaves out of which nothing is said; `of_seeds` is path with `{seed}` → files."""
    if config.problem:
        return config
    folds_entry = [path.replace(MARK, fold) for path, _ in config.descriptions for fold in config.folds or (MARK,)]
    said = {file for path in folds_entry for file in of_seeds.get(path, (path,))}
    out = [path for path in paths if path not in said]
    why = f"a number in their paths is not that of a fold; if they are runs of a model, write {SEED} in its place"
    return with_left_out(config, out, why)


def with_left_out(config: GuessedConfig, paths: Sequence[str], why: str) -> GuessedConfig:
    """Return a config that says in one line how many files are left out, and why."""
    line = (f"{len(paths):,} file{'s' if len(paths) > 1 else ''} ({shortened(paths)})", f"left out: {why}")
    return replace(config, descriptions=(*config.descriptions, line)) if paths else config


def _without_number(models: Mapping[str, SourceEntry]) -> dict[str, str]:
    """Return model → its name without the number of the first fold: `als_1` is als, and so is `als/fold_1`. If names are equal all stay."""
    paths = {name: seedless(entry.file.path) for name, entry in models.items()}
    names = {name: stem(path) if MARK in stem(path) else name for name, path in paths.items()}
    folders = {name: os.path.basename(os.path.dirname(path)) for name, path in paths.items()}
    shorter = {name: (_without_fold(place) or _without_fold(folders[name])) for name, place in names.items()}
    return shorter if all(shorter.values()) and len({*shorter.values()}) == len(models) else {name: name for name in models}


def _without_fold(name: str) -> str:
    return _FOLD_WORD.sub("", name).strip("-_. ")
