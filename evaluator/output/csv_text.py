"""Rows as separated text that every reader splits where we did, and that a spreadsheet need not run."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, Final

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What begins a formula to spreadsheet programs."""


class _Lines:
    """Takes rows that end in CR LF, at which both are quoted in fields, and keeps them with LF."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(f"{line.removesuffix(chr(13) + chr(10))}\n")


def as_csv(rows: Iterable[Iterable[Any]], *, spreadsheet_safe: bool = False) -> str:
    """Rows of cells as CSV; with `spreadsheet_safe` a text that a spreadsheet would take for a formula has `'` in front."""
    lines = _Lines()
    guarded = (map(guard, row) for row in rows) if spreadsheet_safe else rows
    csv.writer(lines, lineterminator="\r\n").writerows(guarded)
    return "".join(lines.lines)


def guard(cell: Any) -> Any:
    """A cell as it is, but for a text that is a formula to a spreadsheet; a number is none."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) and not _is_number(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
