"""Names of files and folders → the tables that they hold, before any is opened."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import DataError
from ..load import sniff

_MOST: Final = 200
_JSON: Final = ".json"
_NO_DATA: Final = (".egg-info", "node_modules", "site-packages")
_PART: Final = re.compile(r"(?P<name>.*?)(?P<number>(?:part[-_.]?\d+|[-_.]\d+-of-\d+).*?)(?P<ending>(?:\.[A-Za-z]\w*)*)", re.IGNORECASE)


@dataclass(frozen=True)
class Named:
    """A table as a config would name it: `given` is a path or, of a table in parts, a glob. `label` is what its name says of it."""

    given: str
    label: str
    paths: tuple[Path, ...]


def tables_in(given: Sequence[str]) -> list[Named]:
    """The tables that `given` names, which are files and folders, in order; of a folder those that stand two folders deep at most.

    JSON files are among them, since they may have one object per line, unless there are too many.

    Raises `DataError` if there is none, if one of `given` is not there, or if a folder holds too many to guess.
    """
    files: dict[Path, None] = {}
    for text in given:
        path = Path(text)
        if path.is_dir():
            found = _within(path)
            if len(found) > _MOST:
                found = [one for one in found if one.suffix.lower() != _JSON]
            if len(found) > _MOST:
                raise DataError(f"there are {len(found)} tables in {text}", f"name the files that are meant, at most {_MOST} of them")
            files |= dict.fromkeys(found)
        elif path.is_file():
            files[path] = None
        else:
            raise DataError(f"there is no file {text}" if not path.exists() else f"{text} is no regular file", "name files, or a folder")
    for path in files:
        if not _is_text(str(path)):
            raise DataError(f"the name of the file {str(path)!r} is no UTF-8 text, as a config is", "rename it")
    if not files:
        raise DataError(
            f"there is no table in {' and '.join(given)}", "CSV, TSV, TREC, RecBole, NDJSON, Parquet and Arrow files are looked for"
        )
    return _labelled(_together(list(files)))


def _is_text(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def _within(folder: Path) -> list[Path]:
    found: list[Path] = []
    for above, folders, names in os.walk(folder):
        deep = len(Path(above).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if deep < 2 and not name.startswith((".", "_")) and not name.endswith(_NO_DATA))
        found += [Path(above, name) for name in sorted(names) if not name.startswith(".") and _may_be_a_table(Path(name))]
    return found


def _may_be_a_table(path: Path) -> bool:
    return sniff.is_a_table(path) or path.suffix.lower() == _JSON


def _together(files: Sequence[Path]) -> dict[str, list[Path]]:
    """The files by how a config names them: the parts of one table by a glob."""
    tables: dict[str, list[Path]] = {}
    for path in files:
        part = _PART.fullmatch(path.name)
        pattern = f"{part['name']}*{part['ending']}" if part else ""
        plain = part is None or glob.has_magic(f"{path.parent}{part['name']}")
        tables.setdefault(str(path) if plain else str(path.parent / pattern), []).append(path)
    complete: dict[str, list[Path]] = {}
    for given, paths in tables.items():
        if glob.has_magic(given) and sorted(glob.glob(given)) != sorted(map(str, paths)):  # the glob would read other files too
            complete |= {str(path): [path] for path in paths}
        else:
            complete[given] = paths
    return complete


def _labelled(tables: dict[str, list[Path]]) -> list[Named]:
    """The tables with what their names say: the path below the folder that all share, without numbers of parts."""
    above = Path(os.path.commonpath([os.path.abspath(path.parent) for paths in tables.values() for path in paths]))
    found = []
    for given, paths in tables.items():
        below = Path(os.path.abspath(paths[0])).relative_to(above)
        if len(paths) > 1 or paths[0].name != Path(given).name:
            part = _PART.fullmatch(below.name)
            assert part is not None
            name = part["name"].rstrip("-_.")
            below = below.with_name(f"{name}{part['ending']}") if name else Path(f"{below.parent}{part['ending']}")
        found.append(Named(given, below.as_posix(), tuple(paths)))
    return found
