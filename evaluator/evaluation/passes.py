"""One pass over the lists of a model: parts of whole users, each measured, merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from .. import load
from ..health import CheckTask, examine
from ..load.tally import FaultTally
from ..measure.measuring import Task, scored
from ..measure.partial import Partial
from ..measure.scoring import Scorer
from ..measure.ties import TieMeasures, tie_sums
from ..measure.yardstick_facts import yardstick_facts
from ..parts import Part, SideTable, whole_users
from ..parts.spark import SparkSession, measured_on_spark, ship
from ..parts.threads import side_by_side
from ..tables.part import LISTS, PartData
from .files import Files
from .sources import RowsAreFaulty

TIES = "ties"
CHECKS = "checks"
YARDSTICKS = "yardsticks"


@dataclass(frozen=True, eq=False)
class PassTask:
    """What is made of every part of a model: the values of measures, bounds under ties, the tallies of checks, facts for yardsticks."""

    task: Task
    ties: TieMeasures | None = None
    checks: CheckTask | None = None
    for_yardsticks: bool = False


def measured(pass_task: PassTask, frames: Mapping[str, pl.DataFrame]) -> Partial:
    """What some users, with all their rows, add to the result: a pure function that runs on another machine as it stands."""
    task = pass_task.task
    scorer = Scorer.of(task.prepared, PartData(frames))
    made, values = scored(task, scorer)
    more: dict[str, Any] = {}
    if pass_task.ties is not None and pass_task.ties.indexes and "score" in frames[LISTS].columns:
        more[TIES] = tie_sums(scorer, pass_task.ties, values)
    if pass_task.checks is not None:
        more[CHECKS] = examine(pass_task.checks, scorer, task.definitions, values)
    if pass_task.for_yardsticks:
        more[YARDSTICKS] = yardstick_facts(scorer, task.groups, values)
    return made.with_more(more)


def pass_over(name: str, files: Files, pass_task: PassTask, memory: int | None, progress: Callable[[int], None]) -> Partial:
    """Measure the lists of one model: on this machine, where lists in no order may take so much `memory`, or on Spark."""
    source = files.inputs.models[name]
    if files.session is not None:
        return _on_spark(source, files.session, files, name, pass_task)
    return files.reader.read(source, lambda lists, tally: _here(lists, tally, files, files.sides_of(name), pass_task, memory, progress))


def _here(
    lists: pl.LazyFrame,
    tally: FaultTally,
    files: Files,
    sides: Mapping[str, SideTable],
    pass_task: PassTask,
    memory: int | None,
    progress: Callable[[int], None],
) -> Partial:
    def examine_batch(batch: pl.DataFrame) -> None:
        if tally.add(batch):
            raise RowsAreFaulty

    def measure(part: Part) -> Partial:
        return measured(pass_task, {LISTS: part.lists, **part.sides})

    def merge(parts: Iterator[Part]) -> Partial:
        total: Partial | None = None
        for made in side_by_side(measure, parts):
            total = made if total is None else total + made
        if total is None:
            empty = {role: side.frame.clear() for role, side in sides.items()}
            total = measured(pass_task, {LISTS: pl.DataFrame(schema=lists.collect_schema()), **empty})
        return total

    return whole_users(merge, lists, sides, last=files.last, memory=memory, scratch=files.scratch, examine=examine_batch, progress=progress)


def _on_spark(source: load.Source, session: SparkSession, files: Files, name: str, pass_task: PassTask) -> Partial:
    """Measure on the workers, where the sources beside the lists are read again in the way that proved right."""
    reader = files.reader
    sides = {role: reader.as_read.get(side.role, side) for role, side in files.sources_of(name).items()}
    work = ship(session, partial(measured, pass_task))

    def consume(lists: load.Source, tally: FaultTally) -> Partial:
        made, counts = measured_on_spark(session, work, {LISTS: lists, **sides}, last=files.last)
        tally.counts = counts[LISTS]
        total: Partial = made
        return total

    return reader.attempt(source, consume)
