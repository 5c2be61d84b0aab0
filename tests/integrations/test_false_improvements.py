"""How often an epoch is called an improvement that is none: at most as often as promised, in simulated trainings.

`python benchmarks/stopping.py` draws more of them, and prints what waiting for a clear improvement costs.
"""

from __future__ import annotations

import pytest

from benchmarks.stopping import by_interval, by_value, falsely_pruned, is_broken, trainings, worlds
from tests.sizes import some

DRAWS = 60
FALSE, RISING = worlds()


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("world", some(FALSE[:6], 2), ids=lambda world: world.name)
def test_a_training_that_does_not_improve_has_a_false_improvement_no_more_often_than_promised(world):
    assert not is_broken(sum(training.is_wrong for training in trainings(by_interval, world, DRAWS)) / DRAWS, DRAWS)


def test_the_highest_value_so_far_is_mostly_no_improvement():
    assert sum(training.is_wrong for training in trainings(by_value, FALSE[0], DRAWS)) / DRAWS > 0.7


def test_a_fast_rise_of_many_users_is_followed_nearly_to_its_end():
    done = trainings(by_interval, RISING[2], 10)
    assert sum(training.reached for training in done) / len(done) > 0.95


@pytest.mark.release
@pytest.mark.slow
def test_a_trial_that_is_as_good_as_all_others_is_pruned_no_more_often_than_promised():
    assert not is_broken(falsely_pruned(FALSE[0], 40), 40)
