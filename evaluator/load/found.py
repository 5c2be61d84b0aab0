"""The files that paths, globs and folders of a config name."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError


def find(role: str, given: Sequence[str], folder: Path) -> list[Path]:
    """The files that paths and globs name, relative to `folder`, those of a glob in the order of their names."""
    found: list[Path] = []
    for text in given:
        path = folder / text
        if path.is_dir():
            raise DataError(f"{role}: {text} is a folder, not a file", f"name its files, for example {text.rstrip('/')}/*.parquet")
        if path.exists():
            found.append(path)
        elif glob.has_magic(text):
            matches = sorted(glob.glob(text, root_dir=folder, recursive=True))
            files = [folder / match for match in matches if (folder / match).is_file()]
            if not files:
                raise DataError(f"{role}: no file matches {text} (looked in {folder})")
            found += files
        else:
            raise DataError(f"{role}: there is no file {text} (looked in {folder})", "paths are relative to the config file")
    return found
