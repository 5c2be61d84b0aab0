"""The merged partial of one model → its rows, counts and per-user values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial as bound

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..measure.by_group import Composite, composed, group_rows
from ..measure.finishing import Finished, finish
from ..measure.partial import CELLS, Partial
from ..metrics.definition import Definition
from ..results.result import Counts, MeasureDefinition, Row
from ..tables.graph import sentences
from ..tables.prepared import GroupBy
from .definitions import formula_of, in_full
from .job import Job
from .plan import Plan


class Evaluated(Struct, frozen=True, eq=False):
    """One model, or lists made to measure by: the rows of each measure, arithmetic of them, and who counts."""

    name: str
    plan: Plan
    partial: Partial
    finished: Finished
    formulas: tuple[Row, ...]
    remarks: tuple[str, ...]
    counts: Counts
    by_group: tuple[Row, ...] = ()

    @property
    def by_definition(self) -> list[list[Row]]:
        """The rows of each measure, in the order of the plan."""
        return self.finished.rows

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that are shown."""
        shown = [row for of_one in self.finished.rows[: len(self.plan.shown)] for row in of_one]
        return (*shown, *self.formulas)

    def per_user(self, shown: Sequence[Definition], groups: Mapping[int, tuple[GroupBy, Mapping[int, str]]]) -> pl.DataFrame:
        """The values of every user under the names of the measures `shown`; those that were not computed are null.

        `groups` has what splits users by its index, and the name of every code. Of a measure that is pooled there are also the numerator
        and the denominator.
        """
        values = self.finished.user_values
        assert values is not None
        columns = {one.label: index for index, one in enumerate(self.plan.definitions)}
        chosen = [
            pl.col(f"group{number}").replace_strict(list(names), list(names.values()), return_dtype=pl.String).alias(by.name)
            for number, (by, names) in groups.items()
        ]
        for label in (one.label for one in shown if not one.metric.system):
            index = columns.get(label)
            chosen.append((pl.lit(None, dtype=pl.Float64) if index is None else pl.col(f"v{index}")).alias(label))
            if f"above{index}" in values.columns:
                chosen += [pl.col(f"above{index}").alias(f"{label} numerator"), pl.col(f"below{index}").alias(f"{label} denominator")]
        chosen += [_of_formula(composite, values, columns) for composite in self.plan.composites if composite.formula.weights is not None]
        return values.select("user", "n_relevant", "n_recommended", *chosen)


def _of_formula(composite: Composite, values: pl.DataFrame, columns: Mapping[str, int]) -> pl.Expr:
    """The value of each user of a sum of measures, whose mean is the value of the formula if every measure is a mean over the same users.

    Where that is not so no user has a value.
    """
    name, weights = composite.formula.text, composite.formula.weights or {}
    nothing = pl.lit(None, dtype=pl.Float64).alias(name)
    indexes = {one.printed: columns.get(one.label) for one in composite.definitions}
    means = all(not one.metric.system and not one.of_means and one.average == "mean" for one in composite.definitions)
    known = [f"v{index}" for index in indexes.values() if index is not None]
    alike = means and len(known) == len(indexes) and all(values[name].is_null().equals(values[known[0]].is_null()) for name in known)
    if not alike or any(one.user_rules.divisor == "train_users" for one in composite.definitions):
        return nothing
    terms = (pl.col(f"v{indexes[spec]}") * weight for spec, weight in weights.items() if spec is not None)
    return (pl.sum_horizontal(*terms, ignore_nulls=False) + weights.get(None, 0.0)).alias(name)


def evaluated(job: Job, name: str, partial: Partial) -> Evaluated:
    """The rows of a model, or of reference lists, given what was measured of all parts."""
    plan, files = job.plan, job.files
    finished_of = bound(
        finish,
        partial=partial,
        model=name,
        n_train_users=int(files.prepared.numbers["train_users"]) if files.inputs.train is not None and plan.needs_train else None,
        schemas=files.schemas(name),
        predicted=plan.predicted if name in files.inputs.predictions else frozenset[int](),
    )
    finished = finished_of(job.task)
    own_aggregates = finished_of(replace(job.task, aggregates=())).rows if plan.composites else []
    formulas, undefined = composed(name, plan.composites, own_aggregates)
    by_group = group_rows(job.task, partial, name, len(plan.shown), plan.composites)
    measured = zip(plan.definitions, finished.rows, strict=True)
    rows = [[_with_protocol(row, definition.label, job) for row in of_one] for definition, of_one in measured]
    return Evaluated(
        name=name,
        plan=plan,
        partial=partial,
        finished=replace(finished, rows=rows),
        formulas=tuple(_with_protocol(row, row.metric, job) for row in formulas),
        remarks=(*sentences(partial.notes), *undefined),
        counts=counts(plan, partial),
        by_group=tuple(_with_protocol(row, row.measure, job) for row in by_group),
    )


def _with_protocol(row: Row, label: str, job: Job) -> Row:
    return replace(row, protocol=job.protocols.get(label))


def definitions_of(models: Iterable[Evaluated]) -> dict[str, MeasureDefinition]:
    """The definition of every measure of some models, by its name in their rows."""
    by_name: dict[str, MeasureDefinition] = {}
    for model in models:
        for definition, rows in zip(model.plan.definitions, model.finished.rows, strict=True):
            by_name |= {row.metric: in_full(definition) for row in rows if row.metric not in by_name}
        by_name |= {composite.formula.text: formula_of(composite.definitions) for composite in model.plan.composites}
    return by_name


def counts(plan: Plan, partial: Partial) -> Counts:
    """Users that were counted for the first measure."""
    first, cells = plan.definitions[0], partial.cells[0]
    judged = first.population in ("test", "tested")
    strangers = first.user_rules.no_truth == "zero"
    apart = first.user_rules.empty_truth != "as_no_relevant"
    return Counts(
        test=sum(int(cells[cell.code]) for cell in CELLS if cell.tested),
        relevant=sum(int(cells[cell.code]) for cell in CELLS if cell.relevant),
        listed=sum(int(cells[cell.code]) for cell in CELLS if cell.relevant and cell.listed),
        averaged=int(partial.moments.counts[0, 0]),
        missing_count=first.user_rules.missing_lists == "zero" and judged,
        missing_undefined=first.user_rules.missing_lists == "undefined" and judged,
        irrelevant_count=first.user_rules.no_relevant == "zero",
        untested=sum(int(cells[cell.code]) for cell in CELLS if cell.listed and not cell.tested) if strangers else 0,
        empty=sum(int(cells[cell.code]) for cell in CELLS if cell.empty) if apart and judged else 0,
        empty_undefined=first.user_rules.empty_truth == "undefined",
    )
