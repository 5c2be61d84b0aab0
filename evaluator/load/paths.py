"""The files that paths, globs and folders of a config name."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import DataError
from .remote import Remote, find_remote, is_remote


def find(role: str, given: Sequence[str], folder: Path, storage: Mapping[str, str] | None = None) -> list[Path | Remote]:
    """The files and folders that paths and globs name, relative to `folder`, those of a glob in the order of their names.

    A glob means files; it means folders if it ends in `/`, or if no file matches. Addresses are reached as `storage` says, `~` is the home
    folder. `DataError` names every path that is not there.
    """
    files: list[Path | Remote] = []
    problems: list[str] = []
    for written in given:
        text = os.path.expanduser(written)
        path = folder / text
        if is_remote(text):
            files += find_remote(role, text, storage or {})
        elif path.exists():
            files.append(path)
        elif glob.has_magic(text):
            matches = [folder / match for match in sorted(glob.glob(text, root_dir=folder, recursive=True))]
            named = [match for match in matches if match.is_file()] or [match for match in matches if match.is_dir()]
            files += named
            problems += [] if named else [f"{role}: no file matches {os.path.normpath(path)}"]
        else:
            problems.append(f"{role}: there is no file {_shown(path)}")
    if problems:
        raise DataError("\n".join(problems), "paths are relative to the config file")
    return files


def _shown(path: Path) -> str:
    """A path as it is seen from the working folder; where double quotes in YAML changed it, how to write it."""
    text = os.path.normpath(path)
    if text.isprintable():
        return text
    return f"{text!r}: in double quotes a backslash begins an escape; write the path in single quotes, or with /"
