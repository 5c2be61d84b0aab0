"""Groups of users by their rows in data.train: how popular their items are, how long ago their last row was, what they began with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..stats.equal_parts import equal_parts
from ..support.errors import DataError
from ..tables.array import Array
from ..tables.ids import Ids
from ..tables.prepared import Group, GroupBy, Membership, Prepared

_POPULAR: Final = 0.2
"""Share of the items of data.train that are popular."""
_DAY: Final = 86_400.0


class Profiles(Struct, frozen=True, eq=False):
    """The distinct pairs of train as indexes of users and items, and the rows with their times, NaN for a row without one."""

    prepared: Prepared
    users: Ids
    user: Array
    item: Array
    row_user: Array
    row_item: Array
    times: Array | None

    @property
    def n_items(self) -> Array:
        """Number of different items of each user."""
        return np.bincount(self.user, minlength=len(self.users))


def popular_share(profiles: Profiles) -> Array:
    """Return the share of popular items among the different train items of each user."""
    popular = profiles.prepared.item_column("popular", source="train", count="users", share=_POPULAR, ties="id")
    return np.asarray(np.bincount(profiles.user, popular[profiles.item], len(profiles.users)) / profiles.n_items)


def mainstreamness(profiles: Profiles) -> Array:
    """Return the mean popularity of the different train items of each user: the share of all train users who have the item."""
    users = profiles.prepared.train_users[profiles.item]
    return np.asarray(np.bincount(profiles.user, users, len(profiles.users)) / (profiles.n_items * len(profiles.users)))


def recency(profiles: Profiles) -> Array:
    """Return the days from the last train row of each user to the last one of all; NaN for a user without times."""
    assert profiles.times is not None
    last = _user_times(profiles, np.fmax, -np.inf)
    latest = float(last.max(initial=-np.inf))
    day = _DAY * profiles.prepared.time_unit.per_second
    return np.where(np.isfinite(last), (latest - last) / day, np.nan)


def _user_times(profiles: Profiles, extreme: np.ufunc, start: float) -> Array:
    """Return the first or the last time of each user."""
    assert profiles.times is not None
    found = np.full(len(profiles.users), start)
    extreme.at(found, profiles.row_user, profiles.times)
    return found


def first_category(profiles: Profiles) -> Array:
    """Return the code of the first category, in text order, of each user's first train item; 0 for none.

    Of several rows with the first time, the one with the first item id counts.
    """
    assert profiles.times is not None
    n_items = len(profiles.prepared.items)
    first = profiles.times == _user_times(profiles, np.fmin, np.inf)[profiles.row_user]
    items = np.full(len(profiles.users), n_items)
    np.minimum.at(items, profiles.row_user[first], profiles.row_item[first])
    codes = np.zeros(n_items + 1, dtype=np.int64)
    # Categories of an item are in ascending order: written backwards, the first one stays.
    codes[profiles.prepared.category_item[::-1]] = profiles.prepared.category_code[::-1]
    return np.asarray(codes[items])


_NUMBERS: Final[dict[str, Callable[[Profiles], Array]]] = {
    "popular_share": popular_share,
    "mainstreamness": mainstreamness,
    "recency": recency,
}
_TIMED: Final = ("recency", "first_category")


def profile_memberships(groupings: Iterable[GroupBy], profiles: Profiles, tested: pl.Series) -> tuple[dict[GroupBy, Membership], list[str]]:
    """Return the members of each group of each grouping, and remarks if ties make fewer groups than wanted.

    `tested` are the users of the test rows: groups are of about equal size among those of them that train has.

    Raises `DataError` for a grouping by times if no train row has one.
    """
    made, remarks = {}, list[str]()
    own = profiles.users.index_of(tested.unique())
    own = own[own >= 0]
    for by in groupings:
        if by.kind in _TIMED and (profiles.times is None or not np.isfinite(profiles.times).any()):
            raise DataError(f"data.train: {by.name} needs the times of train rows", "name their column with columns: {timestamp: NAME}")
        if by.kind == "first_category":
            codes = first_category(profiles)
            known = profiles.prepared.groups["categories"]
            sizes = np.bincount(codes, minlength=max((group.code for group in known), default=0) + 1)
            groups = tuple(Group(group.name, group.code, int(sizes[group.code])) for group in known)
        else:
            numbers = _NUMBERS[by.kind](profiles)
            among = numbers[own]
            borders = equal_parts(among[np.isfinite(among)], by.n_groups)
            codes = np.where(np.isfinite(numbers), np.searchsorted(np.asarray(borders), numbers, "right") + 1, 0)
            sizes = np.bincount(codes, minlength=len(borders) + 2)
            groups = tuple(Group(name, code, int(sizes[code])) for code, name in enumerate(range_names(borders), 1))
            if len(groups) < by.n_groups:
                n = len(groups)
                remarks.append(f"{by.name} has {n} group{'s' * (n > 1)} instead of {by.n_groups}, because many users have the same value.")
        members = np.flatnonzero(codes)
        made[by] = Membership(groups, profiles.users, members, codes[members])
    return made, remarks


def range_names(borders: Iterable[float]) -> list[str]:
    """Return the names of groups of numbers from 0 on that start at each border, with the digits that tell the borders apart."""
    starts = list(borders)
    texts = [f"{start:.17g}" for start in starts]
    for digits in range(3, 17):
        texts = [f"{start:.{digits}g}" for start in starts]
        if len(set(texts)) == len(texts):
            break
    return [*(f"{low}-{high}" for low, high in pairwise(("0", *texts))), f"{('0', *texts)[-1]}+"]
