"""pandas → Polars, column by column by way of NumPy: neither pyarrow nor a version of pandas is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ...errors import DataError
from .values import array_column, column, row_frame


def from_pandas(where: str, frame: Any) -> pl.DataFrame:
    """A DataFrame or Series of pandas; index levels that have a name are columns, NaN is no value.

    `DataError` if two columns have one name, or names have several levels.
    """
    if not hasattr(frame, "columns"):
        frame = frame.to_frame(name="item" if frame.name is None else frame.name)
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise DataError(f"{where}: the names of the columns have several levels", "give them single names, or use reset_index")
    levels = [level for level in frame.index.names if level is not None and level not in frame.columns]
    if levels:
        unnamed = [number for number, level in enumerate(frame.index.names) if level not in levels]
        frame = frame.droplevel(unnamed) if unnamed else frame
        frame = frame.reset_index()
    return row_frame(where, [_column(where, str(name), frame.iloc[:, number]) for number, name in enumerate(frame.columns)])


def _column(where: str, name: str, values: Any) -> pl.Series:
    dtype = values.dtype
    kind = type(dtype).__name__
    if isinstance(dtype, np.dtype):
        return array_column(where, name, values.to_numpy(), nan_is_missing=True)
    if kind == "CategoricalDtype":
        categories = _column(where, name, dtype.categories.to_series())
        codes = pl.Series(values.cat.codes.to_numpy().astype(np.int64))
        return categories.gather(codes.set(codes < 0, None)).alias(name)
    if kind == "DatetimeTZDtype":
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
        return array_column(where, name, values.to_numpy(), nan_is_missing=True)
    if kind == "SparseDtype":
        return array_column(where, name, values.to_numpy(), nan_is_missing=True)
    number = getattr(dtype, "numpy_dtype", None)
    if isinstance(number, np.dtype) and number.kind in "biuf":  # a nullable number, of pandas or of Arrow
        missing = values.isna().to_numpy(dtype=bool)
        filled = values.fillna(0) if missing.any() else values
        return _without(array_column(where, name, filled.to_numpy(dtype=number), nan_is_missing=True), missing)
    return column(where, name, values.astype(object).tolist(), nan_is_missing=True)


def _without(values: pl.Series, missing: Any) -> pl.Series:
    return values.set(pl.Series(missing), None) if missing.any() else values
