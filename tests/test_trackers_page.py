"""docs/trackers.md is true: its config is valid, and its command prints the shown output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import receval as library
import yaml

from tests.conftest import CONFIGS, ROOT

PAGE = (ROOT / "docs" / "trackers.md").read_text("utf-8")


def block(language: str) -> str:
    """Return the only block of a language that can be run."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (text,) = (text for text in found if not text.startswith("# not run"))
    return str(text)


def test_the_command_of_the_trackers_page_prints_the_shown_output(
    receval: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    library.evaluate(CONFIGS / "quickstart.yaml").save("results/today")
    command, said = block("console").splitlines()
    code, out, err = receval(*shlex.split(command.removeprefix("$ receval ")))
    assert (code, out, err.strip()) == (0, "", said)
    assert (tmp_path / "dvc" / "metrics.json").is_file()


def test_the_config_of_the_trackers_page_is_valid():
    config = library.load_config(CONFIGS / "quickstart.yaml", [f"track={yaml.safe_load(block('yaml'))['track']}"], environment={})
    assert [tracking.name for tracking in config.config.track] == ["mlflow", "wandb", "dvc", "tensorboard"]


def test_the_script_of_the_trackers_page_logs_epochs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block("python"), "trackers.md", "exec"), {})
    assert [line.partition(",")[0] for line in (tmp_path / "dvc" / "steps" / "nDCG_at_10.csv").read_text().split()] == [
        "step",
        "0",
        "1",
        "2",
    ]
