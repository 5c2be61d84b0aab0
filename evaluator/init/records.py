"""The records of `receval init`: what a file shows, what it is classified as, and the config that is guessed from all files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field


class ColumnSummary(Struct, frozen=True):
    """One column of the rows that were previewed.

    `number` counts from 1. `usual_roles` are the roles (user, item, score, …) that a column of this name usually has. `examples` are the
    first distinct values, as text. `n_filled` counts the rows that have a value. A column `is_list` if a row holds a list of values.

    Columns of numbers have a `minimum` and a `maximum`; `half_steps` is true if all values are multiples of a half, as ratings in stars
    are; `decimal_comma` if decimals follow a comma; `n_missing_words` counts values such as NA.

    `contains_any` says whether any of some ids stands in the column, in all rows of the file.
    """

    name: str
    number: int
    usual_roles: frozenset[str]
    kind: Literal["integer", "decimal", "text"]
    n_distinct: int
    n_filled: int
    minimum: float | None = None
    maximum: float | None = None
    half_steps: bool = False
    examples: tuple[str, ...] = ()
    is_list: bool = False
    decimal_comma: bool = False
    n_missing_words: int = 0
    contains_any: Callable[[Collection[str]], bool] = lambda _: False


class Query(Struct, frozen=True):
    """The query of a config that reads a table of a database: the kind of database, its file, and the statement."""

    scheme: str
    path: str
    statement: str


class FileSummary(Struct, frozen=True):
    """A file, or the parts of one table, with the columns of its first rows.

    `path` is how a config names it: a path or a glob. `label` is its path below the folder that all files share. `read_keys` are the
    keys that a config needs to read it. `n_rows` is exact if `n_rows_exact`, otherwise an estimate or a lower bound; `n_previewed` rows
    were read. `nested_columns` hold neither values nor lists of values; they are not among `columns`. `table` is set where the format
    alone decides what the file holds, as that of a TREC run does. `is_by_user`: a JSON document with an entry per user. `query` is set
    for a table of a database.
    """

    path: str
    label: str
    paths: tuple[Path, ...]
    columns: tuple[ColumnSummary, ...]
    has_header: bool
    read_keys: Mapping[str, Any]
    n_rows: int
    n_rows_exact: bool
    n_previewed: int
    nested_columns: tuple[str, ...] = ()
    table: str | None = None
    is_by_user: bool = False
    query: Query | None = None


class PairSummary(Struct, frozen=True):
    """The users and items of the previewed rows, with ids as text; each item of a list counts as a row.

    `longest` and `median_length` are numbers of rows per user; `share_of_commonest_length` is the share of users who have the commonest
    number of rows. `counting_columns` number each user's rows from 0 or 1; `falling_columns` never rise within a user's rows.
    `has_whole_users` is true if all rows of nearly every user were read: the rows of each user are contiguous, or the file was read to
    its end.
    """

    users: frozenset[str]
    items: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    longest: int
    median_length: int
    share_of_commonest_length: float
    counting_columns: frozenset[str]
    falling_columns: frozenset[str]
    has_whole_users: bool


class ClassifiedFile(Struct, frozen=True):
    """A file, its columns by role, and the kind of table it is classified as (none if unknown), with the reason.

    `doubts` are sentences on what might be wrong. `is_told_by_length` marks lists that only the equal number of rows per user gives away.
    """

    summary: FileSummary
    columns: Mapping[str, ColumnSummary]
    pair_summary: PairSummary | None
    table: str | None
    reason: str
    doubts: tuple[str, ...] = ()
    is_told_by_length: bool = False

    @property
    def by_user(self) -> PairSummary:
        """The rows by user, of a file that has columns of users and items."""
        assert self.pair_summary is not None
        return self.pair_summary


class SourceEntry(Struct, frozen=True):
    """The entry of one file in the data section of a config: its keys (without `path`) and a comment."""

    file: ClassifiedFile
    keys: Mapping[str, Any]
    comment: str


class GuessedConfig(Struct, frozen=True):
    """The parts of a guessed config, a description of every file, and what is uncertain.

    `data` goes by the key of the data section, `models` by the name of the model. `alternatives` are files that could have had a key
    instead. `descriptions` are pairs of a file and what it is used as. `problem` says why no config can be written; then `data` and
    `models` are empty.
    """

    data: Mapping[str, SourceEntry] = field(default_factory=dict)
    models: Mapping[str, SourceEntry] = field(default_factory=dict)
    alternatives: tuple[tuple[str, SourceEntry], ...] = ()
    threshold: float | None = None
    threshold_reason: str = ""
    top_k: tuple[int, ...] = ()
    top_k_reason: str = ""
    metrics: tuple[tuple[str, str], ...] = ()
    descriptions: tuple[tuple[str, str], ...] = ()
    doubts: tuple[str, ...] = ()
    problem: str = ""
