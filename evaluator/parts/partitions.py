"""Batches in any order → rows of whole users, by way of buckets that hold all rows of some users each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..tables.ids import user_starts
from ..temporary import not_written
from .contiguous import WholeUsers, cut
from .reading import Batches
from .scratch import Scratch
from .users import Indices

N_BUCKETS: Final = 256
_N_BINS: Final = 1 << 16
_MOST_NUMBERS: Final = 1 << 32


def hashes(users: pl.Series) -> NDArray[np.uint64]:
    """Return a hash of each user; the first 8 bits choose the bucket, the next 16 the order in it."""
    return users.hash().to_numpy()


def by_bucket(frame: pl.DataFrame) -> tuple[pl.DataFrame, Indices]:
    """Return the rows ordered by the bucket of their user, in order within a bucket, and where each bucket begins and the last ends."""
    frame = frame.rechunk()  # to pick rows from many chunks takes ten times as long
    buckets = (hashes(frame["user"]) >> np.uint64(56)).astype(np.uint8)
    ends = np.cumsum(np.bincount(buckets, minlength=N_BUCKETS))
    # NumPy sorts integers of 8 and 16 bits by radix: ten times as fast as others.
    order = np.argsort(buckets, kind="stable").astype(np.uint32)
    return frame[pl.Series(order)], np.concatenate([[0], ends])


def by_user(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with those of each user together, in the order that they have: users ascend if integers, else in no known order."""
    frame = frame.rechunk()  # to pick rows from many chunks takes ten times as long
    users = frame["user"]
    order = _order_of_integers(users.to_numpy()) if users.dtype.is_integer() else _order_of_hashes(users)
    return frame[pl.Series(order)]


def _order_of_integers(users: Indices) -> NDArray[Any]:
    """Sort by user and row in one number each: several times as fast as to look for an order that keeps equal numbers as they are."""
    above: NDArray[np.uint64] = (users - users.min(initial=0)).view(np.uint64)
    if len(users) >= _MOST_NUMBERS or int(above.max(initial=0)) >= _MOST_NUMBERS:
        return np.argsort(users, kind="stable")
    above <<= np.uint64(32)
    above |= np.arange(len(users), dtype=np.uint64)
    above.sort()
    above &= np.uint64(_MOST_NUMBERS - 1)
    return above.astype(np.uint32)


def _order_of_hashes(users: pl.Series) -> NDArray[np.uint32]:
    """Sort by 16 bits of a hash; where users share these bits, their rows are sorted by user and go to the end."""
    bins = ((hashes(users) >> np.uint64(40)) & np.uint64(_N_BINS - 1)).astype(np.uint16)
    order = np.argsort(bins, kind="stable").astype(np.uint32)
    bins = bins[order]
    borders = user_starts(users[pl.Series(order)])[1:]
    shared = bins[borders[bins[borders] == bins[borders - 1]]]
    if len(shared):
        is_shared = np.zeros(_N_BINS, np.bool_)
        is_shared[shared] = True
        mixed = is_shared[bins]
        rows = pl.DataFrame({"index": order[mixed]}).with_columns(users[pl.Series(order[mixed])].alias("user"))
        order = np.concatenate([order[~mixed], rows.sort("user", maintain_order=True)["index"].to_numpy()])
    return order


_COUNTED: Final = 0.9
"""The share of the memory that the bytes of rows may have: about a tenth beside them goes to the allocator and to batches on their way."""


def partitioned_users(batches: Batches, rows_per_part: int, memory: int, scratch: Scratch) -> Iterator[WholeUsers]:
    """Bring the rows of each user together and yield pieces of about `rows_per_part` rows.

    All batches are read before the first piece comes. Rows are held in memory up to `memory` bytes and in files of `scratch`
    beyond that. `MachineError` if these files cannot be written.
    """
    first = next(batches, None)
    if first is None:
        return
    second = next(batches, None)
    if second is None:
        yield from _cut([first], rows_per_part)
        return
    buckets = _Buckets(memory, scratch)
    for batch in (first, second):
        buckets.add(batch)
    del batch, first, second  # the frames would live as long as this generator
    for batch in batches:
        buckets.add(batch)
        del batch
    waiting: list[pl.DataFrame] = []
    n_waiting = 0
    for number in range(N_BUCKETS):
        if n_waiting and n_waiting + buckets.n_rows[number] > rows_per_part:
            yield from _cut(waiting, rows_per_part)
            waiting, n_waiting = [], 0
        if buckets.n_rows[number]:
            waiting.append(buckets.take(number))
            n_waiting += waiting[-1].height
    if waiting:
        yield from _cut(waiting, rows_per_part)


def _cut(frames: list[pl.DataFrame], rows_per_part: int) -> Iterator[WholeUsers]:
    rows = by_user(pl.concat(frames))
    return cut(WholeUsers(rows, user_starts(rows["user"])), rows_per_part)


class _Buckets:
    """Rows by the bucket of their user, in the order in which they were added; in memory, and in files where they do not fit."""

    def __init__(self, memory: int, scratch: Scratch) -> None:
        self.n_rows: Indices = np.zeros(N_BUCKETS, np.int64)
        self._memory, self._scratch = memory, scratch
        self._blocks: list[tuple[pl.DataFrame, Indices]] = []
        self._n_bytes = 0
        self._files: list[list[Path]] = [[] for _ in range(N_BUCKETS)]
        self._n_spills = 0

    def add(self, batch: pl.DataFrame) -> None:
        """Add rows; if memory is full, all rows go to files."""
        block, borders = by_bucket(batch)
        self._blocks.append((block, borders))
        self._n_bytes += int(block.estimated_size())
        self.n_rows += np.diff(borders)
        if self._n_bytes > _COUNTED * self._memory:
            self._spill()

    def take(self, number: int) -> pl.DataFrame:
        """Return the rows of a bucket; its files are removed."""
        frames = []
        for file in self._files[number]:
            frames.append(pl.read_ipc_stream(file))
            file.unlink()
        return pl.concat([*frames, *self._slices(number)])

    def _slices(self, number: int) -> list[pl.DataFrame]:
        slices = [block.slice(borders[number], borders[number + 1] - borders[number]) for block, borders in self._blocks]
        return [rows for rows in slices if rows.height]

    def _spill(self) -> None:
        for number in range(N_BUCKETS):
            if rows := self._slices(number):
                self._write(number, pl.concat(rows, rechunk=True))
        self._blocks, self._n_bytes = [], 0
        self._n_spills += 1

    def _write(self, number: int, rows: pl.DataFrame) -> None:
        try:
            folder = self._scratch.folder
            file = folder / f"{number}-{self._n_spills}.arrow"
            # The oldest layout has no buffers that rows share: a bucket holds the bytes of its own texts only.
            rows.write_ipc_stream(file, compat_level=pl.CompatLevel.oldest())
        except (OSError, pl.exceptions.PolarsError) as error:
            raise not_written(error) from error
        self._files[number].append(file)
