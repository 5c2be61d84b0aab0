"""Rows of users → a Parquet file that grows while parts are measured: encoding does not need the lock of the interpreter."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

import polars as pl
from polars.io.plugins import register_io_source

from ..support.outputs import PARQUET


class RowFile:
    """A file with the rows of one model after the other, sorted by user; a thread encodes them while the next ones are made.

    It has the bytes of a file of all rows at once. It is only written if there are more rows than a row group has, and given up if rows
    come in another order or with other columns, if a model begins again, or if the disk is full: then `file_of` returns `None`, and the
    caller writes all rows. Leaving the context waits for the thread.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: SimpleQueue[pl.DataFrame | None] = SimpleQueue()
        self._schema: pl.Schema | None = None
        self._counts: dict[str, int] = {}
        self._expected: Sequence[pl.Series] = ()
        self._last: object = None
        self._thread: threading.Thread | None = None
        self._is_in_order, self._is_written = True, False

    def __enter__(self) -> RowFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def begin(self, model: str, expected: Sequence[pl.Series] = ()) -> None:
        """Begin a model; if one of the `expected` users is missing among its first rows, these are not in order."""
        self._is_in_order &= not self._counts.get(model)
        self._counts[model], self._expected, self._last = 0, expected, None

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows of the model that began last."""
        if not rows.height or not self._is_in_order:
            return
        model = next(reversed(self._counts))
        rows = rows.select(pl.lit(model).alias("model"), pl.all())
        self._schema = rows.schema if self._schema is None else self._schema
        self._is_in_order = rows.schema == self._schema and self._follow(rows["user"])
        self._counts[model] += rows.height
        if not self._is_in_order:
            self._rows.put(None)
            return
        self._rows.put(rows)
        if self._thread is None and sum(self._counts.values()) > PARQUET["row_group_size"]:
            self._thread = threading.Thread(target=self._write, args=(self._schema,))
            self._thread.start()

    def file_of(self, frames: Mapping[str, pl.DataFrame]) -> Path | None:
        """Return the file if it has the rows of these models, and no others; else `None`."""
        self._end()
        columns = None if self._schema is None else self._schema.names()
        has_all = [(model, frame.height) for model, frame in frames.items()] == [*self._counts.items()]
        has_all &= all(["model", *frame.columns] == columns for frame in frames.values())
        return self._path if has_all and self._is_in_order and self._is_written else None

    def _follow(self, users: pl.Series) -> bool:
        """Return whether users are sorted and come after those before them."""
        last, self._last = self._last, users[-1]
        if last is None:
            follow = all(some.filter(some <= self._last).is_in(users.implode()).all() for some in self._expected)
        else:
            follow = bool(users[0] > last)
        return follow and users.is_sorted()

    def _end(self) -> None:
        self._rows.put(None)
        if self._thread is not None:
            self._thread.join()

    def _write(self, schema: pl.Schema) -> None:
        def rows(*_: object) -> Iterator[pl.DataFrame]:
            while (some := self._rows.get()) is not None:
                yield some

        with suppress(OSError, pl.exceptions.PolarsError, KeyboardInterrupt):  # Polars raises an interruption in each thread that waits
            register_io_source(rows, schema=schema).sink_parquet(self._path, maintain_order=True, **PARQUET)
            self._is_written = True
