"""The page on Python: its examples give what it says, and are checked by mypy (`.ci/types`) in the form of a script."""

from __future__ import annotations

import doctest
import runpy
from collections.abc import Iterator

import pytest
from receval.metrics import METRICS
from receval.metrics.registry import _spellings

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "python.md"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Forget afterwards the metric that the page adds."""
    yield
    METRICS.pop("LateHits", None)
    _spellings.cache_clear()


def test_the_examples_of_the_page_give_what_it_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(ROOT)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried > 30
    assert not failed, capsys.readouterr().out


def test_the_script_that_mypy_checks_has_the_examples_of_the_page():
    made = runpy.run_path(str(ROOT / "docs" / "make.py"))["generated"]()
    assert (ROOT / "docs" / "examples" / "python.py").read_text("utf-8") == made[ROOT / "docs" / "examples" / "python.py"]
