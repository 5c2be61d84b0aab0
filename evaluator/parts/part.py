"""What is measured at a time: some users with all their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Part:
    """Some users with all their rows.

    `lists` has the columns user, item, row and, where the file has them, score and position. `sides` maps a role (`test`,
    `train`, `predictions`, `baseline`) to the rows that exactly these users have there. In every frame the rows of a user
    stand together, in the order of the source: `row` ascends within a user. The order of the users is arbitrary, and a user
    may be missing in any of the frames. A user belongs to one part only.
    """

    lists: pl.DataFrame
    sides: Mapping[str, pl.DataFrame]
