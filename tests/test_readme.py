"""The README is short and true; its commands are run by test_pages.py."""

from __future__ import annotations

import re

from receval import load_config
from receval.metrics import METRICS

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")
INDEX = (ROOT / "docs" / "index.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_first_part_of_the_readme_fits_two_screens():
    assert len(README.split("\n## ")[0].splitlines()) <= 90


def test_the_readme_has_the_commands_that_ci_runs():
    assert re.search(r"^pip install -e \. && receval run ", README, re.MULTILINE)
    assert re.search(r"^pip install -e '\.\[dev\]' && pytest", README, re.MULTILINE)


def test_the_config_is_valid(write):
    assert load_config(write("config.yaml", blocks("yaml")[0])).config.output.dir == "results/"


def test_the_readme_is_read_in_four_minutes():
    assert len(README.split()) <= 1000
    assert README.count("](") <= 40


def test_the_start_page_leads_to_every_page_that_people_write():
    listed = {(ROOT / "docs" / target).resolve() for target in re.findall(r"\]\(([^)\s#]+)", INDEX)}
    folders = ("metrics", "conventions", "checks")
    pages = {page.resolve() for page in (ROOT / "docs").rglob("*.md") if page.parent.name not in folders and page.name != "index.md"}
    assert pages - listed == set()


def test_the_common_metrics_of_the_start_page_exist_and_their_number_is_right():
    section = INDEX.split("\n## Ten common metrics\n")[1].split("\n## ")[0]
    named = [name for row in re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)[1:] for name in row.split(", ") if "-" not in name]
    assert len(named) == 10
    assert set(named) <= METRICS.keys()
    assert f"All {len(METRICS)} metrics" in section
