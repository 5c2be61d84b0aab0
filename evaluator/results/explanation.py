"""`Explanation`: how the value of one user comes about, row by row."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""

CellValue = str | int | float | None
"""What a cell of an explained table holds; an empty text where a row adds nothing."""


class Total(NamedTuple):
    """What the rows of a table add up to: the header of a column, how it is reduced (`sum`, `max`, `count`, `tally`), and the result."""

    label: str
    reduction: str
    value: float


class ExplainedTable(Struct, frozen=True):
    """The rows of one table that a measure reads, with what each of them adds, and what they add up to."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[CellValue, ...], ...]
    totals: tuple[Total, ...]


class ExplainedChoice(Struct, frozen=True):
    """One choice of the convention, and what it means."""

    name: str
    value: str
    meaning: str


class Explanation(Struct, frozen=True):
    """The value of a measure for one user, and the tables, counts and choices that it is computed from.

    `value` is that of the results; `None` if the user has none, and `reason` then says why. `facts` are counts of the user with what they
    count. `numerator` and `denominator` are given where the value is a ratio, `components` where it combines other metrics.
    """

    measure: str
    model: str
    user: str
    convention: str
    formula: str
    steps: tuple[ExplainedTable, ...]
    facts: tuple[tuple[str, float], ...]
    numerator: float | None
    denominator: float | None
    value: float | None
    reason: str
    choices: tuple[ExplainedChoice, ...]
    components: tuple[Explanation, ...] = ()
