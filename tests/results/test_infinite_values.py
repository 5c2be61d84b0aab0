"""Infinite values in one result, in folds and in runs: missing in files for machines, with the reason in the notes."""

from __future__ import annotations

import json
import math

import pytest
from receval import load_config, load_results, run
from receval.results.repeats import summary
from receval.results.result import Row

FILES = {
    "test": "user,item,rating\n1,a,5\n1,b,3\n2,a,4\n2,c,5\n",
    "lists": "user,item,score\n1,a,3\n1,b,2\n2,b,9\n2,c,1\n",
    # b is not relevant, but predicted to be with probability 1: with an eps so small that 1 - eps is 1 the loss is infinite
    "sure": "user,item,prediction\n1,a,1\n1,b,1\n2,a,1\n2,c,1\n",
    "half": "user,item,prediction\n1,a,1\n1,b,0.5\n2,a,1\n2,c,1\n",
}
EVALUATION = "evaluation: {metrics: ['LogLoss(eps=1e-20)', nDCG@2], relevance: {threshold: 4}}\nhealth: off\n"
SOURCES = "test: test.csv, recommendations: {m: lists.csv}, predictions: {m: %s.csv}"
CONFIGS = {
    "one": f"data: {{{SOURCES % 'sure'}}}\n{EVALUATION}",
    "folds": f"data: {{folds: [{{{SOURCES % 'sure'}}}, {{{SOURCES % 'half'}}}]}}\n{EVALUATION}",
    "folds alike": f"data: {{folds: [{{{SOURCES % 'sure'}}}, {{{SOURCES % 'sure'}}}]}}\n{EVALUATION}",
    "runs": "data: {test: test.csv, recommendations: {m: {runs: [lists.csv, lists.csv]}}, predictions: {m: sure.csv}}\n" + EVALUATION,
}


@pytest.mark.parametrize("name", CONFIGS)
def test_an_infinite_value_is_missing_in_every_format_and_the_notes_have_the_reason(name, write, receval, tmp_path):
    for stem, text in FILES.items():
        write(f"{stem}.csv", text)
    config = write("c.yaml", CONFIGS[name])
    code, out, err = receval(
        "run", config, "--format", "json", "-o", f"{tmp_path}/out/", "-o", tmp_path / "r.csv", "-o", tmp_path / "t.tex"
    )
    assert code == 0, err
    content = json.loads(out)
    of_all = {row["metric"]: row for row in content["results"] if row["fold"] is None and row["run"] is None}
    assert (of_all["LogLoss(eps=1e-20)"]["value"], of_all["LogLoss(eps=1e-20)"]["repeats_std"]) == (None, None)
    assert of_all["nDCG"]["value"] > 0
    assert any("LogLoss(eps=1e-20) has no value: " in note and "or the result is infinite." in note for note in content["notes"])
    assert load_results(tmp_path / "out") == run(load_config(config))
    assert ",inf," not in (tmp_path / "r.csv").read_text()
    if name == "folds":  # the finite one: -(ln 1 + ln 1 + ln 1 + ln 1/2) / 4
        values = [row["value"] for row in content["results"] if row["fold"] is not None and row["metric"].startswith("LogLoss")]
        assert values == [None, pytest.approx(math.log(2) / 4)]


@pytest.mark.parametrize(
    ("values", "mean", "deviation"),
    [
        ([1.0, 3.0], 2.0, math.sqrt(2)),
        ([1.0, math.inf], math.inf, None),
        ([1.7e308, 1.7e308], 1.7e308, 0.0),  # their sum overflows
        ([None, 2.0], 2.0, None),
        ([None, None], None, None),
    ],
)
def test_the_mean_over_folds_with_infinite_values(values, mean, deviation):
    (row,) = summary([Row("m", "MSE", None, "mean", value, 3, fold=f"{n}") for n, value in enumerate(values)], sum)
    assert (row.value, row.repeats_std) == (mean, deviation)


def test_infinite_values_of_both_signs_have_no_mean():
    (row,) = summary([Row("m", "MSE", None, "mean", value, 3) for value in (math.inf, -math.inf)], sum)
    assert repr(row.value) == "nan"  # and is missing in the end
