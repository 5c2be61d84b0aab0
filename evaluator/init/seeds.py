"""Find the runs of models among classified lists: the same file several times, with the number of another seed in its path."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..config.run_files import SEED, by_numbers, without_seed
from ..results.row import shortened
from ..support.patterns import regex
from .classification import ClassifiedFile

_SEED: Final = regex(
    r"(?i)(?:(?<![A-Za-z])|(?<=[a-z])(?=S))(?P<word>seed|rs|random[-_]?state|rep|repeat|repetition|trial)[-_.=]?(?P<seed>\d+)"
)

_MOST_PLACES: Final = 3


class SeedFiles(Struct, frozen=True):
    """The lists of all runs of a model: the path with `{seed}`, and seed → file, in the order of the seeds."""

    pattern: str
    by_seed: dict[str, ClassifiedFile]

    @property
    def paths(self) -> list[str]:
        """The file of each seed."""
        return [file.path for file in self.by_seed.values()]

    @property
    def as_one(self) -> ClassifiedFile:
        """The file of the first seed, with the path that names all of them."""
        first = next(iter(self.by_seed.values()))
        label = seedless(next((ending for ending, _ in _patterns(first.label) if self.pattern.endswith(ending)), first.label))
        return replace(
            first, path=self.pattern, label=label, reason=f"{first.reason}; {len(self.by_seed)} seeds: {shortened(self.by_seed)}"
        )


def find_seeds(files: Sequence[ClassifiedFile]) -> list[SeedFiles]:
    """Return the lists of the same model with several seeds; a word that test sets have too, such as `trial1`, says no seed."""
    others = {found["word"].lower() for file in files if file.table == "interactions" for found in _SEED.finditer(file.path)}
    groups: dict[str, dict[str, ClassifiedFile]] = {}
    for file in files:
        is_one_model = file.table == "lists" and not file.models and file.preview.place.query is None
        if is_one_model and not glob.has_magic(file.path) and "{" not in file.path:
            for pattern, seed in _patterns(file.path, others):
                groups.setdefault(pattern, {})[seed] = file
    taken: set[str] = set()
    found = []
    for pattern, group in sorted(groups.items(), key=lambda pair: -len(pair[1])):  # stable: of as many, the number behind the word alone
        if len(group) > 1 and taken.isdisjoint(file.path for file in group.values()):
            taken |= {file.path for file in group.values()}
            found.append(SeedFiles(pattern, dict(sorted(group.items(), key=lambda pair: by_numbers(pair[0])))))
    return found


def names_seeds(paths: Sequence[str]) -> bool:
    """Return whether several of these paths have a number behind a word for a seed."""
    return sum(_SEED.search(path) is not None for path in paths) > 1


def with_seeds(files: Sequence[ClassifiedFile], seeds: Sequence[SeedFiles]) -> list[ClassifiedFile]:
    """Return the files with one in place of those of all seeds of a model."""
    first = {next(iter(group.by_seed.values())).path: group for group in seeds}
    others = {file.path for group in seeds for file in group.by_seed.values()} - first.keys()
    return [first[file.path].as_one if file.path in first else file for file in files if file.path not in others]


def seedless(path: str) -> str:
    """Return a path without `{seed}`, and without folders that only name it: `BPR/seed{seed}.csv` is `BPR.csv`."""
    if SEED not in path:
        return path
    *folders, name = map(without_seed, path.split("/"))
    folders = [folder for index, folder in enumerate(folders) if folder or not (index or path.startswith(SEED))]
    if not PurePosixPath(name).suffix and name.startswith(".") and folders:  # the ending alone is left
        name = f"{folders.pop()}{name}"
    return os.path.join(*folders, name) if folders else name


def _patterns(path: str, others: set[str] | frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """Yield the path with `{seed}` behind a word for it, then at further places of its number; and the number."""
    found = [match for match in _SEED.finditer(path) if match["word"].lower() not in others]
    if not found:
        return
    seed = found[0]["seed"]
    said = {match.start("seed") for match in found if match["seed"] == seed}
    places = [match.start() for match in re.finditer(rf"(?<!\d){seed}(?!\d)", path)]
    free = [place for place in places if place not in said][:_MOST_PLACES]
    for n in range(len(free) + 1):
        for some in combinations(free, n):
            pattern = path
            for place in sorted({*said, *some}, reverse=True):
                pattern = f"{pattern[:place]}{SEED}{pattern[place + len(seed) :]}"
            yield pattern, seed
