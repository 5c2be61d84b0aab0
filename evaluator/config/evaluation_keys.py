"""Keys of the section `evaluation` with several notations: aggregates, groups, yardsticks, weights and columns of values."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    StrictBool,
    StrictInt,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from ..support.patterns import regex
from ..syntax.short_names import INTERVAL, REFERENCE_NAMES
from ..syntax.value_columns import source_and_column
from ..tables.prepared import CROSS, OF_PROFILES, GroupBy
from .data_sources import Model, as_list

Percentile = Annotated[
    str, Field(pattern=r"^p([0-9]|[1-9][0-9])(\.[0-9]+)?$|^p100$", description="a percentile of the users' values, such as p25")
]
Interval = Annotated[
    str, Field(pattern=INTERVAL, description="half-width of the normal confidence interval of the mean, such as ci99 or ci(0.9)")
]
_Named = Literal["mean", "median", "std", "ci95", "bootstrap95", "micro", "sum", "geometric"]


def _read(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        names = f"{', '.join(get_args(_Named))}, percentiles such as p90, and intervals such as ci99 and ci(0.9)"
        raise ValueError(f"an aggregate must be one of {names}, not {value!r}") from None


Aggregate = Annotated[_Named | Percentile | Interval, WrapValidator(_read)]


def _value_column(value: Any) -> Any:
    """Return a value unchanged; `ValueError` for a text that is not a column of values."""
    if isinstance(value, str):
        source_and_column(value)
    return value


_ValueColumn = Annotated[str, BeforeValidator(_value_column), WithJsonSchema({"type": "string", "pattern": r"^(items|rows)\..+"})]


class ValueColumnsConfig(Model):
    """Columns of the values that measures of value add up: `items.COLUMN` of data.items, or `rows.COLUMN` of the test rows."""

    revenue: _ValueColumn | None = Field(None, description="the column of Revenue and RevenueShare, such as items.price or rows.amount")
    profit: _ValueColumn | None = Field(None, description="the column of Profit, such as items.margin; its values may be negative")
    weight: _ValueColumn | None = Field(
        None, description="the column of WeightedPrecision, WeightedRecall and WeightedHitRate, such as rows.quantity"
    )

    @property
    def by_key(self) -> dict[str, str]:
        """Columns that are set, by key."""
        return {name: column for name in type(self).model_fields if (column := getattr(self, name)) is not None}


def _weights_of(whose: str, source: str) -> Callable[[Any], Any]:
    """Return a function that returns a value unchanged, and raises `ValueError` for a text that is not a column of `source`."""

    def read(value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(rf"{whose}\..+", value):
            column = value.rpartition(".")[2] or "COLUMN"
            raise ValueError(f"the weights of {whose} are a column of {source}, written {whose}.{column}, not {value!r}")
        return value

    return read


def _pattern(whose: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": rf"^{whose}\..+"})


def _uniform(value: Any) -> Any:
    """Return `uniform` unchanged; `ValueError` for any other way to sample."""
    if value != "uniform":
        raise ValueError(f"bounds need items that are sampled uniformly, not by {str(value)[:40]!r}: remove the section candidates")
    return value


class CandidatesConfig(Model):
    """How the candidates in the lists were sampled: values over the whole catalogue are then bounded."""

    catalogue: Annotated[StrictInt, Field(ge=2, le=10**9)] = Field(
        description="the number of items that could have been sampled for a user, the relevant one included"
    )
    sampled: Annotated[StrictInt, Field(ge=1)] | None = Field(
        None,
        description="the number of items sampled for each user, besides the relevant one; if not given, that of the other items in lists",
    )
    replacement: StrictBool = Field(False, description="whether an item could be sampled several times for a user")
    sampling: Annotated[Literal["uniform"], BeforeValidator(_uniform)] = Field(
        "uniform", description="how items were sampled; there are no bounds for other ways, such as by popularity"
    )
    density: Literal["any", "falling"] = Field(
        "any", description="falling: also bounds under the assumption that no rank is more likely than the one before it"
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.sampled is not None and self.sampled >= self.catalogue and not self.replacement:
            raise ValueError(f"{self.sampled:,} items cannot be sampled from {self.catalogue:,} that include the relevant one")
        return self


class WeightsConfig(Model):
    """Weights of users in means over them, and of relevant items in measures based on hits."""

    users: Annotated[str, BeforeValidator(_weights_of("users", "data.users")), _pattern("users")] | None = Field(
        None, description="the column of data.users with the weight of each user, such as users.revenue: a mean is Σ w·v / Σ w"
    )
    rows: Annotated[str, BeforeValidator(_weights_of("rows", "the test rows")), _pattern("rows")] | None = Field(
        None, description="the column of the test rows with the weight of each, such as rows.quantity, for Recall, HitRate, DCG and nDCG"
    )
    items: Annotated[str, BeforeValidator(_weights_of("items", "data.items")), _pattern("items")] | None = Field(
        None, description="the column of data.items with the weight of each relevant item, such as items.price, for the same metrics"
    )

    @model_validator(mode="before")
    @classmethod
    def _whose(cls, value: Any) -> Any:
        if isinstance(value, str) and (whose := re.match(r"(users|rows|items)\..", value)):
            raise ValueError(f"say whose weights {value} are: {{{whose[1]}: {value}}}")
        if isinstance(value, Mapping) and value.get("rows") and value.get("items"):
            raise ValueError("a relevant item has one weight: give rows or items, not both; a column of their products can be rows.COLUMN")
        return value

    @property
    def relevant_column(self) -> str:
        """The column of the weights of relevant items; empty without one."""
        return self.rows or self.items or ""


class YardsticksConfig(Model):
    """Reference lists made from the same files and evaluated with the models: an upper bound (oracle) and two simple baselines."""

    oracle: StrictBool = Field(False, description="the best possible list of each user; results then show each value as a share of it")
    popularity: StrictBool = Field(False, description="the most popular items in data.train")
    random: StrictInt | None = Field(None, description="random lists from the catalogue (data.items, else data.train), with this seed")

    @property
    def any(self) -> bool:
        """True if the config names any reference lists."""
        return bool(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the reference lists in results."""
        wanted = (self.oracle, self.popularity, self.random is not None)
        return tuple(name for name, is_wanted in zip(REFERENCE_NAMES, wanted, strict=True) if is_wanted)


