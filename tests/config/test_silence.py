"""Settings without effect are reported, and so is the reading of a block that could be another program's."""

from __future__ import annotations

import pytest
from receval import load_config

DATA = "data: {test: t.csv, train: r.csv, recommendations: {m: l.csv}}\n"


@pytest.fixture
def warnings(write):
    """Return a function that gives the warnings of a config with this evaluation, without their places."""

    def warnings(evaluation: str) -> list[str]:
        loaded = load_config(write("c.yaml", f"{DATA}evaluation: {evaluation}\n"))
        return [warning.partition(": ")[2] for warning in loaded.warnings]

    return warnings


@pytest.fixture
def doubt(write):
    """Return a function that gives the doubt about the program that a block was written for."""
    return lambda evaluation: load_config(write("c.yaml", f"{DATA}evaluation: {evaluation}\n")).doubt


@pytest.mark.parametrize("convention", ["relison", "rs_metrics", "replay", "lenskit"])
def test_graded_relevance_under_a_convention_without_grades_is_a_warning(convention, warnings):
    (warning,) = warnings(f"{{convention: {convention}, relevance: {{graded: true}}, metrics: [nDCG@5, Recall@5]}}")
    assert warning.startswith(f"evaluation.relevance.graded: has no effect: under the convention {convention} every relevant item counts")


@pytest.mark.parametrize("measure", ["nDCG@5", "nDCG(convention=receval)@5", "ERR@5", "Precision@5"])
def test_graded_relevance_that_a_measure_can_use_is_not_a_warning(measure, warnings):
    assert warnings(f"{{convention: receval, relevance: {{graded: true}}, metrics: ['{measure}']}}") == []


def test_binary_relevance_under_a_convention_with_grades_is_a_warning(warnings):
    (warning,) = warnings("{convention: warprec, relevance: {graded: false}, metrics: [nDCG@5]}")
    assert "the convention warprec uses the rating as the grade; write grades=ones in a measure" in warning
    assert warnings("{convention: warprec, relevance: {graded: false}, metrics: [nDCG(grades=ones)@5]}") == []


@pytest.mark.parametrize(
    ("evaluation", "reason"),
    [
        ("{convention: clayrs, relevance: {threshold: 4}, metrics: [NDCG@5]}", "the convention clayrs defines by itself what is relevant"),
        ("{relevance: {threshold: 4}, metrics: [Recall(threshold=3)@5]}", "every measure names its own"),
        ("{relevance: {threshold: 4}, metrics: [ItemCoverage@5]}", "no measure uses relevance"),
    ],
)
def test_a_threshold_that_no_measure_uses_is_a_warning_with_the_reason(evaluation, reason, warnings):
    assert warnings(evaluation) == [f"evaluation.relevance.threshold: has no effect: {reason}"]


def test_a_tie_order_that_no_measure_uses_is_a_warning(warnings):
    (warning,) = warnings("{convention: relison, policy: {tie_order: item_asc}, metrics: [nDCG@10]}")
    assert warning.endswith("the convention relison reads lists in file order, which has no ties")
    assert warnings("{convention: receval, policy: {tie_order: item_asc}, metrics: [nDCG@10]}") == []


@pytest.mark.parametrize(
    ("evaluation", "programs", "names"),
    [
        ("{metrics: [AUC]}", "WarpRec", "warprec"),
        ("{top_k: [10, 20], metrics: [nDCG]}", "WarpRec", "warprec"),
        (
            "{top_k: [10], complex_metrics: [{name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}}]}",
            "WarpRec",
            "warprec",
        ),
        ("{metrics: [Precision, NDCG, FMeasure]}", "ClayRS", "clayrs"),
        ("{metrics: [Precision, Recall]}", "WarpRec or ClayRS", "warprec or clayrs"),
    ],
)
def test_a_block_that_could_be_another_programs_is_reported_as_read_under_receval(evaluation, programs, names, doubt):
    reading = f"if it was written for {programs}, write convention: {names}."
    assert doubt(evaluation) == f"The evaluation is read under the convention receval; {reading}"
    assert doubt(evaluation.replace("{", "{convention: receval, ", 1)) == ""


@pytest.mark.parametrize(
    "evaluation",
    [
        "{top_k: 10, metrics: [nDCG]}",
        "{metrics: [nDCG@10]}",
        "{metrics: [nDCG(gain=linear)]}",
        "{relevance: {threshold: 4}, metrics: [nDCG]}",
        "{aggregates: [mean], metrics: [nDCG]}",
        "{metrics: [nDCG, BinG]}",
        "{metrics: {nDCG: {cutoff: {values: [1]}, gain: linear}}}",
    ],
)
def test_a_block_with_receval_keys_is_read_silently(evaluation, doubt):
    assert doubt(evaluation) == ""


def test_the_doubt_about_a_block_is_printed_below_the_table_and_by_validate(receval, sample):
    changed = ("--set", "evaluation={metrics: [nDCG]}")
    said = "The evaluation is read under the convention receval; if it was written for WarpRec, write convention: warprec."
    for form in ("table", "md", "json"):
        assert said in receval("run", sample / "quickstart.yaml", *changed, *(() if form == "table" else ("--format", form)))[1]
    assert receval("validate", sample / "quickstart.yaml", *changed)[2] == f"receval: {said}\n"


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl", "latex", "md"])
def test_the_doubt_about_a_block_is_on_standard_error_for_every_format(form, receval, sample):
    changed = ("--set", "evaluation={metrics: [nDCG]}", "--format", form)
    said = "receval: The evaluation is read under the convention receval; if it was written for WarpRec, write convention: warprec."
    assert receval("run", sample / "quickstart.yaml", *changed)[2].count(said) == 1
    assert said not in receval("run", sample / "quickstart.yaml", *changed, "--quiet")[2]
    for command in ("check", "describe") if form == "table" else ():  # they have other formats
        assert receval(command, sample / "quickstart.yaml", *changed[:2])[2].count(said) == 1
