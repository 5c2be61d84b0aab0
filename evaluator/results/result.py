"""`Result`: what a run found. Everything downstream is a reading of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from ..checks import Finding
from ..metrics import find
from ..names.aggregate_names import is_spread
from ..names.formula import is_formula
from . import ledger, protocol
from .description import Description
from .ledger import Ledger
from .protocol import Protocol
from .wording import of_models, shortened

FORMAT_VERSION: Final = 3
"""The version of the JSON form. 1: results, models, inputs, config, versions. 2: with ledgers and findings. 3: with results by group, fold
and run."""

SPLITS: Final = ("by", "group", "few_users", "fold", "run", "repeats", "repeats_std")
"""The columns of rows over some of the users, of one fold or run, and of means over folds or runs."""
COLUMNS: Final = ("model", "metric", "k", "aggregate", "value", "n_users", *ledger.COLUMNS, "achieved", *SPLITS, *protocol.COLUMNS)

FEW_USERS: Final = 100
"""A group of fewer users is marked in every output."""


@dataclass(frozen=True)
class Row:
    """One value: a metric (its printed name without the cut-off) at `k` (`None`: the whole list), over `n_users` users."""

    model: str
    metric: str
    k: int | None
    aggregate: str
    value: float | None
    n_users: int
    higher_is_better: bool | None = True
    ledger: Ledger | None = None
    achieved: float | None = None
    """The share of the best possible value, where that was computed."""
    protocol: Protocol | None = None
    by: str | None = None
    """What the users, or the relevant items, are split by, such as `users.plan`; `None` over all of them."""
    group: str | None = None
    fold: str | None = None
    """The fold, or the run of the model, whose value it is; `None` where there are no several, and for means over them."""
    run: str | None = None
    repeats: int | None = None
    """Of a mean over runs or folds the number of values, and their standard deviation."""
    repeats_std: float | None = None
    least_users: int | None = None
    """Of a mean over runs or folds the number of users of the value that has the fewest."""

    @property
    def source(self) -> str:
        """The model, with the fold and the run: `als, fold 1, run 2`."""
        return ", ".join((self.model, *(f"{kind} {name}" for kind, name in (("fold", self.fold), ("run", self.run)) if name is not None)))

    @property
    def few_users(self) -> bool | None:
        """Whether a group has fewer than 100 users, in one of the folds at least: its value says little. `None` where there is no group."""
        return None if self.by is None else (self.n_users if self.least_users is None else self.least_users) < FEW_USERS

    def cells(self) -> dict[str, Any]:
        """What the tables of `COLUMNS` say of it."""
        of_users = self.ledger.cells() if self.ledger else {}
        definitions = asdict(self.protocol) if self.protocol else {}
        shared = dict.fromkeys((*ledger.COLUMNS, *protocol.COLUMNS)) | of_users | definitions
        return {name: shared[name] if name in shared else getattr(self, name) for name in COLUMNS}

    @property
    def measure(self) -> str:
        """The measure with its cut-off."""
        if is_formula(self.metric):
            return self.metric
        cut = find(self.metric.partition("(")[0]).cut
        return f"{self.metric}@{'none' if self.k is None else self.k}" if cut else self.metric

    @property
    def label(self) -> str:
        """The measure with its cut-off, and with the aggregate where it is not the mean."""
        plain = self.aggregate in ("mean", "system", "") or is_formula(self.metric)
        return self.measure if plain else f"{self.measure} ({self.aggregate})"


@dataclass(frozen=True)
class Counts:
    """Who was counted for one model.

    `test` users stand in the test file; `relevant` of them have a relevant item; `listed` of those have a list; `averaged`
    is how many the first measure is averaged over. Those without a list count 0 if `missing_count`, or have no value if
    `missing_undefined`, those without a relevant item count 0 if `irrelevant_count`; `untested` users without a test row count 0.
    """

    test: int
    relevant: int
    listed: int
    averaged: int
    missing_count: bool = True
    irrelevant_count: bool = False
    untested: int = 0
    missing_undefined: bool = False


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
    higher_is_better: Mapping[str, bool | None]
    per_user: Mapping[str, pl.DataFrame]
    inputs: tuple[Input, ...]
    config: Mapping[str, Any]
    remarks: tuple[str, ...]
    versions: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    yardsticks: tuple[str, ...] = ()
    """Those of the models that are lists made to measure by."""
    examined: bool = False
    """Whether health checks were made."""
    unmade: Mapping[str, str] = field(default_factory=dict)
    """The checks that were not made, by id, and why: `off`, or `no data.train`."""
    failures: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """The offending rows of findings, where they are kept, by the name of their file."""
    by_group: tuple[Row, ...] = ()
    """The values of each group that the config splits results by."""
    repeated: tuple[Row, ...] = ()
    """The values of each fold, and of each run of models with several; `rows` and `by_group` are their means."""

    enriched: Mapping[str, Path] = field(default_factory=dict)
    """The Parquet file with the lists of each model and their hits, where they were asked for."""
    description: Description | None = None
    """What the files hold, where it was asked for."""

    def failed(self, strict: bool = False) -> bool:
        """Whether a check of level error failed, or with `strict` one of level warn."""
        return any(finding.severity == "error" or (strict and finding.severity == "warn") for finding in self.findings)

    @property
    def long_rows(self) -> tuple[Row, ...]:
        """The rows of the long table: those over all users, those of groups, and those of each fold and run."""
        return (*self.rows, *self.by_group, *self.repeated)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the config."""
        return tuple(self.counts)

    def notes(self) -> tuple[str, ...]:
        """What to know beside the numbers, in full sentences: the definitions, how ids were read, who was counted, who had no list."""
        protocols = {row.measure: row.protocol for row in self.rows if row.protocol is not None}
        models = {name: counts for name, counts in self.counts.items() if name not in self.yardsticks}
        relevant = dict.fromkeys(_relevant(counts) for counts in models.values())
        about_models = [(model, sentence) for model, counts in models.items() for sentence in self._about(model, counts)]
        return (*protocol.sentences(protocols), *self.remarks, *relevant, *of_models(about_models))

    def _about(self, model: str, counts: Counts) -> Iterator[str]:
        """What to know of the users and values of one model."""
        yield from (sentence for sentence in (_unlisted(counts), _untested(counts)) if sentence)
        yield from self._other_users(model, counts.averaged)
        yield from self._undefined(model)

    def _other_users(self, model: str, usual: int) -> Iterator[str]:
        """Which measures of a model are averaged over other users than the first one."""
        others: dict[tuple[int, str], list[str]] = {}
        for row in self.rows:
            if row.model == model and row.aggregate != "formula" and (row.n_users != usual or not row.n_users):
                others.setdefault((row.n_users, _why_others(row)), []).append(row.label)
        for (n, why), labels in others.items():
            over = f"averaged over {n:,} user{'' if n == 1 else 's'}{why}" if n else f"without a value: no user counts{why}"
            yield f"{shortened(labels)} {'is' if len(labels) == 1 else 'are'} {over}."

    def _undefined(self, model: str) -> Iterator[str]:
        """Which measures of a model have no value although users count; formulas say so themselves."""
        rows = [row for row in self.rows if row.model == model and row.value is None and row.n_users > 0]
        reasons: dict[str, list[str]] = {}
        for row in rows:
            if not (is_spread(row.aggregate) or row.aggregate == "formula"):
                reasons.setdefault(_why_undefined(row), []).append(row.label)
        for why, labels in reasons.items():
            yield f"{shortened(labels)} {'has' if len(labels) == 1 else 'have'} no value: {why}."

    def labels(self) -> tuple[str, ...]:
        """The measures, in the order asked for."""
        return tuple(dict.fromkeys(row.label for row in self.rows))

    def by_model(self) -> dict[str, dict[str, Row]]:
        """Model → label → row."""
        table: dict[str, dict[str, Row]] = {model: {} for model in self.models}
        for row in self.rows:
            table[row.model][row.label] = row
        return table


