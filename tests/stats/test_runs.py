"""Users and training runs in one interval: crossed effects."""

from __future__ import annotations

import numpy as np
import pytest
from receval.stats.comparing import compare_runs
from receval.stats.records import Settings, Subject
from receval.stats.runs import runs_estimate

SUBJECT = Subject("nDCG@10", "a", "b")


def test_two_runs_of_three_users():
    # Model: runs 0, 1, 2 and 2, 1, 3: means 1 and 2, users 1, 1, 2.5; the base is 0. Differences of users: variance 0.75, by 3 is 0.25.
    # Means of runs: variance 0.5, by 2 is 0.25. Left beside users and runs: ±1/2, ∓1/2, 0 in each run: e² = 4 · 1/4 / 2 = 0.5, by 6 is 1/12.
    # SE² = 0.25 + 0.25 - 1/12 = 5/12; df = (5/12)² / (0.25²/2 + 0.25²/1).
    model = [np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, 3.0])]
    found = runs_estimate([np.zeros(3)], model)
    assert (found.difference, found.se**2, found.df) == pytest.approx((1.5, 5 / 12, (5 / 12) ** 2 / (0.0625 * 1.5)))
    assert (found.training, found.runs) == (pytest.approx(0.25 - 1 / 12), 1)


def test_runs_that_differ_by_the_noise_of_users_alone_have_no_term():
    # Runs 0, 1 and 1, 0: their means are equal, though every user changes.
    found = runs_estimate([np.zeros(2)], [np.array([0.0, 1.0]), np.array([1.0, 0.0])])
    assert (found.training, found.se) == (0.0, 0.0)


def test_the_order_of_users_and_runs_changes_no_bit():
    random = np.random.default_rng(0)
    base, model, order = random.random((3, 50)), random.random((4, 50)), random.permutation(50)
    one = compare_runs(SUBJECT, list(base), list(model), Settings())
    assert one == compare_runs(SUBJECT, list(base[::-1][:, order]), list(model[::-1][:, order]), Settings())


WORLDS = {
    "users alone": (0.2, 0.0, 0.0),
    "noise of users in runs": (0.2, 0.0, 0.3),
    "hardly users": (0.02, 0.0, 0.3),
    "training": (0.2, 0.02, 0.05),
    "all": (0.2, 0.02, 0.3),
    "training alone": (0.02, 0.05, 0.05),
}


@pytest.mark.parametrize("n_runs", [2, 3, 5])
@pytest.mark.parametrize("world", WORLDS)
def test_the_interval_covers_at_least_as_promised(world, n_runs):
    # With the noise of users in runs counted twice "noise of users in runs" had 98 to 99 %.
    of_users, of_runs, of_both = WORLDS[world]
    random, n, draws, covered = np.random.default_rng(n_runs), 30, 200, 0
    for _ in range(draws):
        sides = [random.normal(0, of_users / 2**0.5, n) + random.normal(0, of_runs, (n_runs, 1)) for _ in range(2)]
        runs = [list(side + random.normal(0, of_both, (n_runs, n))) for side in sides]
        confidence = runs_estimate(*runs).confidence
        covered += confidence.at(0.025) <= 0 <= confidence.at(0.975)
    assert covered / draws >= 0.90  # 95 % less three standard errors
