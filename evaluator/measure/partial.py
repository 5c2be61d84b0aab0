"""`Partial`: what one part adds to a result. Partials of different users merge with `+`, in any order and grouping, to the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import add
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from ..sums.exact import ExactSums
from ..tables.array import Array
from ..tables.notes import Notes
from .counting import CELLS
from .moments import MomentTable

Mergeable = TypeVar("Mergeable", bound="Adds")


class Adds(Protocol):
    """What merges with `+`."""

    def __add__(self: Mergeable, other: Mergeable) -> Mergeable:
        """Merge."""
        ...


class UserValues(Struct, frozen=True, eq=False):
    """Values of users: `user`, `n_relevant`, `n_recommended`, `covered`, `warm`, and `v<i>` for the measure at index i.

    They are dropped, all of them, where they are more than `most` (`None`: any number).
    """

    frames: tuple[pl.DataFrame, ...]
    most: int | None = None
    dropped: bool = False

    @classmethod
    def of(cls, frame: pl.DataFrame, most: int | None = None) -> UserValues:
        """The values of some users, unless they are too many."""
        return cls((), most) + cls((frame,), most)

    def __add__(self, other: UserValues) -> UserValues:
        frames = (*self.frames, *other.frames)
        too_many = self.most is not None and sum(frame.height * frame.width for frame in frames) > self.most
        dropped = self.dropped or other.dropped or too_many
        return UserValues(() if dropped else frames, self.most, dropped)

    def frame(self) -> pl.DataFrame:
        """The values of all users, sorted by user, as those of each part are."""
        return self.frames[0] if len(self.frames) == 1 else pl.concat(self.frames).sort("user")


class Partial(Struct, frozen=True, eq=False):
    """Sums over the users of a part.

    - `moments`: of the values of every measure; `covered` and `warm` the same over the users with a list, and those whom train holds
    - `ratios`: by the index of a measure that is pooled and the users who count (`all`, `covered`, `warm`), the sums of its numerators and
      of its denominators
    - `cells`, `valued`: for each measure how many users of each cell there are, and how many of them count (measures × cells)
    - `others`: for each measure how many users count who are in neither file, and the like; see `ledgers`
    - `totals`: by group of measures of whole models the sums in the order of the body's calls; `items` its tables of items
    - `longest`: the length of the longest list
    - `notes`: remarks that were counted while tables were made
    - `user_values`: where they are kept
    - `more`: what else was measured over the same part, such as the tallies of checks
    """

    moments: MomentTable
    covered: MomentTable
    warm: MomentTable | None
    ratios: Mapping[tuple[int, str], ExactSums]
    cells: Array
    valued: Array
    others: Array
    totals: Mapping[int, tuple[ExactSums, ...]]
    items: Mapping[Any, Any]
    longest: int
    notes: Notes
    user_values: UserValues | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def __add__(self, other: Partial) -> Partial:
        return Partial(
            self.moments + other.moments,
            self.covered + other.covered,
            None if self.warm is None or other.warm is None else self.warm + other.warm,
            _merged(self.ratios, other.ratios),
            self.cells + other.cells,
            self.valued + other.valued,
            self.others + other.others,
            {index: tuple(one + more for one, more in zip(sums, other.totals[index], strict=True)) for index, sums in self.totals.items()},
            _merged(self.items, other.items),
            max(self.longest, other.longest),
            self.notes.merged(other.notes),
            None if self.user_values is None or other.user_values is None else self.user_values + other.user_values,
            _merged(self.more, other.more),
        )

    def with_more(self, more: Mapping[str, Any]) -> Partial:
        """The same with what else was measured over the part."""
        return replace(self, more={**self.more, **more})


def _merged(first: Mapping[Any, Any], other: Mapping[Any, Any]) -> dict[Any, Any]:
    total = dict(first)
    for key, value in other.items():
        total[key] = total[key] + value if key in total else value
    return total


def merged(partials: Iterable[Partial]) -> Partial:
    """The partial of all parts together; `TypeError` if there is none."""
    return reduce(add, partials)


def no_counts(n_measures: int) -> Array:
    """Numbers of users for each measure and cell."""
    return np.zeros((n_measures, len(CELLS)), dtype=np.int64)
