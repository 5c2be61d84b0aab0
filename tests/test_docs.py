"""What is generated is current, and holds everything there is."""

from __future__ import annotations

import re
import runpy

import pytest
from receval.conventions import AXES, known, load
from receval.metrics import METRICS

from tests.conftest import ROOT

METRICS_MD = ROOT / "docs" / "metrics.md"


def test_generated_files_are_current():
    generated = runpy.run_path(str(ROOT / "docs" / "make.py"))["generated"]()
    stale = [path.name for path, text in generated.items() if path.read_text("utf-8") != text]
    assert not stale, "run python docs/make.py"


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_section_with_its_parameters(name):
    section = METRICS_MD.read_text("utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]
    for parameter in (*METRICS[name].axes, *METRICS[name].numbers):
        assert f"`{parameter}`" in section
    assert METRICS[name].reference in section


@pytest.mark.parametrize("name", AXES)
def test_every_axis_is_explained_with_its_values(name):
    text = METRICS_MD.read_text("utf-8")
    assert f"`{name}`" in text
    for value, meaning in AXES[name].meanings.items():
        assert f"- `{value}`: {meaning}" in text


@pytest.mark.parametrize("name", known())
def test_every_convention_has_a_section_with_its_notes(name):
    section = METRICS_MD.read_text("utf-8").split(f"\n### {name}\n")[1].split("\n### ")[0]
    for note in load(name).notes:
        assert note in section


ROWS_LACKING = (
    *(1, 2, 4, 10, 11, 21, 25, 30, 34, 35, 37, 38, 51, 54, 55, 56, 58, 59, 62, 66, 67, 69, 70, 83, 84, 86, 89, 92, 95, 117, 118, 120),
    *(126, 127, 132, 140, 143, 145, 147, 149, 151, 153, 155, 158, 174, 176, 177, 200, 201, 206, 209, 210, 213, 214, 217, 218, 219, 232),
)
"""The rows of the audit of the seed documents that did not hold, or held in part, when it was made."""


def test_every_statement_of_the_seeds_that_once_did_not_hold_is_named():
    text = (ROOT / "docs" / "seeds.md").read_text("utf-8")
    named: set[int] = set()
    for rows in re.findall(r"\(rows? ([^)]*)\)", text):
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", rows):
            named |= set(range(int(first), int(last or first) + 1))
    assert set(ROWS_LACKING) <= named
