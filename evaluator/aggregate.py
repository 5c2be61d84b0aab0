"""Per-user values → one value per model, metric and cut-off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import narwhals as nw

from .metrics import Definition
from .result import Row

_Z95 = NormalDist().inv_cdf(0.975)
_LEAST = 1e-5


def chosen(definition: Definition, aggregates: Sequence[str]) -> tuple[str, ...]:
    """The aggregates to compute of a measure: those asked for, or its own."""
    return tuple(aggregates) or (definition.average,)


def rows(
    model: str, per_user: nw.DataFrame[Any], definitions: Sequence[Definition], aggregates: Sequence[str], n_train_users: int | None = None
) -> list[Row]:
    """One row per measure and aggregate.

    `mean`, `median` and `std` are taken over the values of the users who count. `micro` pools numerators and denominators over
    users, and is left out for metrics that are no ratio. `sum` adds the values up, `geometric` is exp of the mean logarithm, values
    below 0.00001 counting as that. `ci95` is the half-width of the normal 95 % confidence interval of
    the mean. A measure for which nobody counts, and what needs two users and has one, has no value.
    """
    found = []
    for index, definition in enumerate(definitions):
        values = per_user[f"v{index}"].drop_nulls()
        divisor = n_train_users if definition.counted.divisor == "train_users" and n_train_users else len(values)
        k = definition.k
        for aggregate in chosen(definition, aggregates):
            if aggregate == "micro":
                if not definition.is_pooled:
                    continue
                value = _micro(per_user, definition, index) if len(values) else None
            else:
                value = _of_values(values, aggregate, divisor, ddof=1 if definition.axes["std_ddof"] == "sample" else 0)
            found.append(Row(model, definition.spec.title, k, aggregate, value, divisor if aggregate == "mean" else len(values)))
    return found


def _of_values(values: nw.Series[Any], aggregate: str, divisor: int, ddof: int) -> float | None:
    if len(values) == 0:
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
    return None if len(values) < 2 else _Z95 * float(values.std(ddof=1)) / float(len(values)) ** 0.5


def _micro(per_user: nw.DataFrame[Any], definition: Definition, index: int) -> float:
    parts = []
    for place in range(max(1, len(definition.of))):
        total = float(per_user[f"d{index}_{place}"].sum())
        parts.append(float(per_user[f"n{index}_{place}"].sum()) / total if total > 0 else 0.0)
    return float(per_user.head(1).select(definition.pooled(parts).alias("pooled"))["pooled"].item())
