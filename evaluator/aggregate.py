"""Per-user values → one value per model, metric and cut-off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, Protocol

import narwhals as nw

from .formula import Formula
from .interval import bootstrap, percentile
from .metrics import Definition
from .metrics.side import Params
from .result import Row

_Z95 = NormalDist().inv_cdf(0.975)
_LEAST = 1e-5


class Value(Protocol):
    """A value of a whole model, the parameters that tell it from others of its measure, and over how many users it is."""

    @property
    def params(self) -> Params:
        """The parameters."""

    @property
    def value(self) -> float | None:
        """The value; `None` if there is none."""

    @property
    def n_users(self) -> int:
        """The number of users."""


class Composite(Protocol):
    """Arithmetic of measures, and the definitions of these."""

    @property
    def formula(self) -> Formula:
        """The arithmetic."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions."""


def chosen(definition: Definition, aggregates: Sequence[str]) -> tuple[str, ...]:
    """The aggregates to compute of a measure: those asked for, or its own."""
    return tuple(aggregates) or (definition.average,)


def rows(
    model: str,
    per_user: nw.DataFrame[Any],
    definitions: Sequence[Definition],
    aggregates: Sequence[str],
    n_train_users: int | None = None,
    wholes: Mapping[int, Sequence[Value]] = MappingProxyType({}),
) -> list[list[Row]]:
    """The rows of every measure: one per aggregate.

    `mean`, `median` and `std` are taken over the values of the users who count, `pN` is their N-th percentile. `micro` pools
    numerators and denominators over users, and is left out for metrics that are no ratio. `sum` adds the values up, `geometric` is exp of
    the mean logarithm, values below 0.00001 counting as that. `ci95` is the half-width of the normal 95 % confidence interval of
    the mean, `bootstrap95` that of the percentile bootstrap, as two rows, its ends. A measure of whole models has
    the values of `wholes`, whatever is asked for. A measure for which nobody counts, and what needs two users and has one, has no
    value; nor has one of which a user's value is not defined (NaN).
    """
    found = []
    for index, definition in enumerate(definitions):
        if index in wholes:
            found.append([_of_whole(model, definition, whole) for whole in wholes[index]])
            continue
        values = per_user[f"v{index}"].drop_nulls()
        divisor = n_train_users if definition.counted.divisor == "train_users" and n_train_users else len(values)
        of_one: list[Row] = []
        for aggregate in chosen(definition, aggregates):
            if aggregate == "micro" and not definition.is_pooled:
                continue
            n = divisor if aggregate == "mean" else len(values)
            parts: dict[str, float | None]
            if aggregate == "micro":
                parts = {aggregate: _micro(per_user, definition, index) if len(values) else None}
            elif aggregate == "bootstrap95":
                low, high = bootstrap(values.to_list()) if len(values) and not values.is_nan().any() else (None, None)
                parts = {"bootstrap95 low": low, "bootstrap95 high": high}
            else:
                parts = {aggregate: _of_values(values, aggregate, divisor, ddof=1 if definition.axes["std_ddof"] == "sample" else 0)}
            of_one += [
                Row(model, definition.spec.title, definition.k, name, value, n, definition.higher_is_better)
                for name, value in parts.items()
            ]
        found.append(of_one)
    return found


def _of_whole(model: str, definition: Definition, whole: Value) -> Row:
    titled = replace(definition.spec, params=(*definition.spec.params, *whole.params))
    return Row(model, titled.title, definition.k, "system", whole.value, whole.n_users, definition.higher_is_better)


def composed(model: str, composites: Sequence[Composite], rows: Sequence[Sequence[Row]]) -> tuple[list[Row], list[str]]:
    """The rows of formulas, computed from the `rows` of each measure; and why some have no value.

    `rows` have the own aggregate of each measure, for nearly all the mean. A formula is over as many users as the measure with the
    fewest.
    """
    first = {(of_one[0].metric, of_one[0].k): of_one[0] for of_one in rows if of_one}
    found, sentences = [], []
    for composite in composites:
        picked = {}
        for one in composite.definitions:
            picked[one.printed] = first.get((one.spec.title, one.k))
        values = {spec: row.value if row else None for spec, row in picked.items()}
        users = min((row.n_users for row in picked.values() if row), default=0)
        found.append(Row(model, composite.formula.text, None, "formula", composite.formula.value(values), users, higher_is_better=None))
        reason = composite.formula.undefined(values)
        sentences += [f"{composite.formula.text} has no value: {reason}"] if reason else []
    return found, sentences


def _of_values(values: nw.Series[Any], aggregate: str, divisor: int, ddof: int) -> float | None:
    if len(values) == 0 or values.is_nan().any():
        return None
    if aggregate == "mean":
        return float(values.mean()) if divisor == len(values) else float(values.sum()) / divisor
    if aggregate == "sum":
        return float(values.sum())
    if aggregate == "geometric":
        return math.exp(sum(math.log(max(value, _LEAST)) for value in values.to_list()) / len(values))
    if aggregate == "median":
        return float(values.median())
    if aggregate == "std":
        return None if len(values) <= ddof else float(values.std(ddof=ddof))
    if aggregate.startswith("p"):
        return percentile(values.to_list(), float(aggregate[1:]))
    return None if len(values) < 2 else _Z95 * float(values.std(ddof=1)) / float(len(values)) ** 0.5


def _micro(per_user: nw.DataFrame[Any], definition: Definition, index: int) -> float:
    parts = []
    for place in range(max(1, len(definition.of))):
        total = float(per_user[f"d{index}_{place}"].sum())
        parts.append(float(per_user[f"n{index}_{place}"].sum()) / total if total > 0 else 0.0)
    return float(per_user.head(1).select(definition.pooled(parts).alias("pooled"))["pooled"].item())
