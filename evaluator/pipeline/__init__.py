"""The arrows, once, top to bottom: the only room that knows the order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import narwhals as nw

from .. import aggregate, load, match, provenance
from ..config import Config, Loaded
from ..engine import Engine, ReadError, open_engine
from ..errors import DataError
from ..inputs import Inputs, described, look_at_everything
from ..metrics import Definition
from ..result import Counts, Result, Row
from ..tables import Frame
from .lists import read_lists
from .model import ModelTables
from .plan import Plan
from .truths import Truths, read_truths

Progress = Callable[[str, int, int], None]
"""Called as `progress(model, done, total)` before each model and once at the end."""

Settled = list[Frame]


def run(loaded: Loaded, progress: Progress | None = None) -> Result:
    """Evaluate the models of a config.

    Raises `DataError` if a file cannot be read or its content is wrong, and `MissingExtraError` if the engine is not there.
    """
    return evaluate(loaded, loaded.config.evaluation.definitions, progress)


def evaluate(loaded: Loaded, definitions: tuple[Definition, ...], progress: Progress | None = None) -> Result:
    """Evaluate `definitions`, whatever measures the config lists, on its data; raises what `run` raises."""
    choice = loaded.config.engine
    with ExitStack() as stack:
        plan = Plan(definitions, loaded.config.evaluation.aggregates)
        inputs = look_at_everything(loaded, plan.needs, stack)
        fingerprints = stack.enter_context(load.Fingerprints(path for source in inputs.all() for path in source.paths))
        engine = open_engine(choice.name, master=choice.master, remote=choice.remote)
        stack.callback(engine.close)
        kinds = load.common_kinds(inputs.all())
        while True:
            try:
                evaluation = _Evaluation(inputs.with_kinds(kinds), loaded.config, plan, engine, progress or _silent)
                evaluation.run()
                break
            except load.IdsAreText as found:
                kinds = load.as_text(kinds, found.columns)
        return evaluation.result(loaded, fingerprints)


def _silent(model: str, done: int, total: int) -> None:
    pass


class _Evaluation:
    """One pass over the models under one reading of the ids."""

    def __init__(self, inputs: Inputs, config: Config, plan: Plan, engine: Engine, progress: Progress) -> None:
        self.inputs, self.config, self.plan, self.engine, self.progress = inputs, config, plan, engine, progress
        self.n_rows: dict[str, int] = {}
        self.n_train_users: int | None = None
        self.rows: list[Row] = []
        self.counts: dict[str, Counts] = {}
        self.per_user: dict[str, nw.DataFrame[Any]] = {}

    def run(self) -> None:
        known, candidates = self.known()
        truths = self.truths(known)
        for done, (name, source) in enumerate(self.inputs.models.items()):
            self.progress(name, done, len(self.inputs.models))
            self.model(name, source, truths, known, candidates)
        self.progress("", len(self.inputs.models), len(self.inputs.models))

    def truths(self, known: match.Known) -> Truths:
        relevance = self.config.evaluation.relevance
        if "rating" not in self.inputs.test.columns and (relevance.threshold is not None or relevance.graded):
            wants = "relevance.graded" if relevance.graded else "relevance.threshold"
            raise DataError(
                f"{self.inputs.test.role}: {self.inputs.test.paths[0]} has no rating column, which evaluation.{wants} needs",
                "name it in the config, columns: {rating: NAME}",
            )
        return read_truths(self.inputs.test, self.plan, known, self.engine, self.read)

    def known(self) -> tuple[match.Known, match.Candidates | None]:
        """What train and items hold, and the candidates if negatives are counted."""
        seen = catalogue = None
        for source in (self.inputs.train, self.inputs.items):
            if source is not None:
                columns: list[str] = [column for column in ("user", "item") if column in source.columns]

                def compute(source: load.Source, scan: Frame, columns: list[str] = columns) -> Settled:
                    return self.engine.settle([scan.select(*columns).unique(columns), load.counted(scan, source)])

                (frame,) = self.read(source, compute)
                seen = frame if "user" in columns else seen
                catalogue = frame.select("item").unique("item")
        if seen is not None and self.plan.needs_train:
            self.n_train_users = self.count(seen.select(nw.col("user").n_unique().alias("n")), "n")
        known = match.Known(seen, catalogue)
        if not self.plan.needs_candidates:
            return known, None
        assert catalogue is not None, "the config was checked to give a catalogue"
        size = self.count(catalogue.select(nw.len().alias("n")), "n")
        train_size = size if seen is None else self.count(seen.select(nw.col("item").n_unique().alias("n")), "n")
        return known, match.Candidates(catalogue, seen, size, train_size)

    def model(self, name: str, source: load.Source, truths: Truths, known: match.Known, candidates: match.Candidates | None) -> None:
        readings = read_lists(source, self.plan, truths, known, candidates, self.engine, self.read)
        if self.count(next(iter(readings.values())).found.rows.select(nw.len().alias("n")), "n") == 0:
            load.common_or_refuse(self.engine, self.inputs.test, source)
        model = ModelTables(truths, candidates, self.engine, readings)
        per_user = self.engine.collect(model.scored(self.plan).sort("user"))
        self.refuse_what_is_not_finite(per_user)
        self.rows += aggregate.rows(name, per_user, self.plan.definitions, self.config.evaluation.aggregates, self.n_train_users)
        counted = per_user.filter(~nw.col("v0").is_null())
        relevant = truths.n_relevant[truths.place[self.plan.definitions[0].truth]]
        listed = int(((per_user["n_recommended"] > 0) & (per_user["n_relevant"] > 0)).sum())
        self.counts[name] = Counts(truths.n_test, relevant, listed, len(counted))
        self.per_user[name] = per_user

    def refuse_what_is_not_finite(self, per_user: nw.DataFrame[Any]) -> None:
        definitions = self.plan.definitions
        finite = per_user.select(nw.col(f"v{index}").is_finite().all() for index in range(len(definitions))).rows()[0]
        wrong = [definition.label for definition, fine in zip(definitions, finite, strict=True) if not fine]
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
        definitions = self.plan.definitions
        names = {f"v{index}": definition.label for index, definition in enumerate(definitions)}
        shown = ["user", "n_relevant", "n_recommended", *names]
        better = {definition.spec.title: definition.metric.higher_is_better for definition in definitions}
        return Result(
            rows=tuple(self.rows),
            counts=self.counts,
            higher_is_better={row.label: better[row.metric] for row in self.rows},
            per_user={model: frame.select(*shown).rename(names) for model, frame in self.per_user.items()},
            inputs=described(self.inputs, self.n_rows, fingerprints, loaded.folder),
            config=loaded.resolved(),
            remarks=(*load.remarks(self.inputs.all()), *self.plan.remarks(self.inputs.train is not None)),
            versions=provenance.versions(self.engine.name),
        )
