"""The pages on Python and on metrics of one's own: their examples give what they say; those of python.md are checked by mypy too."""

from __future__ import annotations

import doctest
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
import receval as library
from receval import testing
from receval.metrics import METRICS
from receval.metrics.registry import _spellings

from tests.conftest import ROOT
from tests.test_pages import blocks, run_block


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Forget afterwards the metrics that a page adds."""
    before = set(METRICS)
    yield
    for name in METRICS.keys() - before:
        METRICS.pop(name)
    _spellings.cache_clear()


@pytest.mark.parametrize(("page", "at_least"), [("python", 40), ("extending", 15)])
def test_the_examples_of_a_page_give_what_it_says(
    page: str, at_least: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(ROOT)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(ROOT / "docs" / f"{page}.md"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried >= at_least
    assert not failed, capsys.readouterr().out


def test_a_metric_of_ones_own_prints_what_its_page_shows(tmp_path, monkeypatch, receval):
    monkeypatch.chdir(ROOT)
    page = Path("docs/how-to/own-metric.md")
    for language, text in blocks(page):
        if language == "python":
            (tmp_path / text.partition("\n")[0].removeprefix("# ")).write_text(text)
        if language == "console":
            run_block(text.replace("metrics.py", str(tmp_path / "metrics.py")), receval)
    assert "check_metric(late_hits)" in (tmp_path / "test_metrics.py").read_text()
    testing.check_metric("LateHits", trials=1)


def test_the_script_that_mypy_checks_has_the_examples_of_the_page():
    made = runpy.run_path(str(ROOT / "docs" / "make.py"))["groups"]()["examples"]()
    assert (ROOT / "docs" / "examples" / "python.py").read_text("utf-8") == made[ROOT / "docs" / "examples" / "python.py"]


def test_the_reference_has_every_public_name_with_what_it_says():
    text = (ROOT / "docs" / "python-api.md").read_text("utf-8")
    assert sorted(re.findall(r"^### (\w+)$", text, re.MULTILINE)) == sorted(library.__all__)
    for name in library.__all__:
        section = text.split(f"\n### {name}\n")[1].split("\n### ")[0]
        assert len(section.split()) > 5, f"{name} has no docstring"
