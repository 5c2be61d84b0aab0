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
from ..metrics import Definition
from ..result import Counts, Result, Row
from ..tables import Frame
from .judgements import read_predictions
from .lists import read_lists
from .model import ModelTables
from .plan import Plan
from .sides import SideReader, Sides
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


def _may_be_undefined(definition: Definition) -> bool:
    """Whether a user may have a value that is not defined (NaN)."""
    return any("undefined" in part.params.values() or part.counted.missing_lists == "undefined" for part in definition.all)


def _fine(value: nw.Expr, undefined: bool) -> nw.Expr:
    """Whether all values are finite; where a metric may be `undefined` its NaN is no fault."""
    return (value.is_finite() | value.is_nan()).all() if undefined else value.is_finite().all()


class Evaluation:
    """One pass over the models under one reading of the ids.

    `rows` has the values of each model in the order of the plan, `by_definition` those of each definition; `models` the tables they
    were computed from.
    """

    def __init__(
        self, inputs: Inputs, loaded: Loaded, plan: Plan, engine: Engine, fingerprints: load.Fingerprints, listed: bool = False
    ) -> None:
        self.inputs, self.loaded, self.plan, self.engine, self.fingerprints = inputs, loaded, plan, engine, fingerprints
        self.config, self.listed = loaded.config, listed
        self.models: dict[str, ModelTables] = {}
        self.n_rows: dict[str, int] = {}
        self.predicted: dict[str, Frame] = {}
        """The predicted ratings that were read, by the role of their file."""
        self.n_train_users: int | None = None
        self.rows: dict[str, list[Row]] = {}
        self.by_definition: dict[str, list[list[Row]]] = {}
        self.counts: dict[str, Counts] = {}
        self.per_user: dict[str, nw.DataFrame[Any]] = {}
        self.side = Sides()
        self.of_models: dict[str, list[str]] = {}
        """What there is to say of the side inputs as they meet the lists of one model."""

    def run(self, progress: Progress) -> None:
        """Read the truth, then each model."""
        self.side = sides = self.sides()
        truths = self.truths(sides.known)
        for done, (name, source) in enumerate(self.inputs.models.items()):
            progress(name, done, len(self.inputs.models))
            self.model(name, source, truths, sides)
        progress("", len(self.inputs.models), len(self.inputs.models))

    def truths(self, known: match.Known) -> Truths:
        """What the test file says; refuses a config that speaks of ratings where there are none."""
        relevance = self.config.evaluation.relevance
        thresholds = [definition.label for definition in self.plan.all if definition.truth.threshold is not None]
        wants = "evaluation.relevance.graded" if relevance.graded else "evaluation.relevance.threshold"
        if relevance.threshold is None and not relevance.graded:
            wants = f"the threshold of {thresholds[0]}" if thresholds else ""
        looks = [definition.label for definition in self.plan.all if "ratings?" in definition.metric.needs(definition.params)]
        wants = wants or (looks[0] if looks else "")
        if "rating" not in self.inputs.test.columns and wants:
            raise DataError(
                f"{self.inputs.test.role}: {self.inputs.test.paths[0]} has no rating column, which {wants} needs",
                "name it in the config, columns: {rating: NAME}",
            )
        return read_truths(self.inputs.test, self.plan, known, self.engine, self.read)

    def sides(self) -> Sides:
        """What the side inputs say."""
        sides = SideReader(self.inputs, self.plan, self.config, self.engine, self.read).sides_read()
        if self.inputs.train is not None and self.plan.needs_train:
            self.n_train_users = int(sides.numbers["train_users"])
        return sides

    def model(self, name: str, source: load.Source, truths: Truths, sides: Sides) -> None:
        """Read the lists of one model, score them, and keep what was found."""
        predicted = name in self.inputs.predictions
        readings = read_lists(source, self.plan, truths, sides.known, sides.candidates, self.engine, self.read, self.listed, predicted)
        if self.count(next(iter(readings.values())).found.rows.select(nw.len().alias("n")), "n") == 0:
            load.common_or_refuse(self.engine, self.inputs.test, source)
        model = ModelTables(truths, sides, self.plan, self.engine, readings)
        model.predictions = self.predictions(name, truths)
        scored, scoring = model.scored()
        per_user = self.engine.collect(scored.sort("user"))
        self.refuse_what_is_not_finite(per_user)
        self.of_models[name] = model.remarks
        wholes = scoring.wholes(per_user, model.rows, self.engine.collect)
        definitions = self.plan.definitions
        self.by_definition[name] = aggregate.rows(name, per_user, definitions, self.plan.aggregates, self.n_train_users, wholes)
        own = aggregate.rows(name, per_user, definitions, (), self.n_train_users, wholes) if self.plan.composites else ()
        formulas, undefined = aggregate.composed(name, self.plan.composites, own)
        self.of_models[name] += undefined
        self.rows[name] = [row for of_one in self.by_definition[name][: len(self.plan.shown)] for row in of_one] + formulas
        counted = per_user.filter(~nw.col("v0").is_null())
        relevant = truths.n_relevant[truths.place[self.plan.definitions[0].truth]]
        listed = int(((per_user["n_recommended"] > 0) & (per_user["n_relevant"] > 0)).sum())
        first = self.plan.definitions[0].counted
        untested = model.untested()
        averaged = len(counted)
        counts_missing = first.missing_lists == "zero" and self.plan.definitions[0].population in ("test", "tested")
        self.counts[name] = Counts(truths.n_test, relevant, listed, averaged, counts_missing, first.no_relevant == "zero", untested)
        self.per_user[name] = per_user
        if self.listed:
            self.models[name] = model

    def predictions(self, name: str, truths: Truths) -> Frame | None:
        """The predicted ratings of a model; models may share theirs."""
        source = self.inputs.predictions.get(name)
        if source is None:
            return None
        if source.role not in self.predicted:
            self.predicted[source.role] = read_predictions(source, truths.judged, self.engine, self.read)
        return self.predicted[source.role]

    def refuse_what_is_not_finite(self, per_user: nw.DataFrame[Any]) -> None:
        """Raise `DataError` if a gain went beyond all numbers."""
        definitions = self.plan.definitions
        fine = [_fine(nw.col(f"v{index}"), _may_be_undefined(one)) for index, one in enumerate(definitions)]
        finite = per_user.select(*fine).rows()[0]
        wrong = [definition.label for definition, fine in zip(definitions, finite, strict=True) if not fine]
        if wrong:
            raise DataError(
                f"{self.inputs.test.role}: {wrong[0]} is beyond all numbers: a rating, score or prediction is too large",
                "with an exponential gain use gain=linear, or leave out relevance.graded",
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
            if source.scan.is_text and not source.scan.loose:
                return self.read(source.loosely(), compute)
            raise load.explain(source, error) from error
        return frames

    def count(self, frame: Frame, column: str) -> int:
        """The number in a frame of one row."""
        return int(self.engine.collect(frame)[column].item())

    def remarks(self) -> tuple[str, ...]:
        """How ids were read, and what a convention could not do."""
        of_models = (f"{model}: {remark}." for model, remarks in self.of_models.items() for remark in remarks)
        about_files = (*load.remarks(self.inputs.all()), *self.side.remarks)
        return (*about_files, *self.plan.remarks(self.inputs.train is not None), *of_models)

    def result(self) -> Result:
        """What a run found."""
        names = {f"v{index}": one.label for index, one in enumerate(self.plan.shown) if not one.metric.system}
        shown = ["user", "n_relevant", "n_recommended", *names]
        rows = [row for found in self.rows.values() for row in found]
        return Result(
            rows=tuple(rows),
            counts=self.counts,
            higher_is_better={row.label: row.higher_is_better for row in rows},
            per_user={model: frame.select(*shown).rename(names) for model, frame in self.per_user.items()},
            inputs=described(self.inputs, self.n_rows, self.fingerprints, self.loaded.folder),
            config=self.loaded.resolved(),
            remarks=self.remarks(),
            versions=provenance.versions(self.engine.name),
        )
