"""Slips in a config end with one sentence that says what to write, or mean what was obviously meant."""

from __future__ import annotations

import pytest
import receval as library

DATA = "data:\n  test: test.csv\n  recommendations: {m: lists.csv}\n"


@pytest.fixture
def run(receval, tmp_path, monkeypatch):
    """Return a function that runs a config with some lines of `evaluation`: exit code, what it prints, and its messages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.csv").write_text("user,item,rating\n1,1,5\n1,2,5\n1,3,1\n2,2,4\n2,4,2\n3,5,1\n")
    (tmp_path / "lists.csv").write_text("user,item,score\n1,6,0.9\n1,3,0.8\n1,1,0.7\n2,2,0.9\n2,6,0.9\n3,5,0.7\n3,6,0.2\n")

    def run(text):
        (tmp_path / "config.yaml").write_text(DATA + text)
        return receval("run", "config.yaml", "--format", "csv", "--set", "health=off")

    return run


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        (
            "evaluation:\n  top_k: 2\n  complex_metrics: {name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP}}\n",
            ["F1(nDCG,MAP)"],
        ),
        ("evaluation:\n  metrics: {name: nDCG, k: 2}\n", ["nDCG"]),
        ("evaluation:\n  top_k: 10, 20\n  metrics: [nDCG]\n", ["nDCG@10", "nDCG@20"]),
        ("evaluation:\n  metrics:\n    - FMeasureAtK: {k: 2, beta: [0.5, 1]}\n", ["F1(beta=0.5)", "F1"]),
        ("evaluation:\n  metrics:\n    - {name: F1, k: 2, beta: [0.5, 1]}\n", ["F1(beta=0.5)", "F1"]),
        (
            "evaluation:\n  convention: receval\n  metrics:\n    - FMeasureAtK: {k: 2, relevant_threshold: [3, 4]}\n",
            ["F1(threshold=3)", "F1(threshold=4)"],
        ),
        ("evaluation:\n  convention: rs_metrics\n  metrics: ['coverage(k=1)']\n", None),
        ("evaluation:\n  metrics:\n    - {name: F1, beta: '0.5', k: 1}\n", ["F1(beta=0.5)"]),
    ],
)
def test_a_slip_with_one_meaning_is_read_as_meant(run, text, measures):
    code, out, err = run(text)
    if measures is None:  # a value of data.items or data.train: the config is right
        assert "twice" not in err
        return
    assert code == 0, err
    found = out.splitlines()[1:]
    assert len(found) == len(measures)
    assert all(measure.partition("@")[0] in line for measure, line in zip(measures, found, strict=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("evaluation:\n  top_k: 10 20\n  metrics: [nDCG]\n", "not '10 20'; separate cut-offs by commas"),
        ("evaluation:\n  top_k:\n  metrics: [nDCG]\n", "evaluation.top_k: this key is empty: give cut-offs, such as [10, 20], or none"),
        ("evaluation:\n  top_k: [all]\n  metrics: [nDCG]\n", "not 'all'; write none for the whole list"),
        ("evaluation:\n  metrics:\n    - MAP: {cutoffs: [1, 5]}\n", "MAP has no parameter 'cutoffs' — did you mean 'cutoff'?"),
        (
            "evaluation:\n  metrics:\n    MAP: {cutoff: {range: {start: 1, end: 3, step: 0}}}\n",
            "the step of a range must be at least 1, not 0",
        ),
        (
            "evaluation:\n  metrics:\n    - {name: F1, params: {metric_name1: nDCG, metric_name2: MAP}}\n",
            "F1 has no parameter 'metric_name1' — did you mean 'metric_name_1'?",
        ),
        ("evaluation:\n  metrics: [nope]\n", "unknown metric 'nope'; `receval metrics` lists all"),
        (
            "evaluation:\n  metrics:\n    MAP:\n    cutoff:\n      type: int\n      values: [1]\n",
            "cutoff is beside the metric: indent it further, so that it is below MAP",
        ),
        (
            "evaluation:\n  MAP:\n  cutoff:\n    type: int\n",
            "MAP is a metric: write it under evaluation.metrics, or with its parameters below it, indented further",
        ),
        (
            "evaluation:\n  metrics:\n  - nDCG\n    - MAP\n",
            "config.yaml:7:5: not valid YAML: the indent of this line is 4 spaces, but the list has 2",
        ),
        ("evaluation:\n  top_k: all\n  metrics: [nDCG]\n", "not 'all'; write none for the whole list"),
        ("MAP:\ncutoff:\n  type: int\n", "unknown key 'cutoff': indent it further, so that it is below the metric"),
        (
            "evaluation:\n  top_k: [1]\n   metrics: [nDCG]\n",
            "config.yaml:6:4: not valid YAML: the indent of this line is 3 spaces, but a line here needs 0 or 2",
        ),
        ("evaluation:\n    top_k: [1]\n  metrics: [nDCG]\n", "the indent of this line is 2 spaces, but a line here needs 0 or 4"),
        ("evaluation:\n  metrics:\n    - nDCG\n   - MAP\n", "the indent of this line is 3 spaces, but a line here needs 0 or 2 or 4"),
    ],
)
def test_a_slip_that_cannot_be_read_is_explained_in_one_line(run, text, said):
    code, out, err = run(text)
    assert (code, out) == (2, "")
    assert said in err
    assert "block end" not in err


def test_names_of_functions_of_rs_metrics_get_the_note_that_other_programs_get(run):
    _, _, err = run("evaluation:\n  metrics: [hitrate, mapr, mar]\n")
    assert "if it was written for rs_metrics, write convention: rs_metrics" in err
    assert "rs_metrics" not in run("evaluation:\n  metrics: [precision, ndcg]\n")[2]


def test_plain_names_in_python_are_no_block_of_another_program():
    result = library.evaluate(test={1: [1, 2]}, recommendations={1: [1, 3]}, metrics=["MAP", "nDCG"])
    assert "written for" not in str(result)
    assert not any("written for" in note for note in result.notes())
