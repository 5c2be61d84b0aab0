"""The best, popular and random lists equal those of a plain loop, and all random lists are about equally likely."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.tables.ids import Ids
from receval.tables.prepared import Prepared
from receval.tables.reference_rows import SeenItems, Shuffle, best_rows, mix, popular_lengths, popular_ranks, popular_rows, random_rows

from tests.sizes import draws

LISTS_OF_SEED_7 = {0: [4, 8, 6, 2, 7], 1: [5, 4, 6, 3, 8], 2: [4, 2, 9, 5, 7], 3: [2, 6, 0, 1, 9]}
"""Lists of four users, 5 of 10 items each; these must never change."""
KINDS = {"integers": int, "texts": "i{:03d}".format}


def prepared_items(popularity):
    """Return the prepared items of train with these numbers of rows."""
    rows = dict(popularity)
    items = sorted(rows)
    counts = np.asarray([rows[item] for item in items], dtype=np.int64)
    there = np.ones(len(items), dtype=np.bool_)
    return Prepared(Ids(pl.Series("item", items)), counts, counts, np.zeros_like(counts), there, there)


def index_of(prepared, items):
    """Return the indexes of items, some of which may be unknown."""
    return prepared.items.index_of(pl.Series("item", items, dtype=prepared.items.ids.dtype))


def seen_of(prepared, users, seen):
    """Return the seen items of `users`, who are numbered in their order."""
    if seen is None:
        return SeenItems.empty(len(users))
    pairs = [(users.index(user), item) for user, item in seen if user in users]
    number = np.asarray([user for user, _ in pairs], dtype=np.int64)
    return SeenItems(number, index_of(prepared, [item for _, item in pairs]), len(users))


def popular(popularity, users, seen, depth):
    """Return user → items of the popular lists."""
    users, prepared = sorted(users), prepared_items(popularity)
    return as_lists(prepared, users, popular_rows(prepared, seen_of(prepared, users, seen), depth))


def drawn(items, users, seen, depth, seed):
    """Return user → items of the random lists."""
    users, prepared = sorted(users), prepared_items([(item, 1) for item in items])
    numbers = np.arange(len(users))
    return as_lists(prepared, users, random_rows(prepared, numbers, seen_of(prepared, users, seen), depth, seed))


def as_lists(prepared, users, rows):
    lists = {}
    assert (np.diff(rows.user) >= 0).all()
    for user, item in zip(rows.user, prepared.items.ids.gather(rows.item), strict=True):
        lists.setdefault(users[user], []).append(item)
    return lists


@st.composite
def worlds(draw):
    """Draw users, the popularity of items, seen items of users (and of other users), and pairs to look for."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    most = draw(st.sampled_from([1, 2, 5, 30]))
    items = [kind(number) for number in chance.sample(range(100), chance.randint(1, most))]
    others = [kind(number) for number in range(100, 103)]
    users = [kind(number) for number in chance.sample(range(100), chance.randint(1, 8))]
    pairs = [(user, item) for user in [*users, kind(999)] for item in items + others]
    share = draw(st.sampled_from([0.0, 0.2, 0.8, 1.0]))
    return {
        "users": users,
        "popularity": [(item, chance.randint(1, 4)) for item in items],
        "seen": [pair for pair in pairs if chance.random() < share] if draw(st.booleans()) else None,
        "pairs": [pair for pair in pairs if chance.random() < 0.4],
        "depth": draw(st.integers(1, 12)),
    }


def test_the_best_list_has_the_highest_gain_first_and_then_the_smallest_id():
    user, item, gain = np.asarray([0, 0, 0, 1, 2]), pl.Series([2, 5, 9, 4, 1]), np.asarray([1.0, 1.0, 3.0, 1.0, 1.0])
    assert item.gather(best_rows(user, item, gain, None)).to_list() == [9, 2, 5, 4, 1]
    assert item.gather(best_rows(user, item, gain, 2)).to_list() == [9, 2, 4, 1]
    assert len(best_rows(user[:0], item[:0], gain[:0], 2)) == 0


POPULARITY = [("b", 5), ("a", 9), ("d", 1), ("c", 5)]  # in order: a b c d


def test_the_popular_list_has_the_items_with_most_rows_first_then_the_smallest_id_and_nothing_seen():
    assert popular(POPULARITY, "uvw", None, 3) == {user: ["a", "b", "c"] for user in "uvw"}
    # u has seen the first and the third; v has seen an item that is not in train; x gets no list.
    seen = [("u", "a"), ("u", "c"), ("v", "z"), ("x", "b")]
    assert popular(POPULARITY, "uvw", seen, 2) == {"u": ["b", "d"], "v": ["a", "b"], "w": ["a", "b"]}
    assert popular(POPULARITY, "uvw", seen, 9)["u"] == ["b", "d"]


def test_a_user_who_has_seen_everything_has_no_popular_and_no_random_list():
    seen = [("u", item) for item, _ in POPULARITY]
    assert popular(POPULARITY, "uv", seen, 3).keys() == {"v"}
    assert drawn("abcd", "uv", seen, 3, 1).keys() == {"v"}


