"""Numbers have exactly the decimals that they need."""

from __future__ import annotations

import pytest
from receval.documents.numbers import decimals, number
from receval.documents.values import Formats
from receval.render.layout import aligned
from receval.results.result import Row


def printed(*values, whole=False):
    places = decimals(values, whole)
    return [number(value, places) for value in values]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.1737, 0.0966), ["0.1737", "0.0966"]),
        ((0.00158, 0.0001418, 0.000313), ["0.0016", "0.0001", "0.0003"]),
        ((0.000142, 0.000138), ["0.000142", "0.000138"]),
        ((0.1632, 0.00003), ["0.16320", "0.00003"]),
        ((0.2, 1e-12), ["0.2000", "1e-12"]),
        ((170.2312, 3.2), ["170.23", "3.20"]),
        ((1234567.8, 12.0), ["1,234,568", "12"]),
        ((0.0, 0.0), ["0.0000", "0.0000"]),
        ((-1e-9, 0.5), ["-1e-09", "0.5000"]),
        ((None, 0.5), ["", "0.5000"]),
        ((2e20,), ["2.000e+20"]),
    ],
)
def test_values_of_one_measure_have_the_same_decimals_and_only_zero_looks_like_zero(values, expected):
    assert printed(*values) == expected


def test_counts_have_thousands_separators_and_means_of_counts_have_decimals():
    assert printed(1234567.0, 12.0, whole=True) == ["1,234,567", "12"]
    assert printed(1.36, 2.0, whole=True) == ["1.3600", "2.0000"]


def test_numbers_are_aligned_at_the_decimal_point():
    assert aligned(["1,234", "0.2357", "-0.20", "", "1e-12"]) == ("1,234     ", "0.2357", "-0.20  ", "", "1e-12 ")


def row(metric, value, aggregate="mean", k=10):
    return Row("m", metric, k, aggregate, value, 100)


def test_the_registry_declares_counts_and_a_share_is_not_a_count():
    formats = Formats.from_rows([row("Hits", 3.0), row("ItemCoverage", 1.0), row("NumUsers", 1.0, "sum", None), row("Precision", 1.0)])
    assert formats.text("Hits@10", 3.0) == "3"
    assert formats.text("ItemCoverage@10", 1.0) == "1.0000"
    assert formats.text("NumUsers (sum)", 1.0) == "1"
    assert formats.text("Precision@10", 1.0) == "1.0000"
    assert Formats.from_rows([row("ItemCoverage", 1642.0)]).text("ItemCoverage@10", 1642.0) == "1,642"


def test_digits_can_be_chosen_except_for_counts():
    formats = Formats.from_rows([row("nDCG", 0.23456), row("MRR", 0.0003), row("Hits", 1642.0)], 2)
    assert [formats.text(label, value) for label, value in (("nDCG@10", 0.23456), ("MRR@10", 0.0003), ("Hits@10", 1642.0))] == [
        "0.23", "0.00", "1,642",
    ]  # fmt: skip


def test_an_interval_has_the_decimals_of_its_mean():
    formats = Formats.from_rows([row("nDCG", 0.2), row("nDCG", 0.00003, "ci95")])
    assert formats.text("nDCG@10", 0.2) == "0.20000"
    assert formats.text("nDCG@10 (ci95)", 0.00003) == "0.00003"
