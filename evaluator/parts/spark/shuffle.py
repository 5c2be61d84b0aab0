"""Whole users on Spark: rows of all sources are shuffled by user, sorted, and measured where they arrive."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any

import polars as pl

from ...load import Source
from ...load.tally import merged_counts
from ..local import ROWS_PER_PART
from .failures import translated
from .records import ELEMENT
from .session import SparkSession
from .sources import canonical_rows
from .workers import MADE, ROLE, Counts, Enclosed, PartWorker, RoleColumns, Shipped, Work

LISTS = "lists"


def ship(session: SparkSession, work: Work) -> Shipped:
    """Send `work` to the workers, once for all models; Spark Connect has no way but to send it with each."""
    if session.is_remote:
        return Enclosed(work)
    broadcast: Shipped = session.native.sparkContext.broadcast(work)
    return broadcast


def measured_on_spark(
    session: SparkSession,
    work: Shipped,
    sources: Mapping[str, Source],
    *,
    last: Collection[str],
    only: int | str | None = None,
    rows_per_part: int = ROWS_PER_PART,
) -> tuple[Any, Counts]:
    """Return what `work` makes of all parts, merged, and the faults of each source; None instead of the former if rows lack values.

    `sources` are the lists (`lists`) and the tables beside them by role. `work` gets the frames of each part by role, as one
    machine brings them together: users who are in the lists, in `test` or in a role of `last`, with all their rows, together
    and in order; `row` ascends in the order of the source. With `only` nothing is read but the rows of that user.

    Neither the lists nor the tables come to this process. Raises `ReadError` if a source cannot be read, and `MissingExtraError` if
    the workers lack receval.
    """
    opened = {role: canonical_rows(session.native, source.scan) for role, source in sources.items()}
    roles = {
        role: RoleColumns.of(source, number, _columns(opened[role]), role in (LISTS, "test", *last))
        for number, (role, source) in enumerate(sources.items())
    }
    worker = PartWorker(work, roles, rows_per_part)
    try:
        together = reduce(_union, (_tagged(opened[role], columns) for role, columns in roles.items()))
        if only is not None:
            together = together.filter(together["user"] == only)
        # Spark sorts by one column without comparing rows, several times as fast as by user and row; the workers do the rest.
        shuffled = together.repartition("user").sortWithinPartitions("user")
        results = shuffled.mapInArrow(worker, f"{MADE} binary").toArrow()[MADE].to_pylist()
    except Exception as error:
        raise translated(error) from error
    total, counts = None, {role: columns.no_counts() for role, columns in roles.items()}
    for made, found in map(pickle.loads, results):
        total = made if total is None else total if made is None else total + made
        counts = {role: merged_counts(counts[role], found[role]) for role in counts}
    if any(number for role in counts.values() for name, number in role.items() if name.startswith(("null_", "infinite_"))):
        return None, counts
    return work.value({role: columns.empty() for role, columns in roles.items()}) if total is None else total, counts


def _columns(rows: Any) -> dict[str, tuple[str, str]]:
    """For each canonical column of a source the name that it has among those of all, and its type.

    Columns of one name have one type in the union of all sources, so that a score that one source stores in 32 bits stays so.
    """
    types = {field.name: field.dataType.simpleString() for field in rows.schema.fields}
    return {name: ("user" if name == "user" else f"{name} {kind}", kind) for name, kind in types.items() if name not in ("row", ELEMENT)}


def _tagged(rows: Any, columns: RoleColumns) -> Any:
    """The rows of a source as they stand among those of all."""
    from pyspark.sql import functions as f

    role = f.lit(columns.number).cast("tinyint").alias(ROLE)
    numbers = [f.col(name) for name in ("row", ELEMENT) if name in rows.columns]
    return rows.select(role, *numbers, *(f.col(column).alias(name) for column, (name, _) in columns.columns.items()))


def _union(first: Any, second: Any) -> Any:
    return first.unionByName(second, allowMissingColumns=True)


def table_frame(session: SparkSession, source: Source) -> pl.DataFrame:
    """Bring the rows of a table to this process by way of Arrow, for what must be known before the lists are read."""
    try:
        return pl.DataFrame(pl.from_arrow(canonical_rows(session.native, source.scan).toArrow())).sort("row").rechunk()
    except Exception as error:
        raise translated(error) from error
