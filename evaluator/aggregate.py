"""Per-user values → one value per model, metric and cut-off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw

from .metrics import find
from .naming import MetricSpec
from .result import Row

_OF_VALUES = {
    "mean": lambda column: nw.col(column).mean(),
    "median": lambda column: nw.col(column).median(),
    "std": lambda column: nw.col(column).std(ddof=1),
}


def chosen(spec: MetricSpec, aggregates: Sequence[str]) -> tuple[str, ...]:
    """The aggregates to compute of `spec`: those asked for, or the metric's own."""
    return tuple(aggregates) or (find(spec.name).average,)


def rows(model: str, per_user: nw.DataFrame[Any], specs: Sequence[MetricSpec], aggregates: Sequence[str]) -> list[Row]:
    """One row per measure and aggregate.

    `mean`, `median` and `std` (of a sample, ddof 1; undefined for one user) are taken over the users' values. `micro` pools
    numerators and denominators over users, and is left out for metrics that are no ratio.
    """
    asked: dict[tuple[int, str], nw.Expr] = {}
    for index, spec in enumerate(specs):
        for aggregate in chosen(spec, aggregates):
            if aggregate != "micro":
                asked[index, aggregate] = _OF_VALUES[aggregate](f"v{index}")
            elif f"n{index}" in per_user.columns:
                total = nw.col(f"d{index}").sum()
                asked[index, aggregate] = nw.when(total > 0).then(nw.col(f"n{index}").sum() / total).otherwise(nw.lit(0.0))
    values = per_user.select(*(value.alias(f"a{place}") for place, value in enumerate(asked.values())))
    found = [values[f"a{place}"].item() for place in range(len(asked))]
    return [
        Row(model, specs[index].title, specs[index].k if isinstance(specs[index].k, int) else None, aggregate, value, len(per_user))  # type: ignore[arg-type]
        for (index, aggregate), value in zip(asked, found, strict=True)
    ]
