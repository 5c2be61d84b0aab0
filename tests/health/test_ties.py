"""Bounds over the orders of tied scores equal those over every order, tried one by one."""

from __future__ import annotations

from itertools import groupby, permutations, product

import pytest
import receval as library
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.metrics import METRICS
from receval.metrics.registry import at
from receval.support.errors import DataError

from tests.conftest import per_user, table, values
from tests.sizes import draws

MEASURES = [
    "Precision", "Precision(denominator=list_length)", "Precision(denominator=min_r_k)", "Recall", "Recall(denominator=min_r_k)", "HitRate",
    "HitRate(at_least=2)", "SetMAP",
    "Hits", "F1", "F1(beta=0.5)", "RPrecision", "RPrecision(multiple=0.5)", "Utility(worth=2)", "MAP", "MAP(denominator=r)",
    "MAP(denominator=list_length)", "MAP(denominator=k,ranks=all)", "MAR", "MRR", "DCG", "nDCG", "nDCG(gain=linear)",
    "nDCG(discount=log_max_r_2)", "nDCG(ideal=k_items)", "nDCGRendle2020", "BinG", "RBP", "RBP(gain=grade)", "RBP(norm=ideal)",
    "GAUC", "AUC(average=mean)", "LAUC", "NCRR", "PositionWeightedAverage",
]  # fmt: skip
CUTOFFS = [1, 3, None]
PARAMS = {"denominator": "k", "at_least": 1, "ideal": "relevant", "of": "users", "ties": "list_order", "negatives": "candidates"}
"""Values of the deciding parameters with which metrics have bounds."""


def orders(scored):
    """Return every order of a list of (item, score) that its scores allow."""
    ranked = sorted(scored, key=lambda pair: -pair[1])
    runs = [[item for item, _ in run] for _, run in groupby(ranked, key=lambda pair: pair[1])]
    return [[item for run in chosen for item in run] for chosen in product(*(permutations(run) for run in runs))]


users = st.lists(
    st.tuples(
        st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=6),
        st.dictionaries(st.integers(0, 7), st.integers(1, 3), min_size=1, max_size=5),
    ),
    min_size=1,
    max_size=2,
)


@settings(max_examples=draws(3, 8))  # tests/scoring/test_ties.py tries the arithmetic on more; this is the finding of a run
@given(users=users, graded=st.booleans())
def test_bounds_of_the_finding_equal_those_over_all_orders(evaluate, users, graded):
    catalogue = table(["item"], [(item,) for item in range(9)])
    evaluation = {"items": catalogue, "metrics": MEASURES, "top_k": CUTOFFS, "relevance": {"graded": graded}}
    test = [(number, item, rating) for number, (_, truth) in enumerate(users) for item, rating in truth.items()]
    lists = [(number, item, score) for number, (scores, _) in enumerate(users) for item, score in enumerate(scores)]
    result = evaluate(
        table(["user", "item", "rating"], test), table(["user", "item", "score"], lists), health={"R04": {"width": 0}}, **evaluation
    )
    found = next((finding.details.get("bounds", {}) for finding in result.findings if finding.check == "R04"), {})

    every, counts = [], []
    for scores, _ in users:
        tried = orders(list(enumerate(scores)))
        every += tried
        counts.append(len(tried))
    owners = [number for number, n in enumerate(counts) for _ in range(n)]
    test = [(place, item, rating) for place, number in enumerate(owners) for item, rating in users[number][1].items()]
    lists = [(place, item, rank) for place, order in enumerate(every) for rank, item in enumerate(order, 1)]
    tried = per_user(
        evaluate(table(["user", "item", "rating"], test), table(["user", "item", "rank"], lists), health={"R04": "off"}, **evaluation)
    )
    for label, value in values(result).items():
        by_user = [[tried[place][label] for place, owner in enumerate(owners) if owner == number] for number in range(len(users))]
        least, most = (sum(map(end, by_user)) / len(users) for end in (min, max))
        expected = sum(sum(of_one) / len(of_one) for of_one in by_user) / len(users)
        if label in found:
            assert found[label] == pytest.approx({"least": least, "expected": expected, "most": most}, abs=1e-12), label
        else:
            assert least == pytest.approx(most, abs=1e-12), label
        assert least - 1e-12 <= value <= most + 1e-12, label


