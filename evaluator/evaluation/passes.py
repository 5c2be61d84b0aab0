"""One pass over the lists of a model: parts of whole users, each measured, merged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from .. import load
from ..examination import Examiner
from ..load.tally import FaultTally
from ..measure.measuring import Task, scored
from ..measure.partial import Partial
from ..measure.scoring import Scorer
from ..measure.ties import TieMeasures, tie_sums
from ..parts import Part, Scratch, SideTable, whole_users
from ..tables.part import LISTS, PartData
from .sources import RowsAreFaulty, SourceReader

TIES = "ties"
CHECKS = "checks"


@dataclass(frozen=True, eq=False)
class PassTask:
    """What is made of every part of a model: the values of measures, bounds under ties, and the tallies of checks."""

    task: Task
    ties: TieMeasures | None = None
    checks: Examiner | None = None


def measured(pass_task: PassTask, frames: Mapping[str, pl.DataFrame]) -> Partial:
    """What some users, with all their rows, add to the result: a pure function that runs on another machine as it stands."""
    task = pass_task.task
    scorer = Scorer.of(task.prepared, PartData(frames))
    partial, values = scored(task, scorer)
    more: dict[str, Any] = {}
    if pass_task.ties is not None and pass_task.ties.indexes and "score" in frames[LISTS].columns:
        more[TIES] = tie_sums(scorer, pass_task.ties, values)
    if pass_task.checks is not None:
        more[CHECKS] = pass_task.checks.tallies(scorer, task.definitions, values)
    return partial.with_more(more)


def pass_over(
    source: load.Source,
    pass_task: PassTask,
    sides: Mapping[str, SideTable],
    reader: SourceReader,
    *,
    last: Collection[str],
    memory: int | None,
    scratch: Scratch,
    progress: Callable[[int], None],
) -> Partial:
    """Measure the lists of one model."""

    def consume(lists: pl.LazyFrame, tally: FaultTally) -> Partial:
        def examine_batch(batch: pl.DataFrame) -> None:
            if tally.add(batch):
                raise RowsAreFaulty

        def merge(parts: Iterator[Part]) -> Partial:
            total: Partial | None = None
            for part in parts:
                partial = measured(pass_task, {LISTS: part.lists, **part.sides})
                total = partial if total is None else total + partial
            if total is None:
                empty = {role: side.frame.clear() for role, side in sides.items()}
                total = measured(pass_task, {LISTS: pl.DataFrame(schema=lists.collect_schema()), **empty})
            return total

        return whole_users(
            merge, lists, sides, last=last, memory=memory, scratch=scratch, examine=examine_batch, progress=progress
        )

    return reader.read(source, consume)
