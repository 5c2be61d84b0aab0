"""Slices of users: found on one half, tested on the other; how often chance alone confirms one, and how often a planted one is found."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from receval.stats.slices import Candidate, Groups, SliceSettings, confirm, find
from receval.support.errors import ConfigError

from benchmarks.claims import SliceWorld, confirmed_slices, slice_is_missed, slice_world
from tests.sizes import some

DRAWS = 100


def draw_groups(random, n, sizes=(2, 3, 5)):
    return [Groups(random.integers(0, size, n), size) for size in sizes]


def best_of_all(values, groupings, settings):
    """Score every slice one by one, without pruning."""
    n, mean = len(values), values.mean()
    deviation, weight = np.abs(values - mean).mean(), max(0.5, 1 - 2 / np.sqrt(n))

    def score(mask):
        return weight * (mean - values[mask].mean()) / deviation - (1 - weight) * (n / mask.sum() - 1)

    singles = {((i, code),): groups.codes == code for i, groups in enumerate(groupings) for code in range(groups.n_codes)}
    found = {name: score(mask) for name, mask in singles.items() if mask.sum() >= settings.least(n)}
    pairs = {}
    for ((feature,), first), ((other,), second) in product(singles.items(), repeat=2):
        mask = first & second
        if feature[0] < other[0] and mask.sum() >= settings.least(n):
            pairs[feature, other] = score(mask)
    better = {pair: value for pair, value in pairs.items() if value > max(found.get((part,), -np.inf) for part in pair)}
    ordered = sorted({**found, **better}.items(), key=lambda item: -item[1])
    return [(name, value) for name, value in ordered if value > 0][: settings.most]


@pytest.mark.parametrize("seed", range(8))
def test_pruning_loses_no_slice(seed):
    random = np.random.default_rng(seed)
    groupings, n = draw_groups(random, 3_000, (2, 3, 5, 7)), 3_000
    values = random.normal(0, 1, n) - 0.3 * (groupings[seed % 4].codes == 1) - 0.4 * (groupings[0].codes * groupings[2].codes == 2)
    settings = SliceSettings()
    found = [candidate for candidate in find(values, groupings, settings).candidates if candidate.lower]
    expected = best_of_all(values, groupings, settings)
    assert [candidate.conditions for candidate in found] == [name for name, _ in expected]
    assert [candidate.score for candidate in found] == pytest.approx([value for _, value in expected], abs=1e-8)


def test_the_order_of_users_changes_no_bit():
    random = np.random.default_rng(0)
    groupings = draw_groups(random, 2_000)
    values = random.normal(0, 0.3, 2_000) - 0.2 * (groupings[1].codes == 2)
    order = random.permutation(2_000)
    turned = [Groups(groups.codes[order], groups.n_codes) for groups in groupings]
    search, other = find(values, groupings, SliceSettings()), find(values[order], turned, SliceSettings())
    assert search == other
    tests = [confirm(some, among, search.candidates, SliceSettings()) for some, among in ((values, groupings), (values[order], turned))]
    assert tests[0] == tests[1]


def test_equal_values_have_no_slices_and_no_difference():
    random = np.random.default_rng(0)
    groupings = draw_groups(random, 400)
    assert find(np.full(400, 0.1), groupings, SliceSettings()).candidates == ()
    (test,) = confirm(np.full(400, 0.1), groupings, [Candidate(((0, 1),), 1.0, lower=True)], SliceSettings())
    assert (test.difference, test.low, test.confirmed) == (0.0, None, False)
    assert find(np.empty(0), [Groups(np.empty(0, dtype=np.int64), 2)], SliceSettings()).candidates == ()


def test_the_interval_and_the_verdict_agree_and_more_tests_make_it_wider():
    random = np.random.default_rng(1)
    codes = np.arange(1_000) % 4
    values = random.normal(0, 1, 1_000) - 0.25 * (codes == 0)
    for family in (1, 3, 10, 40, 200, 1_000):
        (test,) = confirm(values, [Groups(codes, 4)], [Candidate(((0, 0),), 1.0, lower=True)], SliceSettings(), family)
        assert test.confirmed == (test.high < 0) == (test.p_adjusted <= 0.05)
    assert confirm(values, [Groups(codes, 4)], [Candidate(((0, 0),), 1.0, lower=False)], SliceSettings())[0].confirmed is False


def test_a_slice_in_which_few_users_differ_is_not_confirmed():
    codes = np.arange(2_000) % 10
    candidate = [Candidate(((0, 0),), 1.0, lower=True)]
    for n_losers, confirmed in ((9, False), (60, True)):
        values = np.zeros(2_000)
        values[np.flatnonzero(codes == 0)[:n_losers]] = -1.0
        (test,) = confirm(values, [Groups(codes, 10)], candidate, SliceSettings())
        assert (test.n_apart, test.p_adjusted <= 0.05, test.confirmed) == (n_losers, True, confirmed)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ConfigError, match="depth must be 1"):
        SliceSettings(depth=3)
    with pytest.raises(ConfigError, match="at least 2 users"):
        SliceSettings(least_users=1)


def share_confirmed(world, draws=DRAWS, **broken):
    random = np.random.default_rng(0)
    return sum(bool(confirmed_slices(*slice_world(world, random), **broken)) for _ in range(draws)) / draws


@pytest.mark.release
@pytest.mark.parametrize("world", some([SliceWorld(1_000, shift=0.05), SliceWorld(1_000), SliceWorld(1_000, rare=True)], 2))
def test_chance_alone_confirms_a_slice_in_at_most_five_percent_of_draws(world):
    assert share_confirmed(world) <= 0.05


def test_the_level_is_lost_if_slices_are_tested_on_the_users_who_found_them():
    assert share_confirmed(SliceWorld(2_000), 60, leaks=True) > 0.25


def share_of_forty(family):
    """Return the share of draws in which any of forty groups is called lower, or higher, than the others by chance."""
    random, wrong = np.random.default_rng(0), 0
    candidates = [Candidate(((index, code),), 1.0, lower=code % 2 == 0) for index in range(8) for code in range(5)]
    for _ in range(40):
        groupings = draw_groups(random, 500, (5,) * 8)
        wrong += any(verdict.confirmed for verdict in confirm(random.normal(0, 1, 500), groupings, candidates, SliceSettings(), family))
    return wrong / 40


@pytest.mark.release
def test_all_slices_that_are_tested_are_corrected_together():
    assert share_of_forty(None) <= 0.05
    assert share_of_forty(1) > 0.4


def test_a_planted_pair_of_groups_is_found():
    random, world = np.random.default_rng(0), SliceWorld(6_000, planted=0.06)
    assert sum(not slice_is_missed(world, random) for _ in range(30)) >= 26


def test_slices_of_the_same_users_are_found_once_under_the_simplest_name():
    random = np.random.default_rng(5)
    cold = random.random(2_000) < 0.2
    halves = [np.where(cold, 0, random.integers(1, 3, 2_000)) for _ in range(2)]
    values = random.normal(0, 0.3, 2_000) - 0.4 * cold
    groupings = [Groups(halves[0], 3, missing=0), Groups(halves[1], 3, missing=0), Groups(cold * 1, 2)]
    lower = [candidate.conditions for candidate in find(values, groupings, SliceSettings()).candidates if candidate.lower]
    assert lower == [((2, 1),)]  # not also those without a value in the first, the second, and both groupings
    without = [candidate.conditions for candidate in find(values, groupings[:2], SliceSettings()).candidates if candidate.lower]
    assert without == [((0, 0),)]
