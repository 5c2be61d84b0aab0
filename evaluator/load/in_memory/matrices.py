"""Matrices of users × items → rows: interactions, the best items of each row of scores, lists of item ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...errors import DataError
from .values import array_column, column, plain_ids

_CELLS: Final = 1 << 22
"""So many scores are looked at at a time."""
_NO_ITEM: Final = -1
"""What libraries write into rows of ids that are longer than the list."""
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


class Matrix(Struct, frozen=True, eq=False):
    """A matrix of users × items: NumPy or SciPy sparse, as interactions or as scores.

    `users` and `items` are the ids of its rows and columns in order; without them the ids are the numbers from 0. With `mask_seen` what
    `train` holds is no candidate for the lists.
    """

    values: Any
    users: Any = None
    items: Any = None
    mask_seen: bool = False


def from_matrix(where: str, table: str, matrix: Matrix, depth: int | None, seen: pl.DataFrame | None) -> pl.DataFrame:
    """The rows of a matrix of interactions, scores (of which only lists of `depth` are needed) or, if they are integers, item ids.

    A list has all items that may be among the first `depth`: those whose score ties with the last one too, so that ties are broken as by
    whoever reads the whole matrix. Without `depth` it has every item. A score of minus infinity, or an entry that a sparse matrix does not
    have, is no candidate, nor are the items of a user in `seen` (user, item).
    """
    if isinstance(matrix.values, tuple):
        return _of_lists(where, table, matrix)
    values = matrix.values if _is_sparse(matrix.values) else np.asarray(matrix.values)
    if values.ndim != 2:
        raise DataError(f"{where}: an array of {values.ndim} dimension{'' if values.ndim == 1 else 's'}", "a matrix has users × items")
    if values.dtype.kind not in "biuf":
        raise DataError(f"{where}: a matrix of {values.dtype}", "give numbers")
    if table == "lists" and values.dtype.kind in "iu" and not _is_sparse(values):
        if matrix.mask_seen:
            raise DataError(f"{where}: integers are item ids, but mask_seen needs scores", "give scores as array.astype(float)")
        return _of_lists(where, table, replace(matrix, values=(values,)))
    users, items = _labels(where, "user", matrix.users, values.shape[0]), _labels(where, "item", matrix.items, values.shape[1])
    if table != "lists":
        rows, columns, numbers = _stored(values)
        _refuse_nan(where, rows, columns, numbers)
        name = {"interactions": "rating", "predictions": "prediction"}.get(table)
        if name is None:
            raise DataError(f"{where}: a matrix is not a table of this kind", "give a frame, or a list of records")
    else:
        excluded = _pairs(users, items, seen) if seen is not None else None
        found = _of_sparse(where, values, depth, excluded) if _is_sparse(values) else _best(where, values, depth, excluded)
        (rows, columns, numbers), name = found, "score"
    if numbers.dtype.kind == "b":
        numbers = numbers.astype(np.int64)
    return pl.DataFrame([users.gather(rows), items.gather(columns), array_column(where, name, numbers)])


def is_matrix(rows: Any) -> bool:
    """Whether rows are a matrix: sparse, or an array of two dimensions of any library, or ids with their scores."""
    if isinstance(rows, tuple):
        return len(rows) == 2 and all(getattr(one, "ndim", 0) == 2 for one in rows)
    is_array = hasattr(rows, "__array__") and not hasattr(rows, "columns") and getattr(rows, "ndim", 0) == 2
    return _is_sparse(rows) or is_array or isinstance(rows, Matrix)


def array_of(where: str, rows: Any) -> Any:
    """A matrix as NumPy has it, where it is the array of another library; `DataError` for an array with masked values."""
    if isinstance(rows, np.ma.MaskedArray):
        raise DataError(
            f"{where}: masked values are not supported", "fill them: array.filled(0) of interactions, .filled(-np.inf) of scores"
        )
    is_plain = isinstance(rows, tuple | Matrix | np.ndarray) or _is_sparse(rows)
    return rows if is_plain else np.asarray(rows)


def _is_sparse(values: Any) -> bool:
    return hasattr(values, "tocsr") and hasattr(values, "nnz")


def _labels(where: str, name: str, given: Any, n: int) -> pl.Series:
    """The ids of rows or columns."""
    if given is None:
        return pl.Series(name, np.arange(n))
    labels = plain_ids(where, array_column(where, name, given) if isinstance(given, np.ndarray) else column(where, name, list(given)))
    if len(labels) != n:
        raise DataError(
            f"{where}: {len(labels):,} {name}s are named, and the matrix has {n:,}", f"give an id for each {name} of the matrix"
        )
    if labels.n_unique() < n:
        raise DataError(f"{where}: the {name} {labels.filter(labels.is_duplicated())[0]!r} is given twice", "give each a different id")
    return labels


def _stored(values: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and values of the entries of a matrix; of an array those that are not 0."""
    if _is_sparse(values):
        entries = values.tocsr().tocoo()
        return entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
    rows, columns = np.nonzero(values)
    return rows, columns, values[rows, columns]


