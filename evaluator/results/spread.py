"""`Spread`: how the values of users, or their differences, are spread."""

from __future__ import annotations

from msgspec import Struct

from .description import HistogramBin


class Spread(Struct, frozen=True):
    """A histogram of the values of users in one measure, or of their differences from `base`.

    `zero` users have the value 0, or did not change; the `bins` hold all others, and 0 is the border of two of them.
    """

    measure: str
    model: str
    base: str | None
    higher_is_better: bool | None
    n_users: int
    zero: int
    bins: tuple[HistogramBin, ...]
