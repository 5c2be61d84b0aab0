"""Bounds over the orders of tied scores are those of every order, tried one by one."""

from __future__ import annotations

from itertools import groupby, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.evaluator.metrics import METRICS

from tests.conftest import per_user, table, values

MEASURES = [
    "Precision", "Precision(denominator=list_length)", "Precision(denominator=min_r_k)", "Recall", "Recall(denominator=min_r_k)", "HitRate",
    "Hits", "F1", "F1(beta=0.5)", "RPrecision", "RPrecision(multiple=0.5)", "Utility(worth=2)", "MAP", "MAP(denominator=r)",
    "MAP(denominator=list_length)", "MAP(denominator=k,ranks=all)", "MAR", "MRR", "DCG", "nDCG", "nDCG(gain=linear)",
    "nDCG(discount=log_max_r_2)", "nDCG(ideal=k_items)", "nDCGRendle2020", "BinG", "RBP", "RBP(gain=grade)", "RBP(norm=ideal)",
]  # fmt: skip
CUTOFFS = [1, 3, None]


def orders(scored):
    """Every order of a list of (item, score) that its scores allow."""
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


@settings(max_examples=25)
@given(users=users, graded=st.booleans())
def test_bounds_are_those_of_all_orders(evaluate, users, graded):
    evaluation = {"metrics": MEASURES, "top_k": CUTOFFS, "relevance": {"graded": graded}}
    test = [(number, item, rating) for number, (_, truth) in enumerate(users) for item, rating in truth.items()]
    lists = [(number, item, score) for number, (scores, _) in enumerate(users) for item, score in enumerate(scores)]
    result = evaluate(
        table(["user", "item", "rating"], test), table(["user", "item", "score"], lists), health={"R04": {"width": 0}}, **evaluation
    )
    found = next((one.details.get("bounds", {}) for one in result.findings if one.check == "R04"), {})

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


def test_every_metric_that_says_it_has_bounds_is_tried():
    tried = {label.partition("(")[0] for label in MEASURES}
    assert {name for name, metric in METRICS.items() if metric.ties({"denominator": "k", "at_least": 1, "ideal": "relevant"})} == tried


def test_a_run_of_a_hundred_equal_scores_has_the_mean_of_chance(evaluate):
    test = table(["user", "item"], [(1, item) for item in range(7)])
    lists = table(["user", "item", "score"], [(1, item, 0.5) for item in range(100)])
    (finding,) = [
        one for one in evaluate(test, lists, metrics=["Precision", "HitRate"], top_k=[10], health={}).findings if one.check == "R04"
    ]
    chance = 1.0
    for drawn in range(10):
        chance *= (93 - drawn) / (100 - drawn)
    assert finding.details["bounds"]["Precision@10"] == pytest.approx({"least": 0.0, "expected": 0.07, "most": 0.7}, abs=1e-12)
    assert finding.details["bounds"]["HitRate@10"] == pytest.approx({"least": 0.0, "expected": 1 - chance, "most": 1.0}, abs=1e-12)


def test_ties_below_the_largest_cutoff_are_no_finding(evaluate):
    test = table(["user", "item"], [(1, 0), (2, 3)])
    lists = table(["user", "item", "score"], [(user, item, [5, 4, 1, 1][item]) for user in (1, 2) for item in range(4)])
    assert "R04" not in {one.check for one in evaluate(test, lists, metrics=["nDCG"], top_k=[2], health={}).findings}
    assert "R04" in {one.check for one in evaluate(test, lists, metrics=["nDCG"], top_k=[3], health={}).findings}


def test_bounds_narrower_than_the_limit_are_not_shown(evaluate):
    test = table(["user", "item"], [(1, 0), (2, 3)])
    lists = table(["user", "item", "score"], [(user, item, 1.0) for user in (1, 2) for item in range(4)])
    (finding,) = [one for one in evaluate(test, lists, metrics=["nDCG"], health={"R04": {"width": 0.99}}).findings if one.check == "R04"]
    assert "bounds" not in finding.details
