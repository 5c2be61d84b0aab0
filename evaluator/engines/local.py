"""Parts of whole users on one machine: the lists and the other tables, part by part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from itertools import chain, islice
from typing import Final

import numpy as np
import polars as pl

from ..tables.ids import gather, user_starts
from .part import Indices, Part, cut_points, user_keys
from .partitions import ListReader, WholeUsers, contiguous_users, partitioned_users, users_stand_together
from .resources import Scratch, default_memory


class SideTable:
    """A table in memory that returns the rows of any users; created once and shared by all models.

    `frame` has a column `user` of integers or text; its rows are in the order of the source. If the rows of each user are consecutive, the
    frame is used as it is, in the chunks in which it was read: joining the chunks would take their memory twice. Otherwise it is sorted by
    user once; the rows of a user keep their order. Rows without a user are left out.
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        if frame["user"].null_count():
            frame = frame.filter(pl.col("user").is_not_null())
        starts, users, keys = _blocks(frame["user"].rechunk())
        order = _ascending(keys)
        if order is None:
            frame = frame.sort("user", maintain_order=True)
            starts, users, keys = _blocks(frame["user"].rechunk())
            order = _ascending(keys)
        self._seed = 0
        while order is None:  # two text ids have the same hash
            self._seed += 1
            keys = user_keys(users, self._seed)
            order = _ascending(keys)
        lengths = np.diff(np.append(starts, frame.height))
        self.frame = frame
        self._keys, self._starts, self._lengths = keys[order], starts[order], lengths[order]
        self.users = users if isinstance(order, slice) else users[order]

    @property
    def n_users(self) -> int:
        """Number of distinct users."""
        return len(self._keys)

    def in_one_piece(self) -> pl.DataFrame:
        """Join all chunks into one, once: picking rows from many chunks takes ten times as long."""
        self.frame = self.frame.rechunk()
        return self.frame

    def rows_of(self, users: pl.Series) -> pl.DataFrame:
        """Return the rows of these distinct users, grouped by user and in order; a slice if they are consecutive in the frame."""
        return self.rows_at(self.indices_of(users))

    def indices_of(self, users: pl.Series) -> Indices:
        """Return the indices of these distinct users in `users`, in the order of the frame; users without rows are left out."""
        if not len(users) or not self.n_users:
            return np.zeros(0, np.int64)
        keys = user_keys(users, self._seed)
        if not (keys[1:] > keys[:-1]).all():
            order = np.argsort(keys)
            users, keys = users[order], keys[order]
        nearest = np.minimum(np.searchsorted(self._keys, keys), self.n_users - 1)
        matching = self._keys[nearest] == keys
        if users.dtype == pl.String:  # an id that this table does not have may share a hash with one that it has
            matching &= (self.users[nearest] == users).to_numpy()
        indices: Indices = nearest[matching]
        in_frame_order: Indices = indices[np.argsort(self._starts[indices], kind="stable")]
        return in_frame_order

    def lengths_at(self, indices: Indices) -> Indices:
        """Return the number of rows of the users at these indices of `users`."""
        lengths: Indices = self._lengths[indices]
        return lengths

    def rows_at(self, indices: Indices) -> pl.DataFrame:
        """Return the rows of the users at these indices of `users`, in that order."""
        if not len(indices):
            return self.frame.clear()
        starts, lengths = self._starts[indices], self._lengths[indices]
        n_rows = int(lengths.sum())
        first = int(starts[0])
        if (starts[:-1] + lengths[:-1] == starts[1:]).all():
            return self.frame.slice(first, n_rows).rechunk()
        before = np.cumsum(lengths) - lengths
        return self.in_one_piece()[np.repeat(starts - before, lengths) + np.arange(n_rows)]


def _blocks(column: pl.Series) -> tuple[Indices, pl.Series, Indices]:
    """Return the first row of each user, the users, and their keys."""
    starts = user_starts(column)
    users = gather(column, starts)
    return starts, users, user_keys(users)


def _ascending(keys: Indices) -> Indices | slice | None:
    """Return an index that sorts the keys: `slice(None)` if they ascend; `None` if a key is repeated."""
    if (keys[1:] > keys[:-1]).all():
        return slice(None)
    order = np.argsort(keys)
    ordered = keys[order]
    return None if (ordered[1:] == ordered[:-1]).any() else order


ROWS_PER_PART: Final = 1_000_000
"""Parts of this size stay near the processor's cache and make the fixed cost of a part small."""
_BATCHES_PER_PART: Final = 2
"""Batches are smaller than parts because the reader holds several of them; a part joins two."""


