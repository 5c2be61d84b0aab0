"""Compare the lists of two models user by user, in one pass over both."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Any, Final

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..config import Loaded, missing
from ..config.evaluation_keys import read_group
from ..engines import Part, SideTable, whole_users
from ..evaluation.files import Files, lazy_rows, open_inputs
from ..evaluation.plan import Options, Plan, Request
from ..evaluation.progress import ModelProgress, Report, silent
from ..exact_sums.exact import round_fraction
from ..load.faults import FaultTally
from ..metrics.definition import Definition
from ..results.model_diff import MeasureDiff, MissedItems, ModelDiff, Order, ShownUsers
from ..scoring.list_differences import (
    OTHER,
    OTHER_PREDICTIONS,
    DiffPartial,
    DiffTask,
    UserFilter,
    diff_part,
    first_users,
    is_by_item,
    merge,
    users_in_order,
)
from ..support.errors import ArgumentError, ConfigError, DataError
from ..tables.ids import Ids
from ..tables.prepared import GroupBy
from .diff_sample import SAMPLE, as_shown, groupings_of, sampled
from .titles import titles_of

_OPTIONS: Final = Options(keep_users=False, complete=False)


class DiffOptions(Struct, frozen=True):
    """What to show of a difference.

    `measure` decides what a loss is, by default the first of the config. `orders` are those in which `n_shown` users are shown. `group` is
    a group of users (`users.plan=free`), `relevant` the least and the largest number of relevant items of a user. `p` is the persistence of
    RBO. With `keeps` the difference has every user; `shows_users` is for its texts. With `has_page` it has a sample of users for a page,
    with the pictures whose addresses are in the column `pictures` of data.items.
    """

    measure: str | None = None
    orders: tuple[Order, ...] = ("loss", "gain")
    n_shown: int = 3
    group: str | None = None
    relevant: tuple[int, int | None] = (0, None)
    p: float = 0.9
    seed: int = 0
    keeps: bool = False
    shows_users: bool = False
    has_page: bool = False
    pictures: str | None = None


def diff(loaded: Loaded, base: str, model: str, options: DiffOptions, report: Report = silent) -> ModelDiff:
    """Return the difference between the lists of two models of a config.

    Raises `ConfigError` for a model, measure or group that does not exist, or for twice the same model; `DataError` if no user has a value
    under both models; and what `run` raises.
    """
    if loaded.config.engine.name == "spark":  # before Spark starts, which takes seconds
        raise _one_machine_only()
    if base == model:
        raise ConfigError(f"{base} is named twice", "name two models")
    if options.pictures is not None and not options.has_page:
        problem = "pictures are for a page only"
        raise ArgumentError(problem, option=f"--pictures: {problem}; add -o diff.html")
    if options.pictures is not None and loaded.config.data.items is None:
        raise ConfigError("pictures need data.items", "it is the file with a column of their addresses")
    definitions, main = _definitions(loaded, options.measure)
    by, group = _group(options.group)
    groupings = groupings_of(loaded) if options.has_page else ()
    plan = Plan(definitions, by=tuple(dict.fromkeys((*groupings, *((by,) if by is not None else ())))))
    more = frozenset({"train"})
    request = Request(loaded, plan, replace(_OPTIONS, report=report), whole_lists=True, more=more)

    def diff_files(files: Files) -> ModelDiff:
        return _diff(files, main, (base, model), by, group, options)

    return open_inputs(request, diff_files, only=lambda inputs: inputs.only(base, model))


def _one_machine_only() -> ConfigError:
    return ConfigError("lists are compared user by user on this machine only", "set engine.name: polars (or --set engine=polars)")


def _definitions(loaded: Loaded, measure: str | None) -> tuple[tuple[Definition, ...], Definition]:
    """Return the measures with per-user values, and the one that decides what a loss is."""
    evaluation = loaded.config.evaluation
    definitions = tuple(definition for definition in evaluation.definitions if not definition.metric.per_model)
    if measure is None:
        if not definitions:
            raise ConfigError("no measure of the config has per-user values", "add one, such as nDCG@10")
        return definitions, definitions[0]
    try:
        main = evaluation.define(measure)
    except ValueError as error:
        raise ConfigError(f"{measure}: {error}") from None
    if main.metric.per_model:
        raise ConfigError(f"{main.label} is one value per model, so users have no difference in it")
    for problem in missing(main, loaded.config.data):
        raise ConfigError(problem)
    return tuple(dict.fromkeys((main, *definitions))), main


def _group(text: str | None) -> tuple[GroupBy | None, str]:
    """Return the grouping and the group of `users.plan=free`."""
    if text is None:
        return None, ""
    name, equals, group = text.partition("=")
    try:
        if not equals or not group:
            raise ValueError(f"write a grouping and one of its groups, such as cold=warm or users.plan=free, not {text!r}")
        by = read_group(name)
        if by.groups_relevant:
            raise ValueError(f"{name} groups rows or items, not users")
    except ValueError as error:
        raise ArgumentError(f"group: {error}", option=f"--group: {error}") from None
    return by, group


def _filter(files: Files, by: GroupBy | None, group: str, options: DiffOptions) -> UserFilter:
    """Return the users to take; raise `DataError` for a group that does not exist."""
    least, most = options.relevant
    if by is None:
        return UserFilter(least=least, most=most)
    groups = {name: code for code, name in files.prepared.groups_by(files.prepared.with_borders(by))}
    if group not in groups:
        raise DataError(f"{by.name} has no group {group!r}: its groups are {', '.join(map(str, groups))}")
    return UserFilter(by, groups[group], least, most)


def _diff(files: Files, main: Definition, names: tuple[str, str], by: GroupBy | None, group: str, options: DiffOptions) -> ModelDiff:
    if files.reader.session is not None:
        raise _one_machine_only()
    task = DiffTask(
        task=files.task,
        main=files.task.definitions.index(main),
        p=options.p,
        orders=options.orders,
        n_shown=options.n_shown,
        seed=options.seed,
        test_items=Ids(files.sides["test"].frame["item"].unique().sort()),
        filter=_filter(files, by, group, options),
        keeps=options.keeps,
        sample=SAMPLE if options.has_page else (),
        groupings=groupings_of(files.request.loaded) if options.has_page else (),
    )
    made = merge(_measured(files, task, names))
    n_users, n_base, n_model, n_filtered, n_relevant = made.numbers.tolist()
    if not n_users:
        why = "with these filters" if n_filtered else "under both models"
        raise DataError(f"no user has a value of {main.label} {why}", "check that both lists are for users of the test set")
    users, items = (_in_order(frames) if frames else pl.DataFrame() for frames in (made.users, made.items))
    shown = _shown(made, task)
    sample = sampled(files, made, task, options.pictures) if options.has_page else None
    filters = [options.group] if options.group else []
    return ModelDiff(
        base=names[0],
        model=names[1],
        measure=main.label,
        k=main.k,
        p=options.p,
        seed=options.seed,
        measures=tuple(_measures(made, task)),
        overlap=dict(zip(("overlap", "jaccard", "rbo"), _means(made, 3 * len(files.task.definitions), 3), strict=True)),
        n_users=n_users,
        n_only_base=n_base,
        n_only_model=n_model,
        n_filtered=n_filtered,
        n_relevant=n_relevant,
        missed=MissedItems(*made.final_missed()),
        has_train="train" in files.sides,
        users=as_shown(users, task),
        contributions=made.with_reasons(items, task.test_items) if len(items.columns) else items,
        shown=shown,
        filters=tuple(filters),
        titles=titles_of(
            files,
            [shown_users.lists["item"] for shown_users in shown.values()] + [shown_users.items["item"] for shown_users in shown.values()],
        ),
        notes=tuple(_notes(files, task)),
        shows_users=options.shows_users,
        sample=sample,
    )


def _in_order(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of all parts by user; parts of sorted lists are in order already."""
    joined = pl.concat(frames)
    return joined if joined["user"].is_sorted() else joined.sort("user", maintain_order=True)


