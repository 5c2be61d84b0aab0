"""Ids as libraries of Python store them → ids as files have them: integers or text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from ...errors import DataError
from ..columns import CAST_IDS, IDS, recognise
from .values import column

_MANTISSA: Final = {pl.Float64: 53, pl.Float32: 24}
"""The bits of a float: integers of more bits have no float of their own."""
_DECODE: Final = (
    "decode the column: .cast(pl.String) in Polars, .str.decode('utf-8') in pandas; the 16 bytes of a UUID are str(uuid.UUID(bytes=value))"
)


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
            f"{where}: column {ids.name!r} stores ids as {dtype}, which cannot tell integers from 2^{bits} on apart: {large[0]:.0f} is one",
            "read the ids as integers or text from the start",
        )
