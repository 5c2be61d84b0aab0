"""Convert rows in memory into a Polars frame, by their type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl

from ...support.errors import DataError, NoRowsError
from ..columns import IDS, TYPED_NAME, key_columns, recognise, without_type
from ..made_columns import side_by_side
from ..opening import FAILURES
from ..scan import ReadOptions
from .matrices import from_matrix, is_matrix
from .python_values import KEYS, TABLE, VALUES, are_names, column, from_mapping, from_records, plain_ids, refuse_unnamed_lists, row_frame

_FORMS: Final = (
    "give a path, a frame (Polars, pandas, pyarrow, DuckDB, HuggingFace, Spark), a dict {user: [item, …]}, a list of records, or a matrix"
)
_NOTHING: Final[Mapping[str, Any]] = {}
_GROUPED: Final = (
    "give the frame that was grouped, or a row for each user with lists: .agg(list).reset_index() in pandas, .agg(pl.all()) in Polars"
)
_COLUMN: Final = "give {user: [item, …]}, or a frame; if the users are the index of a Series, name it: series.rename_axis('user')"
_BATCH: Final = 1 << 16
"""Number of rows that are fetched at once from a streamed data set."""


def frame_of(
    where: str,
    table: str,
    rows: Any,
    *,
    columns: Mapping[str, Any] = _NOTHING,
    depth: int | None = None,
    seen: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Convert a table of any kind into a frame with ids that are integers or text.

    `where` names the table in messages, `columns` maps its columns. A matrix of scores becomes lists of `depth` items (without it: of all
    items), without those of the user in `seen`. Raises `DataError` for another kind of value, or one that can be read in two ways.
    """
    frame = _with_bare_names(_frame_of(where, table, rows, columns, depth, seen))
    try:
        options, wide = side_by_side(where, frame.columns, ReadOptions(columns=columns))
        names = recognise(where, table, [*frame.columns, *wide], options.columns, None)
        key = key_columns(where, table, frame.columns, options.columns, names)
    except DataError:
        return frame  # the columns are checked again later, and the problem is reported then
    ids = [cell for role, name in (names | key).items() if role in IDS or role in key for cell in wide.get(name, (name,))]
    return frame.with_columns(plain_ids(where, frame[name]) for name in ids)


def _with_bare_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose columns with names of RecBole, such as `user_id:token`, have those without the type, unless one is taken."""
    bare = {name: without_type(name) for name in frame.columns if TYPED_NAME.fullmatch(name)}
    every = [bare.get(name, name) for name in frame.columns]
    return frame.rename(bare) if bare and len(set(every)) == len(every) else frame


def _frame_of(where: str, table: str, rows: Any, columns: Mapping[str, Any], depth: int | None, seen: pl.DataFrame | None) -> pl.DataFrame:
    library = type(rows).__module__.partition(".")[0]
    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, pl.LazyFrame):
        try:
            return rows.collect(engine="streaming")  # once: a second run of a query may give its rows in another order
        except FAILURES as error:
            raise DataError(f"{where}: cannot be collected ({str(error).splitlines()[0]})", "collect it yourself to see why") from None
    if library == "pyspark":
        raise DataError(f"{where} is not a table that receval can read", "give a DataFrame of Spark")
    if library in ("pandas", "polars", "narwhals") and type(rows).__name__.endswith("GroupBy"):
        raise DataError(f"{where}: groups are not a table", _GROUPED)
    if library == "pandas" and (hasattr(rows, "columns") or hasattr(rows, "to_frame")):
        return _from_pandas(where, table, rows)
    if isinstance(rows, pl.Series):
        return _from_column(where, table, rows)
    if is_matrix(rows):
        return from_matrix(where, table, rows, depth, seen)
    if isinstance(rows, np.ndarray) and rows.dtype.names:
        return row_frame(where, [(name, rows[name]) for name in rows.dtype.names])
    if isinstance(rows, np.ndarray):
        if rows.ndim != 1:
            raise DataError(f"{where}: an array of {rows.ndim} dimensions", "a matrix has users × items")
        return from_records(where, table, rows.tolist())
    if isinstance(rows, Mapping):
        return from_mapping(where, table, rows, columns)
    if isinstance(rows, Sequence) and not isinstance(rows, str | bytes):
        if table in ("interactions", "lists"):
            refuse_unnamed_lists(where, table, rows)
        return from_records(where, table, rows)
    if library == "datasets" and hasattr(rows, "with_format"):
        return _from_hugging_face(where, rows)
    if library == "pyarrow" and hasattr(rows, "to_table"):  # a Dataset or a Scanner
        rows = rows.to_table()
    if library == "narwhals" and hasattr(rows, "collect"):
        rows = rows.collect()
    if hasattr(rows, "__arrow_c_stream__"):
        return _arrow_frame(where, rows)
    if hasattr(rows, "fetchnumpy"):  # a relation of DuckDB before it knew Arrow's interface
        return row_frame(where, rows.fetchnumpy().items())
    if isinstance(rows, set | frozenset) and table in KEYS:
        return from_records(where, table, sorted(rows, key=lambda row: (isinstance(row, str), row)))
    if hasattr(rows, "__array__"):
        return _frame_of(where, table, np.asarray(rows), columns, depth, seen)
    raise DataError(f"{where} is not a table that receval can read", _FORMS)


def _from_column(where: str, table: str, values: pl.Series) -> pl.DataFrame:
    """Return a column of Polars as ids of items or users, or the fields of its structs; raise `DataError` if rows have other columns."""
    if isinstance(values.dtype, pl.Struct):
        return values.struct.unnest()
    if table not in KEYS:
        raise DataError(f"{where}: a column of values is not a table", _COLUMN if table in VALUES else TABLE)
    return pl.DataFrame([values.alias(KEYS[table])])


def _from_hugging_face(where: str, rows: Any) -> pl.DataFrame:
    """Return the rows of a data set, also of a streamed one; raise `DataError` if the stream breaks, or has no rows."""
    arrow = rows.with_format("arrow")
    if hasattr(rows, "__len__"):
        return _arrow_frame(where, arrow[:])
    try:
        batches = list(arrow.iter(batch_size=_BATCH))
    except Exception as error:  # of a file system, a server, or a function of the user
        shown = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{where}: the stream cannot be read ({shown})", "iterate over it yourself to see why") from None
    if not batches:
        raise NoRowsError(f"{where}: there are no rows")
    return pl.concat([_arrow_frame(where, batch) for batch in batches], how="vertical_relaxed")


def _arrow_frame(where: str, rows: Any) -> pl.DataFrame:
    """Return the rows of any object with Arrow's C interface."""
    try:
        return pl.DataFrame(rows)
    except (*FAILURES, TypeError, ValueError, ImportError) as error:
        raise DataError(f"{where}: cannot be converted through Arrow ({str(error).splitlines()[0]})", _FORMS) from None


