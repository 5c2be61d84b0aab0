"""How large a source is, seen without reading it, so that a run can say how far it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import polars as pl

from .opening import FAILURES
from .source import Source
from .source_file import FrameFile

_SAMPLE: Final = 1 << 16
"""So many bytes of text are looked at to estimate how long a line is."""


def n_bytes(source: Source) -> int:
    """The bytes of the files of a source; 0 for a frame, or a table elsewhere."""
    return sum(file.size for file in source.originals if not isinstance(file.path, FrameFile))


def expected_rows(source: Source) -> int | None:
    """About how many rows a source has: files with types of their own say it, text is estimated by its first lines.

    `None` where it cannot be told: packed files, lists in a row, standard input.
    """
    scan = source.scan
    if not scan.lists and scan.format == "frame":
        return sum(file.size for file in source.originals)
    if scan.lists or any(not isinstance(file.path, Path) or not os.path.isfile(file.path) for file in source.originals):
        return None
    if scan.format in ("parquet", "ipc"):
        read = pl.scan_parquet if scan.format == "parquet" else pl.scan_ipc
        try:
            return sum(int(read(path, glob=False).select(pl.len()).collect().item()) for path in scan.paths)
        except FAILURES:
            return None
    if scan.format not in ("csv", "lines", "ndjson") or any(path.endswith((".gz", ".zst", ".zstd")) for path in scan.paths):
        return None
    with open(scan.paths[0], "rb") as file:
        sample = file.read(_SAMPLE)
    n_lines = sample.count(b"\n")
    return n_bytes(source) * n_lines // len(sample) if n_lines else None
