"""Sources → rows: each is read once; what is wrong with it is counted on the way, and said before any result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import polars as pl
from msgspec import Struct, field

from .. import load
from ..load.opening import FAILURES, opened
from ..load.scan import ReadError
from ..load.tally import FaultTally
from ..parts.spark.session import SparkSession
from ..secrets import without_values
from .inputs import configured_path

T = TypeVar("T")


class RowsAreFaulty(Exception):
    """A batch holds a row without a value that must be there: all rows are looked at before anything is measured."""


class PassedOver(Struct, frozen=True):
    """Rows of a source that lack a value and were left out: the source as it was read, how many of how many rows, and the first places."""

    source: load.Source
    n_faulty: int
    n_rows: int
    places: tuple[str, ...]


class SourceReader(Struct):
    """Reads sources; `n_rows` are the rows that each had, by role, `passed_over` what was left out.

    With `tolerant` rows without a value are left out instead of refused. `folder` is that of the config.
    """

    folder: Path
    tolerant: bool
    session: SparkSession | None = None
    """Where Spark reads the tables of its catalog."""
    n_rows: dict[str, int] = field(default_factory=dict)
    passed_over: dict[str, PassedOver] = field(default_factory=dict)
    as_read: dict[str, load.Source] = field(default_factory=dict)
    """The sources as they could be read in the end, by role."""

    def frame(self, source: load.Source, columns: Sequence[str] = ()) -> pl.DataFrame:
        """The rows of a source: the canonical columns, or those of `columns`, and `row`."""

        def collect(resolved: load.Source, tally: FaultTally) -> pl.DataFrame:
            session = self.session if resolved.scan.format == "table" else None
            frame = _collected(resolved) if session is None else _collected_on_spark(session, resolved)
            tally.add(frame)
            wanted = [name for name in (*source.scan.names, "row") if not columns or name in columns]
            return frame.select(name for name in wanted if name in frame.columns)

        return self.attempt(source, collect)

    def read(self, source: load.Source, consume: Callable[[pl.LazyFrame, FaultTally], T]) -> T:
        """What `consume` makes of the rows of a source, which it shows to the tally; see `attempt`."""
        return self.attempt(source, lambda resolved, tally: consume(_opened(resolved), tally))

    def attempt(self, source: load.Source, consume: Callable[[load.Source, FaultTally], T]) -> T:
        """What `consume` makes of a source, whose faults it counts in the tally.

        `consume` is called again where rows have to be read in another way. Raises `DataError` if the source cannot be used, and
        `IdsAreText` if ids that seemed integers are not.
        """
        source = self.as_read.get(source.role, source)
        tally = FaultTally(source)
        try:
            try:
                made = consume(source, tally)
            except RowsAreFaulty:
                tally = FaultTally(source)
                _count_all(_opened(source), tally)
                load.refuse(source, tally.counts)
                raise AssertionError(f"{source.role} has rows without a value, and none is to blame") from None
            self.n_rows[source.role] = load.refuse(source, tally.counts)
        except load.BlankLines:
            return self._again(source.without_blank_lines(), consume)
        except load.LargeNumbers as large:
            return self._again(source.with_numbers(large.columns, "whole"), consume)
        except load.FaultyRows as fault:
            if not self.tolerant:
                raise
            made = self._again(source.without_faulty_rows(), consume)
            places = tuple(
                without_values(f"{configured_path(place.file, source, self.folder)}{place.within}: {problem}")
                for place, problem in fault.places
            )
            n_faulty = fault.n_rows - self.n_rows[source.role]
            self.passed_over[source.role] = PassedOver(self.as_read[source.role], n_faulty, fault.n_rows, places)
        except ReadError as error:
            if source.scan.is_text and not source.scan.loose:
                return self._again(source.with_numbers_as_text(), consume)
            whole = [column for column, number_type in source.scan.numbers.items() if number_type == "whole"]
            if source.scan.is_text and whole:  # some of them have a fraction
                return self._again(source.with_numbers(whole, "real"), consume)
            raise load.explain(source, error) from error
        return made

    def faulty_rows(self, source: load.Source) -> pl.DataFrame:
        """Nothing but the rows of a source that were passed over."""
        return _collected(source.faulty_rows())

    def _again(self, source: load.Source, consume: Callable[[load.Source, FaultTally], T]) -> T:
        self.as_read[source.role] = source
        return self.attempt(source, consume)


def _opened(source: load.Source) -> pl.LazyFrame:
    try:
        frame = opened(source.scan)
        frame.collect_schema()
    except FAILURES as error:
        raise ReadError(str(error)) from error
    return frame


def _count_all(frame: pl.LazyFrame, tally: FaultTally) -> None:
    try:
        tally.add(frame)
    except FAILURES as error:
        raise ReadError(str(error)) from error


def _collected_on_spark(session: SparkSession, source: load.Source) -> pl.DataFrame:
    from ..parts.spark.shuffle import table_frame  # only here: most runs need no Spark

    return table_frame(session, source)


def _collected(source: load.Source) -> pl.DataFrame:
    """The rows of a source; those of a frame keep its memory, where streaming would copy them in pieces."""
    try:
        return _opened(source).collect(engine="streaming" if source.scan.frame is None else "in-memory")
    except FAILURES as error:
        raise ReadError(str(error)) from error