def _from_pandas(where: str, table: str, frame: Any) -> pl.DataFrame:
    """Return the rows of a pandas DataFrame, Series or Index; index levels with a name are columns, NaN is a missing value.

    It uses NumPy, so that it needs neither pyarrow nor a certain version of pandas. Raises `DataError` if two columns have one name, if
    names have several levels, or if a single column is not a table.
    """
    if not hasattr(frame, "columns"):
        is_index = not hasattr(frame, "index")
        if is_index and frame.nlevels > 1:
            frame = frame.to_frame(index=False)
        elif table not in KEYS and (is_index or all(level is None for level in frame.index.names)):
            raise DataError(f"{where}: a column of values is not a table", _COLUMN if table in VALUES else TABLE)
        else:
            frame = frame.to_frame(name=KEYS.get(table, "item") if frame.name is None else frame.name)
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise DataError(f"{where}: the column names have several levels", "give them single names, or use reset_index")
    levels = [level for level in frame.index.names if level is not None and level not in frame.columns]
    if levels:
        unnamed = [number for number, level in enumerate(frame.index.names) if level not in levels]
        frame = (frame.droplevel(unnamed) if unnamed else frame).reset_index()
    return row_frame(where, [_pandas_column(where, str(name), frame.iloc[:, number]) for number, name in enumerate(frame.columns)])


def _pandas_column(where: str, name: str, values: Any) -> pl.Series:
    dtype = values.dtype
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        categories = _pandas_column(where, name, dtype.categories.to_series())
        codes = pl.Series(values.cat.codes.to_numpy().astype(np.int64))
        return categories.gather(codes.set(codes < 0, None)).alias(name)
    if kind == "DatetimeTZDtype":
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    if isinstance(dtype, np.dtype) or kind in ("DatetimeTZDtype", "SparseDtype"):
        return column(where, name, values.to_numpy(), nan_is_missing=True)
    number = getattr(dtype, "numpy_dtype", None)
    if isinstance(number, np.dtype) and number.kind in "biuf":  # a nullable number, of pandas or of Arrow
        missing = values.isna().to_numpy(dtype=bool)
        filled = values.fillna(0) if missing.any() else values
        made = column(where, name, filled.to_numpy(dtype=number), nan_is_missing=True)
        return made.set(pl.Series(missing), None) if missing.any() else made
    return column(where, name, values.astype(object).tolist(), nan_is_missing=True)


def column_names(rows: Any) -> frozenset[str] | None:
    """Return the names of the columns of a table in memory; `None` if they are not known before it is converted."""
    if isinstance(rows, pl.LazyFrame):
        try:
            return frozenset(rows.collect_schema().names())
        except FAILURES:
            return None  # the problem of the query is reported when it is collected
    if isinstance(rows, Mapping):
        return frozenset(name for name in rows if isinstance(name, str))
    if isinstance(rows, list | tuple) and rows and isinstance(rows[0], Mapping):
        return frozenset(str(name) for name in rows[0])
    names = next(filter(are_names, (getattr(rows, name, None) for name in ("column_names", "columns"))), None)
    if names is None:
        return None
    levels = getattr(getattr(rows, "index", None), "names", None)
    return frozenset(str(name) for name in (*names, *(levels if are_names(levels) else ())))
