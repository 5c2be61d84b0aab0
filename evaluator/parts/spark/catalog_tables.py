"""A table of Spark's catalog as a source."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
from msgspec.structs import replace

from ...errors import DataError
from ...load import ReadOptions, Source, SourceFile, look_at_frame
from .failures import first_line
from .session import SparkSession


def look_at_table(
    session: SparkSession,
    role: str,
    table: str,
    name: str,
    options: ReadOptions,
    shown: str = "",
) -> Source:
    """Look at the columns of a table and say how to read it; none of its rows are read. It is called `shown` in messages.

    `DataError` if there is no such table, or a column is missing or of a type that cannot be read.
    """
    try:
        empty = pl.DataFrame(pl.from_arrow(session.native.table(name).limit(0).toArrow()))
    except Exception as error:
        problem = f"{role}: the table {shown or name} cannot be read ({first_line(error)})"
        raise DataError(problem, "check that it is in the catalog of this Spark session") from None
    source = look_at_frame(role, table, empty, options, name=shown or f"the table {name}")
    scan = replace(source.scan, format="table", paths=(name,), frame=None)
    return replace(source, given=(name,), scan=scan, files=(SourceFile(Path(name), shown or name),), originals=())


def name_of_view(frame: Any, scratch: ExitStack) -> str:
    """A name by which a DataFrame of Spark is read as a table, as long as `scratch` lives."""
    name = f"receval_{uuid4().hex}"
    frame.createOrReplaceTempView(name)
    scratch.callback(frame.sparkSession.catalog.dropTempView, name)
    return name
