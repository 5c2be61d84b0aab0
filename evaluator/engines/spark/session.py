"""The Spark session: local, on a cluster, or over Spark Connect; PySpark 4 with Java 17."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from msgspec import Struct

from ...support.errors import DataError, MissingExtraError
from ...support.extras import missing_extra
from .spark_errors import first_line

_SQL_SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",  # the default of 10,000 rows costs Polars a tenth of its speed
}
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # Spark's driver runs most of its code once, and optimising it takes longer than a whole small evaluation. Workers are other
    # processes, except with local masters. `spark.driver.extraJavaOptions` overrides this option.
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.driver.maxResultSize": "0",  # the values of many users may exceed Spark's limit of 1 GB
}
_LOGS_OF_ERRORS: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Loggers with which PySpark prints each error of Spark, with its stack, before it raises it."""
_LOGS_OF_TASKS: Final = ("org.apache.spark.executor.Executor", "org.apache.spark.scheduler.TaskSetManager")
"""Loggers with which Spark prints the stack of each failed attempt of a task; the last one is raised as well."""


class SparkSession(Struct, frozen=True):
    """A session of PySpark; `started` if it was started here and must be stopped, `is_remote` if it uses Spark Connect."""

    native: Any
    started: bool
    is_remote: bool

    def close(self) -> None:
        """Stop the session if it was started here."""
        if self.started:
            # The signal that ends this process may have stopped Spark already.
            with suppress(Exception), warnings.catch_warnings(action="ignore"):
                self.native.stop()


def session_of_frames(frames: Iterable[Any]) -> SparkSession | None:
    """Return the session of DataFrames, the only one that can read them: of this process or of a Spark Connect server; `None` without any.

    `DataError` if they belong to several sessions.
    """
    natives = {_id_of(native): native for native in (frame.sparkSession for frame in frames)}
    if len(natives) > 1:
        hint = "create them in one session, for example from a table that all sessions see"
        raise DataError(f"the DataFrames belong to {len(natives)} sessions of Spark, and none can read those of another", hint)
    return next((SparkSession(native, started=False, is_remote=_is_remote(native)) for native in natives.values()), None)


def _is_remote(native: Any) -> bool:
    return ".connect." in type(native).__module__


def _id_of(native: Any) -> str:
    """Return the id of a session; several Python objects may be the same session of Spark."""
    return str(native.session_id if _is_remote(native) else native._jsparkSession.sessionUUID())


@contextmanager
def without_logged_errors(session: SparkSession) -> Iterator[None]:
    """Keep errors of Spark and of its tasks out of the log: each is raised too, and becomes one sentence."""
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(name) for name in _LOGS_OF_ERRORS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    in_java = [] if session.is_remote else _silence_tasks(session.native)
    try:
        yield
    finally:
        for logger, was_disabled in zip(loggers, before, strict=True):
            logger.disabled = was_disabled
        with suppress(Exception):  # the session may have ended
            for name in in_java:
                context = session.native._jvm.org.apache.logging.log4j.LogManager.getContext(False)
                context.getConfiguration().removeLogger(name)
                context.updateLoggers()


def _silence_tasks(native: Any) -> list[str]:
    """Switch loggers of tasks off that have no level of their own, and return their names; none if Spark has another log."""
    names: list[str] = []
    with suppress(Exception):
        log = native._jvm.org.apache.logging.log4j
        known = log.LogManager.getContext(False).getConfiguration().getLoggers()
        for name in _LOGS_OF_TASKS:
            if not known.containsKey(name):
                log.core.config.Configurator.setLevel(name, log.Level.OFF)
                names.append(name)
    return names


