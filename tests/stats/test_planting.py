"""A loss is planted by drawing users: the true difference is as planned, and nothing else about users changes."""

from __future__ import annotations

import numpy as np
import pytest
from receval.stats import planting
from receval.stats.paired import PairedSums
from receval.stats.planting import Population


def graded(n: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return values of two models: half of the users have 0 with the base, and a third change."""
    random = np.random.default_rng(seed)
    base = random.beta(0.8, 2.4, n) * (random.random(n) < 0.5)
    return base, np.where(random.random(n) < 0.3, random.permutation(base), base)


def population(base: np.ndarray, model: np.ndarray) -> Population:
    return Population.from_values(base[np.newaxis], model[np.newaxis])


@pytest.mark.parametrize("loss", [0.0, 0.02, 0.1, -0.05])
@pytest.mark.parametrize("both_ways", [False, True])
def test_the_planted_loss_is_the_true_one_and_the_base_keeps_its_value(loss, both_ways):
    base, model = graded()
    users = population(base, model).both_ways() if both_ways else population(base, model)
    value = float(base.mean())
    shares = users.planted(0, -loss * value, value)
    assert shares is not None
    assert shares.sum() == pytest.approx(1)
    assert shares @ users.base[0] == pytest.approx(value)
    assert shares @ users.differences[0] == pytest.approx(-loss * value, abs=1e-8)


def test_users_who_do_not_change_stay_unchanged_and_users_with_nothing_lose_nothing():
    users = population(*graded())
    shares = users.planted(0, -0.05 * float(graded()[0].mean()), float(graded()[0].mean()))
    unchanged = users.differences[0] == 0
    assert shares[unchanged].sum() == pytest.approx(users.shares[unchanged].sum(), abs=0.02)
    assert (users.model >= 0).all()


def test_a_loss_that_no_user_can_make_is_not_planted():
    base, model = np.full(100, 0.5), np.append(np.full(99, 0.5), 0.7)
    assert population(base, model).planted(0, -0.01, 0.5) is None


def test_drawn_sums_are_those_of_drawn_users():
    base, model = graded(300)
    users = population(base, model)
    drawn = users.drawn(users.shares, 300, 400, np.random.default_rng(0))
    sums = [users.sums(row, 0) for row in drawn]
    own = PairedSums.from_values(base, model)
    assert {one.n for one in sums} == {300}
    for name in ("difference", "difference_squares", "difference_cubes"):
        values = [float(getattr(one, name)()) for one in sums]
        assert np.mean(values) == pytest.approx(float(getattr(own, name)()), abs=4 * np.std(values) / 20)


@pytest.mark.parametrize("n", [500, 5000])
def test_sums_from_the_normal_distribution_have_the_mean_and_spread_of_drawn_users(monkeypatch, n):
    base, model = graded(5000)
    users = population(base, model)
    exact = users.drawn(users.shares, n, 1500, np.random.default_rng(0))
    monkeypatch.setattr(planting, "_MANY", 100)
    normal = users.drawn(users.shares, n, 1500, np.random.default_rng(1))
    for column in range(13):
        assert normal[:, column].mean() == pytest.approx(exact[:, column].mean(), abs=4 * exact[:, column].std() / 27 + 1e-9)
        assert normal[:, column].std() == pytest.approx(exact[:, column].std(), rel=0.1, abs=1e-6)


def test_of_very_many_users_some_stand_for_all(monkeypatch):
    base, model = graded(5000)
    monkeypatch.setattr(planting, "_ENOUGH", 1000)
    users = population(base, model)
    assert users.base.shape[1] < 2001
    assert users.shares[users.differences[0] != 0].sum() == pytest.approx(float((base != model).mean()), rel=1e-9)
