"""The folder of a result: which files it has, and what of an earlier run's goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..forks import refuse_lost_threads
from ..results.result import Result
from . import FILES, MANIFEST, PER_USER, as_manifest, enriched_files, is_output_file, outputs_of_manifest
from .disk import Stage


def contents(result: Result, formats: Iterable[str]) -> dict[str, bytes | Path]:
    """The files of a folder, by name: the result in all formats, values of users in each of `formats`, enriched lists, and the manifest."""
    files: dict[str, bytes | Path] = {name: renderer(result) for name, renderer in FILES.items()}
    files |= {f"per_user.{form}": PER_USER[form](result) for form in formats}
    files |= enriched_files(result)
    files[MANIFEST] = as_manifest(result, files)
    return files


def stale(folder: Path, files: Mapping[str, bytes | Path]) -> list[Path]:
    """The files that an earlier run wrote into a folder, and that are not among the new ones."""
    before = outputs_of_manifest(folder / MANIFEST)
    return [folder / name for name in sorted(before - files.keys()) if is_output_file(name)]


def save(result: Result, folder: Path, formats: Iterable[str] = ("parquet",)) -> None:
    """Write a result into a folder, all files or none; `OutputError` if it cannot be written."""
    refuse_lost_threads()
    with Stage([folder]) as stage:
        files = contents(result, formats if result.per_user else ())
        stage.commit({folder / name: content for name, content in files.items()}, gone=stale(folder, files))
