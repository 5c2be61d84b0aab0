"""Aggregates of per-user values: equal to `statistics`, and the same bytes for any split of users."""

from __future__ import annotations

import math
import pickle
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.scoring.aggregate import bootstrap, compute_aggregate, micro, needs_values
from receval.scoring.partial import MomentTable
from receval.syntax.short_names import interval_level

SUMS = ("mean", "sum", "std", "ci95", "geometric")
unit_values = st.lists(st.floats(0, 1), min_size=2, max_size=30)


def number(aggregate: str, values, **options) -> float | None:
    """Return an aggregate of one measure over these users."""
    array = np.array(values, dtype=np.float64)
    moments = MomentTable.from_values(array[np.newaxis], aggregates=[aggregate]).measure(0)
    (result,) = compute_aggregate(aggregate, moments, values=array if needs_values(aggregate) else None, **options).values()
    return result


@given(unit_values)
def test_sums_agree_with_the_standard_library(values):
    assert number("mean", values) == statistics.mean(values)
    assert number("sum", values) == math.fsum(values)
    # statistics.stdev is exact for floats as well, up to the rounding of the variance
    assert number("std", values, ddof=1) == pytest.approx(statistics.stdev(values), rel=1e-15)
    assert number("std", values) == pytest.approx(statistics.pstdev(values), rel=1e-15)
    assert number("ci95", values) == pytest.approx(1.959963984540054 * statistics.stdev(values) / len(values) ** 0.5, rel=1e-14)
    assert number("geometric", values) == pytest.approx(statistics.geometric_mean([max(value, 1e-5) for value in values]), rel=1e-12)


@given(unit_values, st.randoms(use_true_random=False))
def test_numbers_do_not_depend_on_how_users_are_split_and_ordered(values, random):
    def numbers(table: MomentTable) -> list[float | None]:
        return [compute_aggregate(aggregate, table.measure(0))[aggregate] for aggregate in SUMS]

    shuffled = random.sample(values, len(values))
    cut = random.randint(0, len(values))
    whole = MomentTable.from_values(np.array([values]), aggregates=SUMS)
    parts = [MomentTable.from_values(np.array([part], dtype=np.float64), aggregates=SUMS) for part in (shuffled[:cut], shuffled[cut:])]
    parts = pickle.loads(pickle.dumps(parts))
    assert numbers(parts[1] + parts[0]) == numbers(whole) == numbers(parts[0] + parts[1])


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-9, 1e9])
def test_equal_values_have_no_deviation(value):
    assert number("std", [value] * 7, ddof=1) == 0.0
    assert number("ci95", [value] * 7) == 0.0


@pytest.mark.parametrize(
    ("aggregate", "quantile"), [("ci99", 0.995), ("ci(0.99)", 0.995), ("ci(0.9)", 0.95), ("ci(.5)", 0.75), ("ci99.9", 0.9995)]
)
def test_an_interval_of_any_level_is_its_quantile_times_the_standard_error(aggregate, quantile):
    values = [1.0, 0.5, 0.5, 0.0]
    standard_error = statistics.stdev(values) / 2
    assert number(aggregate, values) == pytest.approx(statistics.NormalDist().inv_cdf(quantile) * standard_error, rel=1e-15)
    assert number(aggregate, [0.5]) is None


@pytest.mark.parametrize(("one", "other"), [("ci95", "ci(0.95)"), ("ci90", "ci(0.9)"), ("ci99.5", "ci(.995)")])
def test_a_level_in_percent_and_as_a_share_is_the_same(one, other):
    assert interval_level(one) == interval_level(other)
    assert number(one, [0.1, 0.7, 0.4]) == number(other, [0.1, 0.7, 0.4])


@pytest.mark.parametrize("aggregate", ["ci", "ci0", "ci100", "ci(0)", "ci(1)", "ci(0.0)", "ci(95)", "ci-95", "ci95 "])
def test_a_level_that_is_not_between_0_and_1_is_refused(aggregate):
    assert interval_level(aggregate) is None


def test_a_small_deviation_about_a_large_mean_loses_no_digits():
    values = [1e8 + i / 1024 for i in range(5)]
    assert number("std", values) == pytest.approx(math.sqrt(2) / 1024, rel=1e-15)


