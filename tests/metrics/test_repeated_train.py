"""With repeated rows of train popularity keeps its bounds, and counts users if the convention does."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from receval.conventions import builtin_names, load
from receval.metrics import METRICS
from receval.syntax.measure_strings import parse

from tests.conftest import model_values, per_user
from tests.sizes import draws, some
from tests.variants import COLUMN, FORMULAS
from tests.worlds import assert_same, measured, worlds

FAMILIES = ("popularity", "novelty", "serendipity")
POPULAR = [label for label in FORMULAS if METRICS[parse(label).name].family in FAMILIES or label.startswith("RSP")]
DEFAULTS = [f"{name}(by={COLUMN})" if name == "RSP" else name for name in dict.fromkeys(parse(label).name for label in POPULAR)]
COUNT_ROWS = {"ranksys", "recbole", "rectools", "clayrs", "clayrs-docs", "recommenders"}
"""Conventions of libraries that count rows of train for some setting."""


def row_popularity(label):
    return any(part in label for part in ("=rows", "row_share"))


def log_of(world):
    """Return the world with every row of train three times, first rows in their order."""
    return {**world, "train": pl.concat([world["train"]] * 3)}


def values_of(result):
    for user, row in per_user(result).items():
        for label, value in row.items():
            if "@" in label and not label.endswith(("numerator", "denominator")):
                yield label, value, user
    yield from ((label, value, "all") for label, value in model_values(result).items())


@pytest.mark.parametrize("convention", some(builtin_names(), 7))
@settings(max_examples=draws(1, 4), derandomize=True)
@given(world=worlds())
def test_popularity_stays_within_its_bounds_where_train_repeats_rows(convention, world, evaluate):
    for label, value, who in values_of(measured(evaluate, log_of(world), DEFAULTS, convention=convention, top_k=[1, 3])):
        low, high = METRICS[parse(label).name].bounds
        if label.startswith("EPC") and convention == "ranksys":  # rows divided by users, see the convention; X13 names the cause
            low = -float("inf")
        assert value is None or low - 1e-12 <= value <= high + 1e-12, (convention, who, label, value)


@pytest.mark.parametrize("convention", some(sorted(set(builtin_names()) - COUNT_ROWS), 6))
@settings(max_examples=draws(1, 4), derandomize=True)
@given(world=worlds())
def test_repeated_rows_of_train_change_no_popularity_counted_in_users(convention, world, evaluate):
    once = {**world, "train": world["train"].unique(maintain_order=True)}
    before, after = (measured(evaluate, train, DEFAULTS, convention=convention, top_k=[3]) for train in (once, log_of(world)))
    assert_same(before, after, near=0)


@settings(max_examples=draws(2, 6), derandomize=True)
@given(world=worlds())
def test_repeated_rows_of_train_change_no_setting_that_counts_users(world, evaluate):
    asked = [label for label in POPULAR if not row_popularity(label)]
    once = {**world, "train": world["train"].unique(maintain_order=True)}
    before, after = (measured(evaluate, train, asked, top_k=[3]) for train in (once, log_of(world)))
    assert_same(before, after, near=0)


def test_the_conventions_that_count_rows_are_listed_here():
    axes = ("popularity_count", "popularity_unit", "rank_unit", "surprisal_unit")
    rows = {name for name in builtin_names() if any(load(name).axes_of(metric)[axis] == "rows" for metric in METRICS for axis in axes)}
    assert rows == COUNT_ROWS
