"""A measure of a result is found under each spelling that a config accepts, and under no other."""

from __future__ import annotations

import pytest
import receval

MODELS = {"als": {user: list("acdb") for user in range(40)}, "knn": {user: list("dcba") for user in range(40)}}
RESULT = receval.evaluate(
    test={user: {"a": 3, "b": 1} for user in range(40)},
    recommendations=MODELS,
    items=[{"item": item, "genre": item < "c"} for item in "abcd"],
    categories="genre",
    relevance={"graded": True},
    metrics=["ILD(distance=jaccard)@2", "nDCG(gain=linear)@3", "F1(nDCG,Recall,beta=0.5)@3", "MRR(convention=recbole)@3", "AUC"],
    health=False,
)
SPELLINGS = {
    "ILD(distance=jaccard)@2": "ILD@2",
    "ild( distance = jaccard ) @ 2": "ILD@2",
    "ILD(distance=jaccard,k=2)": "ILD@2",
    "ndcg(discount=log_r_plus_1, gain=linear)@3": "nDCG(gain=linear)@3",
    "nDCG(gain=linear,missing_lists=zero)": "nDCG(gain=linear)@3",
    "F1(beta=.5, nDCG, Recall)@3": "F1(nDCG,Recall,beta=0.5)@3",
    "F1(nDCG(gain=exp2),Recall,beta=0.5)@3": "F1(nDCG,Recall,beta=0.5)@3",
    "mrr(convention=recbole)@3": "MRR(convention=recbole)@3",
    "AUC": "AUC (micro)",
    "AUC(convention=receval)": "AUC (micro)",
}
OTHERS = [
    "ILD(distance=cosine)@2",
    "ILD(distance=jaccard)@3",
    "nDCG@3",
    "nDCG(gain=linear,missing_lists=drop)@3",
    "MRR@3",
    "F1(Recall,nDCG,beta=0.5)@3",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_finds_its_measure_in_results_comparisons_and_gates(text: str):
    label = SPELLINGS[text]
    assert (RESULT["als", text].label, RESULT["als"][text].label) == (label, label)
    assert RESULT.compare("knn", measures=text).judged == (label,)
    assert [gate.measure for gate in RESULT.gate({"measure": text, "min": 0})] == [label, label]
    assert [gate.measure for gate in RESULT.gate(f"{text} >= 0", models="als")] == [label]


@pytest.mark.parametrize("text", OTHERS)
def test_a_measure_with_other_settings_is_not_found(text: str):
    with pytest.raises(KeyError, match="there is no value of"):
        RESULT["als", text]
    with pytest.raises(receval.ConfigError, match="the results have no measure"):
        RESULT.compare("knn", measures=text)


def test_a_mean_that_the_aggregates_lack_is_refused_with_what_there_is():
    result = receval.evaluate(test={0: ["a"]}, recommendations={0: ["a"]}, metrics=["nDCG@1"], aggregates="sum", health=False)
    with pytest.raises(receval.ConfigError, match=r"no measure 'nDCG@1'\n  the results have nDCG@1 \(sum\): name one"):
        result.gate("nDCG@1 >= 0")


def test_the_settings_that_a_measure_has_anyway_are_those_of_its_convention():
    graded = {user: {"a": 3, "b": 1} for user in range(3)}
    result = receval.evaluate(test=graded, recommendations=MODELS["als"], metrics="nDCG@3", convention="elliot", health=False)
    assert result["nDCG(missing_lists=drop)@3"].label == result["nDCG(convention=elliot)@3"].label == "nDCG@3"
    with pytest.raises(KeyError):
        result["nDCG(missing_lists=zero)@3"]
    evaluator = receval.Evaluator(test=graded, metrics="nDCG@3", convention="elliot")
    assert "nDCG(missing_lists=drop)@3" in evaluator(MODELS["als"])


def test_the_names_of_the_library_of_a_convention_find_its_measures():
    result = receval.evaluate(test={0: ["a"]}, recommendations={0: ["a"]}, metrics=["ndcg_cut_5"], convention="trec_eval", health=False)
    assert result["ndcg_cut_5"].label == next(iter(result.gate("ndcg_cut_5 >= 0"))).measure == "nDCG@5"


def test_rules_options_and_columns_take_the_spelling_of_the_config(receval, sample):
    measure = "nDCG(discount=log_r_plus_1)@10"
    given = ("--set", f'evaluation.metrics=["{measure}"]', "--set", "health=off")
    code, out, err = receval("gate", sample / "quickstart.yaml", *given, "--rule", f"{measure} >= 0", "--format", "json")
    assert (code, '"measure": "nDCG@10"' in out) == (0, True), err
    code, out, err = receval("run", sample / "quickstart.yaml", *given, "--columns", measure, "--sort", "nDCG( k=10 )", "--format", "table")
    assert (code, "nDCG@10" in out) == (0, True), err
    code, out, err = receval("compare", sample / "quickstart.yaml", *given, "--measure", measure, "--margin", f"{measure}=0.01")
    assert (code, "nDCG@10" in out) == (0, True), err
