"""Parts of whole users on Spark: rows of all sources are packed into blocks by user, shuffled, and measured on the workers."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any, Final

import polars as pl

from ...load import Source
from ...load.faults import merged_counts
from ...metrics.registry import session_has_metrics
from ..local import ROWS_PER_PART
from .session import SparkSession
from .source_frames import canonical_rows
from .spark_errors import translate_error
from .tuning import input_bytes, settings_for_size
from .user_blocks import BUCKET, MAX_BITS, SCHEMA, BlockWriter
from .versions import Versions
from .workers import RESULT, ByValue, Counts, EnclosedValue, PartWorker, Role, ShippedValue, Work, clean

LISTS: Final = "lists"
_MIN_BITS: Final = 6
_BYTES_PER_BUCKET: Final = 8 << 20


def ship(session: SparkSession, work: Work) -> ShippedValue:
    """Send `work` to the workers, once for all models; Spark Connect can only send it again with each model."""
    if session.is_remote:
        return EnclosedValue(work)
    broadcast: ShippedValue = session.native.sparkContext.broadcast(ByValue(work) if session_has_metrics() else work)
    return broadcast


def measure_on_spark(
    session: SparkSession,
    work: ShippedValue,
    sources: Mapping[str, Source],
    *,
    last: Collection[str],
    rows_per_part: int = ROWS_PER_PART,
) -> tuple[Any, Counts]:
    """Return the merged results of `work` over all parts, and the faults of each source; `None` as results if rows lack values.

    `sources` are the lists (`lists`) and the other tables, by role. `work` gets the same frames by role as on one machine: users who are in
    the lists, in `test` or in a role of `last`, with all their rows, grouped by user and in order; `row` ascends in the order of the
    source.

    Neither the lists nor the tables come to this process. `ReadError` if a source cannot be read, `MissingExtraError` if the workers lack
    receval.
    """
    n_bytes = input_bytes(sources.values())
    with settings_for_size(session, n_bytes):
        roles, results = _results(session, work, sources, last, rows_per_part, bucket_bits(n_bytes))
    total, counts = None, {role: columns.no_counts() for role, columns in roles.items()}
    for result, faults in map(pickle.loads, results):
        total = result if total is None else total if result is None else total + result
        counts = {role: merged_counts(counts[role], faults[role]) for role in counts}
    if any(number for role in counts.values() for name, number in role.items() if name.startswith(("null_", "infinite_"))):
        return None, counts
    return work.value({role: clean(columns.no_rows()) for role, columns in roles.items()}) if total is None else total, counts


def _results(
    session: SparkSession,
    work: ShippedValue,
    sources: Mapping[str, Source],
    last: Collection[str],
    rows_per_part: int,
    bits: int,
) -> tuple[Mapping[str, Role], list[bytes]]:
    """Return the roles of the sources, and the pickled result of each partition of users."""
    try:
        worker, shuffled = _by_bucket(session, work, sources, last, rows_per_part, bits)
        return worker.roles, shuffled.mapInArrow(worker, f"{RESULT} binary").toArrow()[RESULT].to_pylist()
    except Exception as error:
        raise translate_error(error) from error


def rows_on_spark(session: SparkSession, work: ShippedValue, sources: Mapping[str, Source], last: Collection[str], schema: str) -> Any:
    """Return a DataFrame of Spark of the rows that `work` returns for each part, as in `measure_on_spark`; they stay on the workers.

    It is computed when it is used. `schema` are its columns as Spark writes them.
    """
    worker, shuffled = _by_bucket(session, work, sources, last, ROWS_PER_PART, bucket_bits(input_bytes(sources.values())))
    return shuffled.mapInArrow(worker.rows, schema)


def _by_bucket(
    session: SparkSession, work: ShippedValue, sources: Mapping[str, Source], last: Collection[str], rows_per_part: int, bits: int
) -> tuple[PartWorker, Any]:
    """Return the worker for the parts of the sources, and the blocks of their rows, each bucket in one partition."""
    opened = {role: canonical_rows(session.native, source.scan) for role, source in sources.items()}
    roles = {
        role: Role.from_source(source, number, _types(opened[role]), role in (LISTS, "test", *last))
        for number, (role, source) in enumerate(sources.items())
    }
    versions = Versions.installed()
    blocks = [rows.mapInArrow(BlockWriter(roles[role].number, bits, versions), SCHEMA) for role, rows in opened.items()]
    together = reduce(lambda first, second: first.union(second), blocks)
    # By bucket and not by user: a partition then has some whole buckets, and Spark chooses how many.
    shuffled = together.repartition(BUCKET).sortWithinPartitions(BUCKET)
    return PartWorker(work, roles, versions, rows_per_part), shuffled


def _types(rows: Any) -> dict[str, str]:
    return {field.name: field.dataType.simpleString() for field in rows.schema.fields}


def bucket_bits(n_bytes: int) -> int:
    """Return the base-2 logarithm of the number of buckets, 64 to 4,096: one for some megabytes, so that a bucket fits into memory."""
    return min(max((n_bytes // _BYTES_PER_BUCKET).bit_length(), _MIN_BITS), MAX_BITS)


def table_frame(session: SparkSession, source: Source, *, only: int | str | None = None) -> pl.DataFrame:
    """Bring the rows of a table, or `only` those of a user, to this process through Arrow."""
    try:
        rows = canonical_rows(session.native, source.scan)
        chosen = rows if only is None else rows.filter(rows["user"] == only)
        return pl.DataFrame(pl.from_arrow(chosen.toArrow())).sort("row").rechunk()
    except Exception as error:
        raise translate_error(error) from error
