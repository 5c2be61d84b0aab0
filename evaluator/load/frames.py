"""A frame in memory as a source: it is looked at and read as a file of typed columns is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from msgspec.structs import replace

from .frame_file import FrameFile
from .list_text import NO_LISTS
from .read_options import ReadOptions
from .source import Source
from .typed import typed_scan


def look_at_frame(
    role: str,
    table: str,
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    columns: Mapping[str, str | int] | None = None,
    labels: Sequence[str] = (),
    split: str | None = None,
    nulls: Sequence[str] = (),
    name: str = "a frame",
) -> Source:
    """Look at a frame and say how to read it; `DataError` if it lacks a column, or a column has a type that cannot be read.

    `columns` says which column is which where they do not have usual names, `labels` names further columns to read as text, `split` is
    what separates the items of a list in text, `nulls` are texts that count as no value. Rows are numbered in the order of the frame,
    which is called `name` in messages.
    """
    split, may_split = None if split == NO_LISTS else split, split != NO_LISTS
    options = ReadOptions(columns=columns or {}, labels=labels, split=split, may_split=may_split, nulls=tuple(nulls))
    file = FrameFile(frame.lazy(), name)
    scan = typed_scan(role, table, [file], "frame", options)
    stored = [scan.fields[column][0] if column in scan.fields else column for column in scan.names.values()]
    used = file.of_columns(list(dict.fromkeys(stored)))
    label_columns = {label: f"label_{number}" for number, label in enumerate(labels)}
    return Source(role, table, (name,), replace(scan, frame=frame.lazy()), scan.kinds, label_columns, (used,), (name,))
