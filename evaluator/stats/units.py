"""Independent units of a comparison, and those that changed: what all guards against rare changes count."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
    def of_users(cls, n: int, n_changed: int) -> Units:
        """Count `n` independent users who count alike."""
        return cls(n, n_changed, n_changed / n if n else 0.0)

    @classmethod
    def of_weights(cls, n: int, weights: Floats | NDArray[np.integer], changed: NDArray[np.bool_]) -> Units:
        """Count `n` units of which some `changed`, by their weights w: (Σw)² / Σw² of equal weight (Kish, 1965)."""
        return cls(n, alike(weights[changed]), math.fsum(weights[changed].tolist()) / math.fsum(weights.tolist()), are_users=False)

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


def alike(weights: Floats | NDArray[np.integer]) -> float:
    """Return the number of units of equal weight with the same error as these: (Σw)² / Σw² (Kish, 1965); 0 without units."""
    squares = math.fsum((weights * weights).tolist())
    return math.fsum(weights.tolist()) ** 2 / squares if squares else 0.0
