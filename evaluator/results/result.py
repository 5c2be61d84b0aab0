"""`Result`: the values of a run, the definitions of its measures and the per-user values. All outputs are made from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from ..checks import Finding
from ..stats.difference import Conclusion
from ..support.forks import refuse_lost_threads
from ..support.lazy import pl
from ..syntax.short_names import is_spread
from . import notes
from .catalogue_bounds import CatalogueBounds, OrderOfModels, orders
from .description import Description
from .gates import Gate
from .measure_definition import MeasureDefinition
from .row import FEW_USERS, Candidates, Counts, Row, protocol_sentences, sentences_with_models, shortened
from .tables import LedgerRow, ValueRow, ledger_rows, value_rows

Read = Callable[[str, Sequence[str] | None], "pl.DataFrame"]
"""Reads the named columns (`None`: all) of the per-user values of a model."""


class StoredUsers(Mapping[str, "pl.DataFrame"]):
    """Model → per-user values in a file, which `read` reads at each access; `columns` has the names of the columns by model."""

    def __init__(self, columns: Mapping[str, Sequence[str]], read: Read) -> None:
        self.columns, self.read = columns, read

    def __getitem__(self, model: str) -> pl.DataFrame:
        if model not in self.columns:
            raise KeyError(model)
        refuse_lost_threads()
        return self.read(model, None)

    def __contains__(self, model: object) -> bool:
        return model in self.columns  # the default of a mapping would read all columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def columns_of(users: Mapping[str, pl.DataFrame], model: str) -> Sequence[str]:
    """Return the names of the columns of a model's per-user values, without reading them."""
    return users.columns[model] if isinstance(users, StoredUsers) else users[model].columns


def select(users: Mapping[str, pl.DataFrame], model: str, names: Sequence[str]) -> pl.DataFrame:
    """Return some columns of a model's per-user values; no others are read."""
    refuse_lost_threads()
    if isinstance(users, StoredUsers):
        return users.read(model, names)
    return pl.DataFrame([users[model][name] for name in names])  # many times as fast as a query


class TruthFingerprint(Struct, frozen=True):
    """Identifies a test set: numbers of users and rows, and a hash of all rows (user, item, rating) that ignores their order."""

    users: int
    rows: int
    hash: str


__all__ = ["FEW_USERS", "FORMAT_VERSION", "Counts", "Input", "InputFile", "Result", "Row"]

FORMAT_VERSION: Final = 7
"""The version of the JSON form. 1: results, models, inputs, config, versions. 2: with ledgers and findings. 3: with results by group, fold
and run. 4: with standard deviations, definitions in full and the fingerprint of truth, so that it can be read back. 5: with what is
concluded of several models. 6: the hash of an input names its algorithm and is BLAKE3; before it was `sha256`. 7: with `run_id` and
`ledger`; a value has its measure, its interval and its direction too."""
READABLE_VERSIONS: Final = (4, 5, 6, 7)
"""The versions that can be read back."""

_NOT_EVALUATED: Final = ("data", "engine", "output", "report", "track", "card")
"""The sections of a config that say where rows come from and results go, or what the author states: none changes a value."""


class InputFile(Struct, frozen=True):
    """One file: its path as given, its size in bytes and its hash, such as `blake3:` and 64 hexadecimal digits."""

    path: str
    bytes: int
    hash: str

    @property
    def short_hash(self) -> str:
        """The algorithm and the first 12 digits."""
        algorithm, _, digits = self.hash.partition(":")
        return f"{algorithm}:{digits[:12]}"

    def may_equal(self, other: InputFile) -> bool:
        """Return whether both may have the same content: hashes of different algorithms say nothing, sizes do."""
        same_algorithm = self.hash.partition(":")[0] == other.hash.partition(":")[0]
        return self.bytes == other.bytes and (self.hash == other.hash or not same_algorithm)


class Input(Struct, frozen=True, omit_defaults=True):
    """One source: its role in the config, its number of rows, its files, how they were recognised, and values that are not read as stored.

    Items of `padding` only fill lists up; the others are ids that are integers, but are written as 318.0.
    """

    role: str
    rows: int
    files: tuple[InputFile, ...]
    reading: str = ""
    padding: int = 0
    user_as_integer: int = 0
    item_as_integer: int = 0


