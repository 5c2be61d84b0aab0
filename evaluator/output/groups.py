"""The values of groups, as a page: a table for each thing that results are split by, one line per group and model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
        blocks += [Heading(f"By {by}", 2), *grids((by, "users", "model"), _lines(of_one, formats))]
    if any(row.few_users for row in result.by_group):
        blocks.append(Prose(f"few: fewer than {FEW_USERS} users, whose values say little."))
    return blocks


def _lines(rows: Sequence[Row], formats: Formats) -> Mapping[tuple[str, ...], Mapping[str, str]]:
    """A line for each group and model; a value over other users than the first one of its line says over how many."""
    order = {group: number for number, group in enumerate(dict.fromkeys(row.group for row in rows))}
    first: dict[tuple[str | None, str], Row] = {}
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: order[row.group]):
        head = first.setdefault((row.group, row.model), row)
        key = (row.group or "", f"{head.n_users:,}{' (few)' if head.few_users else ''}", row.model)
        lines.setdefault(key, {})[row.label] = formats.shown(row) + (f" ({row.n_users:,})" if row.n_users != head.n_users else "")
    return lines