@pytest.mark.parametrize(("aggregate", "expected"), [("median", 0.375), ("p0", 0.0), ("p25", 0.1875), ("p100", 1.0), ("p62.5", 0.46875)])
def test_percentiles_are_interpolated(aggregate, expected):
    assert number(aggregate, [1.0, 0.0, 0.5, 0.25]) == expected


def test_the_bootstrap_gives_two_ends():
    values = np.array([0.0, 0.25, 0.5, 1.0])
    low, high = bootstrap(values)
    moments = MomentTable.from_values(values[np.newaxis]).measure(0)
    assert compute_aggregate("bootstrap95", moments, values=values) == {"bootstrap95 low": low, "bootstrap95 high": high}


def test_a_mean_can_be_over_more_users_than_have_a_value():
    assert number("mean", [0.5, 1.0], divisor=6) == 0.25
    assert number("sum", [0.5, 1.0], divisor=6) == 1.5


def test_the_geometric_mean_counts_zero_as_a_hundred_thousandth():
    assert number("geometric", [0.0, 0.1]) == pytest.approx(1e-3)


@pytest.mark.parametrize("aggregate", [*SUMS, "median", "p90"])
def test_no_users_and_an_undefined_value_have_no_number(aggregate):
    assert number(aggregate, []) is None
    assert number(aggregate, [0.5, math.nan]) is None


def test_the_bootstrap_of_an_undefined_value_has_no_ends():
    moments = MomentTable.from_values(np.array([[0.5, math.nan]])).measure(0)
    assert compute_aggregate("bootstrap95", moments) == {"bootstrap95 low": None, "bootstrap95 high": None}


def test_one_user_has_a_deviation_of_the_population_only():
    assert number("std", [0.5]) == 0.0
    assert number("std", [0.5], ddof=1) is None
    assert number("ci95", [0.5]) is None


def test_infinite_values_make_the_mean_infinite_and_the_deviation_undefined():
    assert number("mean", [1.0, math.inf]) == math.inf
    assert number("sum", [1.0, -math.inf]) == -math.inf
    assert number("mean", [math.inf, -math.inf]) is None
    assert number("std", [1.0, math.inf]) is None
    assert number("geometric", [1.0, math.inf]) == math.inf
    assert number("geometric", [1.0, -math.inf]) == pytest.approx(1e-5**0.5)


def test_only_users_who_count_are_averaged():
    values = np.array([[1.0, math.nan, 0.5], [math.nan, 0.25, 1.0]])
    table = MomentTable.from_values(values, [True, False, True], aggregates=SUMS)
    assert compute_aggregate("mean", table.measure(0)) == {"mean": 0.75}
    assert compute_aggregate("mean", table.measure(1)) == {"mean": None}
    assert (table.measure(1).n, table.measure(1).n_undefined) == (2, 1)


def test_micro_is_the_ratio_of_sums():
    assert micro([3.0], [4.0], 2, lambda ratios: ratios[0]) == {"micro": 0.75}
    assert micro([3.0, 1.0], [4.0, 0.0], 2, sum) == {"micro": 0.75}
    assert micro([0.0], [0.0], 0, lambda ratios: ratios[0]) == {"micro": None}
    assert micro([math.nan], [1.0], 1, lambda ratios: ratios[0]) == {"micro": None}


@pytest.mark.parametrize("aggregate", ["micro", "precision", "p", "maximum"])
def test_an_unknown_aggregate_is_refused(aggregate):
    moments = MomentTable.from_values(np.array([[0.5]])).measure(0)
    with pytest.raises(ValueError, match="not an aggregate"):
        compute_aggregate(aggregate, moments)


@pytest.mark.parametrize("aggregate", ["std", "ci95", "geometric", "median"])
def test_missing_sums_or_values_are_errors_with_their_name(aggregate):
    moments = MomentTable.from_values(np.array([[0.5, 1.0]]), aggregates=["mean"]).measure(0)
    with pytest.raises(ValueError, match=r"needs (the sum|per-user values)"):
        compute_aggregate(aggregate, moments)


def test_moments_for_other_aggregates_do_not_merge():
    values = np.array([[0.5]])
    with pytest.raises(ValueError, match="different aggregates"):
        MomentTable.from_values(values) + MomentTable.from_values(values, aggregates=["std"])


def test_only_percentiles_and_the_bootstrap_need_per_user_values():
    assert [name for name in (*SUMS, "micro", "median", "p5", "p99.9", "bootstrap95") if needs_values(name)] == [
        "median",
        "p5",
        "p99.9",
        "bootstrap95",
    ]
