"""The audit of docs/seeds.md: every statement of the documents has a test that shows it, or a value worked by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import receval
import yaml
from receval import load_config, run

from tests.conftest import ROOT

AUDIT = yaml.safe_load((ROOT / "docs/seeds/audit.yaml").read_text("utf-8"))
CONVENTIONS = {
    "ClayRS": "clayrs-docs",
    "WarpRec": "warprec-docs",
    "RELISON": "relison-docs",
    "rs_metrics": "rs_metrics-docs",
    "RePlay": "replay-docs",
}
ROWS = [(system, row) for system, rows in AUDIT.items() for row in rows]
PROOFS = list(
    {json.dumps([system, row["measure"], row.get("users") or row["value"], row.get("set", {})]) for system, row in ROWS if "measure" in row}
)
"""Measures with their values, each once: several statements may be shown by the same."""


def test_every_statement_has_one_proof():
    assert AUDIT.keys() == CONVENTIONS.keys()
    assert not [
        row for _, row in ROWS if ("test" in row) + ("value" in row) + ("users" in row) != 1 or ("test" in row) == ("measure" in row)
    ]
    assert [row["says"] for _, row in ROWS if row.get("answer", "yes") != "yes"] == ["A metric is a class that can be imported"]
    assert len({(system, row["says"]) for system, row in ROWS}) == len(ROWS) >= 191


@pytest.mark.parametrize("test", sorted({row["test"] for _, row in ROWS if "test" in row}))
def test_the_test_of_a_statement_exists(test):
    file, name = test.split("::")
    assert re.search(rf"^def {name}\(", Path(ROOT / file).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("proof", sorted(PROOFS))
def test_the_value_of_a_statement_is_that_worked_by_hand(proof):
    system, measure, wanted, changes = json.loads(proof)
    keys = {"evaluation.convention": CONVENTIONS[system], "evaluation.metrics": [measure], **changes}
    result = run(load_config(ROOT / "docs/seeds/seeds.yaml", [f"{key}={json.dumps(value)}" for key, value in keys.items()]))
    if not isinstance(wanted, list):
        assert result.rows[0].value == pytest.approx(wanted, abs=1e-9)
        return
    frame = result.per_user["model"]
    values = dict(zip(frame["user"].to_list(), frame[frame.columns[-1]].to_list(), strict=True))
    assert [values.get(str(user), values.get(user)) for user in (1, 2, 3)] == pytest.approx(wanted, abs=1e-9)


@pytest.fixture
def unpredicted():
    """Return a function that evaluates measures of clayrs-docs on two users; the list of the second has none of the user's test items."""

    def values(measure):
        test = [{"user": 1, "item": 1, "rating": 5}, {"user": 2, "item": 2, "rating": 3}]
        lists = [{"user": 1, "item": 1, "score": 4.0}, {"user": 2, "item": 9, "score": 4.0}]
        return receval.evaluate(test=test, recommendations=lists, convention="clayrs-docs", metrics=[measure], health=False)

    return values


@pytest.mark.parametrize("measure", ["MSE", "RMSE", "MAE"])
def test_a_user_without_a_predicted_item_has_no_rating_error(unpredicted, measure):
    result = unpredicted(measure)
    assert (result.rows[0].value, result.rows[0].n_users) == (1.0, 1)
    assert result.per_user["model"]["user"].to_list() == [1]


def test_a_user_without_a_predicted_item_has_no_ndcg(unpredicted):
    result = unpredicted("NDCG")
    assert (result.rows[0].value, result.rows[0].n_users) == (1.0, 1)


def test_enriched_lists_have_relevance_and_rank():
    (frame,) = receval.enriched(test={1: [2]}, recommendations={1: [7, 2]}, metrics=["nDCG"]).values()
    assert frame.select("item", "rank", "relevant").rows() == [(7, 1, False), (2, 2, True)]
