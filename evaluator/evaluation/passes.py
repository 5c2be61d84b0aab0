"""One pass over the lists of a model: parts of whole users, each measured, merged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import polars as pl

from .. import load
from ..load.tally import FaultTally
from ..measure.measuring import Task, measure
from ..measure.partial import Partial
from ..parts import Part, Scratch, SideTable, whole_users
from .sources import RowsAreFaulty, SourceReader

Progress = Callable[[str, int, int], None]
"""Called as `progress(model, rows_read, rows_in_all)`, the latter 0 where it is not known."""


def pass_over(
    source: load.Source,
    task: Task,
    sides: Mapping[str, SideTable],
    reader: SourceReader,
    *,
    last: Collection[str],
    memory: int | None,
    scratch: Scratch,
    progress: Callable[[int], None],
    only: Any = None,
) -> Partial:
    """Measure the lists of one model; with `only` those of a single user."""

    def consume(lists: pl.LazyFrame, tally: FaultTally) -> Partial:
        def examine(batch: pl.DataFrame) -> None:
            if tally.add(batch):
                raise RowsAreFaulty

        def merge(parts: Iterator[Part]) -> Partial:
            total: Partial | None = None
            for part in parts:
                measured = measure(task, {"lists": part.lists, **part.sides})
                total = measured if total is None else total + measured
            if total is None:
                total = measure(task, {"lists": pl.DataFrame(schema=lists.collect_schema()), **_empty(sides)})
            return total

        return whole_users(merge, lists, sides, last=last, memory=memory, scratch=scratch, examine=examine, progress=progress)

    return reader.read(source, consume)


def _empty(sides: Mapping[str, SideTable]) -> dict[str, pl.DataFrame]:
    return {role: side.frame.clear() for role, side in sides.items()}
