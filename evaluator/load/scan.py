"""`ReadOptions`: options of the config to read a source; `Scan`: all decisions on how to read it.

Both are plain values; a scan can be sent to another machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import polars as pl
from msgspec import Struct, field

from ..config import ItemsSource, RowsSource, SourceConfig
from ..config.data_sources import Columns
from ..syntax.row_filter import columns_of, parse_filter

Kind = Literal["integer", "text", "number", "time"]
"""The kind of a column; a `time` is a number unchanged, or the seconds since 1970 of a date or its text, else null."""
NumberType = Literal["whole", "real"]
"""`whole` numbers are integers of 64 bits, which are compared exactly; `real` ones are floating point in double precision."""
Format = Literal["csv", "lines", "ndjson", "parquet", "ipc", "delta", "iceberg", "table", "frame"]
"""`lines` is text with one row per line and without quoted fields; `table` is a table of Spark's catalog, whose path is its name; a
`frame` is in memory."""
FormatName = Format | Literal["trec", "tsv", "ragged", "json"]
"""A format as the config names it."""
Syntax = Literal["json", "python"]
"""The syntax of lists in brackets: JSON, or the print form of Python lists and tuples and NumPy arrays."""
Fields = Mapping[str, tuple[str, str]]
"""Name of a column of lists → its column of structs, and its field there."""
TREC_RUN: Final = ("qid", "Q0", "docno", "rank", "score", "tag")
TREC_COMMENT: Final = "#"
NO_VALUE: Final = ("", "na", "n/a", "null", "none", "nan")
"""Texts that mean a missing number, in lower case."""
BOOLEANS: Final = {
    word: number
    for number, words in (("1", "true yes y t positive pos relevant up"), ("0", "false no n f negative neg irrelevant down"))
    for word in words.split()
}
"""Texts that mean a rating of 1 or 0, in lower case."""
_NO_LISTS: Final = "none"
"""`ReadOptions.split` if a field is always one value."""
FILTER_COLUMN: Final = "where_"
"""The prefix in `Scan.names` of columns that only a filter reads: they are not columns of the rows."""
KEY_COLUMN: Final = "key_"
"""The prefix of further columns that are the id of a user together with the column `user`: `key_1`, `key_2`, …"""
_SAME_NAME: Final = ("format", "separator", "header", "decimal_comma", "encoding", "where")
"""The keys of a source in the config that are read options unchanged."""


class SharedName(str):
    """The name of a column that only some of the files have: it is used where a file has such a column."""


class ReadOptions(Struct, frozen=True):
    """Read options; `None` means detect.

    `columns` maps columns, by name or position from 1; `labels` are names of further columns, read as text that may be missing. `split`
    separates the items of a list in text, or is `none` if a text is one item. `nulls` are texts that mean a missing value. `where` is a
    filter, see `names.row_filter`: other rows are not read. `storage` has the options for remote files.

    `absent` are columns (by their names in the config) that the file does not have, whatever its names. Ids in the columns of `integers`
    (`user`, `item`) are whole numbers that may be written as 318.0. Of numbers in the columns of `ascending` (`score`) less is better.
    `label_separator` is between an item and its rating in one text. Items of `padding` only fill lists up, and are left out.
    """

    format: FormatName | None = None
    separator: str | None = None
    header: bool | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    """As from `flat_columns`: a name, a position, or, but for the user, a tuple of these."""
    labels: Sequence[str] = ()
    vectors: Sequence[str] = ()
    """Labels that may be lists of numbers, which are read as texts with spaces between the numbers."""
    split: str | None = None
    decimal_comma: bool | None = None
    nulls: tuple[str, ...] = ()
    encoding: str | None = None
    where: str | None = None
    storage: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    ascending: frozenset[str] = frozenset()
    label_separator: str | None = None
    padding: tuple[str, ...] = ()

    @classmethod
    def from_config(cls, configured: SourceConfig, labels: Sequence[str] = (), shared: Columns | None = None) -> ReadOptions:
        """Return the options of a source in the config; `shared` are the columns of all sources."""
        own, common = configured.columns, shared or Columns.model_construct()
        taken = own.given().keys() | own.absent
        ways = {role: way for role, way in common.ways.items() if role not in taken} | own.ways
        rows = configured if isinstance(configured, RowsSource) else RowsSource.model_construct()
        return cls(
            **{name: getattr(configured, name) for name in _SAME_NAME},
            columns=with_shared(own.given(), {role: name for role, name in common.given().items() if role not in own.absent}),
            absent=own.absent | (common.absent - own.given().keys()),
            integers=frozenset(role for role, way in ways.items() if way.as_integer),
            ascending=frozenset(role for role, way in ways.items() if way.ascending),
            label_separator=rows.label_separator,
            padding=rows.padding or (),
            labels=labels,
            vectors=configured.vector or () if isinstance(configured, ItemsSource) else (),
            split=rows.split,
            nulls=configured.null_values or (),
            storage=configured.storage,
        )

    @property
    def filter_columns(self) -> tuple[str, ...]:
        """The columns that the filter reads, by their names in it."""
        return columns_of(parse_filter(self.where)) if self.where else ()

    @property
    def names(self) -> list[str | int]:
        """The names and positions of all columns that the config gives, those side by side one by one."""
        return [name for given in self.columns.values() for name in (given if isinstance(given, tuple) else (given,))]

    @property
    def may_split(self) -> bool:
        """True if text may contain lists."""
        return self.split != _NO_LISTS

    @property
    def list_separator(self) -> str | None:
        """The separator of items of a list in text, if known."""
        return self.split if self.may_split else None


def flat_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping of columns in which those that name a user together are `user`, `key_1` and so on.

    A `position` in a row of a page is named `rank`, as in lists without rows.
    """
    flat: dict[str, Any] = {}
    for role, name in columns.items():
        if role == "user" and isinstance(name, list | tuple):
            first, *others = name
            flat |= {role: first} | {f"{KEY_COLUMN}{index}": other for index, other in enumerate(others, 1)}
        else:
            flat["rank" if role == "position" else role] = tuple(name) if isinstance(name, list) else name
    return flat