def _yardsticks(value: Any) -> Any:
    """Return names in a list, also with a seed (`[oracle, {random: 7}]`), or `true` (all), as a mapping."""
    names = ("oracle", "popularity", "random")
    value = names if value is True else () if value is False else as_list(value)
    if not isinstance(value, list | tuple):
        return value
    given: dict[str, Any] = {}
    for entry in value:
        given |= entry if isinstance(entry, Mapping) else {str(entry): 0 if entry == "random" else True}
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"reference lists (yardsticks) must be {', '.join(names)}, not {unknown[0]!r}")
    return given


Yardsticks = Annotated[
    YardsticksConfig, BeforeValidator(_yardsticks, json_schema_input_type=bool | list[str | YardsticksConfig] | YardsticksConfig)
]


_KNOWN: Final = (
    "a column of users (users.plan), of items (items.genre) or of test rows (rows.event), rows.repeat, rows.new_item, rows.rating, "
    "rows.popularity:5, rows.timestamp:7d, train_count:4, train_count:5,20, train_count:3+, cold, popular_share:4, "
    "mainstreamness:4, recency:4, or first_category"
)
_COLUMN: Final = regex(r"(?P<name>(users|items)\..+)")
_BORDERED: Final = regex(r"(?P<name>(users|items)\.[^:]+):\s*\[?\s*\d[\d\s.,:T-]*\+?\s*\]?")
"""A column with borders, as train_count has them; `age:float` is the name of a column."""
_WITH_ARGUMENT: Final = regex(r"(?P<name>rows\.(?:popularity|timestamp))\s*:\s*(?P<argument>.*)")
_LENGTH: Final = regex(r"[1-9]\d{0,3}(h|d|w|mo|y)")
_MOST_EQUAL_GROUPS: Final = 100
_COUNTS: Final[dict[str, Any]] = {
    "description": "a number of groups of about equal size, or a list: a new group of users starts at each of these numbers of train rows",
    "anyOf": [
        {"type": "integer", "minimum": 2, "maximum": _MOST_EQUAL_GROUPS},
        {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1},
    ],
}
_ENTRY: Final[dict[str, Any]] = {
    "anyOf": [
        {
            "type": "string",
            "pattern": r"^(users|items|rows)\..+$|^cold$|^first_category$|^(train_count|popular_share|mainstreamness|recency):.+$",
            "description": "users.COLUMN, items.COLUMN, rows.COLUMN, rows.repeat, rows.new_item, rows.rating, rows.popularity:5, "
            "rows.timestamp:7d, train_count:4, train_count:5,20, train_count:3+, cold, popular_share:4, mainstreamness:4, recency:4, or "
            "first_category",
        },
        {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": False,
            "properties": {
                "train_count": _COUNTS,
                "rows.popularity": {"type": "integer", "minimum": 2, "maximum": _MOST_EQUAL_GROUPS},
                "rows.timestamp": {"type": ["string", "array"]},
            },
        },
    ]
}


