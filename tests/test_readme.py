"""The README is short and true; its commands are run by test_pages.py."""

from __future__ import annotations

import re

import pytest
from receval import load_config
from receval.cli.commands import cli
from receval.metrics import METRICS

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_first_part_of_the_readme_fits_two_screens():
    assert len(README.split("\n## ")[0].splitlines()) <= 90


def test_the_readme_has_the_commands_that_ci_runs():
    assert re.search(r"^pip install -e \. && receval run ", README, re.MULTILINE)
    assert re.search(r"^pip install -e '\.\[dev\]' && pytest", README, re.MULTILINE)


def test_the_config_is_valid(write):
    assert load_config(write("config.yaml", blocks("yaml")[0])).config.output.dir == "results/"


@pytest.mark.parametrize("name", cli.list_commands(None))
def test_the_readme_names_every_command(name):
    assert f"`receval {name}`" in README


def test_the_metrics_of_the_readme_exist_and_their_number_is_right():
    section = README.split("\n## Ten common metrics\n")[1].split("\n## ")[0]
    named = [name for row in re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)[1:] for name in row.split(", ") if "-" not in name]
    assert len(named) == 10
    assert set(named) <= METRICS.keys()
    assert f"All {len(METRICS)} metrics" in section
