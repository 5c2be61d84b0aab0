"""Settings of Spark for small data, for which planning and compiling take longer than running."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from ...load import FrameFile, Source
from .session import SparkSession

MAX_SMALL: Final = 8 << 20
_BYTES_OF_TABLE: Final = 4 << 30
_BYTES_OF_ROW: Final = 24
"""Approximate bytes per row of a frame in memory."""
_SMALL: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
}


def input_bytes(sources: Iterable[Source]) -> int:
    """Return the size of the files of sources in bytes; catalog tables have no known size and count as large."""
    n_bytes = 0
    for source in sources:
        for file in source.originals:
            n_bytes += file.size * (_BYTES_OF_ROW if isinstance(file.path, FrameFile) else 1)
        if source.scan.format == "table":
            n_bytes += _BYTES_OF_TABLE
    return n_bytes


@contextmanager
def settings_for_size(session: SparkSession, n_bytes: int) -> Iterator[None]:
    """Let queries over inputs of at most `MAX_SMALL` bytes start sooner; restore the settings of the session on exit.

    A server may refuse a setting, which then stays as it is: only speed depends on them.
    """
    before: dict[str, str] = {}
    if n_bytes <= MAX_SMALL:
        for name, value in _SMALL.items():
            with suppress(Exception):
                previous = session.native.conf.get(name)
                session.native.conf.set(name, value)
                before[name] = previous
    try:
        yield
    finally:
        for name, value in before.items():
            with suppress(Exception):
                session.native.conf.set(name, value)
