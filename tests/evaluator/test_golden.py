"""Tiny cases with values worked by hand, as data in tests/golden.

`expected` has per-user values (null: the user does not count), `means` and `pooled` those of the whole; under `convention`
measures are written as the library writes them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from receval.evaluator import conventions
from receval.evaluator.metrics import METRICS, resolve

from tests.conftest import per_user, table, values

CASES = sorted((Path(__file__).parent.parent / "golden").glob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_values_are_those_worked_by_hand(path, evaluate):
    case = yaml.safe_load(path.read_text())
    frames = {name: table(**case[name]) for name in ("test", "lists", "train", "items") if name in case}
    convention, near = case.get("convention", "receval"), case.get("tolerance", 1e-12)
    asked = dict.fromkeys(label for part in ("expected", "means", "pooled") for label in case.get(part, {}))
    result = evaluate(
        frames["test"],
        frames["lists"],
        train=frames.get("train"),
        items=frames.get("items"),
        convention=convention,
        metrics=list(asked),
        top_k=case["top_k"],
        relevance=case.get("relevance", {}),
    )
    found, means = per_user(result), values(result)
    for written, users in case["expected"].items():
        label = canonical(written, convention)
        for user, value in users.items():
            row = found.get(user)
            if value is None:
                assert row is None or row[label] is None, (written, user)
            else:
                assert row is not None, (written, user)
                assert row[label] == pytest.approx(value, abs=near), (written, user)
        left_out = [user for user, row in found.items() if user not in users and row[label] is not None]
        assert not left_out, (written, left_out)
    for written, value in case.get("means", {}).items():
        label = canonical(written, convention)
        found_mean = means.get(label, means.get(f"{label} (micro)"))
        assert found_mean == pytest.approx(value, abs=near), written
    for written, value in case.get("pooled", {}).items():
        assert means[f"{canonical(written, convention)} (micro)"] == pytest.approx(value, abs=near), written


def canonical(written: str, convention: str) -> str:
    """The printed name of a measure that a library writes as `written`."""
    known = conventions.load(convention)
    return resolve(known.parse(written), known).label


def test_every_metric_has_a_golden_case():
    measures = set()
    for path in CASES:
        case = yaml.safe_load(path.read_text())
        convention = case.get("convention", "receval")
        measures |= {canonical(label, convention) for label in case["expected"]}
    assert METRICS.keys() == {label.partition("@")[0].partition("(")[0] for label in measures}


def test_every_convention_of_a_library_has_a_golden_case_or_oracles():
    golden = {yaml.safe_load(path.read_text()).get("convention") for path in CASES}
    oracles = {"ir_measures", "replay-experimental"}  # see tests/oracles
    by_documents = {name for name in conventions.known() if name.endswith("-docs")}
    assert set(conventions.known()) - golden - oracles - by_documents == {"receval"}
