"""Values as Python holds them → a column: what a library that types its columns would have made of them, and ids as files have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeGuard
from uuid import UUID

import numpy as np
import polars as pl

from ...errors import DataError
from ..columns import CAST_IDS, IDS, recognise
from ..opening import FAILURES

_NO_VALUE: Final = {"NoneType", "NAType", "NaTType"}
"""The types of what stands for no value in Python and pandas."""
_FAMILIES: Final = ((int, float, bool, Decimal), (date,))
"""The types that may stand beside each other in a column."""
_MANTISSA: Final = {pl.Float64: 53, pl.Float32: 24}
"""The bits of a float: integers of more bits have no float of their own."""
_DECODE: Final = (
    "decode the column: .cast(pl.String) in Polars, .str.decode('utf-8') in pandas; the 16 bytes of a UUID are str(uuid.UUID(bytes=value))"
)
_ID_HINT: Final = "ids are integers or text: convert them"


def column(where: str, name: str, values: Sequence[Any], *, nan_is_missing: bool = False) -> pl.Series:
    """A column of Python values: integers, numbers, text, dates, or lists of these.

    Integers and UUIDs beside text become text, as they are written. NaN is a number that is not finite, or no value if `nan_is_missing`.
    `DataError` for values that no file could hold.
    """
    kinds = set(map(type, values))
    if any(issubclass(kind, np.generic | np.ndarray) for kind in kinds):
        values = [value.item() if isinstance(value, np.generic | np.ndarray) and not value.ndim else value for value in values]
        kinds = set(map(type, values))
    if any(kind.__name__ in _NO_VALUE and kind is not type(None) for kind in kinds):
        values = [None if type(value).__name__ in _NO_VALUE else value for value in values]
    if Decimal in kinds and not all(value.is_finite() for value in values if isinstance(value, Decimal)):
        values = [float(value) if isinstance(value, Decimal) else value for value in values]
        kinds = set(map(type, values))
    if nan_is_missing and float in kinds:
        values = [None if isinstance(value, float) and value != value else value for value in values]
        kinds = set(map(type, values))
    kinds = {kind for kind in kinds if kind.__name__ not in _NO_VALUE}
    if not kinds or kinds <= {int}:
        return _integers(name, values)
    if kinds == {str}:
        return pl.Series(name, values, dtype=pl.String)
    if kinds <= {int, float, bool} and float in kinds:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    if kinds <= {int, str, UUID}:
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    if all(issubclass(kind, list | tuple | np.ndarray | pl.Series) for kind in kinds):
        return _lists(where, name, values)
    refused = next((kind for kind in kinds if issubclass(kind, set | frozenset)), None)
    if refused is not None:
        raise DataError(f"{where}: column {name!r} holds sets, but a set has no order", "write lists in the order of the ranks")
    try:
        if len(kinds) == 1 or any(all(issubclass(kind, family) for kind in kinds) for family in _FAMILIES):
            return pl.Series(name, values, strict=True)
    except (*FAILURES, TypeError, ValueError, OverflowError, AttributeError):
        pass
    shown = " and ".join(sorted(kind.__name__ for kind in kinds))
    raise DataError(f"{where}: column {name!r} holds values of type {shown}", _ID_HINT)


def _integers(name: str, values: Sequence[Any]) -> pl.Series:
    try:
        return pl.Series(name, values, dtype=pl.Int64)
    except (OverflowError, TypeError, pl.exceptions.PolarsError):  # larger than 64 bits: ids are compared as written
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _lists(where: str, name: str, values: Sequence[Any]) -> pl.Series:
    """A column of lists; what they hold is of one type, as in a column."""
    plain = [None if value is None else value.tolist() if isinstance(value, np.ndarray) else list(value) for value in values]
    inner = column(where, name, [value for held in plain if held is not None for value in held])
    if inner.dtype == pl.String:
        plain = [held and [None if value is None else str(value) for value in held] for held in plain]
    return pl.Series(name, plain, dtype=pl.List(inner.dtype), strict=False)


def array_column(where: str, name: str, values: Any, *, nan_is_missing: bool = False) -> pl.Series:
    """A column of a NumPy array of one dimension."""
    if values.dtype.kind in "OSU" or values.dtype.hasobject:
        return column(where, name, values.tolist(), nan_is_missing=nan_is_missing)
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    if values.dtype.kind not in "biufMm":
        raise DataError(f"{where}: column {name!r} holds values of type {values.dtype}", _ID_HINT)
    if values.dtype.kind in "Mm":
        values = values.astype(f"{values.dtype.str[:3]}[us]".replace("<", ""))
    return pl.Series(name, np.ascontiguousarray(values), nan_to_null=nan_is_missing)


def row_frame(where: str, columns: Iterable[pl.Series]) -> pl.DataFrame:
    """A frame of columns; `DataError` if two have one name, or there is none."""
    columns = list(columns)
    names = [one.name for one in columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{where}: two columns are named {twice!r}", "rename one of them")
    return pl.DataFrame(columns)


def are_names(value: Any) -> TypeGuard[Iterable[Any]]:
    """Whether a value lists names, as a list or an index of pandas: frames give columns, which may have any name, as attributes."""
    return isinstance(value, list | tuple) or isinstance(getattr(value, "nlevels", None), int)


def with_plain_ids(where: str, table: str, frame: pl.DataFrame, columns: Mapping[str, str | int]) -> pl.DataFrame:
    """The frame with the ids that are stored as floats or as objects of Python as integers or text; `DataError` if they are neither.

    Whole floats are integers: pandas stores integers so where a value is missing, or was. UUIDs are text. `columns` says which column is
    which where they do not have usual names.
    """
    try:
        names = recognise(where, table, frame.columns, columns, None)
    except DataError:
        return frame  # the columns are looked at again, and this is said then
    chosen = [frame[name] for role, name in names.items() if role in IDS]
    return frame.with_columns(plain_ids(where, ids) for ids in chosen)


def plain_ids(where: str, ids: pl.Series) -> pl.Series:
    """One column of ids; see `with_plain_ids`."""
    dtype = _inner(ids.dtype)
    if dtype == pl.Object:
        ids = column(where, ids.name, ids.to_list())
        dtype = _inner(ids.dtype)
    if dtype == pl.Object:
        shown = " and ".join(sorted({type(one).__name__ for one in ids.to_list()}))
        raise DataError(f"{where}: column {ids.name!r} holds values of type {shown} and cannot be an id", CAST_IDS)
    if dtype == pl.Binary:
        raise DataError(f"{where}: column {ids.name!r} holds bytes, and ids are integers or text", _DECODE)
    if dtype.is_float():
        _refuse_fractions(where, ids, dtype)
        return ids.cast(pl.List(pl.Int64) if ids.dtype.is_nested() else pl.Int64)
    return ids


def _inner(dtype: pl.DataType) -> Any:
    """The type of the elements of a list, or the type itself."""
    return dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype


def _refuse_fractions(where: str, ids: pl.Series, dtype: Any) -> None:
    """`DataError` for floats that are no whole numbers, or so large that two ids may have become one float."""
    single = ids.explode() if ids.dtype.is_nested() else ids
    is_odd = single.is_not_null() & ~(single.is_finite() & (single == single.floor()))
    if is_odd.any():
        shown = single.filter(is_odd)[0]
        raise DataError(f"{where}: {shown!r} in column {ids.name!r} cannot be an id", CAST_IDS)
    bits = _MANTISSA.get(type(dtype), 11)
    large = [abs(one) for one in single.filter(single.abs() >= 2**bits).head(1).to_list()]
    if large:
        raise DataError(
            f"{where}: column {ids.name!r} stores ids as {dtype}, which cannot hold all integers from 2^{bits} on: {large[0]:.0f} is one",
            "read the ids as integers or text from the start",
        )
