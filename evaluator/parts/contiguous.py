"""Batches of a file in which the rows of each user stand together → frames of whole users, in the order of the file."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from .reading import Batches
from .users import ClosedUsers, UsersApart, cut_points, user_starts


def contiguous_frames(batches: Batches, rows_per_part: int, *, users_are_sorted: bool = False) -> Batches:
    """Cut batches at the borders of users into frames of about `rows_per_part` rows, the last user of a batch being carried over.

    Nothing is sorted. `UsersApart` as soon as a user comes back after another user, which nobody does where users are sorted.
    """
    closed = None if users_are_sorted else ClosedUsers()
    carried: list[pl.DataFrame] = []
    n_carried = 0
    for batch in batches:
        users = batch["user"]
        starts = user_starts(users)
        if carried and carried[-1].item(-1, "user") == users[0]:
            starts = starts[1:]  # the first rows continue the last user
        if closed is not None:
            closed.add(users.gather(starts))
        n_complete = n_carried + int(starts[-1]) if len(starts) else 0
        if n_complete >= rows_per_part:
            border = int(starts[-1])
            yield from cut(pl.concat([*carried, batch.slice(0, border)], rechunk=True), rows_per_part)
            carried, n_carried = [], 0
            batch = batch.slice(border)
        carried.append(batch)
        n_carried += batch.height
    if carried:
        yield from cut(pl.concat(carried, rechunk=True), rows_per_part)


def users_stand_together(batch: pl.DataFrame) -> bool:
    """Whether no user of a batch comes back after another user."""
    try:
        ClosedUsers().add(batch["user"].gather(user_starts(batch["user"])))
    except UsersApart:
        return False
    return True


def cut(frame: pl.DataFrame, rows_per_part: int) -> Batches:
    """Cut a frame in which the rows of each user stand together at borders of users, if it has twice `rows_per_part` rows or more."""
    if frame.height < 2 * rows_per_part:
        if frame.height:
            yield frame
        return
    points = cut_points(user_starts(frame["user"]), frame.height, rows_per_part)
    for first, end in pairwise(points):
        yield frame.slice(first, end - first)
