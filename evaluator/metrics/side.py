"""What a definition may ask of the side inputs: numbers, groups, and columns of items and of users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..naming import Scalar

Params = tuple[tuple[str, Scalar], ...]
"""Parameters of a request, in the order of their names."""


def params(given: Mapping[str, Scalar]) -> Params:
    """`given` as a key."""
    return tuple(sorted(given.items()))


@dataclass(frozen=True)
class Group:
    """One group of users or items: its name in the file, the code that stands for it in columns, and how many it has."""

    name: str
    code: int
    size: int


@dataclass(frozen=True)
class Side:
    """What is known of the side inputs as a whole, once they are read.

    `numbers`: `train_users`, `train_rows`, `train_items`, `items` (of the catalogue), `categories`, and others that a definition
    names; `groups` by column (`users.activity`, `items.popularity`). Where no file is read yet every number is 1 and
    there are two groups of one, so that a definition can be checked.
    """

    numbers: Mapping[str, float] = field(default_factory=dict)
    groups: Mapping[str, tuple[Group, ...]] = field(default_factory=dict)
    kinds: tuple[int, ...] = ()
    """The distinct sets of categories that items have, as bits, where there are few; else empty."""

    def number(self, name: str) -> float:
        """A number."""
        return self.numbers.get(name, 1.0)

    def groups_of(self, column: str) -> tuple[Group, ...]:
        """The groups that a column names."""
        return self.groups.get(column, (Group("1", 1, 1), Group("2", 2, 1)))
