"""A frame in memory as a source: it is looked at and read as a file of typed columns is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from .list_text import NO_LISTS
from .read_options import ReadOptions
from .source import Source
from .typed import FrameFile, typed_scan


def look_at_frame(
    role: str,
    table: str,
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    columns: Mapping[str, str | int] | None = None,
    labels: Sequence[str] = (),
    split: str | None = None,
) -> Source:
    """Look at a frame and say how to read it; `DataError` if it lacks a column, or a column has a type that cannot be read.

    `columns` says which column is which where they do not have usual names, `labels` names further columns to read as text, `split` is
    what separates the items of a list in text. Rows are numbered in the order of the frame.
    """
    options = ReadOptions(columns=columns or {}, labels=labels, split=None if split == NO_LISTS else split, may_split=split != NO_LISTS)
    scan = typed_scan(role, table, [FrameFile(frame.lazy())], "frame", options)
    named = {label: f"label_{number}" for number, label in enumerate(labels)}
    return Source(role, table, ("a frame",), replace(scan, paths=(), frame=frame.lazy()), scan.kinds, named)
