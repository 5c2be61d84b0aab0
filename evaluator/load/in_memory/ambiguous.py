"""Arrays and rows that can be two things: refused, with both readings and how to say which one is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...errors import DataError
from ..columns import names_by_position

_CELLS: Final = 1 << 16
"""So many values are looked at at a time."""
_ROWS: Final = 1000
"""So many rows are looked at for items that they repeat."""
_NO_ITEM: Final = -1


def refuse_two_readings(where: str, table: str, values: Any) -> None:
    """Raise `DataError` for an array of two dimensions that can be rows of a table or a matrix, or item ids or scores.

    A `Matrix` never comes here: there integers in lists are item ids, and floats are scores.
    """
    if not isinstance(values, np.ndarray) or values.ndim != 2 or values.dtype.kind not in "iuf" or not values.size:
        return
    if table == "lists":
        _refuse_ids_or_scores(where, values)
    _refuse_rows_or_matrix(where, table, values)


def refuse_unnamed_lists(where: str, table: str, rows: Sequence[Any]) -> None:
    """Raise `DataError` for lists of integers that can be rows of a table, or the items of users 0, 1, …; tuples are rows."""
    if not rows or not all(type(row) is list and len(row) == len(rows[0]) and all(type(one) is int for one in row) for row in rows):
        return
    names = _names_of_rows(where, table, len(rows[0]))
    if names:
        raise DataError(
            f"{where}: lists of {len(names)} integers can be rows of {', '.join(names)}, or the items of users 0, 1, …",
            "give rows as tuples, or the items as {user: [item, …]}",
        )


def _refuse_rows_or_matrix(where: str, table: str, values: Any) -> None:
    n_rows, n_columns = values.shape
    names = _names_of_rows(where, table, n_columns)
    is_lists = table == "lists" and values.dtype.kind in "iu"
    if not names or not _are_whole(values if is_lists else values[:, :2], least=0):  # -1 among item ids is no item
        return
    matrix = f"lists of {n_columns} item ids for" if is_lists else f"a matrix of {n_columns} items for"
    raise DataError(
        f"{where}: an array of {n_rows:,} × {n_columns} numbers can be rows of {', '.join(names)}, or {matrix} {n_rows:,} users",
        f"give rows as pl.DataFrame(array, schema={list(names)}), or {'lists' if is_lists else 'a matrix'} as receval.Matrix(array)",
    )


def _names_of_rows(where: str, table: str, n_columns: int) -> tuple[str, ...]:
    """The names of the columns, where an array of so many can be rows of users and items; none otherwise."""
    try:
        names = names_by_position(where, table, n_columns)
    except DataError:
        return ()
    return names if names[:2] == ("user", "item") else ()


def _refuse_ids_or_scores(where: str, values: Any) -> None:
    """Floats that are whole may be ids that a library has cast; integers of which each row repeats some may be counts, so scores."""
    is_float, n_items = values.dtype.kind == "f", values.shape[1]
    if is_float and not _are_whole(values, least=_NO_ITEM):
        return
    ordered = np.sort(values[:_ROWS], axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != _NO_ITEM)
    if bool(twice.any(axis=1).all()) == is_float:  # whether each row has some item twice
        return
    what = "whole numbers stored as floats" if is_float else "integers, some of them twice in each row,"
    raise DataError(
        f"{where}: {what} can be the item ids of each list, or scores of {n_items:,} item{'' if n_items == 1 else 's'}",
        f"give ids as {'array.astype(int), with -1 for no item' if is_float else 'receval.Matrix(array)'}, or scores as "
        f"receval.Matrix({'array' if is_float else 'array.astype(float)'})",
    )


def _are_whole(values: Any, least: int) -> bool:
    """Whether all values are whole numbers of at least `least`, or NaN, of which there must not be nothing else."""
    step = max(1, _CELLS // values.shape[1])
    met = False
    for start in range(0, len(values), step):
        block = values[start : start + step]
        there = block[~np.isnan(block)] if block.dtype.kind == "f" else block
        if there.size and (there.min() < least or not np.isfinite(there).all() or (there != np.trunc(there)).any()):
            return False
        met = met or there.size > 0
    return met
