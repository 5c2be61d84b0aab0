"""An explanation as a page for people, and as JSON."""

from __future__ import annotations

import json
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from ..results.explanation import FORMAT_VERSION, CellValue, Explanation
from .blocks import Block, FormulaBlock, Grid, Heading, Terms

_REDUCED = {"sum": "sum of {}", "max": "largest {}", "count": "number of rows", "tally": "rows that are {}"}


def page(explanation: Explanation, level: int = 1) -> list[Block]:
    """The rows and what each adds, then the sums, the value, and the choices behind it."""
    blocks: list[Block] = [
        Heading(f"{explanation.measure} of user {explanation.user}, model {explanation.model}", level),
        *([FormulaBlock(explanation.formula)] if explanation.formula else []),
    ]
    for part in explanation.components:
        blocks += page(part, level + 1)
    for table in explanation.steps:
        blocks += [Heading(table.title, level + 1)]
        if table.rows:
            blocks.append(Grid(table.headers, tuple(tuple(shown(cell) for cell in row) for row in table.rows)))
        totals = tuple((_REDUCED[total.reduction].format(total.label), shown(total.value)) for total in table.totals)
        blocks.append(Terms(totals, code=False))
    blocks += [Heading("The value", level + 1), Terms(tuple(_result(explanation)), code=False)]
    if explanation.choices:
        rows = tuple((choice.name, choice.value, choice.meaning) for choice in explanation.choices)
        blocks.append(Grid(("choice", f"under {explanation.convention}", "meaning"), rows, frozenset({"meaning"})))
    return blocks


def _result(explanation: Explanation) -> list[tuple[str, str]]:
    rows = [(name, shown(value)) for name, value in explanation.facts]
    rows += [(part.measure, shown(part.value)) for part in explanation.components if part.value is not None]
    if explanation.numerator is not None and explanation.denominator is not None:
        rows += [("numerator", shown(explanation.numerator)), ("denominator", shown(explanation.denominator))]
    rows.append((explanation.measure, repr(explanation.value) if explanation.value is not None else f"none: {explanation.reason}"))
    return rows


def shown(cell: CellValue) -> str:
    """A cell for the eye: whole numbers without a fraction, others with six digits."""
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.6g}"
    return "" if cell is None else str(cell)


def as_json(explanation: Explanation) -> str:
    """The explanation with full precision; see `FORMAT_VERSION`."""
    return json.dumps({"format_version": FORMAT_VERSION, **_cells(explanation)}, indent=2, ensure_ascii=False) + "\n"


def _cells(explanation: Explanation) -> dict[str, Any]:
    """The fields of an explanation; those of the metrics that it combines are under `of`."""
    cells = to_builtins(replace(explanation, components=()))
    del cells["components"]
    return {**cells, "of": [_cells(component) for component in explanation.components]}
