"""docs/gates.md is true: its commands, run in their order, print the shown output with the shown exit codes."""

from __future__ import annotations

import re
import shlex
import shutil

import pytest
import yaml
from receval import load_config

from tests.conftest import CONFIGS, ROOT

PAGE = (ROOT / "docs" / "gates.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def lines(text: str) -> list[str]:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n").splitlines()


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Return each command of a block with its output."""
    return [
        (first.removeprefix("$ "), lines(rest))
        for first, _, rest in (part.partition("\n") for part in re.split(r"^(?=\$ )", block, flags=re.M)[1:])
    ]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a folder with the sample data, the config of the page, and the lists that its script makes; it is the working folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(CONFIGS / "data", "data")
    for block in blocks("yaml"):
        if name := re.match(r"# (\S+\.yaml)\n", block):
            (tmp_path / name[1]).write_text(block)
    exec(compile(blocks("python")[0], "docs/gates.md", "exec"), {})
    return tmp_path


@pytest.mark.parametrize("with_plans", [False, pytest.param(True, marks=pytest.mark.release)])  # a plan takes 5 seconds
def test_a_pipeline_passes_better_models_fails_worse_ones_and_warns_of_inconclusive_ones(with_plans, home, receval):
    code = 0
    for block in blocks("console"):
        for command, said in commands(block):
            if "--plan" in command and not with_plans:
                continue
            if command == "echo $?":
                assert said == [str(code)]
            elif command.startswith("cp "):
                shutil.copyfile(*command.split()[1:])
            else:
                code, out, err = receval(*shlex.split(command.removeprefix("receval ")))
                assert [*lines(out), *lines(err)] == said, command


def test_the_sections_of_the_page_are_valid(home):
    sections = [yaml.safe_load(block) for block in blocks("yaml") if not block.startswith("# ")]
    assert len(sections) == 1
    for number, section in enumerate(sections):
        (home / f"{number}.yaml").write_text(yaml.safe_dump(yaml.safe_load(blocks("yaml")[0]) | section))
        assert load_config(str(home / f"{number}.yaml")).config.gates.anchor.path == "spring=results/spring"
