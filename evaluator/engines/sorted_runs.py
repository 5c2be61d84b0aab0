"""Frames of different users, in any order → one Parquet file sorted by user, through temporary files; memory holds one piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..load.typed import temporary_rows
from ..support.temporary import write_error
from ..tables.ids import gather, user_starts
from .part import Indices, cut_points
from .resources import Scratch

_ROWS_PER_PIECE: Final = 1_000_000
_ROW_GROUP: Final = 250_000


class _Run(Struct, frozen=True, eq=False):
    """A frame in a file: its users in ascending order, and the borders of their rows."""

    file: Path
    users: pl.Series
    borders: Indices


class SortedRuns:
    """Frames that are sorted by user; no two frames share a user."""

    def __init__(self, scratch: Scratch, name: str) -> None:
        self._scratch, self._name = scratch, name
        self._runs: list[_Run] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Write a frame to a temporary file; `MachineError` if that fails."""
        starts = user_starts(frame["user"])
        file = self._file(f"run-{len(self._runs)}")
        self._write(frame, file)
        self._runs.append(_Run(file, gather(frame["user"], starts), np.append(starts, frame.height)))

    def write(self, path: Path, rows_per_piece: int = _ROWS_PER_PIECE) -> None:
        """Write all rows to a Parquet file, sorted by user, each user's rows in order, and remove the temporary files.

        The bytes depend on the rows only, not on how they were split into frames. `MachineError` if a file cannot be written.
        """
        pieces = []
        for number, piece in enumerate(self.pieces(rows_per_piece)):
            pieces.append(self._file(f"piece-{number}"))
            self._write(piece, pieces[-1])
        try:
            pl.concat(list(map(temporary_rows, pieces))).sink_parquet(path, row_group_size=_ROW_GROUP, maintain_order=True)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise write_error(error) from error
        for file in (*pieces, *(run.file for run in self._runs)):
            file.unlink()

    def pieces(self, rows_per_piece: int) -> Iterator[pl.DataFrame]:
        """Yield the rows of some users at a time, in ascending order; one frame without rows if there are none."""
        lengths = [pl.DataFrame({"user": run.users, "n": np.diff(run.borders)}) for run in self._runs]
        users = pl.concat(lengths).sort("user")
        borders: Indices = np.concatenate([[0], np.cumsum(users["n"].to_numpy())])
        if not users.height:
            yield temporary_rows(self._runs[0].file).collect()
            return
        points = cut_points(borders[:-1], int(borders[-1]), rows_per_piece)
        for first, end in pairwise(np.searchsorted(borders, points).tolist()):
            rows = [self._rows(run, users["user"][first], users["user"][end - 1]) for run in self._runs]
            yield pl.concat([frame for frame in rows if frame is not None], rechunk=True).sort("user", maintain_order=True)

    @staticmethod
    def _rows(run: _Run, first: int | str, last: int | str) -> pl.DataFrame | None:
        """Return the rows of the users from `first` to `last`; `None` if the run has none of them."""
        begin = int(run.borders[run.users.search_sorted(first, "left")])
        end = int(run.borders[run.users.search_sorted(last, "right")])
        return temporary_rows(run.file).slice(begin, end - begin).collect() if end > begin else None

    def _file(self, name: str) -> Path:
        try:
            return self._scratch.folder / f"{self._name}-{name}.arrow"
        except OSError as error:
            raise write_error(error) from error

    @staticmethod
    def _write(frame: pl.DataFrame, file: Path) -> None:
        try:
            frame.write_ipc(file, compat_level=pl.CompatLevel.oldest())
        except (OSError, pl.exceptions.PolarsError) as error:
            raise write_error(error) from error
