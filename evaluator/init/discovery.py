"""Find the tables in files and folders, each as a config would name it."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..load import sniff
from ..load.folders import is_table, refuse_name_in_bytes
from ..storage.result_folder import is_output_file, is_result_folder
from ..support.errors import DataError
from ..support.patterns import regex

_MAX_TABLES: Final = 200
DEPTHS: Final = (2, 3, 4)
"""Numbers of levels of folders to search: one more if the levels before do not suffice for a config."""
DEEPEST: Final = 8
"""The number of levels to search if there is no table in those."""
_MAX_FOLDERS: Final = 2_000
"""Largest number of folders that are searched beyond the first levels."""
_JSON: Final = ".json"
_DATABASES: Final = (".db", ".sqlite", ".sqlite3", ".duckdb")
_IGNORED_FOLDERS: Final = (".egg-info", "node_modules", "site-packages")
_PART: Final = regex(r"(?P<name>.*?)(?P<number>(?:part[-_.]?\d+|[-_.]\d+-of-\d+).*?)(?P<ending>(?:\.[A-Za-z]\w*)*)", re.IGNORECASE)


class Query(Struct, frozen=True):
    """The query of a config that reads a table of a database: the kind of database, its file, and the statement."""

    scheme: str
    path: str
    statement: str


class DiscoveredTable(Struct, frozen=True):
    """A table as a config would name it.

    `path` is a path or, for a table in parts, a glob. `label` is the path below the folder that all tables share, without part numbers.
    """

    path: str
    label: str
    paths: tuple[Path, ...]
    query: Query | None = None
    """The query whose rows the paths contain, for a table of a database."""


def discover_tables(names: Sequence[str], depth: int = DEPTHS[0]) -> list[DiscoveredTable]:
    """List the tables in these files and folders, in order; folders are searched `depth` levels deep.

    The folder of a Delta or Iceberg table is one table.

    JSON files count, because they may have one object per line, unless a folder has too many tables.

    Raises `DataError` if there is no table, if a name does not exist, or if a folder has too many tables to guess.
    """
    files: dict[Path, None] = {}
    for text in names:
        path = Path(text)
        if os.path.isdir(path):
            files |= dict.fromkeys(_folder_tables(path, depth))
        elif os.path.isfile(path):
            files[path] = None
        else:
            raise DataError(_missing(text), "give files or a folder")
    for path in files:
        refuse_name_in_bytes("init", path)
    if not files:
        raise DataError(
            f"there is no table in {' and '.join(names)}",
            "receval reads CSV, TSV, TREC, RecBole, JSON, Parquet, Arrow, SQLite and DuckDB files, and Delta and Iceberg tables",
        )
    return _labelled(_grouped_parts(list(files)))


def _missing(text: str) -> str:
    """Return why a name is neither a file nor a folder."""
    try:
        os.stat(text)
    except FileNotFoundError:
        return f"there is no file {text}"
    except OSError as error:
        return f"{text} cannot be read: {error.strerror}"
    except ValueError:  # not a valid file name
        return f"there is no file {text!r}"
    return f"{text} is not a regular file"


def unread_folder(names: Sequence[str], depth: int) -> tuple[str, str] | None:
    """Return the first folder whose own folders are below `depth`, after the folder of the first level that leads to it; else `None`."""
    for name in filter(os.path.isdir, names):
        for above, folders, _ in os.walk(name):
            below = Path(above).relative_to(name).parts
            folders[:] = [] if is_table(Path(above)) else _visited(above, folders)
            if len(below) == depth and folders:
                return str(Path(name, below[0])), str(Path(above))
            folders[:] = folders if len(below) < depth else []
    return None


def _visited(above: str, folders: Sequence[str]) -> list[str]:
    """Return the folders that may have data, in order: no hidden ones, and none of packages."""
    own = (name for name in folders if not name.startswith((".", "_")) and not name.endswith(_IGNORED_FOLDERS))
    return sorted(name for name in own if not os.path.exists(os.path.join(above, name, "pyvenv.cfg")))


def _folder_tables(folder: Path, most_levels: int) -> list[Path]:
    """List the files of a folder that may be tables; raise `DataError` if there are too many."""
    tables: list[Path] = []
    for n_folders, (above, folders, names) in enumerate(os.walk(folder)):
        if most_levels > DEPTHS[0] and n_folders > _MAX_FOLDERS:
            raise DataError(f"there are more than {_MAX_FOLDERS:,} folders in {folder}", "list the files to use")
        if is_table(Path(above)):  # only its log or metadata says which of its files count
            tables.append(Path(above))
            folders.clear()
            continue
        depth = len(Path(above).relative_to(folder).parts)
        folders[:] = _visited(above, folders) if depth < most_levels else []
        has_results = is_result_folder(Path(above))  # what a run wrote is not its input
        files = [Path(above, name) for name in sorted(names) if not name.startswith(".") and not (has_results and is_output_file(name))]
        tables += [path for path in files if sniff.is_a_table(path) or path.suffix.lower() in (_JSON, *_DATABASES, *sniff.ARRAYS)]
    if len(tables) > _MAX_TABLES:
        tables = [path for path in tables if path.suffix.lower() != _JSON]
    if len(tables) > _MAX_TABLES:
        raise DataError(f"there are {len(tables)} tables in {folder}", f"list the files to use, at most {_MAX_TABLES}")
    return tables


def _grouped_parts(files: Sequence[Path]) -> dict[str, list[Path]]:
    """Group files by their path in a config: the parts of one table have a glob."""
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
    """Label the tables with their paths below the folder that all share, without part numbers."""
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
