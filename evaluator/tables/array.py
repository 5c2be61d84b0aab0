"""The type of a NumPy array of any numbers, numbers in single precision, and how long arrays are walked through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_BLOCK: Final = 1 << 16
"""Numbers of eight bytes of which a few arrays fit into the cache of a core."""


def blocks(n: int, size: int = _BLOCK) -> Iterator[slice]:
    """Slices that together are the first `n` places: steps over such pieces stay in the cache, steps over whole arrays do not."""
    return (slice(first, min(first + size, n)) for first in range(0, n, size))


def in_single_precision(values: Array) -> Array:
    """Numbers of 32 bits; those that are too large for them are infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)
