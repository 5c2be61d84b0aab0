"""Tables of Spark's catalog as sources."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import reduce
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import polars as pl
from msgspec.structs import replace

from ...load import ReadOptions, Source, SourceFile, look_at_frame
from ...load.broken_rows import FAILING_FRAME
from ...load.scan import ReadError
from ...support.errors import DataError, OutputError
from .session import SparkSession
from .source_frames import quoted
from .spark_errors import first_line, translate_error

USER_COLUMNS: Final = ["model", "user", "n_relevant", "n_recommended", "measure", "value"]
"""The columns of a table of per-user values."""
_NO_TABLE: Final = "check that it is in the catalog of this Spark session"


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
        empty = pl.DataFrame(pl.from_arrow(session.native.table(quoted(name)).limit(0).toArrow()))
    except Exception as error:
        raise _unreadable(role, shown or f"the table {name}", error, FAILING_FRAME if shown else _NO_TABLE) from None
    source = look_at_frame(role, table, empty, options, name=shown or f"the table {name}")
    if source.scan.is_converted:
        raise DataError(
            f"{role}: Spark reads the columns of {source.name} as they are stored, and the config sets another way to read them",
            "convert them in a view or with DataFrame.withColumn, and remove padding, label_separator, as, order and * from this source",
        )
    scan = replace(source.scan, format="table", paths=(name,), frame=None)
    return replace(source, given=(shown or name,), scan=scan, files=(SourceFile(Path(name), shown or name),), originals=())


def name_of_view(role: str, frame: Any, shown: str, scratch: ExitStack) -> str:
    """Return a name under which a Spark DataFrame can be read as a table until `scratch` closes; `DataError` if it cannot be read."""
    name = f"receval_{uuid4().hex}"
    try:
        frame.createOrReplaceTempView(name)
    except Exception as error:
        raise _unreadable(role, shown, error, FAILING_FRAME) from None
    scratch.callback(_drop, frame.sparkSession, name)
    return name


def collect_frame(role: str, frame: Any, shown: str) -> pl.DataFrame:
    """Bring the rows of a Spark DataFrame to this process; `DataError` if it cannot be read."""
    try:
        return pl.DataFrame(pl.from_arrow(frame.toArrow()))
    except Exception as error:
        raise _unreadable(role, shown, translate_error(error), FAILING_FRAME) from None


def refuse_other_table(session: SparkSession, table: str) -> None:
    """Raise `OutputError` if there is a table of this name that is none of per-user values: its rows would be lost."""
    try:
        columns = session.native.table(quoted(table)).columns
    except Exception:  # there is none, or writing it will tell why not
        return
    if list(columns) != USER_COLUMNS:
        problem = f"the table {table} has other columns than per-user values ({', '.join(columns[:3])}, …), and is not overwritten"
        raise OutputError(problem, "give the name of a table that only receval writes, or drop this one")


def write_table(session: SparkSession, frames: Sequence[Any], table: str) -> None:
    """Write the rows of DataFrames into a table, in place of those of an earlier run; `OutputError` if Spark cannot write it."""
    together = reduce(lambda first, second: first.union(second), frames)
    try:
        together.write.mode("overwrite").saveAsTable(quoted(table))
    except Exception as error:
        translated = translate_error(error)
        if not isinstance(translated, ReadError):
            raise translated from error
        raise OutputError(
            f"the table {table} cannot be written: {translated}", "check its name, and that this session may write it"
        ) from None


def _drop(session: Any, view: str) -> None:
    with suppress(Exception):  # the session may have ended
        session.catalog.dropTempView(view)


def _unreadable(role: str, what: str, error: Exception, hint: str) -> DataError:
    return DataError(f"{role}: {what} cannot be read: {first_line(error)}", hint)
