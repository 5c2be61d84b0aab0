"""Limits of tests and intervals: p values that resampling can reach, and ends that no difference can exceed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from receval.stats.concluding import judge_family
from receval.stats.difference import Settings, Subject
from receval.stats.resampling import affordable_resamples
from receval.stats.two_models import compare_paired, cut_to_bounds
from receval.support import errors

from tests.stats.test_verdicts import SETTINGS, N, spread


def test_a_family_of_comparisons_gets_enough_resamples():
    # 51 differences at 5 %: 4 · 51 / 0.05 = 4,080, and by `by` H(51) = 4.5188 times as many.
    family = Settings("permutation", family=51)
    assert [affordable_resamples(n, family) for n in (100, 100_000, 10_000_000)] == [9_999, 4_080, 4_080]
    assert affordable_resamples(10_000_000, replace(family, correction="none")) == 999
    assert affordable_resamples(10**6, replace(family, correction="by")) == 18_437
    with pytest.raises(errors.ConfigError, match="test permutation: 51 comparisons need 4,080 resamples, too many for 100,000,000 users"):
        affordable_resamples(10**8, family)


@pytest.mark.each_once
@pytest.mark.parametrize("test", ["permutation", "bootstrap", "bootstrap-t"])
@pytest.mark.parametrize("correction", ["holm", "bh", "by"])
def test_one_large_difference_among_51_is_detected_by_resampling(test, correction):
    # t is 23; the others have p values of 1. The 999 resamples for many users cannot go below 51/1,000.
    chosen = Settings(test, correction, resamples=999, family=51)
    base, subject = np.full(N, 0.5), Subject("nDCG@10", "main", "today")
    large = compare_paired(subject, base, base + spread(0.115, 0.1), chosen)
    assert large.statistic == pytest.approx(23)
    others = [replace(large, p=1.0)] * 50
    assert judge_family([large, *others], chosen)[0].verdict == "better"


def test_intervals_end_at_the_largest_possible_difference():
    # Three users whose values go from 0 to 1, 1 and 0.9: t would reach 1.11.
    found = compare_paired(Subject("HitRate@10", "a", "b"), np.zeros(3), np.array([1.0, 1.0, 0.9]), SETTINGS)
    ends = cut_to_bounds(found, (0.0, 1.0))
    assert found.high > 1.1
    assert (ends.low, ends.high, ends.one_sided_high, ends.p) == (found.low, 1.0, 1.0, found.p)
    assert cut_to_bounds(found, (-math.inf, math.inf)) == found


def test_swapped_models_have_the_same_ends():
    pair = np.zeros(3), np.array([1.0, 1.0, 0.9])
    there, back = (
        cut_to_bounds(compare_paired(Subject("HitRate@10", "a", "b"), *sides, SETTINGS), (0.0, 1.0)) for sides in (pair, pair[::-1])
    )
    assert there.interval == (-back.high, -back.low)
