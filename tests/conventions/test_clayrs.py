"""ClayRS and its documents: the users averaged over and the relevant items; worked by hand."""

from __future__ import annotations

import pytest
from receval import load_config, run

from tests.conventions.test_seed_differences import listed, rated


def test_precision_and_fmeasure_are_sums_over_all_users_under_clayrs_docs(evaluate):
    """Of the rated items listed u1 likes 1 of 2, u2 0 of 1: (1/2 + 0)/2, and 1 of 3 pooled; the program leaves u2 out."""
    test, lists = rated((1, 1, 5), (1, 2, 1), (2, 3, 1), (2, 4, 2)), listed((1, 1), (1, 2), (2, 3), (2, 9))
    measures = ["Precision", "Precision(sys_average=micro)", "PrecisionAtK@2", "FMeasure", "FMeasure(sys_average=micro)"]
    threshold = {"threshold": 3}
    docs = evaluate(test, lists, convention="clayrs-docs", relevance=threshold, metrics=measures)
    # F1 is 2/3 and 0; pooled it is the F1 of 1/3 and 1/1
    expected = [0.25, 1 / 3, 0.25, 1 / 3, 0.5]
    assert [(row.value, row.n_users) for row in docs.rows] == [(pytest.approx(value), 2) for value in expected]
    program = evaluate(test, lists, convention="clayrs", relevance=threshold, metrics=measures)
    assert [(row.value, row.n_users) for row in program.rows] == [(pytest.approx(v), 1) for v in (0.5, 0.5, 0.5, 2 / 3, 2 / 3)]


def test_the_mean_of_all_ratings_is_computed_per_fold(write):
    """Use folds whose mean ratings are 3 and 2."""
    write("test_a.csv", "user,item,rating\n1,1,5\n1,2,1\n")
    write("test_b.csv", "user,item,rating\n1,1,3\n1,2,1\n")
    write("lists.csv", "user,item\n1,1\n")
    path = write(
        "config.yaml",
        "data: {test: 'test_{fold}.csv', recommendations: {m: lists.csv}, folds: [a, b]}\n"
        "evaluation: {metrics: ['Recall(threshold=all_mean)@1']}\n",
    )
    result = run(load_config(path))
    rules = ["a rating of at least 3 (the mean of all ratings)", "a rating of at least 2 (the mean of all ratings)"]
    assert f"Convention receval: {rules[0]} or, in another fold, {rules[1]} is relevant." in result.notes()
    assert [row.protocol.relevance for row in result.repeated] == rules
