"""Write what a run gives: files, folders of results and the rows that failed checks, each all or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..checks import CHECKS
from ..config import Loaded
from ..content.report import ReportContent
from ..disk import result_folder
from ..disk.own_inputs import Target, refuse_overwriting
from ..disk.stage import Stage, destination
from ..evaluation.running import run
from ..render.encoding import as_parquet
from ..render.forms import rendered
from ..results.result import Result
from .targets import PathLike, Targets


def save(result: Result, report: ReportContent | None, targets: Targets, stage: Stage, formats: Iterable[str]) -> None:
    """Write a result to files in their forms and into folders, all or nothing; a link stays, and what it leads to is written.

    Folders have the per-user values in each of `formats`. Of an earlier run's files in the folders nothing stays that this run does not
    write.
    """
    files: dict[Path, bytes | Path] = {
        destination(path): rendered(row, report if row.of == "report" else result) for path, row in targets.files.items()
    }
    stale: list[Path] = []
    for folder in targets.folders:
        written = result_folder.contents(result, formats)
        files |= {folder / name: body for name, body in written.items()}
        stale += result_folder.stale(folder, written)
    stage.commit(files, gone=stale)


def check_config(loaded: Loaded, store: PathLike | None = None) -> Result:
    """Make the health checks of a config on all files that can be read.

    The offending rows of those that failed are written into a folder, if one is given.
    """
    refuse_overwriting(loaded, failures_target(store))
    with failures_stage(store) as stage:
        result = run(loaded, tolerant=True, keep_users=False, keep_failures=store is not None)
        save_failures(result, store, stage)
    return result


def failures_stage(store: PathLike | None) -> Stage:
    """A stage beside the folder of failed rows, so that one that cannot be written is found before any work."""
    return Stage([Path(store).expanduser()] if store else [])


def failures_target(store: PathLike | None) -> list[Target]:
    """The folder of failed rows as a target, whose files a run may write or remove."""
    return [Target(f"--store-failures {store}", Path(store), _is_of_failures)] if store else []


def save_failures(result: Result, store: PathLike | None, stage: Stage) -> None:
    """Write the offending rows of failed checks, a Parquet file each, all or none; what an earlier run wrote there goes."""
    if store:
        folder = Path(store).expanduser()
        files = {folder / f"{name}.parquet": as_parquet(rows) for name, rows in result.failures.items()}
        earlier = (path for path in folder.glob("*.parquet") if _is_of_failures(path.name) and path not in files)
        stale = [path for path in earlier if os.path.isfile(path) and not path.is_symlink()]
        stage.commit(files, gone=sorted(stale))


def _is_of_failures(name: str) -> bool:
    """Return whether a file has a name that a run gives: `R01.parquet`, `R01.knn.parquet`."""
    return name.endswith(".parquet") and name.partition(".")[0] in CHECKS
