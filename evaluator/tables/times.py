"""Times of all test and train rows together: what the rows of single users are compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from .array import Array
from .ids import Ids


@dataclass(frozen=True, eq=False)
class TimeFacts:
    """What the times of test and train say about all users.

    `first_test` is the time of the earliest test row (`None`: no test row has a time). `young` are the items whose first row, in test or
    train, is later than the last test row of some user: only these can be recommended before they existed. `born` is the time of that
    first row, in the order of `young`.
    """

    first_test: float | None
    young: Ids
    born: Array

    @classmethod
    def of(cls, test: pl.DataFrame, train: pl.DataFrame) -> TimeFacts:
        """The facts of rows with `user item timestamp`; rows without a time are passed over."""
        timed = test.drop_nulls("timestamp")
        rows = pl.concat([frame.select("item", "timestamp").drop_nulls("timestamp") for frame in (test, train)])
        births = rows.group_by("item").agg(pl.col("timestamp").min())
        if not len(timed):
            return cls(None, Ids(births["item"].head(0)), np.empty(0))
        first_end = timed.group_by("user").agg(pl.col("timestamp").max())["timestamp"].min()
        young = births.filter(pl.col("timestamp") > first_end).sort("item")
        first_test = timed["timestamp"].min()
        assert isinstance(first_test, float)
        return cls(first_test, Ids(young["item"]), young["timestamp"].to_numpy())
