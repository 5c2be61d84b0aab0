"""The folder of a result: which files it has, what of an earlier run's goes, and how it is copied to be a baseline."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from ..errors import OutputError
from ..forks import refuse_lost_threads
from ..outputs import in_folder, of_form
from ..render.forms import rendered
from ..results.result import Result
from .manifest import MANIFEST, as_manifest, is_output_file, outputs_of_manifest, read_manifest
from .reading_back import is_result_folder
from .stage import Stage


def contents(result: Result, formats: Iterable[str]) -> dict[str, bytes | Path]:
    """The files of a folder, by name: the result in all formats, per-user values in each of `formats`, enriched lists, and the manifest."""
    of_users = [row for form in formats if (row := of_form(form, "users")) is not None]
    rows = (*in_folder("result").values(), *of_users)
    files: dict[str, bytes | Path] = {row.folder: rendered(row, result) for row in rows}
    files |= enriched_files(result)
    files[MANIFEST] = as_manifest(result, files)
    return files


def stale(folder: Path, files: Iterable[str]) -> list[Path]:
    """The files that an earlier run wrote into a folder, and that are not among the new ones."""
    before = outputs_of_manifest(folder / MANIFEST)
    return [folder / name for name in sorted(before - {*files}) if is_output_file(name)]


def save(result: Result, folder: Path, formats: Iterable[str] = ("parquet",)) -> None:
    """Write a result into a folder, all files or none; `OutputError` if it cannot be written."""
    refuse_lost_threads()
    with Stage([folder]) as stage:
        files = contents(result, formats if result.per_user else ())
        stage.commit({folder / name: content for name, content in files.items()}, gone=stale(folder, files))


def enriched_files(result: Result) -> dict[str, Path]:
    """Return the names of the files with the lists of each model and their hits, and where they are; no two models share a name."""
    named = {model: re.sub(r'[%/\\:*?"<>|\x00-\x1f]', lambda found: f"%{ord(found[0]):02X}", model) for model in result.enriched}
    return {f"enriched.{named[model]}.parquet": path for model, path in result.enriched.items()}


def enriched_frames(result: Result) -> dict[str, pl.DataFrame]:
    """Return the lists of each model with their hits, as the files hold them."""
    return {model: pl.read_parquet(path) for model, path in result.enriched.items()}


def copy_results(folder: Path, target: Path, *, force: bool = False) -> None:
    """Copy the files that the manifest of a folder of results names, and the manifest; of an earlier copy nothing else stays.

    `DataError` if one of them is not the file that the manifest names. `OutputError` if `target` is that folder, or has other files of
    those names, unless `force` says that they may go.
    """
    manifest = read_manifest(folder)
    for name in manifest.files:
        manifest.require(folder / name)
    names = [*manifest.files, MANIFEST]
    if os.path.exists(target) and target.samefile(folder):
        raise OutputError(f"{target} is the folder itself", "choose another place with --to")
    there = [name for name in names if os.path.exists(target / name)]
    if there and not is_result_folder(target) and not force:
        raise OutputError(f"{target} is not a result folder: it contains a {there[0]}", "choose another place with --to, or add --force")
    with Stage([target]) as stage:
        stage.commit({target / name: folder / name for name in names}, gone=stale(target, names))
