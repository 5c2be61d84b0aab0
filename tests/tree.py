"""The files of the repository, without files that people made in it: results, reports, own configs, builds."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

MADE = {"results", "build", "dist", "__pycache__"}
"""Folders made by runs, builds or Python: without git they are left out of the sources."""


@cache
def sources(root: Path = ROOT) -> tuple[Path, ...]:
    """Return the files tracked by git; without git all files except those in hidden folders and in folders of runs and builds."""
    try:
        done = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True)
        listed = [root / name for name in done.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        listed = []
    if not listed:
        listed = [path for path in root.rglob("*") if not any(part in MADE or part[0] == "." for part in path.relative_to(root).parts)]
    return tuple(sorted(path for path in listed if path.is_file()))


def below(*folders: str) -> list[Path]:
    """Return the sources in some folders of the repository."""
    return [path for path in sources() if path.relative_to(ROOT).parts[0] in folders]


def parts_on_metrics() -> dict[str, str]:
    """Return name → text of the part on each metric, on the pages of the families of metrics."""
    pages = [path.read_text("utf-8") for path in (ROOT / "docs" / "metrics").glob("*.md")]
    return {name: text for page in pages for name, text in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)}
