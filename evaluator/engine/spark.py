"""The Spark engine: for data that outgrows one machine. PySpark 4 with Java 17, local, on a cluster, or by Spark Connect."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals as nw

from ..errors import MissingExtraError
from ..tables import Frame
from .base import Order, Ranked, ReadError, Scan, Want

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

        frame = self._open(source)
        columns = []
        for column, name in source.names.items():
            value, kind = f.col(f"`{name}`"), source.kinds[column]
            if kind == "integer" and source.format in ("csv", "ndjson"):
                columns.append(value.try_cast("bigint").alias(column))
                columns.append(f.coalesce(~value.rlike("^(0|[1-9][0-9]{0,18})$"), f.lit(False)).alias(f"odd_{column}"))
            elif kind == "number" and source.format in ("csv", "ndjson"):
                columns.append(value.cast("double").alias(column))
            else:
                columns.append(value.cast({"integer": "bigint", "text": "string", "number": "double"}[kind]).alias(column))
        selected = frame.select("row", *columns)
        if source.skip_blank:
            blank = f.lit(True)
            for column in source.names:
                blank = blank & f.col(column).isNull()
            selected = selected.filter(~blank)
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

    def ranked(self, lists: Frame, order: Order, want: Want) -> Ranked:
        """Rank in a window, and keep what is wanted."""
        placed = self.ordinal(lists, order, "rank")
        lengths = lists.group_by("user").agg(nw.len().cast(nw.Int64).alias("n_recommended"))
        *frames, lengths = self.settle([*want(placed), lengths])
        return Ranked(frames, lengths)

    def settle(self, frames: Sequence[Frame]) -> list[Frame]:
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
        return nw.from_native(pl.DataFrame(pl.from_arrow(table)), eager_only=True)

    def close(self) -> None:
        """Empty the cache, and stop the session if it was started here."""
        for frame in self._kept:
            frame.unpersist()
        if self._started:
            self._session.stop()

    def _open(self, source: Scan) -> Any:
        """The rows of a source with their number in file order, text columns as they are written."""
        from pyspark.sql import functions as f

        reader, paths = self._session.read, [_uri(path) for path in source.paths]
        if source.format == "ipc" or any(path.endswith((".zst", ".zstd")) for path in source.paths):
            return self._by_arrow(source)
        if source.format == "csv":
            schema = ", ".join(f"`{name}` string" for name in source.header)
            frame = reader.schema(schema).csv(
                paths, sep=source.separator, header=source.has_header, enforceSchema=True, mode="FAILFAST", escape='"', multiLine=False
            )
        elif source.format == "ndjson":
            schema = ", ".join(f"`{name}` string" for name in dict.fromkeys(source.names.values()))
            frame = reader.schema(schema).json(paths, mode="FAILFAST")
        else:
            frame = reader.parquet(*paths)
        number = {path: index for index, path in enumerate(paths)}
        which = f.lit(0) if len(paths) == 1 else _place_of(number)
        # Rows are numbered within a split; splits by file and by where they begin in it.
        begin = f.col("_metadata.file_block_start")
        return frame.withColumn("row", f.struct(which.alias("file"), begin.alias("begin"), f.monotonically_increasing_id().alias("at")))

    def _by_arrow(self, source: Scan) -> Any:
        """Formats that Spark cannot read are read here and handed over."""
        from .polars import PolarsEngine

        names = {column: column for column in source.names}
        local = PolarsEngine()
        frame = local.collect(local.scan(source)).to_native()
        odd = [name for name in frame.columns if name.startswith("odd_")]
        texts = frame.drop(odd).rename({column: source.names[column] for column in names})
        return self._session.createDataFrame(texts.to_arrow())


def _session(master: str | None, remote: str | None) -> tuple[Any, bool]:
    from pyspark.sql import SparkSession

    before = None if remote else SparkSession.getActiveSession()
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
    try:
        if remote:
            return builder.remote(remote).getOrCreate(), True
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.master(master or "local[*]").getOrCreate()
    except Exception as error:
        where = remote or master or "local[*]"
        raise MissingExtraError(
            f"Spark could not be started at {where}: {_said(error)}", "Java 17 and pyspark 4 are needed, or a running server"
        ) from error
    return session, before is None


def _uri(path: str) -> str:
    return Path(path).resolve().as_uri()


def _place_of(number: dict[str, int]) -> Any:
    from pyspark.sql import functions as f

    pairs = [part for path, index in number.items() for part in (f.lit(path.replace("file:///", "/").replace("file:/", "/")), f.lit(index))]
    plain = f.regexp_replace(f.col("_metadata.file_path"), "^file:/+", "/")
    return f.create_map(*pairs)[plain]


def _said(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