def _measured(files: Files, task: DiffTask, names: tuple[str, str]) -> Sequence[DiffPartial]:
    """Return the partials of all parts: the lists of the first model in parts, those of the second as a table beside them."""
    reader, (first, second) = files.reader, names
    sides = {**files.sides_of(first), OTHER: SideTable(reader.frame(files.inputs.models[second]))}
    if "predictions" in (of_second := files.sides_of(second)):
        sides[OTHER_PREDICTIONS] = of_second["predictions"]
    progress = ModelProgress(files.request.options.report, first, files.inputs.models[first], 1, 1)

    def measure(source: load.Source, tally: FaultTally) -> list[DiffPartial]:
        def examine(batch: pl.DataFrame) -> None:
            if tally.add(batch):
                raise load.ReadAgain(lambda read: replace(read, counted_first=True))

        progress.begin()
        parts = whole_users(
            lazy_rows(source),
            sides,
            last={*files.last, OTHER},
            memory=files.request.loaded.config.engine.bytes,
            scratch=files.scratch,
            examine=examine,
            progress=progress.add,
            apart=source.users_apart,
        )
        with closing(parts):
            made = list(files.processes.measure(partial(_part_partial, task), parts))
        if made:
            return made
        nobody = {role: side.frame.clear() for role, side in sides.items()}
        return [_part_partial(task, Part(pl.DataFrame(schema=lazy_rows(source).collect_schema()), nobody))]

    return reader.read_with_retries(files.inputs.models[first], measure)