def whole_users(
    lists: pl.LazyFrame,
    sides: Mapping[str, SideTable],
    *,
    last: Collection[str],
    rows_per_part: int = ROWS_PER_PART,
    memory: int | None = None,
    scratch: Scratch,
    examine: Callable[[pl.DataFrame], None],
    progress: Callable[[int], None],
    apart: bool = False,
    few: bool = False,
) -> Generator[Part]:
    """Read lists once and yield parts of whole users, each of about `rows_per_part` rows; a user with more rows is a part.

    `lists` has the columns user (integer or text), item, row and possibly score, position and `odd_*`. `sides` maps roles to tables; each
    part has the rows of its users. Users who are in `test`, or in a side named in `last`, and have no list come in the last parts; if all
    these rows are no more than `rows_per_part`, they come with the lists in a single part.

    If the rows of each user are consecutive, the lists are cut in their order. If the first batch shows that they are not, or if `apart`
    says so, rows are partitioned by user, in memory up to `memory` bytes (a quarter of the machine's by default), then in files of
    `scratch`. `examine` gets each batch as read, `progress` its number of rows.

    Raises `ReadAgain` if a user comes back after the first part was yielded: then drop all parts and start again with `apart`. `ReadError`
    if the lists cannot be read, `MachineError` if temporary files cannot be written. `few`: the lists may have only a few rows.
    """
    budget = default_memory() if memory is None else memory
    # What fails may keep the generators alive that read; a thread that still reads when Python ends would end it with a crash.
    with ListReader(lists, max(rows_per_part // _BATCHES_PER_PART, 1), examine, progress, few) as reader:
        if apart:
            pieces = partitioned_users(reader.batches(), rows_per_part, budget, scratch)
        else:
            pieces = _in_place_if_possible(reader, rows_per_part, budget, scratch)
        yield from _parts(reader, sides, last, rows_per_part, pieces)


def _in_place_if_possible(reader: ListReader, rows_per_part: int, memory: int, scratch: Scratch) -> Iterator[WholeUsers]:
    """Cut the lists in their order, or partition them if users in the first batch are not consecutive; no row is read twice."""
    batches = reader.batches()
    first = next(batches, None)
    if first is None:
        return
    together = users_stand_together(first)
    batches = chain([first], batches)
    del first
    if together:
        yield from contiguous_users(batches, rows_per_part)
    else:
        yield from partitioned_users(batches, rows_per_part, memory, scratch)


class _Visits:
    """A side, and a mask of its users that have been in a part."""

    def __init__(self, side: SideTable) -> None:
        self.side = side
        self.visited = np.zeros(side.n_users, np.bool_)

    def visit(self, users: pl.Series) -> pl.DataFrame:
        """Return the rows of these users and mark them as visited."""
        indices = self.side.indices_of(users)
        self.visited[indices] = True
        return self.side.rows_at(indices)

    def unvisited(self) -> pl.DataFrame:
        """Return the other users (`user`) and their number of rows (`n_rows`)."""
        indices = np.flatnonzero(~self.visited)
        return pl.DataFrame({"user": self.side.users[indices], "n_rows": self.side.lengths_at(indices)})


def parts_without_lists(sides: Mapping[str, SideTable], roles: Collection[str], rows_per_part: int = ROWS_PER_PART) -> Iterator[Part]:
    """Yield the users of the sides in `roles`, in parts of about `rows_per_part` rows; the lists of these parts have no columns."""
    visits = {role: _Visits(side) for role, side in sides.items()}
    for users in _users_without_lists([visits[role] for role in roles], rows_per_part):
        yield Part(pl.DataFrame(), {role: visit.visit(users) for role, visit in visits.items()})


def _parts(
    reader: ListReader, sides: Mapping[str, SideTable], last: Collection[str], rows_per_part: int, pieces: Iterator[WholeUsers]
) -> Iterator[Part]:
    roles = [role for role in sides if role == "test" or role in last]
    first = list(islice(pieces, 1))
    if first and first[0].rows.height + sum(sides[role].frame.height for role in roles) <= rows_per_part:
        first += islice(pieces, 1)
        if len(first) == 1:  # with few rows the fixed cost of a part dominates: one part takes half the time of two
            yield _part_of_everyone(first[0], sides, roles)
            return
    pieces = chain(first, pieces)
    del first
    visits = {role: _Visits(side) for role, side in sides.items()}
    for lists, starts in pieces:
        users = gather(lists["user"], starts)
        yield Part(lists, {role: visit.visit(users) for role, visit in visits.items()}, starts)
    for users in _users_without_lists([visits[role] for role in roles], rows_per_part):
        yield Part(reader.empty(), {role: visit.visit(users) for role, visit in visits.items()})


def _part_of_everyone(lists: WholeUsers, sides: Mapping[str, SideTable], roles: Collection[str]) -> Part:
    """Return a part of the users with a list and those of the sides in `roles`."""
    frames = {role: sides[role].in_one_piece() for role in roles}
    if len(frames) < len(sides):
        users = pl.concat([gather(lists.rows["user"], lists.starts), *(sides[role].users for role in roles)]).unique()
        frames |= {role: side.rows_of(users) for role, side in sides.items() if role not in frames}
    return Part(lists.rows, frames, lists.starts)


def _users_without_lists(visits: list[_Visits], rows_per_part: int) -> Iterator[pl.Series]:
    """Yield the users who have not been in a part, in ascending order, in groups of about `rows_per_part` rows."""
    if not visits:
        return
    n_rows = pl.concat([visit.unvisited() for visit in visits]).group_by("user").agg(pl.col("n_rows").sum()).sort("user")
    if not n_rows.height:
        return
    borders: Indices = np.concatenate([[0], np.cumsum(n_rows["n_rows"].to_numpy())])
    points = cut_points(borders[:-1], int(borders[-1]), rows_per_part)
    for first, end in zip(np.searchsorted(borders, points[:-1]), np.searchsorted(borders, points[1:]), strict=True):
        yield n_rows["user"].slice(first, end - first)
