"""Convert matrices of users × items into rows: interactions, the best items of each row of scores, lists of item ids.

Ambiguous arrays are refused, with both meanings and a way to choose one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...support.errors import DataError
from .python_values import TABLE, VALUES, column, names_of_rows, plain_ids
from .ragged import NO_ITEM

_CELLS: Final = 1 << 22
"""Number of scores per block."""
_FEW_CELLS: Final = 1 << 16
"""Number of values per block in the test whether all are whole."""
_ROWS: Final = 1000
"""Number of rows that are searched for repeated items."""
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


class Matrix(Struct, frozen=True, eq=False):
    """A matrix of users × items: NumPy or SciPy sparse, as interactions or as scores.

    `users` and `items` are the ids of its rows and columns in order; without them the ids are the numbers from 0. With `mask_seen` items
    of `train` are not candidates for the lists.
    """

    values: Any
    users: Any = None
    items: Any = None
    mask_seen: bool = False


def from_matrix(where: str, table: str, matrix: Any, depth: int | None, seen: pl.DataFrame | None) -> pl.DataFrame:
    """Return the rows of a matrix of interactions, scores (only lists of `depth` are needed), or item ids if they are integers.

    A list has all items that may be among the first `depth`, including those that tie with the last one, so that ties are broken as in
    the whole matrix. Without `depth` it has every item. Items with a score of minus infinity, without an entry in a sparse matrix, or in
    `seen` (user, item) are not candidates. Raises `DataError` for masked values and for an ambiguous array.
    """
    if isinstance(matrix, np.ma.MaskedArray):
        raise DataError(
            f"{where}: masked values are not supported", "fill them: array.filled(0) of interactions, .filled(-np.inf) of scores"
        )
    if not isinstance(matrix, Matrix):
        if not isinstance(matrix, tuple | np.ndarray) and not _is_sparse(matrix):
            matrix = np.asarray(matrix)
        if isinstance(matrix, np.ndarray) and matrix.dtype.kind in "iuf" and matrix.size:
            _refuse_ids_or_scores(where, table, matrix)
            _refuse_rows_or_matrix(where, table, matrix)
            _refuse_ids_or_numbers(where, table, matrix)
        matrix = Matrix(matrix)
    if isinstance(matrix.values, tuple):
        return _list_rows(where, table, matrix)
    values = matrix.values if _is_sparse(matrix.values) else np.asarray(matrix.values)
    if values.ndim != 2:
        raise DataError(f"{where}: an array of {values.ndim} dimension{'' if values.ndim == 1 else 's'}", "a matrix has users × items")
    if values.dtype.kind not in "biuf":
        raise DataError(f"{where}: a matrix of {values.dtype}", "give numbers")
    if table == "lists" and values.dtype.kind in "iu" and not _is_sparse(values):
        return _list_rows(where, table, replace(matrix, values=(values,)))
    users, items = _labels(where, "user", matrix.users, values.shape[0]), _labels(where, "item", matrix.items, values.shape[1])
    if table != "lists":
        rows, columns, numbers = _stored(values)
        _refuse_nan(where, rows, columns, numbers)
        if table not in VALUES:
            raise DataError(f"{where}: a matrix is not a table of this kind", TABLE)
    else:
        excluded = _pairs(users, items, seen) if seen is not None else None
        best = _sparse_parts if _is_sparse(values) else _best
        rows, columns, numbers = best(where, values, depth, excluded)
    if numbers.dtype.kind == "b":
        numbers = numbers.astype(np.int64)
    return pl.DataFrame([users.gather(rows), items.gather(columns), column(where, VALUES[table], numbers)])


def is_matrix(rows: Any) -> bool:
    """Return whether rows are a matrix: sparse, or an array of two dimensions of any library, or ids with their scores."""
    if isinstance(rows, tuple):
        return len(rows) == 2 and all(hasattr(type(row), "shape") and len(row.shape) == 2 for row in rows)
    is_array = hasattr(type(rows), "__array__") and not hasattr(rows, "columns") and getattr(rows, "ndim", 0) == 2
    return _is_sparse(rows) or is_array or isinstance(rows, Matrix)


def unnamed_columns(rows: Any) -> int | None:
    """Return the number of columns of a matrix of scores whose items have no ids; `None` for other rows, and if there are no users."""
    matrix = rows if isinstance(rows, Matrix) else Matrix(rows)
    if not is_matrix(rows) or matrix.items is not None or isinstance(matrix.values, tuple):
        return None
    values = matrix.values if _is_sparse(matrix.values) else np.asarray(matrix.values)
    is_of_scores = _is_sparse(values) or values.dtype.kind not in "iu"
    return values.shape[1] if is_of_scores and values.shape[0] else None


def positions_as_ids(table: str, rows: Any) -> dict[str, int]:
    """Return the columns of ids that are row or column numbers of a matrix, each with the number of rows or columns."""
    if not is_matrix(rows):
        return {}
    matrix = rows if isinstance(rows, Matrix) else Matrix(rows)
    values = matrix.values[0] if isinstance(matrix.values, tuple) else matrix.values
    values = values if _is_sparse(values) else np.asarray(values)
    has_ids = isinstance(matrix.values, tuple) or (table == "lists" and values.dtype.kind in "iu" and not _is_sparse(values))
    users = {"user": values.shape[0]} if matrix.users is None else {}
    return users | ({"item": values.shape[1]} if matrix.items is None and not has_ids else {})


def refuse_wrong_positions(where: str, positions: Mapping[str, int], tables: Mapping[str, pl.DataFrame]) -> None:
    """Raise `DataError` if row or column numbers of a matrix are taken as ids, but the ids in `tables`, such as test, differ.

    They differ if they run from 1 to the number of rows, or if a table has as many ids as there are rows, some above all row numbers.
    """
    wrong: dict[str, str] = {}
    for name, n in positions.items():
        own = [frame[name].unique().cast(pl.Int64, strict=False) for frame in tables.values()]
        ids = pl.concat(own).unique().sort()
        if not len(ids) or ids.null_count() or ids[0] < 1:
            continue
        if ids[-1] == n or any(len(places) == n and places.max() >= n for places in (*own, ids)):  # type: ignore[operator]
            of_tables = f"the {len(ids):,} {name} ids of {' and '.join(tables)} run from {ids[0]} to {ids[-1]}"
            wrong[name] = f"the {'row' if name == 'user' else 'column'} numbers 0 to {n - 1} are taken as {name} ids, but {of_tables}"
    if wrong:
        given = ", ".join(f"{name}s=ids" for name in wrong)
        kept = ", ".join(f"{name}s=range({positions[name]})" for name in wrong)
        raise DataError(
            f"{where}: {'; '.join(wrong.values())}", f"give the ids as receval.Matrix(array, {given}); {kept} keeps the numbers"
        )


def _is_sparse(values: Any) -> bool:
    return all(hasattr(type(values), name) for name in ("tocsr", "nnz"))


def _labels(where: str, name: str, given: Any, n: int) -> pl.Series:
    """Return the ids of rows or columns."""
    if given is None:
        return pl.Series(name, np.arange(n))
    labels = plain_ids(where, column(where, name, given))
    if len(labels) != n:
        raise DataError(
            f"{where}: {len(labels):,} {name} ids are given, but the matrix has {n:,}", f"give an id for each {name} of the matrix"
        )
    if labels.n_unique() < n:
        raise DataError(f"{where}: the {name} {labels.filter(labels.is_duplicated())[0]!r} is given twice", "give each a different id")
    return labels


def _stored(values: Any) -> tuple[Any, Any, Any]:
    """Return rows, columns and values of the entries of a matrix; for an array, of those that are not 0."""
    if _is_sparse(values):
        entries = values.tocsr().tocoo()
        return entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
    rows, columns = np.nonzero(values)
    return rows, columns, values[rows, columns]


def _refuse_nan(where: str, rows: Any, columns: Any, numbers: Any) -> None:
    if numbers.dtype.kind != "f":
        return
    faulty = np.flatnonzero(~np.isfinite(numbers) & (numbers != -np.inf))
    if len(faulty):
        raise DataError(
            f"{where}: {numbers[faulty[0]]:g} at row {rows[faulty[0]]}, column {columns[faulty[0]]} (from 0) is not a finite number",
            "write -inf for an item that is not a candidate, 0 for no interaction",
        )


def _best(where: str, values: Any, depth: int | None, excluded: Pairs | None) -> tuple[Any, Any, Any]:
    """Return the best `depth` items of each row, and those that tie with the last of them."""
    n_users, n_items = values.shape
    step = max(1, _CELLS // max(n_items, 1))
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), values[:0].reshape(-1))]
    for start in range(0, n_users, step):
        scores = values[start : start + step]
        scores = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
        if excluded is not None:
            first, end = np.searchsorted(excluded[0], [start, start + len(scores)])
            scores = scores.copy()
            scores[excluded[0][first:end] - start, excluded[1][first:end]] = -np.inf
        wanted = scores != -np.inf
        if depth is not None and depth < n_items:
            last = n_items - depth
            border = np.partition(scores, last, axis=1)[:, last, None]  # NaN sorts as the largest, so it is among the best and refused
            wanted &= (scores >= border) | np.isnan(scores)
        rows, columns = np.nonzero(wanted)
        found.append((rows + start, columns, scores[rows, columns]))
        _refuse_nan(where, *found[-1])
    rows, columns, best = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return rows, columns, best


def _sparse_parts(where: str, values: Any, depth: int | None, excluded: Pairs | None) -> tuple[Any, Any, Any]:
    """Return the same for a sparse matrix, whose stored entries are the candidates."""
    rows, columns, scores = _stored(values)
    scores = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
    _refuse_nan(where, rows, columns, scores)
    there = scores != -np.inf
    if excluded is not None:
        width = values.shape[1]
        there &= ~np.isin(rows * width + columns, excluded[0] * width + excluded[1])
    rows, columns, scores = rows[there], columns[there], scores[there]
    if depth is None or not len(rows):
        return rows, columns, scores
    entries = pl.DataFrame({"row": rows, "score": np.asarray(scores, np.float64)})
    kept = entries.select(pl.col("score").rank("min", descending=True).over("row") <= depth).to_series().to_numpy()
    return rows[kept], columns[kept], scores[kept]


def _list_rows(where: str, table: str, matrix: Matrix) -> pl.DataFrame:
    """Return rows of item ids in the order of their ranks, with their scores if given."""
    if matrix.mask_seen:
        hint = "remove it, or give scores of all items as floats" if len(matrix.values) > 1 else "give scores as array.astype(float)"
        raise DataError(f"{where}: integers are item ids, but mask_seen needs scores", hint)
    ids, scores = np.asarray(matrix.values[0]), np.asarray(matrix.values[1]) if len(matrix.values) > 1 else None
    if scores is not None and ids.dtype.kind == "f" and scores.dtype.kind in "iu":
        raise DataError(f"{where}: the scores are before the item ids", "swap them: (ids, scores)")
    if table != "lists":
        raise DataError(f"{where}: item ids with scores are lists of a model, not a table of this kind", TABLE)
    if ids.dtype.kind not in "iu" or (scores is not None and scores.shape != ids.shape):
        raise DataError(f"{where}: two matrices must be item ids and scores of the same shape, and are the lists of one model")
    users = _labels(where, "user", matrix.users, len(ids))
    rows, columns = np.nonzero(ids != NO_ITEM)
    chosen = ids[rows, columns]
    if matrix.items is None:
        items = column(where, "item", chosen)
    else:
        names: Sequence[Any] = list(matrix.items)
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(names):
            raise DataError(f"{where}: the item {chosen.max()} has no id: ids of {len(names):,} items are given", "ids count from 0")
        items = plain_ids(where, column(where, "item", names)).gather(chosen.astype(np.int64))
    found = [users.gather(rows), items]
    return pl.DataFrame([*found, column(where, "score", scores[rows, columns])] if scores is not None else found)


def _pairs(users: pl.Series, items: pl.Series, seen: pl.DataFrame) -> Pairs:
    """Return rows and columns of the pairs of `seen` that a matrix has, ascending."""

    def numbers(labels: pl.Series) -> pl.DataFrame:
        name = labels.name
        return pl.DataFrame([labels.cast(seen[name].dtype), pl.Series(f"{name}_number", np.arange(len(labels)))])

    known = seen.select("user", "item").join(numbers(users), on="user").join(numbers(items), on="item").sort("user_number", "item_number")
    return known["user_number"].to_numpy(), known["item_number"].to_numpy()


def _refuse_rows_or_matrix(where: str, table: str, values: Any) -> None:
    n_rows, n_columns = values.shape
    if n_columns == 1 and table == "interactions" and _are_whole(values, least=0):
        raise DataError(
            f"{where}: an array of {n_rows:,} × 1 numbers can be the item of each user, or a matrix of 1 item for {n_rows:,} users",
            "give items as {user: item}, for users 0, 1, … dict(enumerate(array[:, 0])), or a matrix as receval.Matrix(array)",
        )
    names = names_of_rows(where, table, n_columns)
    is_lists = table == "lists" and values.dtype.kind in "iu"
    if not names or not _are_whole(values if is_lists else values[:, :2], least=0):  # -1 is not an item id
        return
    matrix = f"lists of {n_columns} item ids for" if is_lists else f"a matrix of {n_columns} items for"
    raise DataError(
        f"{where}: an array of {n_rows:,} × {n_columns} numbers can be rows of {', '.join(names)}, or {matrix} {n_rows:,} users",
        f"give rows as pl.DataFrame(array, schema={list(names)}), or {'lists' if is_lists else 'a matrix'} as receval.Matrix(array)",
    )


def _refuse_ids_or_scores(where: str, table: str, values: Any) -> None:
    """Refuse whole floats, which may be ids cast by a library, and integers that repeat within each row, which may be counts (scores)."""
    is_float, n_items = values.dtype.kind == "f", values.shape[1]
    if table != "lists" or (is_float and not _are_whole(values, least=NO_ITEM)):
        return
    ordered = np.sort(values[:_ROWS], axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NO_ITEM)
    if bool(twice.any(axis=1).all()) == is_float:  # whether each row has some item twice
        return
    what = "whole numbers stored as floats" if is_float else "integers, some of them twice in each row,"
    raise DataError(
        f"{where}: {what} can be the item ids of each list, or scores of {n_items:,} item{'' if n_items == 1 else 's'}",
        f"give ids as {'array.astype(int), with -1 for no item' if is_float else 'receval.Matrix(array)'}, or scores as "
        f"receval.Matrix({'array' if is_float else 'array.astype(float)'})",
    )


def _refuse_ids_or_numbers(where: str, table: str, values: Any) -> None:
    """Refuse whole numbers that differ within each row, which may be ids: ratings repeat, at least the 0 of no interaction."""
    if table not in ("interactions", "predictions") or not _are_whole(values, least=NO_ITEM):
        return
    ordered = np.sort(values[:_ROWS], axis=1)
    if values.shape[1] == 1 or ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NO_ITEM)).any():
        return
    raise DataError(
        f"{where}: whole numbers, all different in each row, can be the item ids of each user, or {VALUES[table]}s of "
        f"{values.shape[1]:,} items",
        "give items as {user: [item, …]}, for users 0, 1, … dict(enumerate(array.tolist())), or a matrix as receval.Matrix(array)",
    )


def _are_whole(values: Any, least: int) -> bool:
    """Return whether all values are whole numbers of at least `least`, or NaN, with at least one number."""
    step = max(1, _FEW_CELLS // values.shape[1])
    met = False
    for start in range(0, len(values), step):
        block = values[start : start + step]
        there = block[~np.isnan(block)] if block.dtype.kind == "f" else block
        if there.size and (there.min() < least or not np.isfinite(there).all() or (there != np.trunc(there)).any()):
            return False
        met = met or there.size > 0
    return met
