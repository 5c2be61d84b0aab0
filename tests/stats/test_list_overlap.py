"""Common items of two lists, and rank-biased overlap: published values, and a literal reader of the definition."""

from __future__ import annotations

import random

import numpy as np
import pytest
from receval.metrics.coverage import rank_biased_overlap
from receval.stats.list_overlap import RankedItems, common_items, jaccard

Lists = list[list[int]]


def ranked(lists: Lists) -> RankedItems:
    codes = np.asarray([item for ranking in lists for item in ranking], dtype=np.int64)
    return RankedItems(codes, np.cumsum([0, *map(len, lists)]))


def overlaps(first: Lists, second: Lists, p: float = 0.9) -> list[float]:
    of_first, of_second = ranked(first), ranked(second)
    common = common_items(of_first, of_second, 1000)
    entered = np.maximum(common.first, common.second)
    return rank_biased_overlap(common.user, entered, of_first.lengths, of_second.lengths, p).tolist()


def literal(first: list[int], second: list[int], p: float) -> float:
    """Return equation 32 of Webber, Moffat and Zobel (2010), with X_d counted anew at each depth."""
    short, long = sorted((first, second), key=len)
    s, n = len(short), len(long)

    def shared(depth: int) -> int:
        return len({*short[:depth]} & {*long[:depth]})

    total = sum(shared(d) / d * p**d for d in range(1, n + 1))
    total += sum(shared(s) * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * total + ((shared(n) - shared(s)) / n + shared(s) / s) * p**n


PUBLISHED = [
    ("abcdefg", "badcfeg", 0.9, 0.859878),
    ("abcdefg", "badcfeg", 0.5, 0.45208333333333334),
    ("abc", "abc", 0.9, 1.0),
    ("abc", "xyz", 0.9, 0.0),
    ("abcdefgh", "ba", 0.9, 0.9),
    ("xay", "ax", 0.5, 0.5),
    ("q", "zqabc", 0.9, 0.221445),
    ("q", "zqabc", 0.5, 0.19479166666666667),
    ("abcde", "fbgce", 0.9, 0.5021100000000001),
    ("abcde", "fbgce", 0.5, 0.23541666666666664),
]
"""Values of `RankingSimilarity(first, second).rbo_ext(p)` of the package rbo 0.1.3."""


@pytest.mark.parametrize(("first", "second", "p", "value"), PUBLISHED)
def test_the_value_is_that_of_the_package_rbo(first, second, p, value):
    lists = [[ord(letter) for letter in ranking] for ranking in (first, second)]
    for left, other in (lists, reversed(lists)):
        assert overlaps([left], [other], p) == [pytest.approx(value, abs=1e-12)]


def test_the_package_rbo_gives_the_recorded_values():
    rbo = pytest.importorskip("rbo", reason="the package rbo is not installed")
    for first, second, p, value in PUBLISHED:
        assert rbo.RankingSimilarity(list(first), list(second)).rbo_ext(p=p) == pytest.approx(value, abs=1e-12)


def random_lists(chance: random.Random, n_users: int, longest: int) -> Lists:
    return [chance.sample(range(2 * longest), chance.randint(0, longest)) for _ in range(n_users)]


@pytest.mark.parametrize("seed", range(20))
def test_lists_of_any_lengths_have_the_value_of_the_definition(seed):
    chance = random.Random(seed)
    first, second = (random_lists(chance, 30, chance.choice((3, 10, 40))) for _ in range(2))
    p = chance.choice((0.5, 0.9, 0.98))
    for left, other, value in zip(first, second, overlaps(first, second, p), strict=True):
        if not left and not other:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(literal(left, other, p) if left and other else 0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_lists_of_one_length_differ_from_lenskit_by_the_part_below_the_lists(seed):
    """`rank_biased_overlap` of LensKit 2025.8 is the weighted mean of agreements down to rank n, and does not extrapolate."""
    chance, n, p = random.Random(seed), 10, 0.85
    first, second = (chance.sample(range(20), n) for _ in range(2))
    agreement = [len({*first[:d]} & {*second[:d]}) / d for d in range(1, n + 1)]
    weights = [p ** (d - 1) for d in range(1, n + 1)]
    of_lenskit = sum(w * a for w, a in zip(weights, agreement, strict=True)) / sum(weights)
    assert overlaps([first], [second], p) == [pytest.approx((1 - p**n) * of_lenskit + p**n * agreement[-1], abs=1e-12)]


@pytest.mark.parametrize("seed", range(20))
def test_common_items_have_their_best_ranks_in_lists_with_duplicates(seed):
    chance = random.Random(seed)
    first, second = ([[chance.randint(0, 9) for _ in range(chance.randint(0, 12))] for _ in range(15)] for _ in range(2))
    common = common_items(ranked(first), ranked(second), 10)
    expected = {
        (user, left.index(item) + 1, other.index(item) + 1)
        for user, (left, other) in enumerate(zip(first, second, strict=True))
        for item in {*left} & {*other}
    }
    found = list(zip(common.user.tolist(), common.first.tolist(), common.second.tolist(), strict=True))
    assert {*found} == expected
    assert len(found) == len(expected)
    assert (np.diff(common.user) >= 0).all()


def test_the_item_that_rises_most_is_the_one_with_the_best_new_rank():
    first, second = [[1, 2, 3, 4], [1, 2], [5]], [[3, 4, 1, 2], [1, 2], []]
    user, (before, after) = common_items(ranked(first), ranked(second), 10).most_promoted()
    assert (user.tolist(), before.tolist(), after.tolist()) == ([0], [3], [1])


def test_jaccard_is_the_share_of_all_distinct_items():
    of = [np.asarray(ranking) for ranking in ([1, 0, 2], [2, 0, 3], [2, 0, 3])]
    assert jaccard(*of).tolist()[0] == pytest.approx(1 / 3)
    assert np.isnan(jaccard(*of)[1])
