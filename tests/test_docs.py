"""Generated files are current and complete."""

from __future__ import annotations

import inspect
import re
import runpy
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import receval
import yaml
from receval import load_config
from receval.checks import CHECKS
from receval.conventions import AXES, load, packaged_names, script_names
from receval.metrics import METRICS

from tests.conftest import ROOT
from tests.tree import parts_on_metrics

DOCS = ROOT / "docs"
MAKE = runpy.run_path(str(DOCS / "make.py"))
GROUPS = MAKE["groups"]()


@pytest.mark.parametrize(
    "group",
    [
        pytest.param(group, marks=(pytest.mark.release, pytest.mark.slow)) if group in ("metrics", "conventions") else group
        for group in GROUPS
    ],
)
def test_generated_files_are_current(group):
    files = GROUPS[group]()
    stale = [path.name for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    assert stale == [], "run python docs/make.py"


@pytest.mark.parametrize(
    ("argument", "code", "first"), [("--help", 0, "Write the generated files"), ("nix", 2, "make.py: there is no group nix")]
)
def test_the_script_of_the_pages_prints_its_usage_and_refuses_an_unknown_group(argument, code, first):
    ended = subprocess.run([sys.executable, DOCS / "make.py", argument], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (code, "")
    assert ended.stdout.startswith(first)
    assert "\nGroups: examples, metrics" in ended.stdout


def test_the_picture_of_the_terminal_is_small_and_needs_no_network():
    svg = (DOCS / "terminal.svg").read_text("utf-8")
    assert len(svg) < 30_000
    assert re.findall(r"https?://[^\"' )]*|@import|<script|url\((?!#)", svg) == ["http://www.w3.org/2000/svg"]
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    for page in ("README.md", "docs/index.md"):
        assert "terminal.svg" in (ROOT / page).read_text("utf-8")


def pages(folder: str) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in (DOCS / folder).glob("*.md")}


def test_every_metric_has_a_part_with_its_parameters_on_the_page_of_its_family():
    found = pages("metrics")
    assert found.keys() == {metric.family for metric in METRICS.values()}
    parts = parts_on_metrics()
    assert len({name.lower() for name in parts}) == len(parts), "links of two names that differ in case only would be one place"
    assert parts.keys() == METRICS.keys()
    for name, metric in METRICS.items():
        part = parts[name]
        assert [text for text in (*metric.axes, *metric.numbers) if f"`{text}`" not in part] == []
        assert metric.reference in part
        assert f"\n    - {name}" in part or f'\n    - "{name}' in part
        assert f"\n$ receval {'run' if metric.per_model else 'explain'} " in part


@pytest.mark.parametrize("name", AXES)
def test_every_axis_is_explained_with_its_values(name):
    text = "".join(((DOCS / "axes.md").read_text("utf-8"), *pages("metrics").values()))
    assert f"`{name}`" in text
    for value, meaning in AXES[name].meanings.items():
        assert f"- `{value}`: {meaning}" in text


def test_every_convention_has_a_page_with_its_notes():
    found = pages("conventions")
    assert found.keys() == {*packaged_names(), "index"}
    assert [name for name in packaged_names() if name != name.lower()] == []
    for name in packaged_names():
        assert f"[{name}]({name}.md)" in found["index"]
        assert [note for note in load(name).notes if note not in found[name]] == []
        assert f"  convention: {name}" in found[name]


def test_the_page_of_a_script_has_the_formula_of_each_of_its_metrics():
    found = pages("conventions")
    for name in script_names():
        arithmetic = found[name].partition("## The arithmetic of the code")[2]
        assert [metric for metric in load(name).metrics if f"\\mathrm{{{metric}}}@k" not in arithmetic] == []


def test_every_check_has_a_page_with_its_limits_and_a_case_that_raises_it():
    found = pages("checks")
    assert found.keys() == {check.lower() for check in CHECKS}
    for name, check in CHECKS.items():
        assert [limit for limit in check.limits if f"\n- `{limit}`: " not in found[name.lower()]] == []
        assert re.search(rf"^(error|warning|note) +{name} ", found[name.lower()], re.MULTILINE)


@pytest.mark.parametrize("folder", ["metrics", "conventions", "checks"])
def test_the_configs_of_the_pages_are_valid(folder, write):
    """Merge the config of a page into that of the example, so that no file is missing."""
    base = yaml.safe_load((DOCS / "example" / "config.yaml").read_text())
    for name, text in pages(folder).items():
        for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            shown = yaml.safe_load(block)
            config = {**base, **{key: {**base[key], **shown[key]} if isinstance(base.get(key), dict) else shown[key] for key in shown}}
            assert load_config(write("config.yaml", yaml.safe_dump(config))), name


def test_only_classes_of_metrics_are_missing_from_the_seeds():
    sections = runpy.run_path(str(DOCS / "generate" / "seed_statements.py"))["SECTIONS"]
    lacking = [statement.says for statements in sections.values() for statement in statements if not statement.is_shown]
    assert lacking == [
        "Classes of metrics to import.",
        "A metric of one's own is a class that inherits from Metric, NCISMetric or RecOnlyMetric.",
    ]
    classes = {name for name in receval.__all__ if inspect.isclass(getattr(receval, name))}
    assert not {name.lower() for name in classes} & {name.lower() for name in (*METRICS, "Metric", "NCISMetric", "RecOnlyMetric")}
