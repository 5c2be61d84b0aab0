"""`Prepared`: what is known before the lists are read, as arrays: items with their popularity and categories, groups, distances."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from ..conventions.axis import Lists
from ..errors import DataError
from ..lazy import pl
from ..names.measure_strings import Scalar
from .array import Array
from .ids import Ids

_MOST_NAMES: Final = 20
MISSING: Final = "(missing)"
"""The group of the users or items of which nothing says the group."""


class Group(Struct, frozen=True):
    """One group of users or items: its name in the file, the code that stands for it in columns, and how many it has."""

    name: str
    code: int
    size: int


def no_such_group(where: str, name: str, names: Sequence[str]) -> DataError:
    """The failure of a measure that asks for a group which nothing is in."""
    close = difflib.get_close_matches(name, names, n=1)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    held = f"the groups are {', '.join(map(repr, names[:_MOST_NAMES]))}{more}" if names else "nothing has a group there"
    return DataError(f"{where}: there is no group {name!r}; {held}", f"did you mean {close[0]!r}?" if close else None)


class GroupBy(Struct, frozen=True):
    """What results are split by, an entry of `evaluation.by`.

    `users` and `items`: a `column` of data.users or data.items; `train_count`: the number of a user's rows in data.train, where a group
    begins at each of the `borders` (ascending, from 1), or which make `n_groups` groups of about equal size, whose borders `Prepared` has;
    `cold`: whether data.train holds the user at all.
    """

    kind: Literal["users", "items", "train_count", "cold"]
    column: str = ""
    borders: tuple[int, ...] = ()
    n_groups: int = 0

    @property
    def name(self) -> str:
        """What the results call it: `users.plan`, `items.genre`, `train_count` or `cold`."""
        return f"{self.kind}.{self.column}" if self.column else self.kind

    @property
    def need(self) -> str:
        """The input that it looks at: a column of one, or train."""
        return self.name if self.column else "train"

    @property
    def fixed_groups(self) -> tuple[str, ...]:
        """The names of the groups that do not depend on a file; none where a column names them."""
        if self.kind == "cold":
            return ("cold", "warm")
        if self.kind == "train_count":
            inner = (f"{start}" if end == start + 1 else f"{start}-{end - 1}" for start, end in pairwise((0, *self.borders)))
            return (*inner, f"{(0, *self.borders)[-1]}+")
        return ()


_DAY: Final = 86_400.0
_UNITS: Final = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6))
"""Below which size times are seconds, milliseconds or microseconds since 1970; above they are nanoseconds."""


class TimeFacts(Struct, frozen=True, eq=False):
    """What the times of test and train say about all users.

    `first_test` is the time of the earliest test row (`None`: no test row has a time). `young` are the items whose first row, in test or
    train, is later than the last test row of some user: only these can be recommended before they existed. `born` is the time of that
    first row, in the order of `young`. `day` is the length of a day, where one of the two files has nothing but days: then all times are
    compared by their day, since a row with a day alone may be younger than any time of that day. `None`: times are compared as they are.
    """

    first_test: float | None
    young: Ids
    born: Array
    day: float | None = None

    @classmethod
    def of(cls, test: pl.DataFrame, train: pl.DataFrame) -> TimeFacts:
        """The facts of rows with `user item timestamp`; rows without a time are passed over."""
        day = _length_of_day(test["timestamp"].drop_nulls()) or _length_of_day(train["timestamp"].drop_nulls())
        timed = test.drop_nulls("timestamp")
        rows = pl.concat([frame.select("item", "timestamp").drop_nulls("timestamp") for frame in (test, train)])
        births = rows.group_by("item").agg(by_day(pl.col("timestamp").min(), day))
        if not len(timed):
            return cls(None, Ids(births["item"].head(0)), np.empty(0), day)
        first_end = by_day(timed.group_by("user").agg(pl.col("timestamp").max())["timestamp"].min(), day)
        young = births.filter(pl.col("timestamp") > first_end).sort("item")
        first_test = by_day(timed["timestamp"].min(), day)
        assert isinstance(first_test, float)
        return cls(first_test, Ids(young["item"]), young["timestamp"].to_numpy(), day)


def by_day(times: Any, day: float | None) -> Any:
    """Times, a number, an array or an expression of Polars, put back to the begin of their day if days have a length."""
    return times if day is None else times // day * day


def _length_of_day(times: pl.Series) -> float | None:
    """The length of a day in the unit of `times`, if all of them are whole days; `None` if one is not, or all are 0."""
    most = abs(float(times.abs().max())) if len(times) else 0.0  # type: ignore[arg-type]
    unit = next((unit for largest, unit in _UNITS if most < largest), 1e9)
    if most < _DAY * unit or (times.head(100) % (_DAY * unit) != 0).any():
        return None
    return _DAY * unit if (times % (_DAY * unit) == 0).all() else None


class Membership(Struct, frozen=True, eq=False):
    """Each `member`, an index into `ids`, has the group with this `code`, from 1: a user one group at most, an item maybe several."""

    groups: tuple[Group, ...]
    ids: Ids
    member: Array
    code: Array

    def mask(self, code: int) -> Array:
        """Whether each of the ids, and at the end one that is not known, has the group with this code; 0: no group at all."""
        mask = np.zeros(len(self.ids) + 1, dtype=np.bool_)
        mask[self.member if code == 0 else self.member[self.code == code]] = True
        return ~mask if code == 0 else mask


class ProfileGroups(NamedTuple):
    """A way to group users by the share of popular items among their train items.

    Popular are the items of the item column `popular` with these `source`, `share` and `ties`, counted in this `unit`; `shares` are the
    sizes of the groups as shares of the train users, with ; between them.
    """

    source: str
    unit: str
    share: float
    ties: str
    shares: str


class Prepared(Struct, frozen=True, eq=False):
    """What is known before the lists are read. Arrays of items follow the order of `items`.

    - `items`: every item that train, the items file or (where a metric counts them) the test file holds.
    - `train_rows`, `train_users`, `train_first`: the number of train rows and of train users of each item, and its first row of train;
      `train_users` is empty where no metric needs it.
    - `in_train`, `in_catalogue`: whether train holds the item, and whether the catalogue does (the items file, else train).
    - `category_item`, `category_code`: the categories of items, one pair each, in the order of items and codes from 1.
    - `item_groups`, `user_groups`: by column, the code of the group of each item (0 for none), and of each of `group_users`.
    - `numbers`: `items` (of the catalogue); of train `train_users`, `train_rows`, `train_items` and `least_rows` (of an item);
      `train_pairs` (distinct pairs of train) and `least_users` (of an item) where `train_users` of items are counted;
      `categories`, `train_categories` and `items_without_category`; `untrained_items` (of the catalogue that train does not hold);
      `train_and_test_users`, where test rows are counted by item; `least_rating` (of the test file); `mean_rating` (of the
      test file and train), where relevance depends on it.
    - `groups`: the groups that a column (`items.genre`, `users.age`, `categories`) names.
    - `category_sets`: the distinct sets of categories, as bits, where there are few.
    - `train_by_item`: the train pairs, for distances by co-occurrence; `distances`: `item other distance`, both ways;
      `policy`: `item previous` and maybe `user`, the scores of a previous policy.
    - `sources`: which sources are given, such as `train` and `baseline`.
    """

    items: Ids
    train_rows: Array
    train_users: Array
    train_first: Array
    in_train: Array
    in_catalogue: Array
    numbers: Mapping[str, float] = field(default_factory=dict)
    groups: Mapping[str, tuple[Group, ...]] = field(default_factory=dict)
    category_item: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    category_code: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    category_sets: tuple[int, ...] = ()
    item_groups: Mapping[str, Array] = field(default_factory=dict)
    group_users: Mapping[str, Ids] = field(default_factory=dict)
    user_groups: Mapping[str, Array] = field(default_factory=dict)
    test_rows: Array | None = None
    """The number of test rows of each item, where a metric counts them."""
    test_new_users: Array | None = None
    """The number of users of each item in the test file for whom train does not hold it, where test rows are counted."""
    test_first: Array | None = None
    """The first test row of each item that the test file holds, where test rows are counted."""
    profile_groups: Mapping[ProfileGroups, tuple[Ids, Array]] = field(default_factory=dict)
    """The train users and the number of the group of each, from 1."""
    train_by_item: pl.DataFrame | None = None
    distances: pl.DataFrame | None = None
    policy: pl.DataFrame | None = None
    sources: frozenset[str] = frozenset()
    times: TimeFacts | None = None
    """What checks compare times with, where test and train both have times."""
    baseline_lists: Lists | None = None
    """How the lists of the reference model are ranked."""
    memberships: Mapping[GroupBy, Membership] = field(default_factory=dict)
    """Who stands in which group of the columns that results are split by."""
    item_values: Mapping[str, Array] = field(default_factory=dict)
    """The values of items by column of data.items, for measures of value; NaN for an item without one."""
    row_columns: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    """The column of the frame of test rows that holds each column of values, and whether its numbers are written as 3,5."""
    borders: Mapping[GroupBy, tuple[int, ...]] = field(default_factory=dict)
    """The borders of groups of about equal size."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """Columns of items that were computed, by name and parameters."""

    def with_borders(self, by: GroupBy) -> GroupBy:
        """Return a grouping with the borders of its groups, also where they follow from the data."""
        return replace(by, borders=self.borders[by]) if by.n_groups else by

    def number(self, name: str) -> float:
        """A number of the side inputs."""
        return self.numbers[name]

    def groups_of(self, column: str) -> tuple[Group, ...]:
        """The groups that a column names."""
        return self.groups[column]

    def item_column(self, name: str, **params: Scalar) -> Array:
        """A column of items with one value more than there are items: the last is that of an item that is not known."""
        key = (name, *sorted(params.items()))
        if key not in self.memo:
            self.memo[key] = ITEM_COLUMNS[name](self, **params)
        column: Array = self.memo[key]
        return column


ITEM_COLUMNS: Final[dict[str, Callable[..., Array]]] = {}


def item_column(name: str, *, otherwise: float = 0) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Declare a column of items; the decorated function makes it of `Prepared` and its parameters. Unknown items have `otherwise`."""

    def declare(make: Callable[..., Array]) -> Callable[..., Array]:
        def made(prepared: Prepared, **params: Scalar) -> Array:
            column = make(prepared, **params)
            return np.append(column, np.asarray(otherwise, dtype=column.dtype))

        ITEM_COLUMNS[name] = made
        return make

    return declare
