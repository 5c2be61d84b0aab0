"""Measures of lists need no test set: neither in a config, nor on the command line, nor in Python."""

from __future__ import annotations

import json

import pytest
import receval as library
from receval.support.errors import ConfigError

CONFIG = """\
data:
  items: items.csv
  train: train.csv
  recommendations: {a: a.csv, b: b.csv}
evaluation:
  metrics: [ItemCoverage@2, Gini@2, Surprisal@2, Surprisal(convention=replay)@2]
"""


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.csv").write_text("item\n1\n2\n3\n4\n")
    (tmp_path / "train.csv").write_text("user,item\n1,1\n2,1\n3,2\n4,3\n")
    (tmp_path / "a.csv").write_text("user,item,score\n1,2,0.9\n1,3,0.8\n2,2,0.9\n")
    (tmp_path / "b.csv").write_text("user,item,score\n1,2,0.9\n2,2,0.9\n")
    (tmp_path / "test.csv").write_text("user,item\n1,2\n2,4\n")
    return tmp_path


def found(receval, *words):
    code, out, err = receval("run", *words, "--format", "json")
    assert code == 0, err
    result = json.loads(out)
    return {(row["model"], row["metric"], row["k"]): row["value"] for row in result["results"]}, result


def test_a_config_of_measures_of_lists_gives_the_same_values_without_a_test_set(receval, world):
    metrics = CONFIG
    (world / "config.yaml").write_text(metrics)
    (world / "tested.yaml").write_text(metrics.replace("data:\n", "data:\n  test: test.csv\n"))
    values, result = found(receval, "config.yaml")
    assert values == found(receval, "tested.yaml")[0]
    assert values["a", "ItemCoverage", 2] == 0.5
    assert not [finding for finding in result["findings"] if finding["check"] in ("X01", "X02", "X03", "T01", "T02")]
    assert "data.test" not in [source["role"] for source in result["inputs"]]


def test_a_command_of_measures_of_lists_needs_no_test_file(receval, world):
    values, _ = found(receval, "--recs", "a=a.csv", "--items", "items.csv", "-m", "ItemCoverage@1")
    assert values == {("a", "ItemCoverage", 1): 0.25}


@pytest.mark.parametrize("words", [("report", "results", "-o", "x.html"), ("validate", "config.yaml"), ("compare", "config.yaml", "-q")])
def test_other_commands_take_a_config_without_a_test_set(receval, world, words):
    (world / "config.yaml").write_text(CONFIG)
    assert receval("run", "config.yaml", "-o", "results/")[0] == 0
    assert receval(*words)[0] == 0


@pytest.mark.parametrize("measure", ["Recall@2", "MRR@2", "MSE", "Gini@2 + Recall@2", "EPC@2", "BiasDisparityBS(source=test)"])
def test_a_measure_that_reads_the_test_set_is_named_if_there_is_none(receval, world, measure):
    (world / "config.yaml").write_text(CONFIG.replace("@2]", f"@2, {measure}]").replace("items.csv", "{path: items.csv, categories: item}"))
    code, out, err = receval("run", "config.yaml")
    assert (code, out) == (2, "")
    assert "data.test: this key is missing" in err
    code, _, err = receval("run", "--recs", "a=a.csv", "-m", "Recall@2")
    assert code == 2
    assert "data.test: this key is missing, and Recall@2 reads it" in err


def test_python_needs_no_test_for_measures_of_lists():
    result = library.evaluate(recommendations={1: [1, 2]}, items=[1, 2, 3, 4], metrics=["ItemCoverage@2"])
    assert result.rows[0].value == 0.5
    with pytest.raises(ConfigError, match="test is missing, and Recall@10 reads it"):
        library.evaluate(recommendations={1: [1, 2]}, metrics=["Recall"])
