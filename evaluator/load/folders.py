"""Find the data files of paths, globs, folders, and Delta and Iceberg tables, and the columns in names of folders (`day=2024-01-01/`).

Standard input and pipes are read into files.
"""

from __future__ import annotations

import glob
import os
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import unquote

from ..config.data import MARK
from ..config.masking import masked_path
from ..config.run_files import SEED
from ..support.errors import DataError, NoRowsError, worded
from ..support.extras import missing_extra
from ..support.patterns import regex
from ..support.synonyms import nearest, question
from ..support.temporary import folder_for_copies, new_copy
from . import sniff
from .iceberg import is_iceberg
from .opening import FAILURES
from .remote import Remote, find_remote, is_remote
from .source_file import Partition, SourceFile

LOG: Final = "_delta_log"
"""The folder with the log of a Delta table, which says which files count."""
_SCHEME: Final = regex(r"([A-Za-z][A-Za-z0-9+.-]+):(?://|(?<=dbfs:)/)")
_LINES_OF_NAME: Final = 2
"""A name with more lines is the text of a table; with fewer lines `\\n` may be a part of a path, such as `C:\\new`."""
_ELSEWHERE: Final = {
    "hdfs": "mount it as a folder, copy it with hdfs dfs -get, or read it with engine: spark as a table of the catalog",
    "dbfs": "write the path as a folder: /dbfs/… or /Volumes/…; or read a table with engine: spark",
    "hf": "give the https:// address of the file, or load it in Python (datasets.load_dataset) and pass it to receval.evaluate",
    "iceberg": "give the folder of the table, or its newest metadata file (table.metadata_location in pyiceberg); or read it with "
    "engine: spark as a table of the catalog",
    "file": "write the path without file://",
    "duckdb": "set uri and query instead of a path",
    "postgresql": "set uri and query instead of a path",
    "sqlite": "set uri and query instead of a path",
}
"""Scheme of an address that is not read → what to do instead."""
_NULL: Final = "__HIVE_DEFAULT_PARTITION__"


def find(role: str, given: Sequence[str], folder: Path, storage: Mapping[str, str] | None = None) -> list[Path | Remote]:
    """Return the files and folders that paths and globs name, relative to `folder`; matches of a glob are sorted by name.

    A glob means files; it means folders if it ends in `/`, or if no file matches. Links are followed. `storage` has the options for
    addresses, `~` is the home folder. Raises `DataError` with every missing path, and the first that cannot be read.
    """
    files: list[Path | Remote] = []
    problems: list[str] = []
    missing: list[str] = []
    for written in given:
        text = os.path.expanduser(written)
        path = folder / text
        shown = os.path.normpath(path)
        if is_remote(text):
            files += find_remote(role, text, storage or {})
        elif scheme := _SCHEME.match(text):
            hint = _ELSEWHERE.get(
                scheme[1].lower(), "download the file, or put it into a store (s3://, gs://, az://) or on the web (https://)"
            )
            raise DataError(f"{role}: {masked_path(text)}: addresses with {scheme[0]} are not read", hint)
        elif _is_there(role, path):
            files.append(path)
        elif glob.has_magic(text):
            matches = _matches(role, text, folder)
            files += matches
            problems += [] if matches else [f"{role}: no file matches {shown}"]
        else:
            cure = "in double quotes a backslash begins an escape; write the path in single quotes, or with /"
            missing.append(text)
            n_lines = len(text.splitlines())
            if n_lines > _LINES_OF_NAME:
                raise DataError(f"{role}: a text of {n_lines:,} lines is not a path", "read it first: polars.read_csv(io.StringIO(text))")
            problems.append(f"{role}: there is no file {shown if shown.isprintable() else f'{shown!r}: {cure}'}")
    if problems:
        relative = worded(
            "paths in a config are relative to its file, those of options to the current folder",
            argument="paths start from the folder that Python runs in",
        )
        raise DataError(problems, _near(folder, missing) or relative)
    for file in files:
        refuse_name_in_bytes(role, file)
    return files


def _near(folder: Path, missing: Sequence[str]) -> str:
    """Return what may be meant by the names of files that are not there; empty if nothing is near."""
    for text in missing:
        if "," in text and all(os.path.isfile(folder / part.strip()) for part in text.split(",")):
            return "these are several files: give --recs once per model, or a list of paths in the config"
    if any(MARK in text for text in missing):
        return f"{MARK} needs the names of the folds: data.folds: [1, 2, 3] in the config, or --set data.folds=[1,2,3]"
    if any(SEED in text for text in missing):
        return f"{SEED} is for the runs of a model: write data.recommendations: {{NAME: PATH}}"
    near = []
    for path in (folder / text for text in missing):
        with suppress(OSError, ValueError):
            names = sorted(os.listdir(path.parent), key=lambda name: (Path(name).suffix == path.suffix, name))
            there = {Path(name).stem: name for name in names}  # of one stem that with the same ending
            near += [path.with_name(there[stem]) for stem in nearest(path.stem, there)]
    return question(*near, between=" and ") if near else ""


