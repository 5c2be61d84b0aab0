"""Folders of parts and Delta tables → their data files, and the columns that the names of folders hold (`day=2024-01-01/`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import unquote

from ..errors import DataError, NoRowsError
from ..extras import missing
from . import sniff
from .opening import FAILURES
from .remote import Remote, is_remote
from .scan import Kind
from .source_file import Partition

_HIDDEN: Final = ("_", ".")
_LOG: Final = "_delta_log"
"""The folder that makes another one a Delta table: in it a log says which files count."""
_NULL: Final = "__HIVE_DEFAULT_PARTITION__"


def parts_of(role: str, folder: Path) -> list[Path]:
    """The data files of a folder and the folders in it, in the order of their paths; links are followed.

    Names that begin with `_` or `.` are passed over, as are empty files, and files of unknown endings, or `.json`, beside known ones.
    `DataError` names what cannot be read: a folder without permission, a link that leads nowhere, what is neither file nor folder, and a
    file that is found twice by way of a link.
    """
    visible = sorted(_visible(role, folder), key=lambda path: path.relative_to(folder).parts)
    refuse_repeated(role, visible)
    files = [path for path in visible if path.stat().st_size]
    known = [path for path in files if sniff.known_format(path)]
    known = [path for path in known if ".json" not in path.suffixes] or known  # beside tables JSON describes them
    if not files:
        raise DataError(f"{role}: there are no data files in the folder {folder}", "files whose names start with _ or . are ignored")
    forms = {sniff.known_format(path): path for path in known}
    if len(forms) > 1:
        first, other = list(forms.values())[:2]
        raise DataError(f"{role}: {first} and {other} have different formats", "select the files, for example FOLDER/*.parquet")
    return known or files


def is_hidden(name: str) -> bool:
    """Whether the name of a part or folder says that it is no data."""
    return name.startswith(_HIDDEN)


def names_in(role: str, folder: Path) -> list[str]:
    """The names in a folder; `DataError` if it may not be read."""
    try:
        names = os.listdir(folder)
        os.stat(os.path.join(folder, os.curdir))  # a folder may be listed and yet not be entered
    except OSError as error:
        raise DataError(
            f"{role}: the folder {folder} may not be read ({reason(error)})", "otherwise otherwise its files would be missing"
        ) from None
    return names


def refuse_broken_link(role: str, path: Path) -> None:
    """`DataError` if a path is a link that leads nowhere, or in a circle, or to where nobody may look."""
    try:
        path.stat()
    except OSError as error:
        what = f"is a link to {os.readlink(path)}, which cannot be read" if os.path.islink(path) else "cannot be read"
        raise DataError(f"{role}: {path} {what} ({reason(error)})", "repair or remove it: its rows would be missing") from None


def reason(error: OSError) -> str:
    """Why something cannot be read, as the system says it."""
    return (error.strerror or type(error).__name__).lower()


def refuse_name_in_bytes(role: str, path: object) -> None:
    """`DataError` if the name of a file is no text: neither a reader nor a config or a result can hold it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise DataError(
            f"{role}: the name of the file {str(path)!r} is not UTF-8 text, which configs and results must be", "rename it"
        ) from None


def refuse_repeated(role: str, paths: Iterable[Path]) -> None:
    """`DataError` if two paths are one file, whose rows would count twice."""
    seen: dict[str, Path] = {}
    for path in paths:
        first = seen.setdefault(os.path.realpath(path), path)
        if first != path:
            raise DataError(f"{role}: {first} and {path} are the same file", "remove the link, or list the files to use")


def refuse_part_of_table(role: str, path: Path, folders: Iterable[Path]) -> None:
    """`DataError` if one of the `folders` that a path is in is a Delta table: its files may be those of older versions too."""
    for folder in folders:
        if is_table(folder):
            message = f"{role}: {path} is part of the Delta table {folder}, whose log decides which of its files count"
            raise DataError(message, "give the folder of the table")


def _visible(role: str, folder: Path, above: tuple[str, ...] = ()) -> Iterator[Path]:
    """Every file below a folder whose path is not hidden; `above` are the real paths of the folders it is in."""
    refuse_part_of_table(role, folder, [folder])
    real = os.path.realpath(folder)
    if real in above:
        raise DataError(f"{role}: the link {folder} leads back to {real}, in which it is", "remove the link, or list the files to use")
    for name in names_in(role, folder):
        path = folder / name
        if is_hidden(name):
            continue
        refuse_name_in_bytes(role, path)
        refuse_broken_link(role, path)
        if os.path.isdir(path):
            yield from _visible(role, path, (*above, real))
        elif os.path.isfile(path):
            yield path
        else:
            raise DataError(f"{role}: {path} is neither a file nor a folder", "remove it, or list the files to use")


def columns_of_path(path: PurePath, root: PurePath | None, named: Iterable[str | int]) -> Partition:
    """The columns that a path holds: all of those below `root`, and of those above it the ones that are `named`."""
    below = path.relative_to(root).parts[:-1] if root else ()
    values: dict[str, str | None] = {}
    for depth, part in enumerate(parts := path.parent.parts):
        name, equals, value = part.partition("=")
        if equals and (depth >= len(parts) - len(below) or name in named):
            values[name] = None if value == _NULL else unquote(value)
    return values


def path_column_kinds(where: str, columns: Mapping[str, str], partitions: Mapping[str, Partition]) -> dict[str, Kind]:
    """The kinds of those of the canonical `columns` that paths hold; `DataError` if one must be a number and is none."""
    kinds: dict[str, Kind] = {}
    for column, name in columns.items():
        if any(name in values for values in partitions.values()):
            texts = [values[name] or "" for values in partitions.values()]
            kinds[column] = sniff.kind_of(column, texts, ())
            wrong = [text for text in texts if text and kinds[column] == "number" and not sniff.is_number(text)]
            if wrong:
                raise DataError(f"{where}: the folder {name}={wrong[0]} is not a number, but {column} must be one")
    return kinds


def is_table(path: Path) -> bool:
    """Whether a folder holds a Delta table."""
    return os.path.isdir(log_of(path))  # also false where nobody may look


def log_of(table: Path) -> Path:
    """The folder in which every change of a table leaves a file."""
    return table / _LOG


def files_of_table(role: str, table: Path | Remote, storage: Mapping[str, str]) -> list[Path | Remote]:
    """The files that count in the newest version of a table; `MissingExtraError` if nothing can read its log."""
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise missing("delta", "reading Delta tables", "deltalake") from None
    try:
        address = table.url if isinstance(table, Remote) else str(table)
        found = sorted(DeltaTable(address, storage_options=dict(storage) or None).file_uris())
    except (DeltaError, *FAILURES) as error:
        said = str(error).strip().partition("\n")[0]
        raise DataError(f"{role}: {table}: not a readable Delta table ({said})", f"check that the folder contains {_LOG}") from None
    if not found:
        raise NoRowsError(f"{role}: {table}: there are no rows")
    escaped = [file for file in found if not is_remote(file) and not os.path.exists(file) and os.path.exists(Path(unquote(file)))]
    if escaped:
        raise DataError(
            f"{role}: {table}: Polars cannot read Delta tables in folders whose path contains spaces or other special characters",
            "move the table, or give its Parquet files",
        )
    return [Remote(file, storage) if is_remote(file) else Path(file) for file in found]
