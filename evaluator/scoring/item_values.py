"""Values of items, of users and of test rows, read from columns of numbers of their files, and errors in these columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np
import polars as pl
from msgspec import Struct

from ..support.errors import DataError
from ..support.quoting import short
from ..tables.array import Array
from ..tables.ids import Ids
from ..tables.pair_values import parse_numbers

_LARGEST = 1e15
"""Larger values are mistakes, such as times in nanoseconds; the squares of smaller ones can still be added up."""


class ValueColumn(Struct, frozen=True):
    """A column of values: its name in the file, its name in the frame, and the metrics for which a missing value is 0.

    `role` is the source, `place` also names its file, for errors. `no_value` are the words for a missing value in lower case, and with
    `decimal_comma` numbers are written as 3,5. `refusing` are those of the metrics that take no values below 0.
    """

    name: str
    label: str
    role: str
    place: str
    metrics: tuple[str, ...]
    no_value: Collection[str]
    decimal_comma: bool = False
    refusing: tuple[str, ...] = ()


def values_of_ids(
    frame: pl.DataFrame, column: ValueColumn, ids: Ids, tested: pl.Series, key: Literal["item", "user"]
) -> tuple[Array, list[str]]:
    """Return the value of each of `ids`, items or users, NaN for one without a value, and remarks.

    The highest value of several rows of an id counts. `DataError` for values that `_read` refuses, and if none of `tested`, the distinct
    ids of the test rows, has a value.
    """
    values, index = _read(frame, column), ids.index_of(frame[key])
    of_ids = np.full(len(ids), np.nan)
    of_ids[index] = values
    remarks = []
    if (of_ids[index] != values).any():  # several rows of an id, or no value
        has_value = ~np.isnan(values)
        of_ids[index] = np.nan
        np.fmax.at(of_ids, index[has_value], values[has_value])
        differs = np.unique(index[has_value][values[has_value] != of_ids[index[has_value]]])
    else:
        differs = index[:0]
    if len(differs):
        have = f"{key} has" if len(differs) == 1 else f"{key}s have"
        remarks.append(f"{column.role}: {len(differs):,} {have} several values in column {column.name}: the highest is used.")
    missing = np.isnan(np.append(of_ids, np.nan)[ids.index_of(tested)])
    return of_ids, remarks + _remarks_on_missing(column, int(missing.sum()), len(tested), f"test {key}")


def weights_of_users(users: pl.DataFrame, column: ValueColumn, test: pl.DataFrame) -> tuple[Ids, Array, list[str]]:
    """Return the users of data.users with the weight of each, 0 for one without a value, and remarks.

    `DataError` as for values of items.
    """
    ids = Ids(users["user"].unique().sort())
    tested = test["user"].unique()
    values, remarks = values_of_ids(users, column, ids, tested, "user")
    weights = np.nan_to_num(values)
    of_tested = np.append(weights, 0.0)[ids.index_of(tested)]
    share = of_tested / (of_tested.max() or 1.0)
    if not share.any():
        return ids, weights, [*remarks, f"Weighted means have no value: all weights in {column.role}, column {column.name}, are 0."]
    alike = share.sum() ** 2 / (share**2).sum()
    count = f"{alike:,.1f}" if alike < 10 else f"{alike:,.0f}"
    kish = f"the {len(share):,} test users count like {count} of equal weight (Kish)" if len(share) > 1 else "there is one test user"
    return ids, weights, [*remarks, f"Means are weighted by users.{column.name}: {kish}."]


def check_values_of_rows(test: pl.DataFrame, column: ValueColumn) -> list[str]:
    """Check a column of the test rows and return remarks; `DataError` for values that `_read` refuses, and if no row has a value."""
    missing = np.isnan(_read(test, column))
    return _remarks_on_missing(column, int(missing.sum()), len(test), "test row")


def _read(frame: pl.DataFrame, column: ValueColumn) -> Array:
    """Return the number in each row, NaN if it is missing; `DataError` for text, and for numbers beyond 1e15 or, if refused, below 0."""
    texts = frame[column.label]
    values = parse_numbers(texts, column.decimal_comma)
    is_text = np.isnan(values)
    if is_text.any():
        is_text[is_text] = _is_text(texts.filter(pl.Series(is_text)), column.no_value)
        with_comma = not np.isnan(parse_numbers(texts.filter(is_text), True)).any()
        correct = "correct the values, or list texts that mean a missing value in null_values"
        _refuse(frame, column, is_text, "is not a number", "set decimal_comma: true for this file" if with_comma else correct)
    too_large = np.abs(values) > _LARGEST
    _refuse(frame, column, too_large, "is beyond 1e15", "choose another column, or a larger unit")
    if column.refusing:
        is_value = column.metrics and ("user" not in frame.columns or "item" in frame.columns)
        instead = ", or use Profit, which takes values below 0" if is_value else ""
        hint = f'leave these rows out with where: "{column.name} >= 0"{instead}'
        _refuse(frame, column, values < 0, "is below 0", hint, f"; {' and '.join(column.refusing)} takes no such values")
    return values


def _is_text(texts: pl.Series, no_value: Collection[str]) -> Array:
    """Return a mask of texts that are no word for a missing value."""
    return (texts.is_not_null() & ~texts.str.strip_chars().str.to_lowercase().is_in(no_value)).to_numpy()


def _refuse(frame: pl.DataFrame, column: ValueColumn, wrong: Array, problem: str, hint: str, effect: str = "") -> None:
    """Raise `DataError` if any row is `wrong`, with their number and the first of them."""
    rows = np.flatnonzero(wrong)
    if not len(rows):
        return
    first = int(rows[np.argmin(frame["row"].to_numpy()[rows])]) if "row" in frame.columns else int(rows[0])
    who = ", ".join(f"{role} {frame[role][first]}" for role in ("user", "item") if role in frame.columns)
    count, example = f"{len(rows):,} of {len(frame):,} rows", short(repr(frame[column.label][first]))
    raise DataError(f"{column.place}: column {column.name!r} {problem} in {count}, first {example} ({who}){effect}", hint)


def _remarks_on_missing(column: ValueColumn, missing: int, total: int, what: str) -> list[str]:
    """Return a remark if some of `total` rows or items have no value; `DataError` if none has one."""
    if not missing:
        return []
    if missing == total:
        alike = "" if what == "test row" else f", and that both files write {what.removeprefix('test ')} ids alike"
        hint = f"check that the column has values{alike}"
        raise DataError(f"{column.place}: none of the {total:,} {what}s has a value in column {column.name!r}", hint)
    if not column.metrics:
        return []
    have, count = ("has", "counts") if missing == 1 else ("have", "count")
    metrics = ", ".join(column.metrics)
    return [f"{column.role}: {missing:,} of {total:,} {what}s {have} no value in column {column.name} and {count} 0 in {metrics}."]
