"""A comparison names the method that it used: in its heading, in legends and captions, and in JSON."""

from __future__ import annotations

import polars as pl
import pytest
from receval import load_config, run
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.config.judgement import Compare, Gates
from receval.documents.best_values import best_values
from receval.documents.differences import subtitle
from receval.documents.gates import title
from receval.documents.methods import NAMES, citations
from receval.documents.values import Formats
from receval.gates.demands import Bases, Demands
from receval.gates.judging import judge
from receval.render.result_data import comparison_cells
from receval.stats.difference import TESTS, Settings
from scipy import stats

from tests.comparison.conftest import change_lists, lists_of, rated_items

USERS = range(1, 61)
BASE = lists_of(USERS, seed=2)
CORRECTED = "paired t test with skewness correction"


@pytest.fixture
def measured(write):
    """Return a function that evaluates two models by nDCG@5, with more data and settings."""

    def measured(data=None, **evaluation):
        users = pl.DataFrame({"user": USERS, "house": [user // 2 for user in USERS], "weight": [1 + user % 3 for user in USERS]})
        sources = {"test": rated_items(), "users": users, "recommendations": {"base": BASE, "model": change_lists(BASE, range(1, 41), 3)}}
        config = {"data": data or sources, "evaluation": {"metrics": ["nDCG@5"], "relevance": {"threshold": 4}, **evaluation}}
        return run(load_config(config))

    return measured


def fold_data(*, apart=True):
    """Return the data of two folds with the same users, or with others."""
    folds = []
    for fold in (0, 1):
        shift = 60 * fold if apart else 0
        lists = {name: lists_of(range(1 + shift, 61 + shift), seed + fold) for name, seed in (("base", 2), ("model", 8))}
        folds.append({"name": f"f{fold}", "test": rated_items(seed=fold, first=1 + shift), "recommendations": lists})
    return {"folds": folds}


def named(result, **options):
    """Return the method in the heading of a comparison."""
    return subtitle(compare({"all": result}, ComparisonOptions(**options))).split(" · ")[-1]


def test_the_heading_names_what_is_computed(measured):
    assert named(measured()) == CORRECTED
    assert {name: named(measured(), settings=Settings(name)) for name in TESTS} == {name: NAMES[name] for name in TESTS}
    assert named(measured(), unpaired=True) == "Welch's t test"


def test_under_clusters_weights_micro_folds_and_runs_the_method_is_named_as_it_is(measured):
    clustered = measured(by=["users.house"])
    assert named(clustered, cluster="users.house") == "t test over clusters of users.house (jackknife)"
    assert named(measured(weights={"users": "users.weight"})) == NAMES["weighted"]
    assert named(measured(aggregates=["micro"])) == NAMES["micro"]
    assert named(measured(aggregates=["geometric"])) == NAMES["geometric"]
    assert named(measured(fold_data())) == NAMES["folds"]
    assert named(measured(fold_data()), settings=Settings("t-plain")) == NAMES["folds-plain"]
    assert named(measured(fold_data(apart=False))) == NAMES["clusters"]
    runs = {name: {"runs": [lists_of(USERS, seed), lists_of(USERS, seed + 1)]} for name, seed in (("base", 2), ("model", 8))}
    assert named(measured({"test": rated_items(), "recommendations": runs})) == NAMES["runs"]


def test_measures_with_another_method_are_named_beside_the_usual_one(measured):
    result = measured(metrics=["nDCG@5", "nDCG@3"], aggregates=["mean", "micro", "median"], top_k=[5])
    assert named(result) == (
        f"{CORRECTED}; nDCG@5 (micro), nDCG@3 (micro): {NAMES['micro']}; nDCG@5 (median), nDCG@3 (median): bootstrap test"
    )


def test_the_legend_of_values_and_the_captions_of_papers_name_the_same_methods(measured):
    for given, name in (
        ({}, CORRECTED),
        ({"weights": {"users": "users.weight"}}, NAMES["weighted"]),
        ({"data": fold_data()}, NAMES["folds"]),
    ):
        result = measured(**given)
        assert f"({name}, Holm, 5 %)" in " ".join(best_values(result, Formats.from_rows(result.rows)).legend())
        assert [conclusion.test for conclusion in result.conclusions] == [next(key for key, value in NAMES.items() if value == name)]


def test_json_has_the_methods_in_words_and_the_plain_t_beside(measured):
    result = measured()
    cells = comparison_cells(compare({"all": result}, ComparisonOptions()))
    (one,) = cells["comparisons"]
    base, model = (result.per_user[name].sort("user")["nDCG@5"].to_numpy() for name in ("base", "model"))
    expected = stats.ttest_rel(model, base)
    assert cells["methods"] == {"t": CORRECTED}
    assert (one["t_plain"], one["p_plain"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-10)
    assert (one["df"], one["test"]) == (59, "t")


def test_gates_name_a_method_other_than_the_paired_t_test(measured):
    gates = Gates.model_validate({"rules": ["nDCG@5 max_loss 2% against base"]})
    for by, compared, end in (
        ([], Compare(), "bounds"),
        (["users.house"], Compare(cluster="users.house"), "· t test over clusters (jackknife)"),
    ):
        verdicts = judge(measured(by=by), Demands.from_config(gates, compared, Bases()))
        assert title(verdicts.gates).endswith(end)


def test_the_source_of_the_skewness_correction_is_cited_once_if_a_method_has_it():
    cited = ("The correction of t tests for skewness is that of Hall (1992).",)
    assert [citations(some) for some in (["t"], ["folds", "t"], ["t-plain", None], ["runs"], [])] == [cited, cited, (), (), ()]
