"""The sample of a table, with its columns, and how it may be read: as a test set, as lists, or as a side table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final, Literal

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..config.data_sources import ItemsSource, RowsSource
from ..load import opening, sniff
from ..load.columns import usual_roles
from ..load.documents import is_document
from ..load.scan import NO_VALUE, ReadError, ReadOptions, Scan
from ..load.source import expected_rows
from ..load.source_file import FrameFile
from ..recognise.applying import QuestionError, as_recognised, with_reading
from ..recognise.evidence import Table
from ..recognise.reading import FileReading
from ..recognise.recogniser import Question, SourceRequest, recognise
from ..recognise.sampled_values import SampledColumn
from ..recognise.sheets import Sheet, look
from ..support.errors import DataError
from .discovery import DiscoveredTable

ROLE: Final = "init"
"""The role of the files in messages."""
_MIN_LENGTH: Final = 3
"""Smallest number of rows per user with which equal lengths identify lists."""
_MIN_SHARE_OF_EQUAL_LENGTHS: Final = 0.8
_N_EXAMPLES: Final = 300
_VERSIONED: Final = ("delta", "iceberg")
_LEAST_TIME: Final = 100_000_000
"""Larger numbers are points in time, in seconds or finer."""


class ColumnSummary:
    """A column of a sample: `number` counts from 1, and `name` is its number without a header."""

    def __init__(self, sampled: SampledColumn) -> None:
        self.sampled, self.number, self.name = sampled, sampled.place, sampled.name or str(sampled.place)
        self.is_list = sampled.is_list

    @cached_property
    def usual_roles(self) -> frozenset[str]:
        """The roles (user, item, score, …) that a column of this name usually has."""
        return usual_roles(self.sampled.name or "")

    @cached_property
    def examples(self) -> tuple[str, ...]:
        """The first distinct values."""
        return tuple(dict.fromkeys(self.sampled.parts))[:_N_EXAMPLES]

    @property
    def n_distinct(self) -> int:
        """The number of distinct values."""
        return len(self.sampled.distinct)

    @cached_property
    def n_filled(self) -> int:
        """The number of rows that have a value."""
        return sum(map(bool, self.sampled.values))

    @cached_property
    def n_missing_words(self) -> int:
        """The number of values such as NA in a column of numbers."""
        return 0 if self.kind == "text" else sum(value.lower() in NO_VALUE for value in self.sampled.parts)

    @property
    def kind(self) -> Literal["integer", "decimal", "text"]:
        """Whether the values are integers, other numbers, or texts."""
        kind = self.sampled.kind
        is_number = kind in ("whole", "decimal", "comma", "time") and self._numbers
        return "integer" if kind in ("integer", "time") else "decimal" if is_number else "text"

    @property
    def decimal_comma(self) -> bool:
        """True if decimals follow a comma."""
        return self.sampled.kind == "comma"

    @cached_property
    def _numbers(self) -> list[float]:
        return sorted(number for number in self.sampled.numbers if number is not None and number == number)

    @property
    def minimum(self) -> float | None:
        """The smallest number; `None` for text."""
        return None if self.kind == "text" or not self._numbers else self._numbers[0]

    @property
    def maximum(self) -> float | None:
        """The largest number; `None` for text."""
        return None if self.kind == "text" or not self._numbers else self._numbers[-1]

    @property
    def half_steps(self) -> bool:
        """True if all values are multiples of a half, as ratings in stars are."""
        return self.kind != "text" and bool(self._numbers) and all(number * 2 % 1 == 0 for number in self._numbers)

    @property
    def holds_times(self) -> bool:
        """True for times, by the usual name of the column, by dates, or by large numbers."""
        return "timestamp" in self.usual_roles or self.sampled.kind in ("date", "time") or (self.minimum or 0) > _LEAST_TIME

    def value_counts(self) -> list[tuple[str, int]]:
        """Return the values with their numbers of rows, the most frequent first."""
        counts = Counter(value.strip() for value in self.sampled.parts)
        return sorted(((value, n) for value, n in counts.items() if value), key=lambda pair: (-pair[1], pair[0]))


class PairSummary(Struct, frozen=True):
    """The users and items of the first rows, with ids as text; each item of a list counts as a row.

    `longest` and `median_length` are numbers of rows per user; `has_equal_lengths`: nearly all users have the same number, above one.
    `has_whole_users` is true if all rows of nearly every user were read: the rows of each user are together, or the file was read to its
    end.
    """

    users: frozenset[str]
    items: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    longest: int
    median_length: int
    has_equal_lengths: bool
    has_whole_users: bool
    is_whole: bool


class TablePreview:
    """A table: its files as they are opened, and the ways to cut a sample of them into columns.

    `keys` are those that a config needs to open it. A sample of few rows is enough to say what a table is; `whole` is of 50,000 rows.
    """

    def __init__(self, place: DiscoveredTable, max_rows: int = 100_000, *, whole: bool = False) -> None:
        """Read a sample; raise `DataError` if the files are not a readable table."""
        self.place, self.max_rows, self.is_of_many = place, max_rows, whole
        self.files = [load.SourceFile.from_path(path) for path in place.paths]
        self._opened: dict[str, load.OpenedSource] = {}
        self._sheets_of: dict[Any, list[Sheet]] = {}
        self._looked: dict[tuple[str, str], load.Source] = {}
        self._pairs: list[tuple[Scan, PairSummary]] = []
        self.keys = self._format_keys()
        if not any(sheet.columns and sheet.columns[0].values for sheet in self.sheets("lists")):
            raise DataError(f"{place.path}: there are no rows")

    def opened(self, table: str) -> load.OpenedSource:
        """Return the files, opened as a run would for a kind of table."""
        if table not in self._opened:
            self._opened[table] = load.open_source(ROLE, table, [self.place.path], self.files, self.options(table))
        return self._opened[table]

    def options(self, table: str, keys: Mapping[str, Any] | None = None) -> ReadOptions:
        """Return the options of a source with these keys in a config."""
        given = {**self.keys, **(keys or {})}
        source = (ItemsSource if table == "catalogue" else RowsSource).model_validate({"path": self.place.path, **given})
        options = ReadOptions.from_config(source)
        return replace(options, format="ipc") if self.place.query is not None else options

    def _format_keys(self) -> dict[str, Any]:
        """Return the format if neither the ending nor the first bytes show it, so that the config must name it."""
        file = self.files[0]
        try:
            if not file.local.is_dir():
                sniff.format_of(file)
        except DataError:
            sniff.refuse_objects(file)
            first = sniff.head(file)[0].lstrip()
            return {"format": "json" if is_document(file) else "ndjson" if first.startswith("{") else "csv"}
        return {}

    def sheets(self, table: str) -> list[Sheet]:
        """Return the ways to cut the sample of a kind of table."""
        opened = self.opened(table)
        place = opened.files[0].path
        if place not in self._sheets_of:
            sheets = look(opened.files[0], opened.format, self.open_options(table), whole=self.is_of_many)
            if not sheets:  # Delta and Iceberg, or what cannot be read
                source = load.look(opened, self.options(table))
                rows = opening.raw(source.scan)
                kept = rows.select(name for name in rows.collect_schema().names() if name != opening.RECORD)
                sheets = look(load.SourceFile(FrameFile(kept), ROLE), "frame", ReadOptions(), whole=self.is_of_many)
            self._sheets_of[place] = sheets
        return self._sheets_of[place]

    def open_options(self, table: str) -> ReadOptions:
        """Return the options with which the recogniser is asked: it says itself whether separated text is TREC."""
        options = self.options(table)
        return replace(options, format=None) if self.keys.get("format") == "csv" else options

    def request(self, source: str, table: Table, options: ReadOptions | None = None) -> SourceRequest | None:
        """Return what the recogniser looks at; `None` for Delta and Iceberg tables, which it does not."""
        opened = self.opened(table)
        kept = self.open_options(table) if options is None else options
        return None if opened.format in _VERSIONED else SourceRequest(source, table, opened.files[0], opened.format, kept)

    def recognised(self, table: Table, beside: Sequence[SourceRequest] = ()) -> FileReading | Question | None:
        """Return how the table is read as a test set or as lists, beside others."""
        try:
            own = self.request(ROLE, table)
        except DataError:
            return None
        return recognise([*beside, own]).get(ROLE) if own is not None else None

    def sheet(self, reading: FileReading | None = None) -> Sheet:
        """Return the sample as a reading cuts it, or else in the likeliest way."""
        sheets = self.sheets("lists" if reading is None else reading.table)
        wanted = reading and (reading.header, reading.separator, reading.format)
        own = (sheet for sheet in sheets if (sheet.header, sheet.separator, sheet.format) == wanted)
        return next(own, max(sheets, key=lambda sheet: sheet.bits))

    def columns(self, reading: FileReading | None = None) -> tuple[ColumnSummary, ...]:
        """Return the columns of the sample."""
        return tuple(map(ColumnSummary, self.sheet(reading).columns))

    def look(self, table: str, options: ReadOptions) -> load.Source:
        """Return the files as they are read with options; raise `DataError` if they cannot be."""
        key = (table, repr(options))
        if key not in self._looked:
            self._looked[key] = load.look(self.opened(table), options)
        return self._looked[key]

    def source(self, table: str, found: FileReading | Question | None, keys: Mapping[str, Any] | None = None) -> load.Source:
        """Return the files as a run reads them, of a question as its first reading; raise `DataError` if they cannot be read."""
        options = self.options(table, keys) if found is None else self.open_options(table)
        if isinstance(found, Question) and len(found.readings) == 1 and found.readings[0].casts:  # ids match only so
            return self.look(table, with_reading(options, found.readings[0]))
        try:
            return as_recognised(found, partial(self.look, table), options)
        except QuestionError as error:
            return self.look(table, with_reading(options, error.questions[0].readings[0]))

    def count_rows(self, source: load.Source) -> tuple[int, bool]:
        """Return the number of rows of the files, and whether it is exact."""
        sheet = self.sheet()
        if sheet.is_complete:
            return len(sheet.columns[0].values), True
        scan = source.scan
        if scan.format in ("parquet", "ipc", *_VERSIONED):
            return int(opening.raw(scan).select(pl.len()).collect().item()), True
        return max(len(sheet.columns[0].values), expected_rows(source) or 0), False

    def pair_summary(self, source: load.Source, n_models: int = 1) -> PairSummary:
        """Summarise the first rows by user, of which each has a list of every model."""
        known = next((summary for scan, summary in self._pairs if scan is source.scan), None)
        if known is not None:
            return known
        ids = collected(rows_of(source).select("user", "item").head(self.max_rows))
        if ids is None:
            raise load.explain(source, ReadError("it cannot be read"))
        ids = ids.fill_null("")
        is_whole = ids.height < self.max_rows
        lengths = ids.group_by("user").len().get_column("len") // n_models
        counts = lengths.value_counts().get_column("count")
        median, users = int(lengths.median() or 0), frozenset(ids["user"]) - {""}  # type: ignore[arg-type]
        is_common = int(counts.max() or 0) / max(1, lengths.len()) >= _MIN_SHARE_OF_EQUAL_LENGTHS  # type: ignore[arg-type]
        summary = PairSummary(
            users=users,
            items=frozenset(ids["item"]) - {""},
            pairs=frozenset(ids.iter_rows()),
            longest=int(lengths.max() or 0),  # type: ignore[arg-type]
            median_length=median,
            has_equal_lengths=is_common and median >= _MIN_LENGTH and len(users) > 1,
            has_whole_users=is_whole or ids["user"].rle().len() < 1.1 * lengths.len(),
            is_whole=is_whole,
        )
        self._pairs.append((source.scan, summary))
        return summary


def rows_of(source: load.Source) -> pl.LazyFrame:
    """Return the canonical rows of a source, ids as text."""
    rows = opening.open_rows(source.scan)
    return rows.with_columns(pl.col(name).cast(pl.String) for name in ("user", "item") if name in source.columns)


def collected(rows: pl.LazyFrame) -> pl.DataFrame | None:
    """Collect rows; `None` if a file cannot be read."""
    try:
        return rows.collect(engine="streaming")
    except opening.FAILURES:
        return None
