"""Groupings of test rows (`rows.event`, `rows.repeat`, …) → the group of each test row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import numpy as np
import polars as pl
from msgspec.structs import replace

from ..metrics.definition import Definition
from ..stats.equal_parts import equal_parts
from ..support.errors import DataError
from ..tables.array import Array
from ..tables.prepared import MISSING, OF_TRAIN, Group, GroupBy, Prepared, codes_column, no_such_group, ranges
from ..tables.time_units import TimeUnit
from .memberships import assign_codes, refuse_ids

_MOST_CELLS: Final = 200
"""Most combinations of the groups of several groupings; each has a user or two if there are more."""
_MOST_SIZES: Final = 12
"""Most groups whose sizes are listed in a sentence."""
_LENGTH: Final = re.compile(r"(?P<number>\d+)(?P<unit>[a-z]+)")
_HOURS: Final = {"h": 1, "d": 24, "w": 168}
_SHAPES: Final = {"h": "%Y-%m-%d %H:00", "d": "%Y-%m-%d", "w": "%Y-%m-%d", "mo": "%Y-%m", "y": "%Y"}
"""Unit of a length of time → the form of the times at which its windows begin."""


def with_row_groups(
    prepared: Prepared, groupings: Iterable[GroupBy], test: pl.DataFrame, train: pl.DataFrame | None, labels: Mapping[str, str]
) -> tuple[Prepared, pl.DataFrame, tuple[str, ...]]:
    """Return `prepared` with the groups of each grouping, the test rows with a column of codes for each, and remarks.

    The column `codes_column` has the code of each row's group, from 1, and 0 for a row without one. `labels` has the column of `test` for
    each column of the file. `DataError` if a column is missing, or has more than 1,000 values.
    """
    known, remarks = dict(prepared.row_groups), list[str]()
    for by in groupings:
        names, codes = _groups(by, test, train, prepared, labels)
        counts = np.bincount(codes, minlength=len(names) + 1).tolist()
        known[by.name] = tuple(Group(name, code, counts[code]) for code, name in enumerate(names, 1))
        test = test.with_columns(pl.Series(codes_column(by.name), codes, dtype=pl.Int32))
        remarks += [_sizes_text(by, known[by.name])] if names else []
        if counts[0]:
            rows, are = ("row has", "it is") if counts[0] == 1 else ("rows have", "they are")
            remarks.append(f"{counts[0]:,} test {rows} no {by.column}: {are} in the group {MISSING}.")
        if len(names) < by.n_groups:
            several = f"{len(names)} group{'s' * (len(names) != 1)}"
            remarks.append(f"{by.name} has {several} instead of {by.n_groups}, because many test rows have equally popular items.")
    return replace(prepared, row_groups=known), test, tuple(remarks)


def _sizes_text(by: GroupBy, groups: Sequence[Group]) -> str:
    """Return a sentence with the number of test rows of each group, or of the smallest and the largest of many groups."""
    sizes = [group.size for group in groups]
    if len(groups) > _MOST_SIZES:
        return f"{by.name} has {len(groups):,} groups of {min(sizes):,} to {max(sizes):,} test rows."
    first, *others = (f"{group.size:,}" for group in groups)
    named = zip((f"{first} test row{'s' * (first != '1')}", *others), groups, strict=True)
    return f"{by.name}: {', '.join(f'{size} in {group.name}' for size, group in named)}."


def refuse_unknown_groups(prepared: Prepared, definitions: Iterable[Definition]) -> None:
    """Raise `DataError` for a measure of a group of test rows that does not exist."""
    for definition in definitions:
        for by, name in definition.rows:
            names = [group.name for group in prepared.row_groups[by]]
            if name not in (*names, MISSING):
                raise no_such_group(f"{definition.label}: {by}", name, names)


def refuse_many_cells(prepared: Prepared, groupings: Iterable[GroupBy]) -> None:
    """Raise `DataError` if a combination of groupings has more cells than one can read."""
    for by in groupings:
        if by.parts and (n := len(prepared.groups_by(by))) > _MOST_CELLS:
            message = f"evaluation.by: {by.name} has {n:,} cells, but at most {_MOST_CELLS} are possible"
            raise DataError(message, "combine columns with fewer different values")


def _groups(
    by: GroupBy, test: pl.DataFrame, train: pl.DataFrame | None, prepared: Prepared, labels: Mapping[str, str]
) -> tuple[list[str], Array]:
    """Return the names of the groups, in order, and the code of each test row."""
    if by.column in OF_TRAIN:
        assert train is not None
        if by.column == "repeat":
            key, codes = ["user", "item"], np.full(len(test), 2)
            codes[test.select(key).with_row_index("at").join(train.select(key), on=key, how="semi")["at"].to_numpy()] = 1
            return list(by.fixed_groups), codes
        if by.column == "new_item":
            return list(by.fixed_groups), np.where(test["item"].is_in(train["item"].unique().implode()).to_numpy(), 2, 1)
        popularity = _n_train_users(test, train, prepared)
        borders = equal_parts(popularity, by.n_groups)
        return list(ranges(borders)), np.searchsorted(np.asarray(borders), popularity, "right") + 1
    if by.column == "timestamp" and by.window:
        return _windows(by, test, prepared.time_unit)
    return _column_groups(by, test, labels)


def _n_train_users(test: pl.DataFrame, train: pl.DataFrame, prepared: Prepared) -> Array:
    """Return for each test row the number of users in train of its item."""
    if len(prepared.train_users) == len(prepared.items):
        return np.append(prepared.train_users, 0)[prepared.items.index_of(test["item"])]
    users = train.group_by("item").agg(n=pl.col("user").n_unique())
    return test.select("item").join(users, on="item", how="left", maintain_order="left")["n"].fill_null(0).to_numpy()


def _column_groups(by: GroupBy, test: pl.DataFrame, labels: Mapping[str, str]) -> tuple[list[str], Array]:
    """Return the groups of a column of the file: one for each value, in the order of text or of numbers."""
    if by.column == "rating" and by.column not in labels:
        _refuse_missing(by, "rating", test)
        ratings = test["rating"].cast(pl.Float64)
        distinct = ratings.drop_nulls().drop_nans().unique()
        refuse_ids(by, len(distinct))
        texts = ratings.replace_strict(distinct, [f"{rating:.12g}" for rating in distinct], default=None, return_dtype=pl.String)
    else:
        texts = test[labels[by.column]].cast(pl.String)
    distinct = texts.drop_nulls().unique()
    refuse_ids(by, len(distinct))
    _, groups = assign_codes(pl.DataFrame({"name": distinct.filter(~distinct.is_in(["", MISSING]))}))
    names = [group.name for group in groups]
    codes = texts.cast(pl.Enum(names), strict=False).to_physical().cast(pl.Int32) + 1
    return names, codes.fill_null(0).to_numpy()


def _refuse_missing(by: GroupBy, column: str, test: pl.DataFrame) -> None:
    if column not in test.columns:
        message = f"data.test has no {column} column, which {by.name} needs"
        raise DataError(message, f"set it in the config, columns: {{{column}: NAME}}")


def _windows(by: GroupBy, test: pl.DataFrame, times_in: TimeUnit) -> tuple[list[str], Array]:
    """Return the windows of time: of equal length from the first test row's day on, of calendar months or years, or between dates."""
    _refuse_missing(by, "timestamp", test)
    times = times_in.as_dates(test["timestamp"])
    there = times.is_not_null().to_numpy()
    length = _LENGTH.fullmatch(by.window)
    if length is None:
        dates = by.window.split(",")
        borders = pl.Series([_in_utc(date) for date in dates], dtype=pl.Datetime("us"))
        codes = np.searchsorted(borders.to_numpy(), times.to_numpy(), "right") + 1
        return [f"before {dates[0]}", *(f"from {date}" for date in dates)], np.where(there, codes, 0)
    unit = length["unit"]
    if unit in _HOURS:
        first = times.drop_nulls().sort().head(1)
        start = first.dt.truncate("1h" if unit == "h" else "1d").cast(pl.Int64).sum()  # 0 without any time
        size = int(length["number"]) * _HOURS[unit] * 3_600_000_000
        starts = ((times.cast(pl.Int64) - start) // size * size + start).cast(pl.Datetime("us"))
    else:
        starts = times.dt.truncate(by.window)
    distinct = starts.drop_nulls().unique().sort()
    refuse_ids(by, len(distinct))
    codes = np.zeros(len(times), dtype=np.int64)
    codes[there] = np.searchsorted(distinct.to_numpy(), starts.filter(there).to_numpy()) + 1
    return distinct.dt.strftime(_SHAPES[unit]).to_list(), codes


def _in_utc(date: str) -> datetime:
    """Return a date in UTC, which it also is without a time zone."""
    time = datetime.fromisoformat(date)
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
