"""Folders of parts → their data files, and the columns that the names of folders hold (`day=2024-01-01/`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import unquote

from ..errors import DataError
from . import sniff
from .scan import Kind

_HIDDEN: Final = ("_", ".")
_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
Partition = Mapping[str, str | None]
"""The columns that the path of a file holds."""


def parts_of(role: str, folder: Path) -> list[Path]:
    """The data files of a folder and the folders in it, in the order of their paths.

    Names that begin with `_` or `.` are passed over, as are empty files, and files of unknown endings, or `.json`, beside known ones.
    """
    visible = [path for path in folder.rglob("*") if not any(part.startswith(_HIDDEN) for part in path.relative_to(folder).parts)]
    files = sorted((path for path in visible if path.is_file() and path.stat().st_size), key=lambda path: path.relative_to(folder).parts)
    known = [path for path in files if sniff.known_format(path)]
    known = [path for path in known if ".json" not in path.suffixes] or known  # beside tables JSON describes them
    if not files:
        raise DataError(f"{role}: there is no data file in the folder {folder}", "names that begin with _ or . are passed over")
    forms = {sniff.known_format(path): path for path in known}
    if len(forms) > 1:
        first, other = list(forms.values())[:2]
        raise DataError(f"{role}: {first} and {other} are of two formats", "name those you mean, for example FOLDER/*.parquet")
    return known or files


def columns_of_path(path: PurePath, root: PurePath | None, named: Iterable[str | int]) -> Partition:
    """The columns that a path holds: all of those below `root`, and of those above it the ones that are `named`."""
    below = path.relative_to(root).parts[:-1] if root else ()
    values: dict[str, str | None] = {}
    for depth, part in enumerate(parts := path.parent.parts):
        name, equals, value = part.partition("=")
        if equals and (depth >= len(parts) - len(below) or name in named):
            values[name] = None if value == _NULL else unquote(value)
    return values


def common_columns(partitions: Sequence[Partition]) -> list[str]:
    """The columns that every one of the paths holds."""
    return [name for name in (partitions[0] if partitions else ()) if all(name in values for values in partitions)]


def path_column_kinds(where: str, columns: Mapping[str, str], partitions: Mapping[str, Partition]) -> dict[str, Kind]:
    """The kinds of those of the canonical `columns` that paths hold; `DataError` if one must be a number and is none."""
    kinds: dict[str, Kind] = {}
    for column, name in columns.items():
        if any(name in values for values in partitions.values()):
            texts = [values[name] or "" for values in partitions.values()]
            kinds[column] = sniff.kind_of(column, texts, ())
            wrong = [text for text in texts if text and kinds[column] == "number" and not sniff.is_number(text)]
            if wrong:
                raise DataError(f"{where}: the folder {name}={wrong[0]} holds no number, and {column} must be one")
    return kinds
