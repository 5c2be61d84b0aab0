"""Comparisons within groups of test rows, and within their combinations with groups of users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
import receval
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.results.result import Result
from receval.support.errors import ConfigError

from tests.comparison.conftest import rated_items

EVENTS = ["view", "buy*now", "(missing)"]


@pytest.fixture
def shop(result):
    """Return a function that evaluates rows with an event, of users with a plan and a household."""

    def shop(measures: Sequence[str] = (), **given: object) -> Result:
        random = np.random.default_rng(4)
        test = rated_items().with_columns(event=pl.Series(random.choice(["view", "buy*now"], 180)))
        plans, homes = ("free", "pro*") * 30, [number // 3 for number in range(60)]
        users = pl.DataFrame({"user": range(1, 61), "plan": plans, "home": homes})
        return result(test, metrics=["Recall@5", "nDCG@5", *measures], top_k=["none"], users=users, **given)

    return shop


def test_models_are_compared_in_each_cell_of_groups_of_users_and_rows(shop):
    made = shop(compare={"by": ["users.plan*rows.event"]})
    found = compare({"x": made}, ComparisonOptions(by=("users.plan*rows.event",)))
    cells = {(difference.subject.group, difference.subject.measure): difference for difference in found.by_group}
    assert {group for group, _ in cells} == {f"{plan}*{event}" for plan in ("free", "pro*") for event in EVENTS[:2]}
    rows = {(row.model, row.label, row.group): row for row in made.by_group}
    for (group, label), cell in cells.items():
        base, model = (rows[name, label, group] for name in ("base", "model"))
        assert cell.difference == pytest.approx(model.value - base.value, abs=1e-12)
        assert cell.n_users == base.n_users
        assert cell.low is not None
    least, *_ = sorted(cell.p for cell in cells.values())
    assert min(cell.p_adjusted for cell in cells.values()) == pytest.approx(min(1, least * len(cells)))  # one family of all cells


def test_cells_of_two_groupings_of_rows_are_compared_as_well(shop):
    by = "rows.event*rows.rating"
    made = shop(compare={"by": [by]})
    found = compare({"x": made}, ComparisonOptions(by=(by,)))
    rows = {(row.model, row.label, row.group): row.value for row in made.by_group}
    assert {difference.subject.group for difference in found.by_group} == {f"{event}*{rating}" for event in EVENTS[:2] for rating in (4, 5)}
    for difference in found.by_group:
        base, model = (rows[name, difference.subject.measure, difference.subject.group] for name in ("base", "model"))
        assert difference.difference == pytest.approx(model - base, abs=1e-12)


def test_results_without_values_of_users_in_cells_say_how_to_get_them(shop):
    made = shop(by=["users.plan*rows.event"])
    with pytest.raises(
        ConfigError, match=r"--by 'users\.plan\*rows\.event': the results of base have no values of each user in the groups"
    ):
        compare({"x": made}, ComparisonOptions(by=("users.plan*rows.event",)))


def test_pooled_measures_of_users_in_households_have_the_interval_of_households(shop):
    made = shop(aggregates=["micro"], compare={"by": ["rows.event"], "cluster": "users.home"})
    alone, together = (compare({"x": made}, ComparisonOptions(cluster=name)).differences[0] for name in (None, "users.home"))
    assert alone.difference == together.difference
    assert alone.n_users == together.n_users == 60
    assert (together.low, together.high) != (alone.low, alone.high)
    assert "Fewer than 30 clusters" in " ".join(together.notes)


def test_arithmetic_of_measures_and_measures_without_groups_of_rows_leave_the_others_comparable(shop):
    by = ("users.plan*rows.event", "rows.event")
    formula = "0.5*Recall@5 + 0.5*nDCG@5"
    made = shop(measures=[formula, "Surprisal@5", "Recall(rows.event=view)@5"], train=rated_items(seed=3), compare={"by": [*by]})
    found = compare({"x": made}, ComparisonOptions(by=by))
    of_formula = [difference for difference in found.by_group if difference.subject.measure == formula]
    assert {difference.verdict for difference in of_formula} == {None}
    assert {note for difference in of_formula for note in difference.notes} == {
        "No interval for arithmetic of measures in groups of test rows."
    }
    rows = {(row.model, row.label, row.group): row.value for row in made.by_group}
    for difference in of_formula:
        assert difference.difference == pytest.approx(
            rows["model", formula, difference.subject.group] - rows["base", formula, difference.subject.group]
        )
    assert {difference.subject.measure for difference in found.by_group} == {"Recall@5", "nDCG@5", formula, "Recall(rows.event=view)@5"}


def test_combinations_of_groups_are_lists_of_groups_as_in_evaluate():
    users = {"user": list(range(120)), "plan": ["free", "paid"] * 60, "age": ["old"] * 40 + ["young"] * 80}
    lists = {"a": {user: [0] for user in range(120)}, "b": {user: [user % 3] for user in range(120)}}
    made = receval.evaluate(
        test={user: [0] for user in range(120)},
        recommendations=lists,
        metrics="HitRate@1",
        users=users,
        by=["users.plan", "users.age", ["users.plan", "users.age"]],
        health=False,
    )
    groups = {difference.subject.group for difference in made.compare("a", by=[["users.plan", "users.age"]]).by_group}
    assert groups == {"free*old", "free*young", "paid*old", "paid*young"}
    with pytest.raises(ConfigError, match="a combination needs two or more different groupings"):
        made.compare("a", by=[["users.plan"]])
