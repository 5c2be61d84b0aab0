"""Paths of a config that are not there: all of them at once, before any file is opened."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from .. import load
from ..config import Loaded
from ..config.locations import dotted
from ..errors import DataError

_ALWAYS: Final = ("test", "recommendations")
_READ_FOR: Final = {"train": {"train", "catalogue", "known"}, "items": {"items", "catalogue", "categories", "known"}}
"""The needs for which a file is read, where they are others than its own name."""


def refuse_missing_files(loaded: Loaded, needed: Collection[str] | None = None) -> None:
    """`DataError` with a line for every path, glob or folder that is not there.

    Of side inputs those are looked at that are `needed`, or all where that is not given. Addresses, standard input and tables of a catalog
    are not looked at.
    """
    problems: list[str] = []
    hint = None
    for location, source in loaded.config.data.sources():
        role = str(location[0])
        local = [path for path in source.path if path != "-" and "://" not in path]
        if needed is not None and role not in _ALWAYS and not _READ_FOR.get(role, {role}) & set(needed):
            continue
        try:
            load.find(dotted(("data", *location)), local, loaded.folder)
        except DataError as error:
            problems.append(error.message)
            hint = error.hint
    if problems:
        raise DataError("\n".join(problems), hint)
