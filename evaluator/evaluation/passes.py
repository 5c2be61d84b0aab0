"""One pass over the lists of a model: parts of whole users, each measured, merged."""

from __future__ import annotations

from functools import partial

import polars as pl
from msgspec.structs import replace

from .. import load
from ..load.faults import FaultTally
from ..measure.measuring import EnrichedRows
from ..measure.partial import Partial
from ..parts import Part, SortedRuns, whole_users
from ..parts.resources import side_by_side
from ..parts.spark.session import SparkSession
from ..tables.rows import LISTS
from .files import Files
from .measured import ENRICHED, PassTask, measure_frames, measure_part
from .progress import ModelProgress
from .sources import lazy_rows


def measure_lists(name: str, files: Files, pass_task: PassTask, memory: int | None, progress: ModelProgress) -> Partial:
    """Measure the lists of one model: on this machine, where lists in no order may take so much `memory`, or on Spark."""
    source = files.inputs.models[name]
    if files.session is not None:
        return files.reader.read_with_retries(source, partial(_on_spark, name, files, files.session, pass_task))
    return files.reader.read_with_retries(source, partial(_on_this_machine, name, files, pass_task, memory, progress))


def _on_this_machine(
    name: str, files: Files, pass_task: PassTask, memory: int | None, progress: ModelProgress, source: load.Source, tally: FaultTally
) -> Partial:
    def examine(batch: pl.DataFrame) -> None:
        if tally.add(batch):
            raise load.ReadAgain(load.Source.with_count_first)

    progress.begin()
    lists, sides, measure = lazy_rows(source), files.sides_of(name), partial(measure_part, pass_task)
    parts = whole_users(
        lists,
        sides,
        last=files.last,
        memory=memory,
        scratch=files.scratch,
        examine=examine,
        progress=progress.add,
        apart=source.users_apart,
    )
    total, runs = None, SortedRuns(files.scratch, ENRICHED)
    for made in side_by_side(measure, parts):
        kept = _move_enriched_to_disk(made, runs)
        total = kept if total is None else total + kept
    if total is None:
        nobody = Part(pl.DataFrame(schema=lists.collect_schema()), {role: side.frame.clear() for role, side in sides.items()})
        total = _move_enriched_to_disk(measure(nobody), runs)
    return total.with_more({ENRICHED: runs})


def _move_enriched_to_disk(made: Partial, runs: SortedRuns) -> Partial:
    """The same without the enriched lists, which go to temporary files: memory holds those of one part at a time."""
    more = dict(made.more)
    enriched: EnrichedRows | None = more.pop(ENRICHED, None)
    for frame in enriched.frames if enriched is not None else ():
        runs.add(frame)
    return replace(made, more=more)


def _on_spark(
    name: str, files: Files, session: SparkSession, pass_task: PassTask, source: load.Source, tally: FaultTally
) -> Partial | None:
    """Measure on the workers, where the sources beside the lists are read again in the way that proved right; `None` if rows are faulty."""
    from ..parts.spark.shuffle import measured_on_spark, ship  # only here: most runs need no Spark

    sides = {role: files.reader.as_read.get(side.role, side) for role, side in files.sources_of(name).items()}
    work = ship(session, partial(measure_frames, pass_task))
    made, counts = measured_on_spark(session, work, {LISTS: source, **sides}, last=files.last)
    tally.counts = counts[LISTS]
    runs = SortedRuns(files.scratch, ENRICHED)
    return made and _move_enriched_to_disk(made, runs).with_more({ENRICHED: runs})
