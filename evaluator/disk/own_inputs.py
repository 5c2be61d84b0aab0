"""The inputs of a run are safe from its results: a run that would overwrite or remove one of them is refused before it reads anything."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ..config import Loaded
from ..config.overrides import dotted
from ..errors import DataError, OutputError
from ..load import Remote, find
from ..load.database import file_of
from ..load.folders import is_hidden, parts_of


class Target(Struct, frozen=True):
    """A file or folder that a run writes to: the option that names it, as it was written, and the path.

    `takes` says which names in the folder the run may write or remove; a file has none.
    """

    option: str
    path: Path
    takes: Callable[[str], bool] | None = None


def refuse_overwriting(loaded: Loaded, targets: Iterable[Target]) -> None:
    """`OutputError` for a target that would overwrite an input of a config or the config, or lies in a folder that is an input.

    Two paths are the same if they lead to one file, by links or in other spellings. Files that are not there yet are no inputs.
    """
    inputs = list(_inputs(loaded))
    for target in targets:
        for role, path in inputs:
            if os.path.isdir(path):
                if _is_read_from(path, target):
                    raise OutputError(
                        f"{target.option}: the next run would read the results as input, because {path} is the folder of {role}",
                        "choose a folder outside of it",
                    )
            elif _overwrites(target, path):
                verb = "overwrite" if target.takes is None else "overwrite or remove"
                raise OutputError(f"{target.option} would {verb} {path}, which is {role}", "choose another place for the results")


def _inputs(loaded: Loaded) -> Iterator[tuple[str, Path]]:
    """Every local file and folder that a config names with its role, the files in those folders, and the config itself."""
    if loaded.name:  # a mapping of Python has none
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
            except DataError:  # what cannot be read is said when it is read
                continue


def _overwrites(target: Target, path: Path) -> bool:
    """Whether writing to a target changes the file at `path`, or the one that it leads to."""
    if target.takes is None:
        return _is_same(target.path, path)
    return any(target.takes(one.name) and _is_same(target.path, one.parent) for one in (path, Path(os.path.realpath(path))))


def _is_read_from(folder: Path, target: Target) -> bool:
    """Whether a target is in a folder of parts, under a name that is not passed over there."""
    above = Path(os.path.realpath(folder))
    path = Path(os.path.realpath(target.path))
    return path.is_relative_to(above) and not any(map(is_hidden, path.relative_to(above).parts))


def _is_same(path: Path, other: Path) -> bool:
    if os.path.exists(path) and os.path.exists(other):
        return path.samefile(other)
    return os.path.realpath(path) == os.path.realpath(other)
