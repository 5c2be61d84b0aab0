"""The arrows, once, top to bottom: the only module that knows the order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import narwhals as nw

from . import aggregate, conventions, load, match, metrics, provenance, rank
from .config import Config, Loaded
from .conventions import Convention
from .engine import Engine, ReadError, open_engine
from .errors import DataError
from .inputs import Inputs, described, look_at_everything
from .naming import MetricSpec
from .result import Counts, Result, Row
from .score import Scoring
from .tables import Frame

Progress = Callable[[str, int, int], None]
"""Called as `progress(model, done, total)` before each model and once at the end."""

Settled = list[Frame]


def run(loaded: Loaded, progress: Progress | None = None) -> Result:
    """Evaluate the models of a config.

    Raises `DataError` if a file cannot be read or its content is wrong, and `MissingExtraError` if the engine is not there.
    """
    choice = loaded.config.engine
    with ExitStack() as stack:
        inputs = look_at_everything(loaded, stack)
        fingerprints = stack.enter_context(load.Fingerprints(path for source in inputs.all() for path in source.paths))
        engine = open_engine(choice.name, master=choice.master, remote=choice.remote)
        stack.callback(engine.close)
        kinds = load.common_kinds(inputs.all())
        while True:
            try:
                evaluation = _Evaluation(inputs.with_kinds(kinds), loaded.config, engine, progress or _silent)
                evaluation.run()
                break
            except load.IdsAreText as found:
                kinds = load.as_text(kinds, found.columns)
        return evaluation.result(loaded, fingerprints)


def _silent(model: str, done: int, total: int) -> None:
    pass


class _Evaluation:
    """One pass over the models under one reading of the ids."""

    def __init__(self, inputs: Inputs, config: Config, engine: Engine, progress: Progress) -> None:
        self.inputs, self.config, self.engine, self.progress = inputs, config, engine, progress
        self.convention: Convention = conventions.load(config.evaluation.convention)
        self.specs: tuple[MetricSpec, ...] = config.evaluation.specs
        pooled = {i for i, spec in enumerate(self.specs) if "micro" in aggregate.chosen(spec, config.evaluation.aggregates)}
        self.scoring = Scoring(self.specs, self.convention, frozenset(pooled))
        self.n_rows: dict[str, int] = {}
        self.rows: list[Row] = []
        self.counts: dict[str, Counts] = {}
        self.per_user: dict[str, nw.DataFrame[Any]] = {}

    def run(self) -> None:
        truth, n_test = self.truth()
        candidates = self.candidates() if "n_candidates" in self.scoring.user_columns else None
        for done, (name, source) in enumerate(self.inputs.models.items()):
            self.progress(name, done, len(self.inputs.models))
            self.model(name, source, truth, candidates, n_test)
        self.progress("", len(self.inputs.models), len(self.inputs.models))

    def truth(self) -> tuple[match.Truth, int]:
        relevance = self.config.evaluation.relevance
        if "rating" not in self.inputs.test.columns and (relevance.threshold is not None or relevance.graded):
            wants = "relevance.graded" if relevance.graded else "relevance.threshold"
            raise DataError(
                f"{self.inputs.test.role}: {self.inputs.test.paths[0]} has no rating column, which evaluation.{wants} needs",
                "name it in the config, columns: {rating: NAME}",
            )

        def compute(source: load.Source, scan: Frame) -> Settled:
            relevant = match.relevant_items(scan, relevance.threshold, relevance.graded)
            return self.engine.settle([relevant, scan.select(nw.col("user").n_unique().alias("n")), load.counted(scan, source)])

        relevant, n_users = self.read(self.inputs.test, compute)
        truth = match.truth(relevant, relevance.graded, self.engine)
        n_test = self.count(n_users, "n")
        if self.count(truth.users.select(nw.len().alias("n")), "n") == 0:
            at_least = "above 0" if relevance.threshold is None else f"of at least {relevance.threshold:g}"
            raise DataError(f"{self.inputs.test.role}: none of {n_test:,} users has a relevant item, that is, a rating {at_least}")
        return truth, n_test

    def candidates(self) -> match.Candidates:
        seen = catalogue = None
        for source in (self.inputs.train, self.inputs.items):
            if source is not None:
                columns: list[str] = [column for column in ("user", "item") if column in source.columns]

                def compute(source: load.Source, scan: Frame, columns: list[str] = columns) -> Settled:
                    return self.engine.settle([scan.select(*columns).unique(columns), load.counted(scan, source)])

                (frame,) = self.read(source, compute)
                seen = frame if "user" in columns else seen
                catalogue = frame.select("item").unique("item")
        assert catalogue is not None, "the config was checked to give a catalogue"
        return match.Candidates(catalogue, seen, self.count(catalogue.select(nw.len().alias("n")), "n"))

    def model(self, name: str, source: load.Source, truth: match.Truth, candidates: match.Candidates | None, n_test: int) -> None:
        def compute(source: load.Source, scan: Frame) -> Settled:
            wants = [match.wanted(truth.relevant)]
            if candidates is not None:
                wants.append(match.wanted_outside(candidates, truth.relevant))

            def want(lists: Frame) -> Settled:
                return [*(frame for part in wants for frame in part(lists)), load.counted(lists, source)]

            frames, lengths = self.engine.ranked(scan, rank.order_of(source.columns, self.convention), want)
            return [lengths, *frames]

        lengths, found, *beside = self.read(source, compute)
        if self.count(found.select(nw.len().alias("n")), "n") == 0:
            load.common_or_refuse(self.engine, self.inputs.test, source)
        users = match.users(truth, lengths, self.convention)
        if candidates is not None:
            users = match.with_candidates(users, truth.relevant, candidates)
        tables = {"hits": match.hits(found, truth.users, self.convention, self.engine), "ideal": truth.ideal}
        if beside:
            tables["outside"] = match.outside(beside[0])
        values = self.scoring.per_user(users, tables)
        per_user = self.engine.collect(values.sort("user"))
        self.refuse_what_is_not_finite(per_user)
        self.rows += aggregate.rows(name, per_user, self.specs, self.config.evaluation.aggregates)
        listed = int((per_user["n_recommended"] > 0).sum())
        relevant = self.count(truth.users.select(nw.len().alias("n")), "n")
        self.counts[name] = Counts(n_test, relevant, listed, len(per_user))
        self.per_user[name] = per_user

    def refuse_what_is_not_finite(self, per_user: nw.DataFrame[Any]) -> None:
        finite = per_user.select(nw.col(f"v{index}").is_finite().all() for index in range(len(self.specs))).rows()[0]
        wrong = [metrics.label(spec) for spec, fine in zip(self.specs, finite, strict=True) if not fine]
        if wrong:
            raise DataError(
                f"{self.inputs.test.role}: {wrong[0]} is beyond all numbers: the ratings are too large for an exponential gain",
                "use gain=linear, or leave out relevance.graded",
            )

    def read(self, source: load.Source, compute: Callable[[load.Source, Frame], Settled]) -> Settled:
        """What `compute` makes of a scan, without its last frame: the counts of rows and faults, which are looked at here."""
        try:
            *frames, counted = compute(source, self.engine.scan(source.scan))
            counts = self.engine.collect(counted).rows(named=True)[0]
            self.n_rows[source.role] = load.refuse(source, counts)
        except load.BlankLines:
            return self.read(source.without_blank_lines(), compute)
        except ReadError as error:
            raise load.explain(source, error) from error
        return frames

    def count(self, frame: Frame, column: str) -> int:
        return int(self.engine.collect(frame)[column].item())

    def result(self, loaded: Loaded, fingerprints: load.Fingerprints) -> Result:
        names = {f"v{index}": metrics.label(spec) for index, spec in enumerate(self.specs)}
        shown = ["user", "n_relevant", "n_recommended", *names]
        return Result(
            rows=tuple(self.rows),
            counts=self.counts,
            higher_is_better={row.label: metrics.find(row.metric.split("(")[0]).higher_is_better for row in self.rows},
            per_user={model: frame.select(*shown).rename(names) for model, frame in self.per_user.items()},
            inputs=described(self.inputs, self.n_rows, fingerprints, loaded.folder),
            config=loaded.resolved(),
            remarks=load.remarks(self.inputs.all()),
            versions=provenance.versions(self.engine.name),
        )
