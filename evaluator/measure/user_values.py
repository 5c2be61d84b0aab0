"""The values of every user of a part, kept: one row per user who counts for any measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.ids import gathered
from ..tables.user_columns import user_codes
from .partial import UserValues
from .scoring import Scorer
from .task import Task


def user_values(task: Task, scorer: Scorer, values: Array, has_value: Array, listed: Array, terms: Mapping[int, Array]) -> UserValues:
    """The values of the users who count for any measure; see `UserValues`.

    `values`, `has_value` and `listed` (who has a list) are measures × users. `terms` are the numerator and the denominator of measures
    that are pooled, 2 × users, NaN for users who add nothing.
    """
    users = np.flatnonzero(has_value.any(axis=0))
    _, n_relevant, n_recommended = scorer.counts(task.definitions[0])
    columns: dict[str, Any] = {
        "user": gathered(scorer.part.users, users),
        "n_relevant": n_relevant[users],
        "n_recommended": n_recommended[users],
        "covered": listed[0, users],
    }
    if scorer.facts.in_train is not None:
        columns["warm"] = scorer.facts.in_train[users]
    for number, by in enumerate(task.labels):
        columns[f"group{number}"] = user_codes(by, scorer.part, scorer.prepared)[users]
    several_readings = len({definition.lists for definition in task.definitions}) > 1
    for index in range(len(task.definitions)):
        if several_readings:
            columns[f"covered{index}"] = listed[index, users]
        column = pl.Series(values[index, users])
        missing = ~has_value[index, users]
        columns[f"v{index}"] = column.scatter(np.flatnonzero(missing), None) if missing.any() else column
    for index, (above, below) in terms.items():
        columns |= {f"above{index}": pl.Series(above[users]).fill_nan(None), f"below{index}": pl.Series(below[users]).fill_nan(None)}
    return UserValues.of(pl.DataFrame(columns), task.most_values)
