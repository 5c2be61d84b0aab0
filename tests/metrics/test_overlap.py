"""Rank-biased overlap where lists are not ranked from 1 to n."""

from __future__ import annotations

import numpy as np
import pytest
from receval.metrics.coverage import rank_biased_overlap


def test_a_rank_as_written_may_be_beyond_the_number_of_items():
    """One list has its two items at the ranks 1 and 6, the other one its item at rank 1: the depth is 6, not 2."""
    user, first, second = np.array([0, 0]), np.array([2]), np.array([2])
    value = rank_biased_overlap(user, np.array([1, 6]), first, second, 0.5)
    # X(1..5) = 1, X(6) = 2; S = 2, X(S) = 1, D = 6.
    agreement = sum(0.5**d / d for d in range(1, 6)) + 2 / 6 * 0.5**6
    beyond = sum(1 * (d - 2) / (2 * d) * 0.5**d for d in range(3, 7))
    assert value == pytest.approx([agreement + beyond + ((2 - 1) / 6 + 1 / 2) * 0.5**6])
