"""The type of a NumPy array of any numbers, blocks of long arrays, and numbers in single precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from ..support.lazy import np

Array: TypeAlias = "np.typing.NDArray[Any]"
_BLOCK: Final = 1 << 16
"""Length of arrays of 8-byte numbers of which a few fit into the cache of a core."""


def blocks(n: int, size: int = _BLOCK) -> Iterator[slice]:
    """Return slices that cover the first `n` positions: work on such blocks stays in the cache, work on whole arrays does not."""
    return (slice(first, min(first + size, n)) for first in range(0, n, size))


def in_single_precision(values: Array) -> Array:
    """Return the numbers in 32 bits; numbers that are too large are infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)
