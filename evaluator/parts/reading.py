"""Lists → batches of rows, in the order of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from ..load.batches import batches
from ..load.opening import FAILURES
from ..load.scan import ReadError

Batches = Iterator[pl.DataFrame]


class ListReader:
    """Read lists batch by batch, and show each row to `examine` and `progress` once, however often the lists are read.

    `examine` gets the rows as they are read, with the columns `odd_*`; `progress` gets their number. The batches are without
    these columns, and without rows that have no user. `ReadError` if the lists cannot be read.
    """

    def __init__(
        self, lists: pl.LazyFrame, rows_per_batch: int, examine: Callable[[pl.DataFrame], None], progress: Callable[[int], None]
    ) -> None:
        self._lists, self._rows_per_batch = lists, rows_per_batch
        self._examine, self._progress = examine, progress
        self._n_shown = 0

    def empty(self) -> pl.DataFrame:
        """Return the batch without rows."""
        try:
            return _clean(pl.DataFrame(schema=self._lists.collect_schema()))
        except FAILURES as error:
            raise ReadError(str(error)) from error

    def batches(self) -> Batches:
        """Read the lists from their beginning; none of the batches is empty."""
        n_read = 0
        for batch in _collected(self._lists, self._rows_per_batch):
            n_read += batch.height
            if n_read > self._n_shown:
                self._examine(batch.tail(n_read - self._n_shown))
                self._progress(n_read - self._n_shown)
                self._n_shown = n_read
            batch = _clean(batch)
            if batch.height:
                yield batch


def _collected(lists: pl.LazyFrame, rows_per_batch: int) -> Batches:
    try:
        yield from batches(lists, rows_per_batch)
    except FAILURES as error:
        raise ReadError(str(error)) from error


def _clean(batch: pl.DataFrame) -> pl.DataFrame:
    batch = batch[[name for name in batch.columns if not name.startswith("odd_")]]
    return batch.filter(pl.col("user").is_not_null()) if batch["user"].null_count() else batch
