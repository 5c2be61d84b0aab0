"""`Explanation`: the computation of the value of one user, row by row."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""

CellValue = str | int | float | None
"""A cell of an explained table; an empty text if a row adds nothing."""


class Total(NamedTuple):
    """The total of a column: its header, its reduction (`sum`, `max`, `count`, `tally`), and the result."""

    label: str
    reduction: str
    value: float


class ExplainedTable(Struct, frozen=True):
    """The rows of one table that a measure reads, with the term of each row and the totals."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[CellValue, ...], ...]
    totals: tuple[Total, ...]


class ExplainedChoice(Struct, frozen=True):
    """One setting of the convention, and its meaning."""

    name: str
    value: str
    meaning: str


class Explanation(Struct, frozen=True):
    """The value of a measure for one user, and the tables, counts and settings that it is computed from.

    `value` is that of the results; `None` if the user has none, and `reason` then says why; of a user without a list
    `reason` says so. `facts` are counts of the user with their
    titles. `missed` has the relevant items that are not among the shown hits, with their ranks, `None` if they are not in the list; it is
    empty if the measure reads no hits.

    `test_rows` are the user's test rows with their groups and values, if there are any to show, and `by_group` has a table of the values in
    each group of a grouping of test rows.

    `numerator` and `denominator` are given if the value is a ratio, `components` if it combines other metrics.
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
    missed: tuple[tuple[str, int | None], ...] = ()
    test_rows: ExplainedTable | None = None
    by_group: tuple[ExplainedTable, ...] = ()
