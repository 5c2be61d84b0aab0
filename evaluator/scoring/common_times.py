"""Bring the times of test and train to one unit, so that they can be compared."""

from __future__ import annotations

import polars as pl
from msgspec import Struct

from ..tables.time_units import SECONDS, TimeUnit, unit_of


class CommonTimes(Struct, frozen=True, eq=False):
    """The train rows with times in the `unit` of the test rows, and remarks on it; `roles` are the inputs that have times."""

    train: pl.DataFrame | None
    unit: TimeUnit = SECONDS
    roles: tuple[str, ...] = ()
    is_converted: bool = False
    """True if the times of train had another unit."""
    remarks: tuple[str, ...] = ()


def common_times(test: pl.DataFrame | None, train: pl.DataFrame | None, *, dated: frozenset[str] = frozenset()) -> CommonTimes:
    """Return the unit of the times of test and train, and the train rows in it; `dated` are the roles whose times are stored as dates.

    Times are converted only if those of both are certainly times since 1970: other numbers may be any count.
    """
    frames = {"test": test, "train": train}
    timed = {role: frame["timestamp"] for role, frame in frames.items() if frame is not None and "timestamp" in frame.columns}
    roles = tuple(f"data.{role}" for role in timed)
    found = {role: (SECONDS, True) if role in dated else unit_of(times) for role, times in timed.items()}
    units = {role: unit for role, (unit, _) in found.items()}
    sure = [role for role, (_, is_sure) in found.items() if is_sure]
    if train is None or len(sure) < 2 or len({*units.values()}) == 1:
        return CommonTimes(train, next((units[role] for role in (*sure, *units)), SECONDS), roles)
    of_test, of_train = units["test"], units["train"]
    time = pl.col("timestamp").cast(pl.Float64) * of_test.per_second / of_train.per_second
    forms = [f"data.{role} has {'dates' if role in dated else f'times in {units[role].name} since 1970'}" for role in ("train", "test")]
    remark = f"{' and '.join(forms)}: they are compared in {of_test.name}. Write both in one unit."
    return CommonTimes(train.with_columns(time.alias("timestamp")), of_test, roles, True, (remark,))
