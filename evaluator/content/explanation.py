"""Explanation of the value of one user: the rows and what each adds, the sums, the value, and the choices behind it."""

from __future__ import annotations

from typing import Final

from ..document import Block, Code, Column, Document, Heading, Table, Terms
from ..results.explanation import CellValue, Explanation

_REDUCED: Final = {"sum": "sum of {}", "max": "largest {}", "count": "number of rows", "tally": "rows that are {}"}


def document(explanation: Explanation, level: int = 1) -> Document:
    """Return the formula, the explanations of metrics that it combines, the tables, the value and the choices."""
    title = f"{explanation.measure} of user {explanation.user}, model {explanation.model}"
    blocks: list[Block] = [Heading(title, level), *([Code(explanation.formula)] if explanation.formula else [])]
    for part in explanation.components:
        blocks += document(part, level + 1)
    for table in explanation.steps:
        blocks += [Heading(table.title, level + 1)]
        if table.rows:
            blocks.append(Table.of_texts(map(Column, table.headers), (map(_shown, row) for row in table.rows)))
        totals = tuple((_REDUCED[total.reduction].format(total.label), _shown(total.value)) for total in table.totals)
        blocks.append(Terms(totals, code=False))
    values = [*explanation.facts, *((part.measure, part.value) for part in explanation.components if part.value is not None)]
    if explanation.numerator is not None and explanation.denominator is not None:
        values += [("numerator", explanation.numerator), ("denominator", explanation.denominator)]
    value = repr(explanation.value) if explanation.value is not None else f"none: {explanation.reason}"
    terms = (*((name, _shown(cell)) for name, cell in values), (explanation.measure, value))
    blocks += [Heading("The value", level + 1), Terms(terms, code=False)]
    if explanation.choices:
        columns = (Column("choice"), Column(f"under {explanation.convention}"), Column("meaning", wraps=True))
        blocks.append(Table.of_texts(columns, ((choice.name, choice.value, choice.meaning) for choice in explanation.choices)))
    return tuple(blocks)


def _shown(cell: CellValue) -> str:
    """Return a cell as text: whole numbers without a fraction, others with six digits."""
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.6g}"
    return "" if cell is None else str(cell)
