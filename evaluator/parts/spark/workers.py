"""On a worker: sorted rows of all sources → parts of whole users → what is made of them, as one pickle."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import polars as pl

from ...load import Source
from ...load.tally import FaultTally
from ..contiguous import contiguous_frames
from ..local import ROWS_PER_PART
from .records import ELEMENT
from .types import polars_type

ROLE: Final = "receval role"
MADE: Final = "made"
Mergeable = TypeVar("Mergeable", bound="Adds")
Work = Callable[[Mapping[str, pl.DataFrame]], Any]
"""What is made of the frames of a part, by role; it can be pickled and merges with `+`."""
Counts = dict[str, dict[str, int | None]]
"""The faults of each source, by role, as `FaultTally` counts them."""


class Adds(Protocol):
    """What merges with `+`."""

    def __add__(self: Mergeable, other: Mergeable) -> Mergeable:
        """Merge."""
        ...


class Shipped(Protocol):
    """Something that has come to a worker, such as a broadcast variable of Spark."""

    @property
    def value(self) -> Any:
        """The thing itself."""
        ...


@dataclass(frozen=True)
class Enclosed:
    """Something that travels with the function that uses it, where Spark has no broadcast."""

    value: Any


@dataclass(frozen=True)
class RoleColumns:
    """The rows of one source among those of all: the number of the role, and for each canonical column the column and its Spark type."""

    source: Source
    number: int
    columns: Mapping[str, tuple[str, str]]
    required: bool
    """Whether users who have rows here only belong to the result."""

    @classmethod
    def of(cls, source: Source, number: int, columns: Mapping[str, tuple[str, str]], required: bool) -> RoleColumns:
        """Return the role of a source, of which only what a tally looks at goes to workers: no paths, and no keys to stores."""
        scan = replace(source.scan, paths=(), storage={}, partitions={})
        return cls(replace(source, scan=scan, given=(), paths=(), known_as=(), calls={}), number, dict(columns), required)

    def rows(self, together: pl.DataFrame) -> pl.DataFrame:
        """The rows of this source in its order, with its own columns and `row`; `together` is sorted by user."""
        own = together.filter(pl.col(ROLE) == self.number)
        columns = [pl.col(name).cast(polars_type(kind)).alias(column) for column, (name, kind) in self.columns.items()]
        if ELEMENT in own.columns:  # rows that one record becomes have its number
            own = own.sort("user", "row", ELEMENT, nulls_last=False).with_columns(row=pl.Series(np.arange(own.height)))
        elif not _in_order(own):
            own = own.sort("user", "row", nulls_last=False)
        return own.select("row", *columns)

    def empty(self) -> pl.DataFrame:
        """The frame without rows, as a part has it."""
        return _clean(self._no_rows())

    def no_counts(self) -> dict[str, int | None]:
        """The faults of no rows."""
        tally = FaultTally(self.source)
        tally.add(self._no_rows())
        return tally.counts

    def _no_rows(self) -> pl.DataFrame:
        return pl.DataFrame(schema={"row": pl.Int64} | {column: polars_type(kind) for column, (_, kind) in self.columns.items()})


@dataclass(frozen=True)
class PartWorker:
    """A function for `mapInArrow` over rows that are sorted by user, all rows of a user being in one partition."""

    work: Shipped
    roles: Mapping[str, RoleColumns]
    rows_per_part: int = ROWS_PER_PART

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row with the pickled pair of what was made of all parts (None if there are none) and `Counts`."""
        import pyarrow

        made = pickle.dumps(self.made(pl.DataFrame(pl.from_arrow(batch)) for batch in batches), pickle.HIGHEST_PROTOCOL)
        yield pyarrow.RecordBatch.from_pydict({MADE: [made]}, pyarrow.schema([(MADE, pyarrow.binary())]))

    def made(self, batches: Iterator[pl.DataFrame]) -> tuple[Any, Counts]:
        """Return what was made of all parts, and the faults; nothing is made once a row lacks a value."""
        work: Work = self.work.value
        tallies = {role: FaultTally(columns.source) for role, columns in self.roles.items()}
        total: Any = None
        faulty = False
        filled = (batch for batch in batches if batch.height)
        for together in contiguous_frames(filled, self.rows_per_part, users_are_sorted=True):
            frames = {role: columns.rows(together) for role, columns in self.roles.items()}
            for role, frame in frames.items():
                faulty |= bool(frame.height) and tallies[role].add(frame)
            part = None if faulty else self._part(frames)
            if part is not None:
                made = work(part)
                total = made if total is None else total + made
        return None if faulty else total, {role: tally.counts for role, tally in tallies.items()}

    def _part(self, frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame] | None:
        """The frames without rows of users who do not belong to the result; None if nobody is left."""
        part = {role: _clean(frame) for role, frame in frames.items()}
        required = [part[role] for role, columns in self.roles.items() if columns.required]
        if not any(frame.height for frame in required):
            return None
        if len(required) < len(part):
            users = pl.concat([frame.select("user") for frame in required]).unique()
            for role, columns in self.roles.items():
                if not columns.required and part[role].height:
                    part[role] = part[role].join(users, on="user", how="semi", maintain_order="left")
        return part


def _in_order(rows: pl.DataFrame) -> bool:
    """Whether the rows of each user are in the order of the source."""
    descends = rows["row"].slice(1) < rows["row"].slice(0, max(rows.height - 1, 0))
    same_user = rows["user"].slice(1).eq_missing(rows["user"].slice(0, max(rows.height - 1, 0)))
    return not (descends & same_user).any()


def _clean(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that have a user, without the marks of odd ids."""
    frame = frame.drop([name for name in frame.columns if name.startswith("odd_")])
    return frame.filter(pl.col("user").is_not_null()) if frame["user"].null_count() else frame
