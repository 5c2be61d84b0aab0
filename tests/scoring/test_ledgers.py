"""The ledger of every value: each user of the files is counted, or left out for a reason."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval import conventions
from receval.config.odd_data import Policy
from receval.conventions import AXES

from tests.conftest import per_user, table
from tests.sizes import draws, half

MEASURES = [
    "Precision", "Recall", "nDCG", "MAP", "F1", "MRR(no_hits=drop)", "NumRetrieved", "Precision(population=lists)",
    "Recall(population=tested)", "Precision(population=tested_lists)", "Novelty(population=train)", "Intersection(population=baseline)",
    "EPC", "ItemCoverage",
]  # fmt: skip
POLICIES = [(name, value) for name in Policy.model_fields if name in AXES for value in AXES[name].values]
ITEMS = st.integers(0, 6)

tests = st.lists(st.tuples(st.integers(0, 5), ITEMS, st.integers(0, 5)), max_size=14)
lists = st.lists(st.tuples(st.integers(1, 7), ITEMS, st.integers(0, 4)), max_size=20)
trains = st.lists(st.tuples(st.integers(3, 9), ITEMS), max_size=10)


def ledgers(result):
    """Return label → the row of the mean (or of the whole model) of the only model."""
    return {row.label: row for row in result.rows if row.ledger is not None}


def evaluated(evaluate, test, lists, train, **evaluation):
    """Evaluate data in which user 0 has the relevant item 7 and user 1 has a list with a test item, without which all is refused."""
    return evaluate(
        table(["user", "item", "rating"], [(0, 7, 5), (1, 0, 1), *test]),
        table(["user", "item", "score"], [(1, 0, 2), *lists]),
        train=table(["user", "item"], [(8, 7), (9, 1), (0, 1), *train]),
        items=table(["item"], [(item,) for item in (0, 1, 2, 3, 4, 5, 7)]),
        baseline=table(["user", "item"], [(1, 0), (9, 2)]),
        health="off",
        relevance={"threshold": 3},
        top_k=[2],
        **evaluation,
    )


@pytest.mark.parametrize(("policy", "value"), half(POLICIES))
@settings(max_examples=draws(2, 5))
@given(test=tests, lists=lists, train=trains, convention=st.sampled_from(conventions.builtin_names()))
def test_every_user_is_counted_or_left_out(evaluate, policy, value, test, lists, train, convention):
    result = evaluated(evaluate, test, lists, train, metrics=MEASURES, convention=convention, policy={policy: value})
    users = per_user(result)
    tested, listed = {0, 1, *(user for user, *_ in test)}, {1, *(user for user, *_ in lists)}
    trained = {0, 8, 9, *(user for user, _ in train)}
    for label, row in ledgers(result).items():
        ledger = row.ledger
        assert ledger.in_truth + ledger.in_lists - ledger.in_both + ledger.others == ledger.counted + ledger.left_out, (label, ledger)
        assert min(getattr(ledger, name) or 0 for name in ledger.__struct_fields__ if not name.endswith("value")) >= 0, (label, ledger)
        assert ledger.filled <= ledger.counted, (label, ledger)
        assert row.n_users in (ledger.counted, len(trained)), (label, ledger)  # a convention may divide by the users of train
        assert ledger.in_truth == len(tested), label
        assert ledger.in_lists <= len(listed), label  # dropping rows may leave a list empty
        assert ledger.in_both <= len(tested & listed), label
        if row.aggregate != "system":
            column = label.partition(" (")[0]
            assert ledger.counted == sum(of_one[column] is not None for of_one in users.values()), label


@settings(max_examples=draws(14, 40))
@given(
    test=tests,
    lists=lists,
    train=trains,
    missing=st.sampled_from(AXES["missing_lists"].values),
    no_relevant=st.sampled_from(AXES["no_relevant"].values),
    no_truth=st.sampled_from(AXES["no_truth"].values),
)
def test_every_user_has_the_right_reason(evaluate, test, lists, train, missing, no_relevant, no_truth):
    policy = {"missing_lists": missing, "no_relevant": no_relevant, "no_truth": no_truth}
    result = evaluated(evaluate, test, lists, train, metrics=["Precision", "nDCG", "Precision(population=lists)"], policy=policy)
    tested, listed = {0, 1, *(user for user, *_ in test)}, {1, *(user for user, *_ in lists)}
    relevant = {0, *(user for user, _, rating in test if rating >= 3)}

    def reason(user):
        if user not in tested:
            return "left_out_without_truth" if no_truth == "drop" else "filled_without_truth"
        if user not in relevant and no_relevant == "drop":
            return "left_out_without_relevant"
        if user in listed:
            return "" if user in relevant else "filled_without_relevant"
        if missing != "drop":
            return "filled_without_list"
        return "left_out_without_list" if user in relevant else "left_out_without_relevant"

    expected = Counter(map(reason, tested | listed))
    for label in ("Precision@2", "nDCG@2"):
        ledger = ledgers(result)[label].ledger
        found = {name: getattr(ledger, name) for name in ledger.__struct_fields__ if name.startswith(("filled", "left_out"))}
        assert {name: n for name, n in found.items() if n} == {name: n for name, n in expected.items() if name}, label
        assert ledger.counted == sum(n for name, n in expected.items() if not name.startswith("left_out"))
        assert (ledger.in_truth, ledger.in_lists, ledger.in_both) == (len(tested), len(listed), len(tested & listed))
    ledger = ledgers(result)["Precision(population=lists)@2"].ledger
    assert (ledger.counted, ledger.filled, ledger.left_out_without_list) == (len(listed), 0, len(tested - listed))


@settings(max_examples=draws(14, 40))
@given(
    test=tests, lists=lists, train=trains, missing=st.sampled_from(("zero", "undefined")), seen=st.sampled_from(AXES["seen_items"].values)
)
def test_values_equal_the_means_over_the_counted_users(evaluate, test, lists, train, missing, seen):
    policy = {"missing_lists": missing, "no_relevant": "zero", "seen_items": seen}
    measures = ["Precision", "nDCG", "MRR(no_hits=drop)", "Recall(population=tested)", "NumRetrieved", "Novelty"]
    result = evaluated(evaluate, test, lists, train, metrics=measures, policy=policy)
    trained = {0, 8, 9, *(user for user, _ in train)}
    users = per_user(result)
    for label, row in ledgers(result).items():
        for part, fits in (("covered", lambda user: users[user]["n_recommended"] > 0), ("warm", trained.__contains__)):
            of_some = [of_one[label] for user, of_one in users.items() if of_one[label] is not None and fits(user)]
            assert getattr(row.ledger, part) == len(of_some), (label, part)
            value = getattr(row.ledger, f"{part}_value")
            if len(of_some) in (0, row.ledger.counted):
                assert value is None, (label, part)
            else:
                mean = fmean(of_some)
                assert (value is None) if mean != mean else (value == pytest.approx(mean, abs=1e-12)), (label, part)
