"""Lists of different lengths as matrices of item ids and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...support.errors import DataError

NO_ITEM: Final = -1
"""The id with which libraries pad rows that are longer than the list."""


def even_rows(where: str, lists: Any) -> Any:
    """Return lists of different lengths, alone or as a pair with their scores, as arrays padded at the ends; all others as they are.

    Raises `DataError` for ids that are not integers, and for scores of other lengths than their lists.
    """
    parts = lists if isinstance(lists, tuple) else (lists,)
    lengths = [_lengths(part) for part in parts]
    if not any(len({*counts}) > 1 for counts in lengths):
        return lists
    if any(counts != lengths[0] for counts in lengths):
        raise DataError(f"{where}: the scores do not have the lengths of the lists", "give one score for each item")
    ids = _padded(parts[0], lengths[0], NO_ITEM)
    if ids.dtype.kind not in "iu":
        message = f"{where}: rows of different lengths are lists of item ids, which are integers here, not {ids.dtype}"
        raise DataError(message, "give lists with other ids all at once, as {user: list}: evaluator(lists)")
    scores = [_padded(part, lengths[0], 0.0) for part in parts[1:]]
    return (ids, *scores) if scores else ids


def _lengths(rows: Any) -> list[int]:
    """Return the lengths of rows; none if they are not a sequence of rows."""
    is_sequence = isinstance(rows, list) or (isinstance(rows, np.ndarray) and rows.dtype.kind == "O" and rows.ndim == 1)
    if not is_sequence or not all(isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1) for row in rows):
        return []
    return [len(row) for row in rows]


def _padded(rows: Sequence[Any], lengths: Sequence[int], filler: float) -> Any:
    held = [np.asarray(row) for row in rows if len(row)]
    values = np.concatenate(held)
    if values.dtype.kind == "u":
        values = values.astype(np.int64)
    padded = (
        np.full((len(rows), max(lengths)), filler, dtype=values.dtype) if values.dtype.kind in "iuf" else np.empty((0, 0), values.dtype)
    )
    if padded.size:
        padded[np.arange(max(lengths)) < np.asarray(lengths)[:, None]] = values
    return padded