def _why_others(row: Row) -> str:
    """Why other users count for a value than for the first measure, and the setting that changes it; empty if nothing is known."""
    ledger = row.ledger
    if ledger is None:
        return ""
    reasons = []
    if row.aggregate == "mean" and row.n_users != ledger.counted:
        reasons.append("those of data.train, by whose number the sum is divided; divisor=counted divides by those who count")
    elif ledger.others:
        reasons.append("those of another file; population=test averages over the test users")
    elif ledger.in_lists > ledger.in_both and not ledger.left_out_without_truth and not ledger.filled_without_truth:
        reasons.append("all with a list; population=test leaves out those without a test row")
    if ledger.left_out_without_list:
        reasons.append("those without a list are left out; missing_lists=zero counts them")
    if ledger.left_out_without_value:
        reasons.append(f"{ledger.left_out_without_value:,} have nothing that the measure could be computed from")
    return f" ({'; '.join(reasons)})" if reasons else ""


def _why_undefined(row: Row) -> str:
    """Why there is no value although users count."""
    n = row.ledger.filled_without_list if row.ledger else 0
    if not n:
        return "there is nothing to compare, or to divide by"
    who = "1 user without a list has" if n == 1 else f"{n:,} users without a list have"
    return f"{who} none; missing_lists=drop leaves such users out, missing_lists=zero counts them 0"


def _relevant(counts: Counts) -> str:
    without = counts.test - counts.relevant
    if not without:
        return f"All {counts.test:,} test users have a relevant item." if counts.test > 1 else "The only test user has a relevant item."
    done, listed = ("is left out", "it has") if without == 1 else ("are left out", "they have")
    if counts.irrelevant_count:
        done = f"{'counts' if without == 1 else 'count'} 0{'' if counts.missing_count else f' if {listed} a list'}"
    have, other = "has" if counts.relevant == 1 else "have", "one" if without == 1 else f"{without:,}"
    setting = "evaluation.policy.no_relevant"
    return f"{counts.relevant:,} of {counts.test:,} test users {have} a relevant item; the other {other} {done} ({setting})."


def _unlisted(counts: Counts) -> str:
    n = counts.relevant - counts.listed
    how = "undefined" if counts.missing_undefined else "zero" if counts.missing_count else "out"
    singular = {"undefined": "has no list and no defined value", "zero": "has no list and counts 0", "out": "has no list and is left out"}
    plural = {"undefined": "have no list and no defined value", "zero": "have no list and count 0", "out": "have no list and are left out"}
    return f"{n:,} of these users {(singular if n == 1 else plural)[how]} (evaluation.policy.missing_lists)." if n else ""


def _untested(counts: Counts) -> str:
    n = counts.untested
    stand = "user with a list stands in no test row and counts 0" if n == 1 else "users with a list stand in no test row and count 0"
    return f"{n:,} {stand} (evaluation.policy.no_truth)." if n else ""
