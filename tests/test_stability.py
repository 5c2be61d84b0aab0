"""The public names are those of docs/public-names.md, so that none changes by accident."""

from __future__ import annotations

import re
import runpy

from tests.conftest import ROOT

NAMES: dict[str, list[str]] = runpy.run_path(str(ROOT / "docs" / "generate" / "public_names.py"))["names"]()


def test_public_names_are_those_of_the_stored_list():
    page = (ROOT / "docs" / "public-names.md").read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ") and "`" in line]
    stored = {f"{kind}: {name}" for kind, row in rows for name in re.findall("`(.*?)`", row)}
    names = {f"{kind}: {name}" for kind, listed in NAMES.items() for name in listed}
    change = f"new: {sorted(names - stored)}, gone: {sorted(stored - names)}"
    assert names == stored, (
        f"public names have changed ({change}). A name that goes must work for two more minor releases (docs/stability.md). "
        "Write a file in changelog.d, and run: python docs/make.py public-names"
    )


def test_the_list_has_every_kind_of_name():
    assert {
        "Commands",
        "Exit codes",
        "Names in receval",
        "Names in receval.testing",
        "Names in receval.functional",
        "Groups of entry points",
    } <= NAMES.keys()
    assert "--strict" in NAMES["Options of receval run"]
    assert NAMES["Names in receval.testing"] == ["check_metric"]
    assert "metrics" in NAMES["Keys of evaluation"]
