"""What contributors see first: the workflow of tests, forms of issues, the code of conduct, and the pages on the source."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

from tests.conftest import ROOT

FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
JOBS = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))["jobs"]


def test_the_tests_run_on_every_supported_python_and_three_systems():
    matrix = JOBS["quick"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert set(named) <= set(matrix["python"])
    assert f">={matrix['python'][0]}" == project["requires-python"]
    assert [system.partition("-")[0] for system in matrix["system"]] == ["ubuntu", "macos", "windows"]


def test_everything_that_the_workflow_runs_is_in_the_repository():
    runs = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    assert all((ROOT / command).exists() for command in runs if not command.startswith("python "))
    assert all("${{" not in command for command in runs)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_what_a_forge_needs(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert all(field["attributes"]["label"] for field in form["body"])
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_a_contributor_reads_the_first_page_in_four_minutes():
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").split()) <= 800


def test_a_private_way_to_the_maintainers_is_named_where_the_code_of_conduct_says():
    assert "SECURITY.md" in (ROOT / "CODE_OF_CONDUCT.md").read_text("utf-8")
    assert re.search(r"^## Report", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/how-we-test.md", "docs/extending.md"])
def test_every_file_that_a_page_on_the_source_names_exists(page):
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`([\w./*-]+/[\w./*-]*|[\w-]+\.(?:py|yaml|md|toml))`", text))
    starts = [ROOT, *(ROOT / folder for folder in ("docs", "evaluator"))]
    assert (
        sorted(
            name
            for name in named
            if "NAME" not in name and not name.startswith("build/") and not any(any(start.glob(name.rstrip("/"))) for start in starts)
        )
        == []
    )
