"""Names of aggregates that hold a number, such as `ci99` and `ci(0.9)`, and which aggregates say how far values spread."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

INTERVAL: Final = r"^ci([1-9][0-9]?(\.[0-9]+)?|\(0?\.[0-9]*[1-9][0-9]*\))$"
"""A confidence interval of the mean: its level in percent, `ci95`, or as a share, `ci(0.95)`."""


SMALLEST_FACTOR: Final = 1e-5
"""The geometric mean counts smaller values as this one, so that a single 0 does not make it 0."""


@lru_cache(maxsize=1000)
def interval_level(aggregate: str) -> Fraction | None:
    """Return the level of a confidence interval, between 0 and 1 (`ci95` and `ci(0.95)`: 19/20); `None` for any other aggregate."""
    if not re.fullmatch(INTERVAL, aggregate):
        return None
    number = aggregate.removeprefix("ci")
    return Fraction(number.strip("()")) if number.startswith("(") else Fraction(number) / 100


def is_spread(aggregate: str) -> bool:
    """Whether an aggregate says how far values spread, or where an interval ends, so that neither more nor less of it is better."""
    return aggregate == "std" or aggregate.startswith("bootstrap95") or interval_level(aggregate) is not None
