"""Sources → rows: each is read once; what is wrong with it is counted on the way, and said before any result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from .. import load
from ..load.opening import FAILURES, opened
from ..load.scan import ReadError
from ..load.tally import FaultTally
from ..parts.spark.session import SparkSession
from ..secrets import without_values
from .inputs import configured_path

T = TypeVar("T")


class PassedOver(Struct, frozen=True):
    """Rows of a source that lack a value and were left out: the source as it was read, how many of how many rows, and the first places."""

    source: load.Source
    n_faulty: int
    n_rows: int
    places: tuple[str, ...]


class SourceReader(Struct):
    """Reads sources; `n_rows` are the rows that each had, by role.

    With `tolerant` rows without a value are left out instead of refused. `folder` is that of the config.
    """

    folder: Path
    tolerant: bool
    session: SparkSession | None = None
    """Where Spark reads the tables of its catalog."""
    n_rows: dict[str, int] = field(default_factory=dict)
    as_read: dict[str, load.Source] = field(default_factory=dict)
    """The sources as they could be read in the end, by role."""

    def frame(self, source: load.Source, columns: Sequence[str] = ()) -> pl.DataFrame:
        """Return the rows of a source: the canonical columns, or those of `columns`, and `row`."""
        frame = self.read_with_retries(source, self._collect)
        wanted = [name for name in (*source.scan.names, "row") if not columns or name in columns]
        return frame.select(name for name in wanted if name in frame.columns)

    def read_with_retries(self, source: load.Source, read: Callable[[load.Source, FaultTally], T | None]) -> T:
        """Return what `read` makes of a source, whose faults it counts in the tally; it is called again to read the source in another way.

        It may make `None` of faulty rows. Raises `DataError` if the source cannot be used, and `ReadAgain` if all sources must change.
        """
        return load.read_with_retries(self.as_read.get(source.role, source), partial(self._read_once, read), _changed)

    def _read_once(self, read: Callable[[load.Source, FaultTally], T | None], source: load.Source) -> T:
        tally = FaultTally(source)
        try:
            made = None if source.counted_first else read(source, tally)
            if source.counted_first:
                with reading():
                    tally.add(lazy_rows(source))
        except ReadError as error:
            raise load.another_way(source, error) from error
        n_rows = load.refuse(source, tally.counts, tolerant=self.tolerant)
        assert made is not None, f"{source.role} has rows without a value, but none could be located"
        self.n_rows[source.role], self.as_read[source.role] = n_rows, source
        return made

    def _collect(self, source: load.Source, tally: FaultTally) -> pl.DataFrame:
        if self.session is not None and source.scan.format == "table":
            from ..parts.spark.shuffle import table_frame  # only here: most runs need no Spark

            frame = table_frame(self.session, source)
        else:
            frame = _collected(source)
        tally.add(frame)
        return frame

    @property
    def passed_over(self) -> dict[str, PassedOver]:
        """What was left out, by role."""
        read = ((role, n_rows, self.as_read[role]) for role, n_rows in self.n_rows.items())
        return {
            role: PassedOver(source, source.faulty.n_rows - n_rows, source.faulty.n_rows, tuple(self._places(source, source.faulty)))
            for role, n_rows, source in read
            if source.faulty is not None
        }

    def _places(self, source: load.Source, faulty: load.FaultyRows) -> Iterator[str]:
        for place, problem in faulty.places:
            yield without_values(f"{configured_path(place.file, source, self.folder)}{place.within}: {problem}")

    def faulty_rows(self, source: load.Source) -> pl.DataFrame:
        """Return nothing but the rows of a source that were passed over."""
        return _collected(source.faulty_rows())


def _changed(source: load.Source, again: load.ReadAgain) -> load.Source:
    """A source as it is to be read, unless all are."""
    if again.everywhere:
        raise again
    return again.change(replace(source, counted_first=False))


@contextmanager
def reading() -> Iterator[None]:
    """Raise what an engine cannot read as `ReadError`."""
    try:
        yield
    except FAILURES as error:
        raise ReadError(str(error)) from error


def lazy_rows(source: load.Source) -> pl.LazyFrame:
    """Return the rows of a source, of which only the columns are looked at."""
    with reading():
        frame = opened(source.scan)
        frame.collect_schema()
    return frame


def _collected(source: load.Source) -> pl.DataFrame:
    """The rows of a source; those of a frame keep its memory, where streaming would copy them in pieces."""
    with reading():
        return lazy_rows(source).collect(engine="streaming" if source.scan.frame is None else "in-memory")
