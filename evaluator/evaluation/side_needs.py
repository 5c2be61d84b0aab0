"""What the measures of a run need of the side inputs, and the rows of these."""

from __future__ import annotations

from collections.abc import Iterator

from ..load import Source
from ..metrics.definition import Definition
from ..metrics.popularity_groups import profile_groups_of
from ..names.measure_strings import MetricSpec
from ..prepare import GroupColumn, SideFrames, SideNeeds, prepare_sides
from ..tables.prepared import Prepared
from .inputs import Inputs
from .plan import Plan, tables_of
from .request import Request
from .sources import SourceReader


def prepared_for(plan: Plan, inputs: Inputs, request: Request, frames: SideFrames) -> tuple[Prepared, tuple[str, ...]]:
    """What is known before the lists are read, and remarks on it, given the rows of the side inputs."""
    given = frozenset(role for role, of_role in inputs.by_role.items() if of_role)
    baseline_lists = request.evaluation.resolve(MetricSpec("Precision", k=1)).lists if "baseline" in given else None
    return prepare_sides(frames, side_needs(plan, inputs, request), given, baseline_lists)


def side_frames(inputs: Inputs, reader: SourceReader) -> SideFrames:
    """The rows of the side inputs."""
    sources = {role: source for role in SideFrames.__struct_fields__ if (source := inputs.of(role))}
    return SideFrames(**{role: reader.frame(source) for role, source in sources.items()})


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