def _part_partial(task: DiffTask, part: Part) -> DiffPartial:
    return diff_part(task, part.sides, part.lists, part.starts)


def _means(made: DiffPartial, first: int, n: int) -> list[float | None]:
    """Return the means of some values, each rounded once."""
    moments = [made.moments.measure(index) for index in range(first, first + n)]
    return [round_fraction(moment.total / moment.n) if moment.n else None for moment in moments]


def _measures(made: DiffPartial, task: DiffTask) -> Any:
    """Yield the difference of each measure."""
    definitions = task.task.definitions
    by_item = {index for group in task.task.groups if is_by_item(group) for index in group.indexes}
    for index, definition in enumerate(definitions):
        of_base, of_model, of_both = (made.moments.measure(index + offset * len(definitions)) for offset in range(3))
        lower, higher = made.changes[:, index].tolist()
        worse, better = (higher, lower) if definition.higher_is_better is False else (lower, higher)
        n = of_base.n
        yield MeasureDiff(
            measure=definition.label,
            base=round_fraction(of_base.total / n) if n else None,
            model=round_fraction(of_model.total / n) if n else None,
            difference=round_fraction(of_both.total / n) if n else None,
            n_users=n,
            n_worse=worse,
            n_better=better,
            n_same=n - worse - better,
            higher_is_better=definition.higher_is_better,
            is_split=index in by_item,
        )


def _shown(made: DiffPartial, task: DiffTask) -> dict[Order, ShownUsers]:
    """Return the users of each order, with the names of reasons."""
    if not made.shown or not task.n_shown:
        return {}
    of_all = first_users(task, made.shown)
    shown: dict[Order, ShownUsers] = {}
    for order in task.orders:
        users = as_shown(users_in_order(task, of_all.users, order, task.n_shown), task)
        lists, items = (
            frame.join(users.select("user"), on="user", how="semi", maintain_order="left") for frame in (of_all.lists, of_all.items)
        )
        shown[order] = ShownUsers(users, lists, made.with_reasons(items, task.test_items))
    return shown


def _notes(files: Files, task: DiffTask) -> Any:
    """Yield sentences on measures whose result is not a mean over users, and on formulas."""
    others = [definition.label for definition in task.task.definitions if definition.average != "mean"]
    if others:
        are = "is" if len(others) == 1 else "are"
        yield f"Means over users, which the results do not have: {', '.join(others)} {are} pooled or weighted."
    formulas = [composite.formula.text for composite in files.request.evaluation.composites]
    if formulas:
        yield f"Without per-user differences: {', '.join(formulas)}."
    per_model = [definition.label for definition in files.request.evaluation.definitions if definition.metric.per_model]
    if per_model:
        yield f"One value per model, so not compared by user: {', '.join(per_model)}."
