"""The base of a comparison: one function chooses it for every command."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from receval.comparison.bases import Base, base_of
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.support.errors import ConfigError

from tests.comparison.conftest import lists_of

USERS = range(1, 61)


@pytest.fixture
def three(result):
    """Return a result of three models, with these sections in its config."""
    made = result(models={name: lists_of(USERS, seed) for seed, name in enumerate(("knn", "pop", "tfidf"))}, metrics=["nDCG", "Recall"])
    return lambda **sections: replace(made, config={**made.config, **sections})


RULE = {"measure": "nDCG@5", "max_loss": "2%"}


@pytest.mark.parametrize(
    ("sections", "baseline", "base"),
    [
        ({}, None, Base("knn", is_default=True)),
        ({}, "tfidf", Base("tfidf")),
        ({"compare": {"baseline": "tfidf"}, "gates": {"baseline": "pop"}}, "knn", Base("knn")),
        ({"compare": {"baseline": "tfidf"}, "gates": {"baseline": "pop"}}, None, Base("tfidf")),
        ({"gates": {"baseline": "pop"}}, None, Base("pop")),
        ({"gates": {"baseline": "pop", "rules": [RULE]}}, None, Base("pop")),
        ({"compare": {"baseline": "main=results/main"}, "gates": {"baseline": "pop"}}, None, Base("pop")),
        ({"gates": {"baseline": "results/main", "rules": [RULE]}}, None, Base("knn", is_default=True)),
        ({"gates": {"rules": [RULE | {"against": "pop"}]}}, None, Base("pop")),
        ({"gates": {"rules": [RULE | {"against": "pop"}, RULE | {"against": "tfidf"}]}}, None, Base("knn", is_default=True)),
        ({"gates": {"rules": "this version cannot read it"}}, None, Base("knn", is_default=True)),
    ],
)
def test_the_base_is_the_option_then_compare_then_gates_then_the_first(sections, baseline, base, three):
    assert base_of({"run": three(**sections)}, baseline) == base


def test_an_unknown_base_is_refused(three):
    with pytest.raises(ConfigError, match="the baseline is kn, but no model has this name"):
        base_of({"run": three()}, "kn")


def test_of_several_results_the_base_is_named_by_their_gates(three):
    today, main = three(gates={"baseline": "results/main"}), three()
    assert base_of({"today": today, "main": main}) == Base("main")
    assert base_of({"today": today, "other": main}) == Base("today", is_default=True)
    assert base_of({"today": today, "main": main}, "today") == Base("today")


def test_a_comparison_says_that_the_first_is_the_base_only_if_nothing_names_one(three):
    assert compare({"run": three()}, ComparisonOptions()).first == "knn"
    assert compare({"run": three(gates={"baseline": "pop"})}, ComparisonOptions()).first is None
    assert compare({"run": three()}, ComparisonOptions(baseline="knn")).first is None
    assert compare({"run": three()}, ComparisonOptions(all_pairs=True)).first is None


def test_a_comparison_of_two_models_does_not_report_the_first_as_base(result):
    assert compare({"run": result()}, ComparisonOptions()).first is None
