"""The folder of a result: which files it has, and what of an earlier run's goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..forks import refuse_lost_threads
from ..outputs import in_folder, of_form
from ..render.forms import rendered
from ..results.result import Result
from .data import as_manifest, enriched_files, outputs_of_manifest
from .disk import Stage
from .manifest import MANIFEST


def is_output_file(name: str) -> bool:
    """Return whether a run may give a file of an output folder this name."""
    return name in {*in_folder("result", "users"), MANIFEST} or (name.startswith("enriched.") and name.endswith(".parquet"))


def contents(result: Result, formats: Iterable[str]) -> dict[str, bytes | Path]:
    """The files of a folder, by name: the result in all formats, values of users in each of `formats`, enriched lists, and the manifest."""
    of_users = [row for form in formats if (row := of_form(form, "users")) is not None]
    rows = (*in_folder("result").values(), *of_users)
    files: dict[str, bytes | Path] = {row.folder: rendered(row, result) for row in rows}
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
