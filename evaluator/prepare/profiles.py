"""Train users → groups by how popular the items of their profiles are."""

from __future__ import annotations

import numpy as np

from ..tables.array import Array
from ..tables.ids import Ids
from ..tables.prepared import Prepared, ProfileGroups
from .train import TrainRows


def profile_groups(prepared: Prepared, train: TrainRows, choice: ProfileGroups) -> tuple[Ids, Array]:
    """The train users, and the number of the group of each, from 1.

    Users are ordered by the share of popular items among their train items, the largest first; equals in the order of their ids, or of
    their first rows (`ties` = `first_row`). Group g ends with user round(n · (share_1 + … + share_g)).
    """
    n = len(train.users)
    popular = prepared.item_column("popular", source=choice.source, count=choice.unit, share=choice.share, ties=choice.ties)
    user, item = train.pairs
    share = np.bincount(user, popular[item], n) / np.maximum(np.bincount(user, minlength=n), 1)
    ties = train.first_row_of_users if choice.ties == "first_row" else np.arange(n)
    ends, upto = [], 0.0
    for part in choice.shares.split(";")[:-1]:
        upto += float(part)
        ends.append(round(n * upto))
    codes = np.empty(n, dtype=np.int64)
    # A user whose rank is beyond the end of g groups is in group g + 1.
    codes[np.lexsort((ties, -share))] = np.searchsorted(np.maximum.accumulate(ends) if ends else np.empty(0), np.arange(n), "right") + 1
    return train.users, codes
