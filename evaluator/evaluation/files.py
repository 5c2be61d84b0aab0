"""Open the files of a run, read the side inputs, and prepare what parts need before the lists are read.

Each source is read once; its faults are counted while it is read, and reported before any result. Long: all share one reader.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Final, TypeVar

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from .. import load
from ..config import Loaded, missing, missing_for_groups
from ..config.data_sources import InMemory
from ..config.run_sections import EngineChoice
from ..engines import Scratch, SideTable
from ..engines.processes import Processes, n_processes, worth_starting
from ..engines.spark.session import SparkSession, session_of_frames, start_session, without_logged_errors
from ..health import Faults
from ..load.faults import FaultTally
from ..load.in_memory.matrices import refuse_wrong_positions
from ..load.opening import FAILURES, open_rows
from ..load.scan import NO_VALUE, ReadError
from ..load.source import expected_rows, n_bytes
from ..metrics.intents import TEST_CATEGORIES
from ..metrics.popularity_groups import profile_groups_of
from ..results.row import Protocol
from ..scoring.by_group import equal_borders
from ..scoring.common_times import CommonTimes, common_times
from ..scoring.item_values import ValueColumn
from ..scoring.memberships import GroupColumn
from ..scoring.one_per_user import choose_targets
from ..scoring.per_user import Scorer
from ..scoring.row_groups import refuse_many_cells, refuse_unknown_groups, with_row_groups
from ..scoring.side_inputs import SideFrames, SideNeeds, prepare_sides
from ..scoring.task import Task, tables_of
from ..support.errors import ConfigError, DataError, Given
from ..support.forks import refuse_lost_threads
from ..support.secrets import mask_values
from ..syntax.measure_strings import MetricSpec
from ..tables.graph import closure
from ..tables.prepared import Prepared, TimeFacts
from ..tables.rows import EMPTY_TRUTH, LISTS, PartData
from ..tables.time_units import SECONDS, TimeUnit
from .input_files import configured_path
from .inputs import Inputs, look_at_everything
from .looking import what_needs_ratings
from .model_pass import measure_part
from .plan import Plan, Request
from .user_ids import id_in

T = TypeVar("T")
_BYTES_PER_ROW: Final = 10
"""The usual size of a row in a file that does not store its number of rows, packed or not."""
_SMALL: Final = 4_000_000
"""Files of fewer bytes have too few rows for processes, and counting them would take a millisecond each."""


class ChosenTargets(Struct, frozen=True):
    """A remark on the chosen rows of a source, and the number of other rows."""

    remark: str
    n_left_out: int


class SourceReader(Struct):
    """Read sources; `n_rows` is the number of rows of each, by role.

    With `tolerant` rows with a missing value are left out instead of refused, and with `drops` because the policy says so. `folder` is that
    of the config.
    """

    folder: Path
    tolerant: bool
    session: SparkSession | None = None
    """The Spark session that reads tables of its catalog and brings whole users together."""
    drops: bool = False
    n_rows: dict[str, int] = field(default_factory=dict)
    as_read: dict[str, load.Source] = field(default_factory=dict)
    """The sources with the options that finally worked, by role."""
    targets: dict[str, ChosenTargets] = field(default_factory=dict)
    """What is known of the chosen rows of sources with a target, by role."""
    changed: dict[str, pl.DataFrame] = field(default_factory=dict)
    """The rows of sources that are not as in their files, by role: only those of the targets, or with the codes of groups."""

    def frame(self, source: load.Source) -> pl.DataFrame:
        """Return the rows of a source: the canonical columns, and `row`; of a source with a target only the chosen rows."""

        def collect(resolved: load.Source, tally: FaultTally) -> pl.DataFrame:
            if self.session is not None and resolved.scan.format == "table":
                from ..engines.spark.shuffle import table_frame  # only here: most runs need no Spark

                rows = table_frame(self.session, resolved)
            else:
                rows = _collect(resolved)
            tally.add(rows)
            return rows

        frame = self.read_with_retries(source, collect)
        frame = frame.select(name for name in (*source.scan.names, "row") if name in frame.columns)
        if source.target is None:
            return frame
        place = f"{source.role}: {source.name}"
        rows, remark = choose_targets(frame, source.target, place, source.scan.names.get("timestamp", ""))
        self.targets[source.role] = ChosenTargets(remark, len(frame) - len(rows))
        self.n_rows[source.role], self.changed[source.role] = len(rows), rows
        return rows

    def rows_of_user(self, source: load.Source, user: int | str) -> pl.DataFrame:
        """Return the rows of one user; all rows of the source are checked for faults, of a table of Spark only those of the user."""

        def collect(resolved: load.Source, tally: FaultTally) -> pl.DataFrame:
            if resolved.scan.format == "table":
                from ..engines.spark.shuffle import table_frame  # only here: most runs need no Spark

                assert self.session is not None
                rows = table_frame(self.session, resolved, only=user)
                tally.add(rows)
            else:
                lazy = lazy_rows(resolved)
                with reading():
                    rows = tally.add_beside(lazy, lazy.filter(pl.col("user") == user))
            return rows.select(name for name in rows.columns if not name.startswith("odd_"))

        return self.read_with_retries(source, collect)

    def for_workers(self, source: load.Source) -> load.Source:
        """Return the source as workers of Spark read it: with the options that worked, or the rows of `changed`."""
        read = self.as_read.get(source.role, source)
        return read.with_rows(self.changed[source.role]) if source.role in self.changed else read

    def n_faulty(self, role: str) -> int:
        """Return the number of rows of a source that were left out because a value is missing."""
        source, chosen = self.as_read[role], self.targets.get(role)
        read = self.n_rows[role] + (chosen.n_left_out if chosen is not None else 0)
        return 0 if source.faulty is None else source.faulty.n_rows - read

    def read_with_retries(self, source: load.Source, read: Callable[[load.Source, FaultTally], T | None]) -> T:
        """Return `read(source, tally)`, which counts faults in the tally; it is called again if the source must be read with other options.

        It may return `None` for faulty rows. Raises `DataError` if the source cannot be used, and `ReadAgain` if all sources must change.
        """

        def changed(before: load.Source, again: load.ReadAgain) -> load.Source:
            if again.everywhere:
                raise again
            return again.change(replace(before, counted_first=False))

        return load.read_with_retries(self.as_read.get(source.role, source), partial(self._read_once, read), changed)

    def _read_once(self, read: Callable[[load.Source, FaultTally], T | None], source: load.Source) -> T:
        tally = FaultTally(source)
        try:
            made = None if source.counted_first else read(source, tally)
            if source.counted_first:
                with reading():
                    tally.add(lazy_rows(source))
        except ReadError as error:
            raise load.another_way(source, error) from error
        n_rows = load.refuse(source, tally.counts, tolerant=self.tolerant)
        assert made is not None, f"{source.role} has rows without a value, but none could be located"
        self.n_rows[source.role], self.as_read[source.role] = n_rows, source
        return made

    def faults(self, role: str, model: str = "") -> Faults | None:
        """Return the rows of a source that were left out because a value is missing, with the first places; `None` if there are none."""
        source = self.as_read[role]
        if source.faulty is None:
            return None
        located = ((configured_path(place.file, source, self.folder), place.within, problem) for place, problem in source.faulty.places)
        places = tuple(mask_values(f"{path}{within}: {problem}") for path, within, problem in located)
        return Faults(role, model, places, self.n_faulty(role), source.faulty.n_rows, _collect(source.faulty_rows()), self.drops)


class Files(Struct, eq=False, dict=True):
    """The open sources of a request, what is prepared from them before the lists are read, and the side tables that parts get.

    `last` are the roles whose users are in the last parts if they have no list.
    """

    request: Request
    inputs: Inputs
    reader: SourceReader
    prepared: Prepared
    sides: Mapping[str, SideTable]
    remarks: tuple[str, ...]
    fingerprints: load.Fingerprints
    scratch: Scratch
    processes: Processes
    last: Collection[str]
    _predictions: dict[str, SideTable] = field(default_factory=dict)

    @cached_property
    def task(self) -> Task:
        """The measurement of every part of a model."""
        return self.request.task(self.prepared)

    @cached_property
    def protocols(self) -> Mapping[str, Protocol]:
        """The protocol of every measure, by its label."""
        return self.request.protocols(self.inputs.test.columns, self.prepared.numbers.get("mean_rating"))

    def sides_of(self, model: str) -> dict[str, SideTable]:
        """Return the side tables of a model: those that all models share, and its predictions."""
        source = self.inputs.predictions.get(model)
        if source is None:
            return dict(self.sides)
        if source.role not in self._predictions:
            self._predictions[source.role] = SideTable(self.reader.frame(source))
        return {**self.sides, "predictions": self._predictions[source.role]}

    def schemas(self, model: str) -> dict[str, pl.Schema]:
        """Return the schemas, by role, of the frames in a part of a model or of reference lists."""
        test = self.sides["test"].frame.schema
        lists: dict[str, pl.DataType] = {"user": test["user"], "item": test["item"], "row": pl.Int64()}
        if model in self.inputs.models:
            columns = self.inputs.models[model].columns
            lists |= {name: pl.Float64() for name in ("score", "position", "shelf") if name in columns}
        return {"lists": pl.Schema(lists), **{role: side.frame.schema for role, side in self.sides_of(model).items()}}


def open_inputs(
    request: Request, use: Callable[[Files], T], only: Callable[[Inputs], Inputs] | None = None, inputs: Inputs | None = None
) -> T:
    """Open every source of a request and call `use`; retry with text ids if a file needs it.

    `only` picks sources; `inputs` are sources that were inspected before. Raises `ConfigError` for a config with folds.
    """
    refuse_lost_threads()
    loaded, checks = request.loaded, request.checks
    if loaded.folds:
        about = loaded.name or "the config"
        raise ConfigError(
            f"{about}: this command needs a single test set, and data.folds has {len(loaded.folds)} folds",
            f"choose one by its name, such as --set 'data.folds=[{next(iter(loaded.folds))}]', or give the files of one fold",
        )
    _refuse_missing_inputs(request)
    with ExitStack() as stack:
        session = session_of(loaded, stack)
        found = inputs or look_at_everything(loaded, request.needs, stack, session, whole_lists=request.whole_lists)
        if found.source("test") is None or not found.models:
            raise ConfigError(f"{loaded.name or 'the config'} has no test set or no lists: it was loaded only to describe its files")
        found = only(found) if only is not None else found
        fingerprints = stack.enter_context(load.Fingerprints(file.path for source in found.all() for file in source.originals))
        scratch = stack.enter_context(Scratch())
        processes = stack.enter_context(_processes(loaded.config.engine, found, session))
        drops = request.evaluation.policy.missing_values == "drop"
        tolerant = drops or (request.options.tolerant and "faulty_rows" in checks.wants)
        stack.enter_context(load.refusing_changes(state for source in found.all() for state in source.states))

        def read(of_kinds: Inputs) -> T:
            return use(_read(request, of_kinds, SourceReader(loaded.folder, tolerant, session, drops), fingerprints, scratch, processes))

        return read_all(found, read)


def _refuse_missing_inputs(request: Request) -> None:
    """Raise `ConfigError` with every input that a grouping or a measure needs and the config does not give.

    A config is checked when it is read; groups and measures of options come later.
    """
    data, plan = request.loaded.config.data, request.plan
    problems = [sentence for by in (*plan.groupings, *plan.stored) for sentence in missing_for_groups(by, data)]
    problems += [sentence for definition in plan.definitions for sentence in missing(definition, data)]
    if problems:
        raise ConfigError(tuple(dict.fromkeys(problems)))


def read_all(inputs: Inputs, read: Callable[[Inputs], T]) -> T:
    """Return `read(inputs)` with ids of one kind in all sources; call it again with text ids if a file has ids that are not integers."""
    return load.read_with_retries(inputs.with_common_kinds(), read, lambda sources, again: sources.map_sources(again.change))


def session_of(loaded: Loaded, stack: ExitStack) -> SparkSession | None:
    """Return the Spark session of a DataFrame of a config, or start the one that the config asks for, which ends with the run.

    `None` if the engine is not Spark.
    """
    choice = loaded.config.engine
    if choice.name != "spark":
        return None
    frames = (source.frame for _, source in loaded.config.data.sources() if isinstance(source.frame, InMemory))
    session = session_of_frames(frame.rows for frame in frames if frame.is_of_spark)
    if session is None:
        session = start_session(choice.master, choice.remote, choice.archives)
        stack.callback(session.close)
    stack.enter_context(without_logged_errors(session))
    return session


def _processes(engine: EngineChoice, inputs: Inputs, session: SparkSession | None) -> Processes:
    """Start the processes that are worth it for the lists of the model with most rows; none if Spark does the work."""
    n = n_processes(engine.workers, engine.bytes) if session is None else 0
    if n and engine.workers is None:
        n = min(n, worth_starting(max(map(_about_rows, inputs.models.values()), default=0)))
    return Processes(n, measure_part.__module__)


def _about_rows(source: load.Source) -> int:
    """Return about how many rows a source has; 0 for files so small that it does not matter, or that are gone."""
    try:
        size = n_bytes(source)
        return 0 if size < _SMALL else expected_rows(source) or size // _BYTES_PER_ROW
    except OSError:  # reading the file will have a better sentence
        return 0


def _read(
    request: Request, inputs: Inputs, reader: SourceReader, fingerprints: load.Fingerprints, scratch: Scratch, processes: Processes
) -> Files:
    """Read the sources beside the lists, and prepare what is known of them."""
    _refuse_missing_ratings(request, inputs)
    sources = {role: source for role in SideFrames.__struct_fields__ if (source := inputs.source(role))}
    only = id_in(inputs, request.history_of) if request.history_of is not None and not request.reads_train else None
    whole = {role: source for role, source in sources.items() if role != "train" or only is None}
    frames = SideFrames(**{role: reader.frame(source) for role, source in whole.items()})
    if only is not None and "train" in sources:
        frames = replace(frames, train=reader.rows_of_user(sources["train"], only))
    times = _common_times(request.plan, inputs, frames, reader)
    frames = replace(frames, train=times.train)
    given = frozenset(role for role, of_role in inputs.by_role.items() if of_role)
    baseline_lists = request.evaluation.resolve(MetricSpec("Precision", k=1)).lists if "baseline" in given else None
    prepared, remarks = prepare_sides(frames, _side_needs(request, inputs, times.unit), given, baseline_lists)
    remarks = (*(chosen.remark for chosen in reader.targets.values()), *times.remarks, *remarks)
    test, train = frames.test, frames.train
    assert test is not None
    groupings = request.plan.row_groupings
    if groupings:
        prepared, test, more = with_row_groups(prepared, groupings, test, train, inputs.test.labels)
        refuse_unknown_groups(prepared, request.plan.all)
        reader.changed[inputs.test.role] = test
        request = replace(request, plan=request.plan.with_row_groups(prepared))
        remarks += more
    known = {"test": test} | ({"train": train} if train is not None and {"user", "item"} <= {*train.columns} else {})
    for source in inputs.all():
        refuse_wrong_positions(f"{source.role}: {source.name}", source.positions, known)
    if "times" in request.checks.needs and train is not None and "timestamp" in test.columns and "timestamp" in train.columns:
        prepared = replace(prepared, times=TimeFacts.from_rows(test, train, times.unit))
    sides = Given({"test": SideTable(test)})
    if train is not None and "user" in train.columns:
        sides["train"] = SideTable(train)
        prepared, more = _with_equal_groups(request.plan, prepared, test, train)
        remarks += more
    refuse_many_cells(prepared, map(prepared.with_borders, request.plan.by))
    for role in (EMPTY_TRUTH, "baseline"):
        if source := inputs.source(role):
            sides[role] = SideTable(reader.frame(source))
    populations = {definition.population for definition in request.plan.definitions} & {"train", "baseline"}
    last = {"test", EMPTY_TRUTH, *populations, *(("train",) if request.train_checks else ())} & sides.keys()
    return Files(request, inputs, reader, prepared, sides, remarks, fingerprints, scratch, processes, last)


def _with_equal_groups(plan: Plan, prepared: Prepared, test: pl.DataFrame, train: pl.DataFrame) -> tuple[Prepared, tuple[str, ...]]:
    """Add the borders of groups of about equal size, the same for all models, with a remark if ties make fewer groups."""
    splits = [by for by in (*plan.groupings, *plan.stored) if by.kind == "train_count" and by.n_groups]
    if not splits:
        return prepared, ()
    tested = train.join(test.select("user").unique(), on="user", how="semi", maintain_order="left")
    rows = {role: frame.sort("user", maintain_order=True) for role, frame in (("test", test), ("train", tested))}
    scorer = Scorer.for_part(prepared, PartData({LISTS: test.select("user", "item", "row").clear(), **rows}))
    with_users = next((definition for definition in plan.definitions if not definition.metric.per_model), plan.definitions[0])
    borders = {by: equal_borders(scorer, with_users, by.n_groups) for by in splits}
    fewer = [(by.n_groups, len(some) + 1) for by, some in borders.items() if len(some) + 1 < by.n_groups]
    why = "many users have the same number of train rows" if len(tested) else "no user of the test set is in train"
    remarks = (f"train_count has {n} group{'s' * (n > 1)} instead of {wanted}, because {why}." for wanted, n in fewer)
    return replace(prepared, borders=borders), tuple(remarks)


def _refuse_missing_ratings(request: Request, inputs: Inputs) -> None:
    """Raise `DataError` if a config uses ratings and the test file has none."""
    if "rating" in inputs.test.columns:
        return
    needing = what_needs_ratings(request.evaluation.relevance, request.plan.all)
    if needing:
        raise DataError(
            f"{inputs.test.role}: {inputs.test.name} has no rating column, which {needing[0]} needs",
            "set it in the config, columns: {rating: NAME}",
        )


def _common_times(plan: Plan, inputs: Inputs, frames: SideFrames, reader: SourceReader) -> CommonTimes:
    """Return the train rows with times in the unit of those of the test rows; workers get them too if they are converted."""
    sources = {role: inputs.source(role) for role in ("test", "train")}
    dated = frozenset(role for role, source in sources.items() if source is not None and source.scan.has_dates)
    times, source = common_times(frames.test, frames.train, dated=dated), sources["train"]
    if times.is_converted and source is not None and times.train is not None:
        reader.changed[source.role] = times.train
    read_as_dates = any(part.window or part.kind == "recency" for by in (*plan.groupings, *plan.stored) for part in by.crossed)
    if read_as_dates and times.unit != SECONDS:
        unit = f"The times of {' and '.join(times.roles)} are numbers of {times.unit.name} since 1970."
        return replace(times, remarks=(unit, *times.remarks))
    return times


def _side_needs(request: Request, inputs: Inputs, time_unit: TimeUnit) -> SideNeeds:
    """Return what the measures of a request need from the side inputs."""
    plan, items = request.plan, request.loaded.config.data.items
    columns, split = (items.category_columns, items.split) if items is not None else ((), None)

    def groups(role: str) -> dict[str, str]:
        """Return the columns of a file that name groups, each with its name in the frame."""
        source, prefix = inputs.source(role), f"{role}."
        needs = (need for definition in plan.all for need in definition.own_needs if need not in definition.value_columns)
        names = sorted({need.removeprefix(prefix) for need in needs if need.startswith(prefix)})
        return {} if source is None else {column: source.labels[column] for column in names}

    def value_columns(role: str) -> Iterator[ValueColumn]:
        """Yield the columns of a file that hold values."""
        reading = {
            need: [measure.metric for measure in plan.all if need in measure.value_columns]
            for definition in plan.all
            for need in definition.value_columns
        }
        for need, metrics in sorted(reading.items()):
            source, (kind, _, column) = inputs.source(role), need.partition(".")
            if kind == role and source is not None:
                refusing = dict.fromkeys(metric.name for metric in metrics if metric.bounds[0] >= 0)
                counting = (metric.name for metric in metrics if not any(text.words for text in metric.texts.values()))
                yield _value_column(source, column, dict.fromkeys(counting), refusing)

    def split_columns() -> Iterator[GroupColumn]:
        """Yield the columns by which results are split; a column of item categories is split at the same separator as these."""
        for by in dict.fromkeys((*plan.groupings, *plan.stored)):
            source = inputs.source(by.kind)
            if source is not None and by.kind in ("users", "items"):
                yield GroupColumn(by, source.labels[by.column], split if (by.column,) == columns else None, splits=by in plan.groupings)

    catalogue = inputs.source("items") if "categories" in plan.needs else None
    embedded = inputs.source("items") if "vectors" in plan.needs else None
    subtopics = request.loaded.config.data.test.categories if TEST_CATEGORIES in plan.needs else None
    people, weights = inputs.source("users") if plan.weights else None, plan.weights.partition(".")[2]
    grouping = (definition for definition in plan.all if "popularity_group" in closure(tables_of(definition)))
    axes = {str(definition.axes[axis]) for definition in plan.all for axis in definition.metric.axes.values()}
    return SideNeeds(
        category_columns=() if catalogue is None else tuple((name, catalogue.labels[name]) for name in columns),
        split=split,
        vector_columns=tuple(embedded.labels[name] for name in items.vector or ()) if embedded is not None and items is not None else (),
        test_categories=inputs.test.labels[subtopics] if subtopics else "",
        item_groups=groups("items"),
        user_groups=groups("users"),
        test_popularity="train_and_test" in axes,
        profile_groups=tuple(dict.fromkeys(profile_groups_of(definition.params) for definition in grouping)),
        profiles=tuple(by for by in dict.fromkeys((*plan.groupings, *plan.stored)) if by.is_of_profiles),
        train_users="train" in plan.measure_needs or any(by.is_of_profiles for by in (*plan.groupings, *plan.stored)),
        train_pairs="cooccurrence" in axes,
        by=tuple(split_columns()),
        item_values=tuple(value_columns("items")),
        row_values=tuple(value_columns("test")),
        user_weights=None if people is None else _value_column(people, weights, ("weighted means",), ("a weighted mean",)),
        mean_rating=any(definition.truth.rule == "all_mean" for definition in plan.all),
        time_unit=time_unit,
    )


def _value_column(source: load.Source, column: str, readers: Iterable[str], refusing: Iterable[str]) -> ValueColumn:
    """Return a column of values of a source; for `readers` a missing value is 0, and those `refusing` take none below 0."""
    place = f"{source.role}: {source.name}"
    return ValueColumn(
        column, source.labels[column], source.role, place, tuple(readers), NO_VALUE, source.scan.decimal_comma, tuple(refusing)
    )


@contextmanager
def reading() -> Iterator[None]:
    """Raise failures of an engine as `ReadError`."""
    try:
        yield
    except FAILURES as error:
        raise ReadError(str(error)) from error


def lazy_rows(source: load.Source) -> pl.LazyFrame:
    """Return the rows of a source as a lazy frame; only its schema is read."""
    with reading():
        frame = open_rows(source.scan)
        frame.collect_schema()
    return frame


def _collect(source: load.Source) -> pl.DataFrame:
    """Return the rows of a source; a frame in memory is not streamed, because streaming would copy it in pieces."""
    with reading():
        return lazy_rows(source).collect(engine="streaming" if source.scan.frame is None else "in-memory")
