"""The files that paths, globs and folders of a config name, and those into which standard input and pipes are read."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ..errors import DataError
from ..temporary import folder_for_copies, new_copy
from .folders import is_hidden, names_in, reason, refuse_broken_link, refuse_name_in_bytes, refuse_part_of_table, refuse_repeated
from .remote import Remote, find_remote, is_remote
from .source_file import SourceFile


def find(role: str, given: Sequence[str], folder: Path, storage: Mapping[str, str] | None = None) -> list[Path | Remote]:
    """The files and folders that paths and globs name, relative to `folder`, those of a glob in the order of their names.

    A glob means files; it means folders if it ends in `/`, or if no file matches. A link is what it leads to. Addresses are reached as
    `storage` says, `~` is the home folder. `DataError` names every path that is not there, and the first that may not be read.
    """
    files: list[Path | Remote] = []
    problems: list[str] = []
    for written in given:
        text = os.path.expanduser(written)
        path = folder / text
        if is_remote(text):
            files += find_remote(role, text, storage or {})
        elif _is_there(role, path):
            files.append(path)
        elif glob.has_magic(text):
            matches = _matches(role, text, folder)
            files += matches
            problems += [] if matches else [f"{role}: no file matches {os.path.normpath(path)}"]
        else:
            problems.append(f"{role}: there is no file {_shown(path)}")
    if problems:
        raise DataError("\n".join(problems), "paths are relative to the config file")
    for file in files:
        refuse_name_in_bytes(role, file)
    return files


@contextmanager
def spooled(pipe: Path | None = None) -> Iterator[SourceFile]:
    """A file that holds what `pipe` (standard input if `None`) held, for as long as the context lasts: lists are read more than once.

    Raises `DataError` if standard input is a terminal.
    """
    if pipe is None and (sys.stdin is None or sys.stdin.isatty()):
        raise DataError("lists should be read from standard input, but it is a terminal", "pipe a file into receval, or give a path")
    if hasattr(signal, "siginterrupt"):  # Polars' handler lets a blocked read go on after Ctrl-C
        signal.siginterrupt(signal.SIGINT, True)
    with folder_for_copies() as folder:
        path = folder / "stdin"
        with new_copy(path) as file, pipe.open("rb") if pipe else nullcontext(sys.stdin.buffer) as source:
            shutil.copyfileobj(source, file, 1 << 20)
        yield SourceFile(path, str(pipe or "standard input"), is_piped=True)


def _is_there(role: str, path: Path) -> bool:
    """Whether there is a file or folder; `DataError` if nobody may look, or a link leads nowhere."""
    try:
        if os.path.lexists(path):
            refuse_broken_link(role, path)
            return True
        path.stat()
    except PermissionError as error:
        if not glob.has_magic(str(path)):
            raise DataError(f"{role}: {path} may not be read ({reason(error)})") from None
    except (OSError, ValueError):  # nothing there, or no name that a file can have
        pass
    return False


def _matches(role: str, pattern: str, folder: Path) -> list[Path]:
    """What a pattern matches in `folder`: files, or folders if there are no files; nothing if there are neither."""
    _refuse_unreadable_folders(role, pattern, folder)
    matches = [folder / match for match in sorted(glob.glob(pattern, root_dir=folder, recursive=True))]
    for match in matches:
        refuse_broken_link(role, match)
    files = [match for match in matches if os.path.isfile(match)]
    for above, first in {file.parent: file for file in reversed(files)}.items():
        refuse_part_of_table(role, first, [above, *above.parents])
    folders = [match for match in matches if os.path.isdir(match)]
    visible = [match for match in folders if not is_hidden(match.name)]
    if "**" in pattern:
        refuse_repeated(role, files)
    elif files and visible:
        message = f"{role}: {pattern} matches files, such as {files[0]}, and the folder {visible[0]}"
        raise DataError(message, "list both, or let the pattern match only one kind: *.csv matches files, a final / matches folders")
    return files or folders


def _refuse_unreadable_folders(role: str, pattern: str, folder: Path) -> None:
    """`DataError` for a folder that a pattern looks into and that may not be read: `glob` passes over it."""
    parts = pattern.split("/")
    first = next(number for number, part in enumerate(parts) if glob.has_magic(part))
    for end in range(first, len(parts)):
        start = "/".join(parts[:end])
        for above in glob.glob(f"{start}/", root_dir=folder, recursive=True) if start else ["."]:
            names_in(role, folder / above)


def _shown(path: Path) -> str:
    """A path as it is seen from the working folder; where double quotes in YAML changed it, how to write it."""
    text = os.path.normpath(path)
    if text.isprintable():
        return text
    return f"{text!r}: in double quotes a backslash begins an escape; write the path in single quotes, or with /"
