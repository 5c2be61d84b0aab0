"""The files of a run: looked at, the side inputs read, and what is known before the lists are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from typing import TypeVar

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from .. import load
from ..errors import DataError
from ..forks import refuse_lost_threads
from ..load import Source
from ..metrics.definition import Definition
from ..metrics.popularity_groups import profile_groups_of
from ..names.measure_strings import MetricSpec
from ..parts import Scratch, SideTable
from ..parts.spark.session import SparkSession, session_of_frame, start_session
from ..prepare import GroupColumn, SideFrames, SideNeeds, prepare_sides
from ..tables.prepared import Prepared, TimeFacts
from ..tables.rows import EMPTY_TRUTH
from .inputs import Inputs
from .plan import Plan, tables_of
from .request import Request
from .sources import SourceReader

T = TypeVar("T")
_IN_PARTS = ("test", "train", "baseline")
"""The sources of which a part has the rows of its users."""


class Files(Struct, eq=False):
    """The sources of a run, what they say before the lists are read, and the tables that come to the parts of their users.

    `last` are the roles whose users come in the last parts if they have no list.
    """

    inputs: Inputs
    reader: SourceReader
    prepared: Prepared
    sides: Mapping[str, SideTable]
    remarks: tuple[str, ...]
    fingerprints: load.Fingerprints
    scratch: Scratch
    last: Collection[str]
    session: SparkSession | None = None
    """Where Spark brings whole users together; `None` on one machine."""
    _predictions: dict[str, SideTable] = field(default_factory=dict)

    def sides_of(self, model: str) -> dict[str, SideTable]:
        """The side tables of a model: those that all models share, and its predictions."""
        source = self.inputs.predictions.get(model)
        if source is None:
            return dict(self.sides)
        if source.role not in self._predictions:
            self._predictions[source.role] = SideTable(self.reader.frame(source))
        return {**self.sides, "predictions": self._predictions[source.role]}

    def schemas(self, model: str) -> dict[str, pl.Schema]:
        """The schemas of the frames of a part of a model, or of lists that are made."""
        test = self.sides["test"].frame.schema
        lists: dict[str, pl.DataType] = {"user": test["user"], "item": test["item"], "row": pl.Int64()}
        if model in self.inputs.models:
            columns = self.inputs.models[model].columns
            lists |= {name: pl.Float64() for name in ("score", "position") if name in columns}
        return {"lists": pl.Schema(lists), **{role: side.frame.schema for role, side in self.sides_of(model).items()}}

    def sources_of(self, model: str) -> dict[str, load.Source]:
        """The sources of the side tables of a model, by role."""
        of_run = {role: self.inputs.of(role) for role in self.sides} | {"predictions": self.inputs.predictions.get(model)}
        return {role: source for role, source in of_run.items() if source is not None}


def open_inputs(
    request: Request,
    plan: Plan,
    use: Callable[[Files], T],
    *,
    more_needs: Collection[str] = (),
    times: bool = False,
    tolerant: bool = False,
    all_of_train: bool = False,
    only: Callable[[Inputs], Inputs] = lambda inputs: inputs,
) -> T:
    """Open every source of a request and call `use`; retry with text ids if a file needs it.

    Beside what the measures need, `more_needs` are looked at where the config gives them. With `times` the timestamps of test and train
    are read, a `tolerant` reader leaves rows without a value out, `all_of_train` brings users of train without a list to the last parts,
    `only` picks sources.
    """
    refuse_lost_threads()
    with ExitStack() as stack:
        session = session_of(request, stack)
        found = only(request.look(plan.needs | set(more_needs), stack, session))
        fingerprints = stack.enter_context(load.Fingerprints(file.path for source in found.all() for file in source.originals))
        scratch = stack.enter_context(Scratch())
        tolerant = tolerant or request.evaluation.policy.missing_values == "drop"
        stack.enter_context(load.refusing_changes(state for source in found.all() for state in source.states))

        def read(inputs: Inputs) -> T:
            reader = SourceReader(request.folder, tolerant, session)
            return use(_read(request, plan, inputs, reader, fingerprints, scratch, times, all_of_train))

        return read_all(found, read)


def read_all(inputs: Inputs, read: Callable[[Inputs], T]) -> T:
    """Return what `read` makes of sources whose ids are of the same kinds; it is called again if a file holds ids that are no integers."""
    return load.read_with_retries(inputs.with_common_kinds(), read, lambda sources, again: sources.changed(again.change))


def session_of(request: Request, stack: ExitStack) -> SparkSession | None:
    """The session of Spark that the DataFrames of a request have, or that it asks for, which ends with the run."""
    choice = request.engine
    if choice.name != "spark":
        return None
    if request.spark_frame is not None:
        return session_of_frame(request.spark_frame)
    session = start_session(choice.master, choice.remote, choice.archives)
    stack.callback(session.close)
    return session


def _read(
    request: Request,
    plan: Plan,
    inputs: Inputs,
    reader: SourceReader,
    fingerprints: load.Fingerprints,
    scratch: Scratch,
    times: bool,
    all_of_train: bool,
) -> Files:
    _refuse_missing_ratings(request, plan, inputs)
    sources = {role: source for role in SideFrames.__struct_fields__ if (source := inputs.of(role))}
    frames = SideFrames(**{role: reader.frame(source) for role, source in sources.items()})
    given = frozenset(role for role, of_role in inputs.by_role.items() if of_role)
    baseline_lists = request.evaluation.resolve(MetricSpec("Precision", k=1)).lists if "baseline" in given else None
    prepared, remarks = prepare_sides(frames, side_needs(plan, inputs, request), given, baseline_lists)
    test, train = frames.test, frames.train
    assert test is not None
    if times and train is not None and "timestamp" in test.columns and "timestamp" in train.columns:
        prepared = replace(prepared, times=TimeFacts.of(test, train))
    sides = {"test": SideTable(test)}
    if train is not None and "user" in train.columns:
        sides["train"] = SideTable(train)
    for role in (EMPTY_TRUTH, "baseline"):
        if source := inputs.of(role):
            sides[role] = SideTable(reader.frame(source))
    last = {"test", EMPTY_TRUTH, *(plan.populations & set(_IN_PARTS)), *(("train",) if all_of_train else ())} & sides.keys()
    return Files(inputs, reader, prepared, sides, remarks, fingerprints, scratch, last, reader.session)


def _refuse_missing_ratings(request: Request, plan: Plan, inputs: Inputs) -> None:
    """`DataError` for a config that speaks of ratings where the test file has none."""
    relevance = request.evaluation.relevance
    if "rating" in inputs.test.columns:
        return
    wants = ""
    if relevance.graded:
        wants = "evaluation.relevance.graded"
    elif relevance.threshold is not None:
        wants = "evaluation.relevance.threshold"
    else:
        thresholds = [f"the threshold of {one.label}" for one in plan.all if one.truth.threshold is not None]
        looks = [one.label for one in plan.all if "ratings?" in one.metric.needs(one.params)]
        wants = next(iter((*thresholds, *looks)), "")
    if wants:
        raise DataError(
            f"{inputs.test.role}: {inputs.test.name} has no rating column, which {wants} needs",
            "set it in the config, columns: {rating: NAME}",
        )


def side_needs(plan: Plan, inputs: Inputs, request: Request) -> SideNeeds:
    """What the measures of a plan need."""
    category_columns: tuple[tuple[str, str], ...] = ()
    if "categories" in plan.needs and inputs.items is not None:
        category_columns = tuple((name, inputs.items.labels[name]) for name in request.category_columns)
    grouping = (definition for definition in plan.all if "popularity_group" in tables_of(definition))
    return SideNeeds(
        category_columns=category_columns,
        split=request.split,
        item_groups=_group_columns("items", plan, inputs.of("items")),
        user_groups=_group_columns("users", plan, inputs.of("users")),
        test_popularity=any("train_and_test" in _formula_axes(definition) for definition in plan.all),
        profile_groups=tuple(dict.fromkeys(profile_groups_of(definition.params) for definition in grouping)),
        train_users="train" in plan.measure_needs,
        train_pairs=any("cooccurrence" in _formula_axes(definition) for definition in plan.all),
        by=tuple(_split_columns(plan, inputs, request)),
        mean_rating=any(definition.truth.rule == "all_mean" for definition in plan.all),
    )


def _group_columns(role: str, plan: Plan, source: Source | None) -> dict[str, str]:
    """The columns of a file that name groups, and what they are called in its frame."""
    columns = sorted(need.removeprefix(f"{role}.") for need in plan.measure_needs if need.startswith(f"{role}."))
    return {} if source is None else {column: source.labels[column] for column in columns}


def _split_columns(plan: Plan, inputs: Inputs, request: Request) -> Iterator[GroupColumn]:
    """The columns that results are split by; one that says the categories of an item is split as they are."""
    for by in dict.fromkeys((*plan.by, *plan.clusters)):
        source = inputs.of(by.kind)
        if source is not None:
            split = request.split if (by.column,) == request.category_columns else None
            yield GroupColumn(by, source.labels[by.column], split, splits=by in plan.by)


def _formula_axes(definition: Definition) -> frozenset[str]:
    return frozenset(str(definition.axes[axis]) for axis in definition.metric.axes.values())
