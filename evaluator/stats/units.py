"""Independent units of a comparison, and those that changed: what all guards against rare changes count."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

FEW_BELOW: Final = 10
"""If fewer units than this changed, there is no verdict: those that change most may be missing. P is exact if possible."""
SPARSE_BELOW: Final = 100
"""If fewer units than this changed, their skewness is known too roughly, and a large change may be missing."""


class Units(Struct, frozen=True):
    """Independent units of a comparison: all guards against rare changes count these.

    `n` is their number: of users, of clusters, or of users of equal weight that give the same error. `changed` is the number of those that
    changed, also in units of equal weight, and `share` their share of the whole weight. `are_users` is false if a unit is a group of users,
    or if users have different weights.
    """

    n: int
    changed: float
    share: float
    are_users: bool = True

    @classmethod
    def from_users(cls, n: int, n_changed: int) -> Units:
        """Count `n` independent users who count alike."""
        return cls(n, n_changed, n_changed / n if n else 0.0)

    @property
    def are_few(self) -> bool:
        """True if too few units changed for a verdict; those of groups or weights may be few if most of them changed."""
        return self.changed < FEW_BELOW and (self.are_users or self.share < 0.5)

    @property
    def are_sparse(self) -> bool:
        """True if too few units changed to estimate the skewness of their changes well."""
        return self.changed < SPARSE_BELOW

    @property
    def are_rare(self) -> bool:
        """True if few units changed, and less than a tenth of all."""
        return self.changed < SPARSE_BELOW and self.share < 0.1
