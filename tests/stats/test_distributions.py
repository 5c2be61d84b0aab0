"""Distributions beside those of scipy, over degrees of freedom and shapes from few to many and far into the tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from receval.stats import distributions
from receval.stats.distributions import above_gamma, below_noncentral_t, below_t, gamma_at, t_at
from scipy import special, stats

SHARES = (1e-12, 1e-6, 0.001, 0.025, 0.3, 0.5001, 0.8, 0.95, 0.975, 0.9999, 1 - 1e-7)
DEGREES = (0.5, 1, 1.7, 5, 29, 31.3, 59, 61, 299, 1000, 9_999, 10_001, 1e6, 1e8)
SHAPES = (0.01, 0.3, 1, 2.5, 10, 19.9, 20.1, 300, 999, 1001, 1e4, 1e6)


def close(found: float, expected: float, within: float = 1e-11) -> bool:
    return math.isclose(found, expected, rel_tol=within)


@pytest.mark.parametrize("df", DEGREES)
def test_shares_of_t_are_those_of_scipy_to_the_tail_of_40_deviations(df):
    values = np.concatenate([np.linspace(-3, 3, 61), -np.geomspace(3, 40, 30), [-1e9, 12]]).tolist()
    assert not [t for t in values if not close(below_t(t, df), special.stdtr(df, t)) and special.stdtr(df, t) > 1e-290]
    assert (below_t(-math.inf, df), below_t(math.inf, df), below_t(0, df)) == (0, 1, 0.5)


@pytest.mark.parametrize("df", DEGREES)
def test_quantiles_of_t_are_those_of_scipy(df):
    assert not [share for share in SHARES if not close(t_at(share, df), special.stdtrit(df, share))]
    assert (t_at(0.5, df), t_at(0.25, df)) == (0, -t_at(0.75, df))


@pytest.mark.parametrize("df", [1, 1.7, 2, 5, 12, 29])
def test_shares_of_the_noncentral_t_are_those_of_scipy(df):
    cases = [(t, noncentrality) for t in (1.7, 2, 3, 4.5, 12.7, 63.7) for noncentrality in (0, 0.5, 2, 3, 6)]
    assert not [case for case in cases if not close(below_noncentral_t(case[0], df, case[1]), special.nctdtr(df, case[1], case[0]))]


@pytest.mark.parametrize("shape", SHAPES)
def test_shares_of_gamma_are_those_of_scipy_on_both_sides_of_the_mean(shape):
    around = [shape + deviations * math.sqrt(shape) for deviations in (-8, -5, -3, -1, -0.01, 0, 0.01, 1, 3, 5, 8, 12)]
    values = [value for value in (*around, *(shape * times for times in (0.001, 0.1, 0.5, 1.5, 3))) if value > 0]
    assert not [value for value in values if not close(above_gamma(value, shape), special.gammaincc(shape, value))]
    assert (above_gamma(0, shape), above_gamma(-1, shape)) == (1, 1)


@pytest.mark.parametrize("shape", SHAPES)
def test_quantiles_of_gamma_are_those_of_scipy(shape):
    found = {share: (gamma_at(share, shape), special.gammaincinv(shape, share)) for share in SHARES[2:]}
    assert not [share for share, (own, other) in found.items() if not close(own, other) and max(own, other) > 1e-100]


@pytest.mark.parametrize("quantile", [t_at, gamma_at])
def test_quantiles_are_found_in_few_steps_and_keep_thirteen_digits(quantile, monkeypatch):
    """Try 500 random shares and parameters beside scipy: bisection would take more than 20 steps."""
    random, steps = np.random.default_rng(1), []
    shares = np.append(random.uniform(0.001, 0.999, 250), 1 - 10 ** random.uniform(-6, -1, 250)).tolist()
    parameters = (10 ** random.uniform(0, 5, 500)).tolist()
    for name, share_of in (("below_t", below_t), ("above_gamma", above_gamma)):
        monkeypatch.setattr(distributions, name, lambda *of, share_of=share_of: steps.append(of) or share_of(*of))
    own = [quantile.__wrapped__(*of) for of in zip(shares, parameters, strict=True)]
    other = special.stdtrit(parameters, shares) if quantile is t_at else special.gammainccinv(parameters, np.subtract(1, shares))
    assert own == pytest.approx(other, rel=2e-13)
    assert len(steps) < 5 * 500


def test_the_share_below_minus_5_deviations_of_a_gamma_of_many_users_is_near_the_normal_one():
    share = 1 - above_gamma(1e8 - 5e4, 1e8)  # scipy 1.17 gives 1.86e-7
    assert math.isclose(share, stats.norm.cdf(-5), rel_tol=0.01)


def test_ends_of_distributions_are_those_of_scipy():
    assert (t_at(0, 9), t_at(1, 9), below_t(-3, math.inf)) == (-math.inf, math.inf, pytest.approx(stats.norm.cdf(-3), rel=1e-12))
    assert math.isclose(t_at(0.975, math.inf), stats.norm.ppf(0.975), rel_tol=1e-12)
    assert math.isnan(below_t(math.nan, 9))
    assert math.isnan(below_t(math.nan, 1e6))
    assert (gamma_at(0, 2), gamma_at(1, 2), gamma_at(0.9, 0), above_gamma(1, 0), above_gamma(math.inf, 2)) == (0, math.inf, 0, 0, 0)
