"""The examples of docs/reports.md are true."""

from __future__ import annotations

import re
import shlex
from typing import get_args

import pytest
import yaml
from receval.config.run_sections import ChartName, ReportConfig
from receval.support.outputs import endings

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "reports.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.split("--format ")[-1].split()[0])
def test_an_example_of_the_reports_page_is_the_output_of_its_command(block, receval, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    command, _, shown = block.partition("\n")
    _, out, err = receval(*shlex.split(command.removeprefix("$ receval ")))
    printed = out if "report " in command else "".join(line for line in err.splitlines(True) if line.startswith("::"))
    start, cut, _ = shown.partition("…\n")
    assert printed.startswith(start)
    assert cut or printed == shown


def test_the_reports_page_names_every_ending_and_command():
    text = PAGE.read_text("utf-8")
    assert all(f"`{ending}`" in text for ending in endings("report", "latex") if ending != ".htm")
    assert all(f"plot {chart} " in text for chart in get_args(ChartName))


def test_the_settings_of_the_page_are_valid():
    settings = ReportConfig.model_validate(yaml.safe_load(blocks("yaml")[0])["report"])
    assert settings.chosen["trade_off"] == ("nDCG@10", "EPC@10")
    assert len(settings.files) == 3


def test_the_template_of_the_reports_page_gives_its_output(receval, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    (template,) = blocks("jinja")
    (tmp_path / "t.j2").write_text(template)
    metrics = "evaluation.metrics=[nDCG@10]"
    assert (
        receval("report", "configs/quickstart.yaml", "--template", tmp_path / "t.j2", "-o", tmp_path / "x.txt", "--set", metrics, "-q")[0]
        == 0
    )
    assert (tmp_path / "x.txt").read_text() == blocks("text")[0]
