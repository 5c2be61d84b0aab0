"""What is generated is current, and holds everything there is."""

from __future__ import annotations

import runpy

import pytest
from receval.conventions import AXES, known, load
from receval.metrics import METRICS

from tests.conftest import ROOT

GENERATED = runpy.run_path(str(ROOT / "docs" / "make.py"))["generated"]()
METRICS_MD = ROOT / "docs" / "metrics.md"


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_a_generated_file_is_current(path):
    assert path.read_text("utf-8") == GENERATED[path], f"{path.name} is stale: run python docs/make.py"


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
