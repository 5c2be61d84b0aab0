"""Names and types of the columns of an Arrow stream, read from its C structures: Polars panics at types that it does not have."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, Final

_TYPES: Final = {"ti": "an interval", "+u": "a union", "+r": "run-end encoded"}
"""The start of the format of a type that Polars does not have → its name in messages."""


class _Schema(ctypes.Structure):
    """The structure `ArrowSchema` of the C data interface of Arrow."""

    _fields_ = (
        ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )  # fmt: skip


def columns_of_stream(stream: Any) -> dict[str, str]:
    """Return the columns of an Arrow stream: name → the type if Polars does not have it, else an empty text."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    capsule = stream.__arrow_c_schema__()  # frees the structure at its end
    rows = _Schema.from_address(pointer_of(capsule, b"arrow_schema"))
    return {(column.name or b"").decode(errors="replace"): _unreadable(column) for column in _children(rows)}


def _children(schema: _Schema) -> Iterator[_Schema]:
    if schema.n_children:
        pointers = (ctypes.c_void_p * schema.n_children).from_address(schema.children)
        yield from (_Schema.from_address(pointer) for pointer in pointers if pointer)


def _unreadable(schema: _Schema) -> str:
    """Return the type of a column, or of values inside it, that Polars does not have; empty if it has all."""
    own = next((name for start, name in _TYPES.items() if (schema.format or b"").decode().startswith(start)), "")
    return own or next(filter(None, map(_unreadable, _children(schema))), "")
