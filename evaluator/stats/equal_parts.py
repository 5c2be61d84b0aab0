"""Numbers → the borders of groups of about equal size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def equal_parts(numbers: NDArray[Any], n_groups: int) -> tuple[Any, ...]:
    """Return the numbers at which groups of about equal size start, without the first; equal numbers are in the same group.

    A group starts at the number that is nearest to an equal part, at the smaller one of two that are as near. Fewer than `n_groups` groups
    if this is the same number for several of them.
    """
    starts, sizes = np.unique(numbers, return_counts=True)
    if len(starts) < 2:
        return ()
    below = np.cumsum(sizes)[:-1]
    nearest = {int(np.argmin(np.abs(below * n_groups - part * sizes.sum()))) for part in range(1, n_groups)}
    return tuple(starts[index + 1].item() for index in sorted(nearest))
