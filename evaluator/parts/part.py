"""What is measured at a time: some users with all their rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from msgspec import Struct, field

from .users import Indices


class Part(Struct, frozen=True):
    """Some users with all their rows.

    `lists` has the columns user, item, row and, where the file has them, score and position. `sides` maps a role (`test`,
    `train`, `predictions`, `baseline`) to the rows that exactly these users have there. In every frame the rows of a user
    stand together, in the order of the source: `row` ascends within a user. The order of the users is arbitrary, and a user
    may be missing in any of the frames. A user belongs to one part only. `starts` says where the rows of each user begin in `lists`.
    """

    lists: pl.DataFrame
    sides: Mapping[str, pl.DataFrame]
    starts: Indices = field(default_factory=lambda: np.zeros(0, np.int64))
