"""Batches of a file in which the rows of each user stand together → rows of whole users, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from ..load import ReadAgain, Source
from ..tables.ids import gathered, user_starts
from .reading import Batches
from .users import ClosedUsers, Indices, cut_points


class WholeUsers(NamedTuple):
    """All rows of some users, those of a user together, and where the rows of each user begin."""

    rows: pl.DataFrame
    starts: Indices


def contiguous_users(batches: Batches, rows_per_part: int, *, users_are_sorted: bool = False) -> Iterator[WholeUsers]:
    """Cut batches at the borders of users into pieces of about `rows_per_part` rows, the last user of a batch being carried over.

    Nothing is sorted. `ReadAgain` as soon as a user comes back after another user, which nobody does where users are sorted.
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
        if closed is not None and not closed.add(gathered(users, starts)):
            raise ReadAgain(Source.with_users_apart)
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
    """Whether no user of a batch comes back after another user."""
    return ClosedUsers().add(gathered(batch["user"], user_starts(batch["user"])))


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
