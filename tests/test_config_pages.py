"""The pages on configs and conventions: their examples are valid, and the reference has every key."""

from __future__ import annotations

import json
import re

import pytest
from receval import load_config
from receval.config import json_schema
from receval.conventions import AXES, known
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


def test_every_key_of_a_config_is_in_the_reference_and_says_what_it_is():
    rows = [
        re.split(r"(?<!\\)\|", line)[1:-1]
        for line in (DOCS / "config-reference.md").read_text("utf-8").splitlines()
        if line.startswith("| `")
    ]
    assert all(len(row) == 4 and row[1].strip() and row[3].strip() for row in rows)
    schema = json.loads(json_schema())
    sections = [schema, *(section for name, section in schema["$defs"].items() if name != "Health")]
    assert len(rows) == sum(len(section["properties"]) for section in sections)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_stands_in_the_table_with_its_parameters(name):
    lines = (DOCS / "metrics.md").read_text("utf-8").splitlines()
    (row,) = (line for line in lines if line.startswith("| ") and name in re.split(r"[ ,()\[\]]+", line.split("|")[1]))
    for parameter in (*METRICS[name].axes, *METRICS[name].numbers):
        assert f"`{parameter}`" in row


def test_the_glossary_says_what_the_words_of_receval_mean():
    text = (DOCS / "glossary.md").read_text("utf-8")
    for word in ("axis", "convention", "policy", "ledger", "yardstick", "finding", "measure", "gate", "margin", "part", "truth"):
        assert f"| {word} |" in text
    assert f"{len(AXES)} axes" in text
    assert f"{len(known())} conventions" in text
