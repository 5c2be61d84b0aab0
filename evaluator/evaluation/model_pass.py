"""Measure one part of the users, as a pure function; Spark's workers load this module, so it imports only what measuring needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from msgspec import Struct

from ..engines.part import Part
from ..health import CheckTask, examine
from ..metrics.definition import Definition
from ..scoring.by_group import GROUPS, sums_by_group
from ..scoring.list_hash import list_hash
from ..scoring.measuring import EnrichedRows, enriched_rows, measure_users
from ..scoring.partial import Partial
from ..scoring.per_user import Scorer
from ..scoring.reference_lists import reference_facts
from ..scoring.task import Task
from ..scoring.tie_bounds import TieMeasures, tie_sums
from ..scoring.truth_hash import truth_hash
from ..tables.rows import LISTS, PartData

TIES, CHECKS, REFERENCE_FACTS, ENRICHED, TRUTH, LIST_HASH = "ties", "checks", "reference_facts", "enriched", "truth", "list_hash"
RANKS = "ranks"


class PassTask(Struct, frozen=True, eq=False):
    """The work on every part of a model: values of measures, bounds under ties, tallies of checks, facts for reference lists.

    If `enriched` is set, the lists are enriched as this measure reads them. If `hashes_truth`, the test rows are hashed, if
    `hashes_lists` the lists; if `counts_ranks`, the ranks of relevant items among sampled candidates are counted.
    """

    task: Task
    ties: TieMeasures | None = None
    checks: CheckTask | None = None
    for_reference_lists: bool = False
    enriched: Definition | None = None
    hashes_truth: bool = False
    hashes_lists: bool = False
    counts_ranks: bool = False


def measure_frames(pass_task: PassTask, frames: Mapping[str, pl.DataFrame]) -> Partial:
    """Call `measure_part` with frames by role, as Spark's workers have them."""
    return measure_part(pass_task, Part(frames[LISTS], {role: frame for role, frame in frames.items() if role != LISTS}))


def user_rows(pass_task: PassTask, model: str, shown: Mapping[str, int], frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the values of the users of a part as rows of the table of per-user values: a row for each user and measure with a value.

    `shown` has the index of each measure to write.
    """
    made = measure_frames(pass_task, frames)
    assert made.user_values is not None
    own = ("user", "n_relevant", "n_recommended")
    wide = made.user_values.frame().select(*own, *(pl.col(f"v{index}").alias(label) for label, index in shown.items()))
    rows = wide.unpivot(index=own, variable_name="measure", value_name="value").drop_nulls("value")
    counts = (pl.col(name).cast(pl.Int64) for name in own[1:])
    return rows.select(pl.lit(model).alias("model"), "user", *counts, "measure", pl.col("value").cast(pl.Float64))


def measure_part(pass_task: PassTask, part: Part) -> Partial:
    """Return what some users, with all their rows, add to the result; a pure function, which can run on another machine."""
    task = pass_task.task
    scorer = Scorer.for_part(task.prepared, PartData({LISTS: part.lists, **part.sides}, {LISTS: part.starts} if len(part.starts) else {}))
    measured = measure_users(task, scorer)
    more: dict[str, Any] = {}
    if pass_task.ties is not None and pass_task.ties.indexes and "score" in part.lists.columns:
        more[TIES] = tie_sums(scorer, pass_task.ties, measured.values)
    if pass_task.checks is not None:
        more[CHECKS] = examine(pass_task.checks, scorer, task.definitions, measured.values)
    if pass_task.for_reference_lists:
        more[REFERENCE_FACTS] = reference_facts(scorer, task.groups, measured.values)
    if pass_task.enriched is not None:
        more[ENRICHED] = EnrichedRows((enriched_rows(scorer, pass_task.enriched),))
    if pass_task.hashes_truth:
        more[TRUTH] = truth_hash(part.sides["test"])
    if pass_task.hashes_lists:
        more[LIST_HASH] = list_hash(scorer, task.definitions)
    if pass_task.counts_ranks:
        from ..scoring.sampled_ranks import rank_counts  # only here: few runs bound values over the whole catalogue

        more[RANKS] = rank_counts(scorer, task.definitions, measured.values)
    if task.by:
        more[GROUPS] = sums_by_group(task, scorer, measured.values)
    return measured.partial.with_more(more)
