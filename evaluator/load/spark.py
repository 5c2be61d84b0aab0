"""The Spark engine: for data that outgrows one machine. PySpark 4 with Java 17, local, on a cluster, or by Spark Connect."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import narwhals as nw

from ..errors import MissingExtraError
from ..frames import Frame
from .base import Kind, Order, Ranked, ReadError, Scan, Want

_ROW = "receval row"
_TYPES = {"integer": "bigint", "text": "string", "number": "double", "time": "string"}
_INTEGER = "^(0|-?[1-9][0-9]{0,18})$"
_NUMBER = r"^[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:nan|inf|infinity))$"
_INSTALL = "pip install 'receval[spark]'"


class SparkEngine:
    """Runs the definitions as Spark SQL; what is read more than once is kept in Spark's cache."""

    name = "spark"

    def __init__(self, master: str | None = None, remote: str | None = None) -> None:
        try:
            import pyspark
        except ImportError:
            raise MissingExtraError("the spark engine needs pyspark, which is not installed", _INSTALL) from None
        del pyspark
        if remote is None and shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
            raise MissingExtraError(
                "the spark engine needs Java, and there is none on this machine",
                "install a Java 17 runtime, or name a server: engine.remote",
            )
        self._kept: list[Any] = []
        self._session, self._started = _session(master, remote)

    def scan(self, source: Scan) -> Frame:
        """Open a source; see `Engine`."""
        from pyspark.sql import functions as f

        try:
            frame = self._open(source)
        except Exception as error:
            raise ReadError(_said(error)) from error
        columns = []
        for column, name in source.names.items():
            value, kind = f.col(f"`{name}`"), source.kinds[column]
            if kind == "integer" and source.is_text:
                columns += [value.try_cast("bigint").alias(column), f.coalesce(~value.rlike(_INTEGER), f.lit(False)).alias(f"odd_{column}")]
            elif kind == "number" and source.is_text:
                wrong = f.raise_error(f.concat(f.lit("not a number: "), value)).cast("double")
                number = f.when(value.isNull() | value.rlike(_NUMBER), value.cast("double")).otherwise(wrong)
                columns.append(f.when(~f.isnan(number), number).alias(column))  # the text nan is no value
            elif kind == "time":
                texts = [f.try_to_timestamp(value, f.lit(form)).cast("double") for form in ("yyyy/M/d", "d.M.yyyy")]
                columns.append(f.coalesce(value.try_cast("double"), value.try_cast("timestamp").cast("double"), *texts).alias(column))
            else:
                columns.append(value.cast(_TYPES[kind]).alias(column))
        selected = frame.select(f.col(_ROW).alias("row"), *columns)
        if source.skip_blank:
            blank = f.lit(True)
            for column in source.names:
                blank = blank & f.col(column).isNull()
            selected = selected.filter(~blank)
        fine = f.lit(True)
        for column in source.skip_faulty:
            value, kind = f.col(column), source.kinds[column]
            fine = fine & value.isNotNull()
            if kind == "number":
                fine = fine & ~f.isnan(value) & (f.abs(value) != float("inf"))
            elif kind == "text":
                fine = fine & (value != "")
        selected = selected.filter(~fine if source.only_faulty else fine)
        opened: Frame = nw.from_native(selected)
        return opened

    def ordinal(self, frame: Frame, order: Order, name: str) -> Frame:
        """Number the rows of each user in a window."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        keys = [f.col(column).desc() if falls else f.col(column).asc() for column, falls in order]
        place = f.row_number().over(Window.partitionBy("user").orderBy(*keys))
        placed: Frame = nw.from_native(frame.to_native().withColumn(name, place.cast("bigint")))
        return placed

    def ranked(self, lists: Frame, orders: Sequence[Order], want: Want) -> list[Ranked]:
        """Rank in a window per order, and keep what is wanted."""
        if len(set(orders)) > 1:
            (lists,) = self.settle([lists])
        (lengths,) = self.settle([lists.group_by("user").agg(nw.len().cast(nw.Int64).alias("n_recommended"))])
        ranked = {order: Ranked(self.settle(list(want(self.ordinal(lists, order, "rank")))), lengths) for order in dict.fromkeys(orders)}
        return [ranked[order] for order in orders]

    def joined(self, rows: Frame, pairs: Frame) -> Frame:
        """Join on user and item."""
        return rows.join(pairs, on=["user", "item"], how="inner")

    def settle(self, frames: Sequence[Frame], *, ordered: bool = False) -> list[Frame]:
        """Keep the frames in Spark's cache once they are first computed."""
        kept = [frame.to_native().persist() for frame in frames]
        self._kept += kept
        return [nw.from_native(frame) for frame in kept]

    def collect(self, frame: Frame) -> nw.DataFrame[Any]:
        """Bring a frame here by way of Arrow; it is eager Polars like that of the other engine."""
        import polars as pl

        try:
            table = frame.to_native().toArrow()
        except Exception as error:
            raise ReadError(_said(error)) from error
        return nw.from_native(pl.DataFrame(pl.from_arrow(table)).rechunk(), eager_only=True)

    def lift(self, frame: nw.DataFrame[Any]) -> Frame:
        """Hand a table over by way of Arrow."""
        lifted: Frame = nw.from_native(self._session.createDataFrame(frame.to_arrow()))
        return lifted

    def close(self) -> None:
        """Empty the cache, and stop the session if it was started here."""
        with suppress(Exception), warnings.catch_warnings(action="ignore"):  # the signal that ends us may have ended Spark before
            for frame in self._kept:
                frame.unpersist()
            if self._started:
                self._session.stop()

    def _open(self, source: Scan) -> Any:
        """The rows of a source with their number in file order, text columns as they are written."""
        from functools import reduce

        from pyspark.sql import functions as f

        packed = any(path.endswith((".zst", ".zstd")) for path in source.paths)
        by_arrow = source.format in ("lines", "ipc", "delta") or packed or not source.is_plain
        parts = []
        for index, path in enumerate(source.paths):
            frame = self._by_arrow(replace(source, paths=(path,))) if by_arrow else self._read(source, path)
            # Rows are numbered within a split of a file, and splits by where in the file they begin.
            begin = f.lit(0).cast("bigint") if by_arrow else f.col("_metadata.file_block_start")
            place = f.struct(f.lit(index).alias("file"), begin.alias("begin"), f.monotonically_increasing_id().alias("at"))
            kept = [f.col(f"`{name}`") for name in source.names.values()]
            if not source.is_text:  # parts may store a column in different types
                kept = [f.col(f"`{name}`").cast(_TYPES[source.kinds[column]]).alias(name) for column, name in source.names.items()]
            parts.append(frame.select(place.alias(_ROW), *kept))
        return reduce(lambda one, other: one.unionByName(other), parts)

    def _read(self, source: Scan, path: str) -> Any:
        reader, where = self._session.read, _escaped(path)
        if source.format == "csv":
            schema = ", ".join(f"`{name}` string" for name in source.header)
            options = {"sep": source.separator, "header": source.has_header, "enforceSchema": True, "mode": "FAILFAST", "escape": '"'}
            return reader.schema(schema).csv(where, **options)
        if source.format == "ndjson":
            schema = ", ".join(f"`{name}` string" for name in dict.fromkeys(source.names.values()))
            return reader.schema(schema).json(where, mode="FAILFAST")
        return reader.parquet(where)

    def _by_arrow(self, source: Scan) -> Any:
        """What Spark cannot read is read here and handed over, ids of text formats as they are written."""
        from .polars import PolarsEngine

        kinds: dict[str, Kind] = dict(source.kinds)
        if source.is_text:
            kinds |= {column: "text" for column, kind in source.kinds.items() if kind == "integer"}
        local = PolarsEngine()
        frame = local.collect(local.scan(replace(source, kinds=kinds))).to_native().drop("row").rename(dict(source.names))
        return self._session.createDataFrame(frame.to_arrow())