@contextmanager
def copy_of_pipe(pipe: Path | None = None) -> Iterator[SourceFile]:
    """Copy `pipe` (`None`: standard input) into a file for as long as the context lasts, because lists are read repeatedly.

    Raises `DataError` if standard input is a terminal.
    """
    if pipe is None and (sys.stdin is None or sys.stdin.isatty()):
        raise DataError("lists should be read from standard input, but it is a terminal", "pipe a file into receval, or give a path")
    if hasattr(signal, "siginterrupt"):  # with Polars' handler, a blocked read continues after Ctrl-C
        signal.siginterrupt(signal.SIGINT, True)
    with folder_for_copies() as folder:
        path = folder / "stdin"
        with new_copy(path) as file, pipe.open("rb") if pipe else nullcontext(sys.stdin.buffer) as source:
            shutil.copyfileobj(source, file, 1 << 20)
        yield SourceFile(path, str(pipe or "standard input"), is_piped=True)


def _is_there(role: str, path: Path) -> bool:
    """Return whether there is a file or folder; raise `DataError` without permission, or for a broken link."""
    try:
        if os.path.lexists(path):
            _refuse_broken_link(role, path)
            return True
        path.stat()
    except PermissionError as error:
        if not glob.has_magic(str(path)):
            raise DataError(f"{role}: {path} cannot be read ({reason(error)})") from None
    except (OSError, ValueError):  # nothing there, or not a valid file name
        pass
    return False


def _matches(role: str, pattern: str, folder: Path) -> list[Path]:
    """Return the matches of a pattern in `folder`: files, or folders if there are no files.

    Raises `DataError` for a match that is neither, and for a folder on the way that cannot be read: `glob` would skip it silently.
    """
    parts = pattern.split("/")
    for end in range(next(number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts)):
        start = "/".join(parts[:end])
        for inside in glob.glob(f"{start}/", root_dir=folder, recursive=True) if start else ["."]:
            _names_in(role, folder / inside)
    matches = [folder / match for match in sorted(glob.glob(pattern, root_dir=folder, recursive=True))]
    for match in matches:
        _refuse_broken_link(role, match)
        if not is_hidden(match.name):
            _refuse_special(role, match)
    files = [match for match in matches if os.path.isfile(match)]
    for above, first in {file.parent: file for file in reversed(files)}.items():
        _refuse_part_of_table(role, first, [above, *above.parents])
    folders = [match for match in matches if os.path.isdir(match)]
    visible = [match for match in folders if not is_hidden(match.name)]
    if "**" in pattern:
        _refuse_repeated(role, files)
    elif files and visible:
        message = f"{role}: {pattern} matches files, such as {files[0]}, and the folder {visible[0]}"
        raise DataError(message, "list both, or let the pattern match only one kind: *.csv matches files, a final / matches folders")
    return files or folders


def parts_of(role: str, folder: Path) -> list[Path]:
    """Return the data files of a folder and the folders in it, in the order of their paths; links are followed.

    Skipped are names that begin with `_` or `.`, empty files, and, next to files with known endings, those with unknown ones or `.json`.
    Raises `DataError` for a folder without permission, a broken link, anything that is neither file nor folder, and a file that is found
    twice by way of a link.
    """
    visible = sorted(_visible(role, folder), key=lambda path: path.relative_to(folder).parts)
    _refuse_repeated(role, visible)
    files = [path for path in visible if path.stat().st_size]
    known = [path for path in files if sniff.known_format(path)]
    known = [path for path in known if ".json" not in path.suffixes] or known  # JSON next to tables describes them
    if not files:
        raise DataError(f"{role}: there are no data files in the folder {folder}", "files whose names start with _ or . are ignored")
    forms = {sniff.known_format(path): path for path in known}
    if len(forms) > 1:
        first, other = list(forms.values())[:2]
        raise DataError(f"{role}: {first} and {other} have different formats", "select the files, for example FOLDER/*.parquet")
    return known or files


def is_hidden(name: str) -> bool:
    """Return whether a name marks a file or folder as not data."""
    return name.startswith(("_", "."))


def _names_in(role: str, folder: Path) -> list[str]:
    """Return the names in a folder; raise `DataError` if it cannot be read."""
    try:
        names = os.listdir(folder)
        os.stat(os.path.join(folder, os.curdir))  # permission to list a folder does not allow to enter it
    except OSError as error:
        raise DataError(
            f"{role}: the folder {folder} cannot be read ({reason(error)})", "make it readable, or remove it: its files would be missing"
        ) from None
    return names


