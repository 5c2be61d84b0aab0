"""The tables of one model → its values: of every user, of every measure, and who counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from .. import aggregate
from ..errors import DataError
from ..frames import Frame
from ..metrics import Definition
from ..result import Counts, Row
from .ledgers import Ledgers
from .model import ModelTables
from .plan import Plan


@dataclass(frozen=True)
class Scored:
    """The values of one model: `by_definition` those of each measure, with their ledgers; `formulas` arithmetic of them."""

    name: str
    plan: Plan
    per_user: nw.DataFrame[Any]
    by_definition: list[list[Row]]
    formulas: list[Row]
    remarks: list[str]
    counts: Counts

    def named(self, shown: Sequence[Definition]) -> nw.DataFrame[Any]:
        """The values of every user under the names of the measures `shown`; those that were not computed are null."""
        columns = {one.label: f"v{index}" for index, one in enumerate(self.plan.definitions)}
        names = [one.label for one in shown if not one.metric.system]
        values = (nw.col(columns[name]) if name in columns else nw.lit(None).cast(nw.Float64) for name in names)
        return self.per_user.select(
            "user", "n_relevant", "n_recommended", *(value.alias(name) for name, value in zip(names, values, strict=True))
        )

    def rows(self, n_shown: int) -> list[Row]:
        """The rows of the first `n_shown` measures, and of the formulas."""
        return [row for of_one in self.by_definition[:n_shown] for row in of_one] + self.formulas


def scored(name: str, model: ModelTables, n_train_users: int | None, warm: Frame | None) -> Scored:
    """Score one model; `warm` are the users of train, if they are known. `DataError` if a value is beyond all numbers."""
    plan, definitions = model.plan, model.plan.definitions
    values, scoring = model.scored()
    per_user = model.engine.collect(values.sort("user"))
    _refuse_what_is_not_finite(per_user, definitions)
    wholes = scoring.wholes(per_user, model.rows, model.engine.collect)
    plain = aggregate.rows(name, per_user, definitions, plan.aggregates, n_train_users, wholes)
    own = aggregate.rows(name, per_user, definitions, (), n_train_users, wholes) if plan.composites else ()
    formulas, undefined = aggregate.composed(name, plan.composites, own)
    rows = Ledgers.of(model, per_user, warm).with_ledgers(plain, plan.aggregates)
    return Scored(name, plan, per_user, rows, formulas, [*model.remarks, *undefined], _counts(model, per_user))


def _counts(model: ModelTables, per_user: nw.DataFrame[Any]) -> Counts:
    first, truths = model.plan.definitions[0], model.truths
    judged = first.population in ("test", "tested")
    return Counts(
        test=truths.n_test,
        relevant=truths.n_relevant[truths.place[first.truth]],
        listed=int(((per_user["n_recommended"] > 0) & (per_user["n_relevant"] > 0)).sum()),
        averaged=len(per_user.filter(~nw.col("v0").is_null())),
        missing_count=first.counted.missing_lists == "zero" and judged,
        missing_undefined=first.counted.missing_lists == "undefined" and judged,
        irrelevant_count=first.counted.no_relevant == "zero",
        untested=model.untested(),
    )


def _refuse_what_is_not_finite(per_user: nw.DataFrame[Any], definitions: tuple[Definition, ...]) -> None:
    fine = [_fine(nw.col(f"v{index}"), _may_be_undefined(one)) for index, one in enumerate(definitions)]
    finite = per_user.select(*fine).rows()[0]
    wrong = [definition.label for definition, fine in zip(definitions, finite, strict=True) if not fine]
    if wrong:
        raise DataError(
            f"data.test: {wrong[0]} is beyond all numbers: a rating, score or prediction is too large",
            "with an exponential gain use gain=linear, or leave out relevance.graded",
        )


def _may_be_undefined(definition: Definition) -> bool:
    """Whether a user may have a value that is not defined (NaN)."""
    return any("undefined" in part.params.values() or part.counted.missing_lists == "undefined" for part in definition.all)


def _fine(value: nw.Expr, undefined: bool) -> nw.Expr:
    """Whether all values are finite; where a metric may be `undefined` its NaN is no fault."""
    return (value.is_finite() | value.is_nan()).all() if undefined else value.is_finite().all()
