"""Unreleased changes have one file each, which towncrier moves to CHANGELOG.md."""

from __future__ import annotations

import re
import tomllib

import pytest
from click.testing import CliRunner
from towncrier._shell import cli as towncrier

from tests.conftest import ROOT

KINDS = [kind["directory"] for kind in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]["type"]]
FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md")


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_change_is_well_formed(path):
    kind = re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(KINDS)})\.md", path.name)
    assert kind, "the name is +WORDS.KIND.md, see changelog.d/README.md"
    text = path.read_text("utf-8").strip()
    assert text
    assert not text.startswith(("-", "*", "#")), "towncrier makes the bullet"
    assert kind[1] != "number" or "→" in text, "a number that changed has its old and its new value: 0.50 → 0.67"


def test_towncrier_shows_every_change():
    drafted = CliRunner().invoke(towncrier, ["build", "--draft", "--version", "next", "--dir", str(ROOT)])
    assert drafted.exit_code == 0, drafted.output
    words = " ".join(drafted.output.split())
    assert [path.name for path in FRAGMENTS if " ".join(path.read_text("utf-8").split()) not in words] == []


def test_the_readme_of_the_changes_explains_their_kinds():
    told = (ROOT / "changelog.d" / "README.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE) == KINDS


def test_the_changelog_has_the_mark_of_towncrier():
    assert (ROOT / "CHANGELOG.md").read_text("utf-8").count("<!-- towncrier -->\n") == 1
