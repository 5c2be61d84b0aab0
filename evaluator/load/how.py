"""How a source is to be read: what the config says of it, where it says anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .folders import Partition, names_in
from .scan import Format

Said = Format | Literal["trec", "tsv"]
"""A format as the config names it."""


@dataclass(frozen=True)
class How:
    """What is said of a source; what is `None` is found out. `labels` are names of further columns, read as text."""

    format: Said | None = None
    separator: str | None = None
    header: bool | None = None
    columns: Mapping[str, str | int] = field(default_factory=dict)
    labels: Sequence[str] = ()
    split: str | None = None
    decimal_comma: bool | None = None
    nulls: tuple[str, ...] = ()
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    """What the path of each file holds."""
    storage: Mapping[str, str] = field(default_factory=dict)

    def in_paths(self, stored: Iterable[str], has_header: bool = True) -> list[str]:
        """The names of the columns that paths hold and files, which win, do not have `stored`.

        Without a header they are columns only where the config names any.
        """
        names = names_in(list(self.partitions.values())) if has_header or self.columns else []
        return [name for name in names if name not in set(stored)]

    def used(self, names: Mapping[str, str], stored: Iterable[str]) -> Mapping[str, Partition]:
        """What paths hold of the columns `names` of a source, if anything."""
        wanted = set(names.values()) & set(self.in_paths(stored))
        return {path: {name: values[name] for name in sorted(wanted)} for path, values in self.partitions.items()} if wanted else {}
