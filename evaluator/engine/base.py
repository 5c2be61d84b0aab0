"""What an engine must do natively; everything else is written once, in narwhals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import narwhals as nw

from ..frames import Frame

Kind = Literal["integer", "text", "number", "time"]
"""How a column is read; a `time` is a number as it is, or the seconds since 1970 of a date or of its text, and null if it is neither."""
Format = Literal["csv", "lines", "ndjson", "parquet", "ipc", "delta", "table"]
"""`lines` is text of which each line is a row and no field is quoted; `table` is a table of Spark's catalog, whose path is its name."""
Order = tuple[tuple[str, bool], ...]
"""Sort keys: column and whether it descends."""

Want = Callable[[Frame], Sequence[Frame]]
"""What to compute from ranked lists: frames with `user`, `item` and `rank`, one row per row of the lists at most, or frames
without `rank` that do not depend on it."""


@dataclass(frozen=True)
class Scan:
    """How to read one source: its files, their format, and the file's name and the kind of each canonical column.

    `separator` may be several characters in `lines`; there, none at all stands for any run of spaces and tabs. `lists` are the
    canonical columns of which a row holds a list, in text split at `split`, or without it a JSON array; each value becomes a row.
    With `loose`, numbers of text are read as text, so that words such as NA count as no value, and decimals may follow a comma.
    `nulls` are texts that count as no value in any column of text. `partitions` are columns that the path of a file holds:
    path → column → value. `storage` says how to reach files that are addresses (`s3://`).
    """

    paths: tuple[str, ...]
    format: Format
    names: Mapping[str, str]
    kinds: Mapping[str, Kind]
    separator: str = ","
    header: tuple[str, ...] = ()
    has_header: bool = True
    skip_blank: bool = False
    skip_faulty: tuple[str, ...] = ()
    """Columns of which rows without a value, or with a number that is not finite, are passed over."""
    only_faulty: bool = False
    """Nothing is read but what `skip_faulty` passes over otherwise."""
    lists: frozenset[str] = frozenset()
    split: str | None = None
    loose: bool = False
    decimal_comma: bool = False
    nulls: tuple[str, ...] = ()
    partitions: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    storage: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_text(self) -> bool:
        """Whether the files hold text, of which places are lines."""
        return self.format in ("csv", "lines", "ndjson")

    @property
    def is_plain(self) -> bool:
        """Whether rows are as the files have them: without lists, words for no value, or columns that a path holds; and are here."""
        return not (self.lists or self.loose or self.nulls or self.partitions or any("://" in path for path in self.paths))


class Ranked(NamedTuple):
    """What was wanted of ranked lists, and the length of each list (`user`, `n_recommended`)."""

    frames: list[Frame]
    lengths: Frame


class ReadError(Exception):
    """A scan met something it could not read, in the words of the engine; `load` looks for the place and says it better."""


class Engine(Protocol):
    """The native verbs: *scan* a source, *ordinal* (position within a user), *collect*.

    A scan yields the canonical columns, and `row`, which numbers the rows of a source in file order. Where text is read as
    integers, what is no integer is null, and `odd_user` or `odd_item` is true wherever the text may not be the plain spelling
    of an integer.
    """

    name: str

    def scan(self, source: Scan) -> Frame:
        """Open a source without reading its rows."""
        ...

    def ordinal(self, frame: Frame, order: Order, name: str) -> Frame:
        """Add the 1-based position of each row among its user's rows under `order` (which must leave no ties)."""
        ...

    def ranked(self, lists: Frame, orders: Sequence[Order], want: Want) -> list[Ranked]:
        """Compute what `want` asks of `lists` with their `rank` under each of the `orders`.

        The source is read as few times as can be. Where two orders are seen to give the same ranks, the same object is
        returned for both.
        """
        ...

    def joined(self, rows: Frame, pairs: Frame) -> Frame:
        """The `rows` whose user and item stand in `pairs`, with the other columns of `pairs`."""
        ...

    def settle(self, frames: Sequence[Frame], *, ordered: bool = False) -> list[Frame]:
        """Compute the frames now, in one pass where the engine can, and return them for further use.

        `ordered` asks for rows to stay in order where the engine has one, so that later sums give the same bits every time.
        """
        ...

    def collect(self, frame: Frame) -> nw.DataFrame[Any]:
        """Bring a frame into this process."""
        ...

    def lift(self, frame: nw.DataFrame[Any]) -> Frame:
        """Bring a small table of this process to where the engine works; the other way round than `collect`."""
        ...

    def close(self) -> None:
        """Let go of what the engine holds."""
        ...
