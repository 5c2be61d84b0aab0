"""`ReadOptions`: how to read a source, as far as the config says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

from ..config import RowsSource, SourceConfig
from .list_text import NO_LISTS
from .scan import Format

FormatName = Format | Literal["trec", "tsv", "json"]
"""A format as the config names it."""


class ReadOptions(Struct, frozen=True):
    """Read options; `None` means detect.

    `columns` says which column is which, by name or position from 1; `labels` are names of further columns, read as text that may be
    missing. `split` separates the items of a list in text, or is `none` where a text is one item. `nulls` are texts that count as no value.
    `storage` says how to reach files that are addresses.
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
    storage: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, configured: SourceConfig, labels: Sequence[str] = ()) -> ReadOptions:
        """What the config says of a source."""
        return cls(
            format=configured.format,
            separator=configured.separator,
            header=configured.header,
            columns=configured.columns.given(),
            labels=labels,
            split=configured.split if isinstance(configured, RowsSource) else None,
            decimal_comma=configured.decimal_comma,
            nulls=configured.null_values or (),
            encoding=configured.encoding,
            storage=configured.storage,
        )

    @property
    def may_split(self) -> bool:
        """Whether text may hold lists at all."""
        return self.split != NO_LISTS

    @property
    def list_separator(self) -> str | None:
        """What separates the items of a list in text, as far as that is known."""
        return self.split if self.may_split else None
