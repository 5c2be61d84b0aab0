"""Groups of users or items: those that a column of a side input names, and what results are split by."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from msgspec import Struct

from ..errors import DataError

_MOST_NAMES: Final = 20
MISSING: Final = "(missing)"
"""The group of the users or items of which nothing says the group."""


class Group(Struct, frozen=True):
    """One group of users or items: its name in the file, the code that stands for it in columns, and how many it has."""

    name: str
    code: int
    size: int


def no_such_group(where: str, name: str, names: Sequence[str]) -> DataError:
    """The failure of a measure that asks for a group which nothing is in."""
    close = difflib.get_close_matches(name, names, n=1)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    held = f"the groups are {', '.join(map(repr, names[:_MOST_NAMES]))}{more}" if names else "nothing has a group there"
    return DataError(f"{where}: there is no group {name!r}; {held}", f"did you mean {close[0]!r}?" if close else None)


class GroupBy(Struct, frozen=True):
    """What results are split by, an entry of `evaluation.by`.

    `users` and `items`: a `column` of data.users or data.items; `train_count`: the number of a user's rows in data.train, where a group
    begins at each of the `borders` (ascending, from 1); `cold`: whether data.train holds the user at all.
    """

    kind: Literal["users", "items", "train_count", "cold"]
    column: str = ""
    borders: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """What the results call it: `users.plan`, `items.genre`, `train_count` or `cold`."""
        return f"{self.kind}.{self.column}" if self.column else self.kind

    @property
    def need(self) -> str:
        """The input that it looks at: a column of one, or train."""
        return self.name if self.column else "train"

    @property
    def fixed_groups(self) -> tuple[str, ...]:
        """The names of the groups that do not depend on a file; none where a column names them."""
        if self.kind == "cold":
            return ("cold", "warm")
        if self.kind == "train_count":
            inner = (f"{start}" if end == start + 1 else f"{start}-{end - 1}" for start, end in pairwise((0, *self.borders)))
            return (*inner, f"{self.borders[-1]}+")
        return ()
