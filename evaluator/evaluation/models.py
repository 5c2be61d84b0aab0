"""The merged partial of one model → its rows, counts and per-user values.

Reference lists are models too: they are made from the same files, measured in a separate pass, and compared with the models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial as bound

import polars as pl
from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from ..engines import Part, SideTable
from ..engines.local import parts_without_lists
from ..health.checker import PopularityRule
from ..metrics.definition import Definition
from ..results.measure_definition import MeasureDefinition
from ..results.notes import file_order_text
from ..results.result import Counts, Row
from ..scoring import reference_lists as reference
from ..scoring.by_group import Composite, formula_rows, group_rows
from ..scoring.finishing import FinishedRows, finish
from ..scoring.partial import CELLS, Partial, merge_partials
from ..scoring.task import Task, tables_of
from ..syntax.short_names import ORACLE
from ..tables.graph import closure, sentences
from ..tables.ids import Ids
from ..tables.lists import OTHER_ORDER
from ..tables.prepared import GroupBy
from .files import Files
from .model_pass import REFERENCE_FACTS
from .plan import Plan, formula_of, in_full


class EvaluatedModel(Struct, frozen=True, eq=False):
    """One model, or reference lists: the rows of each measure, the formulas over them, and the counts of users."""

    name: str
    plan: Plan
    partial: Partial
    finished: FinishedRows
    formulas: tuple[Row, ...]
    remarks: tuple[str, ...]
    counts: Counts
    by_group: tuple[Row, ...] = ()

    @property
    def facts(self) -> reference.ReferenceFacts | None:
        """The facts that the pass over a model collects for reference lists; `None` for reference lists themselves."""
        facts: reference.ReferenceFacts | None = self.partial.more.get(REFERENCE_FACTS)
        return facts

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that are shown."""
        shown = [row for of_one in self.finished.rows[: len(self.plan.shown)] for row in of_one]
        return (*shown, *self.formulas)

    def per_user(self, shown: Sequence[Definition], groups: Mapping[int, tuple[GroupBy, Mapping[int, str]]]) -> pl.DataFrame:
        """Return the values of every user; see `columns_of_users`."""
        assert self.finished.user_values is not None
        return columns_of_users(self.finished.user_values, self.plan, shown, groups)


def columns_of_users(
    values: pl.DataFrame, plan: Plan, shown: Sequence[Definition], groups: Mapping[int, tuple[GroupBy, Mapping[int, str]]]
) -> pl.DataFrame:
    """Return the values of users under the names of the measures `shown`; values that were not computed are null.

    `groups` has by index each grouping of users with the name of every code. A pooled measure has two more columns, its numerator
    and its denominator; so has one with a weighted mean: the weight times the value, and the weight.
    """
    values = _with_weighted_terms(values, plan.definitions)
    columns = {definition.label: index for index, definition in enumerate(plan.definitions)}
    stored = {column.name: column for column in values.get_columns()}
    chosen = [stored[name] for name in ("user", "n_relevant", "n_recommended")] + [
        stored[f"group{number}"].replace_strict(list(names), list(names.values()), return_dtype=pl.String).alias(by.name)
        for number, (by, names) in groups.items()
    ]
    for label in (definition.label for definition in shown if not definition.metric.per_model):
        index = columns.get(label)
        of_users = stored[f"v{index}"] if index is not None else pl.Series([None], dtype=pl.Float64).new_from_index(0, len(values))
        chosen.append(of_users.alias(label))
        if f"above{index}" in stored:
            chosen += [stored[f"above{index}"].alias(f"{label} numerator"), stored[f"below{index}"].alias(f"{label} denominator")]
    formulas = [composite for composite in plan.composites if composite.formula.weights is not None]
    of_formulas = [expression for composite in formulas for expression in _formula_values(composite, values, columns)]
    made = pl.DataFrame(chosen)
    return made.hstack(values.select("user", *of_formulas).drop("user")) if of_formulas else made


