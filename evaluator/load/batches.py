"""A lazy frame → batches of its rows, of which none is missing without a word."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Queue
from threading import Event, Thread

import polars as pl


def batches(frame: pl.LazyFrame, rows_per_batch: int) -> Iterator[pl.DataFrame]:
    """Yield the rows in their order, about `rows_per_batch` at a time.

    Whatever Polars raises is raised here, after the batches before it. `LazyFrame.collect_batches` ends as if there were no more
    rows when a thread of Polars panics (Polars 2.1), which some broken files make it do.
    """
    read: Queue[pl.DataFrame | BaseException | None] = Queue(1)
    unwanted = Event()

    def give(batch: pl.DataFrame) -> bool:
        """Pass a batch on when the one before it has been taken; whether Polars may stop."""
        if not unwanted.is_set():
            read.put(batch)
        return unwanted.is_set()

    def read_all() -> None:
        try:
            frame.sink_batches(give, chunk_size=rows_per_batch, maintain_order=True, engine="streaming")
        except BaseException as error:  # a panic is no Exception
            read.put(error)
        else:
            read.put(None)

    reader = Thread(target=read_all, daemon=True)
    reader.start()
    batch: pl.DataFrame | BaseException | None = pl.DataFrame()
    try:
        while isinstance(batch := read.get(), pl.DataFrame):
            yield batch
    finally:
        unwanted.set()
        while isinstance(batch, pl.DataFrame):  # a thread that still reads when Python ends would end it with a crash
            batch = read.get()
        reader.join()
    if batch is not None:
        raise batch
