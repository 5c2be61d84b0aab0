"""What makes a source unusable, counted while it is read: rows, missing values, numbers that are none, ids that are no integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import polars as pl

from .columns import LARGEST_EXACT
from .source import Source

_SHORT_TEXT: Final = 1_000
"""Texts of as many bytes are no cause to look for a quotation mark that was left open."""


class FaultTally:
    """The number of rows of a source, and of rows with each fault, over all frames that were added."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.counts: dict[str, int | None] = {}

    def add(self, frame: pl.DataFrame | pl.LazyFrame) -> bool:
        """Count the rows of a frame of the source; returns whether a value that must be there is missing or not finite."""
        if isinstance(frame, pl.DataFrame) and self._is_plain(frame):
            n_rows = frame.height + (self.counts.get("rows") or 0)
            scan, required = self._source.scan, self._source.required
            names = [*(f"null_{column}" for column in required), *(f"large_{column}" for column in self._source.unsure_numbers)]
            names += [f"infinite_{column}" for column in required if scan.kinds[column] == "number"]
            self.counts = {**dict.fromkeys(names, 0), **self.counts, "rows": n_rows}
            return False
        counted: Any = frame.select(_counts(self._source, frame.collect_schema().names()))
        found = (counted.collect(engine="streaming") if isinstance(counted, pl.LazyFrame) else counted).row(0, named=True)
        self.counts = merged_counts(self.counts, found)
        return any(number for name, number in found.items() if name.startswith(("null_", "infinite_")))

    def _is_plain(self, frame: pl.DataFrame) -> bool:
        """Whether a frame has nothing to count, seen at a glance: no text is empty or long, and all numbers have a finite sum."""
        unsure = self._source.unsure_numbers
        for column in self._source.required:
            values = frame[column]
            if values.null_count():
                return False
            if values.dtype == pl.String:
                sizes = values.str.len_bytes().to_numpy()
                if len(sizes) and (sizes.min() == 0 or sizes.max() > _SHORT_TEXT):
                    return False
            elif not values.dtype.is_numeric():
                return False
            if column in unsure and len(values):
                numbers = values.to_numpy()
                if not -LARGEST_EXACT <= numbers.min() <= numbers.max() <= LARGEST_EXACT:  # nor is NaN
                    return False
            elif values.dtype.is_float():
                with np.errstate(invalid="ignore", over="ignore"):  # infinite values of both signs have no sum
                    if not np.isfinite(values.to_numpy().sum()):
                        return False
        odd = [frame[name] for name in frame.columns if name.startswith("odd_")]
        return not any(column.null_count() or column.any() for column in odd)


def merged_counts(counts: Mapping[str, int | None], others: Mapping[str, int | None]) -> dict[str, int | None]:
    """Return the counts of two frames of a source together: the longest of each, the sum of everything else."""
    merged = dict(counts)
    for name, number in others.items():
        before = merged.get(name) or 0
        merged[name] = max(before, number or 0) if name.startswith("longest_") else before + (number or 0)
    return merged


def _counts(source: Source, columns: list[str]) -> list[pl.Expr]:
    there = sorted(source.columns)
    counts = [pl.len().alias("rows")]
    if source.scan.format in ("csv", "lines"):
        counts.append(pl.all_horizontal(pl.col(column).is_null() for column in there).sum().alias("blank"))
    for column in sorted(source.required):
        kind, value = source.scan.kinds[column], pl.col(column)
        if kind == "text":
            counts.append((value.null_count() + (value == "").sum()).alias(f"null_{column}"))
            counts.append(value.str.len_chars().max().alias(f"longest_{column}"))
        else:
            counts.append(value.null_count().alias(f"null_{column}"))
        if kind == "number":
            counts.append((~value.cast(pl.Float64).is_finite()).sum().alias(f"infinite_{column}"))
        if column in source.unsure_numbers:
            counts.append((value.is_finite() & (value.abs() > LARGEST_EXACT)).sum().alias(f"large_{column}"))
    return counts + [pl.col(name).sum() for name in columns if name.startswith("odd_")]
