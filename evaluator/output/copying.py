"""A folder of results → another place, whole or not at all: how a baseline is set."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import OutputError
from .data import outputs_of_manifest
from .disk import Stage
from .manifest import MANIFEST, read_manifest
from .reading_back import is_result_folder
from .result_folder import is_output_file


def copy_results(folder: Path, target: Path, *, force: bool = False) -> None:
    """Copy the files that the manifest of a folder of results names, and the manifest; of an earlier copy nothing else stays.

    `DataError` if one of them is not the file that the manifest names. `OutputError` if `target` is that folder, or has other files of
    those names, unless `force` says that they may go.
    """
    names = [*_proven(folder), MANIFEST]
    if os.path.exists(target) and target.samefile(folder):
        raise OutputError(f"{target} is the folder itself", "choose another place with --to")
    there = [name for name in names if os.path.exists(target / name)]
    if there and not is_result_folder(target) and not force:
        raise OutputError(f"{target} is no folder of results, and has a {there[0]}", "choose another place with --to, or add --force")
    with Stage([target]) as stage:
        before = outputs_of_manifest(target / MANIFEST)
        gone = [target / name for name in sorted(before - set(names)) if is_output_file(name)]
        stage.commit({target / name: folder / name for name in names}, gone=gone)


def _proven(folder: Path) -> list[str]:
    """The names of the files that a manifest names, each of which is the one that it was."""
    manifest = read_manifest(folder)
    for name in manifest.files:
        manifest.require(folder / name)
    return [*manifest.files]
