"""Tables beside the lists (truth, train, predictions, a baseline): the rows of some users, at once."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..tables.ids import gathered, user_starts
from .users import Indices, user_keys


class SideTable:
    """A table in memory that gives the rows of any users; made once and shared by all models.

    `frame` has a column `user` of integers or text; its rows are in the order of the source. Where the rows of each user stand
    together it is used as it is, in the pieces in which it was read: to put all of them together would take their memory twice. Otherwise
    it is sorted by user once, rows of a user staying in order. Rows without a user are left out.
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
        """The number of different users."""
        return len(self._keys)

    def in_one_piece(self) -> pl.DataFrame:
        """Put all rows together, once: to pick some from many pieces takes ten times as long."""
        self.frame = self.frame.rechunk()
        return self.frame

    def rows_of(self, users: pl.Series) -> pl.DataFrame:
        """Return the rows of these different users, those of a user together and in order; a slice where they stand together."""
        return self.rows_at(self.indices_of(users))

    def indices_of(self, users: pl.Series) -> Indices:
        """Return where these different users stand in `users`, in the order of the frame; users who have no rows are left out."""
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
    """Where the rows of each user begin, the users, and their keys."""
    starts = user_starts(column)
    users = gathered(column, starts)
    return starts, users, user_keys(users)


def _ascending(keys: Indices) -> Indices | slice | None:
    """Return what sorts the keys: everything, if they ascend; None, if a key is repeated."""
    if (keys[1:] > keys[:-1]).all():
        return slice(None)
    order = np.argsort(keys)
    ordered = keys[order]
    return None if (ordered[1:] == ordered[:-1]).any() else order
