"""The folder of `--store-failures`: the offending rows of failed checks, a Parquet file each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from receval.evaluator import Result
    from receval.evaluator.write import Stage


@contextmanager
def target(store: str | None) -> Iterator[Stage]:
    """A stage beside the folder, which is made now, so that one that cannot be written is found before any work."""
    from receval.evaluator import write

    with write.Stage([Path(store)] if store else []) as stage:
        yield stage


def keep(result: Result, store: str | None, stage: Stage) -> None:
    """Write the offending rows, all files or none."""
    from receval.evaluator.render import data

    if store:
        stage.commit({Path(store) / f"{name}.parquet": data.as_table(rows) for name, rows in result.failures.items()})
