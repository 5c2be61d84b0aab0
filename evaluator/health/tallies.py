"""Tallies of a check over one part: numbers, examples and rows that merge with `+`, in any order, to the same findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct, field

from ..tables.array import Array

EXAMPLES: Final = 5
"""Number of examples in a finding."""
_FRAMES: Final = 64
"""Number of parts whose examples are joined at a time, because sorting even a few rows takes a millisecond."""
_INTERNAL: Final = frozenset({"row"})
"""Columns of rows that only reading needs."""


class Tally(Struct, frozen=True, eq=False):
    """Tally of a check, by name: integers, which are added up, and other values that merge with `+`."""

    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, **values: Any) -> Tally:
        """Return a tally of named values."""
        return cls(values)

    def __add__(self, other: Tally) -> Tally:
        return Tally(merge_by_name(self.values, other.values))

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def count(self, name: str) -> int:
        """Return a number, 0 if no part has it."""
        return int(self.values.get(name, 0))

    def examples(self, *columns: str, name: str = "examples") -> tuple[str, ...]:
        """Return the examples under a name as text such as `user 3, item 13`."""
        return self.values[name].texts(columns) if name in self.values else ()

    def rows(self, name: str = "rows") -> pl.DataFrame | None:
        """Return the rows that were kept under a name, sorted; `None` if there are none."""
        return self.values[name].frame() if name in self.values else None


def merge_by_name(first: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings; values of the same name are added."""
    both = dict(first)
    for name, value in other.items():
        both[name] = both[name] + value if name in both else value
    return both


class Examples(Struct, frozen=True, eq=False, dict=True):
    """The first few distinct rows by the order of their columns; `frames` are those of each part, `falling` columns descend."""

    frames: tuple[pl.DataFrame, ...]
    falling: tuple[str, ...] = ()
    most: int = EXAMPLES

    @classmethod
    def of(cls, frame: pl.DataFrame, falling: Sequence[str] = (), most: int = EXAMPLES) -> Examples:
        """Return the first few rows of a frame.

        They are among the rows with the first few values of the first column, which are found sooner than distinct rows.
        """
        falls = [name in falling for name in frame.columns]
        leading = frame.columns[0]
        values = frame.select(leading).unique().sort(leading, descending=falls[0]).head(most)
        first = frame.join(values, on=leading, how="semi", nulls_equal=True).unique().sort(frame.columns, descending=falls)
        return cls((first.head(most),), tuple(falling), most)

    def __add__(self, other: Examples) -> Examples:
        both = Examples((*self.frames, *other.frames), self.falling, self.most)
        return both if len(both.frames) < _FRAMES else Examples((both.frame,), self.falling, self.most)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """First few rows of all parts."""
        return self.frames[0] if len(self.frames) == 1 else Examples.of(pl.concat(self.frames), self.falling, self.most).frame

    def texts(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the values of `columns` as text, sorted by them."""
        rows = sorted(set(zip(*(self.frame[name].to_list() for name in columns), strict=True)))
        return tuple(", ".join(f"{name} {value}" for name, value in zip(columns, row, strict=True)) for row in rows)

    def values(self, column: str) -> list[Any]:
        """Return the values of one column."""
        return self.frame[column].to_list()


class KeptRows(Struct, frozen=True, eq=False):
    """Rows that are stored with a finding."""

    frames: tuple[pl.DataFrame, ...]

    def __add__(self, other: KeptRows) -> KeptRows:
        return KeptRows((*self.frames, *other.frames))

    def frame(self) -> pl.DataFrame:
        """Return all rows in file order, or else ordered by all columns, so that parts and threads cannot change a byte."""
        rows = pl.concat(self.frames)
        internal = [name for name in rows.columns if name in _INTERNAL or name.startswith("odd_")]
        return rows.sort(*_INTERNAL.intersection(internal), *(name for name in rows.columns if name not in internal)).drop(internal)


class Least(Struct, frozen=True):
    """Smallest of some numbers."""

    value: float

    def __add__(self, other: Least) -> Least:
        return min(self, other, key=lambda least: least.value)


class Most(Struct, frozen=True):
    """Largest of some numbers."""

    value: float

    def __add__(self, other: Most) -> Most:
        return max(self, other, key=lambda most: most.value)


class Sizes(Struct, frozen=True):
    """The number of lists of each size."""

    n_lists: Mapping[int, int]

    @classmethod
    def from_lengths(cls, lengths: Array) -> Sizes:
        """Count the lists that are not empty by their lengths."""
        n_lists = np.bincount(lengths)
        return cls({int(size): int(n_lists[size]) for size in np.flatnonzero(n_lists) if size})

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes({size: self.n_lists.get(size, 0) + other.n_lists.get(size, 0) for size in {**self.n_lists, **other.n_lists}})

    @property
    def usual(self) -> int:
        """The most frequent size, the largest of several."""
        return max(self.n_lists, key=lambda size: (self.n_lists[size], size))

    @property
    def n_usual(self) -> int:
        """The number of lists of the most frequent size."""
        return self.n_lists[self.usual]


class Marks(Struct, frozen=True, eq=False):
    """Mask of the items that are known before: those that some part has."""

    mask: Array

    def __add__(self, other: Marks) -> Marks:
        return Marks(self.mask | other.mask)


class DistinctIds(Struct, frozen=True, eq=False, dict=True):
    """Distinct ids of several parts; duplicates are removed once the series are more than twice as long as after the last removal."""

    series: tuple[pl.Series, ...]
    n_together: int = 0
    """Number of ids when duplicates were last removed."""

    @classmethod
    def from_ids(cls, ids: pl.Series) -> DistinctIds:
        """Return ids that are distinct already."""
        return cls((ids.rename("id"),), len(ids))

    def __add__(self, other: DistinctIds) -> DistinctIds:
        series = (*self.series, *other.series)
        largest = max(self.n_together, other.n_together)
        if sum(map(len, series)) <= 2 * largest:
            return DistinctIds(series, largest)
        together = pl.concat(series).unique()
        return DistinctIds((together,), len(together))

    @cached_property
    def ids(self) -> pl.Series:
        """Every id once, in ascending order."""
        distinct = self.series[0] if len(self.series) == 1 else pl.concat(self.series).unique()
        return distinct.sort()
