"""The pages on configs and conventions: their examples are valid, and the reference has every key."""

from __future__ import annotations

import json
import re
import runpy

import pytest
from receval import load_config
from receval.config import json_schema
from receval.conventions import AXES, builtin_names
from receval.metrics import METRICS

from tests.conftest import ROOT

DOCS = ROOT / "docs"


def blocks(page: str) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_config_is_valid(write):
    assert load_config(write("config.yaml", blocks("config.md")[0])).config.output.dir == "results/"


def test_the_convention_is_valid(write, sample):
    write("configs/ours.yaml", blocks("conventions.md")[0])
    loaded = load_config(
        sample / "quickstart.yaml", ["evaluation.convention=./ours.yaml", "evaluation.metrics=[ap_5, 'MAP(strict=true)@5']"]
    )
    assert [definition.label for definition in loaded.config.evaluation.definitions] == ["MAP@5", "MAP(missing_lists=zero)@5"]


def test_every_key_of_a_config_is_described_in_the_reference():
    rows = [
        re.split(r"(?<!\\)\|", line)[1:-1]
        for line in (DOCS / "config-reference.md").read_text("utf-8").splitlines()
        if line.startswith("| `")
    ]
    assert all(len(row) == 5 and row[1].strip() and row[3].strip() and row[4].strip() for row in rows)
    schema = json.loads(json_schema())
    sections = [schema, *(section for name, section in schema["$defs"].items() if name != "Health")]
    assert len(rows) == sum(len(section["properties"]) for section in sections)


EXAMPLES = runpy.run_path(str(DOCS / "generate" / "config_reference.py"))["examples"]()
SMALL = """
datasets: [ml1m, steam]
dataset: ml1m
data: {test: test.csv, train: train.csv, users: users.csv, recommendations: {knn: knn.csv, popular: popular.csv}}
evaluation: {metrics: [nDCG, Recall], top_k: [10, 20]}
"""
SECTIONS = {
    "data.test": {"path": "test.csv"},
    "data.items": {"path": "items.csv", "categories": "genres"},
    "evaluation.candidates": {"catalogue": "26744"},
    "engine": {"name": "spark"},
    "gates": {"baseline": "popular"},
    "gates.baseline": {"path": "popular"},
    "gates.rules": {"measure": "nDCG@10"},
    "track.plugin": {"name": "ours"},
}
"""Keys that a section needs."""
DATABASE = {"uri": "'sqlite:///shop.db'", "query": "select 1"}
BESIDE = {
    "data.test.table": {},
    "data.test.uri": DATABASE,
    "data.test.query": DATABASE,
    "data.columns.row": {"position": "column"},
    "data.columns.position": {"row": "shelf"},
    "engine.memory": {},
    "engine.workers": {},
    **{f"gates.rules.{key}": {"measure": "nDCG@10", "min": "0.1"} for key in ("measure", "severity", "by", "models")},
    "gates.rules.anchor": {"measure": "nDCG@10", "max_loss": "0.1"},
    "gates.rules.against": {"measure": "nDCG@10", "max_loss": "0.1"},
    "gates.rules.fail": {"measure": "nDCG@10", "max_loss": "0.1"},
}
"""Keys that must be beside a key, instead of those of the section."""
FILES = {"score": "baseline", "rank": "baseline", "prediction": "predictions", "other": "distances", "distance": "distances"}
"""Sources with a column that the test file does not have."""


def override(path: str, key: str, value: str) -> str:
    """Return the `--set` option that gives the config the key."""
    if path in ("", "data", "evaluation", "track"):
        return f"{path}.{key}={value}".lstrip(".")
    beside = BESIDE.get(f"{path}.{key}", SECTIONS.get(path, {}))
    keys = ", ".join(f"{name}: {text}" for name, text in (beside | {key: value}).items())
    if path == "gates.rules":
        return f"gates={{baseline: popular, rules: [{{{keys}}}]}}"
    return f"data.{FILES.get(key, 'test')}={{path: a.csv, columns: {{{keys}}}}}" if path == "data.test.columns" else f"{path}={{{keys}}}"


@pytest.mark.parametrize("path", EXAMPLES)
def test_the_example_of_every_key_is_valid(path, write):
    config = write("config.yaml", SMALL)
    for key, value in EXAMPLES[path].items():
        of_spark = ["engine=spark"] if key in ("table", "per_user_table") else []
        more = ["evaluation.by=users.age"] if value == "users.age" and path != "evaluation" else of_spark
        more += ["data.items=items.csv"] if value == "items.price" else []
        more += ["data.recommendations={all: all.csv}"] if key == "model" and path == "data.columns" else []
        assert load_config(config, [*more, override(path, key, value)]), key


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_in_the_table_with_its_parameters(name):
    lines = (DOCS / "metrics.md").read_text("utf-8").splitlines()
    (row,) = (line for line in lines if line.startswith("| ") and name in re.split(r"[ ,()\[\]]+", line.split("|")[1]))
    for parameter in (*METRICS[name].axes, *METRICS[name].numbers):
        assert f"`{parameter}`" in row


def test_the_glossary_has_the_terms_of_receval():
    text = (DOCS / "glossary.md").read_text("utf-8")
    for word in ("axis", "convention", "policy", "ledger", "yardstick", "finding", "measure", "gate", "margin", "part", "truth"):
        assert f"| {word} |" in text
    assert f"{len(AXES)} axes" in text
    assert f"{len(builtin_names())} conventions" in text