def user_writer(name: str, files: Files, sides: Mapping[str, SideTable]) -> Callable[[Partial], Partial]:
    """Return a function that moves the per-user values of each part of a model into the file for them, if there is one.

    Values that an aggregate reads stay in the partial too.
    """
    file, plan = files.request.options.user_file, files.request.plan
    if file is None or any(composite.formula.weights is not None for composite in plan.composites):  # a formula needs all users
        return lambda made: made
    groups = names_of_groups(files)
    file.begin(name, [side.users for role, side in sides.items() if role == "test" or role in files.last])

    def move(made: Partial) -> Partial:
        for values in made.user_values.frames if made.user_values is not None else ():
            file.add(columns_of_users(values, plan, (*plan.shown, *plan.within), groups))
        return made if files.task.aggregates_values else replace(made, user_values=None)

    return move


def names_of_groups(files: Files) -> dict[int, tuple[GroupBy, Mapping[int, str]]]:
    """Return by index each grouping whose groups are stored with per-user values, and the name of every code."""
    splits = map(files.prepared.with_borders, files.request.plan.group_columns)
    return {number: (by, dict(files.prepared.groups_by(by))) for number, by in enumerate(splits)}


def _with_weighted_terms(values: pl.DataFrame, definitions: Sequence[Definition]) -> pl.DataFrame:
    """Return the values of users with the numerator and the denominator of each weighted mean: weight times value, and the weight.

    Edge cases: a user without a value has neither; a product that is not a number is null; a user without a weight adds 0.
    """
    if "weight" not in values.columns:
        return values
    weight, terms = pl.col("weight"), []
    for index in (index for index, definition in enumerate(definitions) if definition.is_weighted and f"v{index}" in values.columns):
        value = pl.col(f"v{index}")
        product = pl.when(weight > 0).then(value * weight).when(value.is_not_null()).then(0.0)
        terms += [
            pl.when(product.is_finite()).then(product).alias(f"above{index}"),
            pl.when(value.is_not_null()).then(weight).alias(f"below{index}"),
        ]
    return values.with_columns(terms)


def _formula_values(composite: Composite, values: pl.DataFrame, columns: Mapping[str, int]) -> list[pl.Expr]:
    """Return the values of a weighted sum of measures for each user; their mean is the value of the formula.

    If all measures are means over the same users, this is the weighted sum of the user's values, with a numerator and a denominator if the
    means are weighted by users. Otherwise each measure is a ratio of two
    sums over its users, A/B (a mean has their values above and their number below), and the value is F + n · Σ w · (a - A/B · b)/(B - b)
    over the measures, less the mean of the sums, with the n users of any measure: the delta method, with B - b instead of B because
    otherwise intervals are too short if few users have a share in a measure (HC3: MacKinnon and White, 1985). All values are null if a
    measure is neither a mean nor a ratio of sums, or lists decide who counts.
    """
    name, weights = composite.formula.text, composite.formula.weights or {}
    nothing = [pl.lit(None, dtype=pl.Float64).alias(name)]
    indexes = {definition.printed_spec: columns.get(definition.label) for definition in composite.definitions}
    by_user = all(
        not definition.metric.per_model and not definition.combines_means and definition.average in ("mean", "micro", "weighted")
        for definition in composite.definitions
    )
    known = [f"v{index}" for index in indexes.values() if index is not None]
    if (
        not by_user
        or len(known) < len(indexes)
        or any(definition.user_rules.divisor == "train_users" for definition in composite.definitions)
    ):
        return nothing
    averages = {definition.average for definition in composite.definitions}
    if averages in ({"mean"}, {"weighted"}) and all(values[name].is_null().equals(values[known[0]].is_null()) for name in known):
        terms = (pl.col(f"v{indexes[spec]}") * weight for spec, weight in weights.items() if spec is not None)
        of_users = pl.sum_horizontal(*terms, ignore_nulls=False) + weights.get(None, 0.0)
        denominator = known[0].replace("v", "below")
        if averages == {"mean"} or denominator not in values.columns:
            return [of_users.alias(name)]
        weight_of_user = pl.col(denominator)
        return [of_users.alias(name), (of_users * weight_of_user).alias(f"{name} numerator"), weight_of_user.alias(f"{name} denominator")]
    if any(
        definition.user_rules.missing_lists == "drop" or definition.user_rules.no_hits != "zero" for definition in composite.definitions
    ):
        return nothing  # the users who count depend on the model, and those that two models have in common have other sums
    counts = pl.any_horizontal(pl.col(column).is_not_null() for column in known)
    value, linear = pl.lit(weights.get(None, 0.0)), pl.lit(0.0)
    for definition in composite.definitions:
        index, weight = indexes[definition.printed_spec], weights.get(definition.printed_spec, 0.0)
        above, below = pl.col(f"v{index}").fill_null(0.0), pl.col(f"v{index}").is_not_null().cast(pl.Float64)
        if definition.average != "mean":
            if f"above{index}" not in values.columns:
                return nothing
            above, below = pl.col(f"above{index}").fill_null(0.0), pl.col(f"below{index}").fill_null(0.0)
        ratio = above.sum() / below.sum()
        others = pl.when(below.sum() > below).then(below.sum() - below).otherwise(below.sum())
        value, linear = value + weight * ratio, linear + weight * (above - ratio * below) / others
    linear = linear - pl.when(counts).then(linear).mean()
    made = pl.when(counts).then(value + linear * counts.sum())
    return [made.fill_nan(None).alias(name)]