def test_every_metric_that_declares_bounds_is_tried():
    tried = {label.partition("(")[0] for label in MEASURES}
    assert {name for name, metric in METRICS.items() if at(PARAMS, metric.ties)} == tried


def test_a_run_of_a_hundred_equal_scores_has_the_mean_of_chance(evaluate):
    test = table(["user", "item"], [(1, item) for item in range(7)])
    lists = table(["user", "item", "score"], [(1, item, 0.5) for item in range(100)])
    (finding,) = [
        problem
        for problem in evaluate(test, lists, metrics=["Precision", "HitRate"], top_k=[10], health={}).findings
        if problem.check == "R04"
    ]
    chance = 1.0
    for drawn in range(10):
        chance *= (93 - drawn) / (100 - drawn)
    assert finding.details["bounds"]["Precision@10"] == pytest.approx({"least": 0.0, "expected": 0.07, "most": 0.7}, abs=1e-12)
    assert finding.details["bounds"]["HitRate@10"] == pytest.approx({"least": 0.0, "expected": 1 - chance, "most": 1.0}, abs=1e-12)


def test_ties_below_the_largest_cutoff_raise_no_finding(evaluate):
    test = table(["user", "item"], [(1, 0), (2, 3)])
    lists = table(["user", "item", "score"], [(user, item, [5, 4, 1, 1][item]) for user in (1, 2) for item in range(4)])
    assert "R04" not in {problem.check for problem in evaluate(test, lists, metrics=["nDCG"], top_k=[2], health={}).findings}
    assert "R04" in {problem.check for problem in evaluate(test, lists, metrics=["nDCG"], top_k=[3], health={}).findings}


def test_bounds_narrower_than_the_limit_are_not_shown(evaluate):
    test = table(["user", "item"], [(1, 0), (2, 3)])
    lists = table(["user", "item", "score"], [(user, item, 1.0) for user in (1, 2) for item in range(4)])
    (finding,) = [
        problem for problem in evaluate(test, lists, metrics=["nDCG"], health={"R04": {"width": 0.99}}).findings if problem.check == "R04"
    ]
    assert "bounds" not in finding.details


def bounds(result):
    """Return label → bounds, from the finding of tied scores."""
    return next((finding.details.get("bounds", {}) for finding in result.findings if finding.check == "R04"), {})


def test_ties_below_dropped_items_move_up(evaluate):
    test = table(["user", "item"], [(1, 3), (1, 5), (2, 9)])
    lists = [(1, 1, 9), (1, 2, 8), (1, 3, 5), (1, 4, 5), (1, 5, 5), (2, 9, 1), (2, 8, 0)]
    train = table(["user", "item"], [(1, 1), (2, 3), (2, 4), (2, 5), (3, 9), (3, 8)])  # item 2 is unknown, 1 is seen
    policy = {"seen_items": "drop_and_refill", "unknown_items": "drop_and_refill"}
    result = evaluate(
        test, table(["user", "item", "score"], lists), train=train, metrics=["Precision"], top_k=[2], policy=policy, health={}
    )
    # User 1 has 3, 4, 5 in any order at ranks 1 to 3, two of them relevant: 1, 2 or 4/3 hits on average; user 2 has one hit.
    assert bounds(result)["Precision@2"] == pytest.approx({"least": 0.5, "expected": (2 / 3 + 0.5) / 2, "most": 0.75}, abs=1e-12)


@pytest.mark.parametrize("label", ["F1(Precision(threshold=4),Recall)", "F1(Precision(seen_items=drop_and_refill),Recall)", "F1(nDCG,MAP)"])
def test_a_combination_of_metrics_with_different_hits_has_no_bounds(label, evaluate):
    test = table(["user", "item", "rating"], [(1, 0, 5), (1, 1, 3), (2, 1, 4)])
    lists = table(["user", "item", "score"], [(user, item, 1.0) for user in (1, 2) for item in range(3)])
    result = evaluate(test, lists, train=table(["user", "item"], [(1, 2)]), metrics=[label, "Recall"], top_k=[2], health={})
    assert bounds(result).keys() == {"Recall@2"}


