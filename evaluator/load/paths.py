"""The files that paths, globs and folders of a config name."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import DataError
from .remote import Remote, find_remote, is_remote


def find(role: str, given: Sequence[str], folder: Path, storage: Mapping[str, str] | None = None) -> list[Path | Remote]:
    """The files and folders that paths and globs name, relative to `folder`, those of a glob in the order of their names.

    A glob means files; it means folders if it ends in `/`, or if no file matches. Addresses are reached as `storage` says.
    """
    files: list[Path | Remote] = []
    for text in given:
        path = folder / text
        if is_remote(text):
            files += find_remote(role, text, storage or {})
        elif path.exists():
            files.append(path)
        elif glob.has_magic(text):
            matches = [folder / match for match in sorted(glob.glob(text, root_dir=folder, recursive=True))]
            named = [match for match in matches if match.is_file()] or [match for match in matches if match.is_dir()]
            if not named:
                raise DataError(f"{role}: no file matches {text} (looked in {folder})")
            files += named
        else:
            raise DataError(f"{role}: there is no file {text} (looked in {folder})", "paths are relative to the config file")
    return files
