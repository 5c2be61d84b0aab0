"""`FrameFile`: a frame in memory, in the place of a file; and its hash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl
from msgspec import Struct

_ROWS: Final = 1_000_000
"""So many rows are hashed at a time."""


class FrameFile(Struct, frozen=True, eq=False):
    """A frame in memory, in the place of a file."""

    frame: pl.LazyFrame

    @property
    def size(self) -> int:
        """The number of rows: frames of the same rows have the same."""
        return int(self.frame.select(pl.len()).collect().item())

    def blocks(self) -> Iterator[bytes]:
        """The names and values of all columns as bytes: the same for the same table, whatever type of number or library held it."""
        frame = self.frame.collect()
        for name in frame.columns:
            yield f"{name}\0".encode()
            for start in range(0, frame.height, _ROWS):
                yield from _bytes(frame[name].slice(start, _ROWS))


def _bytes(values: pl.Series) -> Iterator[bytes]:
    """The values of a column: a text as its length and its bytes, a list as its length and its values, no value as such."""
    dtype = values.dtype
    if values.null_count():
        yield values.is_null().to_numpy().tobytes()
    if isinstance(dtype, pl.List | pl.Array):
        lists = values.arr.to_list() if isinstance(dtype, pl.Array) else values
        yield lists.list.len().fill_null(0).to_numpy().tobytes()
        yield from _bytes(lists.explode(empty_as_null=False, keep_nulls=False))
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from _bytes(values.struct.field(field.name))
    elif dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
        yield values.cast(pl.Int64).fill_null(0).to_numpy().tobytes()
    elif dtype.is_float():
        yield values.cast(pl.Float64).fill_null(0.0).to_numpy().tobytes()
    elif dtype != pl.Null and dtype != pl.Object:
        texts = (values if dtype == pl.Binary else values.cast(pl.String)).fill_null(b"" if dtype == pl.Binary else "").cast(pl.Binary)
        yield texts.bin.size().to_numpy().tobytes()
        yield b"".join(texts.to_list()) if dtype == pl.Binary else texts.cast(pl.String).str.join("").item().encode()
