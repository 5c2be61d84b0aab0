"""The pages on Python and on users' metrics: their examples have the shown results; mypy checks those of python.md."""

from __future__ import annotations

import doctest
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
import receval
from receval import testing
from receval.metrics import METRICS
from receval.metrics.registry import _spellings

from tests.conftest import ROOT
from tests.test_pages import blocks, run_block


@pytest.fixture(autouse=True)
def forget_additions() -> Iterator[None]:
    """Remove the metrics of a page afterwards."""
    before = set(METRICS)
    yield
    for name in METRICS.keys() - before:
        METRICS.pop(name)
    _spellings.cache_clear()


@pytest.mark.parametrize(("page", "at_least"), [("python", 40), ("extending", 15)])
def test_the_examples_of_a_page_give_the_shown_results(
    page: str, at_least: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(ROOT)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(ROOT / "docs" / f"{page}.md"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried >= at_least
    assert not failed, capsys.readouterr().out


def test_a_users_own_metric_prints_the_output_of_its_page(tmp_path, monkeypatch, receval):
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
    script = runpy.run_path(str(ROOT / "docs" / "make.py"))["script"]
    assert (ROOT / "docs" / "examples" / "python.py").read_text("utf-8") == script(ROOT / "docs" / "python.md")


def test_every_public_name_is_in_the_reference_with_its_docstring():
    page = (ROOT / "docs" / "python-reference.md").read_text("utf-8")
    for name in receval.__all__:
        assert f"\n## receval.{name}\n" in page
        assert (getattr(receval, name).__doc__ or "").strip().splitlines()[0] in page, name
