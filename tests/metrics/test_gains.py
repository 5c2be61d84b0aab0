"""Gains of grades: `nDCG(gains='1=3,2=9')@10`, in the spellings of trec_eval and ir_measures."""

from __future__ import annotations

from math import log2

import polars as pl
import pytest
import receval
from receval.support.errors import ConfigError, DataError

TEST = pl.DataFrame({"user": [1, 1, 1, 2], "item": ["a", "b", "c", "c"], "rating": [1, 2, 0, 0]})
LISTS = pl.DataFrame({"user": [1, 1, 1, 2], "item": ["a", "b", "c", "c"], "score": [3.0, 2.0, 1.0, 1.0]})


def value(measure, test=TEST, **more):
    (row,) = receval.evaluate(test=test, recommendations=LISTS, metrics=[measure], health="off", **more).rows
    return row.value


@pytest.mark.parametrize(
    ("gains", "dcg", "best"),
    [
        ("1=3,2=9", 3 + 9 / log2(3), 9 + 3 / log2(3)),
        ("1=9,2=3", 9 + 3 / log2(3), 9 + 3 / log2(3)),  # the best order is that of the gains, not of the grades
        ("2=9", 1 + 9 / log2(3), 9 + 1 / log2(3)),  # a grade without a gain is its own
        ("1=0,2=5", 5 / log2(3), 5.0),  # an item of gain 0 is not relevant
        ("1=0.5,2=1", 0.5 + 1 / log2(3), 1 + 0.5 / log2(3)),
    ],
)
def test_a_gain_replaces_the_grade_in_the_list_and_in_the_best_list(gains, dcg, best):
    assert value(f"nDCG(gains='{gains}',gain=linear)@3") == pytest.approx(dcg / best, rel=1e-14)
    assert value(f"DCG(gains='{gains}',gain=linear)@3") == pytest.approx(dcg, rel=1e-14)


def test_a_grade_of_zero_with_a_gain_is_relevant_unless_a_threshold_decides():
    users = [value(f"nDCG(gains='0=1',gain=linear{rule})@3", aggregates="sum") for rule in ("", ",threshold=1")]
    first = 1 + 2 / log2(3)
    with_zero = (first + 1 / log2(4)) / (2 + 1 / log2(3) + 1 / log2(4))
    assert users == pytest.approx([with_zero + 1, first / (2 + 1 / log2(3))], rel=1e-14)


@pytest.mark.parametrize(
    ("convention", "spelled"),
    [("trec_eval", "ndcg.1=3,2=9"), ("trec_eval10", "ndcg_1=3,2=9"), ("ir_measures", "nDCG(gains={1:3,2:9})")],
)
def test_the_spelling_of_a_library_is_the_same_measure(convention, spelled):
    (row,) = receval.evaluate(test=TEST, recommendations=LISTS, metrics=[spelled], convention=convention, health="off").rows
    assert row.label == "nDCG(gains='1=3,2=9')@none"
    own = (3 + 9 / log2(3)) / (9 + 3 / log2(3))
    assert row.value == pytest.approx(own / 2, rel=1e-14)  # the second query has no relevant document and counts 0


def test_gains_in_any_order_and_form_are_printed_alike():
    (row,) = receval.evaluate(test=TEST, recommendations=LISTS, metrics=["nDCG(gains='2:9.0, 1:3')@3"], health="off").rows
    assert row.label == "nDCG(gains='1=3,2=9')@3"


@pytest.mark.parametrize("gains", ["x", "1", "1=", "1=-2", "-1=2", "1=nan", "1=inf", "1=2,1=3", "1=2;2=3"])
def test_gains_that_are_not_grades_with_gains_are_refused_with_the_right_form(gains):
    with pytest.raises(ConfigError, match="such as '1=3,2=9', not"):
        value(f"nDCG(gains='{gains}')@3")


def test_a_metric_that_reads_no_grades_takes_no_gains():
    with pytest.raises(ConfigError, match="Recall has no parameter 'gains'"):
        value("Recall(gains='1=3')@3")


def test_gains_need_ratings_in_the_test_file():
    with pytest.raises(DataError, match=r"no rating column, which nDCG\(gains='1=3'\)@3 needs"):
        value("nDCG(gains='1=3')@3", test=TEST.drop("rating"))


def test_two_measures_with_different_gains_are_computed_side_by_side():
    found = receval.evaluate(
        test=TEST, recommendations=LISTS, metrics=[f"DCG(gains='1={gain}',gain=linear)@1" for gain in (2, 5)] + ["DCG@1"], health="off"
    )
    assert [row.value for row in found.rows] == [2.0, 5.0, 1.0]
