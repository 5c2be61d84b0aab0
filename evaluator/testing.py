"""Tests for your own metrics: `check_metric(late_hits)` tries a metric on random small data.

Use it in a test of the package that has the metric:

    def test_late_hits():
        receval.testing.check_metric(late_hits)
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from .api.calls import evaluate_tolerantly
from .metrics import METRICS, find
from .metrics.own import name_of

_CUTOFFS: Final = (1, 2, 5)
_Values = dict[Any, dict[str, float | None]]


def check_metric(metric: Any, *, trials: int = 8, seed: int = 0, **inputs: Any) -> None:
    """Raise `AssertionError` with a sentence if a metric, given as its function or its name, breaks a rule for all metrics of receval.

    On random small data (ties, short lists, users without a list): values are within the bounds; neither the order of rows nor the names of
    users and items matter; with a cut-off at k, items below rank k do not matter; the grouping of users does not matter.

    `inputs` are arguments of `receval.evaluate` beside test and recommendations, such as `train`, over items 0 to 11.
    """
    name = name_of(metric) if isinstance(metric, str) or callable(metric) else str(metric)
    entry = METRICS[find(str(name)).name]
    measures = [f"{name}@{k}" for k in _CUTOFFS] if entry.cut else [str(name)]
    for trial in range(seed, seed + trials):
        chance = random.Random(trial)
        test, lists = _world(chance)
        values = _values(test, lists, measures, inputs)
        _assert_within(values, entry.bounds, f"{entry.name} on the random data {trial}")

        def compare(problem: str, others: _Values, expected: _Values = values, trial: int = trial) -> None:
            _assert_same(expected, others, f"{entry.name} on the random data {trial}: {problem}")

        compare("the order of rows changes a value", _values(_shuffled(test, chance), _shuffled(lists, chance), measures, inputs))
        if not inputs:
            renamed = _values(_renamed(test), _renamed(lists), measures, inputs)
            named = {user if user is None else f"u{user}": row for user, row in values.items()}
            compare("the names of users and items change a value", renamed, named)
        if entry.cut:
            compare("items below rank k change a value", _values(test, _longer(lists, chance), measures, inputs))
        if not entry.per_model:
            alone = _values(test.filter(pl.col("user") == 0), lists.filter(pl.col("user") == 0), measures, inputs)
            compare("a value depends on other users", alone, {0: values.get(0, {})})  # a user without any value has no row


def _world(chance: random.Random) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return test rows and lists of a few users over twelve items; some users have no list, and no scores are tied."""
    test = [(user, item) for user in range(4) for item in range(12) if chance.random() < 0.3]
    lists = [
        (user, item, float(100 - rank)) for user in (0, 1, 2, 9) for rank, item in enumerate(chance.sample(range(12), chance.randint(1, 8)))
    ]
    return (
        pl.DataFrame([(0, 0), *(pair for pair in test if pair != (0, 0))], schema=["user", "item"], orient="row"),
        pl.DataFrame(lists, schema=["user", "item", "score"], orient="row"),
    )


def _values(test: pl.DataFrame, lists: pl.DataFrame, measures: list[str], inputs: Mapping[str, Any]) -> _Values:
    """The values of each user by measure; those of whole models under no user."""
    result = evaluate_tolerantly(test=test, recommendations=lists, metrics=measures, **inputs)
    users = {row["user"]: {label: row[label] for label in row if "@" in label or label in measures} for row in _rows(result.per_user)}
    wholes = {row.label: row.value for row in result.rows if row.aggregate == "system"}
    return users | ({None: wholes} if wholes else {})


def _rows(per_user: Mapping[str, pl.DataFrame]) -> list[dict[str, Any]]:
    return [row for frame in per_user.values() for row in frame.rows(named=True)]


def _shuffled(frame: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    return frame.sample(fraction=1, shuffle=True, seed=chance.randint(0, 2**31))


def _renamed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.format("u{}", "user").alias("user"), pl.format("i{}", pl.lit(50) - pl.col("item")).alias("item"))


def _longer(lists: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    """Return lists with other items below the largest cut-off, if they reach it."""
    top = lists.group_by("user", maintain_order=True).head(_CUTOFFS[-1])
    deep = lists.group_by("user").len().filter(pl.col("len") >= _CUTOFFS[-1])["user"].to_list()
    more = [(user, 200 + number, -float(number)) for user in deep for number in range(chance.randint(1, 3))]
    return top.vstack(pl.DataFrame(more, schema=top.schema, orient="row")) if more else top


def _assert_within(values: _Values, bounds: tuple[float, float], where: str) -> None:
    low, high = bounds
    for label, value in ((label, value) for row in values.values() for label, value in row.items()):
        inside = value is None or math.isnan(value) or low - 1e-12 <= value <= high + 1e-12
        assert inside, f"{where}: {label} is {value}, outside of its bounds {low:g} to {high:g}"


def _assert_same(values: _Values, others: _Values, problem: str) -> None:
    for user, row in values.items():
        for label, value in row.items():
            other = others.get(user, {}).get(label)
            same = value == other or (value is not None and other is not None and math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-12))
            of = "" if user is None else f" of user {user}"
            assert same or (value != value and other != other), f"{problem}: {label}{of} is {value}, and {other}"
