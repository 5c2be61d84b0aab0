"""Users who belong together, such as those of a household: they are not as many independent observations as they are users."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ..sums.exact import ExactSums
from ..sums.group_sums import exact_group_sums
from .estimates import Estimate
from .paired import Floats

FEW_CLUSTERS: Final = "Fewer than 30 clusters: the interval is rough."
_FEW: Final = 30


def with_clusters(estimate: Estimate, differences: Floats, clusters: NDArray[np.integer]) -> Estimate:
    """The same estimate with the standard error of clusters (Liang and Zeger, 1986; Miller, 2024).

    SE² = G/(G - 1) · Σ_g (Σ_{u in g} (d_u - mean d))² / n² with G clusters, and G - 1 degrees of freedom.

    Edge cases: one cluster alone has no interval.
    """
    assert estimate.difference is not None
    _, codes = np.unique(clusters, return_inverse=True)
    n, n_clusters = len(differences), int(codes.max(initial=-1)) + 1
    if n_clusters < 2:
        note = "All users are of one cluster: there is no interval."
        return replace(estimate, confidence=None, se=None, df=None, statistic=None, p=None, relative=None, notes=(*estimate.notes, note))
    rests = exact_group_sums(differences, codes, n_clusters) - np.bincount(codes) * estimate.difference
    squares = float(ExactSums.of_squares(rests[np.newaxis]).values()[0])
    se = math.sqrt(n_clusters / (n_clusters - 1) * squares) / n if estimate.sd else 0.0
    relative = replace(estimate.relative, low=None, high=None) if estimate.relative else None
    notes = (*estimate.notes, FEW_CLUSTERS) if n_clusters < _FEW else estimate.notes
    return replace(estimate.with_t(se, n_clusters - 1), relative=relative, units=n_clusters, notes=notes)