def _entry(value: Any) -> GroupBy:
    if isinstance(value, GroupBy):
        return value
    crossed = value.split(CROSS) if isinstance(value, str) and CROSS in value else value if isinstance(value, list | tuple) else ()
    if crossed:
        parts = tuple(_entry(part.strip() if isinstance(part, str) else part) for part in crossed)
        if len(parts) < 2 or len({part.name for part in parts}) < len(parts) or any(part.parts for part in parts):
            raise ValueError(f"a combination needs two or more different groupings, such as users.plan{CROSS}rows.repeat, not {value!r}")
        return GroupBy("cross", parts=parts)
    if value == "cold":
        return GroupBy("cold")
    if value == "first_category":
        return GroupBy("first_category")
    if isinstance(value, str) and value.partition(":")[0] in OF_PROFILES:
        return _by_profile(*value.partition(":")[::2])
    if value == "train_count":
        raise ValueError(
            "train_count needs a number of groups (train_count:4), or the numbers of train rows that start them: train_count:5,20, or "
            "train_count:3+ for one border"
        )
    if isinstance(value, str) and value.startswith("train_count:"):
        return _by_train_count(_numbers(value.partition(":")[2]))
    rows = _row_grouping(value)
    if rows is not None:
        return rows
    bordered = _BORDERED.fullmatch(value) if isinstance(value, str) else None
    bordered = bordered or (_COLUMN.fullmatch(str(next(iter(value)))) if isinstance(value, Mapping) and len(value) == 1 else None)
    if bordered:
        raise ValueError(
            f"only train_count, the number of a user's rows in data.train, has borders or equal groups (train_count:5,20); "
            f"for {bordered['name']} write a column with the name of each group into the file, such as 0-4 and 5+, and give this column"
        )
    if isinstance(value, str):
        kind, dot, column = value.partition(".")
        if dot and column and kind == "users":
            return GroupBy("users", column)
        if dot and column and kind == "items":
            return GroupBy("items", column)
    if isinstance(value, Mapping) and set(value) == {"train_count"}:
        return _by_train_count(value["train_count"])
    quote = '; in a list in brackets write "train_count:5,20" in quotes' if isinstance(value, int) else ""
    if isinstance(value, str) and re.fullmatch(r"\w+", value):
        quote = f"; for a column of data.items write items.{value}, of data.users users.{value}"
    raise ValueError(f"a group must be {_KNOWN}, not {value!r}{quote}")


def _row_grouping(value: Any) -> GroupBy | None:
    """Read a grouping of test rows, `rows.event`, `rows.timestamp:7d` or `{rows.popularity: 5}`; `None` for another entry."""
    name, given = value, None
    if isinstance(value, Mapping) and len(value) == 1:
        name, given = next(iter(value.items()))
    elif isinstance(value, str) and (written := _WITH_ARGUMENT.fullmatch(value)):
        name, given = written["name"], written["argument"].strip()
    if not isinstance(name, str) or not name.startswith("rows.") or name == "rows.":
        return None
    column = name.removeprefix("rows.")
    if column == "popularity":
        number = int(given) if isinstance(given, str) and given.isdecimal() else given
        if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= _MOST_EQUAL_GROUPS:
            raise ValueError(f"rows.popularity needs a number of groups from 2 to {_MOST_EQUAL_GROUPS}, such as rows.popularity:5")
        return GroupBy("rows", column, n_groups=number)
    if column == "timestamp":
        return GroupBy("rows", column, window=_window(given))
    if given is not None:
        raise ValueError(f"{name} has a group for each value, and takes no {given!r}: write {name}")
    return GroupBy("rows", column)


