"""Lists in batches → rows of whole users: in file order if the rows of each user are consecutive, else through buckets."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from msgspec.structs import replace
from numpy.typing import NDArray

from ..load import ReadAgain
from ..load.opening import FAILURES, batches
from ..load.scan import ReadError
from ..support.temporary import write_error
from ..tables.ids import gather, user_starts
from .part import ClosedUsers, Indices, cut_points
from .resources import Scratch, emptied, n_polars_threads, side_by_side

Batches = Iterator[pl.DataFrame]
_FEW_ROWS: Final = 1 << 16


class ListReader:
    """Reads lists batch by batch, and passes each batch to `examine` and its number of rows to `progress`.

    `examine` gets the rows as they are read, with the columns `odd_*`. The batches that are returned have neither these columns nor rows
    without a user. `ReadError` if the lists cannot be read. Leaving the context ends the reading. `few`: there may be only a few rows.
    """

    def __init__(
        self, lists: pl.LazyFrame, rows_per_batch: int, examine: Callable[[pl.DataFrame], None], progress: Callable[[int], None], few: bool
    ) -> None:
        self._lists, self._rows_per_batch, self._few = lists, rows_per_batch, few
        self._examine, self._progress = examine, progress
        self._read: Generator[pl.DataFrame] | None = None

    def __enter__(self) -> ListReader:
        return self

    def __exit__(self, *error: object) -> None:
        if self._read is not None:
            self._read.close()

    def empty(self) -> pl.DataFrame:
        """Return a batch without rows."""
        try:
            return _clean(pl.DataFrame(schema=self._lists.collect_schema()))
        except FAILURES as error:
            raise ReadError(str(error)) from error

    def batches(self) -> Batches:
        """Read the lists from their beginning; no batch is empty."""
        self._read = _collected(self._lists, self._rows_per_batch, self._few)
        for batch in self._read:
            self._examine(batch)
            self._progress(batch.height)
            batch = _clean(batch)
            if batch.height:
                yield batch


def _collected(lists: pl.LazyFrame, rows_per_batch: int, few: bool) -> Generator[pl.DataFrame]:
    most = min(rows_per_batch, _FEW_ROWS)
    try:
        if few and 0 < (rows := lists.head(most + 1).collect(engine="streaming")).height <= most:
            yield rows
            return
        yield from batches(lists, rows_per_batch)
    except FAILURES as error:
        raise ReadError(str(error)) from error


def _clean(batch: pl.DataFrame) -> pl.DataFrame:
    batch = batch[[name for name in batch.columns if not name.startswith("odd_")]]
    return batch.filter(pl.col("user").is_not_null()) if batch["user"].null_count() else batch


class WholeUsers(NamedTuple):
    """All rows of some users, grouped by user, and the first row of each user."""

    rows: pl.DataFrame
    starts: Indices


def contiguous_users(batches: Batches, rows_per_part: int, *, users_are_sorted: bool = False) -> Iterator[WholeUsers]:
    """Cut batches at the borders of users into pieces of about `rows_per_part` rows; the last user of a batch is carried over.

    Nothing is sorted. `ReadAgain` as soon as a user comes back after another user, which cannot happen if `users_are_sorted`.
    """
    closed = None if users_are_sorted else ClosedUsers()
    carried: list[pl.DataFrame] = []
    carried_starts: list[Indices] = []
    n_carried = 0
    for batch in batches:
        users = batch["user"]
        starts = user_starts(users)
        if carried and carried[-1].item(-1, "user") == users[0]:
            starts = starts[1:]  # the first rows continue the last user
        if closed is not None and not closed.add(gather(users, starts)):
            raise ReadAgain(lambda source: replace(source, users_apart=True))
        n_complete = n_carried + int(starts[-1]) if len(starts) else 0
        if n_complete >= rows_per_part:
            border = int(starts[-1])
            rows = pl.concat([*carried, batch.slice(0, border)], rechunk=True)
            yield from cut(WholeUsers(rows, np.concatenate([*carried_starts, n_carried + starts[:-1]])), rows_per_part)
            carried, carried_starts, n_carried = [], [], 0
            batch, starts = batch.slice(border), starts[-1:] - border
        carried.append(batch)
        carried_starts.append(n_carried + starts)
        n_carried += batch.height
    if carried:
        yield from cut(WholeUsers(pl.concat(carried, rechunk=True), np.concatenate(carried_starts)), rows_per_part)


def users_stand_together(batch: pl.DataFrame) -> bool:
    """Return whether the rows of each user in a batch are consecutive."""
    return ClosedUsers().add(gather(batch["user"], user_starts(batch["user"])))


def cut(users: WholeUsers, rows_per_part: int) -> Iterator[WholeUsers]:
    """Cut rows of whole users at borders of users, if there are twice `rows_per_part` rows or more."""
    rows, starts = users
    if rows.height < 2 * rows_per_part:
        if rows.height:
            yield users
        return
    for first, end in pairwise(cut_points(starts, rows.height, rows_per_part)):
        own = starts[np.searchsorted(starts, first) : np.searchsorted(starts, end)]
        yield WholeUsers(rows.slice(first, end - first), own - first)


N_BUCKETS: Final = 256
_N_BINS: Final = 1 << 16
_SPARSEST: Final = 16
"""Integer users are numbered first if their range is at most this many times the number of rows."""
_CORES_PER_SORTING: Final = 4
_MOST_SORTING: Final = 4


def hashes(users: pl.Series) -> NDArray[np.uint64]:
    """Return a hash of each user; the first 8 bits choose the bucket, the next 16 the order in it."""
    return users.hash().to_numpy()


def by_bucket(frame: pl.DataFrame) -> tuple[pl.DataFrame, Indices]:
    """Return the rows ordered by the bucket of their user (file order within a bucket), and the borders of the buckets."""
    frame = frame.rechunk()  # to pick rows from many chunks takes ten times as long
    buckets = (hashes(frame["user"]) >> np.uint64(56)).astype(np.uint8)
    ends = np.cumsum(np.bincount(buckets, minlength=N_BUCKETS))
    # NumPy sorts integers of 8 and 16 bits by radix: ten times as fast as wider ones.
    order = np.argsort(buckets, kind="stable").astype(np.uint32)
    return frame[pl.Series(order)], np.concatenate([[0], ends])


def by_user(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows grouped by user, each user's rows in order; integer users ascend, other users are in arbitrary order."""
    frame = frame.rechunk()  # to pick rows from many chunks takes ten times as long
    users = frame["user"]
    order = _order_of_integers(users.to_numpy()) if users.dtype.is_integer() else _order_of_hashes(users)
    return frame[pl.Series(order)]