@given(worlds())
@settings(max_examples=draws(52, 150))
def test_popular_lists_ranks_and_lengths_equal_those_of_a_plain_loop(world):
    order = [item for item, _ in sorted(world["popularity"], key=lambda row: (-row[1], row[0]))]
    seen, depth, users = set(world["seen"] or ()), world["depth"], sorted(world["users"])
    whole = {user: [item for item in order if (user, item) not in seen] for user in users}
    lists = popular(world["popularity"], users, world["seen"], depth)
    assert lists == {user: items[:depth] for user, items in whole.items() if items}
    prepared = prepared_items(world["popularity"])
    of_users = seen_of(prepared, users, world["seen"])
    assert popular_lengths(prepared, of_users, depth).tolist() == [len(whole[user][:depth]) for user in users]
    pairs = [(user, item) for user, item in world["pairs"] if user in users and (user, item) not in seen]
    number = np.asarray([users.index(user) for user, _ in pairs], dtype=np.int64)
    for most in (depth, None):
        ranks = popular_ranks(prepared, number, index_of(prepared, [item for _, item in pairs]), of_users, most)
        expected = [whole[user].index(item) + 1 if item in whole[user] else 0 for user, item in pairs]
        assert ranks.tolist() == [rank if most is None or rank <= most else 0 for rank in expected]


@given(worlds(), st.integers(0, 2**63))
@settings(max_examples=60)
def test_random_lists_have_different_unseen_items_while_there_are_any(world, seed):
    items, seen, depth = [item for item, _ in world["popularity"]], set(world["seen"] or ()), world["depth"]
    lists = drawn(items, world["users"], world["seen"], depth, seed)
    for user in world["users"]:
        unseen = {item for item in items if (user, item) not in seen}
        listed = lists.get(user, [])
        assert set(listed) <= unseen
        assert len(set(listed)) == len(listed) == min(depth, len(unseen))
    if depth > 1:
        assert drawn(items, world["users"], world["seen"], depth - 1, seed) == {user: own[: depth - 1] for user, own in lists.items()}


def test_random_lists_depend_only_on_the_seed_and_the_number_of_the_user():
    assert drawn(range(10), range(4), None, 5, 7) == LISTS_OF_SEED_7
    prepared, nothing = prepared_items([(item, 1) for item in range(10)]), SeenItems.empty(1)
    alone = random_rows(prepared, np.asarray([2]), nothing, 5, 7)
    assert alone.item.tolist() == LISTS_OF_SEED_7[2]
    assert drawn(range(10), range(4), None, 5, 8) != LISTS_OF_SEED_7


def test_random_lists_skip_seen_items_and_are_otherwise_the_same():
    whole = drawn(range(90), range(20), None, 90, 3)
    chance = random.Random(5)
    seen = [(user, item) for user in range(20) for item in range(90) if chance.random() < 0.5]
    held = set(seen)
    assert drawn(range(90), range(20), seen, 20, 3) == {user: [i for i in whole[user] if (user, i) not in held][:20] for user in whole}


N_USERS = 20_000


def about_equal(values, cells):
    """Return whether `cells` values are about equally frequent: chi-square is less than five standard deviations above its mean."""
    counts = Counter(values)
    mean = counts.total() / cells
    chi_square = sum((count - mean) ** 2 for count in counts.values()) / mean + mean * (cells - len(counts))
    return chi_square < cells + 5 * (2 * cells) ** 0.5


def many(n_items, seen_share, depth, seed):
    """Return the lists of many users as a matrix of users × ranks; each has seen some of the items."""
    chance = random.Random(11)
    n_seen = round(seen_share * n_items)
    seen = np.asarray([chance.sample(range(n_items), n_seen) for _ in range(N_USERS)], dtype=np.int64).reshape(-1)
    of_users = SeenItems(np.repeat(np.arange(N_USERS), n_seen), seen, N_USERS)
    rows = random_rows(prepared_items([(item, 1) for item in range(n_items)]), np.arange(N_USERS), of_users, depth, seed)
    return rows.item.reshape(N_USERS, depth)


@pytest.mark.parametrize(("n_items", "seen_share"), [(23, 0.0), (24, 0.3), (24, 0.7), (5, 0.0)])
def test_every_item_and_every_two_items_are_about_equally_often_at_every_rank(n_items, seen_share):
    lists = many(n_items, seen_share, 4, 17)
    for rank in range(4):
        assert about_equal(lists[:, rank].tolist(), n_items)
    for first, second in ((0, 1), (1, 2), (0, 3)):
        assert about_equal(zip(lists[:, first].tolist(), lists[:, second].tolist(), strict=True), n_items * (n_items - 1))
    assert about_equal(zip(lists[:-1, 0].tolist(), lists[1:, 0].tolist(), strict=True), n_items**2)


def test_every_order_of_three_items_is_about_equally_often():
    assert about_equal(map(tuple, many(3, 0.0, 3, 4).tolist()), 6)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 8, 9, 40, 150])
def test_a_shuffle_is_a_permutation_and_can_be_inverted(size):
    shuffle = Shuffle.for_size(size, 3)
    assert size <= shuffle.size <= max(2, size + size**0.5)
    keys = shuffle.keys(np.arange(5)).columns
    numbers = np.broadcast_to(np.arange(shuffle.size), (5, shuffle.size))
    places = shuffle.positions(numbers, keys)
    assert (np.sort(places, axis=1) == numbers).all()
    assert (shuffle.numbers(places, keys) == numbers).all()


def test_mixing_keeps_numbers_different_and_within_their_range():
    most = 2**31 - 2
    numbers = np.asarray([*range(3_000), *range(most - 3_000, most + 1)])
    made = mix(numbers, 5, "test")
    assert len(set(made.tolist())) == len(numbers)
    assert made.min() >= 0
    assert made.max() <= most