def finish_model(files: Files, name: str, partial: Partial, plan: Plan, task: Task) -> EvaluatedModel:
    """Return the rows of a model, or of reference lists, from the merged `partial` of all its parts."""

    def with_protocol(row: Row, label: str) -> Row:
        return replace(row, protocol=files.protocols.get(label))

    rating = (index for index, definition in enumerate(plan.definitions) if "ratings" in closure(tables_of(definition)))
    finished_of = bound(
        finish,
        partial=partial,
        model=name,
        n_train_users=int(files.prepared.numbers["train_users"]) if files.inputs.source("train") is not None and plan.needs_train else None,
        schemas=files.schemas(name),
        predicted=frozenset(rating if name in files.inputs.predictions else ()),
    )
    finished = finished_of(task)
    own_aggregates = finished_of(replace(task, aggregates=())).rows if plan.composites else []
    formulas, undefined = formula_rows(name, plan.composites, own_aggregates)
    by_group = group_rows(task, partial, name, len(plan.shown), plan.composites)
    measured = zip(plan.definitions, finished.rows, strict=True)
    rows = [[with_protocol(row, definition.label) for row in of_one] for definition, of_one in measured]
    return EvaluatedModel(
        name=name,
        plan=plan,
        partial=partial,
        finished=replace(finished, rows=rows),
        formulas=tuple(with_protocol(row, row.metric) for row in formulas),
        remarks=(*sentences(partial.notes), *undefined),
        counts=counts(plan, partial),
        by_group=tuple(with_protocol(row, row.measure) for row in by_group),
    )


def definitions_of(models: Iterable[EvaluatedModel]) -> dict[str, MeasureDefinition]:
    """Return the definition of every measure of some models, by its name in their rows."""
    by_name: dict[str, MeasureDefinition] = {}
    for model in models:
        for definition, rows in zip(model.plan.definitions, model.finished.rows, strict=True):
            by_name |= {row.metric: in_full(definition) for row in rows if row.metric not in by_name}
        by_name |= {
            composite.formula.text: formula_of(composite.definitions, composite.higher_is_better) for composite in model.plan.composites
        }
    return by_name


def counts(plan: Plan, partial: Partial) -> Counts:
    """Return the numbers of users that count for the first measure."""
    first, cells = plan.definitions[0], partial.cells[0]
    rules, judged = first.user_rules, first.population in ("test", "tested")
    return Counts(
        test=sum(int(cells[cell.code]) for cell in CELLS if cell.tested),
        relevant=sum(int(cells[cell.code]) for cell in CELLS if cell.relevant),
        listed=sum(int(cells[cell.code]) for cell in CELLS if cell.relevant and cell.listed),
        averaged=int(partial.moments.counts[0, 0]),
        missing_count=rules.missing_lists == "zero" and judged,
        missing_undefined=rules.missing_lists == "undefined" and judged,
        irrelevant_count=rules.no_relevant != "drop",
        irrelevant_value=1 if first.best_without_relevant else UNSET,
        untested=sum(int(cells[cell.code]) for cell in CELLS if cell.listed and not cell.tested) if rules.no_truth == "zero" else 0,
        empty=sum(int(cells[cell.code]) for cell in CELLS if cell.empty) if rules.empty_truth != "as_no_relevant" and judged else 0,
        empty_undefined=rules.empty_truth == "undefined",
    )


