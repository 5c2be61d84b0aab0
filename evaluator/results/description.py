"""`Description`: what the files of a config hold, before anything is evaluated; and how values are spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""


class HistogramBin(Struct, frozen=True):
    """How many values are from `low` to `high`: below it, in the last bin and in one of a single value (`low` = `high`) up to it."""

    low: float
    high: float
    rows: int


class NumberSummary(Struct, frozen=True):
    """The numbers of a column: `rating` or `score`. The histogram has a bin per value where there are few, else bins of one width."""

    column: str
    least: float
    mean: float
    most: float
    histogram: tuple[HistogramBin, ...]


class TimeSpan(Struct, frozen=True):
    """The times of the first and the last row: numbers as they are, or seconds since 1970; `untimed` rows have none."""

    first: float
    last: float
    untimed: int


class CountSummary(Struct, frozen=True):
    """How the rows are spread over users, or over items.

    `quantiles` are by percent (25, 50, 75, 90, 99), interpolated linearly. `gini` = Σᵢ (2i - n - 1)·xᵢ / (n·Σx) over the n counts in
    ascending order: 0 where all have as many rows, towards 1 where a few have all. `top_1` and `top_20` are the shares of all rows that
    the first 1 % and 20 % of users (or items) have, those with most rows first, their number rounded up.
    """

    least: int
    quantiles: Mapping[str, float]
    most: int
    mean: float
    gini: float
    top_1: float
    top_20: float


class TableDescription(Struct, frozen=True):
    """What one source holds: `name` is `test`, `train` or that of a model.

    `rows` are those that can be used; `left_out` rows lack a value or hold a number that is not finite. `users` and `items` are the
    numbers of different ones, `density` = rows / (users · items). What does not exist is `None`: numbers of a source without ratings or
    scores, times of one without, everything but the counts where there is no row.
    """

    name: str
    role: str
    rows: int
    left_out: int
    users: int
    items: int
    density: float | None
    numbers: NumberSummary | None
    times: TimeSpan | None
    per_user: CountSummary | None
    per_item: CountSummary | None


class Overlap(Struct, frozen=True):
    """How many users and items two sources have in common."""

    one: str
    other: str
    users: int
    items: int


class Description(Struct, frozen=True):
    """What the test and train files and the lists of each model hold, and what each two of them have in common.

    `overlaps` are those of test and train, and of each model with test and with train. `remarks` say how ids were read.
    """

    tables: tuple[TableDescription, ...]
    overlaps: tuple[Overlap, ...]
    remarks: tuple[str, ...] = ()

    def table(self, name: str) -> TableDescription:
        """The description of one source; `KeyError` if there is none of that name."""
        return {table.name: table for table in self.tables}[name]


class Spread(Struct, frozen=True):
    """A histogram of the per-user values in one measure, or of their differences from `base`.

    `zero` users have the value 0, or did not change; the `bins` hold all others, and 0 is the border of two of them.
    """

    measure: str
    model: str
    base: str | None
    higher_is_better: bool | None
    n_users: int
    zero: int
    bins: tuple[HistogramBin, ...]
