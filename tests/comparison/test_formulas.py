"""Arithmetic of measures: a weighted sum of measures has a value for each user, and an interval."""

from __future__ import annotations

import numpy as np
import pytest
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.stats.difference import Settings, Subject
from receval.stats.two_models import compare_paired
from receval.syntax.formula import read

from tests.comparison.conftest import lists_of
from tests.conftest import table
from tests.sizes import draws

FORMULA = "0.25*nDCG@5 - (Recall@5 - 1)/2"


def difference(made, label):
    return next(found for found in compare({"x": made}, ComparisonOptions()).differences if found.subject.measure == label)


def test_a_sum_of_measures_is_compared_by_per_user_values(result):
    made = result(metrics=["nDCG@5", "Recall@5", FORMULA])
    (label,) = (row.label for row in made.rows if row.model == "base" and row.aggregate == "formula")
    found = difference(made, label)
    sides = [
        0.25 * frame["nDCG@5"].to_numpy() - 0.5 * frame["Recall@5"].to_numpy() + 0.5 for frame in map(made.per_user.get, ("base", "model"))
    ]
    expected = compare_paired(Subject(label, "base", "model", None), *sides, Settings())
    assert (found.difference, found.low, found.high) == pytest.approx((expected.difference, expected.low, expected.high))
    values = {row.model: row.value for row in made.rows if row.label == label}
    assert (found.base_value, found.value) == pytest.approx((values["base"], values["model"]))


def test_a_formula_has_an_interval_also_if_its_measures_are_not_shown(result):
    made = result(metrics=[FORMULA])
    assert difference(made, made.rows[0].label).interval is not None


@pytest.mark.parametrize("formula", ["nDCG@5*Recall@5", "nDCG@5/Recall@5", "nDCG@5 + nDCG(missing_lists=drop)@5"])
def test_a_formula_that_is_not_a_sum_over_the_same_users_has_no_interval(formula, result):
    lists = {"base": lists_of(range(1, 61), 2), "model": lists_of(range(1, 55), 3)}
    made = result(None, lists, metrics=[formula, "Recall@5"], policy={"missing_lists": "zero"})
    assert difference(made, made.rows[-1].label if made.rows[-1].aggregate == "formula" else made.rows[0].label).interval is None


@pytest.mark.release
@pytest.mark.slow
def test_a_sum_of_ratios_over_different_users_has_the_value_of_the_formula_as_mean_and_a_correct_interval(evaluate):
    """Compare two equally good models again and again: in about 5 % of all times the difference is outside its 95 % interval."""
    chance, outside = np.random.default_rng(5), 0
    terms = (
        f"{weight}*Recall(average={how},rows.event={event})@9" for weight, how, event in ((0.4, "micro", "view"), (0.6, "mean", "buy"))
    )
    formula = " + ".join(terms)
    for _ in range(draws(20, 80)):
        counts = {"view": chance.geometric(0.3, 80), "buy": chance.poisson(0.5, 80)}
        test = [(user, f"{event}{n}", event) for event, of_users in counts.items() for user in range(80) for n in range(of_users[user])]
        hits = {model: [(user, item) for user, item, _ in test if chance.random() < 0.4] for model in "ab"}
        lists = {model: table(["user", "item"], [*rows, *((user, "none") for user in range(80))]) for model, rows in hits.items()}
        made = evaluate(table(["user", "item", "event"], test), lists, metrics=[formula])
        (found,) = compare({"x": made}, ComparisonOptions()).differences
        for row in made.rows:
            assert made.per_user[row.model][row.label].mean() == pytest.approx(row.value, abs=1e-12)
        outside += not found.low <= 0 <= found.high
    assert outside <= draws(5, 11)  # of 20 or 80, the 99.9 % point of a binomial distribution with 5 %


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("2*(nDCG@5 - 0.5)", [2.0, -1.0]),
        ("-nDCG@5/4 + 3", [-0.25, 3.0]),
        ("nDCG@5 + nDCG@5", [2.0]),
        ("1/nDCG@5", None),
        ("nDCG@5*nDCG@5", None),
        ("nDCG@5/(1 - 1)", None),
    ],
)
def test_the_weights_of_a_sum(text, weights):
    found = read(text).weights
    assert (None if found is None else list(found.values())) == weights


def test_weights_give_the_value_of_the_formula():
    formula = read(FORMULA)
    values = dict(zip(formula.measures, (0.3, 0.8), strict=True))
    assert np.isclose(sum(weight * values.get(spec, 1.0) for spec, weight in formula.weights.items()), formula.value(values))
