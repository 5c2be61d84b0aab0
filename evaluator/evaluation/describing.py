"""Describe the files of a config: rows, users, items, numbers, times, and the users and items that files share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import combinations

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..config import Loaded
from ..load.faults import FaultTally
from ..load.opening import batches
from ..results.description import Description, Overlap, TableDescription, TimeSpan
from ..results.repeats import describe_folds
from ..scoring.summaries import count_summary, number_summary
from ..tables.time_units import SECONDS, counts_by_unit, unit_of_counts
from .files import SourceReader, lazy_rows, read_all, reading, session_of
from .inputs import Inputs, look_at_everything

_ROWS_PER_BATCH = 1_000_000


def describe(loaded: Loaded) -> Description:
    """Describe the test and train files and the lists of each model of a config; without test or lists also the file of items.

    Rows without a required value are left out and counted. Memory grows with the number of users and items, not of rows.
    Raises `DataError` if a file cannot be read, and `MissingExtraError` if the engine is not installed.
    """
    folds = {name: describe(fold) for name, fold in loaded.of_folds().items()}
    if folds:
        return describe_folds(folds)
    with ExitStack() as stack:
        inputs = look_at_everything(loaded, frozenset({"train", "items"}), stack, session := session_of(loaded, stack))
        return read_all(inputs, lambda read: describe_inputs(read, SourceReader(loaded.folder, tolerant=True, session=session)))


def describe_inputs(inputs: Inputs, reader: SourceReader) -> Description:
    """Describe the sources of a run; each is read once more, and some columns twice."""
    roles = ("test", "train", *(() if inputs.models and inputs.source("test") is not None else ("items",)))
    sources = {role: source for role in roles if (source := inputs.source(role)) is not None}
    files = [_facts_of(name, source, reader) for name, source in sources.items()]
    named = {f"{name} (model)" if name in sources else name: source for name, source in inputs.models.items()}
    models = [_facts_of(name, source, reader) for name, source in named.items()]
    pairs = [*combinations(files, 2), *((model, file) for model in models for file in files)]
    tables = tuple(file.table for file in (*files, *models))
    overlaps = tuple(_overlap(table, other) for table, other in pairs)
    of_targets = (chosen.remark for chosen in reader.targets.values())
    return Description(tables, overlaps, (*_event_sentences(sources.values()), *load.remarks(inputs.all()), *of_targets))


def _event_sentences(sources: Iterable[load.Source]) -> Iterator[str]:
    """Yield a sentence on the values of the event column (click, view, …) of each source that has one."""
    for source in sources:
        found = load.events(source)
        if found is not None:
            yield f"{source.role}: {found.text}{'' if source.scan.where else f'; without {source.role}.where all rows are used'}."


class _Facts(Struct, frozen=True, eq=False):
    """The description of a source, and its users and items with their numbers of rows (`len`)."""

    table: TableDescription
    users: pl.DataFrame
    items: pl.DataFrame


def _overlap(table: _Facts, other: _Facts) -> Overlap:
    """Count the users and items that two sources share."""
    users = table.users.join(other.users, on="user", how="semi").height
    items = table.items.join(other.items, on="item", how="semi").height
    return Overlap(table.table.name, other.table.name, users, items)


def _facts_of(name: str, source: load.Source, reader: SourceReader) -> _Facts:

    def read(resolved: load.Source, tally: FaultTally) -> _Facts:
        frame = lazy_rows(resolved)
        with reading():
            tally.add(frame)
            return _describe_rows(frame, name, source)

    whole = source.scan.format == "table" or source.target is not None
    facts = _describe_rows(reader.frame(source).lazy(), name, source) if whole else reader.read_with_retries(source, read)
    rows = reader.n_rows[source.role]
    cells = facts.table.users * facts.table.items
    known = {"rows": rows, "left_out": reader.n_faulty(source.role), "density": rows / cells if cells else None}
    return replace(facts, table=replace(facts.table, **known))


def _describe_rows(frame: pl.LazyFrame, name: str, source: load.Source) -> _Facts:
    """Describe rows: users and items with their numbers of rows, and a summary of numbers and times; the number of rows is set later."""
    column = next((name for name in ("rating", "score") if name in source.columns), None)
    looks = [pl.len()]
    if column is not None:
        looks += [pl.col(column).cast(pl.Float64).min().alias("least"), pl.col(column).cast(pl.Float64).max().alias("most")]
    if "timestamp" in source.columns:
        time = pl.when(pl.col("timestamp").cast(pl.Float64).is_finite()).then(pl.col("timestamp").cast(pl.Float64))
        looks += [time.min().alias("first"), time.max().alias("last"), time.null_count().alias("untimed")]
        looks += counts_by_unit(time)
    ids = [frame if name in source.columns else frame.select(pl.lit(None, pl.Int64).alias(name)) for name in ("user", "item")]
    counts = [frame.filter(pl.col(name).is_not_null()).group_by(name).len() for name, frame in zip(("user", "item"), ids, strict=True)]
    users, items, looked = pl.collect_all([*counts, frame.select(looks)], engine="streaming")
    found = looked.row(0, named=True)
    numbers = times = None
    if column is not None and found["least"] is not None:
        finite = frame.select(pl.col(column).cast(pl.Float64)).filter(pl.col(column).is_finite())
        with closing(batches(finite, _ROWS_PER_BATCH)) as parts:
            numbers = number_summary(column, (part[column].to_numpy() for part in parts), found["least"], found["most"])
    if found.get("first") is not None:
        unit, are_dates = unit_of_counts(found)
        is_other = are_dates and not source.scan.has_dates
        times = TimeSpan(found["first"], found["last"], found["untimed"], unit.name if is_other else SECONDS.name)
    table = TableDescription(
        name=name,
        role=source.role,
        rows=0,
        left_out=0,
        users=users.height,
        items=items.height,
        density=None,
        numbers=numbers,
        times=times,
        per_user=count_summary(users["len"].to_numpy()),
        per_item=count_summary(items["len"].to_numpy()),
        reading=source.reading,
    )
    return _Facts(table, users, items)
