"""The values of groups, as a page: a table for each thing that results are split by, one line per group and model."""

from __future__ import annotations

from collections.abc import Iterator

from ..results.result import FEW_USERS, Result, Row
from .blocks import Block, Grid, Heading, Prose
from .cells import shown

_BESIDE = 4
"""How many measures stand beside each other, so that a table fits a screen."""


def page(result: Result) -> list[Block]:
    """The values by group; nothing where results are not split."""
    rows: dict[str, list[Row]] = {}
    for row in result.by_group:
        rows.setdefault(row.by or "", []).append(row)
    blocks: list[Block] = []
    for by, of_one in rows.items():
        blocks += [Heading(f"By {by}", 2), *_grids(by, of_one)]
    if any(row.few_users for row in result.by_group):
        blocks.append(Prose(f"few: fewer than {FEW_USERS} users, whose values say little."))
    return blocks


def _grids(by: str, rows: list[Row]) -> Iterator[Grid]:
    order = {group: number for number, group in enumerate(dict.fromkeys(row.group for row in rows))}
    table: dict[tuple[str, str], dict[str, Row]] = {}
    for row in sorted(rows, key=lambda row: order[row.group]):
        table.setdefault((row.group or "", row.model), {})[row.label] = row
    all_labels = tuple(dict.fromkeys(row.label for row in rows))
    for start in range(0, len(all_labels), _BESIDE):
        labels = all_labels[start : start + _BESIDE]
        yield Grid((by, "users", "model", *labels), tuple(_line(group, model, values, labels) for (group, model), values in table.items()))


def _line(group: str, model: str, values: dict[str, Row], labels: tuple[str, ...]) -> tuple[str, ...]:
    """The values of a group under one model; a value over other users than the first one says over how many."""
    first = next(iter(values.values()))
    cells = []
    for label in labels:
        row = values.get(label)
        cells.append(shown(row) + (f" ({row.n_users:,})" if row is not None and row.n_users != first.n_users else ""))
    return group, f"{first.n_users:,}{' (few)' if first.few_users else ''}", model, *cells
