"""What the files of a config hold: rows, users, items, numbers, times, and what the files have in common."""

from __future__ import annotations

from contextlib import ExitStack

import polars as pl
from msgspec import Struct

from .. import load
from ..config import Loaded
from ..load.faults import FaultTally
from ..load.opening import batches
from ..measure.summaries import count_summary, number_summary
from ..results.description import Description, NumberSummary, Overlap, TableDescription, TimeSpan
from ..results.repeats import describe_folds
from .files import read_all, session_of
from .inputs import Inputs
from .request import Request
from .sources import SourceReader, lazy_rows, reading

_ROWS_PER_BATCH = 1_000_000


def describe(loaded: Loaded) -> Description:
    """Describe the test and train files and the lists of each model of a config.

    Rows without a value that must be there are left out and counted. Memory grows with the number of users and items, not of rows.
    Raises `DataError` if a file cannot be read, and `MissingExtraError` if the engine is not there.
    """
    folds = {name: describe(fold) for name, fold in loaded.of_folds().items()}
    if folds:
        return describe_folds(folds)
    request = Request.of(loaded)
    with ExitStack() as stack:
        inputs = request.look({"train"}, stack, session := session_of(request, stack))
        return read_all(inputs, lambda read: describe_inputs(read, SourceReader(request.folder, tolerant=True, session=session)))


def describe_inputs(inputs: Inputs, reader: SourceReader) -> Description:
    """Describe the sources of a run; each is read once more, and some columns twice."""
    sources = {"test": inputs.test} | ({"train": inputs.train} if inputs.train is not None else {})
    facts = {name: _facts_of(name, source, reader) for name, source in sources.items()}
    named = {f"{name} (model)" if name in sources else name: source for name, source in inputs.models.items()}
    models = {name: _facts_of(name, source, reader) for name, source in named.items()}
    pairs = [("test", facts["train"])] if "train" in facts else []
    overlaps = [facts[one].overlap(other) for one, other in pairs]
    overlaps += [model.overlap(of_file) for model in models.values() for of_file in facts.values()]
    tables = tuple(one.table for one in (*facts.values(), *models.values()))
    return Description(tables, tuple(overlaps), load.remarks(inputs.all()))


class _Facts(Struct, frozen=True, eq=False):
    """The description of a source, and its users and items with their numbers of rows (`len`)."""

    table: TableDescription
    users: pl.DataFrame
    items: pl.DataFrame

    def overlap(self, other: _Facts) -> Overlap:
        """What two sources have in common."""
        users = self.users.join(other.users, on="user", how="semi").height
        items = self.items.join(other.items, on="item", how="semi").height
        return Overlap(self.table.name, other.table.name, users, items)


def _facts_of(name: str, source: load.Source, reader: SourceReader) -> _Facts:
    """Read a source and describe it."""

    def read(resolved: load.Source, tally: FaultTally) -> tuple[pl.DataFrame, pl.DataFrame, NumberSummary | None, TimeSpan | None]:
        frame = lazy_rows(resolved)
        with reading():
            tally.add(frame)
            return _read(frame, source)

    if source.scan.format == "table":
        users, items, numbers, times = _read(reader.frame(source).lazy(), source)
    else:
        users, items, numbers, times = reader.read_with_retries(source, read)
    rows = reader.n_rows[source.role]
    faulty = reader.passed_over.get(source.role)
    cells = users.height * items.height
    table = TableDescription(
        name=name,
        role=source.role,
        rows=rows,
        left_out=faulty.n_faulty if faulty is not None else 0,
        users=users.height,
        items=items.height,
        density=rows / cells if cells else None,
        numbers=numbers,
        times=times,
        per_user=count_summary(users["len"].to_numpy()),
        per_item=count_summary(items["len"].to_numpy()),
    )
    return _Facts(table, users, items)


def _read(frame: pl.LazyFrame, source: load.Source) -> tuple[pl.DataFrame, pl.DataFrame, NumberSummary | None, TimeSpan | None]:
    """The users and items of the rows with their numbers of rows, and a summary of their numbers and times."""
    column = next((name for name in ("rating", "score") if name in source.columns), None)
    looks = [pl.len()]
    if column is not None:
        looks += [pl.col(column).cast(pl.Float64).min().alias("least"), pl.col(column).cast(pl.Float64).max().alias("most")]
    if "timestamp" in source.columns:
        time = pl.when(pl.col("timestamp").cast(pl.Float64).is_finite()).then(pl.col("timestamp").cast(pl.Float64))
        looks += [time.min().alias("first"), time.max().alias("last"), time.null_count().alias("untimed")]
    counts = [frame.filter(pl.col(name).is_not_null()).group_by(name).len() for name in ("user", "item")]
    users, items, looked = pl.collect_all([*counts, frame.select(looks)], engine="streaming")
    found = looked.row(0, named=True)
    numbers = times = None
    if column is not None and found["least"] is not None:
        finite = frame.select(pl.col(column).cast(pl.Float64)).filter(pl.col(column).is_finite())
        values = (batch[column].to_numpy() for batch in batches(finite, _ROWS_PER_BATCH))
        numbers = number_summary(column, values, found["least"], found["most"])
    if found.get("first") is not None:
        times = TimeSpan(found["first"], found["last"], found["untimed"])
    return users, items, numbers, times
