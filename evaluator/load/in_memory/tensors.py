"""Take values as they come from training code: tensors of PyTorch on any device, what `topk` returns, and generators."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...support.errors import DataError
from .matrices import Matrix

_SHORT: Final = ("bfloat16", "float8", "float6", "float4")
"""The types of short floats that NumPy does not have."""
_BUFFERS: Final = "read them: polars.read_parquet(buffer), polars.read_csv(buffer)"
_SHAPE: Final = "a matrix has users × items"


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


def as_arrays(where: str, rows: Any) -> Any:
    """Return tensors and arrays of other libraries as arrays of NumPy, and a generator as a list; everything else as it is.

    `where` names the rows in messages. Raises `DataError` for bytes and open files, and for tensors without values.
    """
    if isinstance(rows, Matrix):
        parts = {name: as_arrays(where, getattr(rows, name)) for name in ("values", "users", "items")}
        return replace(rows, **parts)
    if isinstance(rows, tuple):
        return _tuple_of_arrays(where, rows)
    if isinstance(rows, dict):
        return _dict_of_arrays(where, rows)
    if isinstance(rows, list) and rows and _is_foreign(type(rows[0])):
        return [as_arrays(where, row) for row in rows]
    if isinstance(rows, io.IOBase):
        _refuse_open_file(where, rows)
    if isinstance(rows, bytes | bytearray | memoryview):
        raise DataError(f"{where} is not a table", _BUFFERS)
    if isinstance(rows, Iterator) and not hasattr(rows, "__arrow_c_stream__") and not hasattr(rows, "read"):
        return [as_arrays(where, row) for row in rows]
    return _array_of(where, rows) if _is_foreign(type(rows)) else rows


def _refuse_open_file(where: str, file: io.IOBase) -> None:
    """Raise `DataError` for an open file, or a buffer of bytes or text."""
    name = getattr(file, "name", None)
    if isinstance(name, str):
        raise DataError(f"{where}: an open file is not a table", f"give its path, {name!r}")
    held = "text" if isinstance(file, io.TextIOBase) else "bytes"
    raise DataError(f"{where} has {held}, not a table", _BUFFERS)


def _dict_of_arrays(where: str, rows: dict[Any, Any]) -> dict[Any, Any]:
    """Return a dict with its values as arrays; the same dict if no type of its values can change."""
    foreign = {kind: _is_foreign(kind) for kind in set(map(type, rows.values()))}
    if not any(foreign[kind] or _may_change(kind) for kind in foreign):
        return rows

    def changed(value: Any) -> Any:
        if foreign[type(value)]:
            return _array_of(where, value)
        return _pairs(as_arrays(where, value)) if _needs_change(value) else value

    return {key: changed(value) for key, value in rows.items()}


def _tuple_of_arrays(where: str, rows: tuple[Any, ...]) -> Any:
    """Return a pair of tensors as arrays, what `topk` returns as ids and scores, and any other tuple as it is."""
    if getattr(rows, "_fields", ("values", "indices")) != ("values", "indices"):
        return rows
    if hasattr(rows, "indices") and hasattr(rows, "values"):
        return as_arrays(where, (rows.indices, rows.values))
    return tuple(as_arrays(where, row) for row in rows) if len(rows) == 2 and any(_is_foreign(type(row)) for row in rows) else rows


def _may_change(kind: type) -> bool:
    """Return whether `as_arrays` may change a value of this type."""
    return _is_foreign(kind) or issubclass(kind, tuple | Iterator | Matrix | io.IOBase)


def _needs_change(value: Any) -> bool:
    """Return whether a value of a dict is a tensor, ids with their scores, or a generator."""
    if isinstance(value, tuple):
        return len(value) == 2 and (isinstance(value[0], np.ndarray) or _is_foreign(type(value[0])))
    return _may_change(type(value))


def _pairs(value: Any) -> Any:
    """Return an array of ids and one of scores, of one user, as pairs; other values as they are."""
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, np.ndarray) and part.ndim == 1 for part in value):
        return list(zip(value[0].tolist(), value[1].tolist(), strict=True)) if len(value[0]) == len(value[1]) else value
    return value


def _is_tensor(kind: type) -> bool:
    """Return whether a type is that of tensors of PyTorch, without importing it; a frame of Spark has any attribute, its type has not."""
    return all(hasattr(kind, name) for name in ("detach", "layout", "device"))


def _is_foreign(kind: type) -> bool:
    """Return whether a type is that of tensors, or of arrays of another library than NumPy, such as JAX; columns of frames are none."""
    is_array = all(hasattr(kind, name) for name in ("__array__", "shape", "ndim", "dtype"))
    is_known = issubclass(kind, np.ndarray | np.generic) or hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "to_numpy")
    return _is_tensor(kind) or (is_array and not is_known)


def _array_of(where: str, values: Any) -> Any:
    """Return a tensor or an array of another library as an array of NumPy, or as the entries of a sparse tensor."""
    try:
        if not _is_tensor(type(values)):
            array = np.asarray(values)
            return array.astype(np.float32) if array.dtype.name.startswith(_SHORT) else array
        return _tensor_array(where, values.detach())
    except DataError:
        raise
    except Exception as error:  # of any library: a deleted array, one that is traced, a layout without a conversion
        shown = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{where} cannot be converted into an array ({shown})", "give it as an array of NumPy") from None


def _tensor_array(where: str, tensor: Any) -> Any:
    if tensor.device.type == "meta":
        raise DataError(f"{where}: a tensor on the device meta has no values", "give it on the CPU")
    if "sparse" in str(tensor.layout):
        if tensor.ndim != 2:
            raise DataError(f"{where}: a sparse tensor of {tensor.ndim} dimension{'' if tensor.ndim == 1 else 's'}", _SHAPE)
        entries = tensor.to_sparse_coo().coalesce()
        row, col = (index.cpu().numpy() for index in entries.indices())
        return Entries(row, col, _tensor_array(where, entries.values()), tuple(tensor.shape))
    tensor = tensor.cpu()
    try:
        return tensor.numpy()
    except TypeError:  # bfloat16 and smaller types, which NumPy does not have
        return tensor.float().numpy()
