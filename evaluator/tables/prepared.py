"""`Prepared`: everything known before the lists are read, as arrays: items with popularity and categories, groups, distances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from ..conventions.axis import Lists
from ..support.errors import DataError
from ..support.lazy import np, pl
from ..support.synonyms import did_you_mean
from ..syntax.measure_strings import Scalar
from .array import Array
from .ids import Ids
from .time_units import SECONDS, TimeUnit

_MOST_NAMES: Final = 20
MISSING: Final = "(missing)"
"""Group of the users or items without a group."""


class Group(Struct, frozen=True):
    """One group of users or items: its name in the file, its code in columns, and its number of members."""

    name: str
    code: int
    size: int


def no_such_group(where: str, name: str, names: Sequence[str]) -> DataError:
    """Return the error for a measure that names a group without members."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    held = f"the groups are {', '.join(map(repr, names[:_MOST_NAMES]))}{more}" if names else "nothing has a group there"
    return DataError(f"{where}: there is no group {name!r}; {held}", did_you_mean(name, names) or None)


CROSS: Final = "*"
"""Between the names of crossed groupings, and of their groups."""
OF_TRAIN: Final[Mapping[str, tuple[str, ...]]] = {"repeat": ("repeat", "explore"), "new_item": ("new", "known"), "popularity": ()}
"""Groupings of test rows that data.train decides → their groups, if these do not depend on the data."""


OF_PROFILES: Final[tuple[Literal["popular_share", "mainstreamness", "recency"], ...]] = ("popular_share", "mainstreamness", "recency")
"""Groupings of users into groups of about equal size, by a number that follows from their rows in data.train."""


class GroupBy(Struct, frozen=True):
    """A grouping that results are split by, an entry of `evaluation.by`.

    `users` and `items`: a `column` of data.users or data.items; `train_count`: the number of a user's rows in data.train, where a group
    begins at each of the `borders` (ascending, from 1), or `n_groups` groups of about equal size, whose borders are in `Prepared`; `cold`:
    whether the user is in data.train at all. `popular_share`, `mainstreamness` and `recency` (`n_groups` groups of about equal size)
    and `first_category` follow from the rows of the user in data.train, see `prepare.profiles`. `rows`: a `column` of the test rows;
    `repeat` (the pair is in data.train), `new_item` (the item is not), `popularity` (`n_groups` groups of about equal size, by the
    users of the item in data.train), `rating`, or `timestamp` with a `window`: a length (`7d`, `1mo`), or dates at which groups begin.
    `cross`: the combinations of the groups of its `parts`.
    """

    kind: Literal["users", "items", "rows", "train_count", "cold", "popular_share", "mainstreamness", "recency", "first_category", "cross"]
    column: str = ""
    borders: tuple[int, ...] = ()
    n_groups: int = 0
    window: str = ""
    parts: tuple[GroupBy, ...] = ()

    @property
    def crossed(self) -> tuple[GroupBy, ...]:
        """The groupings whose combinations are the groups: itself, unless it crosses several."""
        return self.parts or (self,)

    @property
    def name(self) -> str:
        """Name in the results: `users.plan`, `items.genre`, `train_count`, `cold`, or `users.plan*rows.repeat`."""
        if self.parts:
            return CROSS.join(part.name for part in self.parts)
        return f"{self.kind}.{self.column}" if self.column else self.kind

    @property
    def need(self) -> str:
        """Input that it reads: a column of one, or train."""
        if self.kind == "rows":
            return "train" if self.column in OF_TRAIN else "test" if self.column in ("rating", "timestamp") else f"test.{self.column}"
        return self.name if self.column else "train"

    @property
    def needs(self) -> frozenset[str]:
        """All inputs that it reads."""
        return frozenset((self.need, *(("categories",) if self.kind == "first_category" else ())))

    @property
    def is_of_profiles(self) -> bool:
        """True if it groups users by what they have in data.train, other than the number of rows."""
        return self.kind in (*OF_PROFILES, "first_category")

    @property
    def role(self) -> str:
        """Input that decides the groups: `users`, `items`, `test` or `train`."""
        return self.kind if self.kind in ("users", "items") else "train" if self.need == "train" else "test"

    @property
    def groups_relevant(self) -> bool:
        """True if it groups relevant items, not users."""
        return any(part.kind in ("items", "rows") for part in self.crossed)

    @property
    def has_rows(self) -> bool:
        """True if it groups test rows, alone or in a combination."""
        return any(part.kind == "rows" for part in self.crossed)

    @property
    def fixed_groups(self) -> tuple[str, ...]:
        """Names of the groups that do not depend on a file; empty if a column names them."""
        if self.kind == "cold":
            return ("cold", "warm")
        if self.kind == "rows":
            return OF_TRAIN.get(self.column, ())
        return ranges(self.borders) if self.kind == "train_count" else ()


