"""The README is true: what it shows was run."""

from __future__ import annotations

import re

import pytest
from receval import load_config
from receval.cli.commands import cli
from receval.metrics import METRICS

from tests.conftest import CONFIGS, ROOT

README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def plain(text: str) -> list[str]:
    """The lines without the space at their ends, and without empty lines around them."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n").splitlines()


def test_the_table_is_what_the_quickstart_prints(receval):
    assert plain(blocks("text")[0]) == plain(receval("run", CONFIGS / "quickstart.yaml")[1])


def test_the_config_is_valid(write):
    assert load_config(write("config.yaml", blocks("yaml")[0])).config.output.dir == "results/"


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.split()[2])
def test_a_console_example_is_what_the_command_prints(block, receval, monkeypatch):
    import shlex

    monkeypatch.chdir(ROOT)
    command, *said = block.splitlines()
    code, out, err = receval(*shlex.split(command.removeprefix("$ receval ")))
    assert code == (2 if "validate" in command else 0)
    assert plain(out or err) == plain("\n".join(said))


def test_the_convention_example_is_valid(write, sample):
    write("configs/ours.yaml", blocks("yaml")[1])
    loaded = load_config(
        sample / "quickstart.yaml", ["evaluation.convention=./ours.yaml", "evaluation.metrics=[ap_5, 'MAP(strict=true)@5']"]
    )
    assert [definition.label for definition in loaded.config.evaluation.definitions] == ["MAP@5", "MAP(missing_lists=zero)@5"]


def test_the_python_example_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(blocks("python")[0], "README.md", "exec"), {})


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_stands_in_the_table_with_its_parameters(name):
    (row,) = (line for line in README.splitlines() if line.startswith("| ") and name in re.split(r"[ ,()]+", line.split("|")[1]))
    for parameter in (*METRICS[name].axes, *METRICS[name].numbers):
        assert f"`{parameter}`" in row


@pytest.mark.parametrize("name", cli.list_commands(None))
def test_every_command_is_named(name):
    assert f"receval {name}" in README


def test_every_file_that_is_linked_exists():
    for target in re.findall(r"\]\(([^)]+)\)", README + (ROOT / "CONTRIBUTING.md").read_text()):
        assert (ROOT / target).exists(), target
