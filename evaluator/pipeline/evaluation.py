"""One pass over the files: truth, then model by model, lists → hits → values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import narwhals as nw

from .. import aggregate, load, match, provenance
from ..config import Loaded
from ..engine import Engine, ReadError, open_engine
from ..errors import DataError
from ..inputs import Inputs, described, look_at_everything
from ..result import Counts, Result, Row
from ..tables import Frame
from .lists import read_lists
from .model import ModelTables
from .plan import Plan
from .truths import Truths, read_truths

Progress = Callable[[str, int, int], None]
"""Called as `progress(model, done, total)` before each model and once at the end."""

Settled = list[Frame]


@contextmanager
def evaluated(
    loaded: Loaded, plan: Plan, progress: Progress | None = None, *, only: str | None = None, listed: bool = False
) -> Iterator[Evaluation]:
    """One pass over the files of a config; the engine is open as long as the context lasts.

    With `listed` the lists of a single model are read, called `only` if there are several, and their rows kept.

    Raises `DataError` if a file cannot be read or its content is wrong, and `MissingExtraError` if the engine is not there.
    """
    choice = loaded.config.engine
    with ExitStack() as stack:
        inputs = look_at_everything(loaded, plan.needs, stack)
        inputs = inputs.single(only) if listed else inputs
        fingerprints = stack.enter_context(load.Fingerprints(path for source in inputs.all() for path in source.paths))
        engine = open_engine(choice.name, master=choice.master, remote=choice.remote)
        stack.callback(engine.close)
        kinds = load.common_kinds(inputs.all())
        while True:
            try:
                evaluation = Evaluation(inputs.with_kinds(kinds), loaded, plan, engine, fingerprints, listed)
                evaluation.run(progress or _silent)
                break
            except load.IdsAreText as found:
                kinds = load.as_text(kinds, found.columns)
        yield evaluation


def _silent(model: str, done: int, total: int) -> None:
    pass


class Evaluation:
    """One pass over the models under one reading of the ids.

    `rows` has the values of each model in the order of the plan's definitions; `models` the tables they were computed from.
    """

    def __init__(
        self, inputs: Inputs, loaded: Loaded, plan: Plan, engine: Engine, fingerprints: load.Fingerprints, listed: bool = False
    ) -> None:
        self.inputs, self.loaded, self.plan, self.engine, self.fingerprints = inputs, loaded, plan, engine, fingerprints
        self.config, self.listed = loaded.config, listed
        self.models: dict[str, ModelTables] = {}
        self.n_rows: dict[str, int] = {}
        self.n_train_users: int | None = None
        self.rows: dict[str, list[Row]] = {}
        self.counts: dict[str, Counts] = {}
        self.per_user: dict[str, nw.DataFrame[Any]] = {}

    def run(self, progress: Progress) -> None:
        """Read the truth, then each model."""
        known, candidates = self.known()
        truths = self.truths(known)
        for done, (name, source) in enumerate(self.inputs.models.items()):
            progress(name, done, len(self.inputs.models))
            self.model(name, source, truths, known, candidates)
        progress("", len(self.inputs.models), len(self.inputs.models))

    def truths(self, known: match.Known) -> Truths:
        """What the test file says; refuses a config that speaks of ratings where there are none."""
        relevance = self.config.evaluation.relevance
        thresholds = [definition.label for definition in self.plan.all if definition.truth.threshold is not None]
        wants = "evaluation.relevance.graded" if relevance.graded else "evaluation.relevance.threshold"
        if relevance.threshold is None and not relevance.graded:
            wants = f"the threshold of {thresholds[0]}" if thresholds else ""
        if "rating" not in self.inputs.test.columns and wants:
            raise DataError(
                f"{self.inputs.test.role}: {self.inputs.test.paths[0]} has no rating column, which {wants} needs",
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
        """Read the lists of one model, score them, and keep what was found."""
        readings = read_lists(source, self.plan, truths, known, candidates, self.engine, self.read, self.listed)
        if self.count(next(iter(readings.values())).found.rows.select(nw.len().alias("n")), "n") == 0:
            load.common_or_refuse(self.engine, self.inputs.test, source)
        model = ModelTables(truths, candidates, self.engine, readings)
        per_user = self.engine.collect(model.scored(self.plan).sort("user"))
        self.refuse_what_is_not_finite(per_user)
        self.rows[name] = aggregate.rows(name, per_user, self.plan.definitions, self.config.evaluation.aggregates, self.n_train_users)
        counted = per_user.filter(~nw.col("v0").is_null())
        relevant = truths.n_relevant[truths.place[self.plan.definitions[0].truth]]
        listed = int(((per_user["n_recommended"] > 0) & (per_user["n_relevant"] > 0)).sum())
        first = self.plan.definitions[0].counted
        untested = model.untested(self.plan)
        averaged = len(counted)
        self.counts[name] = Counts(
            truths.n_test, relevant, listed, averaged, first.missing_lists == "zero", first.no_relevant == "zero", untested
        )
        self.per_user[name] = per_user
        if self.listed:
            self.models[name] = model

    def refuse_what_is_not_finite(self, per_user: nw.DataFrame[Any]) -> None:
        """Raise `DataError` if a gain went beyond all numbers."""
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
        """The number in a frame of one row."""
        return int(self.engine.collect(frame)[column].item())

    def remarks(self) -> tuple[str, ...]:
        """How ids were read, and what a convention could not do."""
        return (*load.remarks(self.inputs.all()), *self.plan.remarks(self.inputs.train is not None))

    def result(self) -> Result:
        """What a run found."""
        definitions = self.plan.definitions
        names = {f"v{index}": definition.label for index, definition in enumerate(definitions)}
        shown = ["user", "n_relevant", "n_recommended", *names]
        rows = [row for found in self.rows.values() for row in found]
        better = {definition.spec.title: definition.metric.higher_is_better for definition in definitions}
        return Result(
            rows=tuple(rows),
            counts=self.counts,
            higher_is_better={row.label: better[row.metric] for row in rows},
            per_user={model: frame.select(*shown).rename(names) for model, frame in self.per_user.items()},
            inputs=described(self.inputs, self.n_rows, self.fingerprints, self.loaded.folder),
            config=self.loaded.resolved(),
            remarks=self.remarks(),
            versions=provenance.versions(self.engine.name),
        )
