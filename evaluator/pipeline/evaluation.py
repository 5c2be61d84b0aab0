"""One pass over the files: truth, then model by model, lists → hits → values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import narwhals as nw

from .. import health, load, match, provenance
from ..checks import CHECKS
from ..config import Loaded
from ..engine import Engine, ReadError, open_engine
from ..errors import DataError
from ..frames import Frame
from ..inputs import Inputs, described, look_at_everything, said_of
from ..result import Counts, Result, Row
from .examining import Examination, failing_rows
from .judgements import read_predictions
from .lists import read_lists
from .model import ModelTables
from .plan import Plan
from .scored import Scored, scored
from .sides import SideReader, Sides
from .truths import Truths, read_truths
from .yardsticks import ORACLE, Yardsticks, achieved, beside

Progress = Callable[[str, int, int], None]
"""Called as `progress(model, done, total)` before each model and once at the end."""

Settled = list[Frame]


@contextmanager
def evaluated(
    loaded: Loaded,
    plan: Plan,
    progress: Progress | None = None,
    *,
    only: str | None = None,
    listed: bool = False,
    examined: bool = False,
    tolerant: bool = False,
) -> Iterator[Evaluation]:
    """One pass over the files of a config; the engine is open as long as the context lasts.

    With `listed` the lists of a single model are read, called `only` if there are several, and their rows kept. With `examined` the
    health checks of the config are made, and its yardsticks evaluated; a `tolerant` examination refuses nothing that can be read.

    Raises `DataError` if a file cannot be read or its content is wrong, and `MissingExtraError` if the engine is not there.
    """
    choice = loaded.config.engine
    with ExitStack() as stack:
        checks = examined and Examination.wanted(loaded.config)
        known = (checks and Examination.reads_known(loaded.config)) or (examined and loaded.config.evaluation.yardsticks.asked)
        inputs = look_at_everything(loaded, plan.needs | ({"known"} if known else set()), stack)
        inputs = inputs.single(only) if listed else inputs
        fingerprints = stack.enter_context(load.Fingerprints(path for source in inputs.all() for path in source.paths))
        engine = open_engine(choice.name, master=choice.master, remote=choice.remote)
        stack.callback(engine.close)
        kinds = load.common_kinds(inputs.all())
        while True:
            try:
                examination = Examination(loaded.config, engine, tolerant) if checks else None
                evaluation = Evaluation(inputs.with_kinds(kinds), loaded, plan, engine, fingerprints, listed, examination, examined)
                evaluation.run(progress or _silent)
                break
            except load.IdsAreText as found:
                kinds = load.as_text(kinds, found.columns)
        yield evaluation


def _silent(model: str, done: int, total: int) -> None:
    pass


class Evaluation:
    """One pass over the models under one reading of the ids.

    `rows` has the values of each model in the order of the plan, `by_definition` those of each definition; `models` the tables they
    were computed from.
    """

    def __init__(
        self,
        inputs: Inputs,
        loaded: Loaded,
        plan: Plan,
        engine: Engine,
        fingerprints: load.Fingerprints,
        listed: bool = False,
        examination: Examination | None = None,
        compares: bool = False,
    ) -> None:
        self.inputs, self.loaded, self.plan, self.engine, self.fingerprints = inputs, loaded, plan, engine, fingerprints
        self.config, self.listed, self.examination, self.compares = loaded.config, listed, examination, compares
        self.as_read: dict[str, load.Source] = {}
        """The sources as they could be read in the end, by role."""
        self.models: dict[str, ModelTables] = {}
        self.n_rows: dict[str, int] = {}
        self.predicted: dict[str, Frame] = {}
        """The predicted ratings that were read, by the role of their file."""
        self.n_train_users: int | None = None
        self.rows: dict[str, list[Row]] = {}
        self.by_definition: dict[str, list[list[Row]]] = {}
        self.counts: dict[str, Counts] = {}
        self.scored: dict[str, Scored] = {}
        self.side = Sides()
        self.yardsticks: tuple[str, ...] = ()
        self.longest = 0
        self.both: Frame | None = None
        """The test rows whose pair train holds, where yardsticks or checks ask."""
        self.of_models: dict[str, list[str]] = {}
        """What there is to say of the side inputs as they meet the lists of one model."""

    def run(self, progress: Progress) -> None:
        """Read the truth, then each model."""
        self.side = sides = self.sides()
        truths = self.truths(sides.known)
        if self.compares and sides.known.seen is not None:
            tested = truths.judged if truths.rows is None else truths.rows
            (self.both,) = self.engine.settle([self.engine.joined(tested, sides.known.seen)])
        if self.examination is not None:
            self.examination.files(self.inputs, truths, sides, self.plan.all, self.both)
        for done, (name, source) in enumerate(self.inputs.models.items()):
            progress(name, done, len(self.inputs.models))
            self.model(name, source, truths, sides)
        if self.compares:
            self.measure(truths)
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
        return read_truths(self.inputs.test, self.plan, known, self.engine, self.read, self.examination is not None)

    def sides(self) -> Sides:
        """What the side inputs say."""
        timed = self.examination is not None and self.examination.asks_for_times
        sides = SideReader(self.inputs, self.plan, self.config, self.engine, self.read, timed).sides_read()
        if self.inputs.train is not None and self.plan.needs_train:
            self.n_train_users = int(sides.numbers["train_users"])
        return sides

    def model(self, name: str, source: load.Source, truths: Truths, sides: Sides) -> None:
        """Read the lists of one model, score them, and keep what was found."""
        predicted = name in self.inputs.predictions
        single = any(choice.score_type == "float32" for choice in self.plan.lists)
        wanted = health.wanted(source.columns, single) if self.examination is not None else {}
        listing = read_lists(
            source, self.plan, truths, sides.known, sides.candidates, self.engine, self.read, self.listed, predicted, examined=wanted
        )
        readings = listing.readings
        if self.examination is None and self.count(next(iter(readings.values())).found.rows.select(nw.len().alias("n")), "n") == 0:
            load.common_or_refuse(self.engine, self.inputs.test, source)
        model = ModelTables(truths, sides, self.plan, self.engine, readings)
        model.predictions = self.predictions(name, truths)
        of_one = scored(name, model, self.n_train_users, self.users_of_train())
        self.keep(of_one)
        self.longest = max(self.longest, self.longest_of(listing.lengths) if self.plan.deep else 0)
        if self.examination is not None:
            rows = self.engine.scan(self.as_read.get(source.role, source).scan)
            n_rows, found = self.n_rows[source.role], of_one.by_definition
            self.examination.model(name, source, self.inputs.test, listing, model, rows, n_rows, found)
            self.examination.ties(name, listing, model, of_one.per_user, found)
            self.examination.values(name, model.plan, of_one.per_user, found)
        if self.listed:
            self.models[name] = model

    def keep(self, of_one: Scored) -> None:
        """Keep the values of one model, or of a yardstick."""
        name = of_one.name
        self.of_models[name] = of_one.remarks
        self.by_definition[name] = of_one.by_definition
        self.rows[name] = of_one.rows(len(self.plan.shown))
        self.counts[name] = of_one.counts
        self.scored[name] = of_one

    def measure(self, truths: Truths) -> None:
        """Evaluate the yardsticks, and set the models beside them."""
        repeats = self.both is not None and self.count(self.both.select(nw.len().alias("n")), "n") > 0
        made = Yardsticks(self.config, self.plan, truths, self.side, self.engine, self.longest, repeats)
        models = list(self.scored.values())
        oracle: Scored | None = None
        for of_one in made.asked():
            self.keep(of_one)
            self.yardsticks += (of_one.name,)
            oracle = of_one if of_one.name == ORACLE else oracle
        if self.yardsticks and self.side.known.seen is not None:
            done = "leave out" if made.masks(self.plan.definitions[0].lists) else "may hold"
            self.side.remarks.append(f"The lists of {', '.join(self.yardsticks)} {done} items that data.train holds for the user.")
        popular = made.baseline() if self.examination is not None and self.examination.x.asks("X14") else None
        for of_one in self.scored.values():
            best = beside(of_one, oracle) if oracle else {}
            self.rows[of_one.name] = achieved(self.rows[of_one.name], best)
            if self.examination is not None and of_one in models:
                self.examination.measured(of_one.name, of_one.by_definition, beside(of_one, popular) if popular else {}, best)

    def users_of_train(self) -> Frame | None:
        """The users whom train holds, where it is read."""
        return None if self.side.known.seen is None else self.side.known.seen.select("user").unique("user")

    def predictions(self, name: str, truths: Truths) -> Frame | None:
        """The predicted ratings of a model; models may share theirs."""
        source = self.inputs.predictions.get(name)
        if source is None:
            return None
        if source.role not in self.predicted:
            self.predicted[source.role] = read_predictions(source, truths.judged, self.engine, self.read)
        return self.predicted[source.role]

    def read(self, source: load.Source, compute: Callable[[load.Source, Frame], Settled]) -> Settled:
        """What `compute` makes of a scan, without its last frame: the counts of rows and faults, which are looked at here."""
        source = self.as_read.get(source.role, source)
        try:
            *frames, counted = compute(source, self.engine.scan(source.scan))
            counts = self.engine.collect(counted).rows(named=True)[0]
            self.n_rows[source.role] = load.refuse(source, counts)
        except load.BlankLines:
            self.as_read[source.role] = source.without_blank_lines()
            return self.read(source, compute)
        except load.FaultyRows as fault:
            if not self.passes_over_faults:
                raise
            self.as_read[source.role] = source.without_faulty_rows()
            frames = self.read(source, compute)
            if self.examination is not None:
                places = [said_of(place, source, self.loaded.folder) for place in fault.places]
                n_faulty = fault.n_rows - self.n_rows[source.role]
                self.examination.faulty(self.as_read[source.role], places, n_faulty, fault.n_rows)
        except ReadError as error:
            if source.scan.is_text and not source.scan.loose:
                self.as_read[source.role] = source.loosely()
                return self.read(source, compute)
            raise load.explain(source, error) from error
        return frames

    @property
    def passes_over_faults(self) -> bool:
        """Whether rows without a value are left out instead of refused."""
        tolerant = self.examination is not None and self.examination.tolerant and self.examination.x.asks("R02")
        return tolerant or self.config.evaluation.policy.missing_values == "drop"

    def longest_of(self, lengths: Frame) -> int:
        """The length of the longest list."""
        return int(self.engine.collect(lengths.select(nw.col("n_recommended").max()))["n_recommended"].item() or 0)

    def count(self, frame: Frame, column: str) -> int:
        """The number in a frame of one row."""
        return int(self.engine.collect(frame)[column].item())

    def remarks(self) -> tuple[str, ...]:
        """How ids were read, and what a convention could not do."""
        of_models = (f"{model}: {remark}." for model, remarks in self.of_models.items() for remark in remarks)
        unordered = (
            f"{model}: the file has no rank and no score that is recognised; the order of its rows is the rank."
            for model, source in self.inputs.models.items()
            if not {"position", "score"} & source.columns and not source.scan.lists
        )
        about_files = (*load.remarks(self.inputs.all()), *unordered, *self.side.remarks)
        return (*about_files, *self.plan.remarks(self.inputs.train is not None), *of_models)

    def result(self, keep_failures: bool = False) -> Result:
        """What a run found; with the offending rows of failed checks, if they are to be kept."""
        found = self.examination.findings() if self.examination is not None else []
        rows = [row for found in self.rows.values() for row in found]
        return Result(
            rows=tuple(rows),
            counts=self.counts,
            higher_is_better={row.label: row.higher_is_better for row in rows},
            per_user={model: of_one.named(self.plan.shown) for model, of_one in self.scored.items()},
            inputs=described(self.inputs, self.n_rows, self.fingerprints, self.loaded.folder),
            config=self.loaded.resolved(),
            remarks=self.remarks(),
            versions=provenance.versions(self.engine.name),
            findings=tuple(symptom.finding for symptom in found),
            examined=self.examination is not None,
            unmade=self.examination.unmade() if self.examination is not None else dict.fromkeys(CHECKS, "off"),
            yardsticks=self.yardsticks,
            failures=failing_rows(found, self.engine) if keep_failures else {},
        )
