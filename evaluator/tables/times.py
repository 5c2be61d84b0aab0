"""Times of all test and train rows together: what the rows of single users are compared with."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct

from .array import Array
from .ids import Ids

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
