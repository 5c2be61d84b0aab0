"""One pass over the lists of a model: parts of whole users, each measured, merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import polars as pl
from msgspec.structs import replace

from .. import load
from ..load.tally import FaultTally
from ..measure.enriched import EnrichedRows
from ..measure.partial import Partial
from ..parts import Part, SortedRuns, whole_users
from ..parts.spark.session import SparkSession
from ..parts.threads import side_by_side
from ..tables.part import LISTS
from .files import Files
from .measured import ENRICHED, PassTask, measure_frames, measure_part
from .sources import RowsAreFaulty


def measure_lists(name: str, files: Files, pass_task: PassTask, memory: int | None, progress: Callable[[int], None]) -> Partial:
    """Measure the lists of one model: on this machine, where lists in no order may take so much `memory`, or on Spark."""
    source = files.inputs.models[name]
    if files.session is not None:
        runs = SortedRuns(files.scratch, ENRICHED)
        return _with_enriched_on_disk(_on_spark(source, files.session, files, name, pass_task), runs).with_more({ENRICHED: runs})
    return files.reader.read(source, partial(_on_this_machine, name, files, pass_task, memory, progress))


def _on_this_machine(
    name: str,
    files: Files,
    pass_task: PassTask,
    memory: int | None,
    progress: Callable[[int], None],
    lists: pl.LazyFrame,
    tally: FaultTally,
) -> Partial:
    sides, measure = files.sides_of(name), partial(measure_part, pass_task)

    def examine_batch(batch: pl.DataFrame) -> None:
        if tally.add(batch):
            raise RowsAreFaulty

    def merge(parts: Iterator[Part]) -> Partial:
        total, runs = None, SortedRuns(files.scratch, ENRICHED)
        for made in side_by_side(measure, parts):
            kept = _with_enriched_on_disk(made, runs)
            total = kept if total is None else total + kept
        if total is None:
            nobody = Part(pl.DataFrame(schema=lists.collect_schema()), {role: side.frame.clear() for role, side in sides.items()})
            total = _with_enriched_on_disk(measure(nobody), runs)
        return total.with_more({ENRICHED: runs})

    return whole_users(merge, lists, sides, last=files.last, memory=memory, scratch=files.scratch, examine=examine_batch, progress=progress)


def _with_enriched_on_disk(made: Partial, runs: SortedRuns) -> Partial:
    """The same without the enriched lists, which go to temporary files: memory holds those of one part at a time."""
    more = dict(made.more)
    enriched: EnrichedRows | None = more.pop(ENRICHED, None)
    for frame in enriched.frames if enriched is not None else ():
        runs.add(frame)
    return replace(made, more=more)


def _on_spark(source: load.Source, session: SparkSession, files: Files, name: str, pass_task: PassTask) -> Partial:
    """Measure on the workers, where the sources beside the lists are read again in the way that proved right."""
    from ..parts.spark.shuffle import measured_on_spark, ship  # only here: most runs need no Spark

    reader = files.reader
    sides = {role: reader.as_read.get(side.role, side) for role, side in files.sources_of(name).items()}
    work = ship(session, partial(measure_frames, pass_task))

    def consume(lists: load.Source, tally: FaultTally) -> Partial:
        made, counts = measured_on_spark(session, work, {LISTS: lists, **sides}, last=files.last)
        tally.counts = counts[LISTS]
        total: Partial = made
        return total

    return reader.attempt(source, consume)
