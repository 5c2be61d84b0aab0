"""Which users, or items, stand in the groups of a column that results are split by."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from .array import Array
from .groups import Group
from .ids import Ids


class Membership(Struct, frozen=True, eq=False):
    """Each `member`, an index into `ids`, has the group with this `code`, from 1: a user one group at most, an item maybe several."""

    groups: tuple[Group, ...]
    ids: Ids
    member: Array
    code: Array

    def mask(self, code: int) -> Array:
        """Whether each of the ids, and at the end one that is not known, has the group with this code; 0: no group at all."""
        mask = np.zeros(len(self.ids) + 1, dtype=np.bool_)
        mask[self.member if code == 0 else self.member[self.code == code]] = True
        return ~mask if code == 0 else mask
