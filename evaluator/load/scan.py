"""`ReadOptions`: how to read a source, as far as the config says; `Scan`: how to read it, decided.

Both are plain values; a scan can be sent to another machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import polars as pl
from msgspec import Struct, field

from ..config import RowsSource, SourceConfig
from ..names.row_filter import columns_of, parse_filter

Kind = Literal["integer", "text", "number", "time"]
"""How a column is read; a `time` is a number as it is, or the seconds since 1970 of a date or of its text, and null if it is neither."""
NumberType = Literal["whole", "real"]
"""`whole` numbers are integers of 64 bits, which are compared exactly; `real` ones are floating point in double precision."""
Format = Literal["csv", "lines", "ndjson", "parquet", "ipc", "delta", "table", "frame"]
"""`lines` is text of which each line is a row and no field is quoted; `table` is a table of Spark's catalog, whose path is its name; a
`frame` is in memory."""
FormatName = Format | Literal["trec", "tsv", "json"]
"""A format as the config names it."""
Syntax = Literal["json", "python"]
"""How lists in brackets are written: as JSON, or as Python prints lists and tuples, and NumPy arrays."""
Fields = Mapping[str, tuple[str, str]]
"""The name of a column of lists → the column of structs that holds it, and its field there."""
TREC_RUN: Final = ("qid", "Q0", "docno", "rank", "score", "tag")
TREC_COMMENT: Final = "#"
NO_VALUE: Final = ("", "na", "n/a", "null", "none", "nan")
"""Texts that are no value in a column of numbers, in lower case."""
_NO_LISTS: Final = "none"
"""`ReadOptions.split` where a field holds one value, whatever it looks like."""
FILTER_COLUMN: Final = "where_"
"""The first letters of `Scan.names` of the columns that a filter reads: these are no columns of the rows."""
_SAME_NAME: Final = ("format", "separator", "header", "decimal_comma", "encoding", "where")
"""The fields of a source's config that are read options as they are."""


class ReadOptions(Struct, frozen=True):
    """Read options; `None` means detect.

    `columns` says which column is which, by name or position from 1; `labels` are names of further columns, read as text that may be
    missing. `split` separates the items of a list in text, or is `none` where a text is one item. `nulls` are texts that count as no value.
    `where` is a filter, see `names.row_filter`: other rows are not read. `storage` says how to reach files that are addresses.
    """

    format: FormatName | None = None
    separator: str | None = None
    header: bool | None = None
    columns: Mapping[str, str | int] = field(default_factory=dict)
    labels: Sequence[str] = ()
    split: str | None = None
    decimal_comma: bool | None = None
    nulls: tuple[str, ...] = ()
    encoding: str | None = None
    where: str | None = None
    storage: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, configured: SourceConfig, labels: Sequence[str] = ()) -> ReadOptions:
        """Return what the config says of a source."""
        return cls(
            **{name: getattr(configured, name) for name in _SAME_NAME},
            columns=configured.columns.given(),
            labels=labels,
            split=configured.split if isinstance(configured, RowsSource) else None,
            nulls=configured.null_values or (),
            storage=configured.storage,
        )

    @property
    def filter_columns(self) -> tuple[str, ...]:
        """The columns that the filter reads, by their names in it."""
        return columns_of(parse_filter(self.where)) if self.where else ()

    @property
    def may_split(self) -> bool:
        """Whether text may hold lists at all."""
        return self.split != _NO_LISTS

    @property
    def list_separator(self) -> str | None:
        """What separates the items of a list in text, as far as that is known."""
        return self.split if self.may_split else None


class Scan(Struct, frozen=True):
    """How to read one source: its files, their format, and the file's name and the kind of each canonical column.

    `separator` may be several characters in `lines`; there, none at all stands for any run of spaces and tabs, and
    lines that begin with # are comments, which count as blank. `lists` are the
    canonical columns of which a row holds a list, in text split at `split`, or without it in brackets, as `list_syntax` says; each value
    becomes a row.
    With `loose`, numbers of text are read as text, so that words such as NA count as no value, and decimals may follow a comma.
    `nulls` are texts that count as no value in any column of text. `where` is a filter of rows, whose columns are read as text; they
    are in `names` as `where_0`, `where_1`, … in the order of the filter. `partitions` are columns that the path of a file holds:
    path → column → value. `storage` says how to reach files that are addresses (`s3://`).
    """

    paths: tuple[str, ...]
    format: Format
    names: Mapping[str, str]
    kinds: Mapping[str, Kind]
    separator: str = ","
    header: tuple[str, ...] = ()
    has_header: bool = True
    quotes: bool = True
    """Whether a quotation mark at the start of a field quotes it, in `csv`; elsewhere it is a character like others."""
    across_lines: bool = False
    """Whether a quoted field spans lines."""
    numbers: Mapping[str, NumberType] = field(default_factory=dict)
    """The type of columns of numbers where it was decided; of others, text is floating point, and anything else is as it is stored."""
    doubts: tuple[str, ...] = ()
    """What was not certain when all this was decided, a sentence each."""
    skip_blank: bool = False
    skip_faulty: tuple[str, ...] = ()
    """Columns of which rows without a value, or with a number that is not finite, are passed over."""
    only_faulty: bool = False
    """Nothing is read but what `skip_faulty` passes over otherwise."""
    lists: frozenset[str] = frozenset()
    fields: Fields = field(default_factory=dict)
    """The columns that are fields of lists of structs in the files."""
    lists_in_text: bool = False
    """Whether the lists are texts, and not of a type of lists."""
    split: str | None = None
    list_syntax: Syntax = "json"
    loose: bool = False
    decimal_comma: bool = False
    nulls: tuple[str, ...] = ()
    where: str = ""
    partitions: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    storage: Mapping[str, str] = field(default_factory=dict)
    frame: pl.LazyFrame | None = None
    """The rows themselves, where the source is a frame in memory."""

    @property
    def columns(self) -> dict[str, str]:
        """The file's names of the canonical columns, without those that only the filter reads."""
        return {column: name for column, name in self.names.items() if not column.startswith(FILTER_COLUMN)}

    @property
    def stored(self) -> dict[str, str]:
        """The canonical column of every name in the file; of a column that the filter reads too, that of the rows."""
        return {name: column for column, name in self.names.items()} | {name: column for column, name in self.columns.items()}

    @property
    def is_text(self) -> bool:
        """Whether the files hold text, of which places are lines."""
        return self.format in ("csv", "lines", "ndjson")

    @property
    def ignores_rest(self) -> bool:
        """Whether a row may have more fields than there are names: words behind the tag of a TREC run."""
        return not self.separator and self.header == TREC_RUN

    @property
    def is_plain(self) -> bool:
        """Whether rows are as the files have them: without lists, words for no value, or columns that a path holds; and are here."""
        return not (self.lists or self.loose or self.nulls or self.where or self.partitions or any("://" in path for path in self.paths))


class ReadError(Exception):
    """A scan met something it could not read, in the words of the reader; `load` looks for the place and says it better."""
