"""What `receval init` sees in files, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Column:
    """One column of the rows that were seen.

    `place` counts from 1; `usual` are the roles whose usual names it has. Of numbers there are `least` and `most`, and whether all are
    multiples of a half (`stepped`), whether decimals follow a `comma`, and how many values are words such as NA (`no_value`); `values` are
    the first distinct ones, as text. A column is `listed` if a row holds a list of values; `filled` are the rows that miss none of them.
    `holds` says whether any of some ids stands in it, in all rows of the file.
    """

    name: str
    place: int
    usual: frozenset[str]
    kind: Literal["integer", "decimal", "text"]
    distinct: int
    filled: int
    least: float | None = None
    most: float | None = None
    stepped: bool = False
    values: tuple[str, ...] = ()
    listed: bool = False
    comma: bool = False
    no_value: int = 0
    holds: Callable[[Collection[str]], bool] = field(default=lambda _: False, compare=False, repr=False)


@dataclass(frozen=True)
class Glance:
    """A file, or the parts of a table, as far as it was seen.

    `label` is its path below the folder that all files share; `stated` what a config must say for the file to be read. `n_rows` is
    an estimate, or the least, unless `exact`; `n_seen` of them were seen. `nested` are columns whose rows hold neither a value nor a list
    of values, which are not among `columns`. `table` is what the form of the file alone says that it is, as that of a TREC run does.
    """

    given: str
    label: str
    paths: tuple[Path, ...]
    columns: tuple[Column, ...]
    header: bool
    stated: Mapping[str, Any]
    n_rows: int
    exact: bool
    n_seen: int
    nested: tuple[str, ...] = ()
    table: str | None = None


@dataclass(frozen=True)
class Shape:
    """What the rows that were seen say of users and items, ids being the text that stands there; each item of a list counts as a row.

    `longest` and `median` are numbers of rows per user, `even` is the share of users who have the commonest number. `counting` names the
    columns that number each user's rows from 0 or 1, `falling` those that never rise within a user's rows. `whole`: all rows of
    nearly every user were seen, since each user's stand together, or the file was seen to its end.
    """

    users: frozenset[str]
    items: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    longest: int
    median: int
    even: float
    counting: frozenset[str]
    falling: frozenset[str]
    whole: bool


@dataclass(frozen=True)
class File:
    """A file, the columns it is taken to have, and what it is taken to be: a table of `tables`, or none, and `why`.

    `bare` lists are told by nothing but their equal lengths. `doubts` are sentences on what might be otherwise.
    """

    glance: Glance
    columns: Mapping[str, Column]
    shape: Shape | None
    table: str | None
    why: str
    doubts: tuple[str, ...] = ()
    bare: bool = False


@dataclass(frozen=True)
class Entry:
    """What a config says of one file: its keys (`path` left out), and a comment."""

    file: File
    keys: Mapping[str, Any]
    comment: str


@dataclass(frozen=True)
class Guess:
    """A config to write, what to say of each file, and what is unsure.

    `data` goes by the key of the data section; `others` are files that could have had a key. `lines` have one `(file, what it is)`
    per file. `problem` says why there is nothing to write.
    """

    data: Mapping[str, Entry] = field(default_factory=dict)
    models: Mapping[str, Entry] = field(default_factory=dict)
    others: tuple[tuple[str, Entry], ...] = ()
    threshold: float | None = None
    on_relevance: str = ""
    top_k: tuple[int, ...] = ()
    on_top_k: str = ""
    metrics: tuple[tuple[str, str], ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    doubts: tuple[str, ...] = ()
    problem: str = ""
