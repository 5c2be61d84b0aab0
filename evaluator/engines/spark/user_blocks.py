"""On a worker: rows of a source → blocks of rows, each with some users, as bytes.

Spark moves blocks instead of rows: moving and sorting rows would take several times as long as all other work.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..partitions import hashes
from .versions import Versions

BUCKET: Final = "bucket"
ROLE: Final = "role"
BLOCK: Final = "block"
SCHEMA: Final = f"{BUCKET} int, {ROLE} int, {BLOCK} binary"
MAX_BITS: Final = 12
ROWS_AT_ONCE: Final = 1_000_000


class BlockWriter(Struct, frozen=True):
    """A function for `mapInArrow`: puts the rows of the source with number `role` into 2 ** `bits` buckets by a hash of the user."""

    role: int
    bits: int
    versions: Versions

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield a row for each block, from about a million rows of the source at a time."""
        self.versions.check()
        waiting: list[pl.DataFrame] = []
        for batch in batches:
            waiting.append(pl.DataFrame(pl.from_arrow(batch)))
            if sum(frame.height for frame in waiting) >= ROWS_AT_ONCE:
                yield self._blocks(pl.concat(waiting))
                waiting = []
        if waiting:
            yield self._blocks(pl.concat(waiting))

    def _blocks(self, rows: pl.DataFrame) -> Any:
        import pyarrow

        rows = rows.rechunk()
        buckets = (hashes(rows["user"]) >> np.uint64(64 - self.bits)).astype(np.uint16)
        order = np.argsort(buckets, kind="stable").astype(np.uint32)
        sizes = np.bincount(buckets, minlength=1 << self.bits)
        ends = np.cumsum(sizes)
        rows = rows[pl.Series(order)]
        filled = np.flatnonzero(sizes)
        blocks = [_as_bytes(rows.slice(ends[bucket] - sizes[bucket], sizes[bucket])) for bucket in filled]
        columns = {BUCKET: filled.astype(np.int32), ROLE: np.full(len(filled), self.role, np.int32), BLOCK: blocks}
        types = [(BUCKET, pyarrow.int32()), (ROLE, pyarrow.int32()), (BLOCK, pyarrow.binary())]
        return pyarrow.RecordBatch.from_pydict(columns, pyarrow.schema(types))


def _as_bytes(rows: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    # In the oldest layout rows share no buffers: a block has the bytes of its own texts only.
    rows.write_ipc_stream(buffer, compression="lz4", compat_level=pl.CompatLevel.oldest())
    return buffer.getvalue()


def rows_of_blocks(blocks: list[bytes]) -> pl.DataFrame:
    """Return the rows of blocks of one source."""
    return pl.concat([pl.read_ipc_stream(block) for block in blocks], rechunk=True)


def split_by_user(frames: dict[str, pl.DataFrame], n_pieces: int) -> Iterator[dict[str, pl.DataFrame]]:
    """Split the frames of a bucket by other bits of the same hash."""
    pieces = {role: pl.Series(hashes(frame["user"]) % np.uint64(n_pieces)) for role, frame in frames.items()}
    for piece in range(n_pieces):
        yield {role: frame.filter(pieces[role] == piece) for role, frame in frames.items()}
