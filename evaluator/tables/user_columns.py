"""Groups of users: those that a column of data.users names, by how popular the items of a user's profile are, and by train rows."""

from __future__ import annotations

import numpy as np
import polars as pl

from .array import Array
from .graph import table
from .groups import GroupBy
from .ids import Ids
from .part import PartData
from .prepared import Prepared, ProfileGroups


@table("user_group", uses=("part", "prepared"), params=("column",))
def user_group(part: PartData, prepared: Prepared, column: str) -> Array:
    """The code of each user's group in a column of data.users; 0 for a user without one."""
    return _codes_of(prepared.group_users[column], prepared.user_groups[column], part.users)


@table("popularity_group", uses=("part", "prepared"), params=("source", "unit", "share", "ties", "shares"))
def popularity_group(part: PartData, prepared: Prepared, source: str, unit: str, share: float, ties: str, shares: str) -> Array:
    """The number of each user's group, users being ordered by the share of popular items in their train items; 0 for others."""
    users, codes = prepared.profile_groups[ProfileGroups(source, unit, share, ties, shares)]
    return _codes_of(users, codes, part.users)


def _codes_of(known: Ids, codes: Array, users: pl.Series) -> Array:
    """The code of each of `users`, 0 for those who are not known."""
    codes_of_users: Array = np.append(codes, 0)[known.index_of(users)]
    return codes_of_users


def user_codes(by: GroupBy, part: PartData, prepared: Prepared) -> Array:
    """The code of each user's group, from 1 in the order of the groups; 0 for a user of whom data.users does not say the group."""
    if by.kind == "users":
        membership = prepared.memberships[by]
        return _codes_of(membership.ids, membership.code, part.users)
    n_train = part.rows("train").counts
    if by.kind == "cold":
        return np.where(n_train > 0, 2, 1)
    return np.searchsorted(np.asarray(by.borders), n_train, "right") + 1
