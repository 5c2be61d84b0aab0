"""Arithmetic of measures → rows, computed from the rows of each measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..metrics.definition import Definition
from ..names.formula import Formula
from ..results.result import Row


class Composite(Protocol):
    """Arithmetic of measures, and the definitions of these."""

    @property
    def formula(self) -> Formula:
        """The arithmetic."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions."""


def composed(model: str, composites: Sequence[Composite], rows: Sequence[Sequence[Row]]) -> tuple[list[Row], list[str]]:
    """The rows of formulas, computed from the `rows` of each measure; and why some have no value.

    `rows` have the own aggregate of each measure, for nearly all the mean. A formula is over as many users as the measure with the
    fewest.
    """
    first = {(of_one[0].metric, of_one[0].k): of_one[0] for of_one in rows if of_one}
    found, sentences = [], []
    for composite in composites:
        picked = {}
        for one in composite.definitions:
            picked[one.printed] = first.get((one.spec.title, one.k))
        values = {spec: row.value if row else None for spec, row in picked.items()}
        users = min((row.n_users for row in picked.values() if row), default=0)
        found.append(Row(model, composite.formula.text, None, "formula", composite.formula.value(values), users, higher_is_better=None))
        reason = composite.formula.undefined(values)
        sentences += [f"{composite.formula.text} has no value: {reason}"] if reason else []
    return found, sentences
