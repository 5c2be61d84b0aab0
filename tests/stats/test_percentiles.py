"""Differences of percentiles in resamples of users."""

from __future__ import annotations

import numpy as np
import pytest
from receval.stats import resampling
from receval.stats.difference import Settings


@pytest.mark.parametrize("at_once", [1 << 22, 40])
@pytest.mark.parametrize("percentage", [0.0, 25.0, 50.0, 99.9, 100.0])
def test_percentiles_of_resamples_are_those_of_numpy_to_the_last_bit(percentage, at_once, monkeypatch):
    monkeypatch.setattr(resampling, "_CELLS", at_once)
    for n in (2, 7, 30):
        chance = np.random.default_rng(n)
        base, model = chance.choice([0.0, 1 / 3, 0.5, 1.0], n), chance.random(n)
        order, drawn = np.lexsort((model, base)), np.random.RandomState(3)
        users = order[np.concatenate([drawn.randint(n, size=(size, n)) for size in resampling._batches(1_500, n)])]
        expected = np.percentile(model[users], percentage, axis=1) - np.percentile(base[users], percentage, axis=1)
        found = resampling.percentile_replicates(base, model, percentage, Settings(resamples=1_500, seed=3))
        assert found.tolist() == np.sort(expected).tolist()
