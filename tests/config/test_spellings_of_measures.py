"""Spellings of measures that a config accepts, for which a run once failed."""

from __future__ import annotations

import json

import pytest

QUICK = ("--set", "health=off", "--set", "data.recommendations={knn: data/knn.parquet}")


def test_a_cutoff_can_be_written_between_the_parentheses(receval, sample):
    code, out, _ = receval(
        "run", sample / "quickstart.yaml", "--set", 'evaluation.metrics=["nDCG(k=2)", nDCG@2]', *QUICK, "--format", "json"
    )
    assert code == 0
    assert [f"{row['metric']}@{row['k']}" for row in json.loads(out)["results"]] == ["nDCG@2"]


def test_a_plus_before_a_measure_changes_nothing(receval, sample):
    code, out, _ = receval("run", sample / "quickstart.yaml", "--set", 'evaluation.metrics=["+nDCG@2"]', *QUICK, "--format", "json")
    assert code == 0
    assert [f"{row['metric']}@{row['k']}" for row in json.loads(out)["results"]] == ["nDCG@2"]


@pytest.mark.parametrize("metrics", ['["nDCG(convention=ranx)@2"]', '[nDCG@2, "nDCG(gain=linear)@2"]'])
def test_an_audit_accepts_measures_that_name_their_convention_or_differ_in_a_parameter(metrics, receval, sample):
    code, _, err = receval("audit", sample / "quickstart.yaml", "--set", f"evaluation.metrics={metrics}", *QUICK)
    assert (code, "Traceback" in err) == (0, False)


@pytest.mark.parametrize("metrics", ['[AUC, "0.5*nDCG@2"]', '["Precision(average=micro)@2", "0.5*nDCG@2"]'])
def test_a_pooled_measure_can_be_used_beside_a_formula(metrics, receval, sample):
    given = ("--set", f"evaluation.metrics={metrics}", "--set", "data.train=data/train.csv")
    assert receval("run", sample / "quickstart.yaml", *given, *QUICK)[0] == 0