def _window(given: Any) -> str:
    """Return a length of time such as `7d`, or dates at which groups begin, separated by commas."""
    dates = [str(end) for end in given] if isinstance(given, list | tuple) else str(given).strip("[] ").split(",")
    if len(dates) == 1 and _LENGTH.fullmatch(dates[0].strip()):
        return dates[0].strip()
    try:
        times = [datetime.fromisoformat(date.strip()) for date in dates]
    except ValueError:
        times = []
    if not times or sorted(set(times)) != times:
        raise ValueError(
            "rows.timestamp needs windows: a length in hours, days, weeks, months or years (rows.timestamp:7d, 12h, 2w, 1mo, 1y), or "
            "ascending dates at which groups begin (rows.timestamp:2024-06-01,2024-07-01)"
        )
    return ",".join(date.strip() for date in dates)


def _numbers(text: str) -> Any:
    """Read `4` as a number, `5,20` and `[5, 20]` as a list, `3+` and `3,` as a list of one; other text stays as it is."""
    inner = text.strip().removeprefix("[").removesuffix("]")
    is_list = "[" in text or inner.endswith(("+", ","))
    parts = [part.strip() for part in (inner[:-1] if inner.endswith(("+", ",")) else inner).split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        return text
    return [int(part) for part in parts] if len(parts) > 1 or is_list else int(parts[0])


def _by_train_count(value: Any) -> GroupBy:
    """Return groups of about equal size for a number, and groups that start at each number of a list."""
    if isinstance(value, int) and not isinstance(value, bool):
        if 2 <= value <= _MOST_EQUAL_GROUPS:
            return GroupBy("train_count", n_groups=value)
        raise ValueError(
            f"train_count makes from 2 to {_MOST_EQUAL_GROUPS} groups of about equal size, not {value}; one border is train_count:{value}+"
        )
    borders = value if isinstance(value, list | tuple) else []
    borders = borders[1:] if len(borders) > 1 and borders[0] == 0 else borders  # the first group always starts at 0
    numbers = all(isinstance(border, int) and not isinstance(border, bool) and border > 0 for border in borders)
    if not borders or not numbers or sorted(set(borders)) != list(borders):
        raise ValueError(
            "train_count must be a number of groups, such as 4, one border, such as 3+, or a list of ascending numbers from 1, "
            f"such as [5, 20], not {value!r}"
        )
    return GroupBy("train_count", borders=tuple(borders))


def _by_profile(name: str, number: str) -> GroupBy:
    """Return groups of about equal size by a number that follows from the train rows of users."""
    if not (number.strip().isascii() and number.strip().isdecimal()) or not 2 <= int(number) <= _MOST_EQUAL_GROUPS:
        raise ValueError(f"{name} needs a number of groups from 2 to {_MOST_EQUAL_GROUPS}, such as {name}:4")
    return GroupBy(next(kind for kind in OF_PROFILES if kind == name), n_groups=int(number))


def _entries(value: Any) -> Any:
    entries = value if isinstance(value, list | tuple) else [value]
    split = [_entry(entry) for entry in entries]
    names = [by.name for by in split]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        keep = ": keep one, a number of groups (train_count:4) or their borders (train_count:5,20)" if twice == "train_count" else ""
        raise ValueError(f"evaluation.by lists {twice} twice{keep}")
    return tuple(split)


def written_groups(split: Iterable[GroupBy]) -> list[Any]:
    """Return groupings in the form of a resolved config."""
    return [{"train_count": by.n_groups or list(by.borders)} if by.kind == "train_count" else group_text(by) for by in split]


def group_text(by: GroupBy) -> str:
    """Return a grouping as text that `read_group` reads: `train_count:3+` has one border."""
    if by.parts:
        return CROSS.join(map(group_text, by.parts))
    borders = f"{by.borders[0]}+" if len(by.borders) == 1 else ",".join(map(str, by.borders))
    argument = (by.n_groups or borders) if by.kind == "train_count" else by.window or by.n_groups
    return f"{by.name}:{argument}" if argument else by.name


def read_group(text: str | Mapping[str, Any]) -> GroupBy:
    """Read a grouping such as `users.plan`, `cold`, `train_count:4` or `{train_count: 4}`; raise `ValueError` for other text."""
    return _entry(text)


GroupBys = Annotated[
    tuple[GroupBy, ...],
    BeforeValidator(_entries),
    PlainSerializer(written_groups),
    WithJsonSchema({"anyOf": [_ENTRY, {"type": "array", "items": _ENTRY}]}),
]