def start_session(master: str | None = None, remote: str | None = None, archives: Sequence[str] = ()) -> SparkSession:
    """Start a session on a master (by default `local[*]`) or on a Spark Connect server, or use the one that this process already has.

    `archives` are packed Python environments, written `path#name`, which workers unpack. The first becomes their Python, unless the
    environment variable `PYSPARK_PYTHON` names another. `MissingExtraError` if pyspark or Java is missing or Spark cannot be reached.
    """
    try:
        import pyspark.sql
    except ImportError:
        raise missing_extra("spark", "the spark engine", "pyspark") from None
    served = _session_on_server()
    if master is None and remote is None and served is not None:  # as in notebooks of Databricks
        return SparkSession(served, started=False, is_remote=True)
    if remote is None and shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise MissingExtraError(
            "the spark engine needs Java, which is not installed on this machine",
            "install a Java 17 runtime, or use a server: engine.remote",
        )
    # Only the thread that started the active session gets it from getActiveSession; started here, it would be stopped at the end.
    if not remote and getattr(pyspark.SparkContext, "_active_spark_context", None) is not None:
        running = pyspark.sql.SparkSession.getActiveSession() or pyspark.sql.SparkSession.builder.getOrCreate()
        return SparkSession(running, started=False, is_remote=False)
    logging.getLogger().addFilter(_is_news)
    try:
        native = _connected(remote, archives) if remote else _started(master or "local[*]", archives)
    except Exception as error:
        where = remote or master or "local[*]"
        raise MissingExtraError(
            f"Spark could not be started at {where}: {first_line(error)}", "Java 17 and pyspark 4 are needed, or a running server"
        ) from error
    return SparkSession(native, started=native is not served, is_remote=remote is not None)


def _session_on_server() -> Any:
    """Return the session on a Spark Connect server that this process already has; `None` if there is none."""
    connect = sys.modules.get("pyspark.sql.connect.session")
    return connect and (connect.SparkSession.getActiveSession() or connect.SparkSession._get_default_session())


def _connected(remote: str, archives: Sequence[str]) -> Any:
    from pyspark.sql import SparkSession as Native

    native = Native.builder.remote(remote).getOrCreate()
    for key, value in _SQL_SETTINGS.items():
        native.conf.set(key, value)
    for archive in archives:
        native.addArtifact(archive, archive=True)
    if archives:
        native.conf.set("spark.sql.execution.pyspark.python", f"{_folder_of(archives[0])}/bin/python")
    return native


def _started(master: str, archives: Sequence[str]) -> Any:
    from pyspark.sql import SparkSession as Native

    builder = Native.builder.appName("receval").master(master)
    settings = {**_SQL_SETTINGS, **_SETTINGS}
    if master.startswith("local"):
        # On a cluster the number of executors is not known yet; Spark merges small partitions there.
        settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 1))
    if archives:
        settings["spark.archives"] = ",".join(archives)
    for key, value in settings.items():
        builder = builder.config(key, value)
    python = f"./{_folder_of(archives[0])}/bin/python" if archives else sys.executable if _runs_here(master) else None
    with _own_interruption(), _worker_python(python):
        return builder.getOrCreate()


@contextmanager
def _worker_python(python: str | None) -> Iterator[None]:
    """Set the Python of the workers while a session starts, unless the environment names one."""
    if python is None or "PYSPARK_PYTHON" in os.environ:
        yield
        return
    os.environ["PYSPARK_PYTHON"] = python
    try:
        yield
    finally:
        del os.environ["PYSPARK_PYTHON"]


def _runs_here(master: str) -> bool:
    """Return whether the workers of a master are processes of this machine, judged by its address."""
    if master.startswith("local"):
        return True
    host = master.removeprefix("spark://").partition(":")[0]
    return master.startswith("spark://") and host in ("localhost", "127.0.0.1", socket.gethostname())


def _folder_of(archive: str) -> str:
    """Return the folder in which workers find an archive, `path#name`."""
    path, _, name = archive.partition("#")
    return name or os.path.basename(path)


@contextmanager
def _own_interruption() -> Iterator[None]:
    """Keep the handler of Ctrl-C: PySpark's would contact Spark in the middle of another answer, and print the errors of that."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a line of the log is new: not the traceback of an exception that is raised as well."""
    return record.msg not in ("KeyboardInterrupt while sending command.", "Exception while sending command.")
