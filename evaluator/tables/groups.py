"""Groups of users or items that a column of a side input names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """One group of users or items: its name in the file, the code that stands for it in columns, and how many it has."""

    name: str
    code: int
    size: int