def with_shared(columns: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a source, flat, with those that all sources share where it names none itself."""
    others = flat_columns({role: name for role, name in shared.items() if role not in columns})
    return {role: _shared(name) for role, name in others.items()} | flat_columns(columns)


def _shared(name: Any) -> Any:
    return tuple(map(_shared, name)) if isinstance(name, tuple) else SharedName(name) if isinstance(name, str) else name


class Scan(Struct, frozen=True):
    """All decisions to read one source: its files, their format, and the name in the file and the kind of each canonical column.

    In `lines`, `separator` may be several characters; if it is empty, fields are separated by any run of spaces and tabs, and lines that
    begin with # are comments, which count as blank. `lists` are the canonical columns with lists, in text separated by `split`, or
    without it in brackets, in `list_syntax`; each value becomes a row.
    With `loose`, numbers in text are read as text, so that words such as NA mean a missing value, and decimals may follow a comma.
    `nulls` are texts that mean a missing value in any text column. `where` is a filter of rows, whose columns are read as text; they are in
    `names` as `where_0`, `where_1`, … in the order of the filter. `partitions` are columns in the paths of files: path → column → value.
    `storage` has the options for remote files (`s3://`).
    """

    paths: tuple[str, ...]
    format: Format
    names: Mapping[str, str]
    kinds: Mapping[str, Kind]
    separator: str = ","
    header: tuple[str, ...] = ()
    has_header: bool = True
    quotes: bool = True
    """In `csv`: true if a quotation mark at the start of a field quotes it; otherwise it is an ordinary character."""
    across_lines: bool = False
    """True if a quoted field spans lines."""
    has_dates: bool = False
    """True if the times are stored as dates; otherwise their unit is decided by the values."""
    numbers: Mapping[str, NumberType] = field(default_factory=dict)
    """The types of columns of numbers, if decided; otherwise text becomes floating point, and other columns keep the stored type."""
    doubts: tuple[str, ...] = ()
    """Sentences on uncertain decisions."""
    skip_blank: bool = False
    skip_faulty: tuple[str, ...] = ()
    """Columns whose rows are skipped if the value is missing or not a finite number."""
    only_faulty: bool = False
    """Only the rows are read that `skip_faulty` would skip."""
    lists: frozenset[str] = frozenset()
    vectors: frozenset[str] = frozenset()
    """The canonical columns of labels that are lists of numbers in the files, read as texts."""
    fields: Fields = field(default_factory=dict)
    """The columns that are fields of lists of structs in the files."""
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name with dots → the keys of nested objects that lead to its value, of which the first is a column of the files."""
    wide: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a column of lists → the columns side by side that have the values of each list, in their order."""
    lists_in_text: bool = False
    """True if the lists are texts, not of a list type."""
    split: str | None = None
    list_syntax: Syntax = "json"
    loose: bool = False
    decimal_comma: bool = False
    nulls: tuple[str, ...] = ()
    booleans: bool = False
    """True if the ratings in text are words, such as true and false."""
    ragged: bool = False
    """In `lines`: the second column is the rest of the line."""
    integers: frozenset[str] = frozenset()
    """The columns of ids that are whole numbers, also if written as 318.0."""
    ascending: frozenset[str] = frozenset()
    """The columns of numbers of which less is better: their numbers are read with the other sign."""
    label_separator: str = ""
    """What separates an item and its rating in the texts of the item column, if they have both."""
    padding: tuple[str, ...] = ()
    """The ids of items that only fill lists up; these rows are left out."""
    where: str = ""
    partitions: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    storage: Mapping[str, str] = field(default_factory=dict)
    frame: pl.LazyFrame | None = None
    """The rows, if the source is a frame in memory."""

    @property
    def columns(self) -> dict[str, str]:
        """Canonical column → name in the file, without columns that only the filter reads, and further columns of the users' ids."""
        return {column: name for column, name in self.names.items() if not column.startswith((FILTER_COLUMN, KEY_COLUMN))}

    @property
    def key(self) -> tuple[str, ...]:
        """The canonical columns that name a user together; empty if one does."""
        more = tuple(column for column in self.names if column.startswith(KEY_COLUMN))
        return ("user", *more) if more else ()

    @property
    def stored(self) -> dict[str, str]:
        """Name in the file → canonical column: of those that one column has, that of the rows before that of the filter, and the item."""
        columns = {name: column for column, name in self.names.items()} | {name: column for column, name in self.columns.items()}
        return {**columns, self.names["item"]: "item"} if self.label_separator else columns

    @property
    def skips_gaps(self) -> bool:
        """True if a missing item is not a fault: it only fills a row of columns side by side, or the end of a line."""
        return self.ragged or self.names.get("item") in self.wide

    @property
    def is_converted(self) -> bool:
        """True if values are read in another way than stored, as only Polars does."""
        made = self.nested or self.wide or self.ragged or self.booleans
        return bool(made or self.integers or self.ascending or self.label_separator or self.padding)

    @property
    def is_text(self) -> bool:
        """True for text files, in which places are lines."""
        return self.format in ("csv", "lines", "ndjson")

    @property
    def ignores_rest(self) -> bool:
        """True if a row may have more fields than names: words behind the tag of a TREC run."""
        return not self.separator and self.header == TREC_RUN


class ReadError(Exception):
    """A scan could not read something; the message is that of the reader, and `load` finds the place for a better one."""
