"""Take values as they come from training code: tensors of PyTorch on any device, what `topk` returns, and generators."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...errors import DataError
from .matrices import Matrix


class Entries(Struct, frozen=True, eq=False):
    """The entries of a sparse tensor, with the names that sparse matrices of SciPy have."""

    row: NDArray[np.int64]
    col: NDArray[np.int64]
    data: NDArray[Any]
    shape: tuple[int, ...]
    ndim: int = 2

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.data)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        return self.data.dtype

    def tocsr(self) -> Entries:
        """Return the same entries, each pair once."""
        return self

    def tocoo(self) -> Entries:
        """Return the same entries."""
        return self


def as_arrays(rows: Any) -> Any:
    """Return tensors as arrays and a generator as a list; everything else as it is.

    Raises `DataError` for bytes in memory, and for tensors without values.
    """
    if isinstance(rows, Matrix):
        return replace(rows, values=as_arrays(rows.values), users=as_arrays(rows.users), items=as_arrays(rows.items))
    if isinstance(rows, tuple) and getattr(rows, "_fields", ("values", "indices")) != ("values", "indices"):
        return rows
    if isinstance(rows, tuple) and hasattr(rows, "indices") and hasattr(rows, "values"):  # of torch.topk
        return as_arrays((rows.indices, rows.values))
    if isinstance(rows, tuple) and len(rows) == 2 and any(map(_is_tensor, rows)):
        return tuple(map(as_arrays, rows))
    if isinstance(rows, dict) and _needs_change(next(iter(rows.values()), None)):
        return {key: _pairs(as_arrays(value)) for key, value in rows.items()}
    if isinstance(rows, list) and rows and _is_tensor(rows[0]):
        return list(map(as_arrays, rows))
    if isinstance(rows, io.IOBase):
        raise DataError(f"{type(rows).__name__} has bytes, not a table", "read them: polars.read_parquet(buffer), polars.read_csv(buffer)")
    if isinstance(rows, Iterator) and not hasattr(rows, "__arrow_c_stream__") and not hasattr(rows, "read"):
        return list(rows)
    return _array_of(rows) if _is_tensor(rows) else rows


def _needs_change(value: Any) -> bool:
    """Return whether a value of a dict is a tensor, ids with their scores, or a generator."""
    are_two = isinstance(value, tuple) and len(value) == 2 and (_is_tensor(value[0]) or isinstance(value[0], np.ndarray))
    return are_two or _is_tensor(value) or isinstance(value, Iterator | Matrix)


def _pairs(value: Any) -> Any:
    """Return an array of ids and one of scores, of one user, as pairs; other values as they are."""
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(one, np.ndarray) and one.ndim == 1 for one in value):
        return list(zip(value[0].tolist(), value[1].tolist(), strict=True)) if len(value[0]) == len(value[1]) else value
    return value


def _is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor of PyTorch, without importing it; a frame of Spark has any attribute, its type has not."""
    return all(hasattr(type(value), name) for name in ("detach", "layout", "device"))


def _array_of(tensor: Any) -> Any:
    tensor = tensor.detach()
    if tensor.device.type == "meta":
        raise DataError("a tensor on the device meta has no values", "give it on the CPU")
    if "sparse" in str(tensor.layout):
        entries = tensor.to_sparse_coo().coalesce()
        row, col = (index.cpu().numpy() for index in entries.indices())
        return Entries(row, col, _array_of(entries.values()), tuple(tensor.shape))
    tensor = tensor.cpu()
    try:
        return tensor.numpy()
    except TypeError:  # bfloat16 and smaller types, which NumPy does not have
        return tensor.float().numpy()
