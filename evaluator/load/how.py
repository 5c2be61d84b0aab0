"""How a source is to be read: what the config says of it, where it says anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..engine.base import Format

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
