"""`Part`, the unit of measuring: some users with all their rows; and the borders at which rows of whole users may be cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct, field
from numpy.typing import NDArray


class Part(Struct, frozen=True):
    """Some users with all their rows.

    `lists` has the columns user, item, row and, if the file has them, score and position. `sides` maps a role (`test`, `train`,
    `predictions`, `baseline`) to the rows that exactly these users have there. In every frame the rows of a user are consecutive and in the
    order of the source: `row` ascends within a user. The order of the users is arbitrary, and a user may be missing in any of the frames. A
    user belongs to one part only. `starts` are the first rows of each user in `lists`.
    """

    lists: pl.DataFrame
    sides: Mapping[str, pl.DataFrame]
    starts: Indices = field(default_factory=lambda: np.zeros(0, np.int64))


Indices = NDArray[np.int64]


def user_keys(users: pl.Series, seed: int = 0) -> Indices:
    """Return an integer for each user: the id itself, or the hash of a text id; two text ids may share a hash."""
    if users.dtype == pl.Int64:
        return users.to_numpy()
    return users.hash(seed).to_numpy().view(np.int64)


def cut_points(starts: Indices, n_rows: int, rows_per_part: int) -> list[int]:
    """Return the rows at which to cut into pieces of whole users: the first border of users after every `rows_per_part` rows.

    The list begins with 0 and ends with `n_rows`. A user with more rows than `rows_per_part` stays whole.
    """
    targets = np.arange(rows_per_part, n_rows, rows_per_part)
    borders = np.append(starts, n_rows)
    points: list[int] = np.unique(np.concatenate([[0], borders[np.searchsorted(borders, targets)], [n_rows]])).tolist()
    return points


class ClosedUsers:
    """Users whose rows have ended, as sorted arrays of 8 bytes per user, each at most half as long as the one before it."""

    def __init__(self) -> None:
        self._levels: list[NDArray[Any]] = []

    def add(self, users: pl.Series) -> bool:
        """Add users, and return whether all of them are new and distinct.

        Text ids are compared by a hash of 64 bits: if two share one, the second counts as seen before, which only costs time.
        """
        keys = user_keys(users)
        if not len(keys):
            return True
        if not (keys[1:] > keys[:-1]).all():
            keys = np.sort(keys)
            if (keys[1:] == keys[:-1]).any():
                return False
        if any(keys[0] <= level[-1] and _have_common(level, keys) for level in self._levels):
            return False
        self._levels.append(keys)
        while len(self._levels) > 1 and 2 * len(self._levels[-1]) > len(self._levels[-2]):
            merged = np.concatenate([self._levels.pop(-2), self._levels.pop()])
            # A stable sort merges runs that are sorted already, in one pass.
            self._levels.append(np.sort(merged, kind="stable"))
        return True


def _have_common(level: Indices, keys: Indices) -> bool:
    nearest = np.minimum(np.searchsorted(level, keys), len(level) - 1)
    return bool((level[nearest] == keys).any())
