"""Tiny cases with values worked by hand, as data in tests/golden.

`expected` has per-user values (null: the user does not count), `means` (or sums, if the metric is one) and `pooled` the values over
users, `wholes` the values of metrics with one value for the whole model, `aggregates` the values over users by aggregate and measure;
under `convention` measures have the spelling of the library. The other files of the data section are under their names.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from receval import conventions
from receval.metrics import METRICS, resolve

from tests.conftest import model_values, per_user, table, values

SIDES = ("train", "items", "users", "baseline", "previous_policy", "predictions", "distances")
PARTS = ("expected", "means", "pooled", "wholes")
CASES = sorted((Path(__file__).parent.parent / "golden").glob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_values_are_those_worked_by_hand(path, evaluate):
    case = yaml.safe_load(path.read_text())
    frames = {name: table(**case[name]) for name in ("test", "lists", *SIDES) if name in case}
    convention, near = case.get("convention", "receval"), case.get("tolerance", 1e-12)
    parts = {part: case.get(part, {}) for part in PARTS}
    by_aggregate = case.get("aggregates", {})
    labels = [label for labels in (*parts.values(), *by_aggregate.values()) for label in labels]
    result = evaluate(
        frames.pop("test"),
        frames.pop("lists"),
        **frames,
        list_columns=case.get("list_columns"),
        convention=convention,
        metrics=list(dict.fromkeys(labels)),
        aggregates=list(by_aggregate),
        top_k=case["top_k"],
        relevance=case.get("relevance", {}),
    )
    found, of_models = per_user(result), values(result)
    for written, users in parts["expected"].items():
        label = canonical(written, convention)
        for user, value in users.items():
            row = found.get(user)
            if value is None:
                assert row is None or row[label] is None, (written, user)
            else:
                assert row is not None, (written, user)
                assert row[label] == pytest.approx(value, abs=near, nan_ok=True), (written, user)
        left_out = [user for user, row in found.items() if user not in users and row[label] is not None]
        assert not left_out, (written, left_out)
    for part, endings in (("means", ("", " (micro)", " (sum)")), ("pooled", (" (micro)",)), ("wholes", ("",))):
        for written, value in parts[part].items():
            printed = [f"{canonical(written, convention)}{ending}" for ending in endings]
            one = next(of_models[label] for label in printed if label in of_models)
            assert (one is None) if value is None else (one == pytest.approx(value, abs=near)), (part, written, one)
            assert part != "wholes" or printed[0] in model_values(result), written
    for aggregate, measures in by_aggregate.items():
        for written, value in measures.items():
            printed = canonical(written, convention) + ("" if aggregate == "mean" else f" ({aggregate})")
            assert of_models[printed] == pytest.approx(value, abs=near), printed


def canonical(written: str, convention: str) -> str:
    """Return the printed name of a measure that a library writes as `written`."""
    known = conventions.load(convention)
    return resolve(known.parse(written), known).label


def name_of(label: str) -> str:
    return label.partition("@")[0].partition("(")[0]


def test_every_metric_has_a_golden_case():
    measures = set()
    for path in CASES:
        case = yaml.safe_load(path.read_text())
        convention = case.get("convention", "receval")
        of_users = {canonical(label, convention) for label in case.get("expected", {})}
        of_wholes = {canonical(label, convention) for label in case.get("wholes", {})}
        measures |= {name_of(label) for label in of_users if not METRICS[name_of(label)].per_model}
        measures |= {name_of(label) for label in of_wholes if METRICS[name_of(label)].per_model}
    assert METRICS.keys() - measures == set()


def test_every_convention_of_a_library_has_a_golden_case_or_oracles():
    golden = {yaml.safe_load(path.read_text()).get("convention") for path in CASES}
    oracles = {"ir_measures", "replay-experimental"}  # see tests/oracles
    by_documents = {name for name in conventions.builtin_names() if name.endswith("-docs")}
    assert set(conventions.script_names()) - golden == set()
    assert set(conventions.builtin_names()) - golden - oracles - by_documents == {"receval"}
