"""Refuse groups of about equal size in a config with folds, whose borders differ by fold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..syntax.yaml_text import Path
from ..tables.prepared import GroupBy
from .whole_config import Config

_PROBLEM: Final = "a number of groups of about equal size has other borders in each fold"
_COLUMNS: Final = {
    "rows": "group by a column of the test rows or of data.items that is the same in all folds (rows.COLUMN, items.COLUMN)",
    "users": "group by a column of data.users that is the same in all folds (users.COLUMN)",
}


def equal_groups(config: Config) -> Iterator[tuple[Path, str]]:
    """Yield the place of each grouping into groups of about equal size, with a sentence on what to write instead."""
    for path, by in _groups(config):
        for part in by.crossed:
            if part.n_groups and part.kind == "train_count":
                yield path, f"{_PROBLEM}: give the borders, train_count:5,20, or train_count:3+ for one border"
            elif part.n_groups:
                yield path, f"{_PROBLEM}: {part.name} takes no borders; {_COLUMNS['rows' if part.kind == 'rows' else 'users']}"


def _groups(config: Config) -> Iterator[tuple[Path, GroupBy]]:
    """Yield the groupings of the evaluation, of the comparison and of the rules, each with its place."""
    yield from ((("evaluation", "by", number), by) for number, by in enumerate(config.evaluation.by))
    yield from ((("compare", "by", number), by) for number, by in enumerate(config.compare.by))
    rules = enumerate(config.gates.rules)
    yield from ((("gates", "rules", number), by) for number, rule in rules if rule.slices is None for by in rule.by)
