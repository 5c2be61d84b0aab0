"""The confidence of a mean: five functions that agree, grow with the number, and mirror when models are swapped."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.stats.confidence import StudentT
from scipy import stats

skewnesses = st.just(0.0) | st.floats(-1, 1) | st.floats(-1e-6, 1e-6)
degrees = st.integers(1, 10**6)
shares = st.floats(0.001, 0.999)


@given(st.floats(-1, 1), st.floats(1e-6, 10), degrees, skewnesses, st.booleans(), shares)
def test_a_bound_is_the_number_at_which_the_test_changes(estimate, se, df, skewness, cautious, share):
    confidence = StudentT(estimate, se, df, skewness, cautious)
    bound = confidence.at(share)
    assert confidence.below(bound) == pytest.approx(share, abs=1e-6) or share >= 0.5
    assert confidence.above(bound) == pytest.approx(1 - share, abs=1e-6) or share < 0.5
    if not confidence.is_cautious:
        assert confidence.below(bound) + confidence.above(bound) == pytest.approx(1, abs=1e-9)


@given(st.floats(-1, 1), st.floats(1e-6, 10), degrees, skewnesses, st.booleans(), st.lists(st.floats(-9, 9), min_size=2, max_size=9))
def test_a_larger_number_is_never_less_likely_to_be_above(estimate, se, df, skewness, cautious, numbers):
    confidence = StudentT(estimate, se, df, skewness, cautious)
    below = [confidence.below(number) for number in sorted(numbers)]
    above = [confidence.above(number) for number in sorted(numbers)]
    assert (np.diff(below) >= -1e-12).all()  # except for rounding
    assert (np.diff(above) <= 1e-12).all()


@given(st.floats(-1, 1), st.floats(1e-6, 10), degrees, skewnesses, st.booleans(), shares, st.floats(-9, 9))
def test_swapped_models_have_the_exact_mirror_image(estimate, se, df, skewness, cautious, share, number):
    one, other = StudentT(estimate, se, df, skewness, cautious), StudentT(-estimate, se, df, -skewness, cautious)
    assert one.below(number) == other.above(-number)
    assert one.statistic == -other.statistic or estimate == 0
    if share != 0.5:
        assert one.at(share) == -other.at(1 - share) or (1 - share) + share != 1


@given(st.floats(-1, 1), st.floats(1e-6, 10), degrees, shares)
def test_without_skewness_the_distribution_is_students_t(estimate, se, df, share):
    confidence = StudentT(estimate, se, df)
    assert confidence.at(share) == pytest.approx(stats.t.ppf(share, df, estimate, se), rel=1e-9, abs=1e-9)
    assert confidence.above(0.0) == pytest.approx(stats.t.cdf(estimate / se, df), rel=1e-8)  # scipy has 0.5 for t = 4e-9


def test_the_correction_for_skewness_is_that_of_hall():
    # h(2) = 2 + 0.03/6 + 0.03·4/3 + 0.0009·8/27
    assert StudentT(2.0, 1.0, 9, 0.03).statistic == pytest.approx(2 + 0.005 + 0.04 + 0.0072 / 27)


def test_a_mean_with_few_users_for_its_skewness_is_cautious():
    # 355 · 0.06² is above 1, so that the lower of t = 2 and h(2) = 2.09 counts, and for the other side the higher one.
    assert (StudentT(2.0, 1.0, 9, 0.06).statistic, StudentT(-2.0, 1.0, 9, -0.06).statistic) == (2.0, -2.0)
    assert StudentT(2.0, 1.0, 9, -0.06).statistic == pytest.approx(2 - 0.01 - 0.08 + 0.0036 * 8 / 27)


@given(st.floats(-1, 1), st.floats(1e-6, 10), degrees, skewnesses, st.floats(0.001, 0.499))
def test_a_cautious_interval_contains_those_of_t_and_of_the_corrected_t(estimate, se, df, skewness, share):
    cautious, *both = (StudentT(estimate, se, df, *more) for more in ((skewness, True), (skewness,), ()))
    assert cautious.at(share) == pytest.approx(min(interval.at(share) for interval in both), rel=1e-12)
    assert cautious.at(1 - share) == pytest.approx(max(interval.at(1 - share) for interval in both), rel=1e-12)
    assert cautious.below(0.0) == pytest.approx(max(interval.below(0.0) for interval in both), rel=1e-12)


def test_an_estimate_without_spread_is_the_true_value():
    confidence = StudentT(0.25, 0.0, 9)
    assert (confidence.below(0.25), confidence.below(0.3), confidence.above(0.3), confidence.at(0.975)) == (0.5, 1.0, 0.0, 0.25)
    assert confidence.statistic is None


def test_a_distance_whose_powers_overflow_has_a_p_value():
    assert StudentT(1.0, 1e-300, 9, -0.5).above(0.0) == 1.0
    assert math.isfinite(StudentT(1e300, 1e-8, 9, -0.5).at(0.975))


DRAWS = 20_000
_BELL = np.exp(-(np.linspace(-2, 2, 12) ** 2) / 2)
SKEWED = {
    "2 % +1, 20 % -0.1": (1_000, (0.0, 1.0, -0.1), (0.78, 0.02, 0.2)),
    "0.5 % +1, 3 % -1/6": (5_000, (0.0, 1.0, -1 / 6), (0.965, 0.005, 0.03)),
    "hits come and go": (1_000, (0.0, 1.0, -1.0), (0.9, 0.05, 0.05)),
    "5 % lose a hit": (1_000, (0.0, -1.0), (0.95, 0.05)),
    "20 users change": (400, (0.0, 1.0, -1.0), (0.95, 0.025, 0.025)),
    "heavy tails": (50, (0.0, *np.linspace(-2, 2, 12)), (0.7, *(0.3 * _BELL / _BELL.sum()))),
}


@pytest.mark.parametrize("name", SKEWED)
def test_each_side_of_the_interval_misses_as_often_as_promised(name):
    # Users have one of a few differences: the number of users with each is multinomial, and all sums follow from it.
    n, values, chances = SKEWED[name]
    differences, truth = np.array(values), float(np.dot(values, chances))
    counts, times = np.unique(np.random.default_rng(0).multinomial(n, chances, DRAWS), axis=0, return_counts=True)
    missed = np.zeros(2)
    for of_values, draws in zip(counts, times, strict=True):
        mean = of_values @ differences / n
        centred = differences - mean
        squares, cubes = of_values @ centred**2, of_values @ centred**3
        sparse = n - of_values[0] < 100
        confidence = StudentT(mean, math.sqrt(squares / (n - 1) / n), n - 1, cubes / squares**1.5, sparse)
        missed += draws * np.array([confidence.below(truth) < 0.025, confidence.above(truth) < 0.025])
    assert (missed / DRAWS <= 0.030).all()  # 0.025 and four standard errors; t has up to 0.047; without caution heavy tails have 0.042