def _refuse_broken_link(role: str, path: Path) -> None:
    """Raise `DataError` if a path is a broken or circular link, or leads to a place without permission."""
    try:
        path.stat()
    except OSError as error:
        what = f"is a link to {os.readlink(path)}, which cannot be read" if os.path.islink(path) else "cannot be read"
        raise DataError(f"{role}: {path} {what} ({reason(error)})", "repair or remove it: its rows would be missing") from None


def reason(error: OSError) -> str:
    """Return the reason of the system why something cannot be read."""
    return (error.strerror or type(error).__name__).lower()


def refuse_name_in_bytes(role: str, path: object) -> None:
    """Raise `DataError` if the name of a file is not valid text: readers, configs and results cannot contain it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise DataError(
            f"{role}: the name of the file {str(path)!r} is not UTF-8 text, which configs and results must be", "rename it"
        ) from None


def _refuse_repeated(role: str, paths: Iterable[Path]) -> None:
    """Raise `DataError` if two paths are one file, whose rows would count twice."""
    seen: dict[str, Path] = {}
    for path in paths:
        first = seen.setdefault(os.path.realpath(path), path)
        if first != path:
            raise DataError(f"{role}: {first} and {path} are the same file", "remove the link, or list the files to use")


def _refuse_part_of_table(role: str, path: Path, folders: Iterable[Path]) -> None:
    """Raise `DataError` if one of the `folders` above a path is a table of versions, because its files may belong to older ones."""
    for folder in filter(is_table, folders):
        kind, which = ("Iceberg", "metadata decides") if is_iceberg(folder) else ("Delta", "log decides")
        message = f"{role}: {path} is part of the {kind} table {folder}, whose {which} which of its files count"
        raise DataError(message, "give the folder of the table")


def _visible(role: str, folder: Path, above: tuple[str, ...] = ()) -> Iterator[Path]:
    """Yield every file below a folder whose path is not hidden; `above` are the real paths of its parent folders."""
    _refuse_part_of_table(role, folder, [folder])
    real = os.path.realpath(folder)
    if real in above:
        raise DataError(f"{role}: the link {folder} leads back to {real}, which contains it", "remove the link, or list the files to use")
    for name in _names_in(role, folder):
        path = folder / name
        if is_hidden(name):
            continue
        refuse_name_in_bytes(role, path)
        _refuse_broken_link(role, path)
        if os.path.isdir(path):
            yield from _visible(role, path, (*above, real))
        else:
            _refuse_special(role, path)
            yield path


def _refuse_special(role: str, path: Path) -> None:
    """Raise `DataError` for a pipe, a socket or a device."""
    if not os.path.isfile(path) and not os.path.isdir(path):
        raise DataError(f"{role}: {path} is neither a file nor a folder", "remove it, or list the files to use")


def columns_of_path(path: PurePath, root: PurePath | None, named: Iterable[str | int]) -> Partition:
    """Return the columns in a path: all of those below `root`, and those above it that are `named`."""
    below = path.relative_to(root).parts[:-1] if root else ()
    values: dict[str, str | None] = {}
    for depth, part in enumerate(parts := path.parent.parts):
        name, equals, value = part.partition("=")
        if equals and (depth >= len(parts) - len(below) or name in named):
            values[name] = None if value == _NULL else unquote(value)
    return values


def is_table(path: Path) -> bool:
    """Return whether a folder is a Delta or an Iceberg table."""
    return os.path.isdir(path / LOG) or is_iceberg(path)  # also false without permission


def files_of_table(role: str, table: Path | Remote, storage: Mapping[str, str]) -> list[Path | Remote]:
    """Return the files of the newest version of a Delta table; raise `MissingExtraError` if no installed library can read its log."""
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise missing_extra("delta", "reading Delta tables", "deltalake") from None
    try:
        address = table.url if isinstance(table, Remote) else str(table)
        found = sorted(DeltaTable(address, storage_options=dict(storage) or None).file_uris())
    except (DeltaError, *FAILURES) as error:
        said = str(error).strip().partition("\n")[0]
        raise DataError(f"{role}: {table}: not a readable Delta table ({said})", f"check that the folder contains {LOG}") from None
    if not found:
        raise NoRowsError(f"{role}: {table}: there are no rows")
    escaped = [file for file in found if not is_remote(file) and not os.path.exists(file) and os.path.exists(Path(unquote(file)))]
    if escaped:
        raise DataError(
            f"{role}: {table}: Polars cannot read Delta tables in folders whose path contains spaces or other special characters",
            "move the table, or give its Parquet files",
        )
    return [Remote(file, storage) if is_remote(file) else Path(file) for file in found]