def file_order_remark(model: EvaluatedModel) -> str:
    """Return a sentence if measures read lists in the order of the file, and this is not that of ranks or scores; else an empty text."""
    counts = model.partial.notes.counts
    n = max((n for (note, _), (n, _) in counts.items() if note == OTHER_ORDER), default=0)
    conventions = sorted({definition.convention for definition in model.plan.all if definition.lists.order == "file"})
    n_lists = sum(int(model.partial.cells[0][cell.code]) for cell in CELLS if cell.listed)
    return file_order_text(conventions, n, n_lists) if n else ""


class ReferenceLists(Struct, frozen=True, eq=False):
    """The measured reference lists of a run.

    `models` are the lists that the config asks for, by name. `best` and `popular` have by model, then by label, the value of the oracle
    lists and of the popularity lists over the users that count for that model. `popularity_rule` says how the popularity lists treat
    seen items, `remark` how the lists of `models` do; `popular_depth` is their length.
    """

    models: Mapping[str, EvaluatedModel] = field(default_factory=dict)
    best: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    popular: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    popularity_rule: PopularityRule = field(default_factory=PopularityRule)
    popular_depth: int = 0
    remark: str = ""

    def with_shares(self, model: EvaluatedModel) -> EvaluatedModel:
        """Return the model, or reference lists, with each value's share of the best possible value, also in groups of a model.

        Groups have shares only if no user who could count is left out, so that equal numbers of users are the same users.
        """
        best, facts, by_group = self.best.get(model.name, {}), model.facts, model.by_group
        rows = [reference.with_shares_of_best(of_one, best) for of_one in model.finished.rows]
        if ORACLE in self.models and facts is not None and not facts.left_out.frames:
            by_group = tuple(reference.with_shares_of_best_by_group(by_group, self.models[ORACLE].by_group, best))
        return replace(model, finished=replace(model.finished, rows=rows), by_group=by_group)


def _measure_reference(task: reference.ReferenceTask, part: Part) -> Partial:
    return reference.measure_reference(task, part.sides)


def measure_reference_lists(files: Files, models: Sequence[EvaluatedModel]) -> ReferenceLists:
    """Measure the reference lists that the config asks for, and popularity where a check wants it, over all users of the test file."""

    def over_same_users(model: EvaluatedModel, other: tuple[reference.ReferenceTask, Partial] | None) -> dict[str, float]:
        """Label → the value of other lists over the users that count for a model."""
        left_out = model.facts.left_out if model.facts is not None else reference.LeftOut()
        return {} if other is None else reference.values_over_same_users(model.plan.definitions, model.finished.rows, left_out, *other)

    request, facts = files.request, [model.facts for model in models]
    assert facts[0] is not None
    reference_plan = reference.ReferencePlan(
        files.task,
        len(request.plan.shown),
        facts[0],
        max(model.partial.longest for model in models),
        str(request.evaluation.policy.seen_items),
        any(each is not None and each.left_out.frames for each in facts),
    )
    wanted, users = request.evaluation.yardsticks, Ids(files.sides["test"].users)
    shown = reference_plan.tasks(oracle=wanted.oracle, popularity=wanted.popularity, random=wanted.random, test_users=users)
    baseline = reference_plan.baseline() if "popularity_lists" in request.checks.wants else None
    tasks = [*shown, *([baseline] if baseline is not None else [])]
    sides = {role: side for role, side in files.sides.items() if role in ("test", "train", "baseline")}
    parts = list(parts_without_lists(sides, files.last & sides.keys())) if tasks else []
    measured = [merge_partials(files.processes.measure(bound(_measure_reference, task), iter(parts))) for task in tasks]
    partials = {reference_task.name: (reference_task, found) for reference_task, found in zip(shown, measured, strict=False)}
    plans = {reference_task.name: Plan(reference_task.task.definitions, request.plan.aggregates) for reference_task in shown}
    lists = {name: finish_model(files, name, found, plans[name], reference_task.task) for name, (reference_task, found) in partials.items()}
    choice = reference_plan.task.definitions[0].lists
    return ReferenceLists(
        models=lists,
        best={model.name: over_same_users(model, partials.get(ORACLE)) for model in (*models, *lists.values())},
        popular={model.name: over_same_users(model, (baseline, measured[-1]) if baseline is not None else None) for model in models},
        popularity_rule=PopularityRule(reference_plan.seen_rule(), reference_plan.masks(choice), choice.seen != "keep"),
        popular_depth=(baseline.depth if baseline is not None else None) or 0,
        remark=reference_plan.remark(lists),
    )
