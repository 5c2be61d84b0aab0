"""The values of groups, as a page: a table for each thing that results are split by, one line per group and model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..results.result import FEW_USERS, Result, Row
from .blocks import Block, Heading, Prose
from .cells import Formats, grids


def page(result: Result, digits: int | None = None) -> list[Block]:
    """The values by group, with so many `digits`; nothing where results are not split."""
    formats = Formats.of(result.by_group, digits)
    rows: dict[str, list[Row]] = {}
    for row in result.by_group:
        rows.setdefault(row.by or "", []).append(row)
    blocks: list[Block] = []
    for by, of_one in rows.items():
        blocks += [Heading(f"By {by}", 2), *grids((by, "users", "model"), _lines(of_one, partial(_value, formats)))]
        shares = [row for row in of_one if row.achieved is not None and row.model not in result.yardsticks]
        if shares:
            blocks += [Prose("Percent of achievable:"), *grids((by, "users", "model"), _lines(shares, _share))]
    if any(row.few_users for row in result.by_group):
        where = " (of one fold or run at least)" if any(row.repeats is not None for row in result.by_group) else ""
        blocks.append(Prose(f"few: fewer than {FEW_USERS} users{where}, whose values say little."))
    return blocks


def _value(formats: Formats, row: Row, head: Row) -> str:
    """A value; over other users than the first one of its line with their number."""
    return formats.shown(row) + (f" ({row.n_users:,})" if row.n_users != head.n_users else "")


def _share(row: Row, _: Row) -> str:
    return "" if row.achieved is None else f"{100 * row.achieved:.1f} %"


def _lines(rows: Sequence[Row], cell: Callable[[Row, Row], str]) -> Mapping[tuple[str, ...], Mapping[str, str]]:
    """A line for each group and model, of cells made of a row and the first one of its line."""
    order = {group: number for number, group in enumerate(dict.fromkeys(row.group for row in rows))}
    first: dict[tuple[str | None, str], Row] = {}
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: order[row.group]):
        head = first.setdefault((row.group, row.model), row)
        key = (row.group or "", f"{head.n_users:,}{' (few)' if head.few_users else ''}", row.model)
        lines.setdefault(key, {})[row.label] = cell(row, head)
    return lines
