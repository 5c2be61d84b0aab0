"""Lists → batches of rows, in the order of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from ..load.batches import batches
from ..load.opening import FAILURES
from ..load.scan import ReadError

Batches = Iterator[pl.DataFrame]


class ListReader:
    """Read lists batch by batch, and show them to `examine` and `progress`.

    `examine` gets the rows as they are read, with the columns `odd_*`; `progress` gets their number. The batches are without
    these columns, and without rows that have no user. `ReadError` if the lists cannot be read.
    """

    def __init__(
        self, lists: pl.LazyFrame, rows_per_batch: int, examine: Callable[[pl.DataFrame], None], progress: Callable[[int], None]
    ) -> None:
        self._lists, self._rows_per_batch = lists, rows_per_batch
        self._examine, self._progress = examine, progress

    def empty(self) -> pl.DataFrame:
        """Return the batch without rows."""
        try:
            return _clean(pl.DataFrame(schema=self._lists.collect_schema()))
        except FAILURES as error:
            raise ReadError(str(error)) from error

    def batches(self) -> Batches:
        """Read the lists from their beginning; none of the batches is empty."""
        for batch in _collected(self._lists, self._rows_per_batch):
            self._examine(batch)
            self._progress(batch.height)
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
