"""Rows of users → a Parquet file that grows while parts are measured: encoding does not need the lock of the interpreter."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, count
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import polars as pl
from polars.io.plugins import register_io_source

from ..load.typed import stored_rows
from ..results.result import StoredUsers
from ..support.errors import OutputError
from ..support.outputs import PARQUET
from .resources import Scratch
from .sorted_runs import SortedRuns

_IN_MEMORY: Final = 1 << 27
"""Bytes of rows that wait in memory when the file is given up; more of them wait in temporary files."""
_PIECE: Final = 1 << 17
"""Rows that are read at a time to sort all."""


class RowFile:
    """The rows of one model after the other, which leave memory: a thread writes them while the next ones are made.

    The file has the bytes of a file of all rows at once. It is only written if there are more rows than a row group has. If rows are not
    sorted by user or have other columns than those before, or if a model begins again, it is given up, and rows stay in memory; many
    wait in temporary files, and are sorted at the end. Leaving the context waits for the thread.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        """Where the file is; whoever moves it says so."""
        self._waiting: SimpleQueue[pl.DataFrame | None] = SimpleQueue()
        self._schema = pl.Schema()
        self._counts: dict[str, int] = {}
        self._frames: dict[str, list[pl.DataFrame]] | None = None  # not None: the file is given up
        self._expected: Sequence[pl.Series] = ()
        self._last: object = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._stored: StoredUsers | None = None
        self._scratch, self._size, self._numbers = Scratch(), 0, count()
        self._runs: dict[str, SortedRuns] = {}
        self._is_alike = True

    def __enter__(self) -> RowFile:
        self._scratch.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._end()
        self._scratch.__exit__(*error)

    def begin(self, model: str, expected: Sequence[pl.Series] = ()) -> None:
        """Begin a model, without its rows before; if one of the `expected` users is missing among its first rows, they are not sorted."""
        n_before = self._counts.pop(model, 0)
        if n_before and self._frames is None and not any(self._counts.values()):
            self._end()
            self._waiting, self._thread, self._failure = SimpleQueue(), None, None
            self._schema = pl.Schema()  # ids may be read as text now
        elif n_before or self._frames is not None:
            self._all_frames()[model] = []
            self._runs.pop(model, None)
        self._counts[model], self._expected, self._last = 0, expected, None

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows of the model that began last."""
        model = next(reversed(self._counts))
        rows = rows.select(pl.lit(model).alias("model"), pl.all())
        schema = rows.schema
        self._schema = self._schema or schema
        if not rows.height:
            return
        self._is_alike &= schema == self._schema
        if self._frames is None and not (self._is_alike and self._follow(rows["user"])):
            self._all_frames()
        self._counts[model] += rows.height
        if self._frames is not None:
            self._frames.setdefault(model, []).append(rows.drop("model"))
            self._size += int(rows.estimated_size())
            if self._size > _IN_MEMORY and self._is_alike:
                self._move_to_disk()
            return
        self._waiting.put(rows)
        if self._thread is None and sum(self._counts.values()) > PARQUET["row_group_size"]:
            self._thread = threading.Thread(target=self._write, args=[self._arriving()])
            self._thread.start()

    def users(self) -> Mapping[str, pl.DataFrame]:
        """Return the rows of each model, sorted by user: those of a file are read at each access; nothing if there were no columns.

        Raises `OutputError` if the file could not be written.
        """
        if not self._schema:
            return {}
        if self._runs and self._is_alike:
            self._move_to_disk()
            models = [model for model in self._counts if model in self._runs]
            self._write(
                piece.select(pl.lit(model).alias("model"), pl.all()) for model in models for piece in self._runs[model].pieces(_PIECE)
            )
        elif self._thread is None or self._frames is not None:
            frames, nobody = self._all_frames(), self._schema.to_frame().drop("model")
            for model, runs in self._runs.items():
                frames[model] += runs.pieces(_PIECE)
            joined = {model: pl.concat(frames[model]) if frames.get(model) else nobody for model in self._counts}
            return {model: frame if frame["user"].is_sorted() else frame.sort("user") for model, frame in joined.items()}
        self._end_writing()
        self._stored = StoredUsers(dict.fromkeys(self._counts, tuple(self._schema)[1:]), self._read)
        return self._stored

    def file_of(self, users: Mapping[str, pl.DataFrame]) -> Path | None:
        """Return the file if these are its users, as `users` returned them; else `None`."""
        return self.path if users is self._stored else None

    def _all_frames(self) -> dict[str, list[pl.DataFrame]]:
        """Give the file up, and return the rows of each model so far."""
        if self._frames is None and self._thread is not None:
            self._end_writing()
            self._frames = {model: [self._read(model, None)] if n else [] for model, n in self._counts.items()}
        elif self._frames is None:
            self._frames = {model: [] for model in self._counts}
            for rows in (self._waiting.get() for _ in range(self._waiting.qsize())):
                if rows is not None:
                    self._frames.setdefault(rows["model"][0], []).append(rows.drop("model"))
        return self._frames

    def _arriving(self) -> Iterator[pl.DataFrame]:
        while (rows := self._waiting.get()) is not None:
            yield rows

    def _move_to_disk(self) -> None:
        """Move the rows of all models into temporary files."""
        for model, frames in self._all_frames().items():
            if frames:
                runs = self._runs.setdefault(model, SortedRuns(self._scratch, f"users-{next(self._numbers)}"))
                runs.add(pl.concat(frames).sort("user"))
            frames.clear()
        self._size = 0

    def _read(self, model: str, names: Sequence[str] | None) -> pl.DataFrame:
        first = dict(zip(self._counts, accumulate(self._counts.values(), initial=0), strict=False))[model]
        rows = stored_rows(self.path).select(pl.exclude("model") if names is None else names)
        return rows.slice(first, self._counts[model]).collect()

    def _follow(self, users: pl.Series) -> bool:
        """Return whether users are sorted and come after those before them."""
        last, self._last = self._last, users[-1]
        if last is None:
            follow = all(some.filter(some <= self._last).is_in(users.implode()).all() for some in self._expected)
        else:
            follow = bool(users[0] > last)
        return follow and users.is_sorted()

    def _end(self) -> None:
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join()

    def _end_writing(self) -> None:
        self._end()
        if isinstance(self._failure, KeyboardInterrupt):
            raise self._failure
        if self._failure is not None:
            raise OutputError(f"cannot write {self.path.name}: {str(self._failure).splitlines()[0]}") from None

    def _write(self, rows: Iterator[pl.DataFrame]) -> None:
        try:
            source = register_io_source(lambda *_: rows, schema=self._schema)
            source.sink_parquet(self.path, maintain_order=True, **PARQUET)
        except (OSError, pl.exceptions.PolarsError, KeyboardInterrupt) as error:  # Polars raises an interruption in each thread that waits
            self._failure = error
