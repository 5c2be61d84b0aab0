"""The table of outputs: the choices of commands, the files, and the effects of an added row."""

from __future__ import annotations

import inspect
from collections import Counter
from importlib import import_module
from typing import Any, get_args

import click
import pytest
from receval.cli.commands import _COMMANDS, cli
from receval.cli.options import FormatChoice
from receval.results.result import Result
from receval.support import outputs
from receval.support.outputs import OUTPUTS, OutputForm, Subject

from tests.conftest import CONFIGS

QUICKSTART = CONFIGS / "quickstart.yaml"


@pytest.mark.parametrize("row", OUTPUTS, ids=lambda row: f"{row.of}-{row.form}")
def test_the_function_of_every_row_exists_with_the_declared_arguments(row):
    module, _, name = row.maker.partition(":")
    taken = inspect.signature(getattr(import_module(module), name)).parameters
    assert set(row.takes) <= taken.keys()
    required = [parameter for parameter in taken.values() if parameter.default is parameter.empty][1:]
    assert {parameter.name for parameter in required} <= set(row.takes)


def test_a_subject_has_no_duplicate_form_or_ending():
    forms = Counter((row.of, row.form) for row in OUTPUTS)
    endings = Counter((row.of, ending) for row in OUTPUTS for ending in (*row.endings, row.file, row.folder) if ending)
    assert {row.of for row in OUTPUTS} == set(get_args(Subject))
    assert not [key for key, count in (forms | endings).items() if count > 1]


def test_every_format_option_of_the_command_line_comes_from_the_table():
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for name in _COMMANDS]
    commands += [command for group in commands if isinstance(group, click.Group) for command in group.commands.values()]
    choices = [parameter for command in commands for parameter in command.params if parameter.name == "form"]
    assert len(choices) == 17
    assert all(isinstance(parameter.type, FormatChoice) for parameter in choices)


def as_org(result: Result) -> bytes:
    return "".join(f"| {row.model} | {row.label} | {row.value:.3f} |\n" for row in result.rows).encode()


@pytest.fixture
def org(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a row to the table, like a built-in format."""
    row = OutputForm("result", "org", f"{__name__}:as_org", (".org",), folder="results.org")
    monkeypatch.setattr(outputs, "OUTPUTS", [*OUTPUTS, row])


@pytest.mark.usefixtures("org")
def test_a_row_adds_a_format_an_ending_an_option_a_completion_and_a_file_in_folders(receval: Any, tmp_path: Any):
    code, out, _ = receval("run", QUICKSTART, "--format", "org")
    assert (code, out.splitlines()[0]) == (0, "| knn | Precision@5 | 0.174 |")
    assert receval("run", QUICKSTART, "-q", "-o", tmp_path / "x.org", "-o", f"{tmp_path}/all/")[0] == 0
    assert (tmp_path / "x.org").read_text() == (tmp_path / "all/results.org").read_text() == out
    assert "|org" in receval("run", "--help")[1].replace("\n", "").replace(" ", "")
    assert "'org'" in receval("run", QUICKSTART, "--format", "none")[2]
    assert ".org" in receval("run", QUICKSTART, "-o", "x.none")[2]
    offered = FormatChoice("result").shell_complete(click.Context(cli), click.Option(["--format"]), "or")
    assert [completion.value for completion in offered] == ["org"]


@pytest.mark.release
def test_every_form_that_a_command_writes_to_a_file_can_be_printed(receval: Any, tmp_path: Any, monkeypatch: Any):
    monkeypatch.chdir(tmp_path)
    small = (QUICKSTART, "--set", "evaluation.metrics=[nDCG@10, ShannonEntropy@10]")
    receval("run", *small, "-q", "-o", "o/")
    for words, subjects in (
        (("run", *small), ("result", "latex", "report")),
        (("compare", "o"), ("comparison",)),
        (("gate", "o", "--rule", "nDCG@10 >= 0.1"), ("gates", "report")),
        (("report", "o"), ("report", "latex")),
    ):
        for ending in outputs.endings(*subjects):
            row = outputs.file_form(f"x{ending}", *subjects)
            assert row is not None
            if not row.binary:
                code, out, err = receval(*words, "--format", row.form, "-o", f"x{ending}")
                assert code in (0, 1), err
                assert (tmp_path / f"x{ending}").read_text("utf-8") == out, (words, ending)
