"""`Explanation`: how the value of one user comes about, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""

Cell = str | int | float | None


@dataclass(frozen=True)
class Steps:
    """Rows of one table with what each adds, and what they add up to: (label, how, total)."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    totals: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class Choice:
    """What the convention chose, and what that means."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Explanation:
    """The value of `measure` for `user`; `numerator` and `denominator` where it is a ratio, `of` where it combines metrics.

    `value` is that of the results, `None` where the user does not count, and `reason` then says why. `facts` are the user's
    counts.
    """

    measure: str
    model: str
    user: str
    convention: str
    formula: str
    steps: tuple[Steps, ...]
    facts: tuple[tuple[str, float], ...]
    numerator: float | None
    denominator: float | None
    value: float | None
    reason: str
    choices: tuple[Choice, ...]
    of: tuple[Explanation, ...] = ()