def _order_of_integers(users: Indices) -> NDArray[np.uint32]:
    """Sort rows by user, each user's rows in order, 16 bits at a time: NumPy sorts these by radix, ten times as fast as wider integers."""
    above: Indices = users - users.min() if len(users) else users
    most = int(above.view(np.uint64).max(initial=0))
    if most < _SPARSEST * len(users):
        held = np.zeros(most + 1, np.bool_)
        held[above] = True
        above, most = (np.cumsum(held) - 1)[above], int(np.count_nonzero(held)) - 1
    bits = above.view(np.uint64)
    order = np.argsort(bits.astype(np.uint16), kind="stable").astype(np.uint32)
    for shift in range(16, most.bit_length(), 16):
        order = order[np.argsort((bits[order] >> np.uint64(shift)).astype(np.uint16), kind="stable")]
    return order


def _order_of_hashes(users: pl.Series) -> NDArray[np.uint32]:
    """Sort by 16 bits of a hash; rows of users that share these bits are sorted by user and go to the end."""
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
"""Share of the memory for the bytes of rows; about a tenth is for the allocator and for batches that are being read."""


def partitioned_users(batches: Batches, rows_per_part: int, memory: int, scratch: Scratch) -> Iterator[WholeUsers]:
    """Bring the rows of each user together and yield pieces of about `rows_per_part` rows.

    All batches are read before the first piece is yielded. Rows are in memory up to `memory` bytes, beyond that in files of `scratch`.
    `MachineError` if these files cannot be written.
    """
    first = next(batches, None)
    if first is None:
        return
    second = next(batches, None)
    if second is None:
        yield from cut(_by_user([first]), rows_per_part)
        return
    buckets = _Buckets(memory, scratch)
    batches = chain(emptied([first, second]), batches)
    del first, second  # the frames would live as long as this generator
    for block, borders in side_by_side(by_bucket, batches, n_sorting()):
        buckets.add(block, borders)
        del block
    sort = partial(_sorted_rows, buckets)
    for users in side_by_side(sort, _groups_of_buckets(buckets.n_rows, rows_per_part), n_sorting()):
        yield from cut(users, rows_per_part)
        del users


def n_sorting() -> int:
    """Return how many threads partition and sort rows: one on few cores, which read and measure in the meantime."""
    return min(max(n_polars_threads() // _CORES_PER_SORTING, 1), _MOST_SORTING)


def _groups_of_buckets(n_rows: Indices, rows_per_part: int) -> Iterator[list[int]]:
    """Yield the numbers of buckets in order, as many together as have at most `rows_per_part` rows."""
    group: list[int] = []
    for number in np.flatnonzero(n_rows).tolist():
        if group and int(n_rows[group].sum()) + int(n_rows[number]) > rows_per_part:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _sorted_rows(buckets: _Buckets, group: list[int]) -> WholeUsers:
    return _by_user([buckets.take(number) for number in group])


def _by_user(frames: list[pl.DataFrame]) -> WholeUsers:
    rows = by_user(pl.concat(frames))
    return WholeUsers(rows, user_starts(rows["user"]))


class _Buckets:
    """Rows by the bucket of their user, in the order in which they were added; in memory, or in files if they do not fit."""

    def __init__(self, memory: int, scratch: Scratch) -> None:
        self.n_rows: Indices = np.zeros(N_BUCKETS, np.int64)
        self._memory, self._scratch = memory, scratch
        self._blocks: list[tuple[pl.DataFrame, Indices]] = []
        self._n_bytes = 0
        self._files: list[list[Path]] = [[] for _ in range(N_BUCKETS)]
        self._n_spills = 0

    def add(self, block: pl.DataFrame, borders: Indices) -> None:
        """Add rows in the order of their buckets; if memory is full, all rows go to files."""
        self._blocks.append((block, borders))
        self._n_bytes += int(block.estimated_size())
        self.n_rows += np.diff(borders)
        if self._n_bytes > _COUNTED * self._memory:
            self._spill()

    def take(self, number: int) -> pl.DataFrame:
        """Return the rows of a bucket and remove its files."""
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
            # In the oldest layout rows share no buffers: a bucket has the bytes of its own texts only.
            rows.write_ipc_stream(file, compat_level=pl.CompatLevel.oldest())
        except (OSError, pl.exceptions.PolarsError) as error:
            raise write_error(error) from error
        self._files[number].append(file)