def codes_column(name: str) -> str:
    """Return the column of the test rows that has the code of each row in a grouping; Spark reads a dot in it as that of a field."""
    return name.replace(".", "/")


def is_of_rows(name: str) -> bool:
    """Return whether this is the name of a grouping of test rows, or of a combination with one."""
    return any(part.startswith("rows.") for part in name.split(CROSS))


def ranges(borders: Sequence[int]) -> tuple[str, ...]:
    """Return the names of groups of whole numbers from 0 on that start at each of the `borders`: `0-4`, `5-19` and `20+`."""
    inner = (f"{start}" if end == start + 1 else f"{start}-{end - 1}" for start, end in pairwise((0, *borders)))
    return (*inner, f"{(0, *borders)[-1]}+")


_DAY: Final = 86_400.0


class TimeFacts(Struct, frozen=True, eq=False):
    """Facts about all users that follow from the times of test and train.

    `first_test` is the time of the earliest test row (`None`: no test row has a time). `young` are the items whose first row, in test or
    train, is later than the last test row of some user: only these can be recommended before they existed. `born` is the time of this first
    row, in the order of `young`. `day` is the length of a day if one of the two files has only whole days: then all times are compared by
    day, because a row with only a day may be later than any time of that day. `None`: times are compared as they are.
    """

    first_test: float | None
    young: Ids
    born: Array
    day: float | None = None

    @classmethod
    def from_rows(cls, test: pl.DataFrame, train: pl.DataFrame, unit: TimeUnit = SECONDS) -> TimeFacts:
        """Return the facts of rows with `user item timestamp`, the times in one `unit`; rows without a time are skipped."""
        day = _length_of_day(test["timestamp"].drop_nulls(), unit) or _length_of_day(train["timestamp"].drop_nulls(), unit)
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
    """Return times (a number, an array or a Polars expression), rounded down to the start of their day unless `day` is `None`."""
    return times if day is None else times // day * day


def _length_of_day(times: pl.Series, unit: TimeUnit) -> float | None:
    """Return the length of a day in the unit of `times` if all are whole days; `None` if one is not, or none is as large as a day."""
    most = abs(float(times.abs().max())) if len(times) else 0.0  # type: ignore[arg-type]
    day = _DAY * unit.per_second
    if most < day or (times.head(100) % day != 0).any():
        return None
    return day if (times % day == 0).all() else None


class Membership(Struct, frozen=True, eq=False):
    """Groups of users or items: each `member`, an index into `ids`, is in the group with this `code`, from 1.

    A user is in one group at most, an item maybe in several.
    """

    groups: tuple[Group, ...]
    ids: Ids
    member: Array
    code: Array

    def code_of_ids(self) -> Array:
        """Return the code of the group of each of the ids, 0 for one without a group; for users, who are in one group at most."""
        codes = np.zeros(len(self.ids), dtype=np.int64)
        codes[self.member] = self.code
        return codes

    def mask(self, code: int) -> Array:
        """Return whether each of the ids, and at the end an unknown one, is in the group with this code; 0: in no group."""
        mask = np.zeros(len(self.ids) + 1, dtype=np.bool_)
        mask[self.member if code == 0 else self.member[self.code == code]] = True
        return ~mask if code == 0 else mask


class ProfileGroups(NamedTuple):
    """A way to group users by the share of popular items among their train items.

    Popular items are those of the item column `popular` with these `source`, `share` and `ties`, counted in this `unit`; `shares` are the
    sizes of the groups as shares of the train users, separated by semicolons.
    """

    source: str
    unit: str
    share: float
    ties: str
    shares: str


