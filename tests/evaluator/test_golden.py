"""Tiny cases with values worked by hand, as data in tests/golden."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from receval.evaluator.metrics import METRICS

from tests.conftest import per_user, table, values

CASES = sorted((Path(__file__).parent.parent / "golden").glob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_per_user_values_are_those_worked_by_hand(path, evaluate):
    case = yaml.safe_load(path.read_text())
    frames = {name: table(**case[name]) for name in ("test", "lists", "train", "items") if name in case}
    relevance = case.get("relevance", {})
    result = evaluate(
        frames["test"],
        frames["lists"],
        train=frames.get("train"),
        items=frames.get("items"),
        metrics=list(case["expected"]),
        top_k=case["top_k"],
        relevance=relevance,
    )
    found = per_user(result)
    for label, users in case["expected"].items():
        assert {user: found[user][label] for user in users} == pytest.approx(users, abs=1e-12), label
    for label, value in case.get("pooled", {}).items():
        assert values(result)[f"{label} (micro)"] == pytest.approx(value, abs=1e-12)


def test_every_metric_has_a_golden_case():
    measures = {label for path in CASES for label in yaml.safe_load(path.read_text())["expected"]}
    assert METRICS.keys() == {label.partition("@")[0].partition("(")[0] for label in measures}
