"""`receval schema NAME` describes the JSON that commands write: all of its keys, and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from receval.config import json_schema
from receval.render.schemas import SCHEMAS, json_schema_of

from tests.storage.test_result_folder import CONFIGS, KNN, TEST, TRAIN, USERS

RUN = ("run", "config.yaml", "-q", "-o", "out/")
RULES = {
    "slices": "slices: none worse than 5%",
    "margin": "nDCG@10 max_loss 2%",
    "limit": "nDCG@10 >= 0.1",
    "group": "nDCG@10 max_loss 5% by cold",
}


def strict(name: Any) -> Draft202012Validator:
    """Return the schema without room for other keys than its own."""
    schema = json.loads(json_schema_of(name))
    Draft202012Validator.check_schema(schema)
    for part in schema["$defs"].values():
        part |= {"additionalProperties": False} if "properties" in part else {}
    return Draft202012Validator(schema)


def problems(name: Any, text: str) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in strict(name).iter_errors(json.loads(text))]


@pytest.fixture
def here(write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("test", TEST), ("knn", KNN), ("other", KNN.replace("9", "0")), ("users", USERS), ("train", TRAIN)):
        write(f"{name}.csv", text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("config", CONFIGS)
def test_the_json_of_a_folder_has_the_keys_of_its_schemas_and_no_others(config: str, here: Path, write: Any, receval: Any):
    write("config.yaml", CONFIGS[config])
    assert receval(*RUN)[0] == 0
    assert problems("results", (here / "out" / "results.json").read_text()) == []
    assert problems("manifest", (here / "out" / "manifest.json").read_text()) == []


@pytest.mark.parametrize(
    "options",
    [(), ("--all-pairs",), ("--margin", "1%"), ("--unpaired",), ("--losers", "3"), ("--by", "cold"), ("--find-slices", "--by", "cold")],
)
def test_a_comparison_has_the_keys_of_its_schema(options: tuple[str, ...], sample: Path, receval: Any):
    one = ("--set", "evaluation.metrics=[nDCG]", "--set", "evaluation.complex_metrics=[]", "--set", "evaluation.top_k=[10]")
    code, out, err = receval("compare", sample / "grids.yaml", "--format", "json", *one, *options)
    assert code == 0, err
    assert problems("comparison", out) == []


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_verdicts_of_gates_have_the_keys_of_their_schema(rule: str, sample: Path, receval: Any):
    by = ("--set", "evaluation.by=[cold]")
    baseline = () if ">=" in rule else ("--baseline", "popular")
    code, out, err = receval("gate", sample / "grids.yaml", "--rule", rule, *baseline, *by, "--format", "json")
    assert code in (0, 1), err
    assert problems("gates", out) == []


def test_results_with_gates_and_findings_have_the_keys_of_their_schema(here: Path, write: Any, receval: Any):
    write("config.yaml", CONFIGS["groups"] + "gates: {rules: [Recall@2 >= 0.99]}\n")
    write("knn.csv", KNN + "1,zzz,1\n1,a,7\n")
    assert receval(*RUN)[0] == 1
    for name in ("results", "manifest"):
        text = (here / "out" / f"{name}.json").read_text()
        assert problems(name, text) == []
        assert json.loads(text)["gates"]
        assert json.loads(text)["findings"]


def test_a_key_that_is_missing_or_of_another_type_is_a_problem(here: Path, write: Any, receval: Any):
    write("config.yaml", CONFIGS["aggregates"])
    assert receval(*RUN)[0] == 0
    content = json.loads((here / "out" / "results.json").read_text())
    for wrong in ({**content, "run_id": 7}, {**content, "format_version": 6}, {**content, "results": [{"model": "knn"}]}):
        assert problems("results", json.dumps(wrong))


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_command_prints_each_schema(name: str, receval: Any):
    code, out, err = receval("schema", name)
    assert (code, err) == (0, "")
    assert out == json_schema_of(name)
    assert json.loads(out)["title"] == f"receval {name}"


def test_without_a_name_the_schema_is_that_of_a_config(receval: Any):
    assert receval("schema") == (0, json_schema(), "")


def test_an_unknown_name_is_refused_with_those_that_there_are(receval: Any):
    code, _, err = receval("schema", "result")
    assert code == 2
    assert all(name in err for name in SCHEMAS)