class Prepared(Struct, frozen=True, eq=False):
    """Everything known before the lists are read. Arrays of items follow the order of `items`.

    - `items`: every item of train, the items file or (if a metric counts them) the test file.
    - `train_rows`, `train_users`, `train_first`: number of train rows and of train users of each item, and its first train row;
      `train_users` is empty if no metric needs it.
    - `in_train`, `in_catalogue`: whether the item is in train, and in the catalogue (the items file, else train).
    - `category_item`, `category_code`: the categories of items, one pair each, in the order of items and codes from 1.
    - `item_groups`, `user_groups`: by column, the group code of each item (0 for none), and of each of `group_users`.
    - `numbers`: `items` (of the catalogue); of train `train_users`, `train_rows`, `train_items` and `least_rows` (of an item);
      `train_pairs` (distinct pairs of train) and `least_users` (of an item) if `train_users` of items are counted; `categories`,
      `train_categories` and `items_without_category`; `untrained_items` (of the catalogue, not in train); `train_and_test_users` if test
      rows are counted by item; `least_rating` (of the test file); `mean_rating` (of test and train) if relevance depends on it.
    - `groups`: the groups that a column (`items.genre`, `users.age`, `categories`) names.
    - `category_sets`: the distinct sets of categories, as bits, if there are few.
    - `train_by_item`: the train pairs, for distances by co-occurrence; `distances`: `item other distance`, in both directions; `policy`:
      `item previous` and maybe `user`, the scores of a previous policy.
    - `sources`: the given sources, such as `train` and `baseline`.
    - `time_unit`: the unit of the times of test and train.
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
    """Number of test rows of each item, if a metric counts them."""
    test_new_users: Array | None = None
    """Number of test users of each item who do not have it in train, if test rows are counted."""
    test_first: Array | None = None
    """First test row of each item of the test file, if test rows are counted."""
    profile_groups: Mapping[ProfileGroups, tuple[Ids, Array]] = field(default_factory=dict)
    """The train users, and the group number of each, from 1."""
    train_by_item: pl.DataFrame | None = None
    distances: pl.DataFrame | None = None
    policy: pl.DataFrame | None = None
    sources: frozenset[str] = frozenset()
    times: TimeFacts | None = None
    time_unit: TimeUnit = SECONDS
    """Times that checks compare with, if test and train both have times."""
    baseline_lists: Lists | None = None
    """Ranking of the lists of the reference model."""
    memberships: Mapping[GroupBy, Membership] = field(default_factory=dict)
    """Members of the groups of the columns that results are split by."""
    row_groups: Mapping[str, tuple[Group, ...]] = field(default_factory=dict)
    """Groups of each grouping of test rows, by its name; `codes_column` has the column of codes in the test rows."""
    item_values: Mapping[str, Array] = field(default_factory=dict)
    """Values of items by column of data.items, for measures of value; NaN for an item without one."""
    row_columns: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    """For each column of values of the test rows its name in their frame, and whether its numbers have a decimal comma (3,5)."""
    vectors: Array | None = None
    """The vectors of items, dimensions × items, each divided by its length; NaN for items without one."""
    test_categories: str = ""
    """The column of categories in the test rows, as their frame names it; empty if no metric reads it."""
    user_weights: tuple[Ids, Array] | None = None
    """The users of data.users with the weight of each in weighted means."""
    borders: Mapping[GroupBy, tuple[int, ...]] = field(default_factory=dict)
    """Borders of groups of about equal size."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """Computed columns of items, by name and parameters."""

    def with_borders(self, by: GroupBy) -> GroupBy:
        """Return a grouping with the borders of its groups, also if they follow from the data."""
        if by.parts:
            return replace(by, parts=tuple(map(self.with_borders, by.parts)))
        return replace(by, borders=self.borders[by]) if by in self.borders else by

    def groups_by(self, by: GroupBy) -> list[tuple[int, str]]:
        """Return the code and the name of each group, in order; the groups of crossed groupings are all combinations of theirs."""
        if by.parts:
            groups = [[(weight * code, name) for code, name in self.groups_by(part)] for part, weight in self.code_weights(by)]
            return [(sum(code for code, _ in cell), CROSS.join(name for _, name in cell)) for cell in product(*groups)]
        if by.fixed_groups:
            return list(enumerate(by.fixed_groups, 1))
        named = self.row_groups[by.name] if by.kind == "rows" else self.memberships[by].groups
        return [*((group.code, group.name) for group in named), (0, MISSING)]

    def code_weights(self, by: GroupBy) -> list[tuple[GroupBy, int]]:
        """Return each of the crossed groupings with the factor of its codes in those of their combinations; that of the last is 1."""
        weights, weight = [], 1
        for part in reversed(by.crossed):
            weights.append((part, weight))
            weight *= 1 + max(code for code, _ in self.groups_by(part))
        return weights[::-1]

    def number(self, name: str) -> float:
        """Return a number of the side inputs."""
        return self.numbers[name]

    def groups_of(self, column: str) -> tuple[Group, ...]:
        """Return the groups that a column names."""
        return self.groups[column]

    def item_column(self, name: str, **params: Scalar) -> Array:
        """Return a column of items with one value more than there are items: the last is that of an unknown item."""
        key = (name, *sorted(params.items()))
        if key not in self.memo:
            self.memo[key] = ITEM_COLUMNS[name](self, **params)
        column: Array = self.memo[key]
        return column


ITEM_COLUMNS: Final[dict[str, Callable[..., Array]]] = {}


def item_column(name: str, *, otherwise: float = 0) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Declare a column of items, which the decorated function computes from `Prepared` and parameters; unknown items have `otherwise`."""

    def declare(make: Callable[..., Array]) -> Callable[..., Array]:
        def made(prepared: Prepared, **params: Scalar) -> Array:
            column = make(prepared, **params)
            return np.append(column, np.asarray(otherwise, dtype=column.dtype))

        ITEM_COLUMNS[name] = made
        return make

    return declare
