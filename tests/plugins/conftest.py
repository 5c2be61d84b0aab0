"""A package outside of the tree that adds something of every kind to receval, installed for a test."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from receval.checks import table
from receval.health import checker as checks
from receval.metrics import METRICS
from receval.metrics.registry import _spellings
from receval.support import plugins

ACME = Path(__file__).parent / "acme"


def announced() -> dict[str, dict[str, str]]:
    """Return the entry points of the example package, by group."""
    groups: dict[str, dict[str, str]] = _project()["entry-points"]
    return groups


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ACME / "pyproject.toml").read_text("utf-8"))["project"]
    return project


@pytest.fixture(autouse=True)
def forget_additions() -> Iterator[None]:
    """Remove the additions of a test afterwards."""
    before = dict(METRICS), dict(table._DECLARED), dict(checks._CHECKERS), set(sys.modules)
    plugins.entry_points_of.cache_clear()
    yield
    for known, there in ((METRICS, before[0]), (table._DECLARED, before[1]), (checks._CHECKERS, before[2])):
        for name in [name for name in known if name not in there]:
            del known[name]  # type: ignore[attr-defined]
    for name in [name for name in sys.modules if name not in before[3] and name.startswith(("acme", "receval_plugin_"))]:
        del sys.modules[name]
    plugins.entry_points_of.cache_clear()
    _spellings.cache_clear()


def install(folder: Path, name: str = "acme-receval") -> None:
    """Install the example package like an installer: its files, and the metadata of its pyproject.toml."""
    project = _project()
    for file in ("acme_receval.py", "acme.yaml"):
        shutil.copy(ACME / file, folder)
    info = folder / f"{name.replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n")
    (info / "top_level.txt").write_text("acme_receval\n")
    sections = ("\n".join((f"[{group}]", *map(" = ".join, entries.items()))) for group, entries in announced().items())
    (info / "entry_points.txt").write_text("\n".join(sections))


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
