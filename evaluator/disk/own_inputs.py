"""Protect the inputs of a run from its results: refuse a run that would overwrite or remove one of them, before it reads anything."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..config import Loaded
from ..config.overrides import dotted
from ..errors import DataError, OutputError
from ..load import Remote, find
from ..load.drivers import file_of
from ..load.folders import is_hidden, parts_of

_ELSEWHERE: Final = "choose another place for the results"


class Target(Struct, frozen=True):
    """A file or folder that a run writes to: the option that names it, as it was written, and the path.

    `takes` returns whether the run may write or remove a name in the folder; a file has none.
    """

    option: str
    path: Path
    takes: Callable[[str], bool] | None = None


def refuse_overwriting(loaded: Loaded, targets: Iterable[Target]) -> None:
    """Raise `OutputError` for a target that would overwrite an input of a config or the config, or is in a folder that is an input.

    Two paths are the same if they lead to one file, by links or other spellings. Files that do not exist yet are not inputs.
    """
    inputs = [(role, path, Path(os.path.realpath(path))) for role, path in inputs_of(loaded)]
    for target in targets:
        for role, path, real in inputs:
            if os.path.isdir(path):
                inside = Path(os.path.realpath(target.path))
                if inside.is_relative_to(real) and not any(map(is_hidden, inside.relative_to(real).parts)):
                    raise OutputError(
                        f"{target.option}: the next run would read the results as input, because {path} is the folder of {role}",
                        "choose a folder outside of it",
                    )
            elif target.takes is None and _is_same(target.path, path):
                raise OutputError(f"{target.option} would overwrite {path}, which is {role}", _ELSEWHERE)
            elif target.takes is not None and any(target.takes(one.name) and _is_same(target.path, one.parent) for one in (path, real)):
                raise OutputError(f"{target.option} would overwrite or remove {path}, which is {role}", _ELSEWHERE)


def inputs_of(loaded: Loaded) -> Iterator[tuple[str, Path]]:
    """Yield every local file and folder that a config names with its role, the files in those folders, and the config itself."""
    if loaded.name:  # a mapping in Python has no name
        yield "the config", Path(loaded.name)
    for location, source in loaded.config.data.sources():
        role = dotted(("data", *location))
        if source.uri is not None and (database := file_of(source.uri, loaded.folder)) is not None:
            yield role, database
        for text in source.path:
            try:
                for path in find(role, [text], loaded.folder) if text != "-" else ():
                    if not isinstance(path, Remote):
                        yield role, path
                        yield from ((role, part) for part in (parts_of(role, path) if os.path.isdir(path) else ()))
            except DataError:  # unreadable inputs are reported when they are read
                continue


def _is_same(path: Path, other: Path) -> bool:
    are_there = os.path.exists(path) and os.path.exists(other)
    return path.samefile(other) if are_there else os.path.realpath(path) == os.path.realpath(other)
