"""The order of equal scores in libraries whose sort decides it."""

from __future__ import annotations

import polars as pl

_SMALL = 15


def numba_argsort(values: list[float]) -> list[int]:
    """Return the ascending order of numba's argsort, by which ranx sorts: median of three, insertion sort of short runs."""
    order = list(range(len(values)))
    stack = [(0, len(values) - 1)] if values else []
    while stack:
        low, high = stack.pop()
        while high - low >= _SMALL:
            middle = _partition(values, order, low, high)
            if high - middle > middle - low:
                stack.append((middle + 1, high))
                high = middle - 1
            else:
                stack.append((low, middle - 1))
                low = middle + 1
        for place in range(low + 1, high + 1):
            key, at = order[place], place
            while at > low and values[key] < values[order[at - 1]]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = key
    return order


def _partition(values: list[float], order: list[int], low: int, high: int) -> int:
    middle = (low + high) >> 1
    for later, other in ((middle, low), (high, middle), (middle, low)):
        if values[order[later]] < values[order[other]]:
            order[later], order[other] = order[other], order[later]
    pivot = values[order[middle]]
    order[high], order[middle] = order[middle], order[high]
    left, right = low, high - 1
    while True:
        while left < high and values[order[left]] < pivot:
            left += 1
        while right >= low and pivot < values[order[right]]:
            right -= 1
        if left >= right:
            break
        order[left], order[right] = order[right], order[left]
        left, right = left + 1, right - 1
    order[left], order[high] = order[high], order[left]
    return left


def as_ranx(lists: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of every list in the order of ranx: sorted when they are read, and again by make_comparable."""
    return _sorted(_sorted(lists))


def _sorted(lists: pl.DataFrame) -> pl.DataFrame:
    places = lists.with_row_index("place").group_by("user_id", maintain_order=True).agg("place", pl.col("score").cast(pl.Float64))
    found = [
        rows[index] for rows, scores in places.select("place", "score").iter_rows() for index in numba_argsort([-value for value in scores])
    ]
    return lists[found]


def cut(lists: pl.DataFrame, k: int, repeats: bool) -> pl.DataFrame:
    """Return the first k rows of every list by score, equal scores in the order of the file; duplicates once, unless `repeats`."""
    ordered = lists.sort("user_id", -pl.col("score").cast(pl.Float64), maintain_order=True)
    first = ordered.filter(pl.int_range(pl.len()).over("user_id") < k)
    return first if repeats else first.unique(["user_id", "item_id"], keep="first", maintain_order=True)
