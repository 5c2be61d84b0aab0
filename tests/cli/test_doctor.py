"""`receval doctor`, `receval completion`, and `receval validate` with several configs."""

from __future__ import annotations

import json
import subprocess
from importlib import metadata

import click
import pytest
from receval.actions import machine
from receval.cli import options
from receval.cli.commands import cli
from receval.support.errors import ConfigError
from receval.support.extras import install_command

from tests.conftest import CONFIGS


@pytest.fixture
def no_java(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(machine.shutil, "which", lambda program, path=None: None)


def facts(receval) -> dict[str, dict[str, str]]:
    code, out, _ = receval("doctor", "--format", "json")
    assert code == 0
    return {fact["name"]: fact for fact in json.loads(out)}


def test_the_doctor_names_every_library_with_its_version(receval, no_java):
    code, out, err = receval("doctor")
    assert (code, err) == (0, "")
    for library in ("polars", "pydantic", "click"):
        assert f"{library} {metadata.version(library)}" in out
    assert out.splitlines()[0].split() == ["receval", metadata.version("receval")]


def test_a_missing_extra_is_shown_with_its_install_command(receval, no_java, monkeypatch):
    present = metadata.version

    def version(package: str) -> str:
        if package == "duckdb":
            raise metadata.PackageNotFoundError(package)
        return present(package)

    monkeypatch.setattr(machine.metadata, "version", version)
    extra = facts(receval)["extra sql"]
    assert extra["found"] == "duckdb not installed"
    assert extra["advice"] == f"if you need it: {install_command('sql')}"


def test_missing_java_is_reported_if_spark_is_installed(receval, no_java):
    assert facts(receval)["Java"] == {"name": "Java", "found": "not found", "advice": "Spark needs a Java 17 runtime, or engine.remote"}


@pytest.mark.parametrize(
    ("message", "advice"),
    [('openjdk version "16.0.2"', "Spark 4 needs Java 17"), ('openjdk version "17"', ""), ('openjdk version "21.0.1"', "")],
)
def test_a_java_that_is_too_old_is_reported(message, advice, receval, monkeypatch):
    monkeypatch.setattr(machine.shutil, "which", lambda program, path=None: "java")
    monkeypatch.setattr(machine.subprocess, "run", lambda *args, **options: subprocess.CompletedProcess(args, 0, "", message))
    java = facts(receval)["Java"]
    assert java["found"] in message
    assert java["advice"] == advice


def test_little_temporary_space_is_reported(receval, no_java, monkeypatch):
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 1_000_000}))
    assert "TMPDIR" in facts(receval)["temporary files"]["advice"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_of_a_shell_calls_receval(shell, receval):
    code, out, _ = receval("completion", shell)
    assert code == 0
    assert f"_RECEVAL_COMPLETE={shell}_complete" in out


def test_metrics_conventions_and_models_of_the_config_are_completed():
    with cli.make_context("receval", ["schema"]) as context:
        assert "nDCG" in options.metric_names(context, click.Option(["--x"]), "nd")
        assert options.convention_names(context, click.Option(["--x"]), "rec") == [
            "recbole",
            "receval",
            "recmetrics",
            "recommenders",
            "recpack",
            "rectools",
        ]
        context.params["config"] = str(CONFIGS / "quickstart.yaml")
        assert options.model_names(context, click.Option(["--model"]), "p") == ["popular"]
        context.params["config"] = "none.yaml"
        assert options.model_names(context, click.Option(["--model"]), "") == []


def test_all_of_several_configs_are_validated(receval, write):
    wrong, worse = write("wrong.yaml", "data: 1\n"), write("worse.yaml", "- 1\n")
    code, out, err = receval("validate", wrong, CONFIGS / "quickstart.yaml", worse)
    assert code == ConfigError.exit_code
    assert "quickstart.yaml is valid" in out
    assert "wrong.yaml" in err
    assert "worse.yaml" in err
