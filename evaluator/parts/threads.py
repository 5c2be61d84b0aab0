"""Parts measured side by side: while one is measured the next one is, and the one after is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Final, TypeVar

import polars as pl

from .part import Part

MOST_THREADS: Final = 2
"""More parts at a time would take more memory and wait for each other: only what NumPy and Polars do runs side by side."""
T = TypeVar("T")


def n_polars_threads() -> int:
    """How many threads Polars has, which `POLARS_MAX_THREADS` limits."""
    return pl.thread_pool_size()


def side_by_side(measure: Callable[[Part], T], parts: Iterator[Part], n_threads: int | None = None) -> Iterator[T]:
    """Yield what `measure` makes of each part, in the order of the parts; a single part is measured in the thread of the caller.

    `n_threads` parts are measured at a time, by default two where Polars has two threads or more. What `parts` or `measure` raises is
    raised as soon as it is met.
    """
    first = list(islice(parts, 2))
    n = min(MOST_THREADS, pl.thread_pool_size()) if n_threads is None else n_threads
    if len(first) < 2 or n < 2:
        yield from map(measure, chain(first, parts))
        return
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(n) as pool:
        for part in chain(_emptied(first), parts):
            waiting.append(pool.submit(measure, part))
            del part
            if len(waiting) > n - 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _emptied(parts: list[Part]) -> Iterator[Part]:
    """Yield the parts of a list, which then holds them no longer."""
    while parts:
        yield parts.pop(0)
