"""A setting that no measure uses is a warning, and a setting with such a warning has no effect."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval import load_config
from receval.config.contradictions import looks_at
from receval.config.odd_data import Policy
from receval.config.whole_config import Evaluation
from receval.conventions import AXES
from receval.metrics import METRICS

from tests.conftest import table, values
from tests.sizes import draws
from tests.variants import FORMULAS
from tests.worlds import measured, worlds

POLICIES = [axis for axis in Policy.model_fields if axis in AXES and axis not in ("seen_items", "unknown_items")]
"""The other two can leave every list empty."""
SETTINGS = [(axis, value) for axis in POLICIES for value in AXES[axis].values]
MEASURES = [next(text for text in FORMULAS if text.partition("(")[0] == name) for name in METRICS]
DATA = "data: {test: t.csv, train: r.csv, items: i.csv, predictions: p.csv, recommendations: {m: l.csv}}\n"


ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)), max_size=4)


@settings(max_examples=draws(2, 10))
@given(world=worlds(), odd=ROWS, setting=st.sampled_from(SETTINGS))
def test_a_policy_that_no_measure_uses_changes_no_value(evaluate, world, odd, setting):
    axis, value = setting
    repeated = table(["user", "item", "rating"], [*world["test"].rows(), *odd])
    definitions = Evaluation(metrics=MEASURES, top_k=[3]).definitions
    deaf = [
        definition.label.partition("@")[0]
        for definition in definitions
        if not any(looks_at(inner, axis, value) for inner in definition.all)
    ]
    plain, with_policy = (measured(evaluate, {**world, "test": repeated}, deaf, policy=policy) for policy in ({}, {axis: value}))
    assert values(plain) == pytest.approx(values(with_policy), nan_ok=True, abs=0)


@pytest.mark.parametrize(
    ("evaluation", "warning"),
    [
        (
            "{policy: {missing_lists: drop}, metrics: [Gini@5]}",
            "policy.missing_lists: has no effect: no measure uses users without a list",
        ),
        (
            "{policy: {no_relevant: zero}, metrics: [ARP@5]}",
            "policy.no_relevant: has no effect: no measure uses users without a relevant item",
        ),
        ("{policy: {no_truth: zero}, metrics: [ARP@5]}", "policy.no_truth: has no effect: no measure uses users without a test row"),
        ("{policy: {duplicates: keep_all}, metrics: [NumUsers]}", "policy.duplicates: has no effect: no measure uses lists"),
        (
            "{policy: {truth_duplicates: last}, metrics: [ARP@5]}",
            "policy.truth_duplicates: has no effect: no measure uses the test file",
        ),
        (
            "{policy: {seen_items: drop}, metrics: [nDCG(seen_items=keep)@5]}",
            "policy.seen_items: has no effect: every measure names its own seen_items",
        ),
        (
            "{policy: {duplicates: keep_best_rank}, metrics: [DuplicateShare@5]}",
            "policy.duplicates: has no effect: every measure counts lists as they were delivered",
        ),
        ("{aggregates: [std], metrics: [Gini@5]}", "aggregates: has no effect: every measure is one value per model, not per user"),
        (
            "{yardsticks: [oracle], metrics: [RMSE]}",
            "yardsticks: has no effect: every measure uses scores or predictions, which reference lists do not have",
        ),
    ],
)
def test_a_setting_that_no_measure_uses_is_a_warning_with_the_reason(write, evaluation, warning):
    loaded = load_config(write("c.yaml", f"{DATA}evaluation: {evaluation}\n"))
    assert [given.partition(": evaluation.")[2] for given in loaded.warnings] == [warning]


@pytest.mark.parametrize(
    "evaluation",
    [
        "{policy: {missing_lists: drop, no_relevant: zero, no_truth: zero}, metrics: [Gini@5, nDCG@5]}",
        "{policy: {missing_lists: undefined}, metrics: [RMSE]}",
        "{policy: {seen_items: drop_and_refill, unknown_items: drop, duplicates: keep_all}, metrics: [ARP@5]}",
        "{policy: {truth_duplicates: last}, metrics: [RMSE]}",
        "{policy: {seen_items: drop}, metrics: [nDCG(seen_items=keep)@5, nDCG@5]}",
        "{policy: {duplicates: error, no_truth: error}, metrics: [Gini@5]}",
        "{aggregates: [std], metrics: [Gini@5, nDCG@5]}",
        "{yardsticks: [oracle], metrics: [RMSE, nDCG@5]}",
    ],
)
def test_a_setting_that_some_measure_uses_is_not_a_warning(write, evaluation):
    assert load_config(write("c.yaml", f"{DATA}evaluation: {evaluation}\n")).warnings == ()


def test_categories_of_test_rows_that_no_measure_reads_are_a_warning(write):
    data = DATA.replace("test: t.csv", "test: {path: t.csv, categories: topic}").replace(
        "items: i.csv", "items: {path: i.csv, categories: c}"
    )
    warned = [
        load_config(write("c.yaml", f"{data}evaluation: {{metrics: [{name}]}}\n")).warnings for name in ("NRBP", "NRBP(categories_of=test)")
    ]
    assert [warnings[0].partition(": data.")[2] if warnings else "" for warnings in warned] == [
        "test.categories: has no effect: no measure has categories_of=test",
        "",
    ]
