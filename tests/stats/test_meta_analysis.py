"""Effects of data sets are combined as by statsmodels, and the interval holds where one data set has most of the weight."""

from __future__ import annotations

import math

import numpy as np
import pytest
from receval.stats.meta_analysis import between_variance, mean_effect

EFFECTS, VARIANCES = (0.10, 0.30, 0.35, 0.65, 0.45, 0.15), (0.03, 0.03, 0.05, 0.01, 0.05, 0.02)


def test_the_mean_its_interval_and_the_variance_between_data_sets_are_those_of_statsmodels():
    # combine_effects(y, v, method_re="iterated", use_t=True) of statsmodels 0.15.0, which stops at a relative 1e-5 of tau2
    found = mean_effect(EFFECTS, VARIANCES)
    assert found.tau**2 == pytest.approx(0.0231612, abs=5e-8)
    assert (found.mean, found.se) == pytest.approx((0.351155, 0.0919472), abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.114797, 0.587512), abs=1e-6)


def test_a_further_data_set_lies_within_a_range_with_two_degrees_of_freedom_less():
    found = mean_effect(EFFECTS, VARIANCES)
    reach = 2.7764451051977987 * math.sqrt(found.tau**2 + found.se**2)  # scipy.stats.t.ppf(.975, 4)
    assert found.further == pytest.approx((found.mean - reach, found.mean + reach), rel=1e-12)


def test_the_variance_between_data_sets_solves_its_equation_or_is_0():
    tau2 = between_variance(EFFECTS, VARIANCES)
    weights = 1 / (np.array(VARIANCES) + tau2)
    rests = np.array(EFFECTS) - np.average(EFFECTS, weights=weights)
    assert weights @ rests**2 == pytest.approx(len(EFFECTS) - 1, rel=1e-12)
    assert between_variance((0.1, 0.11, 0.09), (0.01, 0.01, 0.01)) == 0


def test_two_data_sets_have_a_mean_and_no_interval():
    found = mean_effect((0.1, 0.3), (0.01, 0.01))
    assert (found.mean, found.low, found.high, found.further, found.p) == (pytest.approx(0.2), None, None, None, None)


def test_data_sets_without_standard_errors_count_alike_and_have_the_interval_of_their_mean():
    found = mean_effect((0.1, 0.2, 0.6), None)
    assert (found.mean, found.tau, found.se) == pytest.approx((0.3, 0.26457513, 0.15275252))
    assert found.high == pytest.approx(0.3 + 4.302652729749464 * found.se)  # scipy.stats.t.ppf(.975, 2)


def test_equal_effects_without_errors_have_no_width_and_a_sure_sign():
    assert mean_effect((0.0, 0.0, 0.0), None).p == 1
    assert mean_effect((0.5, 0.5, 0.5), None).p == 0


@pytest.mark.parametrize("m", [3, 5])
def test_the_interval_is_right_where_one_data_set_has_most_of_the_weight(m):
    # That of Hartung, Knapp, Sidik and Jonkman alone is wrong in a third of these draws.
    random, draws = np.random.default_rng(1), 600
    errors = np.sqrt(1 / np.array([100_000, *[500] * (m - 1)]))
    wrong = 0
    for _ in range(draws):
        found = mean_effect((0.1 + random.normal(0, 0.02, m) + random.normal(0, errors)).tolist(), (errors**2).tolist())
        wrong += not found.low <= 0.1 <= found.high
    assert wrong / draws <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / draws)