def _refuse_nan(where: str, rows: Any, columns: Any, numbers: Any) -> None:
    if numbers.dtype.kind == "f":
        faulty = np.flatnonzero(~np.isfinite(numbers) & (numbers != -np.inf))
        if len(faulty):
            raise DataError(
                f"{where}: {numbers[faulty[0]]:g} at row {rows[faulty[0]]}, column {columns[faulty[0]]} (from 0) is not a finite number",
                "write -inf for an item that is not a candidate, 0 for no interaction",
            )


def _best(where: str, values: Any, depth: int | None, excluded: Pairs | None) -> tuple[Any, Any, Any]:
    """The best `depth` items of each row, and those that tie with the last of them."""
    n_users, n_items = values.shape
    step = max(1, _CELLS // max(n_items, 1))
    found = [_best_of(where, values[start : start + step], start, depth, excluded) for start in range(0, n_users, step)]
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), values.reshape(-1)
    rows, columns, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return rows, columns, scores


def _best_of(where: str, scores: Any, start: int, depth: int | None, excluded: Pairs | None) -> tuple[Any, Any, Any]:
    if scores.dtype.kind not in "f":
        scores = scores.astype(np.float64)
    if excluded is not None:
        first, end = np.searchsorted(excluded[0], [start, start + len(scores)])
        scores = scores.copy()
        scores[excluded[0][first:end] - start, excluded[1][first:end]] = -np.inf
    if depth is not None and depth < scores.shape[1]:
        last = scores.shape[1] - depth
        border = np.partition(scores, last, axis=1)[:, last, None]  # NaN is the largest: it is among the best, and refused
        rows, columns = np.nonzero((scores >= border) | np.isnan(scores))
    else:
        rows, columns = np.nonzero(scores != -np.inf)
    best = scores[rows, columns]
    there = best != -np.inf
    rows, columns, best = rows[there], columns[there], best[there]
    _refuse_nan(where, rows + start, columns, best)
    return rows + start, columns, best


def _of_sparse(where: str, values: Any, depth: int | None, excluded: Pairs | None) -> tuple[Any, Any, Any]:
    """The same of a sparse matrix, of which the stored entries are the candidates."""
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
    order = np.lexsort((-scores, rows))
    starts = np.flatnonzero(np.append(True, rows[order][1:] != rows[order][:-1]))
    lengths = np.diff(np.append(starts, len(order)))
    borders = scores[order][np.minimum(starts + depth, starts + lengths) - 1]
    kept = scores >= np.repeat(borders, lengths)[np.argsort(order, kind="stable")]
    return rows[kept], columns[kept], scores[kept]


def _of_lists(where: str, table: str, matrix: Matrix) -> pl.DataFrame:
    """Rows of item ids in the order of their ranks, and their scores if they are given."""
    if matrix.mask_seen:
        hint = "remove it, or give scores of all items as floats"
        raise DataError(f"{where}: integers are item ids, but mask_seen needs scores", hint)
    ids, scores = np.asarray(matrix.values[0]), np.asarray(matrix.values[1]) if len(matrix.values) > 1 else None
    if table != "lists" or ids.dtype.kind not in "iu" or (scores is not None and scores.shape != ids.shape):
        raise DataError(f"{where}: two matrices must be item ids and scores of the same shape, and are the lists of one model")
    users = _labels(where, "user", matrix.users, len(ids))
    there = ids != _NO_ITEM
    rows, _ = np.nonzero(there)
    chosen = ids[there]
    if matrix.items is None:
        items = array_column(where, "item", chosen)
    else:
        names: Sequence[Any] = list(matrix.items)
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(names):
            raise DataError(f"{where}: the item {chosen.max()} has no id: ids of {len(names):,} items are given", "ids count from 0")
        items = plain_ids(where, column(where, "item", names)).gather(chosen.astype(np.int64))
    found = [users.gather(rows), items]
    return pl.DataFrame([*found, array_column(where, "score", scores[there])] if scores is not None else found)


def _pairs(users: pl.Series, items: pl.Series, seen: pl.DataFrame) -> Pairs:
    """Rows and columns of the pairs of `seen` that a matrix has, ascending."""

    def numbers(labels: pl.Series) -> pl.DataFrame:
        name = labels.name
        return pl.DataFrame([labels.cast(seen[name].dtype), pl.Series(f"{name}_number", np.arange(len(labels)))])

    known = seen.select("user", "item").join(numbers(users), on="user").join(numbers(items), on="item").sort("user_number", "item_number")
    return known["user_number"].to_numpy(), known["item_number"].to_numpy()
