"""How often chance alone is called a difference, and how often a detectable difference is detected."""

from __future__ import annotations

import numpy as np
import pytest
from receval.stats.concluding import judge_family
from receval.stats.difference import Settings, Subject
from receval.stats.two_models import compare_paired

from tests.stats.draws import draw_pair

DRAWS = 1_000


def verdicts(draw, settings=Settings()):  # noqa: B008
    random = np.random.default_rng(0)
    for _ in range(DRAWS):
        base, model = draw(random)
        yield judge_family([compare_paired(Subject("nDCG@10", "a", "b"), base, model, settings)], settings)[0].verdict


@pytest.mark.release
def test_randomly_swapped_values_are_worse_in_two_and_a_half_percent_of_draws():
    values = np.stack(draw_pair(0, 400))

    def swapped(random):
        coin = (random.random(values.shape[1]) < 0.5).astype(np.int64)
        return np.take_along_axis(values, coin[np.newaxis], 0)[0], np.take_along_axis(values, 1 - coin[np.newaxis], 0)[0]

    found = list(verdicts(swapped))
    assert found.count("worse") / DRAWS == pytest.approx(0.025, abs=0.015)  # three standard errors
    assert found.count("better") / DRAWS == pytest.approx(0.025, abs=0.015)
    assert set(found) == {"better", "worse", "inconclusive"}


@pytest.mark.release
def test_the_detectable_difference_is_detected_in_80_percent_of_draws():
    n, sd = 100, 0.2
    detectable = (1.959964 + 0.841621) * sd / n**0.5
    found = list(verdicts(lambda random: (np.zeros(n), random.normal(detectable, sd, n))))
    assert found.count("better") / DRAWS == pytest.approx(0.8, abs=0.04)
