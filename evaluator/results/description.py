"""`Description`: the contents of the files of a config, before anything is evaluated; and histograms of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""


class HistogramBin(Struct, frozen=True):
    """Number of values from `low` to below `high`; the last bin, and a bin of one value (`low` = `high`), include `high`."""

    low: float
    high: float
    rows: int


class NumberSummary(Struct, frozen=True):
    """The numbers of a column: `rating` or `score`. The histogram has a bin per value if there are few values, else bins of one width."""

    column: str
    least: float
    mean: float
    most: float
    histogram: tuple[HistogramBin, ...]


class TimeSpan(Struct, frozen=True, omit_defaults=True):
    """The earliest and the latest time: numbers as stored, or seconds since 1970; `untimed` is the number of rows without a time.

    `unit` is the unit of numbers that are certainly times since 1970, by most of them.
    """

    first: float
    last: float
    untimed: int
    unit: str = "seconds"


class CountSummary(Struct, frozen=True):
    """Distribution of the number of rows per user, or per item.

    `quantiles` are by percent (25, 50, 75, 90, 99), interpolated linearly. `gini` = Σᵢ (2i - n - 1)·xᵢ / (n·Σx) over the n counts in
    ascending order: 0 if all have equally many rows, towards 1 if a few have all. `top_1` and `top_20` are the shares of all rows that
    belong to the 1 % and 20 % of users (or items) with the most rows; their number is rounded up.
    """

    least: int
    quantiles: Mapping[str, float]
    most: int
    mean: float
    gini: float
    top_1: float
    top_20: float


class TableDescription(Struct, frozen=True):
    """Contents of one source: `name` is `test`, `train` or that of a model.

    `rows` is the number of usable rows; `left_out` rows have a missing value or a number that is not finite. `users` and `items` are
    numbers of distinct ids, `density` = rows / (users · items). `None`: `numbers` without ratings or scores, `times` without timestamps,
    everything but the counts without rows.
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
    reading: str = ""
    """How the files were recognised."""


class Overlap(Struct, frozen=True):
    """Numbers of users and items that two sources have in common."""

    one: str
    other: str
    users: int
    items: int


class Description(Struct, frozen=True):
    """Contents of the test and train files and of the lists of each model, and what pairs of them have in common.

    Without test or lists it has the items too, which have no users. `overlaps` are those of these files, and of each model with test and
    with train. `remarks` say how ids were read.
    """

    tables: tuple[TableDescription, ...]
    overlaps: tuple[Overlap, ...]
    remarks: tuple[str, ...] = ()

    def table(self, name: str) -> TableDescription:
        """Return the description of one source; raise `KeyError` if there is none with this name."""
        return {table.name: table for table in self.tables}[name]


class Spread(Struct, frozen=True):
    """A histogram of the per-user values in one measure, or of their differences from `base`.

    `zero` users have the value 0, or did not change; the `bins` have all others. 0 is always a border of bins.
    """

    measure: str
    model: str
    base: str | None
    higher_is_better: bool | None
    n_users: int
    zero: int
    bins: tuple[HistogramBin, ...]
