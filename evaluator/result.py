"""`Result`: what a run found. Everything downstream is a reading of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import narwhals as nw

from .metrics import find

FORMAT_VERSION: Final = 1
"""The version of the JSON form. 1: results, models, inputs, config, versions."""

COLUMNS: Final = ("model", "metric", "k", "aggregate", "value", "n_users")


@dataclass(frozen=True)
class Row:
    """One value: a metric (its printed name without the cut-off) at `k` (`None`: the whole list), over `n_users` users."""

    model: str
    metric: str
    k: int | None
    aggregate: str
    value: float | None
    n_users: int

    @property
    def label(self) -> str:
        """The measure with its cut-off, and with the aggregate where it is not the mean."""
        cut = find(self.metric.partition("(")[0]).cut
        at = f"@{'none' if self.k is None else self.k}" if cut else ""
        return f"{self.metric}{at}" if self.aggregate in ("mean", "") else f"{self.metric}{at} ({self.aggregate})"


@dataclass(frozen=True)
class Counts:
    """Who was counted for one model.

    `test` users stand in the test file; `relevant` of them have a relevant item; `listed` of those have a list; `averaged`
    is how many the means are over.
    """

    test: int
    relevant: int
    listed: int
    averaged: int


@dataclass(frozen=True)
class InputFile:
    """One file: its path as given, its size and its hash."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Input:
    """One source: its role in the config, the rows it held, and its files."""

    role: str
    rows: int
    files: tuple[InputFile, ...]


@dataclass(frozen=True)
class Result:
    """The summary, the per-user values (sorted by user, one frame per model), and where they come from."""

    rows: tuple[Row, ...]
    counts: Mapping[str, Counts]
    higher_is_better: Mapping[str, bool]
    per_user: Mapping[str, nw.DataFrame[Any]]
    inputs: tuple[Input, ...]
    config: Mapping[str, Any]
    remarks: tuple[str, ...]
    versions: Mapping[str, str]

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the config."""
        return tuple(self.counts)

    def notes(self) -> tuple[str, ...]:
        """What to know beside the numbers, in full sentences: how ids were read, who was counted, who had no list."""
        found = list(self.remarks)
        for model, counts in self.counts.items():
            left_out = counts.test - counts.relevant
            users = f"{counts.relevant:,} of {counts.test:,} test users have a relevant item"
            sentence = (
                f"{users}; the other {left_out:,} are left out." if left_out else f"All {counts.test:,} test users have a relevant item."
            )
            if sentence not in found:
                found.append(sentence)
            without = counts.relevant - counts.listed
            if without and counts.averaged == counts.relevant:
                found.append(f"{model}: {without:,} of these users have no list and count 0.")
            elif counts.averaged < counts.relevant:
                found.append(f"{model}: {counts.relevant - counts.averaged:,} of these users have no list and are left out.")
        return tuple(found)

    def labels(self) -> tuple[str, ...]:
        """The measures, in the order asked for."""
        return tuple(dict.fromkeys(row.label for row in self.rows))

    def by_model(self) -> dict[str, dict[str, Row]]:
        """Model → label → row."""
        table: dict[str, dict[str, Row]] = {model: {} for model in self.models}
        for row in self.rows:
            table[row.model][row.label] = row
        return table
