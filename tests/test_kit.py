"""Files for other people's pipelines are well formed, and name only existing commands and files."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

import pytest
import yaml
from receval.cli.commands import cli

from tests.conftest import ROOT
from tests.tree import below

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FREE = re.compile(r"Apache|BSD|MIT|ISC|PSF|Python Software Foundation|MPL|LGPL|Unlicense|0BSD|HPND|Zlib", re.IGNORECASE)
"""Licences of libraries that are compatible with Apache-2.0."""


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def options(command: str) -> set[str]:
    found = cli.get_command(None, command)
    every = [found, *getattr(found, "commands", {}).values()]
    return {name for some in every for parameter in some.params for name in parameter.opts}


@pytest.mark.parametrize("path", ["action.yml", "docs/examples/gitlab.yml", "Dockerfile", "docs/ci.md", "docs/gates.md", "README.md"])
def test_every_named_command_and_option_exists(path):
    for command, rest in re.findall(r"receval ([a-z]+) ([^\n`|&]*)", re.sub(r"^#.*$", "", read(path), flags=re.MULTILINE)):
        if command in cli.list_commands(None):
            known = options(command)
            assert set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", f" {rest}")) - {"--help"} <= known, (command, rest)


def test_the_action_passes_inputs_by_the_environment_and_returns_the_exit_code():
    action = yaml.safe_load(read("action.yml"))
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step)
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"]  # an input is text, never a part of a script
    text = read("action.yml")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == action["inputs"].keys()
    for name in action["inputs"]:
        assert f"`{name}`" in read("docs/ci.md")


def test_the_pre_commit_hooks_run_a_command_that_takes_several_files():
    hooks = yaml.safe_load(read(".pre-commit-hooks.yaml"))
    assert {hook["entry"] for hook in hooks} == {"receval validate"}
    assert cli.get_command(None, "validate").params[0].nargs == -1
    assert all(f"`{hook['id']}`" in read("docs/ci.md") for hook in hooks)


def test_nothing_is_installed_by_a_name_that_others_could_register():
    for path in ("action.yml", "docs/examples/gitlab.yml", "docs/ci.md", "docs/gates.md", "docs/reports.md"):
        assert not re.search(r"pip install[^\n]* ['\"]?receval(?![\w/-])", read(path)), path
        assert not re.search(r"<[A-Z]+>|(?<!\w)OWNER/", read(path)), path
    names = read("docs/ci.md").partition("## Where receval comes from")[2].partition("\n## ")[0]
    assert all(f"`{name}`" in names for name in ("RECEVAL_REPOSITORY", "RECEVAL_REF", "RECEVAL_PACKAGE"))
    assert yaml.safe_load(read("docs/examples/gitlab.yml"))[".receval"]["variables"]["RECEVAL_PACKAGE"] == ""


def test_no_page_names_a_tag_that_may_not_be_there():
    found = {
        path: re.findall(r"receval@[^<\s]\S*|rev: [^<\s]\S*|refs/tags/[^<$\s]\S*", read(path))
        for path in ("docs/ci.md", "docs/examples/gitlab.yml")
    }
    assert found == {"docs/ci.md": [], "docs/examples/gitlab.yml": []}


def test_every_yaml_block_on_the_page_of_pipelines_is_valid():
    blocks = re.findall(r"^```yaml\n(.*?)^```$", read("docs/ci.md"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    assert all(isinstance(yaml.safe_load(block), dict) for block in blocks)


def test_the_image_is_slim_runs_without_root_and_has_all_files_of_the_package():
    lines = read("Dockerfile").splitlines()
    assert all(line.split()[1].endswith("-slim") for line in lines if line.startswith("FROM"))
    last_user = [line for line in lines if line.startswith("USER")][-1]
    assert last_user != "USER root"
    assert lines.index(last_user) < next(index for index, line in enumerate(lines) if line.startswith("ENTRYPOINT"))
    copied = {name for line in lines if line.startswith("COPY") and "--from" not in line for name in line.split()[1:-1]}
    assert {"evaluator", "cli", "configs", "pyproject.toml", "setup.py", PROJECT["readme"], *PROJECT["license-files"]} <= copied
    assert not copied & set(read(".dockerignore").split())


def test_the_version_is_the_same_in_every_file():
    assert yaml.safe_load(read("CITATION.cff"))["version"] == PROJECT["version"]
    assert f"\n## {PROJECT['version']} " in read("CHANGELOG.md")
    assert metadata.version("receval") == PROJECT["version"]


def pages_of(nav):
    """Yield the pages of a navigation, which can have sections within sections."""
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for named in entry.values():
                yield from [named] if isinstance(named, str) else pages_of(named)


def test_the_site_has_every_page_of_docs():
    site = tomllib.loads(read("zensical.toml"))["project"]
    pages = list(pages_of(site["nav"]))
    listed = {f"{folder}/{path.name}" for folder in ("conventions", "checks") for path in (ROOT / "docs" / folder).glob("*.md")}
    of_their_own = {str(path.relative_to(ROOT / "docs")) for path in below("docs") if path.suffix == ".md"} - listed
    assert sorted(pages) == sorted(of_their_own | {"conventions/index.md"})


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_every_library_has_a_compatible_licence(requirement):
    found = metadata.metadata(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    told = [found.get("License-Expression") or "", (found.get("License") or "")[:200]]
    told += [text for text in found.get_all("Classifier") or [] if text.startswith("License")]
    assert FREE.search(" ".join(told)), requirement