def _session(master: str | None, remote: str | None) -> tuple[Any, bool]:
    from pyspark.sql import SparkSession

    running = None if remote else SparkSession.getActiveSession()
    if running is not None:
        return running, False
    builder = SparkSession.builder.appName("receval")
    settings = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.caseSensitive": "true",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
    }
    logging.getLogger().addFilter(_is_news)
    try:
        if remote:
            return builder.remote(remote).getOrCreate(), True
        for key, value in settings.items():
            builder = builder.config(key, value)
        with _own_interruption():
            session = builder.master(master or "local[*]").getOrCreate()
    except Exception as error:
        where = remote or master or "local[*]"
        raise MissingExtraError(
            f"Spark could not be started at {where}: {_said(error)}", "Java 17 and pyspark 4 are needed, or a running server"
        ) from error
    return session, True


@contextmanager
def _own_interruption() -> Iterator[None]:
    """Keep what Ctrl-C does: PySpark would speak to Spark then, in the middle of another answer, and print what comes of it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a line of the log is no traceback of an exception that is raised as well."""
    return record.msg not in ("KeyboardInterrupt while sending command.", "Exception while sending command.")


def _escaped(path: str) -> str:
    """A local path as Spark takes it, letters that would be a pattern escaped."""
    absolute = os.path.abspath(path)
    return "file:" + "".join(f"\\{letter}" if letter in "*?[]{}\\" else letter for letter in absolute)


def _said(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
