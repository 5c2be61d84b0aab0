"""Temporary tables that receval wrote itself: Arrow files, of which only the rows that are asked for are read."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def temporary_rows(file: Path) -> pl.LazyFrame:
    """The rows of an Arrow IPC file."""
    return pl.scan_ipc(file, glob=False)