@pytest.mark.parametrize("policy", [{"duplicates": "keep_best_rank"}, {"seen_items": "drop"}, {"duplicates": "keep_best_rank_after_cut"}])
def test_ties_are_found_and_refused_under_any_policy_for_duplicates_and_seen_items(policy, evaluate):
    test = table(["user", "item"], [(1, 0), (2, 1)])
    lists = table(["user", "item", "score"], [*((user, item, 1.0) for user in (1, 2) for item in range(3)), (2, 0, 1.0)])
    train = table(["user", "item"], [(1, 2), (3, 0), (3, 1)])
    checks = {"R01": "off", "R04": "warn"}
    result = evaluate(test, lists, train=train, metrics=["Recall"], top_k=[2], policy=policy, health=checks)
    (finding,) = [problem for problem in result.findings if problem.check == "R04"]
    assert (finding.count, finding.total) == (2, 2)
    with pytest.raises(DataError, match="tie_order is set to error"):
        evaluate(test, lists, train=train, metrics=["Recall"], top_k=[2], policy={**policy, "tie_order": "error"}, health=checks)


def test_ties_that_ranks_resolve_are_named_and_not_refused(evaluate):
    test = table(["user", "item"], [(1, 0)])
    lists = table(["user", "item", "score", "rank"], [(1, item, 1.0, item + 1) for item in range(3)])
    result = evaluate(test, lists, metrics=["Recall"], top_k=[2], policy={"tie_order": "error"}, health={})
    (finding,) = [problem for problem in result.findings if problem.check == "R04"]
    assert finding.sentence.endswith("; their ranks put them in an order.")


def test_scores_that_single_precision_ties_have_bounds_where_it_is_what_compares(evaluate):
    test = table(["user", "item"], [(1, 0)])
    lists = table(["user", "item", "score"], [(1, 0, 1.0), (1, 1, 1.0 + 1e-12)])
    assert not bounds(evaluate(test, lists, metrics=["Recall"], top_k=[1], health={}))
    found = bounds(evaluate(test, lists, metrics=["Recall(score_type=float32)"], top_k=[1], health={}))
    assert found["Recall(score_type=float32)@1"] == {"least": 0.0, "expected": 0.5, "most": 1.0}


def test_bounds_apply_to_the_mean_even_with_other_aggregates(evaluate):
    test = table(["user", "item"], [(1, 0)])
    lists = table(["user", "item", "score"], [(1, item, 1.0) for item in range(2)])
    result = evaluate(test, lists, metrics=["Recall"], top_k=[1], aggregates=["median", "mean"], health={})
    assert bounds(result)["Recall@1"] == {"least": 0.0, "expected": 0.5, "most": 1.0}


@pytest.mark.slow
def test_long_ties_with_many_hits_are_computed_in_blocks(evaluate):
    n = 400
    test = table(["user", "item"], [(user, item) for user in range(6) for item in range(40)])
    lists = table(["user", "item", "score"], [(user, item, 1.0) for user in range(6) for item in range(n)])
    found = bounds(evaluate(test, lists, metrics=["MAP", "RPrecision"], top_k=["none"], health={}))
    assert found["RPrecision"] == pytest.approx({"least": 0.0, "expected": 40 / n, "most": 1.0}, abs=1e-9)
    assert found["MAP@none"]["most"] == pytest.approx(1.0)


@pytest.mark.parametrize(("measure", "is_constant"), [("Recall@2", False), ("Recall(score_type=float32)@2", True)])
def test_scores_that_are_equal_in_single_precision_are_one_score_if_it_is_used(measure, is_constant):
    lists = {"user": [1, 1, 2, 2], "item": [10, 11, 12, 13], "score": [1 + 1e-9, 1.0, 1 + 1e-9, 1.0]}
    found = library.check(test={1: [10, 11], 2: [12]}, recommendations=lists, metrics=measure).findings
    assert ("R09" in {finding.check for finding in found}) == is_constant
