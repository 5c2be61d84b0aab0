"""Results with names that are commands of LaTeX, and a TeX to compile documents."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from receval.results.result import Result

from tests.comparison.conftest import change_lists, lists_of, rated_items

HOSTILE = (
    r"\input{/etc/passwd}",
    "100% #1 a_b {x} ~ ^ & $y$",
    "**bold** [opt] --dash <<q>> ,,\"'`",
    "x" * 500,
    "נפתלי العربية",
    "emoji 😀 и кириллица",
    "new\nline and tab\t",
    "\x1b[31mred",
    "=cmd()|a",
    "Ünïcödé ŁŠ α→β",
)


@pytest.fixture
def models() -> Callable[..., dict[str, pl.DataFrame]]:
    """Return a function that gives lists by name: the first are random, each further model changes those of some users."""

    def models(*names: str) -> dict[str, pl.DataFrame]:
        users = range(1, 61)
        base = lists_of(users, seed=2)
        return {name: change_lists(base, range(1, 5 * place + 1), seed=place) for place, name in enumerate(names)}

    return models


@pytest.fixture
def result(evaluate: Any, models: Any) -> Callable[..., Result]:
    """Return a function that evaluates named models over 60 users."""

    def result(*names: str, **given: Any) -> Result:
        asked = {"metrics": ["nDCG", "Recall"], "top_k": [3, 5], "relevance": {"threshold": 4}} | given
        return evaluate(rated_items(), models(*names), **asked)

    return result


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that compiles LaTeX with pdflatex and gives the text of the document; skip without pdflatex."""
    if shutil.which("pdflatex") is None or shutil.which("pdftotext") is None:
        pytest.skip("there is no pdflatex, or no pdftotext")

    def compiled(content: str) -> str:
        (tmp_path / "document.tex").write_text(content, "utf-8")
        command = ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "document.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]
        assert "Missing character" not in (tmp_path / "document.log").read_text(errors="replace")
        return subprocess.run(["pdftotext", "-layout", "document.pdf", "-"], cwd=tmp_path, capture_output=True, text=True).stdout

    return compiled
