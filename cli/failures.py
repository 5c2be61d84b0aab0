"""The folder of `--store-failures`: the offending rows of failed checks, a Parquet file each.

Imported by a command that runs: it needs Polars.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import receval
from receval.checks import CHECKS
from receval.output.disk import Stage
from receval.output.own_inputs import Target
from receval.render.encoding import as_parquet


def targets(store: str | None) -> list[Target]:
    """The folder as a target, whose files a run may write or remove."""
    return [Target(f"--store-failures {store}", Path(store), _is_of_failures)] if store else []


@contextmanager
def target(store: str | None) -> Iterator[Stage]:
    """A stage beside the folder, which is made now, so that one that cannot be written is found before any work."""
    with Stage([Path(store).expanduser()] if store else []) as stage:
        yield stage


def keep(result: receval.Result, store: str | None, stage: Stage) -> None:
    """Write the offending rows, all files or none; what an earlier run wrote there goes."""
    if store:
        folder = Path(store).expanduser()
        files = {folder / f"{name}.parquet": as_parquet(rows) for name, rows in result.failures.items()}
        stage.commit(files, gone=[path for path in _written_before(folder) if path not in files])


def _written_before(folder: Path) -> list[Path]:
    """The files that an earlier run wrote into a folder, by their names."""
    mine = (path for path in folder.glob("*.parquet") if _is_of_failures(path.name))
    return sorted(path for path in mine if os.path.isfile(path) and not path.is_symlink())


def _is_of_failures(name: str) -> bool:
    """Whether a file has a name that a run gives: `R01.parquet`, `R01.knn.parquet`."""
    return name.endswith(".parquet") and name.partition(".")[0] in CHECKS
