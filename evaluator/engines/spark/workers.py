"""On a worker: blocks of rows of all sources → parts of whole users → the results of these parts, as one pickle."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Protocol

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ...load import Source
from ...load.faults import FaultTally
from ..local import ROWS_PER_PART
from .record_reader import ELEMENT, polars_type
from .user_blocks import BLOCK, BUCKET, ROLE, rows_of_blocks, split_by_user
from .versions import Versions

RESULT: Final = "result"
Work = Callable[[Mapping[str, pl.DataFrame]], Any]
"""Function of the frames of a part, by role; it can be pickled, and its results merge with `+`."""
Counts = dict[str, dict[str, int | None]]
"""Faults of each source, by role, as `FaultTally` counts them."""
Blocks = dict[int, list[bytes]]
"""Blocks of a bucket, by the number of their role."""


class ShippedValue(Protocol):
    """A value that has come to a worker, such as a broadcast variable of Spark."""

    @property
    def value(self) -> Any:
        """Value itself."""
        ...


class EnclosedValue(Struct, frozen=True):
    """A value that travels with the function that uses it, because Spark Connect has no broadcast."""

    value: Any


class ByValue(Struct, frozen=True):
    """Work with functions of this session: a worker gets the work itself, with these functions in it."""

    work: Work

    def __call__(self, frames: Mapping[str, pl.DataFrame]) -> Any:
        """Do the work, in this process."""
        return self.work(frames)

    def __reduce__(self) -> tuple[Any, ...]:
        from pyspark import cloudpickle

        return pickle.loads, (cloudpickle.dumps(self.work),)


class Role(Struct, frozen=True):
    """One of the sources: its number, and the Spark types of its columns; `required` if users need no other source to be in a part."""

    source: Source
    number: int
    types: Mapping[str, str]
    required: bool

    @classmethod
    def from_source(cls, source: Source, number: int, types: Mapping[str, str], required: bool) -> Role:
        """Return the role of a source, with only the data that a tally needs: no paths, and no keys to stores."""
        scan = replace(source.scan, paths=(), storage={}, partitions={}, frame=None)
        return cls(replace(source, scan=scan, given=(), files=(), originals=(), states=(), faulty=None), number, dict(types), required)

    def in_order(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows sorted by user and in the order of the source."""
        if ELEMENT in rows.columns:  # all rows of a record have its number
            rows = rows.sort("user", "row", ELEMENT, nulls_last=False).drop(ELEMENT)
            return rows.with_columns(row=pl.Series(np.arange(rows.height)))
        return rows if _is_sorted(rows) else rows.sort("user", "row", nulls_last=False)

    def no_rows(self) -> pl.DataFrame:
        """Return a frame without rows."""
        return pl.DataFrame(schema={name: polars_type(kind) for name, kind in self.types.items() if name != ELEMENT})

    def no_counts(self) -> dict[str, int | None]:
        """Return the faults of zero rows."""
        tally = FaultTally(self.source)
        tally.add(self.no_rows())
        return tally.counts


class PartWorker(Struct, frozen=True):
    """A function for `mapInArrow` over blocks that are sorted by bucket; all blocks of a bucket are in one partition."""

    work: ShippedValue
    roles: Mapping[str, Role]
    versions: Versions
    rows_per_part: int = ROWS_PER_PART

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row with a pickled pair: the merged result of all parts (`None` if there are none), and `Counts`."""
        import pyarrow

        self.versions.check()
        result = pickle.dumps(self.measure(_by_bucket(batches)), pickle.HIGHEST_PROTOCOL)
        yield pyarrow.RecordBatch.from_pydict({RESULT: [result]}, pyarrow.schema([(RESULT, pyarrow.binary())]))

    def measure(self, buckets: Iterator[Blocks]) -> tuple[Any, Counts]:
        """Return the merged result of all parts, and the faults; no result once a row lacks a value."""
        tallies = {role: FaultTally(columns.source) for role, columns in self.roles.items()}
        total: Any = None
        faulty = False
        for frames in self._parts(buckets):
            for role, frame in frames.items():
                faulty |= bool(frame.height) and tallies[role].add(frame)
            result = None if faulty else self._part_result(frames)
            total = result if total is None else total if result is None else total + result
        return None if faulty else total, {role: tally.counts for role, tally in tallies.items()}

    def rows(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the rows of each part, for work that returns a frame: for `mapInArrow`, with only one part in memory at a time."""
        self.versions.check()
        for frames in self._parts(_by_bucket(batches)):
            rows = self._part_result(frames)
            if rows is not None:
                yield from rows.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()

    def _part_result(self, frames: Mapping[str, pl.DataFrame]) -> Any:
        """Return the result of the work on a part; `None` if no user of it belongs to the result."""
        part = self._part(frames)
        return None if part is None else self.work.value(part)

    def _parts(self, buckets: Iterator[Blocks]) -> Iterator[dict[str, pl.DataFrame]]:
        """Yield the frames of as many buckets as have about `rows_per_part` rows; a bucket with more is split."""
        waiting: list[dict[str, pl.DataFrame]] = []
        n_waiting = 0
        for blocks in buckets:
            frames = {role: columns.no_rows() for role, columns in self.roles.items()}
            for role, columns in self.roles.items():
                if columns.number in blocks:
                    frames[role] = columns.in_order(rows_of_blocks(blocks[columns.number])).select(frames[role].columns)
            n_rows = sum(frame.height for frame in frames.values())
            if waiting and n_waiting + n_rows > self.rows_per_part:
                yield _together(waiting)
                waiting, n_waiting = [], 0
            if n_rows >= 2 * self.rows_per_part:
                yield from split_by_user(frames, n_rows // self.rows_per_part)
                continue
            waiting.append(frames)
            n_waiting += n_rows
        if waiting:
            yield _together(waiting)

    def _part(self, frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame] | None:
        """Return the frames without rows of users who do not belong to the result; `None` if no user is left."""
        part = {role: clean(frame) for role, frame in frames.items()}
        required = [part[role] for role, columns in self.roles.items() if columns.required]
        if not any(frame.height for frame in required):
            return None
        if len(required) < len(part):
            users = pl.concat([frame.select("user") for frame in required]).unique()
            for role, columns in self.roles.items():
                if not columns.required and part[role].height:
                    part[role] = part[role].join(users, on="user", how="semi", maintain_order="left")
        return part


def _by_bucket(batches: Iterator[Any]) -> Iterator[Blocks]:
    """Yield the blocks of each bucket, by the number of their role."""
    current: int | None = None
    blocks: Blocks = {}
    for batch in batches:
        for bucket, role, block in zip(*(batch.column(name).to_pylist() for name in (BUCKET, ROLE, BLOCK)), strict=True):
            if bucket != current and blocks:
                yield blocks
                blocks = {}
            current = bucket
            blocks.setdefault(role, []).append(block)
    if blocks:
        yield blocks


def _together(frames: list[dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    return {role: pl.concat([frame[role] for frame in frames], rechunk=True) for role in frames[0]}


def _is_sorted(rows: pl.DataFrame) -> bool:
    """Return whether the rows are sorted by user and row."""
    users, numbers = rows["user"], rows["row"]
    if users.null_count() or not users.is_sorted():
        return False
    descends = (numbers.slice(1) < numbers.slice(0, max(len(numbers) - 1, 0))) & (users.slice(1) == users.slice(0, max(len(users) - 1, 0)))
    return not descends.any()


def clean(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that have a user, without the marks of odd ids."""
    frame = frame.drop([name for name in frame.columns if name.startswith("odd_")])
    return frame.filter(pl.col("user").is_not_null()) if frame["user"].null_count() else frame
