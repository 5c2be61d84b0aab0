"""`ReadOptions`: how to read a source, as far as the config says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

from .folders import Partition, common_columns
from .scan import Format

FormatName = Format | Literal["trec", "tsv", "json"]
"""A format as the config names it."""


class ReadOptions(Struct, frozen=True):
    """Read options; `None` means detect. `labels` are names of further columns, read as text."""

    format: FormatName | None = None
    separator: str | None = None
    header: bool | None = None
    columns: Mapping[str, str | int] = field(default_factory=dict)
    labels: Sequence[str] = ()
    split: str | None = None
    may_split: bool = True
    """Whether text may hold lists at all."""
    decimal_comma: bool | None = None
    nulls: tuple[str, ...] = ()
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    """The columns that the path of each file holds."""
    quotes: bool = True
    """Whether a quotation mark at the start of a field quotes it, as the marks of the files say."""
    across_lines: bool = False
    """Whether a quoted field spans lines."""
    storage: Mapping[str, str] = field(default_factory=dict)

    def path_columns(self, stored: Iterable[str], has_header: bool = True) -> list[str]:
        """The names of the columns that paths hold and files do not; a column `stored` in a file wins.

        Without a header they are columns only where the config names any.
        """
        names = common_columns(list(self.partitions.values())) if has_header or self.columns else []
        return [name for name in names if name not in set(stored)]

    def partitions_of(self, names: Mapping[str, str], stored: Iterable[str]) -> Mapping[str, Partition]:
        """Path → column → value, for those columns of `names` that paths hold; empty if they hold none."""
        wanted = set(names.values()) & set(self.path_columns(stored))
        return {path: {name: values[name] for name in sorted(wanted)} for path, values in self.partitions.items()} if wanted else {}
