"""`Result`: what a run found, with the definitions of its measures and the per-user values. Everything downstream is a reading of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import Struct, field

from ..checks import Finding
from ..forks import refuse_lost_threads
from ..names.measure_strings import Scalar
from ..names.short_names import is_spread
from ..stats.difference import Conclusion
from . import notes
from .description import Description
from .gates import Gate
from .row import COLUMNS, FEW_USERS, SPLITS, Counts, Row, of_models, protocol_sentences, shortened

Read = Callable[[str, Sequence[str] | None], pl.DataFrame]
"""The named columns (`None`: all) of the values of the users of a model."""


class StoredUsers(Mapping[str, pl.DataFrame]):
    """The values of the users of some models, in a file that is `read` when they are looked at; by model its columns."""

    def __init__(self, columns: Mapping[str, Sequence[str]], read: Read) -> None:
        self.columns, self.read = columns, read

    def __getitem__(self, model: str) -> pl.DataFrame:
        if model not in self.columns:
            raise KeyError(model)
        refuse_lost_threads()
        return self.read(model, None)

    def __contains__(self, model: object) -> bool:
        return model in self.columns  # what a mapping does by itself would read all columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def columns_of(users: Mapping[str, pl.DataFrame], model: str) -> Sequence[str]:
    """The names of the columns of a model's users, without reading them."""
    return users.columns[model] if isinstance(users, StoredUsers) else users[model].columns


def select(users: Mapping[str, pl.DataFrame], model: str, names: Sequence[str]) -> pl.DataFrame:
    """Some columns of a model's users; no others are read."""
    refuse_lost_threads()
    return users.read(model, names) if isinstance(users, StoredUsers) else users[model][list(names)]


class MeasureDefinition(Struct, frozen=True):
    """One metric with every choice made; the cut-off belongs to the row of a value.

    `axes` are those of the protocol and those that the formula of the metric reads, `params` its other parameters. `threshold` is the least
    relevant rating where one is in effect, `graded` whether ratings are gains. `average` says how users are combined where the config asks
    for no aggregates. A measure `of_models` has no value per user; arithmetic of measures has the `metric` formula and its measures as
    `components`. `needs` are the inputs beside the test file and the lists.
    """

    metric: str
    convention: str
    higher_is_better: bool | None
    average: str = "mean"
    population: str = "test"
    of_models: bool = False
    threshold: float | None = None
    graded: bool = False
    axes: Mapping[str, Scalar] = field(default_factory=dict)
    params: Mapping[str, Scalar] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    components: Mapping[str, MeasureDefinition] = field(default_factory=dict)

    def differences(self, other: MeasureDefinition) -> list[tuple[str, Any, Any]]:
        """What another definition decides otherwise: the name of the choice, and both values; the names of conventions do not matter."""
        mine, others = (dict(one.axes) | dict(one.params) | one._plain() for one in (self, other))
        names = sorted(mine.keys() | others.keys())
        own = [(name, mine.get(name), others.get(name)) for name in names if mine.get(name) != others.get(name)]
        pairs = zip(self.components.items(), other.components.values(), strict=False)
        return own + [(f"{choice} of {name}", one, two) for (name, part), more in pairs for choice, one, two in part.differences(more)]

    def _plain(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("metric", "threshold", "graded", "average", "population", "of_models")}
        return plain | {"components": tuple(self.components)}


class TruthFingerprint(Struct, frozen=True):
    """What tells one truth from another: the numbers of its users and rows, and a hash of all rows (user, item and rating) in any order."""

    users: int
    rows: int
    hash: str


__all__ = ["COLUMNS", "FEW_USERS", "FORMAT_VERSION", "SPLITS", "Counts", "Input", "InputFile", "Result", "Row"]

FORMAT_VERSION: Final = 5
"""The version of the JSON form. 1: results, models, inputs, config, versions. 2: with ledgers and findings. 3: with results by group, fold
and run. 4: with standard deviations, definitions in full and the fingerprint of truth, so that it can be read back. 5: with what is
concluded of several models."""
READABLE_VERSIONS: Final = (4, 5)
"""The versions that can be read back."""


class InputFile(Struct, frozen=True):
    """One file: its path as given, its size and its hash."""

    path: str
    bytes: int
    sha256: str


class Input(Struct, frozen=True):
    """One source: its role in the config, the rows it held, and its files."""

    role: str
    rows: int
    files: tuple[InputFile, ...]


