"""Discover the tables in files and folders by their names, before any is opened."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..errors import DataError
from ..load import sniff
from ..load.folders import is_table, refuse_name_in_bytes
from .records import Query

_MAX_TABLES: Final = 200
_MAX_DEPTH: Final = 2
_JSON: Final = ".json"
_DATABASES: Final = (".db", ".sqlite", ".sqlite3", ".duckdb")
_IGNORED_FOLDERS: Final = (".egg-info", "node_modules", "site-packages")
_PART: Final = re.compile(r"(?P<name>.*?)(?P<number>(?:part[-_.]?\d+|[-_.]\d+-of-\d+).*?)(?P<ending>(?:\.[A-Za-z]\w*)*)", re.IGNORECASE)


class DiscoveredTable(Struct, frozen=True):
    """A table as a config would name it.

    `path` is a path or, for a table in parts, a glob. `label` is the path below the folder that all tables share, without part numbers.
    """

    path: str
    label: str
    paths: tuple[Path, ...]
    query: Query | None = None
    """The query whose rows the paths hold, where the table is one of a database."""


def discover_tables(names: Sequence[str]) -> list[DiscoveredTable]:
    """List the tables in these files and folders, in order; folders are searched two levels deep, and one of Delta is a table.

    JSON files count, since they may have one object per line, unless a folder holds too many tables.

    Raises `DataError` if there is no table, if a name does not exist, or if a folder holds too many tables to guess.
    """
    files: dict[Path, None] = {}
    for text in names:
        path = Path(text)
        if os.path.isdir(path):
            files |= dict.fromkeys(_folder_tables(path))
        elif os.path.isfile(path):
            files[path] = None
        else:
            raise DataError(_missing(text), "give files or a folder")
    for path in files:
        refuse_name_in_bytes("init", path)
    if not files:
        raise DataError(
            f"there is no table in {' and '.join(names)}",
            "receval reads CSV, TSV, TREC, RecBole, JSON, Parquet, Arrow, SQLite and DuckDB files and Delta tables",
        )
    return _labelled(_grouped_parts(list(files)))


def _missing(text: str) -> str:
    """Why a name is neither a file nor a folder."""
    try:
        os.stat(text)
    except FileNotFoundError:
        return f"there is no file {text}"
    except OSError as error:
        return f"{text} cannot be read: {error.strerror}"
    except ValueError:  # no name that a file can have
        return f"there is no file {text!r}"
    return f"{text} is not a regular file"


def _folder_tables(folder: Path) -> list[Path]:
    """List the files of a folder that may be tables; `DataError` if there are too many."""
    tables = _search(folder)
    if len(tables) > _MAX_TABLES:
        tables = [path for path in tables if path.suffix.lower() != _JSON]
    if len(tables) > _MAX_TABLES:
        raise DataError(f"there are {len(tables)} tables in {folder}", f"list the files to use, at most {_MAX_TABLES}")
    return tables


def _search(folder: Path) -> list[Path]:
    tables: list[Path] = []
    for above, folders, names in os.walk(folder):
        if is_table(Path(above)):  # which of its files count only its log says
            tables.append(Path(above))
            folders.clear()
            continue
        depth = len(Path(above).relative_to(folder).parts)
        visited = (name for name in folders if not name.startswith((".", "_")) and not name.endswith(_IGNORED_FOLDERS))
        folders[:] = sorted(visited) if depth < _MAX_DEPTH else []
        files = [Path(above, name) for name in sorted(names) if not name.startswith(".")]
        tables += [path for path in files if sniff.is_a_table(path) or path.suffix.lower() in (_JSON, *_DATABASES)]
    return tables


def _grouped_parts(files: Sequence[Path]) -> dict[str, list[Path]]:
    """Group files by how a config names them: the parts of one table by a glob."""
    tables: dict[str, list[Path]] = {}
    for path in files:
        part = None if os.path.isdir(path) else _PART.fullmatch(path.name)
        pattern = f"{part['name']}*{part['ending']}" if part else ""
        is_single = part is None or glob.has_magic(f"{path.parent}{part['name']}")
        tables.setdefault(str(path) if is_single else str(path.parent / pattern), []).append(path)
    complete: dict[str, list[Path]] = {}
    for name, paths in tables.items():
        if glob.has_magic(name) and sorted(glob.glob(name)) != sorted(map(str, paths)):  # the glob would read other files too
            complete |= {str(path): [path] for path in paths}
        else:
            complete[name] = paths
    return complete


def _labelled(tables: dict[str, list[Path]]) -> list[DiscoveredTable]:
    """Label the tables with their path below the folder that all share, without part numbers."""
    above = Path(os.path.commonpath([os.path.abspath(path.parent) for paths in tables.values() for path in paths]))
    labelled = []
    for path, paths in tables.items():
        below = Path(os.path.abspath(paths[0])).relative_to(above)
        if len(paths) > 1 or paths[0].name != Path(path).name:
            part = _PART.fullmatch(below.name)
            assert part is not None
            name = part["name"].rstrip("-_.")
            below = below.with_name(f"{name}{part['ending']}") if name else Path(f"{below.parent}{part['ending']}")
        labelled.append(DiscoveredTable(path, below.as_posix(), tuple(paths)))
    return labelled
