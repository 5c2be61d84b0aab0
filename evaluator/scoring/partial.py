"""`Partial`, the contribution of one part to a result: sums of per-user values that merge with `+` in any order, and counts of users."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from ..exact_sums.exact import ExactSums, slices, square_slices
from ..metrics.definition import Definition
from ..support.lazy import pl
from ..syntax.short_names import SMALLEST_FACTOR, interval_level
from ..tables.array import Array
from ..tables.graph import Notes
from ..tables.rows import EMPTY_TRUTH, PartData
from ..tables.truth import TEST

_LOGARITHMS: Final = frozenset({"geometric"})
_OF_RATIOS: Final = frozenset({"micro", "weighted"})
"""Aggregates that need no sum of values."""


class Moments(Struct, frozen=True):
    """Exact sums over the values of the users that count for one measure.

    `n` users count; the value of `n_undefined` of them is NaN, and values of others may be infinite. `total` is the sum of the finite
    values, or 0 if no aggregate needs it, `squares` that of their squares and `logarithms` that of their natural logarithms; the last two
    are `None` if no aggregate needs them.
    """

    n: int
    n_undefined: int
    n_positive_infinite: int
    n_negative_infinite: int
    total: Fraction
    squares: Fraction | None = None
    logarithms: Fraction | None = None


class MomentTable(Struct, frozen=True, eq=False):
    """Moments of several measures, one column of `counts` and one sum each; tables of different users merge with `+`.

    The rows of `counts` are numbers of users: who count, with an undefined value (NaN), with +infinity, with -infinity.
    """

    counts: NDArray[np.int64]
    totals: ExactSums
    squares: ExactSums | None = None
    logarithms: ExactSums | None = None

    @classmethod
    def from_values(
        cls, values: NDArray[np.float64], counted: ArrayLike | None = None, aggregates: Collection[str] = ("mean",)
    ) -> MomentTable:
        """Add up the sums that `aggregates` need over `values` (measures × users) of the users in `counted` (default: all).

        Edge cases: `counted` may have fewer dimensions than `values`. Values of users who do not count may be anything.
        """
        return cls.from_ranges(values, (0,), None, counted, aggregates)[0]

    @classmethod
    def from_ranges(
        cls,
        values: NDArray[np.float64],
        starts: Sequence[int],
        times: NDArray[np.int64] | None = None,
        counted: ArrayLike | None = None,
        aggregates: Collection[str] = ("mean",),
    ) -> list[MomentTable]:
        """Add up `values` as `from_frame` does over each range of users: one begins at each of the `starts`, the first of which is 0.

        A user counts as often as `times` says. Every range has a user, unless there is only one range. Totals are 0 if all aggregates are
        ratios of other sums, `micro` and `weighted`.
        """
        n_measures, n_users = values.shape

        def count(mask: Array) -> Array:
            if len(starts) == 1 and times is None:
                return np.asarray(np.count_nonzero(mask, axis=1))[:, np.newaxis]
            of_ranges: Array = np.add.reduceat(mask if times is None else mask * times, starts, axis=1, dtype=np.int64)
            return of_ranges

        counts = np.zeros((4, n_measures, len(starts)), dtype=np.int64)
        everybody = np.ones((1, n_users), dtype=np.bool_)
        mask = None if counted is None else np.broadcast_to(np.asarray(counted, dtype=np.bool_), values.shape)
        finite = np.isfinite(values)
        counts[0] = count(everybody if mask is None else mask)
        if not finite.all():
            within = np.ones(values.shape, dtype=np.bool_) if mask is None else mask
            mask = finite & within
            some = np.flatnonzero((mask != within).any(axis=1))
            kinds = (np.isnan(values[some]), np.isposinf(values[some]), np.isneginf(values[some]))
            for number, kind in enumerate(kinds, 1):
                counts[number, some] = count(kind & within[some])
        elif mask is not None and mask.all():
            mask = None
        squares: list[ExactSums] | list[None] = [None] * len(starts)
        if not any(map(_needs_squares, aggregates)):
            is_added_up = not _OF_RATIOS.issuperset(aggregates)
            totals = ExactSums.from_ranges(values, starts, times, mask) if is_added_up else [ExactSums.zeros(n_measures)] * len(starts)
        elif len(starts) == 1 and times is None:
            totals, squares = ([sums] for sums in ExactSums.with_squares(values, mask))
        else:
            totals, squares = (ExactSums.from_ranges(values, starts, times, mask, cut) for cut in (slices, square_slices))
        logarithms: list[ExactSums] | list[None] = [None] * len(starts)
        if _LOGARITHMS.intersection(aggregates):
            logarithms = ExactSums.from_ranges(np.log(np.maximum(values, SMALLEST_FACTOR)), starts, times, mask)
        each = zip(totals, squares, logarithms, strict=True)
        return [cls(counts[:, :, number], *of_range) for number, of_range in enumerate(each)]

    @classmethod
    def join(cls, tables: Sequence[MomentTable], indexes: Sequence[int]) -> MomentTable:
        """Return the moments of the measures at these indexes among those of all `tables`, one after the other, of the same users."""

        def sums_of(parts: Sequence[ExactSums | None]) -> ExactSums | None:
            some = [part for part in parts if part is not None]
            return ExactSums.join(*some).take(indexes) if some else None

        totals = sums_of([table.totals for table in tables])
        assert totals is not None
        squares, logarithms = sums_of([table.squares for table in tables]), sums_of([table.logarithms for table in tables])
        return cls(np.concatenate([table.counts for table in tables], axis=1).take(indexes, axis=1), totals, squares, logarithms)

    def __add__(self, other: MomentTable) -> MomentTable:
        """Merge with the moments of other users; `ValueError` unless both are of the same measures and aggregates."""
        return MomentTable(
            self.counts + other.counts,
            self.totals + other.totals,
            _added(self.squares, other.squares),
            _added(self.logarithms, other.logarithms),
        )

    def measure(self, index: int) -> Moments:
        """Return the moments of the measure at `index`."""
        n, undefined, positive_infinite, negative_infinite = self.counts[:, index].tolist()
        return Moments(
            n,
            undefined,
            positive_infinite,
            negative_infinite,
            self.totals.fraction(index),
            None if self.squares is None else self.squares.fraction(index),
            None if self.logarithms is None else self.logarithms.fraction(index),
        )


def _needs_squares(aggregate: str) -> bool:
    return aggregate == "std" or interval_level(aggregate) is not None


def _added(left: ExactSums | None, right: ExactSums | None) -> ExactSums | None:
    if left is None and right is None:
        return None
    if left is None or right is None:
        raise ValueError("moments for different aggregates do not merge")
    return left + right


class UserCell(NamedTuple):
    """Presence of a user in the files: a test row, a relevant item, a list; or an empty list in the test set, which is not a row."""

    tested: bool
    relevant: bool
    listed: bool
    empty: bool = False

    @property
    def code(self) -> int:
        """Number of the cell, from 0 to 9."""
        return 8 + self.listed if self.empty else 4 * self.tested + 2 * self.relevant + self.listed


CELLS = (
    *(UserCell(bool(code & 4), bool(code & 2), bool(code & 1)) for code in range(8)),
    *(UserCell(True, False, listed, empty=True) for listed in (False, True)),
)
"""All cells, each at the index of its code."""


class UserFacts(Struct, frozen=True, eq=False):
    """Masks of the users of a part: in the test file, in train, in the reference model's lists.

    `empty` marks users with an empty list in the test set; they are `tested` too.
    """

    tested: Array
    in_train: Array | None
    in_baseline: Array | None
    empty: Array | None = None

    @classmethod
    def from_part(cls, part: PartData) -> UserFacts:
        """Return the facts of the users of a part."""
        held = {name: part.rows(name).counts > 0 if name in part else None for name in (TEST, "train", "baseline", EMPTY_TRUTH)}
        tested = held[TEST]
        assert tested is not None
        if (named := held[EMPTY_TRUTH]) is None:
            return cls(tested, held["train"], held["baseline"])
        return cls(tested | named, held["train"], held["baseline"], named & ~tested)


def who_counts(definition: Definition, facts: UserFacts, n_relevant: Array, n_recommended: Array) -> Array:
    """Return a mask of the users who count for a measure, by its population and by the axes for users that count."""
    counted, population = definition.user_rules, definition.population
    tested, listed, relevant = facts.tested, n_recommended > 0, n_relevant > 0
    if population == "tested":
        return tested
    if population == "train":
        assert facts.in_train is not None
        return facts.in_train
    if population == "baseline":
        assert facts.in_baseline is not None
        return facts.in_baseline
    if population != "test":
        return listed & tested if population == "tested_lists" else listed
    strangers = counted.no_truth == "zero"
    counts = tested | listed if strangers else tested
    if counted.no_relevant == "drop":
        allowed = relevant | ~tested if strangers else relevant
        if facts.empty is not None and counted.empty_truth != "as_no_relevant":
            allowed = allowed | facts.empty
        counts = counts & allowed
    return counts & listed if counted.missing_lists == "drop" else counts


def cells_of(facts: UserFacts, n_relevant: Array, n_recommended: Array) -> Array:
    """Return the code of the cell of each user."""
    codes = 4 * facts.tested.astype(np.int64) + 2 * (n_relevant > 0) + (n_recommended > 0)
    return codes if facts.empty is None else np.where(facts.empty, 8 + (n_recommended > 0), codes)


Mergeable = TypeVar("Mergeable", bound="Adds")


class Adds(Protocol):
    """A value that merges with `+`."""

    def __add__(self: Mergeable, other: Mergeable) -> Mergeable:
        """Merge."""
        ...


class UserValues(Struct, frozen=True, eq=False):
    """Per-user values: `user`, `n_relevant`, `n_recommended`, `covered`, `warm`, and `v<i>` for the measure at index i.

    With weighted means there is `weight`, of the user; a pooled measure has `above<i>` and `below<i>`, its numerator and denominator.

    All of them are dropped if there are more than `most` cells (`None`: no limit).
    """

    frames: tuple[pl.DataFrame, ...]
    most: int | None = None
    dropped: bool = False

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, most: int | None = None) -> UserValues:
        """Return the values of some users, dropped if they are too many."""
        return cls((), most) + cls((frame,), most)

    def __add__(self, other: UserValues) -> UserValues:
        frames = (*self.frames, *other.frames)
        too_many = self.most is not None and sum(frame.height * frame.width for frame in frames) > self.most
        dropped = self.dropped or other.dropped or too_many
        return UserValues(() if dropped else frames, self.most, dropped)

    def frame(self) -> pl.DataFrame:
        """Return the values of all users, sorted by user; those of each part are sorted already, and often the parts are."""
        frame = self.frames[0] if len(self.frames) == 1 else pl.concat(self.frames)
        return frame if frame["user"].is_sorted() else frame.sort("user")


class Partial(Struct, frozen=True, eq=False):
    """Sums over the users of a part.

    - `moments`: of the values of every measure; `covered` and `warm` the same over users with a list, and over users in train
    - `ratios`: the sums of numerators and denominators, by the index of a pooled measure and the users that count (`all`, `covered`,
      `warm`)
    - `cells`, `valued`: for each measure how many users of each cell there are, and how many of them count (measures × cells)
    - `others`: for each measure over the users of train or a reference model the three numbers of users that `ledger` reads
    - `totals`: the sums of each group of model-level measures, in the order of the body's calls; `items` its tables of items
    - `longest`: the length of the longest list
    - `notes`: remarks counted while tables were computed
    - `user_values`: per-user values, if they are kept
    - `more`: other results over the same part, such as the tallies of checks
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
            merge_by_key(self.ratios, other.ratios),
            self.cells + other.cells,
            self.valued + other.valued,
            self.others + other.others,
            {index: tuple(own + more for own, more in zip(sums, other.totals[index], strict=True)) for index, sums in self.totals.items()},
            merge_by_key(self.items, other.items),
            max(self.longest, other.longest),
            self.notes.merge(other.notes),
            None if self.user_values is None or other.user_values is None else self.user_values + other.user_values,
            merge_by_key(self.more, other.more),
        )

    def with_more(self, more: Mapping[str, Any]) -> Partial:
        """Return the same partial with other results over the part added."""
        return replace(self, more={**self.more, **more})


def merge_by_key(first: Mapping[Any, Any], other: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the values of two mappings, merged with `+` where both have the key."""
    total = dict(first)
    for key, value in other.items():
        total[key] = total[key] + value if key in total else value
    return total


def merge_partials(partials: Iterable[Partial]) -> Partial:
    """Merge the partials of all parts; `TypeError` if there are none."""
    return reduce(add, partials)


def no_counts(n_measures: int) -> Array:
    """Return zeros, one for each measure and cell."""
    return np.zeros((n_measures, len(CELLS)), dtype=np.int64)