class Result(Struct, frozen=True, eq=False, dict=True):
    """The values of a run, the per-user values (sorted by user, one frame per model), and their provenance.

    Two results are equal if everything stored in a folder is equal: all but `failures` and `enriched` (separate files) and `cautions`.
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
    """The models that are reference lists."""
    examined: bool = False
    """True if health checks were run."""
    unmade: Mapping[str, str] = field(default_factory=dict)
    """The checks that were not run: id → reason, such as `off` or `no data.train`."""
    failures: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """The offending rows of findings, if kept, by the name of their file."""
    by_group: tuple[Row, ...] = ()
    """The values of each group by which the config splits results."""
    repeated: tuple[Row, ...] = ()
    """The values of each fold, and of each run of models with several; `rows` and `by_group` are their means."""

    enriched: Mapping[str, Path] = field(default_factory=dict)
    """The Parquet file with the lists of each model and their hits, if requested."""
    description: Description | None = None
    """The description of the files, if requested."""
    variables: Mapping[str, str] | None = None
    """Value from the environment → `${NAME}`, its form in outputs; `None` if the result was read from a folder."""
    definitions: Mapping[str, MeasureDefinition] = field(default_factory=dict)
    """The definition in full of every measure, by its name in the rows (without the cut-off)."""
    truths: Mapping[str, TruthFingerprint] = field(default_factory=dict)
    """The fingerprint of the test set of each fold, if requested; without folds the key is empty."""
    user_groups: tuple[str, ...] = ()
    """The columns of `per_user` that name the group of each user, such as `users.plan`."""
    gates: tuple[Gate, ...] = ()
    """The judged gates of the config."""
    conclusions: tuple[Conclusion, ...] = ()
    """The best model in each measure and the models that it beats, if there are several models and per-user values."""
    candidates: Mapping[str, Candidates] = field(default_factory=dict)
    """The candidates of each model whose lists look like sampled ones, whether or not check R10 is on."""
    catalogue_bounds: Mapping[str, CatalogueBounds] = field(default_factory=dict)
    """The bounds over the whole catalogue of each model, if the config has the section `evaluation.candidates`."""
    list_hashes: Mapping[str, str] = field(default_factory=dict)
    """The fingerprint of the lists of each model up to the largest cut-off, if the config has gates that compare."""
    cautions: tuple[str, ...] = ()
    """Sentences on data without which the values may mislead; they are not stored in a folder."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        plain = (name for name in Result.__struct_fields__ if name not in ("per_user", "failures", "enriched", "cautions", "variables"))
        alike = all(getattr(self, name) == getattr(other, name) for name in plain) and list(self.per_user) == list(other.per_user)
        return alike and all(frame.equals(other.per_user[model]) for model, frame in self.per_user.items())

    __hash__ = None  # type: ignore[assignment]

    def failed(self, strict: bool = False) -> bool:
        """Return whether a check of level error failed, or, with `strict`, one of level warn."""
        return any(finding.severity == "error" or (strict and finding.severity == "warn") for finding in self.findings)

    @property
    def long_rows(self) -> tuple[Row, ...]:
        """All rows: over all users, of groups, and of each fold and run."""
        return (*self.rows, *self.by_group, *self.repeated)

    @cached_property
    def run_id(self) -> str:
        """The hash of the settings, of test set and lists, and of all values: neither files, engine nor order of rows change it."""
        config = {name: section for name, section in self.config.items() if name not in _NOT_EVALUATED}
        of_row = (
            (row.model, row.measure, row.aggregate, row.by, row.group, row.fold, row.run, row.value, row.n_users) for row in self.long_rows
        )
        content = [config, {fold: str(truth) for fold, truth in self.truths.items()}, {**self.list_hashes}, [*of_row]]
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]

    def value_rows(self) -> list[ValueRow]:
        """Return the rows of the table of values."""
        return [*value_rows(self.long_rows, self.run_id)]

    def ledger_rows(self) -> list[LedgerRow]:
        """Return the rows of the ledger: who was counted, filled in and left out."""
        return [*ledger_rows(self.long_rows, self.run_id)]

    @cached_property
    def rows_by_model(self) -> Mapping[str, tuple[Row, ...]]:
        """The rows of each model, computed once because a sweep has thousands of models."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.model, []).append(row)
        return {model: tuple(rows) for model, rows in found.items()}

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the config."""
        return tuple(self.counts)

    @cached_property
    def catalogue_orders(self) -> tuple[OrderOfModels, ...]:
        """The order of each pair of models over the whole catalogue, in each measure with bounds; empty without bounds."""
        return tuple(orders(self.catalogue_bounds))

    @cached_property
    def folds(self) -> tuple[str, ...]:
        """The names of the folds; empty without folds."""
        return tuple(dict.fromkeys(row.fold for row in self.repeated if row.fold is not None))

    def distinct_users(self, row: Row) -> int | None:
        """Return the number of users that count for a value over folds, each once; `None` without folds or if users are not known."""
        if not self.folds or row.model not in self.per_user or row.measure not in columns_of(self.per_user, row.model):
            return None
        users = select(self.per_user, row.model, ["user", "fold", row.measure])
        known = users.filter(pl.col(row.measure).is_not_null() & pl.col(row.measure).cast(pl.Float64).is_not_nan())
        counted = (known.unique(["user", "fold"]) if "run" in columns_of(self.per_user, row.model) else known)["user"]
        return counted.n_unique() if len(counted) == row.n_users else None

    def notes(self) -> tuple[str, ...]:
        """Return sentences on the numbers: their definitions, how ids were read, who counts, who has no list."""
        protocols = {row.measure: row.protocol for row in self.rows if row.protocol is not None}
        models = {name: counts for name, counts in self.counts.items() if name not in self.yardsticks}
        relevant = self._relevant(models.values(), any(protocol.relevance for protocol in protocols.values()) or not protocols)
        about_models = [(model, sentence) for model, counts in models.items() for sentence in self._about(model, counts)]
        apart = (remark for remark in self.remarks if remark not in self.cautions)  # these are shown above
        return (
            *protocol_sentences(protocols, self.threshold),
            *notes.combined_measure_texts(self.definitions),
            *apart,
            *relevant,
            *sentences_with_models(about_models),
        )

    @property
    def threshold(self) -> float | None:
        """The threshold of relevance in the config; `None` if it has none."""
        relevance = self.config.get("evaluation", {}).get("relevance") or {}
        return relevance.get("threshold") if isinstance(relevance, Mapping) else None

    def _relevant(self, counts: Iterable[Counts], judges: bool) -> Iterable[str]:
        """Return sentences on the users with a relevant item, which the sentence on missing lists is about.

        Measures that do not judge (read what is relevant) have none unless a list is missing; only the population `test` asks how the
        rest counts.
        """
        populations = {definition.population for definition in self.definitions.values()}
        shown = self._with_relevant(counts, judges)
        return dict.fromkeys(notes.relevant_text(model_counts, "test" in populations or not populations) for model_counts in shown)

    def _with_relevant(self, counts: Iterable[Counts], judges: bool) -> Iterator[Counts]:
        return (count for count in counts if judges or (notes.missing_lists_text(count) and not self._only_rates()))

    def all_relevant(self) -> frozenset[int]:
        """Return the numbers of test users that the notes say have all a relevant item."""
        protocols = [row.protocol for row in self.rows if row.protocol is not None]
        counts = (counts for name, counts in self.counts.items() if name not in self.yardsticks)
        shown = self._with_relevant(counts, any(protocol.relevance for protocol in protocols) or not protocols)
        return frozenset(protocol.test for protocol in shown if protocol.relevant == protocol.test)

    def _about(self, model: str, counts: Counts) -> Iterator[str]:
        sentences = (
            notes.empty_lists_text(counts),
            notes.missing_lists_text(counts) if counts_lists(self, model) and not self._only_rates() else "",
            notes.untested_text(counts),
        )
        yield from filter(None, sentences)
        yield from self._other_users(model, counts.averaged)
        yield from self._undefined(model)

    def _only_rates(self) -> bool:
        """Return whether all measures count every test user and read no relevance, as rating errors do; others leave them out."""
        none_judges = not any(row.protocol.relevance for row in self.rows if row.protocol is not None)
        return none_judges and {definition.population for definition in self.definitions.values()} == {"tested"}

    def _other_users(self, model: str, usual: int) -> Iterator[str]:
        """Yield sentences on the measures of a model that are averaged over other users than the first one."""
        others: dict[tuple[int, str, str], list[str]] = {}
        for row in self.rows_by_model.get(model, ()):
            if row.aggregate != "formula" and (row.n_users != usual or not row.n_users):
                zero = "0" if row.aggregate == "mean" and row.value is not None else "without a value"  # no_hits=drop_or_zero
                verb = zero if not row.n_users else "computed" if row.aggregate == "system" else "averaged"
                others.setdefault((row.n_users, notes.other_users_reason(row), verb), []).append(row.label)
        for (n, why, verb), labels in others.items():
            over = f"{verb} over {n:,} user{'' if n == 1 else 's'}{why}" if n else f"{verb}: no user counts{why}"
            yield f"{shortened(labels)} {'is' if len(labels) == 1 else 'are'} {over}."

    def _undefined(self, model: str) -> Iterator[str]:
        """Yield sentences on the measures of a model without a value although users count; formulas have their own sentence."""
        rows = [row for row in self.rows_by_model.get(model, ()) if row.value is None and row.n_users > 0]
        reasons: dict[str, list[str]] = {}
        for row in rows:
            if not (is_spread(row.aggregate) or row.aggregate == "formula"):
                reasons.setdefault(notes.undefined_reason(row, self.counts.get(model)), []).append(row.label)
        for why, labels in reasons.items():
            yield f"{shortened(labels)} {'has' if len(labels) == 1 else 'have'} no value: {why}."

    def labels(self) -> tuple[str, ...]:
        """Return the measures in the order of the config."""
        return tuple(dict.fromkeys(row.label for row in self.rows))

    def by_model(self) -> dict[str, dict[str, Row]]:
        """Return model → label → row."""
        table: dict[str, dict[str, Row]] = {model: {} for model in self.models}
        for row in self.rows:
            table[row.model][row.label] = row
        return table


def counts_lists(result: Result, model: str) -> bool:
    """Return whether the counts of a model are those of its lists; those of the first measure may be of predictions."""
    first = result.rows_by_model.get(model, ())[:1]
    return not any("predictions?" in result.definitions[row.metric].needs for row in first if row.metric in result.definitions)
