"""Decide in which unit the numbers of a column of times count: no other code does, so that all places read them alike."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from msgspec import Struct

from ..support.lazy import pl

PLACEHOLDER: Final = 1.0
"""Times of this size or less, such as 0 and -1, stand for a missing one and say nothing about the unit."""
YEARS: Final = (-62_135_596_800.0, 253_402_300_800.0)
"""The years 1 to 9999, in seconds since 1970: those that a date can have."""
USUAL_DATES: Final = (1e8, 4e9)
"""From 1973 to 2096, in seconds since 1970: numbers in this range are probably times; the ranges of two units never overlap."""


class TimeUnit(Struct, frozen=True):
    """A unit of times since 1970: its name, and how many a second has."""

    name: str
    per_second: float

    def as_dates(self, times: pl.Series) -> pl.Series:
        """Return times in this unit as dates with microseconds; null for a time that is missing or outside of the years 1 to 9999."""
        values = times.cast(pl.Float64)
        first, end = (second * self.per_second for second in YEARS)
        inside = values.set(~((values >= first) & (values < end)).fill_null(False), None)
        return (inside * (1e6 / self.per_second)).floor().cast(pl.Int64).cast(pl.Datetime("us"))


SECONDS: Final = TimeUnit("seconds", 1.0)
_UNITS: Final = ((1e11, SECONDS), (1e14, TimeUnit("milliseconds", 1e3)), (1e17, TimeUnit("microseconds", 1e6)))
"""Times below these sizes count in these units; larger ones in nanoseconds."""
_NANOSECONDS: Final = TimeUnit("nanoseconds", 1e9)
_ALL: Final = (*(unit for _, unit in _UNITS), _NANOSECONDS)


def unit_of_number(time: float) -> TimeUnit:
    """Return the unit of a single time by its size."""
    return next((unit for largest, unit in _UNITS if abs(time) < largest), _NANOSECONDS)


def per_second(name: str) -> float:
    """Return how many of the unit with this name a second has."""
    return next(unit.per_second for unit in _ALL if unit.name == name)


def counts_by_unit(times: pl.Expr) -> list[pl.Expr]:
    """Return expressions that count how many `times` have the size of each unit, and are usual dates in it; see `unit_of_counts`."""
    size = times.cast(pl.Float64).abs()
    is_time = size.is_finite() & (size > PLACEHOLDER)
    limits = (PLACEHOLDER, *(largest for largest, _ in _UNITS), float("inf"))
    counts = [(is_time & (size >= low) & (size < high)).sum() for low, high in pairwise(limits)]
    first, last = USUAL_DATES
    usual = [is_time & times.is_between(first * unit.per_second, last * unit.per_second) for unit in _ALL]
    return [count.alias(f"times in {unit.name}") for count, unit in zip(counts, _ALL, strict=True)] + [
        is_unit.sum().alias(f"dates in {unit.name}") for is_unit, unit in zip(usual, _ALL, strict=True)
    ]


def unit_of_counts(counts: Mapping[str, int | None]) -> tuple[TimeUnit, bool]:
    """Return the unit of most times, the longer one of two with equally many; and whether most times are usual dates in it."""
    sizes = {unit: counts[f"times in {unit.name}"] or 0 for unit in _ALL}
    unit = max(_ALL, key=sizes.__getitem__)
    n_dates = counts[f"dates in {unit.name}"] or 0
    return unit, n_dates > 0 and 2 * n_dates >= sum(sizes.values())


def unit_of(times: pl.Series) -> tuple[TimeUnit, bool]:
    """Return the unit in which most times of a column count, so that a few odd ones, such as 9999-12-31 or 0, decide nothing.

    The second value is true if most times are usual dates in this unit, so that they are certainly no other numbers.
    """
    return unit_of_counts(times.to_frame("time").select(counts_by_unit(pl.col("time"))).row(0, named=True))
