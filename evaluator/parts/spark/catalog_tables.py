"""Tables of Spark's catalog as sources."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
from msgspec.structs import replace

from ...errors import DataError
from ...load import ReadOptions, Source, SourceFile, look_at_frame
from .session import SparkSession
from .spark_errors import first_line


def look_at_table(
    session: SparkSession,
    role: str,
    table: str,
    name: str,
    options: ReadOptions,
    shown: str = "",
) -> Source:
    """Look at the columns of a table and return how to read it, without reading rows. Messages call it `shown`.

    `DataError` if there is no such table, or a column is missing or has a type that cannot be read.
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
    """Return a name under which a Spark DataFrame can be read as a table until `scratch` closes."""
    name = f"receval_{uuid4().hex}"
    frame.createOrReplaceTempView(name)
    scratch.callback(frame.sparkSession.catalog.dropTempView, name)
    return name