class Result(Struct, frozen=True, eq=False, dict=True):
    """The summary, the per-user values (sorted by user, one frame per model), and where they come from.

    Two results are equal if everything is that is kept in a folder: all but `failures` and `enriched`, which are files of their own.
    """

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
    definitions: Mapping[str, MeasureDefinition] = field(default_factory=dict)
    """The definition in full of every measure, by its name in the rows (without the cut-off)."""
    truths: Mapping[str, TruthFingerprint] = field(default_factory=dict)
    """What tells the truth of each fold from another, where it was asked for; without folds the only one has an empty name."""
    user_groups: tuple[str, ...] = ()
    """The columns of `per_user` that name the group of each user, such as `users.plan`."""
    gates: tuple[Gate, ...] = ()
    """The gates of the config as they were judged."""
    conclusions: tuple[Conclusion, ...] = ()
    """Which model is best in each measure and which others it beats, where there are several models and per-user values."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        plain = (name for name in self.__struct_fields__ if name not in ("per_user", "failures", "enriched"))
        alike = all(getattr(self, name) == getattr(other, name) for name in plain) and list(self.per_user) == list(other.per_user)
        return alike and all(frame.equals(other.per_user[model]) for model, frame in self.per_user.items())

    __hash__ = None  # type: ignore[assignment]

    def failed(self, strict: bool = False) -> bool:
        """Whether a check of level error failed, or with `strict` one of level warn."""
        return any(finding.severity == "error" or (strict and finding.severity == "warn") for finding in self.findings)

    @property
    def long_rows(self) -> tuple[Row, ...]:
        """The rows of the long table: those over all users, those of groups, and those of each fold and run."""
        return (*self.rows, *self.by_group, *self.repeated)

    @cached_property
    def rows_by_model(self) -> Mapping[str, tuple[Row, ...]]:
        """The rows of each model, found once: a sweep has thousands of models."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.model, []).append(row)
        return {model: tuple(rows) for model, rows in found.items()}

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the config."""
        return tuple(self.counts)

    def notes(self) -> tuple[str, ...]:
        """What to know beside the numbers, in full sentences: the definitions, how ids were read, who was counted, who had no list."""
        protocols = {row.measure: row.protocol for row in self.rows if row.protocol is not None}
        models = {name: counts for name, counts in self.counts.items() if name not in self.yardsticks}
        relevant = dict.fromkeys(notes.relevant(counts) for counts in models.values())
        about_models = [(model, sentence) for model, counts in models.items() for sentence in self._about(model, counts)]
        return (*protocol_sentences(protocols), *self.remarks, *relevant, *of_models(about_models))

    def _about(self, model: str, counts: Counts) -> Iterator[str]:
        """What to know of the users and values of one model."""
        first = self.rows_by_model.get(model, ())[:1]
        predicted = any("predictions?" in self.definitions[row.metric].needs for row in first if row.metric in self.definitions)
        told = (notes.emptied(counts), "" if predicted else notes.unlisted(counts), notes.untested(counts))
        yield from (sentence for sentence in told if sentence)
        yield from self._other_users(model, counts.averaged)
        yield from self._undefined(model)

    def _other_users(self, model: str, usual: int) -> Iterator[str]:
        """Which measures of a model are averaged over other users than the first one."""
        others: dict[tuple[int, str, bool], list[str]] = {}
        for row in self.rows_by_model.get(model, ()):
            if row.aggregate != "formula" and (row.n_users != usual or not row.n_users):
                others.setdefault((row.n_users, notes.why_others(row), row.aggregate == "system"), []).append(row.label)
        for (n, why, is_of_lists), labels in others.items():
            over = (
                f"{'computed' if is_of_lists else 'averaged'} over {n:,} user{'' if n == 1 else 's'}{why}"
                if n
                else f"without a value: no user counts{why}"
            )
            yield f"{shortened(labels)} {'is' if len(labels) == 1 else 'are'} {over}."

    def _undefined(self, model: str) -> Iterator[str]:
        """Which measures of a model have no value although users count; formulas say so themselves."""
        rows = [row for row in self.rows_by_model.get(model, ()) if row.value is None and row.n_users > 0]
        reasons: dict[str, list[str]] = {}
        for row in rows:
            if not (is_spread(row.aggregate) or row.aggregate == "formula"):
                reasons.setdefault(notes.why_undefined(row, self.counts.get(model)), []).append(row.label)
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
