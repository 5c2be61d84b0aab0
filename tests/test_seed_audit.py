"""The audit of docs/seeds.md: every statement of the documents has a test that shows it, or a value worked by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

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
VALUES = [(system, row["measure"], row["value"]) for system, row in ROWS if "measure" in row]


def test_every_statement_has_one_proof():
    assert AUDIT.keys() == CONVENTIONS.keys()
    assert not [row for _, row in ROWS if ("test" in row) == ("measure" in row)]
    assert [row["says"] for _, row in ROWS if row.get("answer", "yes") != "yes"] == ["A metric is a class that can be imported"]
    assert len({(system, row["says"]) for system, row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("test", sorted({row["test"] for _, row in ROWS if "test" in row}))
def test_the_test_of_a_statement_exists(test):
    file, name = test.split("::")
    assert re.search(rf"^def {name}\(", Path(ROOT / file).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("system", "measure", "value"), VALUES)
def test_the_value_of_a_statement_is_that_worked_by_hand(receval, system, measure, value):
    changes = ("--set", f"evaluation.convention={CONVENTIONS[system]}", "--set", f"evaluation.metrics=['{measure}']")
    code, out, err = receval("run", ROOT / "docs/seeds/seeds.yaml", *changes, "--format", "csv")
    assert code == 0, err
    head, row = (line.split(",") for line in re.sub(r'"[^"]*"', "-", out).splitlines()[:2])
    assert float(row[head.index("value")]) == pytest.approx(value, abs=1e-9)
